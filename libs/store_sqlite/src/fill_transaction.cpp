// The first transaction of an empty log, which may be the import of millions of entries or the
// restoring of an export. Indexes and insert checks are dropped at its begin and built at its end,
// in the same transaction; until then a RowFinder in memory does their work.
#include "row_finder.h"
#include "schema.h"
#include "write_transaction.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

namespace ki::store_sqlite {
namespace {

// While filling, pages are written once and seldom read again; the sorter that builds the indexes
// may take as much again as the second value. Measured in bench/store: more does not help.
constexpr std::string_view kFillCache = "PRAGMA cache_size = -16384";
constexpr std::string_view kIndexCache = "PRAGMA cache_size = -32768";

class FillTransaction final : public WriteTransaction {
 public:
  using WriteTransaction::WriteTransaction;

  // Drops what is built at the end, keeping its SQL.
  Result<void> prepare() {
    KI_TRY_VOID(database().execute(std::string(kFillCache)));
    KI_TRY(Statement object,
           database().prepare("SELECT type, sql FROM sqlite_schema WHERE name = ?1"));
    for (const std::string_view name : objects_built_after_fill()) {
      std::string type;
      {
        object.bind_text(1, name);
        const ResetAtExit reset(object);
        KI_TRY(const bool row, object.step());
        if (!row) {
          return fail(Code::kCorrupt,
                      fmt::format("the catalog file lacks its {}; run `ki fsck`", name));
        }
        type = object.text(0);
        built_at_end_ += std::string(object.text(1)) + ";\n";
      }
      KI_TRY_VOID(database().execute(fmt::format("DROP {} {}", type, name)));
    }
    return {};
  }

  Result<catalog::Seq> append(catalog::Table table, std::string_view key, std::uint32_t version,
                              const std::optional<Digest>& digest, std::string_view body) override {
    KI_TRY_VOID(check_open());
    if (restored_ > 0 || !restored_commits_.empty()) {
      return fail(Code::kConflict,
                  "a transaction that restores an export cannot append; commit it first");
    }
    auto appended = append_found(
        {.table = table, .key = key, .version = version, .digest = digest, .body = body});
    if (!appended) return fail(broken(std::move(appended).error()));
    return appended;
  }

  Result<void> restore(const catalog::Entry& entry) override {
    KI_TRY_VOID(check_open());
    KI_TRY_VOID(check_restore());
    if (entry.seq == 0)
      return fail(Code::kInvalidArgument, "entry 0 cannot be restored: seq starts at 1");
    auto done = restore_found(entry);
    if (!done) return fail(broken(std::move(done).error()));
    return {};
  }

  Result<void> restore(const catalog::Commit& commit) override {
    KI_TRY_VOID(check_open());
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
    KI_TRY(const RowFinder::Place place, find_key(table, key));
    return read(place.seq);
  }

  Result<std::optional<catalog::OwnedEntry>> find_digest(catalog::Table table,
                                                         const Digest& digest) override {
    KI_TRY_VOID(check_open());
    KI_TRY(const RowFinder::Place place, find_owner(table, digest));
    if (place.seq == 0) return std::nullopt;
    KI_TRY(const std::optional<catalog::OwnedEntry> first, read(place.seq));
    return find(table, first->key);
  }

 private:
  Result<void> check_restore() const {
    if (head_.seq > 0 && restored_ == 0) {
      return fail(Code::kConflict,
                  "a transaction that has appended cannot restore; begin another on a new catalog");
    }
    return {};
  }

  Result<std::optional<catalog::OwnedEntry>> read(catalog::Seq seq) {
    if (seq == 0) return std::nullopt;
    KI_TRY(Statement * statement, prepared(database(), find_seq_, kFindSeq));
    statement->bind(1, to_column(seq));
    return read_one(*statement);
  }

  // Calls visit(row), if there is one, with the columns of kFindSeq.
  template <class Visit>
  Result<bool> look_at(catalog::Seq seq, const Visit& visit) {
    KI_TRY(Statement * statement, prepared(database(), find_seq_, kFindSeq));
    statement->bind(1, to_column(seq));
    const ResetAtExit reset(*statement);
    KI_TRY(const bool row, statement->step());
    return row && visit(*statement);
  }

  Result<RowFinder::Place> find_key(catalog::Table table, std::string_view key) {
    return keys_.find(table, key, [&](catalog::Seq seq) {
      return look_at(seq, [&](const Statement& row) {
        return row.integer(1) == static_cast<std::int64_t>(table) && row.text(2) == key;
      });
    });
  }

