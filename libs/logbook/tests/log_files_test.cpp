#include "ki/logbook/log_files.h"

#include "ki/io/file.h"
#include "ki/logbook/log_copy.h"
#include "log_world.h"

#include <fstream>

namespace ki::logbook {
namespace {

using testing::HasSubstr;

class LogFilesTest : public LogWorld {
 protected:
  // Many leaves without many manifests: keys are logged too.
  void grow(int keys) {
    for (int i = 0; i < keys; i += 100) {
      std::vector<sign::TrustedKey> batch;
      for (int k = i; k < std::min(keys, i + 100); ++k) {
        std::string seed = std::to_string(grown_++);
        seed.resize(32, 's');
        batch.push_back({sign::PrivateKey::from_seed(seed)->public_key(),
                         "key",
                         "test",
                         {sign::Role::kAttester}});
      }
      ASSERT_TRUE(trust_keys(store_, batch, {"test", "", kNow}, ids_));
    }
  }
  Result<CopyReport> check() { return check_copy(folder_ / "log", verifiers_of('k')); }
  LogFiles files() const { return LogFiles(folder_ / "log"); }
  std::string note() { return *files().checkpoint_note().value(); }
  int grown_ = 0;
};

TEST_F(LogFilesTest, AreMadeAndPassTheCheckOfACopy) {
  publish(1, 2);
  EXPECT_EQ(catch_up().error().code(), Code::kNotFound);
  begin();
  const auto done = catch_up();
  ASSERT_TRUE(done) << done.error().to_string();
  EXPECT_TRUE(done->is_signed);
  EXPECT_EQ(done->checkpoint.size, 9U);
  const auto report = check();
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_EQ(report->checkpoint.checkpoint, done->checkpoint);
  EXPECT_EQ(report->leaves.at("run"), 2U);
  // Nothing new: nothing is written or signed.
  const auto again = catch_up();
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->is_signed);
  EXPECT_EQ(again->files, 0U);
}

TEST_F(LogFilesTest, GrowInAnyStepsToTheSameFiles) {
  begin();
  const std::vector<int> steps = {3, 150, 100, 1, 2, 253, 300};
  for (const int step : steps) {
    grow(step);
    const auto done = catch_up();
    ASSERT_TRUE(done) << done.error().to_string();
    EXPECT_FALSE(done->is_rebuilt);
    ASSERT_TRUE(check()) << check().error().to_string();
  }
  // All at once in another folder: the same tiles.
  const sign::PrivateKey key = key_of('k');
  LogFiles other(folder_ / "other");
  ASSERT_TRUE(other.catch_up(store_, key, verifiers_of('k')));
  EXPECT_EQ(note(), *other.checkpoint_note().value());
  for (const tlog::TileId& id : tlog::new_tiles(0, (*read_head(store_))->head.tree.size())) {
    EXPECT_EQ(files().read_tile(id).value(), other.read_tile(id).value()) << tlog::tile_path(id);
  }
}

TEST_F(LogFilesTest, AreMadeAgainFromTheStoreWhenTheyAreDamagedOrGone) {
  begin();
  grow(600);
  ASSERT_TRUE(catch_up());
  std::ofstream(folder_ / "log/tile/0/001") << "damaged";
  std::filesystem::remove_all(folder_ / "log/tile/entries");
  EXPECT_FALSE(check());
  grow(1);
  const auto done = catch_up();
  ASSERT_TRUE(done) << done.error().to_string();
  EXPECT_TRUE(done->is_rebuilt);
  EXPECT_TRUE(check()) << check().error().to_string();
}

TEST_F(LogFilesTest, NeverSignAHistoryThatContradictsTheCheckpointThere) {
  begin();
  grow(10);
  ASSERT_TRUE(catch_up());
  const std::string before = note();
  // Another store with another history of the same origin.
  LoggedStore other(
      std::make_unique<store_memory::MemoryStore>("0198a000-0000-7000-8000-000000000009"));
  UuidSource ids(9);
  ASSERT_TRUE(begin_log(other, kOrigin, "test", kNow, ids));
  const sign::PrivateKey key = key_of('k');
  auto done = files().catch_up(other, key, verifiers_of('k'));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), Code::kCorrupt);
  EXPECT_THAT(done.error().message(), HasSubstr("has 12 entries, the catalog's log only 1"));
  std::vector<sign::TrustedKey> keys;
  for (char c = 'a'; c < 'j'; ++c) {
    for (const char second : {'1', '2', '3'}) {
      std::string seed{c, second};
      seed.resize(32, '.');
      keys.push_back(
          {sign::PrivateKey::from_seed(seed)->public_key(), "k", "o", {sign::Role::kRunner}});
    }
  }
  ASSERT_TRUE(trust_keys(other, keys, {"test", "", kNow}, ids));
  done = files().catch_up(other, key, verifiers_of('k'));
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message(), HasSubstr("another history"));
  EXPECT_EQ(note(), before);
}

