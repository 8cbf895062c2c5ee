#include "ki/views/implementation_view.h"

#include "ki/display/format.h"
#include "ki/policy/deployability.h"
#include "ki/resolve/describe.h"
#include "leaders.h"
#include "line_diff.h"
#include "stored.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <tuple>
#include <unordered_set>

namespace ki::views {
namespace {

using catalog::Snapshot;
namespace run_flags = catalog::run_flags;

std::vector<std::string> texts_of(const json::Value* list) {
  std::vector<std::string> texts;
  if (list == nullptr || !list->is_array()) return texts;
  for (const json::Value& item : list->items()) texts.push_back(scalar_text(item));
  return texts;
}

std::string language_of(std::string_view file_name) {
  if (file_name.ends_with(".py")) return "python";
  for (const std::string_view end : {".cu", ".cuh", ".cpp", ".cc", ".h", ".hpp", ".hip"}) {
    if (file_name.ends_with(end)) return "cpp";
  }
  return "text";
}

// N of "submission-N"; nothing of other revisions.
std::optional<std::uint64_t> submission_number(std::string_view revision) {
  constexpr std::string_view kPrefix = "submission-";
  if (!revision.starts_with(kPrefix)) return std::nullopt;
  revision.remove_prefix(kPrefix.size());
  std::uint64_t number = 0;
  const char* const end = revision.data() + revision.size();
  const auto [stop, error] = std::from_chars(revision.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

class Maker {
 public:
  Maker(const Snapshot& snapshot, catalog::Store& store, Index index,
        const ImplementationViewOptions& options)
      : s_(snapshot), store_(store), row_(s_.implementations()[index]), options_(options) {
    view_.implementation = index;
    view_.catalog_version = s_.seq();
  }

  Result<ImplementationView> make() && {
    KI_TRY(view_.document, read_row(store_, row_.entry));
    view_.manifest = view_.document.root.find("manifest");
    add_identity();
    if (view_.manifest != nullptr) read_manifest(*view_.manifest);
    add_trust();
    add_results();
    add_limitations();
    add_revisions();
    KI_TRY_VOID(add_source_code());
    return std::move(view_);
  }

 private:
  void add_identity() {
    view_.id = id_text(row_.id);
    view_.digest = digest_text(row_.digest);
    view_.named = named_implementation(s_, view_.implementation);
    view_.revision = s_.text(row_.revision);
    view_.created_ms = row_.created_ms;
    view_.project = named_project(s_, row_.project);
    view_.project_url = s_.text(s_.projects()[row_.project].url);
    view_.operation = named_operation(s_, row_.operation);
    view_.install_kind = s_.name(row_.install_kind);
    view_.install_command = s_.text(row_.install_command);
    view_.licence = licence_of(s_, view_.implementation);
  }

  void read_manifest(const json::Value& manifest) {
    const json::Value* spec = manifest.find("spec");
    const json::Value* metadata = manifest.find("metadata");
    const json::Value* callable = spec == nullptr ? nullptr : spec->find("callable");
    view_.interface.language = text_of(callable, "language");
    view_.interface.framework = text_of(callable, "interface");
    view_.interface.symbol = text_of(callable, "symbol");
    view_.interface.source_path = text_of(callable, "path");
    view_.support.architectures = texts_of(at(spec, "support", "hardwareArchitectures"));
    view_.support.products = texts_of(at(spec, "support", "productsTested"));
    view_.support.dtypes = texts_of(at(spec, "support", "dtypes"));
    view_.support.layouts = texts_of(at(spec, "support", "layouts"));
    view_.support.axes = texts_of(at(spec, "support", "axes"));
    const json::Value* revision = spec == nullptr ? nullptr : spec->find("projectRevision");
    view_.source.is_available = row_.source_available != 0;
    view_.source.url = text_of(revision, "repository");
    view_.source.commit = text_of(revision, "commit");
    view_.source.tree_digest = text_of(revision, "treeDigest");
    if (const json::Value* refs = metadata == nullptr ? nullptr : metadata->find("sourceRefs");
        refs != nullptr && refs->is_array() && !refs->items().empty()) {
      view_.source.url = text_of(&refs->items().front(), "url");
    }
    if (const json::Value* authors = metadata == nullptr ? nullptr : metadata->find("authors");
        authors != nullptr && authors->is_array()) {
      for (const json::Value& author : authors->items()) {
        if (const auto name = text_of(&author, "name"); !name.empty()) {
          view_.authors.emplace_back(name);
        }
      }
    }
    view_.licence_evidence = text_of(at(spec, "licensing", "evidence"), "path");
    if (const json::Value* variants = spec == nullptr ? nullptr : spec->find("buildVariants");
        variants != nullptr && variants->is_array() && !variants->items().empty()) {
      if (const json::Value* needs = variants->items().front().find("requirements");
          needs != nullptr && needs->is_object()) {
        for (const json::Member& need : needs->members()) {
          view_.requirements.push_back({std::string(need.key), scalar_text(need.value)});
        }
      }
    }
  }

  void add_trust() {
    const auto runs = s_.runs_of_implementation(view_.implementation);
    view_.runs = static_cast<std::uint32_t>(runs.size());
    std::uint8_t evidence = 0;
    for (const Index run : runs) {
      evidence = std::max(evidence, s_.runs()[run].evidence);
      const auto& cohort = s_.cohorts()[s_.runs()[run].cohort];
      const std::string_view gpu = s_.name(s_.environments()[cohort.environment].product);
      auto& measured_on = view_.support.measured_on;
      if (std::ranges::find(measured_on, gpu) == measured_on.end()) measured_on.push_back(gpu);
    }
    if (evidence != 0) view_.evidence = static_cast<policy::EvidenceLevel>(evidence);
    view_.sources = sources_of(s_, runs);
    view_.is_illustrative = is_illustrative(s_, runs);
    const policy::DeployabilityFacts facts{.source_available = row_.source_available != 0,
                                           .installable = row_.installable != 0,
                                           .has_concluded_licence = row_.license_concluded != 0};
    view_.not_deployable_because = policy::deployability_v1(facts);
    view_.is_vendorable = policy::is_vendorable(facts);
  }

  // Values of different groups are not comparable, so each group gives its best run, and groups
  // come by the number of their runs.
  void add_results() {
    std::unordered_set<Index> is_seen;
    std::vector<Index> best;
    for (const Index run : s_.runs_of_implementation(view_.implementation)) {  // fastest first
      if (is_seen.insert(s_.runs()[run].cohort).second) best.push_back(run);
    }
    std::ranges::sort(best, [&](Index a, Index b) {
      const auto& x = s_.cohorts()[s_.runs()[a].cohort];
      const auto& y = s_.cohorts()[s_.runs()[b].cohort];
      return std::tie(y.ranked, x.key) < std::tie(x.ranked, y.key);
    });
    view_.results_total = best.size();
    const std::size_t begin = std::min(options_.offset, best.size());
    const std::size_t end = begin + std::min(options_.limit, best.size() - begin);
    for (std::size_t i = begin; i < end; ++i) {
      view_.results.push_back(run_row(s_, best[i], options_.now));
    }
    std::vector<Index> events;
    for (const Index run : best) {
      visible_events(s_, s_.runs()[run].cohort, events);
      if (events.empty()) continue;
      const Index leader = s_.events()[events.back()].run;
      if (s_.runs()[leader].implementation == view_.implementation) ++view_.records;
    }
    view_.trust_summary =
        view_.runs == 0
            ? "No eligible run."
            : fmt::format(
                  "{} in {}, leads {}.", display::count_noun(view_.runs, "eligible run"),
                  display::count_noun(static_cast<std::int64_t>(best.size()), "comparison group"),
                  display::count(view_.records));
  }

  void add_limitations() {
    auto& list = view_.limitations;
    if (view_.evidence == policy::EvidenceLevel::kReported) {
      list.emplace_back("Reported by its source; nobody reproduced it here.");
    }
    if (row_.source_available == 0) list.emplace_back("Its source is not public.");
    if (row_.installable == 0) list.emplace_back("No install recipe is known.");
    if (row_.license_concluded == 0) list.emplace_back("Its licence is not known.");
    std::int64_t mismatched = 0;
    for (const Index run : s_.runs_of_implementation(view_.implementation)) {
      if ((s_.runs()[run].flags & run_flags::kOperationMismatch) != 0) ++mismatched;
    }
    if (mismatched != 0) {
      list.push_back(fmt::format("{} measure it on a workload of another operation.",
                                 display::count_noun(mismatched, "run")));
    }
  }

  void add_revisions() {
    const std::string_view slug = s_.text(row_.slug);
    std::vector<Index> found;
    for (const Index other : s_.implementations_of_operation(row_.operation)) {
      if (other == view_.implementation) continue;
      if (s_.text(s_.implementations()[other].slug) == slug) found.push_back(other);
    }
    std::ranges::sort(found, [&](Index a, Index b) {
      const auto& x = s_.implementations()[a];
      const auto& y = s_.implementations()[b];
      return std::tie(y.created_ms, y.id) < std::tie(x.created_ms, x.id);
    });
    for (const Index other : found) {
      const auto& row = s_.implementations()[other];
      view_.revisions.push_back({.named = named_implementation(s_, other),
                                 .id = id_text(row.id),
                                 .revision = s_.text(row.revision)});
    }
  }

  Result<std::optional<json::Document>> read_artifact(std::string_view digest_text) {
    const auto digest = Digest::parse(digest_text);
    if (!digest) return std::nullopt;
    KI_TRY(const auto entry, store_.find_digest(catalog::Table::kArtifacts, *digest));
    if (!entry) return std::nullopt;
    KI_TRY(json::Document row,
           json::read_document(entry->body, {.max_bytes = std::size_t{64} << 20}));
    return row;
  }

  // The implementation of this project and operation with the largest "submission-N" below this
  // one's; of several, the newest. kNone.
  Index previous_submission() {
    const auto number = submission_number(view_.revision);
    if (!number) return kNone;
    using Order = std::tuple<std::uint64_t, std::int64_t, Index>;
    std::optional<Order> best;
    for (const Index other : s_.implementations_of_operation(row_.operation)) {
      const auto& row = s_.implementations()[other];
      if (row.project != row_.project) continue;
      const auto before = submission_number(s_.text(row.revision));
      if (!before || *before >= *number) continue;
      const Order order(*before, row.created_ms, other);
      if (!best || *best < order) best = order;
    }
    return best ? std::get<Index>(*best) : kNone;
  }

  Result<std::optional<SourceDiff>> diff_to_previous(std::string_view content) {
    const Index index = previous_submission();
    if (index == kNone) return std::nullopt;
    const auto& row = s_.implementations()[index];
    KI_TRY(const json::Document document, read_row(store_, row.entry));
    const json::Value* source = at(document.root.find("manifest"), "spec", "source");
    KI_TRY(const auto artifact, read_artifact(text_of(source, "contentDigest")));
    if (!artifact) return std::nullopt;
    const std::string_view before = text_of(&artifact->root, "content");
    if (before.empty()) return std::nullopt;
    SourceDiff diff = line_diff(before, content);
    diff.previous = named_implementation(s_, index);
    diff.previous_id = id_text(row.id);
    diff.previous_revision = s_.text(row.revision);
    return diff;
  }

  Result<void> add_source_code() {
    const json::Value* source = at(view_.manifest, "spec", "source");
    if (source == nullptr) return {};
    ImplementationView::SourceCode code;
    code.file_name = text_of(source, "fileName");
    code.language = language_of(code.file_name);
    code.digest = text_of(source, "contentDigest");
    if (const json::Value* size = source->find("sizeBytes"); size != nullptr && size->is_number()) {
      code.size_bytes = size->integer();
    }
    KI_TRY(const auto artifact, read_artifact(code.digest));
    if (artifact) {
      code.uri = text_of(&artifact->root, "uri");
      code.licence = text_of(&artifact->root, "license");
      if (options_.with_source) code.content = text_of(&artifact->root, "content");
    }
    if (!code.content.empty()) {
      KI_TRY(code.diff, diff_to_previous(code.content));
    }
    view_.source_code = std::move(code);
    return {};
  }

  const Snapshot& s_;
  catalog::Store& store_;
  const catalog::ImplementationRow& row_;
  const ImplementationViewOptions& options_;
  ImplementationView view_;
};

}  // namespace

Result<ImplementationView> implementation_view(const Snapshot& snapshot, catalog::Store& store,
                                               Index implementation,
                                               const ImplementationViewOptions& options) {
  return Maker(snapshot, store, implementation, options).make();
}

}  // namespace ki::views
