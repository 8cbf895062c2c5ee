// WriteTransaction: what both kinds of transaction share. AppendTransaction adds to a log that has
// entries, row by row under the indexes; FillTransaction is the first transaction of an empty log.
#pragma once

#include "entry_rows.h"
#include "ki/base/result.h"
#include "ki/catalog/store.h"
#include "reader_pool.h"
#include "writer.h"

#include <memory>
#include <optional>
#include <string>

namespace ki::store_sqlite {

class WriteTransaction : public catalog::Transaction {
 public:
  // Takes over a transaction that the writer has begun.
  WriteTransaction(Writer& writer, ReaderPool& readers, const catalog::Head& head)
      : writer_(writer), readers_(readers), before_(head), head_(head) {}
  ~WriteTransaction() override;
  WriteTransaction(const WriteTransaction&) = delete;
  WriteTransaction& operator=(const WriteTransaction&) = delete;

  catalog::Head head() const override { return head_; }
  Result<catalog::Commit> commit(Instant at, std::string_view reason) final;

 protected:
  // Writes what is still missing before the commit, and the commit rows; the last one is returned.
  virtual Result<catalog::Commit> finish(Instant at, std::string_view reason) = 0;

  // An error when the transaction is over, or broken by a failure of the storage.
  Result<void> check_open() const;
  // Inserts a row; a failure that is not about the row breaks the transaction.
  Result<void> insert(const catalog::Entry& entry);
  Result<void> insert(const catalog::Commit& commit);
  Result<catalog::Seq> append_checked(catalog::Entry entry);
  Error broken(Error error);

  Database& database() { return writer_.database(); }

  Writer& writer_;
  ReaderPool& readers_;
  const catalog::Head before_;
  catalog::Head head_;

 private:
  Statement insert_;
  std::optional<Error> failure_;
  bool is_over_ = false;
};

// Prepared on first use.
Result<Statement*> prepared(Database& database, Statement& statement, std::string_view sql);

// The kConflict errors of Transaction::append, one text each for both kinds.
Error exists_error(catalog::Table table, std::string_view key);
Error not_next_error(catalog::Table table, std::string_view key, std::uint32_t version,
                     std::optional<std::uint32_t> newest);
Error digest_change_error(catalog::Table table, std::string_view key);
Error digest_taken_error(catalog::Table table, const Digest& digest, std::string_view owner);

std::unique_ptr<catalog::Transaction> make_append_transaction(Writer& writer, ReaderPool& readers,
                                                              const catalog::Head& head);
Result<std::unique_ptr<catalog::Transaction>> make_fill_transaction(Writer& writer,
                                                                    ReaderPool& readers);

}  // namespace ki::store_sqlite
