// MemoryStore: a catalog that lives as long as the object: the plain statement of what every Store
// does, for tests and for looking into an export without keeping it.
//
// Threads: every member function of MemoryStore may be called from any thread at any time. A
// Transaction belongs to one thread at a time and must be destroyed before its store.
#pragma once

#include "ki/base/result.h"
#include "ki/catalog/store.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace ki::store_memory {

class MemoryLog;

class MemoryStore final : public catalog::Store {
 public:
  // An empty catalog. `busy_timeout`: how long begin() waits for another transaction.
  explicit MemoryStore(std::string catalog_id,
                       std::chrono::milliseconds busy_timeout = std::chrono::seconds(5));
  ~MemoryStore() override;

  std::string catalog_id() const override;
  Result<catalog::Head> head() override;
  Result<std::unique_ptr<catalog::Transaction>> begin() override;
  Result<void> read_since(catalog::Seq after, catalog::Seq upto,
                          const catalog::EntryVisitor& visit) override;
  Result<void> read_prefix(catalog::Table table, std::string_view prefix, catalog::Seq upto,
                           const catalog::EntryVisitor& visit) override;
  Result<std::optional<catalog::OwnedEntry>> read(catalog::Seq seq) override;
  Result<std::optional<catalog::OwnedEntry>> find(catalog::Table table, std::string_view key,
                                                  catalog::Seq upto) override;
  Result<std::optional<catalog::OwnedEntry>> find_digest(catalog::Table table,
                                                         const Digest& digest) override;
  Result<std::vector<catalog::Commit>> commits(catalog::Seq after) override;
  // Always kUnsupported: there is no file.
  Result<void> backup(const std::filesystem::path& to) override;
  Result<std::vector<std::string>> check_storage() override;

 private:
  const std::string catalog_id_;
  const std::unique_ptr<MemoryLog> log_;
};

}  // namespace ki::store_memory
