// What a SqliteStore is made of; shared by the sources that implement its members.
#pragma once

#include "ki/store_sqlite/sqlite_store.h"
#include "reader_pool.h"
#include "writer.h"

#include <filesystem>
#include <memory>
#include <string>

namespace ki::store_sqlite {

struct SqliteStore::State {
  State(std::filesystem::path file, const Options& settings, Access read_access)
      : path(std::move(file)),
        options(settings),
        readers(path, read_access, settings.busy_timeout) {}

  // Runs one statement, which is one consistent view, on a borrowed reader. Without a reader the
  // log is being filled for the first time, so that nothing is committed: the answer is `empty`.
  template <class Value, class Run>
  Result<Value> read(Value empty, Query query, const Run& run) {
    KI_TRY(const ReaderPool::Lease reader, readers.borrow());
    if (!reader) return empty;
    KI_TRY(Statement * statement, reader->statement(query));
    const ResetAtExit reset(*statement);
    Result<Value> value = run(*statement);
    if (!value && reader->database().is_busy()) {
      return fail(locked_error(path, options.busy_timeout));
    }
    return value;
  }

  const std::filesystem::path path;
  const Options options;
  std::string catalog_id;
  std::unique_ptr<Writer> writer;  // null when read-only
  ReaderPool readers;
};

}  // namespace ki::store_sqlite
