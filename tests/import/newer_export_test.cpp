// Importing again, and importing a newer export (spec 17).

#include "import_world.h"
#include "ki/catalog/builder.h"
#include "ki/importers/manifest_files.h"
#include "ki/io/file.h"
#include "ki/json/reader.h"
#include "ki/publish/leader_sync.h"
#include "ki/publish/publisher.h"

#include <algorithm>

namespace ki::import_tests {
namespace {

using catalog::Table;
using importers::ImportReport;
using testing::HasSubstr;
using Lines = std::vector<std::string>;

class NewerExport : public ImportWorld {
 protected:
  std::vector<json::Document> rows(catalog::Store& store, Table table) {
    std::vector<json::Document> out;
    EXPECT_TRUE(store.read_table(
        table, store.head()->seq, [&](const catalog::Entry& entry) -> Result<catalog::Step> {
          auto row =
              json::read_document(entry.body, json::Limits{.max_bytes = std::size_t{64} << 20});
          EXPECT_TRUE(row);
          out.push_back(*std::move(row));
          return catalog::Step::kGoOn;
        }));
    return out;
  }
  std::vector<std::string> actions(catalog::Store& store) {
    std::vector<std::string> out;
    for (const json::Document& row : rows(store, Table::kAuditEvents))
      out.emplace_back(row.root.find("action")->string());
    std::ranges::sort(out);
    return out;
  }
  // The line of the leading run of the group with the most events, and that group's key.
  std::size_t leader_line(const Lines& lines, std::size_t n = 0) {
    // A run with an event that has a previous run, and that no later event displaces.
    for (std::size_t i = lines.size(); i-- > 0;) {
      if (table_of(lines[i]) != "record_events" ||
          lines[i].find("\"previousRunId\":null") != std::string::npos)
        continue;
      const std::string run = member_of(lines[i], "runId");
      const bool is_displaced = std::ranges::any_of(lines, [&](const std::string& line) {
        return table_of(line) == "record_events" &&
               line.find("\"previousRunId\":\"" + run) != std::string::npos;
      });
      if (is_displaced || n-- != 0) continue;
      for (std::size_t k = 0; k < lines.size(); ++k) {
        if (table_of(lines[k]) == "benchmark_runs" &&
            lines[k].find("\"id\":\"" + run) != std::string::npos)
          return k;
      }
    }
    ADD_FAILURE() << "no group has two leaders";
    return 0;
  }
  const Lines lines_ = synthetic_lines(400);
};

TEST_F(NewerExport, TheSameExportTwiceChangesNothing) {
  const auto store = new_store();
  const ImportReport first = must_import(*store, text_of(lines_));
  EXPECT_EQ(first.outcome, ImportReport::Outcome::kImported);
  ASSERT_TRUE(first.snapshot);
  EXPECT_EQ(first.snapshot->seq(), store->head()->seq);
  const catalog::Head head = *store->head();
  const ImportReport second = must_import(*store, text_of(lines_));
  EXPECT_EQ(second.outcome, ImportReport::Outcome::kUnchanged);
  EXPECT_EQ(second.changes_total, 0U);
  EXPECT_EQ(store->head()->seq, head.seq);
  EXPECT_EQ(store->head()->chain, head.chain);
  for (const auto& count : second.tables) {
    EXPECT_EQ(count.inserted + count.changed, 0U) << count.table;
  }
  expect_sound(*store);
}

TEST_F(NewerExport, IsMergedIntoACatalogThatHasOtherRowsOnly) {
  const auto store = new_store();
  UuidSource ids(5);
  const Instant at{1'700'000'000'000};
  const Uuid id = ids.next(at);
  const auto tx = *store->begin();
  ASSERT_TRUE(tx->append(
      Table::kAuditEvents, id.to_string(), 0, std::nullopt,
      publish::audit_event_row(id, "test", "trust_key", "key", "k", std::nullopt, {}, at)));
  ASSERT_TRUE(tx->commit(at, "trust key"));
  // Its runs bring protocol and environment documents along, which are new here.
  EXPECT_EQ(must_import(*store, text_of(lines_)).outcome, ImportReport::Outcome::kImported);
  EXPECT_EQ(must_import(*store, text_of(lines_)).outcome, ImportReport::Outcome::kUnchanged);
  expect_sound(*store);
}

TEST_F(NewerExport, TheOrderOfRowsInsideATableDoesNotMatter) {
  Lines reversed = lines_;
  for (const std::string_view table : {"projects", "operations", "workloads", "implementations",
                                       "benchmark_runs", "measurements", "record_events"}) {
    const auto first = reversed.begin() + static_cast<std::ptrdiff_t>(find_line(reversed, table));
    const auto last = std::find_if(
        first, reversed.end(), [&](const std::string& line) { return table_of(line) != table; });
    std::reverse(first, last);
  }
  const auto store = new_store();
  must_import(*store, text_of(lines_));
  EXPECT_EQ(must_import(*store, text_of(reversed)).outcome, ImportReport::Outcome::kUnchanged);
}

TEST_F(NewerExport, ADryRunStoresNothingAndSaysWhatItWouldDo) {
  const auto store = new_store();
  auto dry = options();
  dry.dry_run = true;
  const auto report =
      importers::import_kernelindex(write("in.jsonl", text_of(lines_)), *store, dry);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->outcome, ImportReport::Outcome::kDryRun);
  EXPECT_EQ(report->facts.runs, 400U);
  EXPECT_FALSE(report->commit);
  EXPECT_EQ(store->head()->seq, 0U);
}

TEST_F(NewerExport, StopsWhenAskedAndStoresNothing) {
  const auto store = new_store();
  const std::atomic<bool> cancel = true;
  auto stopped = options();
  stopped.cancel = &cancel;
  const auto report =
      importers::import_kernelindex(write("in.jsonl", text_of(lines_)), *store, stopped);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code(), Code::kCancelled);
  EXPECT_EQ(store->head()->seq, 0U);
}

