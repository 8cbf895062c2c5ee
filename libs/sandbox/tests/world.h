// What the tests of sandboxes share: one host, fixtures compiled for real.
#pragma once

#include "ki/sandbox/builder.h"
#include "ki/sandbox/cell.h"
#include "ki/sandbox/host.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <span>
#include <string>

namespace ki::sandbox {

// Nothing, with `why`, where this machine or user may make no sandbox.
inline const Host* shared_host(std::string& why) {
  static const auto host = Host::open();
  if (!host) why = host.error().to_string();
  return host ? &*host : nullptr;
}

// Compiled once a text and flags.
inline Result<BuildResult> compiled(const Host& host, const std::string& source,
                                    std::vector<std::string> flags = {}) {
  static std::map<std::string, BuildResult> known;
  std::string key = source;
  for (const auto& flag : flags) key += "\n" + flag;
  if (const auto found = known.find(key); found != known.end()) return found->second;
  auto built = build(host, {.sources = {{"kernel.c", source}}, .flags = std::move(flags)});
  if (built) known.emplace(key, *built);
  return built;
}

inline const char* kPrelude = R"(
#define _GNU_SOURCE
#include <ki/kernel_abi.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
const uint32_t ki_kernel_abi = KI_KERNEL_ABI;
#define ENTRY int32_t entry(const ki_tensor* in, int32_t n_in, ki_tensor* out, int32_t n_out, const ki_exec* exec)
)";

// One float input and one float output of `count` elements; the source gets the prelude.
struct Started {
  std::string skip;  // why there is no cell
  std::optional<Cell> cell;
};
inline Started start_cell(const std::string& body, std::int64_t count = 1024, int sets = 1,
                          int threads = 1, std::uint64_t memory = std::uint64_t{256} << 20,
                          const std::string& extra_flag = {}) {
  Started out;
  const Host* host = shared_host(out.skip);
  if (host == nullptr) return out;
  std::vector<std::string> flags = {"-O1"};
  if (!extra_flag.empty()) flags.push_back(extra_flag);
  const auto built = compiled(*host, std::string(kPrelude) + body, flags);
  if (!built || built->outcome != BuildOutcome::kBuilt) {
    ADD_FAILURE() << (built ? built->reason + "\n" + built->log : built.error().to_string());
    return out;
  }
  const auto bytes = static_cast<std::uint64_t>(count) * 4;
  auto cell = Cell::start(*host, {.object = built->object,
                                  .entry = "entry",
                                  .inputs = {{2, {count}, bytes}},
                                  .outputs = {{2, {count}, bytes}},
                                  .sets = sets,
                                  .threads = threads,
                                  .memory_bytes = memory});
  if (!cell) {
    ADD_FAILURE() << cell.error().to_string();
    return out;
  }
  out.cell.emplace(std::move(*cell));
  return out;
}

inline std::span<float> floats(std::span<std::byte> bytes) {
  return {reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)};
}

#define KI_CELL(name, ...)                                                              \
  auto name##_started = ::ki::sandbox::start_cell(__VA_ARGS__);                         \
  if (!name##_started.skip.empty()) GTEST_SKIP() << "skipped: " << name##_started.skip; \
  ASSERT_TRUE(name##_started.cell);                                                     \
  ::ki::sandbox::Cell& name = *name##_started.cell

}  // namespace ki::sandbox
