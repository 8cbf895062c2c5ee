// The real export of the public index: everything that must come out of it (issue "Must show").

#include "import_world.h"
#include "ki/catalog/builder.h"
#include "ki/io/file.h"
#include "ki/store_sqlite/sqlite_store.h"

#include <fmt/format.h>

#include <set>

namespace ki::import_tests {
namespace {

using importers::ImportReport;

std::filesystem::path public_export() {
  return std::filesystem::path(KI_SOURCE_DIR) / ".." / "shared" / "data" /
         "catalog-2026-08-16.jsonl.zst";
}

class PublicExport : public ImportWorld {};

TEST_F(PublicExport, EveryCountAndEveryDigestHolds) {
  if (!std::filesystem::exists(public_export())) GTEST_SKIP() << "skipped: ../shared is absent";
  auto opened = store_sqlite::SqliteStore::open(file("catalog.db"), {.create = true});
  ASSERT_TRUE(opened) << opened.error().to_string();
  catalog::Store& store = **opened;
  const auto report = importers::import_kernelindex(public_export(), store, options());
  ASSERT_TRUE(report) << report.error().to_string();
  ASSERT_EQ(report->outcome, ImportReport::Outcome::kImported) << report->to_json().substr(0, 4000);
  EXPECT_EQ(report->lines, 40'795U);
  EXPECT_EQ(report->facts.runs, 7'857U);
  EXPECT_EQ(report->facts.groups, 1'828U);
  EXPECT_EQ(report->facts.eligible_runs, 7'771U);
  EXPECT_THAT(report->facts.ineligible,
              testing::ElementsAre(testing::Pair("STATUS_COMPILE_ERROR", 4U),
                                   testing::Pair("STATUS_RUNTIME_ERROR", 82U)));
  EXPECT_EQ(report->facts.leader_events, 2'948U);
  EXPECT_EQ(report->facts.measurements, 13'853U);
  EXPECT_EQ(report->facts.measured_operations, 342U);
  EXPECT_EQ(report->facts.gpus, 7U);
  EXPECT_EQ(report->facts.operation_mismatches, 43U);
  EXPECT_EQ(report->facts.serving_runs, 722U);
  // Each leader of a group appears once in our own sequence too: nobody was corrected.
  EXPECT_EQ(report->leader_changes, 2'948U);
  expect_sound(store);

  // The snapshot that was folded on the way is the one that the log makes.
  const auto rebuilt = catalog::build_snapshot(store);
  ASSERT_TRUE(rebuilt) << rebuilt.error().to_string();
  ASSERT_TRUE(report->snapshot);
  EXPECT_EQ(report->snapshot->head().chain, (*rebuilt)->head().chain);
  EXPECT_EQ(report->snapshot->runs().size(), (*rebuilt)->runs().size());

  // Columns that the export lacks (spec 03.5).
  std::map<std::string, int> kinds;
  for (const catalog::ProjectRow& project : report->snapshot->columns().projects) {
    ++kinds[std::string(report->snapshot->name(project.kind))];
  }
  EXPECT_EQ(kinds,
            (std::map<std::string, int>{{"individual", 587}, {"library", 1}, {"vendor", 27}}));
  int baselines = 0;
  for (const catalog::ImplementationRow& row : report->snapshot->implementations()) {
    if (report->snapshot->name(row.role) == "baseline") ++baselines;
  }
  EXPECT_EQ(baselines, 112);

  // Again: nothing changes. Then out and in again: the same bytes.
  const catalog::Head head = *store.head();
  const auto again = importers::import_kernelindex(public_export(), store, options());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->outcome, ImportReport::Outcome::kUnchanged);
  EXPECT_EQ(again->vanished_total, 0U);
  EXPECT_EQ(store.head()->chain, head.chain);
  ASSERT_TRUE(importers::export_catalog(store, file("one.zst")));
  const auto copy = new_store();
  const auto restored = importers::import_kernelindex(file("one.zst"), *copy, options());
  ASSERT_TRUE(restored) << restored.error().to_string();
  EXPECT_EQ(restored->outcome, ImportReport::Outcome::kImported);
  ASSERT_TRUE(importers::export_catalog(*copy, file("two.zst")));
  EXPECT_EQ(*io::read_file(file("one.zst")), *io::read_file(file("two.zst")));
}

}  // namespace
}  // namespace ki::import_tests
