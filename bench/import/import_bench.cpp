// What does an import cost? `bench_import FILE` imports an export into a fresh catalog on disk,
// with every check and full durability, then imports it again, exports it, and runs fsck.
// `bench_import
// --runs N` first makes a synthetic export of N runs. Each step is a process of its own, so that
// peak memory is that step's; times are wall times with processor time beside them.
//
// An import has two threads. Its line says how much processor time the reading one took, and how
// long that one was ready to run while other work had the cores (/proc/thread-self/schedstat): wall
// time without this is what an otherwise idle machine with two such cores would need at most, as
// the time in which it waited for the disk and for the other thread is still in it.

#include "ki/base/clock.h"
#include "ki/base/uuid.h"
#include "ki/catalog/live.h"
#include "ki/importers/export.h"
#include "ki/importers/kernelindex.h"
#include "ki/publish/fsck.h"
#include "ki/store_sqlite/sqlite_store.h"
#include "ki/synth/generator.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>

namespace {

using namespace ki;
namespace fs = std::filesystem;

// Runs one step in a child and prints what it cost. The step prints its own counts.
bool measure(const char* name, const std::function<bool()>& step) {
  std::fflush(stdout);
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child == 0) {
    const bool is_done = step();
    std::fflush(stdout);
    ::_exit(is_done ? 0 : 1);
  }
  int status = 0;
  struct rusage usage{};
  ::wait4(child, &status, 0, &usage);
  const double wall =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  fmt::print("{:<10} {:8.2f} s wall {:8.2f} s processor {:7.1f} MiB peak\n", name, wall,
             seconds(usage.ru_utime) + seconds(usage.ru_stime),
             static_cast<double>(usage.ru_maxrss) / 1024.0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool failed(const Error& error) {
  fmt::print("{}\n", error.to_string());
  return false;
}

// What the calling thread has used so far.
struct ThreadUse {
  double processor = 0, queued = 0;  // seconds; queued: ready to run, but without a core
  static ThreadUse now() {
    ThreadUse use;
    std::ifstream file("/proc/thread-self/schedstat");
    file >> use.processor >> use.queued;
    use.processor /= 1e9;
    use.queued /= 1e9;
    return use;
  }
};

bool import_file(const fs::path& file, const fs::path& db, bool with_snapshot) {
  auto store = store_sqlite::SqliteStore::open(db, {.create = true});
  if (!store) return failed(store.error());
  const SystemClock clock;
  UuidSource ids(1);
  importers::ImportOptions options;
  options.clock = &clock;
  options.ids = &ids;
  options.build_snapshot = with_snapshot;
  const ThreadUse before = ThreadUse::now();
  const auto start = std::chrono::steady_clock::now();
  const auto report = importers::import_kernelindex(file, **store, options);
  if (!report) return failed(report.error());
  const double wall =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (report->refused_total != 0) {
    fmt::print("refused: line {}: {}\n", report->refused.front().line,
               report->refused.front().reason);
    return false;
  }
  const ThreadUse after = ThreadUse::now();
  const double queued = after.queued - before.queued;
  const double megabytes = static_cast<double>(report->bytes) / 1e6;
  fmt::print(
      "  {} lines, {:.1f} MB of JSON Lines, {} runs, {} groups: {:.1f} MB/s\n"
      "  reading thread: {:.2f} s processor, {:.2f} s without a core; wall without that {:.2f} s, "
      "{:.1f} MB/s\n",
      report->lines, megabytes, report->facts.runs, report->facts.groups, megabytes / wall,
      after.processor - before.processor, queued, wall - queued, megabytes / (wall - queued));
  if (report->snapshot) {
    const auto written = catalog::write_snapshot(*report->snapshot, (*store)->catalog_id(),
                                                 db.string() + ".snapshot");
    if (!written) return failed(written.error());
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr,
               "bench_import FILE | --runs N [--keep FOLDER] [--no-snapshot] [--import-only]\n");
    return 2;
  }
  fs::path file;
  std::uint64_t runs = 0;
  std::optional<fs::path> keep;
  bool with_snapshot = true;
  bool is_import_only = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--runs" && i + 1 < argc) {
      runs = std::strtoull(argv[++i], nullptr, 10);
    } else if (argument == "--keep" && i + 1 < argc) {
      keep = argv[++i];
    } else if (argument == "--no-snapshot") {
      with_snapshot = false;
    } else if (argument == "--import-only") {
      is_import_only = true;
    } else {
      file = argv[i];
    }
  }
  const fs::path folder =
      keep ? *keep : fs::temp_directory_path() / fmt::format("ki-bench-import-{}", ::getpid());
  fs::create_directories(folder);
  bool is_done = true;
  if (runs != 0) {
    file = folder / fmt::format("synthetic-{}.jsonl", runs);
    is_done = measure("generate", [&] {
      const auto counts = synth::generate_file({.runs = runs, .seed = 1}, file);
      return counts ? true : failed(counts.error());
    });
  }
  const fs::path db = folder / "catalog.db";
  is_done = is_done && measure("import", [&] { return import_file(file, db, with_snapshot); });
  if (is_import_only) {
    if (!keep) fs::remove_all(folder);
    return is_done ? 0 : 1;
  }
  is_done = is_done && measure("again", [&] { return import_file(file, db, with_snapshot); });
  is_done = is_done && measure("export", [&] {
              auto store = store_sqlite::SqliteStore::open(db, {});
              if (!store) return failed(store.error());
              const auto info = importers::export_catalog(**store, folder / "out.jsonl.zst");
              return info ? true : failed(info.error());
            });
  is_done = is_done && measure("restore", [&] {
              return import_file(folder / "out.jsonl.zst", folder / "copy.db", false);
            });
  is_done = is_done && measure("fsck", [&] {
              auto store = store_sqlite::SqliteStore::open(db, {});
              if (!store) return failed(store.error());
              const auto report = publish::fsck(**store);
              if (!report) return failed(report.error());
              fmt::print("  {} entries, {} problems\n", report->entries, report->problems.size());
              return report->is_clean();
            });
  if (!keep) fs::remove_all(folder);
  return is_done ? 0 : 1;
}
