// Looks at a sandboxed process from outside and states what it sees.
#pragma once

#include "ki/sandbox/isolation.h"

#include <cstdint>
#include <vector>

namespace ki::sandbox {

struct Expectation {
  std::uint32_t uid = 0;    // the spare uid; 0: the parent is not root, so there is none
  int seccomp_filters = 2;  // 0: not in force yet, no fact is made
  std::vector<int> descriptors = {2};
};

// The facts "uid", "namespaces", "root", "seccomp", "privileges", "fds".
std::vector<IsolationFact> look_at(int pid, const Expectation& expected);

}  // namespace ki::sandbox
