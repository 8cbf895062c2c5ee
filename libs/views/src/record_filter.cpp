#include "record_filter.h"

#include "ki/base/text.h"
#include "ki/resolve/describe.h"

#include <fmt/format.h>

#include <array>

namespace ki::views {
namespace {

constexpr std::size_t kMaxWords = 32;

}  // namespace

std::string environment_summary(const catalog::Snapshot& snapshot, Index cohort) {
  const auto& row = snapshot.cohorts()[cohort];
  const auto& environment = snapshot.environments()[row.environment];
  std::string text;
  const auto add = [&](std::string_view part) {
    if (part.empty()) return;
    if (!text.empty()) text += " · ";
    text += part;
  };
  if (environment.cuda != 0) add(fmt::format("CUDA {}", snapshot.name(environment.cuda)));
  if (environment.framework != 0) {
    add(trim(fmt::format("{} {}", snapshot.name(environment.framework),
                         snapshot.name(environment.framework_version))));
  }
  add(snapshot.name(snapshot.protocols()[row.protocol].harness));
  return text;
}

RecordTextFilter::RecordTextFilter(const RecordLedger& ledger, std::string_view text)
    : ledger_(ledger), s_(ledger.snapshot()) {
  for (const std::string_view word : split(text, ' ')) {
    const std::string_view trimmed = trim(word);
    if (trimmed.empty() || words_.size() == kMaxWords) continue;
    words_.push_back(ascii_lower(trimmed));
  }
  if (is_open()) return;
  for (std::size_t i = 0; i < words_.size(); ++i) all_ |= Mask{1} << i;
  operations_.assign(s_.operations().size(), kUnknown);
  environments_.assign(s_.environments().size(), kUnknown);
  implementations_.assign(s_.implementations().size(), kUnknown);
}

RecordTextFilter::Mask RecordTextFilter::occurrences(std::string_view text) const {
  const std::string lower = ascii_lower(text);
  Mask found = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (lower.find(words_[i]) != lower.npos) found |= Mask{1} << i;
  }
  return found;
}

RecordTextFilter::Mask RecordTextFilter::in_operation(Index operation) {
  std::uint64_t& known = operations_[operation];
  if (known == kUnknown) {
    const auto& row = s_.operations()[operation];
    Mask found = occurrences(s_.text(row.slug)) | occurrences(s_.text(row.name)) |
                 occurrences(resolve::operation_name(s_, operation)) |
                 occurrences(s_.name(row.family));
    for (const auto alias : s_.aliases(row)) found |= occurrences(s_.text(alias));
    known = found;
  }
  return static_cast<Mask>(known);
}

RecordTextFilter::Mask RecordTextFilter::in_environment(Index environment) {
  std::uint64_t& known = environments_[environment];
  if (known == kUnknown) {
    const auto& row = s_.environments()[environment];
    known =
        occurrences(s_.name(row.product)) | occurrences(s_.name(row.display_architecture)) |
        occurrences(fmt::format("CUDA {}", s_.name(row.cuda))) |
        occurrences(fmt::format("{} {}", s_.name(row.framework), s_.name(row.framework_version)));
  }
  return static_cast<Mask>(known);
}

RecordTextFilter::Mask RecordTextFilter::in_implementation(Index implementation) {
  std::uint64_t& known = implementations_[implementation];
  if (known == kUnknown) {
    const auto& row = s_.implementations()[implementation];
    const auto& project = s_.projects()[row.project];
    known = occurrences(s_.text(row.slug)) |
            occurrences(resolve::implementation_name(s_, implementation)) |
            occurrences(s_.text(project.slug)) | occurrences(s_.text(project.name));
  }
  return static_cast<Mask>(known);
}

RecordTextFilter::Mask RecordTextFilter::in_workload(Index workload) const {
  return occurrences(resolve::workload_summary(s_, workload)) |
         occurrences(resolve::workload_label(s_, workload));
}

bool RecordTextFilter::passes(const RecordHolder& holder) {
  if (is_open()) return true;
  const auto& cohort = s_.cohorts()[holder.cohort];
  Mask found = in_operation(cohort.operation) | in_environment(cohort.environment);
  if (found == all_) return true;
  found |= occurrences(s_.name(s_.protocols()[cohort.protocol].harness));
  for (const RecordStep& step : ledger_.steps(holder)) {
    found |= in_implementation(s_.runs()[step.run].implementation);
  }
  // Workload texts are the ones that are made for each row, so they come last.
  return found == all_ || (found | in_workload(cohort.workload)) == all_;
}

}  // namespace ki::views