TEST_F(NewerExport, SaysWhoElseIsWriting) {
  const auto store = new_store();
  auto other = store->begin();
  ASSERT_TRUE(other);
  const auto report = import_text(*store, text_of(lines_));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code(), Code::kUnavailable);
}

TEST_F(NewerExport, NewRowsAreAddedAndTheLeadersGoOn) {
  // The first export lacks the leading run of a group, with its measurements and its event.
  Lines older = lines_;
  const std::string leader = member_of(lines_[leader_line(lines_)], "id");
  std::erase_if(older, [&](const std::string& line) {
    const std::string table = table_of(line);
    if (table == "benchmark_runs") return line.find("\"id\":\"" + leader) != std::string::npos;
    if (table == "measurements" || table == "record_events")
      return line.find("\"runId\":\"" + leader) != std::string::npos;
    return false;
  });
  const auto store = new_store();
  must_import(*store, text_of(older));
  const auto leaders_before = rows(*store, Table::kLeaderChanges).size();
  clock_.set(Instant{clock_.now().ms + 86'400'000});
  const ImportReport newer = must_import(*store, text_of(lines_));
  EXPECT_EQ(newer.outcome, ImportReport::Outcome::kImported);
  EXPECT_EQ(newer.leader_changes, 1U);
  const auto leaders = rows(*store, Table::kLeaderChanges);
  ASSERT_EQ(leaders.size(), leaders_before + 1);
  const bool is_there = std::ranges::any_of(leaders, [&](const json::Document& row) {
    const json::Value* run = row.root.find("leaderRunId");
    return run->is_string() && run->string() == leader;
  });
  EXPECT_TRUE(is_there);
  EXPECT_EQ(rows(*store, Table::kRecordEvents).size(),
            static_cast<std::size_t>(std::ranges::count_if(
                lines_, [](const std::string& l) { return table_of(l) == "record_events"; })));
  expect_sound(*store);
  // All at once gives the same state.
  const auto whole = catalog::build_snapshot(*store);
  ASSERT_TRUE(whole);
  EXPECT_EQ((*whole)->runs().size(), 400U);
  EXPECT_EQ(must_import(*store, text_of(lines_)).outcome, ImportReport::Outcome::kUnchanged);
}

