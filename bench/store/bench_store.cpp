// Questions: how fast does the SQLite store take the first import, a later large one and single
// rows; how fast does it give the log, a key and a digest back; and how much memory does that take?
//
//   bench_store [--entries N] [--folder DIR] [--seed S]
//
// Entries are made by a counter-based generator: kinds, lengths and keys as a catalog of runs has
// them (an export's row has about 1.1 kB). Nothing but the store's work is inside a timed section:
// making the texts is timed by itself first and subtracted.
#include "ki/store_sqlite/sqlite_store.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace {

using ki::Digest;
using ki::Result;
using ki::catalog::Entry;
using ki::catalog::Seq;
using ki::catalog::Table;
using ki::store_sqlite::SqliteStore;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Peak resident memory of this process so far, in MiB.
double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// CPU seconds of this process so far, its own and the system's for it: less sensitive to neighbours
// than the time on the wall.
double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// SplitMix64 (Steele, Lea and Flood 2014): a value for each counter.
std::uint64_t mix(std::uint64_t counter) {
  std::uint64_t z = counter * 0x9E3779B97F4A7C15U + 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

struct Row {
  Table table;
  std::string key;
  std::optional<Digest> digest;
  std::string body;
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : seed_(seed) {
    for (std::uint64_t i = 0; filler_.size() < (1 << 16); ++i) {
      filler_ += fmt::format(R"("member{}":{},)", mix(i) % 97, mix(i * 3));
    }
  }

  // Of 20 rows, 8 are runs, 5 workloads, 4 implementations (with digests) and 3 events (without).
  void make(std::uint64_t i, Row& row) const {
    const std::uint64_t random = mix(seed_ ^ i);
    constexpr Table kKinds[] = {Table::kBenchmarkRuns, Table::kWorkloads, Table::kImplementations,
                                Table::kRecordEvents};
    const std::uint64_t share = i % 20;
    const std::size_t kind = share < 8 ? 0 : share < 13 ? 1 : share < 17 ? 2 : 3;
    constexpr std::uint64_t kBytes[] = {1500, 900, 1100, 350};
    row.table = kKinds[kind];
    row.key = key(i);
    row.body = fmt::format(R"({{"id":"{}",)", row.key);
    row.body.append(filler_, random % 4096, kBytes[kind] * 3 / 4 + random % (kBytes[kind] / 2));
    row.digest.reset();
    if (kind != 3) row.digest = digest(i);
  }

  // As UUIDv7: sorted by time, random within.
  std::string key(std::uint64_t i) const {
    const std::uint64_t random = mix(seed_ ^ i);
    return fmt::format("{:08x}-{:04x}-7{:03x}-a{:03x}-{:012x}", 0x0198a000 + i / 4096, i / 16 % 256,
                       random & 0xfff, random >> 12 & 0xfff, random >> 16 & 0xffffffffffffU);
  }

  Digest digest(std::uint64_t i) const {
    std::array<std::uint8_t, 32> bytes{};
    for (std::size_t word = 0; word < 4; ++word) {
      const std::uint64_t random = mix(mix(seed_ ^ i) + word);
      for (std::size_t byte = 0; byte < 8; ++byte) {
        bytes[word * 8 + byte] = static_cast<std::uint8_t>(random >> (8 * byte));
      }
    }
    return Digest(bytes);
  }

 private:
  std::uint64_t seed_;
  std::string filler_;
};

template <class T>
T must(Result<T> result, std::string_view what) {
  if (!result) {
    fmt::print(stderr, "{}: {}\n", what, result.error().to_string());
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

struct Work {
  double wall = 0;
  double cpu = 0;
  Work operator-(const Work& other) const { return {wall - other.wall, cpu - other.cpu}; }
};

Work now() {
  return {std::chrono::duration<double>(Clock::now().time_since_epoch()).count(), cpu_seconds()};
}

void report_bulk(std::string_view name, const Work& work, double count, double bytes) {
  fmt::print(
      "{:<20} {:>7.2f} s ({:.2f} s CPU) {:>9.0f} entries/s {:>7.1f} MB/s   peak {:.0f} MiB\n", name,
      work.wall, work.cpu, count / work.wall, bytes / work.wall / 1e6, peak_mib());
  std::fflush(stdout);
}

void report_times(std::string_view name, std::vector<double>& microseconds) {
  std::ranges::sort(microseconds);
  const auto at = [&](double part) {
    return microseconds[static_cast<std::size_t>(part *
                                                 static_cast<double>(microseconds.size() - 1))];
  };
  fmt::print("{:<20} p50 {:>8.1f} us   p90 {:>8.1f} us   p99 {:>8.1f} us   n {}\n", name, at(0.5),
             at(0.9), at(0.99), microseconds.size());
  std::fflush(stdout);
}

// Appends entries first..first+count-1 in one transaction.
void bulk(SqliteStore& store, const Generator& generator, std::uint64_t first, std::uint64_t count,
          std::string_view name) {
  Row row;
  double bytes = 0;
  const Work start = now();
  for (std::uint64_t i = first; i < first + count; ++i) {
    generator.make(i, row);
    bytes += static_cast<double>(row.body.size());
  }
  const Work making = now() - start;

  const Work begun = now();
  const auto transaction = must(store.begin(), "begin");
  for (std::uint64_t i = first; i < first + count; ++i) {
    generator.make(i, row);
    must(transaction->append(row.table, row.key, 0, row.digest, row.body), "append");
  }
  const Work appended = now();
  must(transaction->commit(ki::Instant{0}, "bench"), "commit");
  const Work committed = now();
  report_bulk(name, committed - begun - making, static_cast<double>(count), bytes);
  const Work append = appended - begun - making;
  const Work commit = committed - appended;
  fmt::print("{:<20} {:>7.2f} s ({:.2f} s CPU) append, {:.2f} s ({:.2f} s CPU) commit\n", "",
             append.wall, append.cpu, commit.wall, commit.cpu);
}

void single_rows(SqliteStore& store, const Generator& generator, std::uint64_t first) {
  constexpr int kRows = 1000;
  std::vector<double> times;
  Row row;
  for (std::uint64_t i = first; i < first + kRows; ++i) {
    generator.make(i, row);
    const auto start = Clock::now();
    const auto transaction = must(store.begin(), "begin");
    must(transaction->append(row.table, row.key, 0, row.digest, row.body), "append");
    must(transaction->commit(ki::Instant{0}, "bench"), "commit");
    times.push_back(seconds_since(start) * 1e6);
  }
  report_times("commit of one row", times);
}

void scan(SqliteStore& store, std::string_view name) {
  double bytes = 0;
  double count = 0;
  const Work start = now();
  must(store.read_since(0, ~Seq{0},
                        [&](const Entry& entry) -> Result<ki::catalog::Step> {
                          bytes += static_cast<double>(entry.body.size());
                          ++count;
                          return ki::catalog::Step::kGoOn;
                        }),
       "read_since");
  report_bulk(name, now() - start, count, bytes);
}

void lookups(SqliteStore& store, const Generator& generator, std::uint64_t count) {
  constexpr int kLookups = 20'000;
  std::vector<double> by_key;
  std::vector<double> by_digest;
  std::vector<double> absent;
  Row row;
  for (std::uint64_t i = 0; i < kLookups; ++i) {
    std::uint64_t pick = mix(i * 7919) % count;
    generator.make(pick, row);
    auto start = Clock::now();
    const auto found = must(store.find(row.table, row.key, ~Seq{0}), "find");
    by_key.push_back(seconds_since(start) * 1e6);
    if (!found || found->body != row.body)
      must<void>(ki::fail(ki::Code::kInternal, row.key), "find");
    if (row.digest) {
      start = Clock::now();
      const auto owner = must(store.find_digest(row.table, *row.digest), "find_digest");
      by_digest.push_back(seconds_since(start) * 1e6);
      if (!owner || owner->key != row.key)
        must<void>(ki::fail(ki::Code::kInternal, row.key), "digest");
    }
    const Digest unknown = generator.digest(count * 10 + i);
    start = Clock::now();
    must(store.find_digest(Table::kBenchmarkRuns, unknown), "find_digest");
    absent.push_back(seconds_since(start) * 1e6);
  }
  report_times("find by key", by_key);
  report_times("find by digest", by_digest);
  report_times("find of an absent digest", absent);
}

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    fmt::print(stderr, "'{}' is not a number\n", text);
    std::exit(2);
  }
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string, std::less<>> options = {
      {"--entries", "240000"},
      {"--folder", std::filesystem::temp_directory_path() / "ki-bench-store"},
      {"--seed", "1"}};
  for (int i = 1; i < argc; i += 2) {
    const auto option = options.find(argv[i]);
    if (option == options.end() || i + 1 == argc) {
      fmt::print(stderr, "usage: bench_store [--entries N] [--folder DIR] [--seed S]\n");
      return 2;
    }
    option->second = argv[i + 1];
  }
  const std::uint64_t entries = number(options["--entries"]);
  const std::filesystem::path folder = options["--folder"];
  const Generator generator(number(options["--seed"]));
  std::filesystem::create_directories(folder);
  const auto file = folder / "bench.db";
  for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(file.string() + suffix);

  auto store = must(SqliteStore::open(file, {.create = true}), "open");
  bulk(*store, generator, 0, entries, "first import");
  fmt::print("{:<20} {:.1f} MB\n", "file",
             static_cast<double>(std::filesystem::file_size(file)) / 1e6);
  scan(*store, "read_since, all");
  lookups(*store, generator, entries);
  single_rows(*store, generator, entries);
  bulk(*store, generator, entries + 1000, entries / 4, "later import");

  auto start = Clock::now();
  const auto problems = must(store->check_storage(), "check_storage");
  fmt::print("{:<20} {:>8.2f} s, {} problems\n", "check_storage", seconds_since(start),
             problems.size());
  start = Clock::now();
  const auto copy = folder / "copy.db";
  std::filesystem::remove(copy);
  must(store->backup(copy), "backup");
  fmt::print("{:<20} {:>8.2f} s\n", "backup", seconds_since(start));
  start = Clock::now();
  store.reset();
  fmt::print("{:<20} {:>8.2f} s\n", "close", seconds_since(start));
  start = Clock::now();
  store = must(SqliteStore::open(file), "open");
  fmt::print("{:<20} {:>8.2f} ms\n", "open", seconds_since(start) * 1e3);
  store.reset();
  std::filesystem::remove_all(folder);
  return 0;
}
