// Writer: the one connection that writes, and whose turn it is. Transactions borrow it.
#pragma once

#include "database.h"
#include "ki/base/result.h"
#include "ki/catalog/store.h"
#include "reader_pool.h"
#include "writer_note.h"

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace ki::store_sqlite {

// How many pages the writing connection may keep: enough for the indexes of a million entries,
// which a large later import touches at random. Taken only as far as it is used.
inline constexpr std::string_view kDailyCache = "PRAGMA cache_size = -49152";

class Writer {
 public:
  // Opens the file for writing, brings its schema up to date and sets write-ahead-log mode.
  static Result<std::unique_ptr<Writer>> open(const std::filesystem::path& path,
                                              std::chrono::milliseconds busy_timeout);

  // Waits for the turn among this process's threads and among processes, then begins a write
  // transaction. The head is the committed one. `readers` are suspended while an empty log is
  // filled with the file for itself alone (is_filling()).
  Result<catalog::Head> begin(ReaderPool& readers);
  // Makes the transaction durable, or fails and leaves no trace of it. Ends the turn either way.
  Result<void> commit(ReaderPool& readers);
  void roll_back(ReaderPool& readers);

  Database& database() { return database_; }

 private:
  Writer(std::filesystem::path path, std::chrono::milliseconds busy_timeout, Database database)
      : path_(std::move(path)),
        busy_timeout_(busy_timeout),
        database_(std::move(database)),
        note_(path_) {}

  using Deadline = std::chrono::steady_clock::time_point;
  Result<void> take_turn(Deadline deadline);
  void end_turn();
  Result<void> begin_immediate(Deadline deadline);
  Result<catalog::Head> begin_in_turn(ReaderPool& readers, Deadline deadline);
  Result<catalog::Head> committed_head();
  bool try_take_file(ReaderPool& readers);
  void give_file_back(ReaderPool& readers);
  void abandon();
  void fold_log();

  const std::filesystem::path path_;
  const std::chrono::milliseconds busy_timeout_;
  Database database_;
  const WriterNote note_;
  // Both belong to whoever has the turn.
  bool has_file_alone_ = false;  // a rollback journal instead of the write-ahead log
  int wal_pages_ = 0;            // in the write-ahead log after the last commit

  std::mutex mutex_;  // guards taken_
  std::condition_variable freed_;
  bool taken_ = false;
};

// The Error of a lock that was not had within the busy limit, naming the holder if it is known.
Error locked_error(const std::filesystem::path& path, std::chrono::milliseconds waited);

}  // namespace ki::store_sqlite
