// The dossier of one project or author (spec 07.2, 10).
#pragma once

#include "ki/base/result.h"
#include "ki/catalog/store.h"
#include "ki/json/value.h"
#include "ki/views/records.h"

namespace ki::views {

struct ProjectView {
  struct Implementation {
    Index implementation = kNone;
    Named named;
    Named operation;
    std::string_view revision;
    std::optional<policy::EvidenceLevel> evidence;
    std::uint32_t runs = 0;
    Index best_run = kNone;  // the best placed; kNone: no eligible run
    bool is_source_available = false;
    bool is_installable = false;
    Licence licence;
  };

  Index project = kNone;
  catalog::Seq catalog_version = 0;
  Instant now;
  bool is_illustrative = false;
  std::string id;
  std::string_view slug;
  std::string_view name;
  std::string_view kind;
  std::string_view url;                     // empty: none
  std::vector<std::string_view> licences;   // concluded, by name
  std::vector<std::string_view> hardware;   // of eligible runs, most first
  std::uint32_t implementations_total = 0;  // all
  std::uint32_t runs = 0;                   // eligible
  std::uint32_t records_total = 0;          // groups that it leads
  std::uint32_t gained = 0, lost = 0;       // announced changes in the 30 days before now
  std::int64_t last_observed_ms = 0;
  RecordPage records;                           // groups that it leads
  std::vector<Implementation> implementations;  // most runs first: the page
  std::vector<SourceRef> sources;
};

struct ProjectViewOptions {
  std::size_t records_limit = 50;
  std::size_t records_offset = 0;
  std::size_t implementations_limit = 50;
  std::size_t implementations_offset = 0;
  RecordPolicy policy = RecordPolicy::kBreaks;
  Instant now{};
};

// Linear in the implementations of the catalog.
ProjectView project_view(const RecordLedger& ledger, Index project,
                         const ProjectViewOptions& options);

// `next_cursor` leads to the next page of records and implementations; empty on the last.
void write_json(json::Writer& w, const catalog::Snapshot& snapshot, const ProjectView& view,
                std::string_view next_cursor);

}  // namespace ki::views