TEST_F(NewerExport, ARetractionBecomesACorrectionWithItsLeaderChange) {
  const auto store = new_store();
  must_import(*store, text_of(lines_));
  clock_.set(Instant{clock_.now().ms + 86'400'000});
  Lines newer = lines_;
  std::string& line = newer[leader_line(newer)];
  const std::string run = member_of(line, "id");
  replace(
      line, "\"retractedAt\":null,\"retractionReason\":null",
      R"("retractedAt":"2026-11-01T00:00:00.000Z","retractionReason":{"actor":"maintainer","reason":"wrong clock"})");
  const ImportReport report = must_import(*store, text_of(newer));
  EXPECT_EQ(report.retractions, 1U);
  EXPECT_EQ(report.changes_total, 2U);
  EXPECT_EQ(report.leader_changes, 1U);
  EXPECT_THAT(actions(*store), testing::ElementsAre("import", "import", "retract_run"));
  bool has_change = false;
  for (const json::Document& row : rows(*store, Table::kLeaderChanges)) {
    const json::Value* previous = row.root.find("previousLeaderRunId");
    if (row.root.find("cause")->string() != "retraction") continue;
    has_change = true;
    EXPECT_EQ(previous->string(), run);
  }
  EXPECT_TRUE(has_change);
  expect_sound(*store);
  EXPECT_EQ(must_import(*store, text_of(newer)).outcome, ImportReport::Outcome::kUnchanged);
  // An older export does not take it back.
  const ImportReport older = must_import(*store, text_of(lines_));
  EXPECT_EQ(older.outcome, ImportReport::Outcome::kUnchanged);
}

TEST_F(NewerExport, ASupersessionBecomesACorrection) {
  const auto store = new_store();
  must_import(*store, text_of(lines_));
  clock_.set(Instant{clock_.now().ms + 86'400'000});
  Lines newer = lines_;
  const std::size_t original = leader_line(newer);
  const std::string group = member_of(newer[original], "comparisonKey");
  const std::string original_id = member_of(newer[original], "id");
  std::size_t successor = 0;
  for (std::size_t i = 0; i < newer.size(); ++i) {
    if (i != original && table_of(newer[i]) == "benchmark_runs" &&
        newer[i].find(group) != std::string::npos)
      successor = i;
  }
  ASSERT_NE(successor, 0U);
  replace(newer[successor], "\"supersedesId\":null,\"retractedAt\"",
          "\"supersedesId\":\"" + original_id + "\",\"retractedAt\"");
  const ImportReport report = must_import(*store, text_of(newer));
  EXPECT_EQ(report.supersessions, 1U);
  EXPECT_EQ(report.leader_changes, 1U);
  EXPECT_THAT(actions(*store), testing::ElementsAre("import", "import", "supersede_run"));
  expect_sound(*store);
  // The same export into an empty catalog, where the successor may stand before its original.
  std::swap(newer[original], newer[successor]);
  const auto fresh = new_store();
  must_import(*fresh, text_of(newer));
  expect_sound(*fresh);
}

TEST_F(NewerExport, SuccessionsThatGoInACircleAreRefused) {
  Lines lines = lines_;
  const std::size_t a = find_line(lines, "benchmark_runs");
  const std::string id = member_of(lines[a], "id");
  replace(lines[a], "\"supersedesId\":null,\"retractedAt\"",
          "\"supersedesId\":\"" + id + "\",\"retractedAt\"");
  const auto store = new_store();
  const auto report = import_text(*store, text_of(lines));
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_EQ(report->outcome, ImportReport::Outcome::kRefused);
  EXPECT_EQ(store->head()->seq, 0U);
}

