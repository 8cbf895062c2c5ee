#include "write_transaction.h"

#include "ki/base/text.h"

#include <fmt/format.h>

namespace ki::store_sqlite {
namespace {

// SQLite's limit for a row is 10^9 bytes; key, digest and numbers fit in the rest.
constexpr std::size_t kMostBodyBytes = 999'000'000;

}  // namespace

Result<Statement*> prepared(Database& database, Statement& statement, std::string_view sql) {
  if (!statement) {
    KI_TRY(statement, database.prepare(sql));
  }
  return &statement;
}

Error exists_error(catalog::Table table, std::string_view key) {
  return Error(Code::kConflict,
               fmt::format("{} {} exists already; append a later version of it instead",
                           catalog::info(table).name, quote(key)));
}

Error not_next_error(catalog::Table table, std::string_view key, std::uint32_t version,
                     std::optional<std::uint32_t> newest) {
  const std::string_view name = catalog::info(table).name;
  if (!newest) {
    return Error(Code::kConflict,
                 fmt::format("{} {} does not exist: its first version is 0, not {}", name,
                             quote(key), version));
  }
  return Error(Code::kConflict, fmt::format("the next version of {} {} is {}, not {}", name,
                                            quote(key), *newest + 1, version));
}

Error digest_change_error(catalog::Table table, std::string_view key) {
  return Error(Code::kConflict,
               fmt::format("the content digest of {} {} cannot change; publish a new row that "
                           "supersedes it",
                           catalog::info(table).name, quote(key)));
}

Error digest_taken_error(catalog::Table table, const Digest& digest, std::string_view owner) {
  return Error(Code::kConflict,
               fmt::format("{} {} has the digest {} already", catalog::info(table).name,
                           quote(owner), digest.to_string()));
}

WriteTransaction::~WriteTransaction() {
  if (!is_over_) writer_.roll_back(readers_);
}

Result<void> WriteTransaction::check_open() const {
  if (is_over_) {
    return fail(Code::kConflict, "this transaction is over; begin another");
  }
  if (failure_) return fail(*failure_);
  return {};
}

Error WriteTransaction::broken(Error error) {
  if (error.code() != Code::kConflict && error.code() != Code::kInvalidArgument) failure_ = error;
  return error;
}

Result<void> WriteTransaction::insert(const catalog::Entry& entry) {
  if (entry.body.size() + entry.key.size() > kMostBodyBytes) {
    return fail(Code::kInvalidArgument,
                fmt::format("a row of {} has {} bytes; at most {} fit",
                            catalog::info(entry.table).name, entry.body.size(), kMostBodyBytes));
  }
  auto statement =
      prepared(database(), insert_,
               "INSERT INTO entries (" KI_ENTRY_COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
  if (!statement) return fail(broken(std::move(statement).error()));
  Statement& row = **statement;
  row.bind(1, to_column(entry.seq));
  row.bind(2, static_cast<std::int64_t>(entry.table));
  row.bind_text(3, entry.key);
  row.bind(4, entry.version);
  if (entry.digest) {
    row.bind_blob(5, entry.digest->view());
  } else {
    row.bind_null(5);
  }
  row.bind_text(6, entry.body);
  if (auto done = row.run(); !done) return fail(broken(std::move(done).error()));
  return {};
}

Result<void> WriteTransaction::insert(const catalog::Commit& commit) {
  KI_TRY(Statement row,
         database().prepare("INSERT INTO commits (last, first, at_ms, reason, chain) "
                            "VALUES (?1, ?2, ?3, ?4, ?5)"));
  row.bind(1, to_column(commit.last));
  row.bind(2, to_column(commit.first));
  row.bind(3, commit.at.ms);
  row.bind_text(4, commit.reason);
  row.bind_blob(5, commit.chain.view());
  return row.run();
}

Result<catalog::Seq> WriteTransaction::append_checked(catalog::Entry entry) {
  entry.seq = head_.seq + 1;
  KI_TRY_VOID(insert(entry));
  head_ = {entry.seq, catalog::chain_next(head_.chain, entry)};
  return entry.seq;
}

Result<catalog::Commit> WriteTransaction::commit(Instant at, std::string_view reason) {
  KI_TRY_VOID(check_open());
  is_over_ = true;
  auto made = finish(at, reason);
  if (!made || made->last == before_.seq) {
    writer_.roll_back(readers_);
    return made;
  }
  KI_TRY_VOID(writer_.commit(readers_));
  return made;
}

}  // namespace ki::store_sqlite
