#include "layout_key.h"

#include "members.h"

#include <cstdint>

namespace ki::manifest {

std::string_view layout_key(const json::Value& case_tensor) {
  const json::Value* strides = case_tensor.find("strides");
  if (strides == nullptr) return "contiguous";
  const auto shape = items_at(case_tensor, "shape");
  const auto given = strides->items();
  if (given.size() != shape.size()) return "strided";
  std::int64_t packed = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (given[i].integer() != packed) return "strided";
    // A product beyond 2^63 matches no stride that a manifest can hold.
    if (__builtin_mul_overflow(packed, shape[i].integer().value_or(0), &packed)) return "strided";
  }
  return "row_major";
}

}  // namespace ki::manifest
