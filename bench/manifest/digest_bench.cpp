// Question: how many MB of manifests a second does one core read, validate, canonicalise and
// digest? Input: the manifests of a catalog export (table, row per line), projects left out, each
// as compact JSON with the member order of the export. Every digest is compared with the stored one
// where the row has one. Prints one line per stage: MB a second of processor time of the median
// pass, the spread, MB a second by the wall clock, and the passes. Processor time, because on a
// shared machine the wall clock also counts the time in which others had the core.
//
//   bench_manifest_digest CATALOG.jsonl[.zst] [--passes N] [--write FILE] [--only-digest]
//
// --write saves the manifests, one a line: the input of npm_bench.mjs.
#include "ki/digest/digest.h"
#include "ki/io/file.h"
#include "ki/io/lines.h"
#include "ki/json/canonical.h"
#include "ki/json/reader.h"
#include "ki/json/writer.h"
#include "ki/manifest/validator.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Input {
  std::string text;
  std::optional<std::string> digest;
};

constexpr std::string_view kDigestColumns[] = {
    "semanticDigest",      "workloadDigest", "implementationDigest", "modelDigest", "stackDigest",
    "configurationDigest", "runDigest"};

void add(std::vector<Input>& inputs, const ki::json::Value& manifest,
         const ki::json::Value* digest) {
  Input input;
  ki::json::Writer(input.text).value(manifest);
  if (digest != nullptr && digest->is_string()) input.digest = digest->string();
  inputs.push_back(std::move(input));
}

ki::Result<std::vector<Input>> load(const std::string& path) {
  std::vector<Input> inputs;
  KI_TRY(ki::io::LineReader lines, ki::io::LineReader::open(path));
  ki::json::Reader reader(ki::json::Limits{.max_bytes = std::size_t{64} << 20});
  for (;;) {
    KI_TRY(const std::optional<std::string_view> line, lines.next());
    if (!line) return inputs;
    KI_TRY(const ki::json::Value value, reader.read(*line));
    const ki::json::Value* table = value.find("table");
    const ki::json::Value* row = value.find("row");
    if (table == nullptr || row == nullptr || table->string() == "projects") continue;
    const ki::json::Value* manifest = row->find("manifest");
    if (manifest == nullptr) continue;
    if (const ki::json::Value* run = manifest->find("run")) {
      add(inputs, *run, row->find("runDigest"));
      add(inputs, *manifest->find("protocol"), row->find("protocolKey"));
      add(inputs, *manifest->find("environment"), row->find("environmentKey"));
      continue;
    }
    for (const std::string_view column : kDigestColumns) {
      if (const ki::json::Value* digest = row->find(column)) {
        add(inputs, *manifest, digest);
        break;
      }
    }
  }
}

double processor_seconds() {
  timespec t{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

void measure(std::string_view name, const std::vector<Input>& inputs, int passes,
             const std::function<void()>& pass) {
  std::size_t bytes = 0;
  for (const Input& input : inputs) bytes += input.text.size();
  pass();  // warm-up
  std::vector<double> rates;
  std::vector<double> wall_rates;
  for (int i = 0; i < passes; ++i) {
    const double used = processor_seconds();
    const auto begin = std::chrono::steady_clock::now();
    pass();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    rates.push_back(static_cast<double>(bytes) / 1e6 / (processor_seconds() - used));
    wall_rates.push_back(static_cast<double>(bytes) / 1e6 / took.count());
  }
  std::ranges::sort(rates);
  std::ranges::sort(wall_rates);
  fmt::print("{:<34}{:>9.1f} MB/s  [{:.1f}, {:.1f}]  wall {:.1f}  {} passes\n", name,
             rates[rates.size() / 2], rates.front(), rates.back(),
             wall_rates[wall_rates.size() / 2], passes);
}

}  // namespace

int main(int argc, char** argv) {
  std::string path;
  std::string write_to;
  int passes = 15;
  bool is_only_digest = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--passes" && i + 1 < argc) {
      passes = std::max(1, std::atoi(argv[++i]));
    } else if (argument == "--write" && i + 1 < argc) {
      write_to = argv[++i];
    } else if (argument == "--only-digest") {
      is_only_digest = true;
    } else {
      path = argument;
    }
  }
  if (path.empty()) {
    fmt::print(stderr,
               "usage: bench_manifest_digest CATALOG.jsonl[.zst] [--passes N] [--write FILE] "
               "[--only-digest]\n");
    return 2;
  }
  const auto loaded = load(path);
  if (!loaded) {
    fmt::print(stderr, "{}\n", loaded.error().to_string());
    return 1;
  }
  const std::vector<Input>& inputs = *loaded;
  std::size_t bytes = 0;
  for (const Input& input : inputs) bytes += input.text.size();
  fmt::print("{} manifests, {:.2f} MB\n", inputs.size(), static_cast<double>(bytes) / 1e6);
  if (!write_to.empty()) {
    std::string lines;
    for (const Input& input : inputs) lines += input.text + '\n';
    if (const auto written = ki::io::write_file_atomically(write_to, lines); !written) {
      fmt::print(stderr, "{}\n", written.error().to_string());
      return 1;
    }
  }

  ki::manifest::Validator validator(ki::manifest::Profile::kCompat);
  std::size_t compared = 0;
  for (const Input& input : inputs) {
    const auto valid = validator.read(input.text);
    if (!valid) {
      fmt::print(stderr, "{}\n{}\n", input.text, valid.error().to_string());
      return 1;
    }
    if (!input.digest) continue;
    ++compared;
    if (valid->digest.to_string() != *input.digest) {
      fmt::print(stderr, "digest {} of {}\n", valid->digest.to_string(), input.text);
      return 1;
    }
  }
  fmt::print("{} digests equal to the stored ones\n", compared);

  std::size_t sink = 0;
  if (!is_only_digest)
    measure("parse", inputs, passes, [&] {
      ki::json::Reader reader;
      for (const Input& input : inputs) sink += reader.read(input.text)->members().size();
    });
  if (!is_only_digest)
    measure("parse + canonicalise", inputs, passes, [&] {
      ki::json::Reader reader;
      std::string out;
      for (const Input& input : inputs) {
        out.clear();
        ki::json::append_canonical(out, *reader.read(input.text));
        sink += out.size();
      }
    });
  if (!is_only_digest)
    measure("SHA-256 of the texts", inputs, passes, [&] {
      for (const Input& input : inputs) sink += ki::Digest::of(input.text).bytes()[0];
    });
  measure("parse + validate + canon + SHA-256", inputs, passes, [&] {
    for (const Input& input : inputs) sink += validator.read(input.text)->digest.bytes()[0];
  });
  return sink == 0 ? 1 : 0;
}
