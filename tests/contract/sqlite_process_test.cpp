// Two processes and one file: the second writer waits, or is told who holds the lock.
#include "child_process.h"
#include "sqlite_raw.h"

#include <fmt/format.h>
#include <unistd.h>

#include <thread>

namespace ki::contract {
namespace {

using std::chrono::milliseconds;
using store_sqlite::SqliteStore;
using testing::HasSubstr;
using testing::IsEmpty;

class SqliteProcesses : public SqliteFile {
 protected:
  // A child that holds a transaction for a while, after it has said "open"; it appends `rows` rows.
  std::unique_ptr<ChildProcess> hold_lock(milliseconds time, int rows = 1) {
    auto child = std::make_unique<ChildProcess>([this, time, rows](int out) {
      const auto store = SqliteStore::open(file_);
      if (!store) return 1;
      const auto transaction = (*store)->begin();
      if (!transaction) return 2;
      for (int i = 0; i < rows; ++i) {
        if (!(*transaction)
                 ->append(Table::kReports, fmt::format("child {}", i), 0, std::nullopt,
                          std::string(2000, 'c'))) {
          return 3;
        }
      }
      write_line(out, "open");
      std::this_thread::sleep_for(time);
      return (*transaction)->commit(kNoon, "child") ? 0 : 4;
    });
    EXPECT_EQ(child->read_line(), "open");
    return child;
  }
};

TEST_F(SqliteProcesses, SecondWriterIsToldThePidTimeAndCommandOfTheFirst) {
  for (const int rows : {0, 3}) {
    SCOPED_TRACE(rows == 0 ? "on an empty log" : "on a log with entries");
    std::filesystem::remove(file_);
    make_catalog(rows);
    const auto child = hold_lock(std::chrono::seconds(60));
    const auto store = open({.busy_timeout = milliseconds(30)});
    const Error error = store ? (*store)->begin().error() : store.error();
    EXPECT_EQ(error.code(), Code::kUnavailable);
    EXPECT_THAT(error.to_string(), HasSubstr(fmt::format("process {} (", child->pid())));
    EXPECT_THAT(error.to_string(), HasSubstr("ki_contract_tests"));
    EXPECT_THAT(error.to_string(), HasSubstr("writing since 20"));
    EXPECT_THAT(error.to_string(), HasSubstr("catalog.db"));
  }
}

TEST_F(SqliteProcesses, SecondWriterWaitsForTheFirst) {
  make_catalog(1);
  const auto child = hold_lock(milliseconds(300));
  const auto store = reopen({.busy_timeout = std::chrono::seconds(30)});
  EXPECT_EQ(write_row(*store, Table::kReports, "second", "{}").first, 3U);
  EXPECT_EQ(child->wait(), 0);
  EXPECT_THAT(check_chain(*store), IsEmpty());
}

TEST_F(SqliteProcesses, SecondProcessWaitsForTheFirstImport) {
  make_catalog(0);
  const auto child =
      hold_lock(milliseconds(300), 20'000);  // more than the cache: pages are in the file
  const auto store = reopen({.busy_timeout = std::chrono::seconds(60)});
  EXPECT_EQ(write_row(*store, Table::kReports, "second", "{}").first, 20'001U);
  EXPECT_EQ(child->wait(), 0);
  EXPECT_THAT(check_chain(*store), IsEmpty());
  EXPECT_THAT(*store->check_storage(), IsEmpty());
}

TEST_F(SqliteProcesses, ReadersAreNotHeldUpByAWriter) {
  make_catalog(3);
  const auto child = hold_lock(std::chrono::seconds(60), 20'000);
  const auto store = reopen({.read_only = true, .busy_timeout = milliseconds(0)});
  EXPECT_EQ(store->head()->seq, 3U);
  EXPECT_THAT(check_chain(*store), IsEmpty());
}

TEST_F(SqliteProcesses, NoteOfADeadWriterIsNotBelieved) {
  make_catalog(1);
  {
    const auto child = hold_lock(std::chrono::seconds(60));
    child->kill();
    child->wait();
  }
  EXPECT_TRUE(std::filesystem::exists(file_.string() + ".writer")) << "its note is still there";
  RawDatabase other(file_);
  ASSERT_EQ(other.execute("BEGIN IMMEDIATE"), "");
  const auto store = reopen({.busy_timeout = milliseconds(10)});
  EXPECT_TRUE(fails_with(store->begin(), Code::kUnavailable, "a process that left no note"));
  ASSERT_EQ(other.execute("ROLLBACK"), "");
  write_row(*store, Table::kReports, "x", "{}");
  EXPECT_FALSE(std::filesystem::exists(file_.string() + ".writer"));
}

TEST_F(SqliteProcesses, ManyProcessesMakeAndWriteOneCatalog) {
  constexpr int kProcesses = 4;
  constexpr int kEach = 12;
  std::vector<std::unique_ptr<ChildProcess>> children;
  for (int child = 0; child < kProcesses; ++child) {
    children.push_back(std::make_unique<ChildProcess>([this, child](int out) {
      const auto store =
          SqliteStore::open(file_, {.create = true, .busy_timeout = std::chrono::seconds(60)});
      if (!store) {
        write_line(out, store.error().to_string());
        return 1;
      }
      for (int i = 0; i < kEach; ++i) {
        const auto transaction = (*store)->begin();
        if (!transaction) {
          write_line(out, transaction.error().to_string());
          return 2;
        }
        if (!(*transaction)
                 ->append(Table::kReports, fmt::format("{}.{}", child, i), 0, std::nullopt, "{}")) {
          return 3;
        }
        if (!(*transaction)->commit(kNoon, "child")) return 4;
      }
      return 0;
    }));
  }
  for (const auto& child : children) {
    EXPECT_EQ(child->read_line(), "") << "what went wrong in a process";
    EXPECT_EQ(child->wait(), 0);
  }
  const auto store = reopen();
  EXPECT_EQ(store->head()->seq, static_cast<Seq>(kProcesses * kEach));
  EXPECT_THAT(check_chain(*store), IsEmpty());
  EXPECT_THAT(*store->check_storage(), IsEmpty());
}

}  // namespace
}  // namespace ki::contract
