// What the system says about this process (proc(5)).
#pragma once

#include <cstdint>

namespace ki::serve {

struct ProcessFacts {
  std::uint64_t resident_bytes = 0;
  std::uint64_t open_files = 0;
  std::uint64_t threads = 0;
};

// Zeros where /proc is not there.
ProcessFacts read_process_facts();

}  // namespace ki::serve
