// A transaction collects its entries beside the log and publishes them at commit.
#include "ki/base/text.h"
#include "memory_log.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::store_memory {
namespace {

std::unexpected<Error> conflict(catalog::Table table, std::string_view key, std::string_view what) {
  return fail(Code::kConflict,
              fmt::format("{} {} {}", catalog::info(table).name, quote(key), what));
}

class MemoryTransaction final : public catalog::Transaction {
 public:
  explicit MemoryTransaction(MemoryLog& log) : log_(log), before_(log.head()), head_(before_) {}
  ~MemoryTransaction() override {
    if (!is_over_) log_.end_turn();
  }
  MemoryTransaction(const MemoryTransaction&) = delete;
  MemoryTransaction& operator=(const MemoryTransaction&) = delete;

  catalog::Head head() const override { return head_; }

  Result<catalog::Seq> append(catalog::Table table, std::string_view key, std::uint32_t version,
                              const std::optional<Digest>& digest, std::string_view body) override {
    KI_TRY_VOID(check_open());
    if (is_restoring()) {
      return fail(Code::kConflict,
                  "a transaction that restores an export cannot append; commit it first");
    }
    KI_TRY_VOID(check_next({head_.seq + 1, table, key, version, digest, body}));
    add(std::make_shared<const catalog::OwnedEntry>(catalog::OwnedEntry{
        head_.seq + 1, table, std::string(key), version, digest, std::string(body)}));
    return head_.seq;
  }

  Result<void> restore(const catalog::Entry& entry) override {
    KI_TRY_VOID(check_restore());
    if (entry.seq == 0) {
      return fail(Code::kInvalidArgument, "entry 0 cannot be restored: seq starts at 1");
    }
    auto owned = std::make_shared<const catalog::OwnedEntry>(
        catalog::OwnedEntry{entry.seq, entry.table, std::string(entry.key), entry.version,
                            entry.digest, std::string(entry.body)});
    if (!restored_.emplace(entry.seq, std::move(owned)).second) {
      return fail(Code::kConflict, fmt::format("entry {} was restored already", entry.seq));
    }
    return {};
  }

  Result<void> restore(const catalog::Commit& commit) override {
    KI_TRY_VOID(check_restore());
    if (commit.first == 0 || commit.first > commit.last) {
      return fail(Code::kInvalidArgument,
                  fmt::format("a commit cannot hold entries {} to {}", commit.first, commit.last));
    }
    if (!restored_commits_.emplace(commit.last, commit).second) {
      return fail(
          Code::kConflict,
          fmt::format("the commit that ends at entry {} was restored already", commit.last));
    }
    return {};
  }

  Result<std::optional<catalog::OwnedEntry>> find(catalog::Table table,
                                                  std::string_view key) override {
    KI_TRY_VOID(check_open());
    return newest(table, key);
  }

  Result<std::optional<catalog::OwnedEntry>> find_digest(catalog::Table table,
                                                         const Digest& digest) override {
    KI_TRY_VOID(check_open());
    const std::optional<std::string> key = owner(table, digest);
    if (!key) return std::nullopt;
    return newest(table, *key);
  }

  Result<catalog::Commit> commit(Instant at, std::string_view reason) override {
    KI_TRY_VOID(check_open());
    is_over_ = true;
    auto made = finish(at, reason);
    log_.end_turn();
    return made;
  }

 private:
  bool is_restoring() const { return !restored_.empty() || !restored_commits_.empty(); }

  Result<void> check_open() const {
    if (is_over_) return fail(Code::kConflict, "this transaction is over; begin another");
    return {};
  }

  Result<void> check_restore() const {
    KI_TRY_VOID(check_open());
    if (before_.seq > 0) {
      return fail(Code::kConflict,
                  "entries are restored only into an empty catalog; this one has entries");
    }
    if (!appended_.empty()) {
      return fail(Code::kConflict, "a transaction that has appended cannot restore");
    }
    return {};
  }

  // The rules of Transaction::append.
  Result<void> check_next(const catalog::Entry& entry) const {
    const std::optional<catalog::OwnedEntry> last = newest(entry.table, entry.key);
    if (entry.version == 0 && last) return conflict(entry.table, entry.key, "exists already");
    if (entry.version != (last ? last->version + 1 : 0)) {
      return conflict(
          entry.table, entry.key,
          fmt::format("has no version before {}: versions follow one another", entry.version));
    }
    if (last && last->digest != entry.digest) {
      return conflict(entry.table, entry.key, "has another content digest, which cannot change");
    }
    if (last || !entry.digest) return {};
    if (const std::optional<std::string> other = owner(entry.table, *entry.digest)) {
      return conflict(entry.table, *other,
                      fmt::format("has the digest {} already", entry.digest->to_string()));
    }
    return {};
  }

