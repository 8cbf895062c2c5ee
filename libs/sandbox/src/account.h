// What the kernel counts for a process, read from outside.
#pragma once

#include "ki/sandbox/cell.h"

#include <map>

namespace ki::sandbox {

struct AccountReading {
  ThreadAccount total;
  std::map<int, int> processor_of;  // thread to processor
};

// Of all threads of a process; zero where it is gone.
AccountReading read_account(int pid);
// Threads of a process that are stopped by a signal.
int stopped_threads(int pid);

}  // namespace ki::sandbox
