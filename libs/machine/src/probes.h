// The table of what an environment snapshot asks, and of whom.
#pragma once

#include "ki/machine/snapshot.h"

#include <functional>
#include <span>

namespace ki::machine {

struct Probe {
  std::string_view name;
  std::string_view unit;
  std::string_view source;
  std::function<std::optional<MemberValue>()> read;
};

std::span<const Probe> probes();

std::vector<std::pair<std::string, std::string>> allowed_variables();

}  // namespace ki::machine