  Result<RowFinder::Place> find_owner(catalog::Table table, const Digest& digest) {
    return digests_.find(table, digest.view(), [&](catalog::Seq seq) {
      return look_at(seq, [&](const Statement& row) {
        return row.integer(1) == static_cast<std::int64_t>(table) && row.text(4) == digest.view();
      });
    });
  }

  Result<catalog::Seq> append_found(const catalog::Entry& entry) {
    KI_TRY(const RowFinder::Place place, find_key(entry.table, entry.key));
    std::optional<RowFinder::Place> owner;
    if (place.seq == 0) {
      if (entry.version != 0) {
        return fail(not_next_error(entry.table, entry.key, entry.version, std::nullopt));
      }
      if (entry.digest) {
        KI_TRY(owner, find_owner(entry.table, *entry.digest));
        if (owner->seq != 0) {
          KI_TRY(const std::optional<catalog::OwnedEntry> other, read(owner->seq));
          return fail(digest_taken_error(entry.table, *entry.digest, other->key));
        }
      }
    } else {
      if (entry.version == 0) return fail(exists_error(entry.table, entry.key));
      KI_TRY(const std::optional<catalog::OwnedEntry> newest, read(place.seq));
      if (entry.version != newest->version + 1) {
        return fail(not_next_error(entry.table, entry.key, entry.version, newest->version));
      }
      if (entry.digest != newest->digest) return fail(digest_change_error(entry.table, entry.key));
    }
    KI_TRY(const catalog::Seq seq, append_checked(entry));
    KI_TRY_VOID(remember(keys_, place, seq));
    if (owner) {
      KI_TRY_VOID(remember(digests_, *owner, seq));
    }
    return seq;
  }

  // Rows of one key may come in any order; that versions follow is checked at the end.
  Result<void> restore_found(const catalog::Entry& entry) {
    KI_TRY(const RowFinder::Place place, find_key(entry.table, entry.key));
    KI_TRY(const bool is_newest,
           place.seq == 0 ? Result<bool>(true) : look_at(place.seq, [&](const Statement& row) {
             return row.integer(3) < static_cast<std::int64_t>(entry.version);
           }));
    std::optional<RowFinder::Place> owner;
    if (entry.version == 0 && entry.digest) {
      KI_TRY(owner, find_owner(entry.table, *entry.digest));
    }
    KI_TRY_VOID(insert(entry));
    ++restored_;
    last_restored_ = std::max(last_restored_, entry.seq);
    if (is_newest) {
      KI_TRY_VOID(remember(keys_, place, entry.seq));
    }
    if (owner && owner->seq == 0) {
      KI_TRY_VOID(remember(digests_, *owner, entry.seq));
    }
    if (entry.seq == head_.seq + 1) extend_chain(entry);
    return {};
  }

  Result<void> remember(RowFinder& finder, const RowFinder::Place& place, catalog::Seq seq) {
    if (finder.set(place, seq)) return {};
    return fail(broken(Error(Code::kUnsupported,
                             "more than 4,294,967,295 entries do not fit in one first import; "
                             "commit earlier and go on in another transaction")));
  }

  // Takes the next entry into the head, and its chain value where a restored commit ends.
  void extend_chain(const catalog::Entry& entry) {
    head_ = {entry.seq, catalog::chain_next(head_.chain, entry)};
    if (restored_commits_.contains(entry.seq)) chain_at_commit_.emplace(entry.seq, head_.chain);
  }

  Result<catalog::Commit> finish(Instant at, std::string_view reason) override {
    keys_ = RowFinder();
    digests_ = RowFinder();
    if (restored_ == 0 && !restored_commits_.empty()) return fail(missing_error(1));
    if (head_.seq == 0 && restored_ == 0) {
      return catalog::Commit{1, 0, at, std::string(reason), head_.chain};
    }
    KI_TRY_VOID(build_indexes());
    if (restored_ > 0) {
      KI_TRY_VOID(check_restored());
      KI_TRY_VOID(read_chain());
      KI_TRY_VOID(write_restored_commits());
      if (!restored_commits_.empty() && restored_commits_.rbegin()->first == head_.seq) {
        return restored_commits_.rbegin()->second;
      }
    }
    const catalog::Seq first =
        restored_commits_.empty() ? 1 : restored_commits_.rbegin()->first + 1;
    catalog::Commit commit{first, head_.seq, at, std::string(reason), head_.chain};
    KI_TRY_VOID(insert(commit));
    return commit;
  }

