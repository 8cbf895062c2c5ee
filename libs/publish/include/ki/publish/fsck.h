// fsck: recomputes everything that a catalog holds and reports what does not hold. Repairs nothing.
#pragma once

#include "ki/base/result.h"
#include "ki/catalog/store.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ki::publish {

struct Problem {
  // storage, chain, commit, row, reference, cycle, event, leader, snapshot, transparency_log.
  std::string code;
  std::string table;     // empty for problems of the log or the storage
  std::string key;       // of the row
  catalog::Seq seq = 0;  // of the entry; 0: none
  std::string message;   // a sentence

  // "entry 17, benchmark_runs 01a0…: row: the comparison key is … but its parts make …".
  std::string to_string() const;
};

struct FsckReport {
  std::uint64_t entries = 0;
  std::uint64_t rows = 0;
  std::uint64_t commits = 0;
  std::uint64_t bytes = 0;  // of bodies
  catalog::Head head;
  bool is_snapshot_checked = false;
  std::vector<Problem> problems;  // at most FsckOptions::max_problems
  std::uint64_t problems_left_out = 0;

  bool is_clean() const { return problems.empty(); }
  // One JSON object: {"head", "entries", "rows", "commits", "bytes", "snapshotChecked",
  // "problems": [{"code", "table", "key", "seq", "message"}], "problemsLeftOut"}.
  std::string to_json() const;
};

struct FsckOptions {
  // Compared with a rebuild when the file exists.
  std::optional<std::filesystem::path> snapshot_file = {};
  std::size_t max_problems = 1000;
  std::function<void(std::uint64_t entries_done, std::uint64_t entries_total)> progress = {};
  const std::atomic<bool>* cancel = nullptr;
};

// An Error only when the store could not be read at all, or kCancelled.
Result<FsckReport> fsck(catalog::Store& store, const FsckOptions& options = {});

}  // namespace ki::publish
