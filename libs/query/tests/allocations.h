// Counts what the calling thread allocates, for functions that promise to allocate nothing.
#pragma once

#include <cstddef>

namespace ki::query {
std::size_t allocations();
}