TEST_F(NewerExport, EditorialColumnsAreAppliedAndAudited) {
  const auto store = new_store();
  must_import(*store, text_of(lines_));
  Lines newer = lines_;
  replace(newer[find_line(newer, "sources")], "\"policy\":null", R"("policy":{"terms":"new"})");
  std::string& operation = newer[find_line(newer, "operations")];
  replace(operation, "\"tags\":[", "\"tags\":[\"added\",");
  std::string& project = newer[find_line(newer, "projects")];
  replace(project, ",\"createdAt\"", ",\"kind\":\"vendor\",\"createdAt\"");
  const ImportReport report = must_import(*store, text_of(newer));
  EXPECT_EQ(report.changes_total, 3U);
  EXPECT_THAT(actions(*store), testing::ElementsAre("import", "import", "import_change",
                                                    "import_change", "import_change"));
  EXPECT_THAT(report.to_json(), HasSubstr("\"column\": \"policy\""));
  expect_sound(*store);
}

TEST_F(NewerExport, WhatWasPublishedMayNotChange) {
  const auto store = new_store();
  must_import(*store, text_of(lines_));
  const catalog::Head head = *store->head();
  Lines newer = lines_;
  std::string& run = newer[find_line(newer, "benchmark_runs")];
  replace(run, "\"independentReplicationCount\":0", "\"independentReplicationCount\":2");
  std::string& workload = newer[find_line(newer, "workloads")];
  replace(workload, "\"createdAt\":\"2025", "\"createdAt\":\"2024");
  const auto report = import_text(*store, text_of(newer));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->outcome, ImportReport::Outcome::kRefused);
  ASSERT_EQ(report->refused.size(), 2U);
  EXPECT_THAT(report->refused[0].reason, HasSubstr("'createdAt' may not change"));
  EXPECT_THAT(report->refused[1].reason, HasSubstr("'independentReplicationCount' may not change"));
  EXPECT_EQ(store->head()->chain, head.chain);
}

TEST_F(NewerExport, RowsThatVanishedAreReportedAndStay) {
  const auto store = new_store();
  must_import(*store, text_of(lines_));
  const catalog::Head head = *store->head();
  Lines newer = lines_;
  const std::size_t at = find_line(newer, "artifacts");
  const std::string id = member_of(newer[at], "id");
  newer.erase(newer.begin() + static_cast<std::ptrdiff_t>(at));
  const ImportReport report = must_import(*store, text_of(newer));
  EXPECT_EQ(report.outcome, ImportReport::Outcome::kUnchanged);
  EXPECT_THAT(report.vanished, testing::ElementsAre(testing::Pair("artifacts", id)));
  EXPECT_EQ(store->head()->seq, head.seq);
}

TEST_F(NewerExport, RowsKnownUnderOtherIdsAreNotDoubled) {
  // The same export with every id changed, as if another catalog had found the same facts.
  std::string foreign = text_of(lines_);
  for (std::size_t at = foreign.find("\"01977420-"); at != std::string::npos;
       at = foreign.find("\"01977420-", at + 1)) {
    foreign.replace(at, 10, "\"01988888-");
  }
  const auto store = new_store();
  must_import(*store, text_of(lines_));
  const catalog::Head head = *store->head();
  const ImportReport report = must_import(*store, foreign);
  EXPECT_EQ(report.outcome, ImportReport::Outcome::kUnchanged) << report.to_json().substr(0, 3000);
  EXPECT_EQ(store->head()->seq, head.seq);
}

TEST_F(NewerExport, AnOperationsSlugNeverChangesItsMeaning) {
  const auto store = new_store();
  must_import(*store, text_of(lines_));
  // Another operation, of another catalog, under a slug that is taken.
  Lines other = synthetic_lines(20, 2);
  const std::size_t at = find_line(other, "operations");
  replace(other[at], "\"slug\":\"" + member_of(other[at], "slug") + "\"",
          "\"slug\":\"" + member_of(lines_[find_line(lines_, "operations")], "slug") + "\"");
  std::string text = text_of(other);
  for (std::size_t i = text.find("\"01977420-"); i != std::string::npos;
       i = text.find("\"01977420-", i + 1)) {
    text.replace(i, 10, "\"01988888-");
  }
  const auto report = import_text(*store, text);
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_EQ(report->outcome, ImportReport::Outcome::kRefused);
  EXPECT_THAT(report->refused.front().reason, HasSubstr("another operation under the slug"));
}

}  // namespace
}  // namespace ki::import_tests
