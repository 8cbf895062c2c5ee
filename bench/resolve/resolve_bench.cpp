// How long an answer takes in process, warm: complete answers for one operation (all groups, 50
// rows each, mismatches), free-text search, lists with evidence, suggestions; and how long the
// index takes to build, which every start pays.
//
//   bench_resolve [--runs N] [--requests N] [--json]
//
// Without --runs: the public catalog beside the checkout. With it: a synthetic one.
#include "ki/base/text.h"
#include "ki/catalog/snapshot.h"
#include "ki/json/reader.h"
#include "ki/json/writer.h"
#include "ki/query/parse.h"
#include "ki/resolve/resolver.h"
#include "ki/resolve/testing/export_folder.h"
#include "ki/synth/generator.h"

#include <fmt/format.h>

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

struct Line {
  std::string what;
  std::size_t count = 0;
  double p50 = 0, p99 = 0, worst = 0, mean = 0;  // microseconds
  std::string slow = {};                         // a request at the 99th percentile
};

Line summarize(std::string what, std::vector<double> times) {
  std::ranges::sort(times);
  const auto at = [&](double q) {
    return times[static_cast<std::size_t>(q * static_cast<double>(times.size() - 1))];
  };
  double sum = 0;
  for (const double t : times) sum += t;
  return {std::move(what), times.size(), at(0.5),
          at(0.99),        times.back(), sum / static_cast<double>(times.size())};
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
  Bench(const Snapshot& snapshot, std::size_t requests)
      : snapshot_(snapshot),
        requests_(requests),
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

  void resolve(std::string what, const std::function<std::string()>& next) {
    std::vector<double> times, with_parse;
    std::vector<std::pair<double, std::string>> requests;
    times.reserve(requests_);
    for (std::size_t i = 0; i < requests_ + requests_ / 10; ++i) {
      const std::string text = next();
      const auto start = Clock::now();
      const query::Intent intent = query::parse_query(text);
      const auto parsed = Clock::now();
      resolver_.resolve({.intent = &intent, .query = text, .cohort = {}, .now = {}}, scratch_,
                        answer_);
      const auto end = Clock::now();
      if (i < requests_ / 10) continue;  // warm-up
      times.push_back(micros(end - parsed));
      requests.emplace_back(times.back(), text);
      with_parse.push_back(micros(end - start));
    }
    const auto tail = requests.begin() + static_cast<std::ptrdiff_t>(requests.size() * 99 / 100);
    std::nth_element(requests.begin(), tail, requests.end());
    lines_.push_back(summarize(what, std::move(times)));
    lines_.back().slow = tail->second;
    lines_.push_back(summarize(std::move(what) + ", with parsing", std::move(with_parse)));
  }

  void suggest() {
    std::vector<double> times;
    for (std::size_t i = 0; i < requests_ / 10; ++i) {
      const std::string text = queries_.words();
      const auto start = Clock::now();
      const auto found = index_.suggest(text.substr(0, 1 + i % text.size()));
      times.push_back(micros(Clock::now() - start));
    }
    lines_.push_back(summarize("suggestions", std::move(times)));
  }

  const Snapshot& snapshot_;
  std::size_t requests_;
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
      out.member("p99", line.p99).member("max", line.worst).member("mean", line.mean).end_object();
    }
    out.end_array().end_object();
    std::printf("%s\n", text.c_str());
    return;
  }
  std::printf("%zu operations, %zu runs; index built in %.1f ms (%.1f MiB), resolver in %.1f ms\n",
              snapshot.operations().size(), snapshot.runs().size(), bench.index_ms(),
              static_cast<double>(bench.index_bytes()) / (1 << 20), bench.resolver_ms());
  std::printf("%-52s %8s %9s %9s %9s %9s\n", "", "requests", "p50 us", "p99 us", "max us",
              "mean us");
  for (const Line& line : bench.lines()) {
    std::printf("%-52s %8zu %9.1f %9.1f %9.1f %9.1f\n", line.what.c_str(), line.count, line.p50,
                line.p99, line.worst, line.mean);
    if (!line.slow.empty()) std::printf("  p99: %s\n", line.slow.c_str());
  }
}

int main_of(std::span<const std::string_view> arguments) {
  std::uint64_t runs = 0;
  std::size_t requests = 20'000;
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
    } else if (arguments[i] == "--requests" && has_next) {
      is_good = number(requests);
    } else {
      is_good = false;
    }
    if (!is_good) {
      std::fprintf(stderr, "usage: bench_resolve [--runs N] [--requests N] [--json]\n");
      return 2;
    }
  }
  const auto snapshot = runs > 0 ? synthetic(runs) : testing::real_catalog();
  if (!snapshot) {
    std::fprintf(stderr, "no catalog: ../shared is absent; try --runs 10000\n");
    return 1;
  }
  Bench bench(*snapshot, requests);
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
