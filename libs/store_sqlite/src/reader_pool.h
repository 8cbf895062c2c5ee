// ReaderPool: connections for reading, one a call, so that readers share nothing and never wait for
// the writer. Thread-safe.
#pragma once

#include "database.h"
#include "ki/base/result.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

namespace ki::store_sqlite {

enum class Query : std::uint8_t {
  kHead,
  kSince,
  kTable,
  kSeq,
  kKey,
  kDigest,
  kCommits,
};

// One connection with its prepared statements.
class Reader {
 public:
  static Result<std::unique_ptr<Reader>> open(const std::filesystem::path& path, Access access,
                                              std::chrono::milliseconds busy_timeout);
  Result<Statement*> statement(Query query);
  Database& database() { return database_; }

 private:
  explicit Reader(Database database) : database_(std::move(database)) {}
  Database database_;
  std::array<Statement, 7> statements_;
};

class ReaderPool {
 public:
  ReaderPool(std::filesystem::path path, Access access, std::chrono::milliseconds busy_timeout)
      : path_(std::move(path)), access_(access), busy_timeout_(busy_timeout) {}

  // A borrowed reader; given back when the lease ends. Empty while the pool is suspended.
  class Lease {
   public:
    Lease(ReaderPool* pool, std::unique_ptr<Reader> reader)
        : pool_(pool), reader_(std::move(reader)) {}
    Lease(Lease&&) = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (reader_ != nullptr) pool_->give_back(std::move(reader_));
    }
    explicit operator bool() const { return reader_ != nullptr; }
    Reader* operator->() const { return reader_.get(); }

   private:
    ReaderPool* pool_;
    std::unique_ptr<Reader> reader_;
  };

  Result<Lease> borrow();

  // Closes all connections and opens none until resume(), so that the writer has the file for
  // itself. False, with nothing changed, while a reader is lent.
  bool suspend();
  void resume();

 private:
  void give_back(std::unique_ptr<Reader> reader);

  const std::filesystem::path path_;
  const Access access_;
  const std::chrono::milliseconds busy_timeout_;
  std::mutex mutex_;  // guards the members below
  std::vector<std::unique_ptr<Reader>> idle_;
  unsigned lent_ = 0;
  bool suspended_ = false;
};

}  // namespace ki::store_sqlite