TEST_F(LogFilesTest, ACheckpointByAKeyThatIsNotKnownIsNotBuiltOn) {
  begin();
  ASSERT_TRUE(catch_up());
  const sign::PrivateKey other = key_of('o');
  const auto done = files().catch_up(store_, other, verifiers_of('o'));
  ASSERT_FALSE(done);
  // With both known (a rotation) the new key signs the same state again.
  auto both = verifiers_of('k');
  both.push_back(verifiers_of('o')[0]);
  const auto rotated = files().catch_up(store_, other, both);
  ASSERT_TRUE(rotated) << rotated.error().to_string();
  EXPECT_TRUE(rotated->is_signed);
  EXPECT_TRUE(check_copy(folder_ / "log", verifiers_of('o')));
  EXPECT_FALSE(check_copy(folder_ / "log", verifiers_of('k')));
}

TEST_F(LogFilesTest, ProveARunAtTheCheckpoint) {
  publish(1, 3);
  begin();
  grow(300);
  const auto runs = publish(4, 1);
  ASSERT_TRUE(catch_up());
  const Digest digest =
      *(*store_.find(catalog::Table::kBenchmarkRuns, runs[0], store_.head()->seq))->digest;
  const auto proof = prove(store_, files(), tlog::EntryType::kRun, digest, verifiers_of('k'));
  ASSERT_TRUE(proof) << proof.error().to_string();
  const std::string leaf = **find_leaf(store_, tlog::EntryType::kRun, digest);
  // As a stranger does it: from the files' text alone.
  const auto read = tlog::read_proof(tlog::write_proof(*proof));
  ASSERT_TRUE(read);
  EXPECT_TRUE(tlog::verify_proof(*read, leaf, verifiers_of('k')[0]));
  EXPECT_FALSE(tlog::verify_proof(*read, leaf + " ", verifiers_of('k')[0]));
  EXPECT_FALSE(tlog::verify_proof(*read, leaf, verifiers_of('o')[0]));
  EXPECT_EQ(prove(store_, files(), tlog::EntryType::kRun, Digest::of("none"), verifiers_of('k'))
                .error()
                .code(),
            Code::kNotFound);
  const auto newer = publish(5, 1);
  const Digest later =
      *(*store_.find(catalog::Table::kBenchmarkRuns, newer[0], store_.head()->seq))->digest;
  EXPECT_EQ(prove(store_, files(), tlog::EntryType::kRun, later, verifiers_of('k')).error().code(),
            Code::kUnavailable);
}

TEST_F(LogFilesTest, ACopyIsTheSameLogAndExtendsOlderCheckpoints) {
  begin();
  ASSERT_TRUE(catch_up());
  const std::string first = note();
  grow(300);
  ASSERT_TRUE(catch_up());
  const std::string second = note();
  ASSERT_TRUE(copy_log(folder_ / "log", folder_ / "copy", verifiers_of('k')));
  for (const std::string& since : {first, second}) {
    const auto report = check_copy(folder_ / "copy", verifiers_of('k'), since);
    ASSERT_TRUE(report) << report.error().to_string();
    EXPECT_TRUE(report->since);
  }
  EXPECT_EQ(copy_log(folder_ / "log", folder_ / "copy", verifiers_of('k')).error().code(),
            Code::kConflict);
  // A fork: the same size signed with another root.
  const auto forked =
      tlog::sign_checkpoint({std::string(kOrigin), 5, Digest::of("x")}, key_of('k'));
  const auto fork = check_copy(folder_ / "copy", verifiers_of('k'), *forked);
  ASSERT_FALSE(fork);
  EXPECT_THAT(fork.error().message(), HasSubstr("forked"));
  const auto longer =
      tlog::sign_checkpoint({std::string(kOrigin), 999, Digest::of("x")}, key_of('k'));
  EXPECT_FALSE(check_copy(folder_ / "copy", verifiers_of('k'), *longer));
}

TEST_F(LogFilesTest, EveryChangedByteOfACopyIsFound) {
  begin();
  grow(280);
  ASSERT_TRUE(catch_up());
  ASSERT_TRUE(check());
  int files_changed = 0;
  for (const auto& item : std::filesystem::recursive_directory_iterator(folder_ / "log")) {
    if (!item.is_regular_file() || item.path().filename() == ".lock") continue;
    const std::string good = *io::read_file(item.path());
    for (const std::size_t at : {std::size_t{0}, good.size() / 3, good.size() - 1}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ 1);
      ASSERT_TRUE(io::write_file_atomically(item.path(), bad));
      EXPECT_FALSE(check()) << item.path() << " byte " << at;
    }
    ASSERT_TRUE(io::write_file_atomically(item.path(), good));
    ++files_changed;
  }
  EXPECT_GE(files_changed, 6);
  EXPECT_TRUE(check());
}

}  // namespace
}  // namespace ki::logbook
