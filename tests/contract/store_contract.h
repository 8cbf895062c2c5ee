// StoreContract: what every sentence of catalog/store.h promises, as tests with the store as
// parameter.
#pragma once

#include "ki/catalog/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ki::contract {

using catalog::Commit;
using catalog::Entry;
using catalog::Head;
using catalog::OwnedEntry;
using catalog::Seq;
using catalog::Store;
using catalog::Table;
using catalog::Transaction;

constexpr Seq kEverything = ~Seq{0};

struct StoreMaker {
  std::string name;
  // A new, empty catalog in a folder of the test's own. A busy limit of 0 never waits.
  std::function<Result<std::unique_ptr<Store>>(const std::filesystem::path& folder,
                                               std::chrono::milliseconds busy)>
      make;
  // Opens the catalog that make() left in the folder; empty when it ends with the object.
  std::function<Result<std::unique_ptr<Store>>(const std::filesystem::path& folder)> reopen;
  // Opens what backup() wrote; empty when the store has no file to copy.
  std::function<Result<std::unique_ptr<Store>>(const std::filesystem::path& file)> open_backup;
};

class StoreContract : public ::testing::TestWithParam<StoreMaker> {
 protected:
  void SetUp() override;
  void TearDown() override;

  // A second, also empty catalog, or one with a busy limit.
  std::unique_ptr<Store> make_store(const std::string& subfolder,
                                    std::chrono::milliseconds busy = std::chrono::seconds(5));
  // Begins on store_; a failure stops the test.
  std::unique_ptr<Transaction> begin() { return begin(*store_); }
  static std::unique_ptr<Transaction> begin(Store& store);

  // The log after many kinds of entries: 7 of them in 3 commits.
  void write_example(Store& store);

  std::filesystem::path folder_;
  std::unique_ptr<Store> store_;
};

// Stores that outlive their object: reopen and open_backup are there.
class FileStoreContract : public StoreContract {};

inline const Instant kNoon{1'700'000'000'000};

Digest digest_of(std::string_view text);
Entry view(const OwnedEntry& entry);

// Appends and expects success; returns the seq.
Seq append(Transaction& transaction, Table table, std::string_view key, std::uint32_t version,
           const std::optional<Digest>& digest, std::string_view body);
Commit commit(Transaction& transaction, std::string_view reason = "test");
// One entry without digest in a transaction of its own.
Commit write_row(Store& store, Table table, std::string_view key, std::string_view body);

std::vector<OwnedEntry> read_log(Store& store, Seq after = 0, Seq upto = kEverything);
std::vector<OwnedEntry> read_rows(Store& store, Table table, Seq upto = kEverything);
Commit last_commit(Store& store);

// Recomputes the chain from the entries and compares it with every commit and the head; what does
// not agree, as sentences.
std::vector<std::string> check_chain(Store& store);

// A folder of its own for each call, below the system's temporary folder.
std::filesystem::path make_folder(const std::string& name);

template <class T>
testing::AssertionResult fails_with(const Result<T>& result, Code code,
                                    std::string_view text = "") {
  if (result) return testing::AssertionFailure() << "it succeeded";
  const std::string said = result.error().to_string();
  if (result.error().code() != code) {
    return testing::AssertionFailure()
           << "the code is " << to_string(result.error().code()) << ": " << said;
  }
  if (said.find(text) == std::string::npos) {
    return testing::AssertionFailure() << "it does not say '" << text << "': " << said;
  }
  return testing::AssertionSuccess() << said;
}

template <class T>
testing::AssertionResult succeeds(const Result<T>& result) {
  if (result) return testing::AssertionSuccess();
  return testing::AssertionFailure() << result.error().to_string();
}

}  // namespace ki::contract

namespace ki::catalog {
inline bool operator==(const OwnedEntry& a, const OwnedEntry& b) {
  return a.seq == b.seq && a.table == b.table && a.key == b.key && a.version == b.version &&
         a.digest == b.digest && a.body == b.body;
}
inline bool operator==(const Commit& a, const Commit& b) {
  return a.first == b.first && a.last == b.last && a.at == b.at && a.reason == b.reason &&
         a.chain == b.chain;
}
inline bool operator==(const Head& a, const Head& b) {
  return a.seq == b.seq && a.chain == b.chain;
}
void PrintTo(const OwnedEntry& entry, std::ostream* out);
void PrintTo(const Commit& commit, std::ostream* out);
void PrintTo(const Head& head, std::ostream* out);
}  // namespace ki::catalog
