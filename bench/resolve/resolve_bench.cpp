// How long an answer takes in process, warm: complete answers for one operation (all groups, 50
// rows each, mismatches), free-text search, lists with evidence, suggestions; and how long the
// index takes to build, which every start pays.
//
//   bench_resolve [--runs N | --catalog PATH] [--requests N] [--only TEXT] [--json]
//
// Without either: the public catalog beside the checkout. --runs: a synthetic one in memory.
// --catalog: a catalog file with its snapshot beside it, opened as `ki` opens it; the time from
// there to the first answer and the peak memory are printed too. --only: the kinds of request whose
// name has TEXT. Every request is made in five
// passes. The wall times are of all samples; beside them stands the processor time of the thread
// with parsing and the reading of the clocks (about 1 us), the median of a request's passes: it
// does not count the time in which other work had the core.
#include "ki/base/text.h"
#include "ki/catalog/live.h"
#include "ki/catalog/snapshot.h"
#include "ki/json/reader.h"
#include "ki/json/writer.h"
#include "ki/query/parse.h"
#include "ki/resolve/resolver.h"
#include "ki/resolve/testing/export_folder.h"
#include "ki/store_sqlite/sqlite_store.h"
#include "ki/synth/generator.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace ki::resolve {
namespace {

using catalog::Snapshot;
using Clock = std::chrono::steady_clock;

double micros(Clock::duration d) { return std::chrono::duration<double, std::micro>(d).count(); }

// Processor time of this thread in microseconds.
double processor_micros() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) / 1e3;
}

// What one request cost, in microseconds: answering alone and with parsing by the wall clock, and
// both together in processor time.
struct Sample {
  double answer = 0, whole = 0, processor = 0;
};

struct Line {
  std::string what;
  std::size_t count = 0;
  double p50 = 0, p99 = 0, worst = 0;  // answering, by the wall clock
  double whole_p99 = 0;                // with parsing
  double processor_p50 = 0, processor_p99 = 0;
  std::string slow = {};  // a request at the 99th percentile of processor time
};

double quantile(std::vector<double> values, double q) {
  const auto at = static_cast<std::size_t>(q * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(at));
  return values[at];
}

// `passes` holds the samples of the same requests, in the same order, several times over. Wall
// times are of all samples. The processor time of a request is the median of its passes, so that
// one interrupt in one of them does not count.
Line summarize(std::string what, const std::vector<std::string>& requests,
               const std::vector<std::vector<Sample>>& passes) {
  std::vector<double> answers, wholes, processors;
  for (const auto& pass : passes) {
    for (const Sample& sample : pass) {
      answers.push_back(sample.answer);
      wholes.push_back(sample.whole);
    }
  }
  for (std::size_t i = 0; i < requests.size(); ++i) {
    std::vector<double> times;
    for (const auto& pass : passes) times.push_back(pass[i].processor);
    processors.push_back(quantile(std::move(times), 0.5));
  }
  Line line{.what = std::move(what),
            .count = answers.size(),
            .p50 = quantile(answers, 0.5),
            .p99 = quantile(answers, 0.99),
            .worst = std::ranges::max(answers),
            .whole_p99 = quantile(wholes, 0.99),
            .processor_p50 = quantile(processors, 0.5),
            .processor_p99 = quantile(processors, 0.99)};
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (processors[i] == line.processor_p99) line.slow = requests[i];
  }
  return line;
}

class Queries {
 public:
  explicit Queries(const Snapshot& snapshot) : s_(snapshot) {
    for (Index i = 0; i < s_.runs().size(); ++i) {
      if ((s_.runs()[i].flags & catalog::run_flags::kEligible) != 0) runs_.push_back(i);
    }
  }

  std::string operation() { return "op:" + slug_of(pick_operation()); }

  // A measured case on its GPU; `step` moves one axis off it.
  std::string bound(std::int64_t step) {
    const catalog::RunRow& run = s_.runs()[runs_[below(runs_.size())]];
    const catalog::WorkloadRow& workload = s_.workloads()[run.workload];
    std::string text = "op:" + slug_of(workload.operation);
    catalog::CaseFacts facts;
    s_.read_case(workload, facts);
    const std::size_t moved = facts.axes.empty() ? 0 : below(facts.axes.size());
    for (std::size_t i = 0; i < facts.axes.size(); ++i) {
      text += fmt::format(" axis:{}={}", s_.name(facts.axes[i].name),
                          facts.axes[i].value + (i == moved ? step : 0));
    }
    return text + gpu_of(run);
  }

