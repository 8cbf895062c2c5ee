// The two seccomp filters of a cell, as one table of rules that is compiled to BPF and that the
// parent evaluates again for every call that the kernel hands to it.
#pragma once

#include <linux/filter.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ki::sandbox {

enum class Action : std::uint8_t {
  kAllow,
  kKill,        // the call is not performed and the process dies
  kRefuse,      // EPERM, and an event
  kNoSuchCall,  // ENOSYS, so that the C library takes the older call
  kOpen,        // allowed while loading, refused afterwards
  kSeal,        // seccomp(): allowed once, by the shim, for the seal filter
};

enum class Test : std::uint8_t { kAnySet, kNoneSet, kEquals, kIsZero, kIsNotZero };

struct Condition {
  int argument;
  Test test;
  std::uint32_t value = 0;  // a mask, or what the low 32 bits must equal
};

struct Rule {
  int system_call;
  std::vector<Condition> conditions;  // all must hold
  Action action;
};

struct FilterRules {
  std::vector<Rule> rules;  // the first that matches decides
  Action otherwise;
};

const FilterRules& load_rules();   // in force before candidate code is mapped
const FilterRules& seal_rules();   // on top, before the first call
const FilterRules& build_rules();  // of the compiler's sandbox

// With `has_notify`, whatever is not simply allowed goes to the parent, which decides by
// decide(); without, the kernel kills or refuses by itself and events are not counted.
std::vector<sock_filter> compile(const FilterRules& rules, bool has_notify);

Action decide(const FilterRules& rules, int system_call,
              const std::array<std::uint64_t, 6>& arguments);

// "socket", or "system call 451" where the table has no name.
std::string system_call_name(int number);

}  // namespace ki::sandbox
