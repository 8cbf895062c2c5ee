// What is new (spec 11.4): records that fell, imports by source and day, corrections. Records that
// one source brought for one operation on one day are one entry, so that a bulk import does not
// flood the feed.
#pragma once

#include "ki/base/result.h"
#include "ki/catalog/store.h"
#include "ki/views/records.h"

namespace ki::views {

struct ChangeEntry {
  enum class Kind : std::uint8_t { kRecord, kImport, kCorrection };
  struct Record {  // one group's new leader
    Index run = kNone;
    Index previous = kNone;  // the leader before
    double improvement_pct = 0;
  };
  struct Correction {
    std::string run_id;
    Index run = kNone;        // kNone: a serving run
    std::string_view action;  // retracted, superseded
    std::string reason;
    std::string actor;
  };

  Kind kind = Kind::kRecord;
  std::string id;  // stable: the same change has it in every feed
  std::int64_t at_ms = 0;
  std::string text;  // one line

  // kRecord: newest first, at most kRecordsShown of `records_total`; all of one operation, source
  // and day.
  std::vector<Record> records;
  std::size_t records_total = 0;
  double largest_improvement_pct = 0;
  // kImport
  const ImportBatch* batch = nullptr;
  // kCorrection
  std::optional<Correction> correction;

  // What followers match.
  Index operation = kNone;
  Index source = kNone;
  std::vector<Index> projects;
  std::vector<std::string_view> hardware;
  std::vector<std::string_view> models;
};
inline constexpr std::size_t kRecordsShown = 5;
inline constexpr std::int64_t kFeedWindowMs = 30LL * 24 * 3600 * 1000;

struct ChangeOptions {
  RecordPolicy policy = RecordPolicy::kBreaks;
  // Changes after this instant; nothing: the 30 days before `now`, or before the newest change when
  // these are empty.
  std::optional<Instant> since{};
  std::size_t offset = 0;
  std::size_t limit = 50;
  Instant now{};
};

struct ChangePage {
  const RecordLedger* ledger = nullptr;
  ChangeOptions options;
  Instant since;                     // as applied
  std::vector<ChangeEntry> entries;  // newest first
  std::size_t total = 0;
  bool is_illustrative = false;
};

// `store` for the audit log; null leaves corrections out.
Result<ChangePage> list_changes(const RecordLedger& ledger, catalog::Store* store,
                                const ChangeOptions& options);

// {illustrative, since, days: [{date, entries}], total, nextCursor, policy, catalogVersion,
// generatedAt}. `next_cursor` leads to the page after this one; empty on the last.
void write_json(json::Writer& w, const ChangePage& page, std::string_view next_cursor);
void write_json(json::Writer& w, const ChangePage& page, const ChangeEntry& entry);

}  // namespace ki::views