  std::optional<catalog::OwnedEntry> newest(catalog::Table table, std::string_view key) const {
    const catalog::OwnedEntry* found = nullptr;
    for (const auto& [seq, entry] : restored_) {
      if (entry->table == table && entry->key == key &&
          (found == nullptr || entry->version > found->version)) {
        found = entry.get();
      }
    }
    if (found != nullptr) return *found;
    const auto own = own_rows_.find({table, std::string(key)});
    const SharedEntry entry =
        own != own_rows_.end() ? own->second : log_.find(table, key, before_.seq);
    if (entry == nullptr) return std::nullopt;
    return *entry;
  }

  std::optional<std::string> owner(catalog::Table table, const Digest& digest) const {
    for (const auto& [seq, entry] : restored_) {
      if (entry->table == table && entry->version == 0 && entry->digest == digest)
        return entry->key;
    }
    const auto own = own_digests_.find({table, digest});
    return own != own_digests_.end() ? own->second : log_.owner(table, digest);
  }

  void add(SharedEntry entry) {
    head_ = {entry->seq, catalog::chain_next(head_.chain, view(*entry))};
    if (entry->version == 0 && entry->digest) {
      own_digests_.emplace(RowDigest{entry->table, *entry->digest}, entry->key);
    }
    own_rows_[{entry->table, entry->key}] = entry;
    appended_.push_back(std::move(entry));
  }

  Result<catalog::Commit> finish(Instant at, std::string_view reason) {
    std::map<catalog::Seq, catalog::Commit> commits;
    if (is_restoring()) {
      KI_TRY_VOID(append_restored());
      commits = std::exchange(restored_commits_, {});
    }
    const catalog::Seq covered = commits.empty() ? before_.seq : commits.rbegin()->first;
    catalog::Commit last{covered + 1, head_.seq, at, std::string(reason), head_.chain};
    if (covered < head_.seq) {
      commits.emplace(last.last, last);
    } else if (!commits.empty()) {
      last = commits.rbegin()->second;
    }
    std::vector<catalog::Commit> list;
    list.reserve(commits.size());
    for (const auto& [end, commit] : commits) list.push_back(commit);
    log_.publish(appended_, list);
    return last;
  }

  // Takes the restored entries in order of seq through the rules of append, and checks the commits.
  Result<void> append_restored() {
    const auto entries = std::exchange(restored_, {});
    catalog::Seq covered = 0;
    auto commit = restored_commits_.begin();
    for (const auto& [seq, entry] : entries) {
      if (seq != head_.seq + 1) return missing(head_.seq + 1);
      KI_TRY_VOID(check_next(view(*entry)));
      add(entry);
      if (commit == restored_commits_.end() || commit->first != seq) continue;
      if (commit->second.first != covered + 1) {
        return fail(Code::kInvalidArgument,
                    fmt::format("the commit of entry {} was not restored: the export is incomplete",
                                covered + 1));
      }
      if (commit->second.chain != head_.chain) {
        return fail(Code::kCorrupt,
                    fmt::format("the chain value after entry {} differs from its commit's: the "
                                "export was altered",
                                seq));
      }
      covered = seq;
      ++commit;
    }
    if (commit != restored_commits_.end()) return missing(head_.seq + 1);
    return {};
  }

  static Result<void> missing(catalog::Seq seq) {
    return fail(Code::kInvalidArgument,
                fmt::format("entry {} was not restored: the export is incomplete", seq));
  }

  MemoryLog& log_;
  const catalog::Head before_;
  catalog::Head head_;
  std::vector<SharedEntry> appended_;
  std::map<RowName, SharedEntry> own_rows_;
  std::map<RowDigest, std::string> own_digests_;
  std::map<catalog::Seq, SharedEntry> restored_;
  std::map<catalog::Seq, catalog::Commit> restored_commits_;
  bool is_over_ = false;
};

}  // namespace

std::unique_ptr<catalog::Transaction> make_transaction(MemoryLog& log) {
  return std::make_unique<MemoryTransaction>(log);
}

}  // namespace ki::store_memory
