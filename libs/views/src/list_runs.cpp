#include "gpu_filter.h"
#include "ki/base/text.h"
#include "ki/catalog/run_status.h"
#include "ki/views/lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace ki::views {
namespace {

using catalog::Snapshot;
namespace run_flags = catalog::run_flags;

RunPlace place_of(const catalog::RunRow& run) { return {run.observed_ms, run.id}; }
bool is_after(const RunPlace& a, const RunPlace& b) {  // a stands after b
  return std::tie(a.observed_ms, a.id) < std::tie(b.observed_ms, b.id);
}

class RunLister {
 public:
  RunLister(const Snapshot& snapshot, const RunListOptions& options)
      : s_(snapshot), options_(options), gpu_(snapshot, options.hardware) {}

  Result<RunList> list() {
    KI_TRY_VOID(read_filters());
    if (options_.limit == 0) return RunList{};
    if (options_.operation == kNone) {
      take_newest(options_.after);
    } else {
      take_of_operation(options_.after);
    }
    RunList list;
    const bool has_more = found_.size() > options_.limit;
    if (has_more) found_.resize(options_.limit);
    for (const Index run : found_) list.items.push_back(item_of(run));
    if (has_more) list.next = place_of(s_.runs()[found_.back()]);
    return list;
  }

 private:
  Result<void> read_filters() {
    if (!options_.source.empty()) {
      const auto sources = s_.sources();
      const auto found = std::ranges::find_if(
          sources, [&](const auto& row) { return s_.text(row.slug) == options_.source; });
      if (found == sources.end()) {
        return fail(Code::kInvalidArgument, fmt::format("no source is {}", quote(options_.source)));
      }
      source_ = static_cast<Index>(found - sources.begin());
    }
    if (!options_.status.empty()) {
      status_ = catalog::parse_run_status(options_.status);
      if (!status_) {
        return fail(Code::kInvalidArgument,
                    fmt::format("{} is no run status; expected passed, runtime_error, …",
                                quote(options_.status)));
      }
    }
    return {};
  }

  bool passes(const catalog::RunRow& run) {
    if ((run.flags & run_flags::kPublished) == 0) return false;
    if (status_ && run.status != static_cast<std::uint8_t>(*status_)) return false;
    if (source_ != kNone && run.source != source_) return false;
    if (options_.since_ms != 0 && run.observed_ms < options_.since_ms) return false;
    return gpu_.passes_cohort(run.cohort);
  }

  // One more than the page holds, so that the last page is known as such.
  std::size_t wanted() const { return options_.limit + 1; }

  void take_newest(const std::optional<RunPlace>& after) {
    const auto newest = s_.columns().runs_newest;
    auto at = newest.begin();
    if (after) {
      at = std::partition_point(newest.begin(), newest.end(), [&](Index run) {
        return !is_after(place_of(s_.runs()[run]), *after);
      });
    }
    for (; at != newest.end() && found_.size() < wanted(); ++at) {
      const auto& run = s_.runs()[*at];
      if (options_.since_ms != 0 && run.observed_ms < options_.since_ms) return;
      if (passes(run)) found_.push_back(*at);
    }
  }

  // Only the runs of the operation are looked at.
  void take_of_operation(const std::optional<RunPlace>& after) {
    for (const Index cohort : s_.cohorts_of_operation(options_.operation)) {
      if (!gpu_.passes_cohort(cohort)) continue;
      for (const Index index : s_.runs_of_cohort(cohort)) {
        const auto& run = s_.runs()[index];
        if (after && !is_after(place_of(run), *after)) continue;
        if (passes(run)) found_.push_back(index);
      }
    }
    const auto end =
        found_.begin() + static_cast<std::ptrdiff_t>(std::min(wanted(), found_.size()));
    std::partial_sort(found_.begin(), end, found_.end(), [&](Index a, Index b) {
      return is_after(place_of(s_.runs()[b]), place_of(s_.runs()[a]));
    });
    found_.erase(end, found_.end());
  }

  RunItem item_of(Index index) const {
    const auto& run = s_.runs()[index];
    const auto& cohort = s_.cohorts()[run.cohort];
    const auto& code = s_.implementations()[run.implementation];
    RunItem item;
    item.run = index;
    item.id = id_text(run.id);
    item.digest = digest_text(run.digest);
    item.operation = named_operation(s_, cohort.operation);
    item.implementation = named_implementation(s_, run.implementation);
    item.project = named_project(s_, code.project);
    item.hardware = s_.name(s_.environments()[cohort.environment].product);
    item.status = catalog::kRunStatusNames[run.status];
    item.primary = primary_of(s_, index);
    item.evidence = static_cast<policy::EvidenceLevel>(run.evidence);
    item.evidence_note = evidence_note(s_, index);
    item.is_source_available = code.source_available != 0;
    item.rank = run.rank;
    item.group_size = cohort.ranked;
    item.source = source_of(s_, run.source);
    item.observed_ms = run.observed_ms;
    return item;
  }

  const Snapshot& s_;
  const RunListOptions& options_;
  GpuFilter gpu_;
  Index source_ = kNone;
  std::optional<catalog::RunStatus> status_;
  std::vector<Index> found_;
};

}  // namespace

Result<RunList> list_runs(const Snapshot& snapshot, const RunListOptions& options) {
  return RunLister(snapshot, options).list();
}

void write_json(json::Writer& w, const RunItem& item) {
  w.begin_object().member("id", item.id).member("digest", item.digest).key("operation");
  write_json(w, item.operation);
  w.key("implementation");
  write_json(w, item.implementation);
  w.key("project");
  write_json(w, item.project);
  w.member("hardware", item.hardware).member("status", item.status).key("primary");
  write_json(w, item.primary);
  w.key("rank");
  if (item.rank == 0) {
    w.null();
  } else {
    w.value(item.rank);
  }
  w.member("cohortSize", item.group_size).member("evidence", policy::to_string(item.evidence));
  text_or_null(w, "evidenceNote", item.evidence_note);
  w.member("sourceAvailable", item.is_source_available)
      .member("source", item.source.slug)
      .member("observedAt", Instant{item.observed_ms}.to_string())
      .end_object();
}

}  // namespace ki::views
