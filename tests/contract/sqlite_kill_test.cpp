// kill -9 at random points of publication: what was acknowledged is there, nothing half done is.
// 40 kills by default, 200 with KI_LONG=1; KI_SEED=n repeats a run.
#include "child_process.h"
#include "ki/base/text.h"
#include "sqlite_raw.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <map>
#include <random>

namespace ki::contract {
namespace {

using store_sqlite::SqliteStore;
using testing::IsEmpty;

bool is_long() { return std::getenv("KI_LONG") != nullptr; }

unsigned seed() {
  const char* text = std::getenv("KI_SEED");
  return text == nullptr ? std::random_device()() : static_cast<unsigned>(std::atoi(text));
}

Seq number(std::string_view text) {
  Seq value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Publishes for ever: transactions of 1 to 40 entries of up to 20 kB, new rows and new versions.
// Says "first last chain" after each commit, on the pipe: what is on the pipe was acknowledged.
int publish(const std::filesystem::path& file, unsigned random_seed, int out) {
  std::mt19937 random(random_seed);
  const auto store = SqliteStore::open(file, {.create = true});
  if (!store) return 1;
  write_line(out, "open");
  for (;;) {
    const auto transaction = (*store)->begin();
    if (!transaction) return 2;
    const unsigned entries = 1 + static_cast<unsigned>(random() % 40);
    for (unsigned i = 0; i < entries; ++i) {
      const Seq seq = (*transaction)->head().seq + 1;
      std::string key = fmt::format("run {}", seq);
      std::uint32_t version = 0;
      if (random() % 3 == 0) {
        const auto row =
            (*transaction)->find(Table::kBenchmarkRuns, fmt::format("run {}", 1 + random() % seq));
        if (!row) return 3;
        if (*row) {
          key = (*row)->key;
          version = (*row)->version + 1;
        }
      }
      const std::string body(random() % 20'000, static_cast<char>('a' + seq % 26));
      if (!(*transaction)->append(Table::kBenchmarkRuns, key, version, digest_of(key), body))
        return 4;
    }
    const auto made = (*transaction)->commit(kNoon, "publish");
    if (!made) return 5;
    write_line(out, fmt::format("{} {} {}", made->first, made->last, made->chain.to_string()));
  }
}

class SqliteKill : public SqliteFile {
 protected:
  // Opens what the killed process left and compares it with what it had acknowledged.
  void expect_nothing_lost() {
    const auto store = reopen();
    ASSERT_NE(store, nullptr);
    const auto commits = store->commits(0);
    ASSERT_TRUE(succeeds(commits));
    std::map<Seq, Commit> by_last;
    for (const Commit& made : *commits) by_last.emplace(made.last, made);
    for (const auto& [last, line] : acknowledged_) {
      const auto made = by_last.find(last);
      ASSERT_NE(made, by_last.end()) << "the acknowledged commit " << line << " is lost";
      EXPECT_EQ(fmt::format("{} {} {}", made->second.first, last, made->second.chain.to_string()),
                line);
    }
    // At most the one commit that was made but not told may be there besides.
    EXPECT_LE(commits->size(), acknowledged_.size() + untold_ + 1);
    untold_ = commits->size() - acknowledged_.size();
    EXPECT_THAT(check_chain(*store), IsEmpty());
    EXPECT_THAT(*store->check_storage(), IsEmpty());
  }

  std::map<Seq, std::string> acknowledged_;  // by last
  std::size_t untold_ = 0;
};

TEST_F(SqliteKill, NoAcknowledgedCommitIsLostAndNoneIsTorn) {
  const int kills = is_long() ? 200 : 40;
  const unsigned first_seed = seed();
  std::mt19937 random(first_seed);
  SCOPED_TRACE(fmt::format("KI_SEED={}", first_seed));
  for (int round = 0; round < kills && !HasFatalFailure(); ++round) {
    SCOPED_TRACE(round);
    if (round % 10 == 0) {
      // A new catalog, so that the first fill and the making of the file are hit as well.
      std::filesystem::remove_all(folder_);
      std::filesystem::create_directories(folder_);
      acknowledged_.clear();
      untold_ = 0;
    }
    ChildProcess child(
        [&](int out) { return publish(file_, first_seed + static_cast<unsigned>(round), out); });
    if (round % 10 != 0) {
      ASSERT_EQ(child.read_line(), "open");
    }
    ::usleep(static_cast<useconds_t>(random() % 60'000));
    child.kill();
    EXPECT_EQ(child.wait(), -1) << "it failed instead of being killed";
    for (std::string line = child.read_line(); !line.empty(); line = child.read_line()) {
      if (line == "open") continue;
      const auto words = split(line, ' ');
      ASSERT_EQ(words.size(), 3U) << line;
      acknowledged_[number(words[1])] = line;
    }
    if (!std::filesystem::exists(file_)) {
      EXPECT_TRUE(acknowledged_.empty());
      continue;
    }
    expect_nothing_lost();
  }
}

// The first import writes into the file itself before it commits: all of it, or nothing.
TEST_F(SqliteKill, FirstImportIsWholeOrNotThere) {
  const int kills = is_long() ? 40 : 8;
  const unsigned first_seed = seed();
  std::mt19937 random(first_seed);
  SCOPED_TRACE(fmt::format("KI_SEED={}", first_seed));
  constexpr Seq kEntries = 6000;
  int whole = 0;
  for (int round = 0; round < kills; ++round) {
    SCOPED_TRACE(round);
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    reopen({.create = true});
    ChildProcess child([&](int out) {
      const auto store = SqliteStore::open(file_);
      if (!store) return 1;
      const auto transaction = (*store)->begin();
      if (!transaction) return 2;
      write_line(out, "open");
      for (Seq i = 0; i < kEntries; ++i) {
        const std::string key = fmt::format("{}", i);
        if (!(*transaction)
                 ->append(Table::kBenchmarkRuns, key, 0, digest_of(key), std::string(4000, 'x')))
          return 3;
      }
      write_line(out, "committing");
      if (!(*transaction)->commit(kNoon, "import")) return 4;
      write_line(out, "done");
      return 0;
    });
    EXPECT_EQ(child.read_line(), "open");
    if (round % 2 == 1) {
      EXPECT_EQ(child.read_line(), "committing");
      ::usleep(static_cast<useconds_t>(random() % 60'000));
    } else {
      ::usleep(static_cast<useconds_t>(random() % 200'000));
    }
    child.kill();
    child.wait();
    bool is_acknowledged = false;
    for (std::string line = child.read_line(); !line.empty(); line = child.read_line()) {
      is_acknowledged = is_acknowledged || line == "done";
    }
    const auto store = reopen();
    ASSERT_NE(store, nullptr);
    const Seq last = store->head()->seq;
    EXPECT_TRUE(last == 0 || last == kEntries) << last;
    if (is_acknowledged) {
      EXPECT_EQ(last, kEntries);
    }
    whole += last == kEntries ? 1 : 0;
    EXPECT_THAT(check_chain(*store), IsEmpty());
    EXPECT_THAT(*store->check_storage(), IsEmpty());
    EXPECT_EQ(write_row(*store, Table::kReports, "later", "{}").first, last + 1);
  }
  EXPECT_LT(whole, kills) << "no kill came before the commit: the test shows nothing";
}

}  // namespace
}  // namespace ki::contract
