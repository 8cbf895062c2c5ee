// Power failure at random points: every acknowledged commit was synced, in an order that survives
// the loss of everything that was not.
#include "crash_vfs.h"
#include "sqlite_raw.h"

#include <fmt/format.h>

#include <cstdlib>
#include <random>

namespace ki::contract {
namespace {

using store_sqlite::SqliteStore;
using testing::IsEmpty;

// The remains of one failure and what had been acknowledged before it.
struct Failure {
  std::filesystem::path folder;
  Head acknowledged;
  std::size_t step;
};

class SqlitePower : public SqliteFile {
 protected:
  // Publishes a first import and then commits of growing size, with a power failure noted at one in
  // `every` steps; the log is folded back into the file several times on the way.
  std::vector<Failure> publish(CrashVfs& disk, std::mt19937& random, unsigned every) {
    std::vector<Failure> failures;
    Head acknowledged;
    std::size_t step = 0;
    disk.on_step([&] {
      ++step;
      if (random() % every != 0) return;
      const auto folder = folder_ / fmt::format("failure{}", failures.size());
      disk.write_remains(folder, random);
      failures.push_back({folder, acknowledged, step});
    });
    const auto store = reopen();
    for (int round = 0; round < 40; ++round) {
      const auto begun = store->begin();
      EXPECT_TRUE(succeeds(begun));
      const unsigned entries = round == 0 ? 300 : 1 + static_cast<unsigned>(random() % 20);
      for (unsigned i = 0; i < entries; ++i) {
        const std::string key = fmt::format("{}.{}", round, i);
        append(**begun, Table::kBenchmarkRuns, key, 0, digest_of(key),
               std::string(random() % 30'000, static_cast<char>('a' + i % 26)));
      }
      const Commit made = commit(**begun);
      acknowledged = {made.last, made.chain};
    }
    disk.on_step({});
    return failures;
  }

  // What is wrong after a failure; empty when nothing acknowledged is lost and nothing is torn.
  std::string verdict(const Failure& failure) {
    const auto store = SqliteStore::open(failure.folder / "catalog.db");
    if (!store) return store.error().to_string();
    const Head head = *(*store)->head();
    if (head.seq < failure.acknowledged.seq) {
      return fmt::format("entry {} was acknowledged, the log ends at {}", failure.acknowledged.seq,
                         head.seq);
    }
    const auto problems = check_chain(**store);
    if (!problems.empty()) return problems[0];
    const auto storage = (*store)->check_storage();
    if (!storage) return storage.error().to_string();
    if (!storage->empty()) return (*storage)[0];
    if (failure.acknowledged.seq > 0) {
      const auto commits = *(*store)->commits(failure.acknowledged.seq - 1);
      if (commits.empty() || commits[0].last != failure.acknowledged.seq ||
          commits[0].chain != failure.acknowledged.chain) {
        return "the acknowledged commit is another one";
      }
    }
    return "";
  }
};

TEST_F(SqlitePower, NothingAcknowledgedIsLostWhenThePowerFails) {
  const char* given = std::getenv("KI_SEED");
  const unsigned first_seed =
      given == nullptr ? std::random_device()() : static_cast<unsigned>(std::atoi(given));
  SCOPED_TRACE(fmt::format("KI_SEED={}", first_seed));
  const int runs = std::getenv("KI_LONG") != nullptr ? 10 : 1;
  for (int run = 0; run < runs; ++run) {
    std::mt19937 random(first_seed + static_cast<unsigned>(run));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    make_catalog(0);
    std::vector<Failure> failures;
    {
      CrashVfs disk;
      failures = publish(disk, random, 90);
    }
    EXPECT_GT(failures.size(), 20U);
    std::size_t during_first = 0;
    for (const Failure& failure : failures) {
      SCOPED_TRACE(fmt::format("at step {}", failure.step));
      EXPECT_EQ(verdict(failure), "");
      during_first += failure.acknowledged.seq == 0 ? 1U : 0U;
    }
    EXPECT_GT(during_first, 0U) << "the first import was not hit";
  }
}

// The same with a disk that lies about syncs: the check above must notice, or it shows nothing.
TEST_F(SqlitePower, DiskThatDoesNotSyncIsNoticed) {
  std::mt19937 random(11);
  make_catalog(0);
  std::vector<Failure> failures;
  {
    CrashVfs disk(false);
    failures = publish(disk, random, 200);
  }
  int noticed = 0;
  for (const Failure& failure : failures) noticed += verdict(failure).empty() ? 0 : 1;
  EXPECT_GT(noticed, 0);
}

}  // namespace
}  // namespace ki::contract
