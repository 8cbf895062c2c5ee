// How often the program has allocated so far; for tests of code that must not.
#pragma once

#include <cstddef>

namespace ki::policy {
std::size_t allocations();
}  // namespace ki::policy