  std::string filtered() {
    const catalog::RunRow& run = s_.runs()[runs_[below(runs_.size())]];
    return "op:" + slug_of(s_.workloads()[run.workload].operation) + gpu_of(run) +
           (below(2) == 0 ? " source:true" : " trust:reproducible");
  }

  // One to four words of a name, the last perhaps cut or misspelt.
  std::string words() {
    const catalog::OperationRow& row = s_.operations()[pick_operation()];
    std::string name = ascii_lower(s_.text(row.name));
    std::ranges::replace(name, '_', ' ');
    std::vector<std::string> parts;
    for (const std::string_view part : split(name, ' ')) parts.emplace_back(part);
    const std::size_t first = below(parts.size());
    const std::size_t count = std::min(parts.size() - first, 1 + below(4));
    std::string text;
    for (std::size_t i = first; i < first + count; ++i)
      text += (text.empty() ? "" : " ") + parts[i];
    switch (below(4)) {
      case 0:
        return text.substr(0, std::max<std::size_t>(2, text.size() - 1));
      case 1:
        if (text.size() > 4) std::swap(text[text.size() - 2], text[text.size() - 3]);
        return text;
      default:
        return text;
    }
  }

  std::string family_on_gpu() {
    const catalog::RunRow& run = s_.runs()[runs_[below(runs_.size())]];
    const Index operation = s_.workloads()[run.workload].operation;
    return std::string(s_.name(s_.operations()[operation].family)) + gpu_of(run);
  }

  std::string only_filters() {
    return gpu_of(s_.runs()[runs_[below(runs_.size())]]).substr(1) + (below(2) == 0 ? " bf16" : "");
  }

 private:
  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }
  Index pick_operation() {
    return s_.workloads()[s_.runs()[runs_[below(runs_.size())]].workload].operation;
  }
  std::string slug_of(Index operation) const {
    return std::string(s_.text(s_.operations()[operation].slug));
  }
  std::string gpu_of(const catalog::RunRow& run) const {
    const catalog::EnvironmentRow& row = s_.environments()[s_.cohorts()[run.cohort].environment];
    return fmt::format(" gpu:\"{}\"", s_.name(row.product));
  }

  const Snapshot& s_;
  std::vector<Index> runs_;
  std::mt19937_64 random_{7};
};

std::shared_ptr<const Snapshot> synthetic(std::uint64_t runs) {
  testing::ExportFolder folder;
  json::Reader reader(
      json::Limits{.max_bytes = std::size_t{64} << 20, .max_depth = 64, .max_issues = 10});
  const auto sink = [&](std::string_view lines) -> Result<void> {
    for (const std::string_view line : split(lines, '\n')) {
      if (line.empty()) continue;
      KI_TRY(const json::Value value, reader.read(line));
      // Leader events play no part in answers.
      const json::Value* table = value.find("table");
      if (table == nullptr || table->string() == "record_events") continue;
      KI_TRY_VOID(folder.add(table->string(), *value.find("row")));
    }
    return {};
  };
  const auto counts = synth::generate({.runs = runs, .seed = 1}, sink);
  if (!counts) {
    std::fprintf(stderr, "%s\n", counts.error().to_string().c_str());
    return nullptr;
  }
  return std::move(folder).finish();
}

class Bench {
 public:
  // `only`: the kinds of request whose name has this text.
  Bench(const Snapshot& snapshot, std::size_t requests, std::string_view only)
      : snapshot_(snapshot),
        requests_(requests),
        only_(only),
        queries_(snapshot),
        index_(build(snapshot)),
        resolver_(make_resolver()) {}

  void run() {
    resolve("exact resolve: operation", [&] { return queries_.operation(); });
    resolve("exact resolve: measured case and GPU", [&] { return queries_.bound(0); });
    resolve("exact resolve: case not measured", [&] { return queries_.bound(1); });
    resolve("exact resolve: GPU and policy", [&] { return queries_.filtered(); });
    resolve("free-text search", [&] { return queries_.words(); });
    resolve("list with evidence: family and GPU", [&] { return queries_.family_on_gpu(); });
    resolve("list with evidence: filters alone", [&] { return queries_.only_filters(); });
    suggest();
  }

