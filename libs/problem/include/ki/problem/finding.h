// Finding: one thing that a reader noticed, and which of the two verdicts it costs. The strict
// verdict is ours; the compatible one accepts exactly what the original models accept.
#pragma once

#include "ki/base/error.h"
#include "ki/base/result.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ki::problem {

enum class Mode : std::uint8_t { kStrict, kCompatible };

struct Finding {
  Issue issue;
  bool is_refused_strictly = true;
  bool is_refused_compatibly = true;  // false: the original reads it; what it makes of it is said

  bool refuses(Mode mode) const {
    return mode == Mode::kStrict ? is_refused_strictly : is_refused_compatibly;
  }
};

using Findings = std::vector<Finding>;

inline bool is_accepted(const Findings& findings, Mode mode) {
  for (const Finding& finding : findings) {
    if (finding.refuses(mode)) return false;
  }
  return true;
}

// What was read and everything that was found, in the order of the text.
template <class T>
struct Reading {
  std::optional<T> value;  // absent when something is refused by both verdicts
  Findings findings;

  bool is_accepted(Mode mode) const { return value && problem::is_accepted(findings, mode); }
};

// The findings that refuse in that mode, as one error; `what` says of which file.
Error refusal(const Findings& findings, Mode mode, std::string what);

}  // namespace ki::problem
