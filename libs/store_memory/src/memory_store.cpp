#include "ki/store_memory/memory_store.h"

#include "memory_log.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::store_memory {
namespace {

std::optional<catalog::OwnedEntry> copy(const SharedEntry& entry) {
  if (entry == nullptr) return std::nullopt;
  return *entry;
}

}  // namespace

MemoryStore::MemoryStore(std::string catalog_id, std::chrono::milliseconds busy_timeout)
    : catalog_id_(std::move(catalog_id)), log_(std::make_unique<MemoryLog>(busy_timeout)) {}
MemoryStore::~MemoryStore() = default;

std::string MemoryStore::catalog_id() const { return catalog_id_; }

Result<catalog::Head> MemoryStore::head() { return log_->head(); }

Result<std::unique_ptr<catalog::Transaction>> MemoryStore::begin() {
  KI_TRY_VOID(log_->take_turn());
  return make_transaction(*log_);
}

// The head is taken once: what is committed during the reading is not seen.
Result<void> MemoryStore::read_since(catalog::Seq after, catalog::Seq upto,
                                     const catalog::EntryVisitor& visit) {
  const catalog::Seq last = std::min(upto, log_->head().seq);
  for (catalog::Seq seq = after; seq < last;) {
    const SharedEntry entry = log_->read(++seq);
    KI_TRY(const catalog::Step step, visit(view(*entry)));
    if (step == catalog::Step::kStop) break;
  }
  return {};
}

Result<void> MemoryStore::read_prefix(catalog::Table table, std::string_view prefix,
                                      catalog::Seq upto, const catalog::EntryVisitor& visit) {
  for (const SharedEntry& entry : log_->rows(table, prefix, upto)) {
    KI_TRY(const catalog::Step step, visit(view(*entry)));
    if (step == catalog::Step::kStop) break;
  }
  return {};
}

Result<std::optional<catalog::OwnedEntry>> MemoryStore::read(catalog::Seq seq) {
  return copy(log_->read(seq));
}

Result<std::optional<catalog::OwnedEntry>> MemoryStore::find(catalog::Table table,
                                                             std::string_view key,
                                                             catalog::Seq upto) {
  return copy(log_->find(table, key, upto));
}

Result<std::optional<catalog::OwnedEntry>> MemoryStore::find_digest(catalog::Table table,
                                                                    const Digest& digest) {
  return copy(log_->find_digest(table, digest));
}

Result<std::vector<catalog::Commit>> MemoryStore::commits(catalog::Seq after) {
  return log_->commits(after);
}

Result<void> MemoryStore::backup(const std::filesystem::path& to) {
  return fail(Code::kUnsupported,
              fmt::format("a catalog in memory has no file to copy to '{}'; export it instead",
                          to.string()));
}

Result<std::vector<std::string>> MemoryStore::check_storage() { return std::vector<std::string>(); }

}  // namespace ki::store_memory