  const std::vector<Line>& lines() const { return lines_; }
  double index_ms() const { return index_ms_; }
  double resolver_ms() const { return resolver_ms_; }
  std::size_t index_bytes() const { return index_.memory_bytes(); }

 private:
  SearchIndex build(const Snapshot& snapshot) {
    const auto start = Clock::now();
    SearchIndex index(snapshot);
    index_ms_ = micros(Clock::now() - start) / 1000;
    return index;
  }
  Resolver make_resolver() {
    const auto start = Clock::now();
    Resolver resolver(snapshot_, index_);
    resolver_ms_ = micros(Clock::now() - start) / 1000;
    return resolver;
  }

  bool is_wanted(std::string_view what) const { return what.find(only_) != what.npos; }

  void resolve(std::string what, const std::function<std::string()>& next) {
    if (!is_wanted(what)) return;
    std::vector<std::string> requests;
    for (std::size_t i = 0; i < requests_; ++i) requests.push_back(next());
    std::vector<std::vector<Sample>> passes(kPasses + 1);
    for (auto& pass : passes) {
      for (const std::string& text : requests) {
        const double processor = processor_micros();
        const auto start = Clock::now();
        const query::Intent intent = query::parse_query(text);
        const auto parsed = Clock::now();
        resolver_.resolve({.intent = &intent, .query = text, .cohort = {}, .now = {}}, scratch_,
                          answer_);
        const auto end = Clock::now();
        pass.push_back({.answer = micros(end - parsed),
                        .whole = micros(end - start),
                        .processor = processor_micros() - processor});
      }
    }
    passes.erase(passes.begin());  // warm-up
    lines_.push_back(summarize(std::move(what), requests, passes));
  }

  void suggest() {
    if (!is_wanted("suggestions")) return;
    std::vector<std::string> requests;
    for (std::size_t i = 0; i < requests_; ++i) {
      const std::string text = queries_.words();
      requests.push_back(text.substr(0, 1 + i % text.size()));
    }
    std::vector<std::vector<Sample>> passes(kPasses);
    for (auto& pass : passes) {
      for (const std::string& text : requests) {
        const double processor = processor_micros();
        const auto start = Clock::now();
        const auto found = index_.suggest(text);
        const double wall = micros(Clock::now() - start);
        pass.push_back(
            {.answer = wall, .whole = wall, .processor = processor_micros() - processor});
      }
    }
    lines_.push_back(summarize("suggestions", requests, passes));
  }

  static constexpr std::size_t kPasses = 5;
  const Snapshot& snapshot_;
  std::size_t requests_;
  std::string_view only_;
  Queries queries_;
  double index_ms_ = 0, resolver_ms_ = 0;
  SearchIndex index_;
  Resolver resolver_;
  Scratch scratch_;
  Answer answer_;
  std::vector<Line> lines_;
};

void print(const Snapshot& snapshot, const Bench& bench, bool as_json) {
  if (as_json) {
    std::string text;
    json::Writer out(text, json::Writer::Style::kIndented);
    out.begin_object()
        .member("operations", snapshot.operations().size())
        .member("runs", snapshot.runs().size());
    out.member("index_build_ms", bench.index_ms())
        .member("index_bytes", bench.index_bytes())
        .member("resolver_build_ms", bench.resolver_ms());
    out.key("latencies_us").begin_array();
    for (const Line& line : bench.lines()) {
      out.begin_object()
          .member("what", line.what)
          .member("count", line.count)
          .member("p50", line.p50);
      out.member("p99", line.p99)
          .member("max", line.worst)
          .member("with_parsing_p99", line.whole_p99);
      out.member("processor_p50", line.processor_p50)
          .member("processor_p99", line.processor_p99)
          .end_object();
    }
    out.end_array().end_object();
    std::printf("%s\n", text.c_str());
    return;
  }
  std::printf("%zu operations, %zu runs; index built in %.1f ms (%.1f MiB), resolver in %.1f ms\n",
              snapshot.operations().size(), snapshot.runs().size(), bench.index_ms(),
              static_cast<double>(bench.index_bytes()) / (1 << 20), bench.resolver_ms());
  std::printf("%-40s %8s %9s %9s %9s %9s %9s %9s\n", "", "requests", "p50 us", "p99 us", "max us",
              "p99+parse", "cpu p50", "cpu p99");
  for (const Line& line : bench.lines()) {
    std::printf("%-40s %8zu %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f\n", line.what.c_str(), line.count,
                line.p50, line.p99, line.worst, line.whole_p99, line.processor_p50,
                line.processor_p99);
    std::printf("  at the cpu p99: %s\n", line.slow.c_str());
  }
}

