// Appends to a log that has entries: each row is checked against the indexes before it is inserted,
// and by the triggers while it is.
#include "write_transaction.h"

namespace ki::store_sqlite {
namespace {

class AppendTransaction final : public WriteTransaction {
 public:
  using WriteTransaction::WriteTransaction;

  Result<catalog::Seq> append(catalog::Table table, std::string_view key, std::uint32_t version,
                              const std::optional<Digest>& digest, std::string_view body) override {
    KI_TRY_VOID(check_open());
    if (auto allowed = check_append(table, key, version, digest); !allowed) {
      return fail(broken(std::move(allowed).error()));
    }
    return append_checked(
        {.table = table, .key = key, .version = version, .digest = digest, .body = body});
  }

  Result<void> restore(const catalog::Entry&) override { return not_empty(); }
  Result<void> restore(const catalog::Commit&) override { return not_empty(); }

  Result<std::optional<catalog::OwnedEntry>> find(catalog::Table table,
                                                  std::string_view key) override {
    KI_TRY_VOID(check_open());
    KI_TRY(Statement * statement, prepared(database(), find_key_, kFindKey));
    statement->bind(1, static_cast<std::int64_t>(table));
    statement->bind_text(2, key);
    statement->bind(3, to_column(head_.seq));
    return read_one(*statement);
  }

  Result<std::optional<catalog::OwnedEntry>> find_digest(catalog::Table table,
                                                         const Digest& digest) override {
    KI_TRY_VOID(check_open());
    KI_TRY(Statement * statement, prepared(database(), find_digest_, kFindDigest));
    statement->bind(1, static_cast<std::int64_t>(table));
    statement->bind_blob(2, digest.view());
    return read_one(*statement);
  }

 private:
  static Result<void> not_empty() {
    return fail(
        Code::kConflict,
        "entries are restored only into an empty catalog; this one has entries: import into "
        "a new file, or import the newer rows as an update");
  }

  Result<void> check_append(catalog::Table table, std::string_view key, std::uint32_t version,
                            const std::optional<Digest>& digest) {
    KI_TRY(Statement * newest, prepared(database(), newest_,
                                        "SELECT version FROM entries WHERE tbl = ?1 AND key = ?2 "
                                        "ORDER BY version DESC LIMIT 1"));
    newest->bind(1, static_cast<std::int64_t>(table));
    newest->bind_text(2, key);
    std::optional<std::uint32_t> last;
    {
      const ResetAtExit reset(*newest);
      KI_TRY(const bool row, newest->step());
      if (row) last = static_cast<std::uint32_t>(newest->integer(0));
    }
    if (version == 0 && last) return fail(exists_error(table, key));
    if (version != (last ? *last + 1 : 0)) return fail(not_next_error(table, key, version, last));
    return last ? check_same_digest(table, key, digest) : check_own_digest(table, digest);
  }

  Result<void> check_same_digest(catalog::Table table, std::string_view key,
                                 const std::optional<Digest>& digest) {
    KI_TRY(const std::optional<catalog::OwnedEntry> row, find(table, key));
    if (!row || row->digest != digest) return fail(digest_change_error(table, key));
    return {};
  }

  Result<void> check_own_digest(catalog::Table table, const std::optional<Digest>& digest) {
    if (!digest) return {};
    KI_TRY(Statement * owner,
           prepared(database(), digest_owner_,
                    "SELECT key FROM entries WHERE tbl = ?1 AND digest = ?2 AND version = 0"));
    owner->bind(1, static_cast<std::int64_t>(table));
    owner->bind_blob(2, digest->view());
    const ResetAtExit reset(*owner);
    KI_TRY(const bool row, owner->step());
    if (row) return fail(digest_taken_error(table, *digest, owner->text(0)));
    return {};
  }

  Result<catalog::Commit> finish(Instant at, std::string_view reason) override {
    catalog::Commit commit{before_.seq + 1, head_.seq, at, std::string(reason), head_.chain};
    if (head_.seq != before_.seq) {
      KI_TRY_VOID(insert(commit));
    }
    return commit;
  }

  Statement newest_, digest_owner_, find_key_, find_digest_;
};

}  // namespace

std::unique_ptr<catalog::Transaction> make_append_transaction(Writer& writer, ReaderPool& readers,
                                                              const catalog::Head& head) {
  return std::make_unique<AppendTransaction>(writer, readers, head);
}

}  // namespace ki::store_sqlite