  Result<void> build_indexes() {
    KI_TRY_VOID(database().execute(std::string(kIndexCache)));
    auto built = database().execute(built_at_end_);
    if (!built) {
      Error error = std::move(built).error();
      if (error.code() == Code::kConflict) {
        error = Error(Code::kConflict,
                      "two restored entries are the same version of a row, or two "
                      "rows of a table have one content digest");
      }
      return fail(std::move(error));
    }
    return {};
  }

  static Error missing_error(catalog::Seq seq) {
    return Error(Code::kInvalidArgument,
                 fmt::format("entry {} was not restored: the export is incomplete", seq));
  }

  // seq is unique, so that as many entries as the last seq are all there are.
  Result<void> check_restored() {
    if (restored_ != last_restored_) {
      KI_TRY(const std::int64_t gap,
             database().query_integer(
                 "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM entries WHERE seq = 1) UNION ALL "
                 "SELECT seq + 1 FROM entries AS e WHERE NOT EXISTS "
                 "(SELECT 1 FROM entries AS n WHERE n.seq = e.seq + 1) LIMIT 1"));
      return fail(missing_error(static_cast<catalog::Seq>(gap)));
    }
    KI_TRY(
        const std::int64_t stray,
        database().query_integer(
            "SELECT e.seq FROM entries AS e INDEXED BY entries_row "
            "WHERE e.version > 0 AND NOT EXISTS "
            "(SELECT 1 FROM entries AS p WHERE p.tbl = e.tbl AND p.key = e.key "
            "AND p.version = e.version - 1 AND p.seq < e.seq AND p.digest IS e.digest) LIMIT 1"));
    if (stray != 0) {
      return fail(Code::kConflict,
                  fmt::format("restored entry {} does not follow an older version of its row with "
                              "the same content digest",
                              stray));
    }
    return {};
  }

  // The chain values that are not known yet: entries that came out of order, and commits that came
  // after their entries.
  Result<void> read_chain() {
    const bool knows_commits = std::ranges::all_of(restored_commits_, [&](const auto& commit) {
      return commit.first > head_.seq || chain_at_commit_.contains(commit.first);
    });
    if (!knows_commits) head_ = {};
    KI_TRY(Statement rows, database().prepare("SELECT " KI_ENTRY_COLUMNS
                                              " FROM entries WHERE seq > ?1 ORDER BY seq"));
    rows.bind(1, to_column(head_.seq));
    for (;;) {
      KI_TRY(const bool row, rows.step());
      if (!row) return {};
      KI_TRY(const catalog::Entry entry, to_entry(rows));
      extend_chain(entry);
    }
  }

  Result<void> write_restored_commits() {
    catalog::Seq last = 0;
    for (const auto& [end, commit] : restored_commits_) {
      if (commit.first != last + 1) {
        return fail(Code::kInvalidArgument,
                    fmt::format("the commit of entry {} was not restored: the export is incomplete",
                                last + 1));
      }
      if (end > head_.seq) return fail(missing_error(head_.seq + 1));
      if (chain_at_commit_.at(end) != commit.chain) {
        return fail(
            Code::kCorrupt,
            fmt::format("the chain value after entry {} is {}, but its commit says {}: the "
                        "export was altered",
                        end, chain_at_commit_.at(end).to_string(), commit.chain.to_string()));
      }
      KI_TRY_VOID(insert(commit));
      last = end;
    }
    return {};
  }

  std::string built_at_end_;
  RowFinder keys_;     // the newest version of each key
  RowFinder digests_;  // version 0 of the row with each digest
  catalog::Seq restored_ = 0;
  catalog::Seq last_restored_ = 0;
  std::map<catalog::Seq, catalog::Commit> restored_commits_;  // by last
  std::map<catalog::Seq, Digest> chain_at_commit_;
  Statement find_seq_;
};

}  // namespace

Result<std::unique_ptr<catalog::Transaction>> make_fill_transaction(Writer& writer,
                                                                    ReaderPool& readers) {
  auto transaction = std::make_unique<FillTransaction>(writer, readers, catalog::Head{});
  KI_TRY_VOID(transaction->prepare());
  return transaction;
}

}  // namespace ki::store_sqlite