// A catalog file as `ki` opens it, up to the first answer. Prints what that took.
struct Opened {
  std::unique_ptr<store_sqlite::SqliteStore> store;
  std::shared_ptr<const Snapshot> snapshot;
};

Result<Opened> open_catalog(const std::string& path, std::string_view question) {
  const double begin = processor_micros();
  const auto start = Clock::now();
  const auto stop = [&] {
    return std::pair(micros(Clock::now() - start), processor_micros() - begin);
  };
  Opened opened;
  KI_TRY(opened.store, store_sqlite::SqliteStore::open(path, {.read_only = true}));
  KI_TRY(const auto live, catalog::LiveCatalog::open(*opened.store, path + ".snapshot"));
  opened.snapshot = live->current();
  const auto open = stop();
  const SearchIndex index(*opened.snapshot);
  const Resolver resolver(*opened.snapshot, index);
  const auto indexed = stop();
  const query::Intent intent = query::parse_query(question);
  const Answer answer = resolver.resolve(
      {.intent = &intent, .query = std::string(question), .cohort = {}, .now = {}});
  const auto answered = stop();
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "start: snapshot verified and open after %.1f ms, indexes after %.1f ms, first answer after "
      "%.1f ms\n(processor time %.1f, %.1f and %.1f ms); peak memory then %.1f MiB\n",
      open.first / 1e3, indexed.first / 1e3, answered.first / 1e3, open.second / 1e3,
      indexed.second / 1e3, answered.second / 1e3, static_cast<double>(usage.ru_maxrss) / 1024.0);
  return opened;
}

int main_of(std::span<const std::string_view> arguments) {
  std::uint64_t runs = 0;
  std::string catalog_path;
  std::size_t requests = 5'000;
  std::string_view only;
  bool as_json = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool has_next = i + 1 < arguments.size();
    const auto number = [&](auto& value) {
      const std::string_view text = arguments[++i];
      return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc();
    };
    bool is_good = true;
    if (arguments[i] == "--json") {
      as_json = true;
    } else if (arguments[i] == "--runs" && has_next) {
      is_good = number(runs);
    } else if (arguments[i] == "--catalog" && has_next) {
      catalog_path = arguments[++i];
    } else if (arguments[i] == "--requests" && has_next) {
      is_good = number(requests);
    } else if (arguments[i] == "--only" && has_next) {
      only = arguments[++i];
    } else {
      is_good = false;
    }
    if (!is_good) {
      std::fprintf(stderr,
                   "usage: bench_resolve [--runs N | --catalog PATH] [--requests N] [--only TEXT] "
                   "[--json]\n");
      return 2;
    }
  }
  std::shared_ptr<const Snapshot> snapshot;
  Opened opened;
  if (!catalog_path.empty()) {
    auto done = open_catalog(catalog_path, "gemm gpu:\"NVIDIA B200\"");
    if (!done) {
      std::fprintf(stderr, "%s\n", done.error().to_string().c_str());
      return 1;
    }
    opened = *std::move(done);
    snapshot = opened.snapshot;
  } else {
    snapshot = runs > 0 ? synthetic(runs) : testing::real_catalog();
  }
  if (!snapshot) {
    std::fprintf(stderr, "no catalog: ../shared is absent; try --runs 10000\n");
    return 1;
  }
  Bench bench(*snapshot, requests, only);
  bench.run();
  print(*snapshot, bench, as_json);
  return 0;
}

}  // namespace
}  // namespace ki::resolve

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  return ki::resolve::main_of(arguments);
}
