#include "ki/views/lists.h"
#include "natural.h"
#include "project_moves.h"
#include "tally.h"

#include <algorithm>
#include <tuple>

namespace ki::views {
namespace {

using catalog::NameId;
using catalog::Snapshot;
namespace run_flags = catalog::run_flags;

struct Tally {
  std::uint32_t implementations = 0;
  std::uint32_t runs = 0;
  std::uint32_t records = 0;
  std::uint8_t evidence = 0;
  bool has_source = false;
  bool is_installable = false;
  std::int64_t last_ms = 0;
  SmallSet hardware, licences;
};

std::vector<Tally> count(const RecordLedger& ledger) {
  const Snapshot& s = ledger.snapshot();
  std::vector<Tally> tallies(s.projects().size());
  for (const auto& code : s.implementations()) {
    if (code.eligible_runs == 0) continue;
    Tally& tally = tallies[code.project];
    ++tally.implementations;
    tally.has_source |= code.source_available != 0;
    tally.is_installable |= code.installable != 0;
    if (code.license_concluded != 0) tally.licences.add(code.license_concluded);
  }
  for (const auto& run : s.runs()) {
    if ((run.flags & run_flags::kEligible) == 0) continue;
    Tally& tally = tallies[s.implementations()[run.implementation].project];
    ++tally.runs;
    tally.evidence = std::max(tally.evidence, run.evidence);
    tally.last_ms = std::max(tally.last_ms, run.observed_ms);
    tally.hardware.add(s.environments()[s.cohorts()[run.cohort].environment].product);
  }
  for (const RecordHolder& holder : ledger.holders()) {
    ++tallies[s.implementations()[s.runs()[holder.run].implementation].project].records;
  }
  return tallies;
}

std::vector<std::string_view> names_of(const Snapshot& s, SmallSet& set) {
  std::vector<std::string_view> names;
  for (const NameId id : set.ids()) names.push_back(s.name(id));
  std::ranges::sort(names);
  return names;
}

}  // namespace

std::optional<ProjectSort> parse_project_sort(std::string_view text) {
  if (text == "presence") return ProjectSort::kRuns;
  if (text == "records") return ProjectSort::kRecords;
  if (text == "gained") return ProjectSort::kGained;
  if (text == "az") return ProjectSort::kName;
  return std::nullopt;
}

ProjectList list_projects(const RecordLedger& ledger, const ProjectListOptions& options) {
  const Snapshot& s = ledger.snapshot();
  std::vector<Tally> tallies = count(ledger);
  const std::vector<ProjectMoves> moves = project_moves(ledger, options.policy, options.now);
  std::vector<Index> found;
  for (Index i = 0; i < tallies.size(); ++i) {
    if (options.only_measured && tallies[i].runs == 0) continue;
    if (!options.kind.empty() && s.name(s.projects()[i].kind) != options.kind) continue;
    found.push_back(i);
  }
  const auto slug = [&](Index i) { return s.text(s.projects()[i].slug); };
  std::ranges::sort(found, [&](Index a, Index b) {
    const Tally& x = tallies[a];
    const Tally& y = tallies[b];
    switch (options.sort) {
      case ProjectSort::kRuns:
        break;
      case ProjectSort::kRecords:
        if (x.records != y.records) return x.records > y.records;
        break;
      case ProjectSort::kGained:
        if (moves[a].gained != moves[b].gained) return moves[a].gained > moves[b].gained;
        break;
      case ProjectSort::kName: {
        const std::string_view p = s.text(s.projects()[a].name);
        const std::string_view q = s.text(s.projects()[b].name);
        if (natural_less(p, q)) return true;
        if (natural_less(q, p)) return false;
        return slug(a) < slug(b);
      }
    }
    if (x.runs != y.runs) return x.runs > y.runs;
    return slug(a) < slug(b);
  });
  ProjectList list;
  list.total = found.size();
  list.offset = options.offset;
  const std::size_t begin = std::min(options.offset, found.size());
  const std::size_t end = begin + std::min(options.limit, found.size() - begin);
  for (std::size_t i = begin; i < end; ++i) {
    const Index index = found[i];
    const auto& row = s.projects()[index];
    Tally& tally = tallies[index];
    ProjectItem& item = list.items.emplace_back();
    item.project = index;
    item.slug = s.text(row.slug);
    item.name = s.text(row.name);
    item.kind = s.name(row.kind);
    item.url = s.text(row.url);
    item.implementations = tally.implementations;
    item.runs = tally.runs;
    item.records = tally.records;
    item.gained = moves[index].gained;
    item.lost = moves[index].lost;
    if (tally.runs != 0) item.best_evidence = static_cast<policy::EvidenceLevel>(tally.evidence);
    item.licences = names_of(s, tally.licences);
    item.hardware = names_of(s, tally.hardware);
    item.is_source_available = tally.has_source;
    item.is_installable = tally.is_installable;
    item.last_observed_ms = tally.last_ms;
  }
  return list;
}

void write_json(json::Writer& w, const ProjectItem& item) {
  w.begin_object().member("slug", item.slug).member("name", item.name).member("kind", item.kind);
  text_or_null(w, "repositoryUrl", item.url);
  w.member("implementations", item.implementations)
      .member("runs", item.runs)
      .member("records", item.records);
  text_or_null(w, "bestEvidence",
               item.best_evidence ? policy::to_string(*item.best_evidence) : std::string_view());
  w.key("licenses").begin_array();
  for (const std::string_view licence : item.licences) w.value(licence);
  w.end_array()
      .member("installable", item.is_installable)
      .member("sourceAvailable", item.is_source_available)
      .key("hardware")
      .begin_array();
  for (const std::string_view gpu : item.hardware) w.value(gpu);
  w.end_array();
  instant_or_null(w, "lastObservedAt", item.last_observed_ms);
  w.member("gained30d", item.gained).member("lost30d", item.lost).end_object();
}

}  // namespace ki::views
