// A synthetic catalog covers where ../shared is absent: its bytes, counts and ranks are committed.

#include "import_world.h"
#include "ki/store_sqlite/sqlite_store.h"
#include "ki/synth/generator.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::import_tests {
namespace {

class SyntheticGolden : public ImportWorld {};

TEST_F(SyntheticGolden, BytesCountsAndRanksAreTheCommittedOnes) {
  constexpr std::uint64_t kRuns = 2'000;
  const auto counts = synth::generate_file({.runs = kRuns, .seed = 1}, file("s.jsonl.zst"));
  ASSERT_TRUE(counts) << counts.error().to_string();
  auto store = store_sqlite::SqliteStore::open(file("s.db"), {.create = true});
  ASSERT_TRUE(store) << store.error().to_string();
  const auto report = importers::import_kernelindex(file("s.jsonl.zst"), **store, options());
  ASSERT_TRUE(report) << report.error().to_string();
  ASSERT_EQ(report->refused_total, 0U) << report->refused.front().reason;

  // What the generator says it made is what was read.
  EXPECT_EQ(report->lines, counts->lines);
  EXPECT_EQ(report->bytes, counts->bytes);
  EXPECT_EQ(report->facts.runs, counts->runs);
  EXPECT_EQ(report->facts.groups, counts->groups);
  EXPECT_EQ(report->facts.eligible_runs, counts->eligible_runs);
  EXPECT_EQ(report->facts.leader_events, counts->record_events);
  EXPECT_EQ(report->facts.measurements, counts->measurements);
  expect_sound(**store);

  std::vector<std::string> ranks;
  for (const catalog::RunRow& run : report->snapshot->runs()) {
    ranks.push_back(
        fmt::format("{} {} {}\n", Uuid{run.id}.to_string(), run.rank,
                    (run.flags & catalog::run_flags::kTiedWithPrevious) != 0 ? "=" : "-"));
  }
  std::ranges::sort(ranks);
  std::string all;
  for (const std::string& rank : ranks) all += rank;
  const std::string golden = fmt::format(
      "lines {} bytes {} projects {} operations {} workloads {} implementations {} runs {} "
      "measurements {} events {} "
      "groups {} eligible {} mismatches {} ranks {}",
      counts->lines, counts->bytes, counts->projects, counts->operations, counts->workloads,
      counts->implementations, counts->runs, counts->measurements, counts->record_events,
      counts->groups, counts->eligible_runs, report->facts.operation_mismatches,
      Digest::of(all).hex().substr(0, 16));
  EXPECT_EQ(golden,
            "lines 9313 bytes 11755020 projects 156 operations 114 workloads 1500 implementations "
            "1086 runs 2000 measurements 2951 "
            "events 606 groups 466 eligible 1982 mismatches 10 ranks 23c94029b12b8141");
}

}  // namespace
}  // namespace ki::import_tests
