// Cache control by the parent, which maps the same pages as the candidate (harness 10 section 3).
#pragma once

#include "ki/sandbox/cell.h"

#include <cstddef>
#include <span>

namespace ki::measure {

// Every line of these bytes leaves all caches of the machine (clflushopt, then sfence).
void flush_lines(std::span<const std::byte> bytes);

// flush_lines() of every tensor of these sets. Precondition: the cell is frozen.
void flush_cell(const sandbox::Cell& cell, int first_set, int count);

}  // namespace ki::measure
