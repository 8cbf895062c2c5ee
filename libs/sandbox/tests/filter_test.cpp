#include "filter.h"

#include <gtest/gtest.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#include <cstddef>
#include <cstring>

namespace ki::sandbox {
namespace {

// A small interpreter of the instructions that compile() uses: classic BPF, as in
// Documentation/networking/filter.rst.
std::uint32_t run(const std::vector<sock_filter>& program, const seccomp_data& data) {
  std::uint32_t accumulator = 0;
  for (std::size_t at = 0; at < program.size(); ++at) {
    const sock_filter& step = program[at];
    switch (step.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        std::memcpy(&accumulator, reinterpret_cast<const char*>(&data) + step.k,
                    sizeof accumulator);
        break;
      case BPF_JMP | BPF_JEQ | BPF_K:
        at += accumulator == step.k ? step.jt : step.jf;
        break;
      case BPF_JMP | BPF_JSET | BPF_K:
        at += (accumulator & step.k) != 0 ? step.jt : step.jf;
        break;
      case BPF_RET | BPF_K:
        return step.k;
      default:
        ADD_FAILURE() << "unknown instruction " << step.code;
        return 0;
    }
  }
  ADD_FAILURE() << "ran off the end";
  return 0;
}

std::uint32_t expected(Action action, bool has_notify) {
  switch (action) {
    case Action::kAllow:
      return SECCOMP_RET_ALLOW;
    case Action::kKill:
      return has_notify ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_KILL_PROCESS;
    case Action::kRefuse:
      return has_notify ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ERRNO | 1u;
    case Action::kNoSuchCall:
      return SECCOMP_RET_ERRNO | 38u;
    case Action::kOpen:
    case Action::kSeal:
      return has_notify ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ALLOW;
  }
  return 0;
}

TEST(Filter, TheKernelsProgramAndTheParentsRulesDecideAlike) {
  const std::uint64_t values[] = {
      0, 1, 2, 3, 4, 7, 8, 11, 15, 31, 32, 0x22, 0x5401, 0x10000, std::uint64_t{1} << 32};
  for (const FilterRules* rules : {&load_rules(), &seal_rules(), &build_rules()}) {
    for (const bool has_notify : {false, true}) {
      const auto program = compile(*rules, has_notify);
      EXPECT_LE(program.size(), 512u);
      for (int call = 0; call < 470; ++call) {
        for (const std::uint64_t first : values) {
          for (const std::uint64_t second : values) {
            seccomp_data data{};
            data.nr = call;
            data.arch = 0xc000003e;
            data.args[0] = first;
            data.args[1] = second;
            data.args[2] = first ^ second;
            data.args[3] = second << 1;
            std::array<std::uint64_t, 6> arguments;
            std::copy_n(data.args, 6, arguments.begin());
            ASSERT_EQ(run(program, data), expected(decide(*rules, call, arguments), has_notify))
                << call << " " << first << " " << second;
          }
        }
      }
    }
  }
}

TEST(Filter, OtherArchitecturesAndX32AreKilled) {
  const auto program = compile(load_rules(), true);
  seccomp_data data{};
  data.nr = SYS_read;
  data.arch = 0x40000003;  // i386
  EXPECT_EQ(run(program, data), SECCOMP_RET_KILL_PROCESS);
  data.arch = 0xc000003e;
  EXPECT_EQ(run(program, data), SECCOMP_RET_ALLOW);
  data.nr = SYS_read | 0x40000000;
  EXPECT_EQ(run(program, data), SECCOMP_RET_KILL_PROCESS);
}

TEST(Filter, WhatNoRuleKnowsIsRefused) {
  EXPECT_EQ(decide(load_rules(), 9999, {}), Action::kRefuse);
  EXPECT_EQ(decide(load_rules(), SYS_socket, {}), Action::kRefuse);
  EXPECT_EQ(system_call_name(SYS_socket), "socket");
  EXPECT_EQ(system_call_name(9999), "system call 9999");
}

}  // namespace
}  // namespace ki::sandbox
