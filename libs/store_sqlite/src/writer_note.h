// WriterNote: a small file beside the catalog that says which process writes, so that others can
// name it while they wait. It is advice only: the lock itself is SQLite's, and a note whose process
// is gone is ignored.
#pragma once

#include "ki/base/instant.h"

#include <filesystem>
#include <string>

namespace ki::store_sqlite {

class WriterNote {
 public:
  explicit WriterNote(const std::filesystem::path& catalog);

  void write(Instant since) const;  // of this process; failures are ignored
  void remove() const;              // unless it has become another process's
  // "process 4711 (ki import kernelindex), writing since 2026-08-16T10:00:00.000Z", or "a process
  // that left no note" when there is none or its process is gone.
  std::string describe_holder() const;

 private:
  std::filesystem::path path_;
  std::string process_;  // pid and start time of this process, a line each
  std::string command_;
};

}  // namespace ki::store_sqlite
