// kill -9 in the middle of publications: what was acknowledged is there afterwards, what was not is
// whole or absent, and fsck finds nothing. 20 times; 200 with KI_LONG=1.

#include "child_process.h"
#include "ki/base/clock.h"
#include "ki/base/uuid.h"
#include "ki/catalog/live.h"
#include "ki/importers/manifest_files.h"
#include "ki/io/file.h"
#include "ki/manifest/validator.h"
#include "ki/publish/fsck.h"
#include "ki/publish/publisher.h"
#include "ki/store_sqlite/sqlite_store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <thread>

namespace ki::import_tests {
namespace {

namespace fs = std::filesystem;

std::string digest_of(const std::string& manifest) {
  manifest::Validator validator(manifest::Profile::kStrict);
  const auto valid = validator.read(manifest);
  EXPECT_TRUE(valid) << valid.error().to_string();
  return valid->digest.to_string();
}

// One operation, one case, one implementation; `count` runs from number `first` on.
publish::Bundle bundle_of(int first, int count) {
  const auto manifest = [](const char* kind, const std::string& name, const std::string& spec) {
    return fmt::format(
        R"({{"apiVersion":"kernelindex.dev/v1alpha1","kind":"{}","metadata":{{"name":"{}"}},"spec":{}}})",
        kind, name, spec);
  };
  publish::Bundle b;
  b.source = {"kill-test", "submission", "Kill test", std::nullopt};
  b.projects.push_back({manifest("SoftwareProject", "kill-project", R"({"name":"Kill project"})"),
                        "kill-project", std::nullopt});
  const std::string operation = manifest(
      "OperationSpec", "kill-copy",
      R"({"family":"copy","axes":{"n":{"role":"variable","type":"integer"}},"inputs":[{"name":"x","tensor":{"dtype":"fp32","shape":["n"]}}],)"
      R"("outputs":[{"name":"y","tensor":{"dtype":"fp32","shape":["n"]}}],"semantics":{"determinism":"unspecified","mutation":"none"}})");
  b.operations.push_back({operation, "kill-copy", {}, {}, std::nullopt});
  const std::string workload = manifest(
      "WorkloadCase", "kill-case",
      fmt::format(
          R"({{"operationSpecDigest":"{}","axes":{{"n":64}},"tensors":{{"x":{{"dtype":"fp32","shape":[64]}}}},"correctness":{{"comparator":"exact"}}}})",
          digest_of(operation)));
  b.workloads.push_back({workload, std::nullopt});
  const std::string implementation = manifest(
      "ImplementationRevision", "kill-implementation",
      fmt::format(
          R"({{"projectRevision":{{"version":"1"}},"operation":{{"specDigest":"{}"}},"callable":{{"language":"cuda"}},"support":{{"hardwareArchitectures":["sm_90"],"dtypes":["fp32"]}},"licensing":{{}}}})",
          digest_of(operation)));
  b.implementations.push_back(
      {implementation, "kill-implementation", "kill-project", std::nullopt, {}});
  const std::string protocol = manifest(
      "BenchmarkProtocol", "kill-protocol",
      R"({"harness":{"name":"kill"},"measurement":{"timer":"wall_clock","primaryStatistic":"median"},"correctness":{"comparator":"exact","reference":"copy"},"comparability":{"family":"kill"}})");
  const std::string environment = manifest(
      "ExecutionEnvironment", "kill-environment",
      R"({"hardware":{"vendor":"nvidia","product":"NVIDIA H100","architecture":"sm_90"},"software":{}})");
  for (int i = first; i < first + count; ++i) {
    b.runs.push_back(
        {manifest(
             "BenchmarkRun", fmt::format("kill-run-{}", i),
             fmt::format(
                 R"({{"status":"passed","observedAt":"2026-01-01T00:{:02}:{:02}.{:03}Z","timing":{{"primaryStatistic":"median","latencyNs":{{"median":{}}}}},"implementationDigest":"{}","workloadDigest":"{}","protocolDigest":"{}","environmentDigest":"{}"}})",
                 i / 60 % 60, i % 60, i % 1000, 1'000'000 - i, digest_of(implementation),
                 digest_of(workload), digest_of(protocol), digest_of(environment))),
         protocol,
         environment,
         fmt::format("run/{}", i),
         {}});
  }
  return b;
}

constexpr int kRunsEach = 25;

// Publishes bundle after bundle and acknowledges each: "<number> <run id> <run id> ...".
int publish_until_killed(const fs::path& path, int first, int write_end) {
  auto store = store_sqlite::SqliteStore::open(path, {.create = true});
  if (!store) return 2;
  auto live = catalog::LiveCatalog::open(**store, std::nullopt);
  if (!live) return 3;
  const SystemClock clock;
  UuidSource ids(static_cast<std::uint64_t>(::getpid()));
  publish::Publisher publisher(**live, clock, ids, "maintainer:test");
  contract::write_line(write_end, "ready");
  for (int i = first;; i += kRunsEach) {
    const auto report = publisher.publish(bundle_of(i, kRunsEach));
    if (!report) return 4;
    std::string line = fmt::format("{}", i);
    for (const std::string& id : report->run_ids) line += " " + id;
    contract::write_line(write_end, line);
  }
}

TEST(PublicationKill, NoAcknowledgedRunIsLostAndFsckIsClean) {
  const fs::path folder =
      fs::path(testing::TempDir()) / fmt::format("ki-publication-kill-{}", ::getpid());
  fs::remove_all(folder);
  fs::create_directories(folder);
  const fs::path path = folder / "catalog.db";
  const int rounds = std::getenv("KI_LONG") != nullptr ? 200 : 20;
  std::set<std::string> acknowledged;
  int next = 0;
  std::uint64_t random = 88172645463325252U;
  for (int round = 0; round < rounds; ++round) {
    if (round % 25 ==
        24) {  // a fresh catalog now and then: publication costs grow with the snapshot
      for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(path.string() + suffix);
      acknowledged.clear();
    }
    contract::ChildProcess child(
        [&](int write_end) { return publish_until_killed(path, next, write_end); });
    ASSERT_EQ(child.read_line(), "ready") << "exit value " << child.wait();
    const int wanted = 1 + round % 3;
    for (int i = 0; i < wanted; ++i) {
      const std::string line = child.read_line();
      ASSERT_FALSE(line.empty()) << "exit value " << child.wait();
      for (std::size_t at = line.find(' '); at != std::string::npos; at = line.find(' ', at + 1)) {
        acknowledged.insert(line.substr(at + 1, 36));
      }
      next = std::atoi(line.c_str()) + kRunsEach;
    }
    // Somewhere in the next publication.
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    std::this_thread::sleep_for(std::chrono::microseconds(random % 12'000));
    child.kill();
    child.wait();
    // What was acknowledged between the last read and the kill counts too.
    for (std::string line = child.read_line(); !line.empty(); line = child.read_line()) {
      if (line.size() < 37 * static_cast<std::size_t>(kRunsEach)) break;  // cut by the kill
      for (std::size_t at = line.find(' '); at != std::string::npos; at = line.find(' ', at + 1)) {
        acknowledged.insert(line.substr(at + 1, 36));
      }
      next = std::atoi(line.c_str()) + kRunsEach;
    }
    next += kRunsEach;  // the one that was interrupted may have been committed: do not count on it

    auto store = store_sqlite::SqliteStore::open(path, {});
    ASSERT_TRUE(store) << "round " << round << ": " << store.error().to_string();
    const catalog::Head head = *(*store)->head();
    for (const std::string& id : acknowledged) {
      const auto run = (*store)->find(catalog::Table::kBenchmarkRuns, id, head.seq);
      ASSERT_TRUE(run);
      ASSERT_TRUE(run->has_value())
          << "round " << round << ": run " << id << " was acknowledged and is lost";
    }
    const auto report = publish::fsck(**store);
    ASSERT_TRUE(report) << report.error().to_string();
    ASSERT_TRUE(report->is_clean())
        << "round " << round << ": " << report->problems.front().to_string();
    // Whole or absent: every commit holds all the runs of its bundle.
    std::size_t runs = 0;
    ASSERT_TRUE((*store)->read_table(catalog::Table::kBenchmarkRuns, head.seq,
                                     [&](const catalog::Entry&) -> Result<catalog::Step> {
                                       ++runs;
                                       return catalog::Step::kGoOn;
                                     }));
    EXPECT_EQ(runs % kRunsEach, 0U) << "round " << round;
    EXPECT_GE(runs, acknowledged.size());
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace ki::import_tests
