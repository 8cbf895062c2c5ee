// Dies at every step of catch_up: whatever is left, the next call goes on, and no two checkpoints
// contradict each other.
#include "ki/logbook/log_copy.h"
#include "ki/store_sqlite/sqlite_store.h"
#include "log_world.h"

#include <sys/wait.h>

#include <cstdlib>

namespace ki::logbook {
namespace {

class Kill : public LogWorld {
 protected:
  // Runs `work` in a child that dies without any cleaning up at the `at`-th step; true when it
  // died.
  template <class Work>
  static bool dies_at(int at, const Work& work) {
    const pid_t child = ::fork();
    if (child == 0) {
      int step = 0;
      work([&](std::string_view) {
        if (++step == at) ::_exit(9);
      });
      ::_exit(0);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 9;
  }
};

TEST_F(Kill, AtAnyStepOfWritingTheFilesLosesNothing) {
  publish(1, 2);
  begin();
  ASSERT_TRUE(catch_up());
  int steps = 0;
  std::string last = *LogFiles(folder_ / "log").checkpoint_note().value();
  for (int at = 1;; ++at) {
    // 300 leaves at a time, so that full tiles, partial ones and bundles are written each time.
    std::vector<sign::TrustedKey> keys;
    for (int i = 0; i < 300; ++i) {
      std::string seed = std::to_string(at * 1000 + i);
      seed.resize(32, '.');
      keys.push_back(
          {sign::PrivateKey::from_seed(seed)->public_key(), "k", "o", {sign::Role::kRunner}});
    }
    ASSERT_TRUE(trust_keys(store_, keys, {"test", "", kNow}, ids_));
    const bool died = dies_at(at, [&](const FileStep& step) { (void)catch_up(step); });
    // What readers see is whole at any time.
    auto report = check_copy(folder_ / "log", verifiers_of('k'), last);
    ASSERT_TRUE(report) << "step " << at << ": " << report.error().to_string();
    const auto done = catch_up();
    ASSERT_TRUE(done) << "step " << at << ": " << done.error().to_string();
    report = check_copy(folder_ / "log", verifiers_of('k'), last);
    ASSERT_TRUE(report) << report.error().to_string();
    EXPECT_EQ(report->checkpoint.checkpoint.size, (*read_head(store_))->head.tree.size());
    last = *LogFiles(folder_ / "log").checkpoint_note().value();
    if (!died) break;
    ++steps;
  }
  EXPECT_GE(steps, 6);
}

TEST_F(Kill, BetweenRowsAndFilesLeavesALogThatTheNextCallCompletes) {
  // A store in a file: the child commits and dies before it writes any tile.
  const auto path = folder_ / "catalog.db";
  {
    LoggedStore store(*store_sqlite::SqliteStore::open(path, {.create = true}));
    ASSERT_TRUE(begin_log(store, kOrigin, "test", kNow, ids_));
    const sign::PrivateKey key = key_of('k');
    ASSERT_TRUE(LogFiles(folder_ / "log").catch_up(store, key, verifiers_of('k')));
  }
  const bool died = dies_at(1, [&](const FileStep& step) {
    LoggedStore store(*store_sqlite::SqliteStore::open(path),
                      [&](const catalog::Commit&) { step("committed"); });
    const sign::TrustedKey keys[] = {{key_of('r').public_key(), "r", "o", {sign::Role::kRunner}}};
    (void)trust_keys(store, keys, {"test", "", kNow}, ids_);
  });
  EXPECT_TRUE(died);
  LoggedStore store(*store_sqlite::SqliteStore::open(path));
  const sign::PrivateKey key = key_of('k');
  const auto done = LogFiles(folder_ / "log").catch_up(store, key, verifiers_of('k'));
  ASSERT_TRUE(done) << done.error().to_string();
  EXPECT_EQ(done->before, 1U);
  EXPECT_EQ(done->checkpoint.size, 3U);
  EXPECT_TRUE(check_copy(folder_ / "log", verifiers_of('k')));
  EXPECT_TRUE((*check_log(store))->problems.empty());
}

}  // namespace
}  // namespace ki::logbook
