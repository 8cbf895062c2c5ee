// What a scalar means by the YAML 1.2 core schema (section 10.3.2).
#pragma once

#include "ki/json/value.h"

#include <cstdint>
#include <string_view>

namespace ki::yaml {

enum class ScalarError : std::uint8_t {
  kNone,
  kNotFinite,  // .inf or .nan
  kOverflow,
  kUnderflow,
  kTooLarge,  // |x| >= 2^53
};

struct Scalar {
  json::Value value;  // without an offset; a string value points into the text that was given
  ScalarError error = ScalarError::kNone;
};

// Resolves a scalar in plain style. Numbers that are not in their RFC 8785 spelling are marked.
Scalar resolve_plain(std::string_view text);

}  // namespace ki::yaml
