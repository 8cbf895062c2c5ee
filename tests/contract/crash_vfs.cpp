#include "crash_vfs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <new>

namespace ki::contract {
namespace {

constexpr std::size_t kSector = 512;

// Ours, followed in memory by the system's.
struct OpenFile {
  sqlite3_file base;
  CrashVfs* owner;
  CrashVfs::File* recorded;  // null for temporary files, whose fate does not matter
};

OpenFile* ours(sqlite3_file* file) { return reinterpret_cast<OpenFile*>(file); }
sqlite3_file* system_file(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + sizeof(OpenFile));
}

int close_file(sqlite3_file* file) {
  return system_file(file)->pMethods->xClose(system_file(file));
}

int read_file(sqlite3_file* file, void* to, int count, sqlite3_int64 offset) {
  return system_file(file)->pMethods->xRead(system_file(file), to, count, offset);
}

int write_file(sqlite3_file* file, const void* from, int count, sqlite3_int64 offset) {
  const int code = system_file(file)->pMethods->xWrite(system_file(file), from, count, offset);
  if (code == SQLITE_OK && ours(file)->recorded != nullptr) {
    const std::string_view bytes(static_cast<const char*>(from), static_cast<std::size_t>(count));
    for (std::size_t at = 0; at < bytes.size(); at += kSector) {
      ours(file)->recorded->pending.push_back(
          {static_cast<std::uint64_t>(offset) + at, std::string(bytes.substr(at, kSector)), false});
    }
    ours(file)->owner->step();
  }
  return code;
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  const int code = system_file(file)->pMethods->xTruncate(system_file(file), size);
  if (code == SQLITE_OK && ours(file)->recorded != nullptr) {
    ours(file)->recorded->pending.push_back({static_cast<std::uint64_t>(size), "", true});
    ours(file)->owner->step();
  }
  return code;
}

void apply(const CrashVfs::Write& write, std::string& bytes) {
  if (write.is_truncation) {
    bytes.resize(std::min<std::size_t>(bytes.size(), write.offset));
    return;
  }
  bytes.resize(std::max<std::size_t>(bytes.size(), write.offset + write.bytes.size()), '\0');
  bytes.replace(write.offset, write.bytes.size(), write.bytes);
}

int sync_file(sqlite3_file* file, int flags) {
  const int code = system_file(file)->pMethods->xSync(system_file(file), flags);
  CrashVfs::File* const recorded = ours(file)->recorded;
  if (code == SQLITE_OK && recorded != nullptr && ours(file)->owner->is_honest()) {
    for (const CrashVfs::Write& write : recorded->pending) apply(write, recorded->synced);
    recorded->pending.clear();
    ours(file)->owner->step();
  }
  return code;
}

int file_size(sqlite3_file* file, sqlite3_int64* size) {
  return system_file(file)->pMethods->xFileSize(system_file(file), size);
}
int lock(sqlite3_file* file, int level) {
  return system_file(file)->pMethods->xLock(system_file(file), level);
}
int unlock(sqlite3_file* file, int level) {
  return system_file(file)->pMethods->xUnlock(system_file(file), level);
}
int check_lock(sqlite3_file* file, int* out) {
  return system_file(file)->pMethods->xCheckReservedLock(system_file(file), out);
}
int control(sqlite3_file* file, int operation, void* argument) {
  return system_file(file)->pMethods->xFileControl(system_file(file), operation, argument);
}
int sector_size(sqlite3_file*) { return static_cast<int>(kSector); }
// None: no atomic writes, no order among them.
int characteristics(sqlite3_file*) { return 0; }
int shm_map(sqlite3_file* file, int region, int size, int extend, void volatile** out) {
  return system_file(file)->pMethods->xShmMap(system_file(file), region, size, extend, out);
}
int shm_lock(sqlite3_file* file, int offset, int count, int flags) {
  return system_file(file)->pMethods->xShmLock(system_file(file), offset, count, flags);
}
void shm_barrier(sqlite3_file* file) {
  system_file(file)->pMethods->xShmBarrier(system_file(file));
}
int shm_unmap(sqlite3_file* file, int remove) {
  return system_file(file)->pMethods->xShmUnmap(system_file(file), remove);
}

constexpr sqlite3_io_methods kMethods = {
    2,        close_file,  read_file,  write_file, truncate_file, sync_file,       file_size,
    lock,     unlock,      check_lock, control,    sector_size,   characteristics, shm_map,
    shm_lock, shm_barrier, shm_unmap,  nullptr,    nullptr};

sqlite3_vfs* system_of(sqlite3_vfs* vfs);
CrashVfs* owner_of(sqlite3_vfs* vfs) { return static_cast<CrashVfs*>(vfs->pAppData); }

int open_file(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  OpenFile* const opened = new (file) OpenFile{{nullptr}, owner_of(vfs), nullptr};
  const int code = system_of(vfs)->xOpen(system_of(vfs), name, system_file(file), flags, out_flags);
  if (code != SQLITE_OK) return code;
  opened->base.pMethods = &kMethods;
  constexpr int kKept = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL;
  if (name != nullptr && (flags & kKept) != 0) {
    const auto [recorded, is_new] = owner_of(vfs)->files().try_emplace(name);
    opened->recorded = &recorded->second;
    if (is_new) {
      // What was there before is on the disk.
      std::ifstream in(name, std::ios::binary);
      recorded->second.synced = {std::istreambuf_iterator<char>(in), {}};
    }
  }
  return SQLITE_OK;
}

int delete_file(sqlite3_vfs* vfs, const char* name, int sync) {
  const int code = system_of(vfs)->xDelete(system_of(vfs), name, sync);
  if (code == SQLITE_OK) {
    // The entry of the folder is taken to change at once; an open file of that name is never
    // deleted.
    owner_of(vfs)->files().erase(name);
    owner_of(vfs)->step();
  }
  return code;
}

sqlite3_vfs* system_vfs = nullptr;
sqlite3_vfs* system_of(sqlite3_vfs*) { return system_vfs; }

}  // namespace

CrashVfs::CrashVfs(bool honest)
    : honest_(honest), vfs_(std::make_unique<sqlite3_vfs>()), system_(sqlite3_vfs_find(nullptr)) {
  system_vfs = system_;
  *vfs_ = *system_;
  vfs_->zName = "crash";
  vfs_->pAppData = this;
  vfs_->pNext = nullptr;
  vfs_->szOsFile = static_cast<int>(sizeof(OpenFile)) + system_->szOsFile;
  vfs_->xOpen = open_file;
  vfs_->xDelete = delete_file;
  EXPECT_EQ(sqlite3_vfs_register(vfs_.get(), 1), SQLITE_OK);
}

CrashVfs::~CrashVfs() {
  sqlite3_vfs_unregister(vfs_.get());
  sqlite3_vfs_register(system_, 1);
}

void CrashVfs::write_remains(const std::filesystem::path& folder, std::mt19937& random) const {
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  for (const auto& [path, file] : files_) {
    std::string bytes = file.synced;
    // Now and then all or nothing survives, else each write by a coin of its own bias.
    const unsigned bias = static_cast<unsigned>(random() % 5);
    for (const Write& write : file.pending) {
      if (random() % 4 < bias) apply(write, bytes);
    }
    std::ofstream(folder / std::filesystem::path(path).filename(), std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
}

}  // namespace ki::contract
