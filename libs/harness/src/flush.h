// Cold caches: every line of the call's buffers leaves the caches, by the parent, which maps the
// same pages as the candidate (harness 10 section 3).
#pragma once

#include <cstddef>
#include <span>

namespace ki::harness {

void flush_lines(std::span<const std::byte> bytes);

}  // namespace ki::harness
