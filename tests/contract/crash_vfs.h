// CrashVfs: SQLite's file system with a memory of what was synced, so that a test can ask what the
// disk would hold if the power failed now. Writes that were not synced survive at random, in
// sectors of 512 bytes, in any order; synced ones always do.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace ki::contract {

class CrashVfs {
 public:
  // Becomes the default for connections that are opened from now on, until it is destroyed. One
  // thread may use them. `honest`: false makes every sync a lie, to show that the test would see
  // it.
  explicit CrashVfs(bool honest = true);
  ~CrashVfs();
  CrashVfs(const CrashVfs&) = delete;
  CrashVfs& operator=(const CrashVfs&) = delete;

  // Called after each write, truncation, sync and deletion.
  void on_step(std::function<void()> callback) { callback_ = std::move(callback); }
  // Writes the files as they would be after a power failure into an empty folder.
  void write_remains(const std::filesystem::path& folder, std::mt19937& random) const;

  // For the methods in crash_vfs.cpp.
  struct Write {
    std::uint64_t offset;
    std::string bytes;
    bool is_truncation;  // to `offset`
  };
  struct File {
    std::string synced;
    std::vector<Write> pending;
  };
  std::map<std::string, File>& files() { return files_; }
  bool is_honest() const { return honest_; }
  void step() {
    if (callback_) callback_();
  }

 private:
  const bool honest_;
  std::map<std::string, File> files_;  // by path
  std::function<void()> callback_;
  std::unique_ptr<sqlite3_vfs> vfs_;
  sqlite3_vfs* system_;
};

}  // namespace ki::contract
