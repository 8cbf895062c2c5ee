#include "store_contract.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <ostream>

namespace ki::contract {

std::filesystem::path make_folder(const std::string& name) {
  static std::atomic<int> count{0};
  const auto folder = std::filesystem::temp_directory_path() /
                      fmt::format("ki-{}-{}-{}", name, ::getpid(), count.fetch_add(1));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

void StoreContract::SetUp() {
  folder_ = make_folder("contract");
  store_ = make_store("first");
  ASSERT_NE(store_, nullptr);
}

void StoreContract::TearDown() {
  store_.reset();
  std::filesystem::remove_all(folder_);
}

std::unique_ptr<Store> StoreContract::make_store(const std::string& subfolder,
                                                 std::chrono::milliseconds busy) {
  std::filesystem::create_directories(folder_ / subfolder);
  auto made = GetParam().make(folder_ / subfolder, busy);
  EXPECT_TRUE(succeeds(made));
  return made ? *std::move(made) : nullptr;
}

std::unique_ptr<Transaction> StoreContract::begin(Store& store) {
  auto begun = store.begin();
  EXPECT_TRUE(succeeds(begun));
  return begun ? *std::move(begun) : nullptr;
}

void StoreContract::write_example(Store& store) {
  {
    const auto transaction = begin(store);
    append(*transaction, Table::kSources, "s1", 0, std::nullopt, R"({"id":"s1"})");
    append(*transaction, Table::kOperations, "o1", 0, digest_of("o1"), R"({"id":"o1"})");
    append(*transaction, Table::kOperations, "o2", 0, digest_of("o2"), R"({"id":"o2"})");
    commit(*transaction, "first import");
  }
  {
    const auto transaction = begin(store);
    append(*transaction, Table::kBenchmarkRuns, "r1", 0, digest_of("r1"), R"({"id":"r1"})");
    append(*transaction, Table::kOperations, "o1", 1, digest_of("o1"), R"({"id":"o1","tags":[]})");
    commit(*transaction, "publish");
  }
  {
    const auto transaction = begin(store);
    append(*transaction, Table::kBenchmarkRuns, "r1", 1, digest_of("r1"),
           R"({"id":"r1","retractedAt":"2026-08-16T00:00:00.000Z"})");
    append(*transaction, Table::kAuditEvents, "a1", 0, std::nullopt, R"({"id":"a1"})");
    commit(*transaction, "retract");
  }
}

Digest digest_of(std::string_view text) { return Digest::of(text); }

Entry view(const OwnedEntry& entry) {
  return {entry.seq, entry.table, entry.key, entry.version, entry.digest, entry.body};
}

Seq append(Transaction& transaction, Table table, std::string_view key, std::uint32_t version,
           const std::optional<Digest>& digest, std::string_view body) {
  const auto seq = transaction.append(table, key, version, digest, body);
  EXPECT_TRUE(succeeds(seq));
  return seq.value_or(0);
}

Commit commit(Transaction& transaction, std::string_view reason) {
  auto made = transaction.commit(kNoon, reason);
  EXPECT_TRUE(succeeds(made));
  return made ? *std::move(made) : Commit{0, 0, {}, "", catalog::empty_chain()};
}

Commit write_row(Store& store, Table table, std::string_view key, std::string_view body) {
  auto transaction = store.begin();
  EXPECT_TRUE(succeeds(transaction));
  if (!transaction) return {0, 0, {}, "", catalog::empty_chain()};
  append(**transaction, table, key, 0, std::nullopt, body);
  return commit(**transaction);
}

namespace {

catalog::EntryVisitor collect_into(std::vector<OwnedEntry>& entries) {
  return [&entries](const Entry& entry) -> Result<catalog::Step> {
    entries.push_back({entry.seq, entry.table, std::string(entry.key), entry.version, entry.digest,
                       std::string(entry.body)});
    return catalog::Step::kGoOn;
  };
}

}  // namespace

std::vector<OwnedEntry> read_log(Store& store, Seq after, Seq upto) {
  std::vector<OwnedEntry> entries;
  EXPECT_TRUE(succeeds(store.read_since(after, upto, collect_into(entries))));
  return entries;
}

std::vector<OwnedEntry> read_rows(Store& store, Table table, Seq upto) {
  std::vector<OwnedEntry> entries;
  EXPECT_TRUE(succeeds(store.read_table(table, upto, collect_into(entries))));
  return entries;
}

Commit last_commit(Store& store) {
  const auto commits = store.commits(0);
  EXPECT_TRUE(succeeds(commits));
  if (!commits || commits->empty()) return {0, 0, {}, "", catalog::empty_chain()};
  return commits->back();
}

std::vector<std::string> check_chain(Store& store) {
  std::vector<std::string> problems;
  const auto commits = store.commits(0);
  if (!commits) return {commits.error().to_string()};
  Head head;
  auto commit = commits->begin();
  const auto read =
      store.read_since(0, kEverything, [&](const Entry& entry) -> Result<catalog::Step> {
        if (entry.seq != head.seq + 1)
          problems.push_back(fmt::format("entry {} is missing", head.seq + 1));
        head = {entry.seq, catalog::chain_next(head.chain, entry)};
        if (commit != commits->end() && commit->last == entry.seq) {
          if (commit->chain != head.chain) {
            problems.push_back(fmt::format("the chain breaks at entry {}", entry.seq));
          }
          ++commit;
        }
        return catalog::Step::kGoOn;
      });
  if (!read) problems.push_back(read.error().to_string());
  if (commit != commits->end()) problems.push_back("a commit ends at no entry");
  const auto last = store.head();
  if (!last) return {last.error().to_string()};
  if (!(*last == head))
    problems.push_back(fmt::format("the head is {}, not {}", last->seq, head.seq));
  return problems;
}

}  // namespace ki::contract

namespace ki::catalog {

void PrintTo(const OwnedEntry& entry, std::ostream* out) {
  *out << fmt::format("{} {} {} v{} {} {}", entry.seq, info(entry.table).name, entry.key,
                      entry.version, entry.digest ? shortened(*entry.digest, 15) : "-", entry.body);
}

void PrintTo(const Commit& commit, std::ostream* out) {
  *out << fmt::format("{}..{} {} '{}' {}", commit.first, commit.last, commit.at.to_string(),
                      commit.reason, commit.chain.to_string());
}

void PrintTo(const Head& head, std::ostream* out) {
  *out << fmt::format("{} {}", head.seq, head.chain.to_string());
}

}  // namespace ki::catalog
