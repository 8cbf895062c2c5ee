#include "ki/publish/backfill.h"

#include "ki/base/text.h"

#include <array>
#include <utility>

namespace ki::publish {
namespace {

constexpr std::string_view kSubmitterSuffix = " (MLPerf submitter)";

bool is_filler(std::string_view version) {
  if (version.size() < 3) return true;
  for (const std::string_view filler : {"todo", "n/a", "tbd", "none"}) {
    if (equals_ignoring_case(version, filler)) return true;
  }
  return false;
}

}  // namespace

std::string_view backfilled_family(std::string_view family) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kRenamed = {{
      {"normalization", "rmsnorm"},
      {"gqa-paged", "gqa-paged-attention"},
      {"gqa-ragged", "gqa-ragged-attention"},
      {"mla-paged", "mla-paged-attention"},
  }};
  for (const auto& [before, after] : kRenamed) {
    if (family == before) return after;
  }
  return family;
}

std::string_view backfilled_project_kind(std::string_view slug, std::string_view name) {
  for (const std::string_view prefix : {"kernelbot-user-", "sol-user-"}) {
    if (slug.starts_with(prefix)) return "individual";
  }
  if (slug.starts_with("flashinfer-") && slug != "flashinfer-baseline") return "individual";
  return name.ends_with(kSubmitterSuffix) ? "vendor" : "library";
}

std::optional<std::string_view> backfilled_role(std::optional<std::string_view> label,
                                                std::string_view project_slug,
                                                std::string_view title) {
  if (label) return label;
  if (project_slug == "flashinfer-baseline") return "baseline";
  if (project_slug == "pytorch" || project_slug == "transformers") {
    if (ascii_lower(title).find("torch.compile") == std::string::npos) return "baseline";
  }
  return std::nullopt;
}

std::optional<std::string> backfilled_stack_name(std::optional<std::string_view> version,
                                                 std::string_view project_name) {
  if (!version) return std::nullopt;
  if (!is_filler(trim(*version))) return std::string(*version);
  if (project_name.ends_with(kSubmitterSuffix)) project_name.remove_suffix(kSubmitterSuffix.size());
  return std::string(project_name) + " submission (software not stated)";
}

}  // namespace ki::publish
