// NewDatabaseFile: a database that is built under a name of its own and appears under its real one
// only when it is whole and synced, without ever replacing a file that is there.
#pragma once

#include "ki/base/result.h"

#include <filesystem>

namespace ki::store_sqlite {

class NewDatabaseFile {
 public:
  explicit NewDatabaseFile(std::filesystem::path path);
  ~NewDatabaseFile();  // removes what publish() has not taken
  NewDatabaseFile(const NewDatabaseFile&) = delete;
  NewDatabaseFile& operator=(const NewDatabaseFile&) = delete;

  const std::filesystem::path& temporary() const { return temporary_; }
  // Syncs the closed file and gives it its name. False when a file has that name already.
  Result<bool> publish() const;

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
};

}  // namespace ki::store_sqlite
