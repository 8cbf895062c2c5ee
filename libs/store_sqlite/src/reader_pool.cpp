#include "reader_pool.h"

#include "entry_rows.h"

#include <utility>

namespace ki::store_sqlite {
namespace {

// More than this many connections stay open only while they are used.
constexpr std::size_t kMostIdle = 8;

std::string_view sql_of(Query query) {
  switch (query) {
    case Query::kHead:
      return kReadHead;
    case Query::kSince:
      return "SELECT " KI_ENTRY_COLUMNS " FROM entries WHERE seq > ?1 AND seq <= ?2 ORDER BY seq";
    case Query::kTable:
      return "SELECT " KI_ENTRY_COLUMNS
             " FROM entries WHERE tbl = ?1 AND key >= ?2 AND seq <= ?3 ORDER BY key, version";
    case Query::kSeq:
      return kFindSeq;
    case Query::kKey:
      return kFindKey;
    case Query::kDigest:
      return kFindDigest;
    case Query::kCommits:
      return "SELECT first, last, at_ms, reason, chain FROM commits WHERE last > ?1 ORDER BY last";
  }
  std::unreachable();
}

}  // namespace

Result<std::unique_ptr<Reader>> Reader::open(const std::filesystem::path& path, Access access,
                                             std::chrono::milliseconds busy_timeout) {
  KI_TRY(Database database, Database::open(path, access, busy_timeout));
  // 2 MiB of pages: the system's page cache is behind it, and readers may be many.
  KI_TRY_VOID(database.execute(
      "PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;"
      "PRAGMA cache_size = -2048"));
  return std::unique_ptr<Reader>(new Reader(std::move(database)));
}

Result<Statement*> Reader::statement(Query query) {
  Statement& statement = statements_[static_cast<std::size_t>(query)];
  if (!statement) {
    KI_TRY(statement, database_.prepare(sql_of(query)));
  }
  return &statement;
}

Result<ReaderPool::Lease> ReaderPool::borrow() {
  {
    const std::lock_guard lock(mutex_);
    if (suspended_) return Lease(this, nullptr);
    ++lent_;
    if (!idle_.empty()) {
      Lease lease(this, std::move(idle_.back()));
      idle_.pop_back();
      return lease;
    }
  }
  auto reader = Reader::open(path_, access_, busy_timeout_);
  if (!reader) {
    const std::lock_guard lock(mutex_);
    --lent_;
    return fail(std::move(reader).error());
  }
  return Lease(this, *std::move(reader));
}

void ReaderPool::give_back(std::unique_ptr<Reader> reader) {
  const std::lock_guard lock(mutex_);
  --lent_;
  if (idle_.size() < kMostIdle) idle_.push_back(std::move(reader));
}

bool ReaderPool::suspend() {
  const std::lock_guard lock(mutex_);
  if (lent_ > 0) return false;
  idle_.clear();
  suspended_ = true;
  return true;
}

void ReaderPool::resume() {
  const std::lock_guard lock(mutex_);
  suspended_ = false;
}

}  // namespace ki::store_sqlite
