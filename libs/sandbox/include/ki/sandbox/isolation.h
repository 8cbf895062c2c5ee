// How far a sandbox isolates, as facts that were found by performing the act or by looking at the
// process from outside (harness 14 section 2). A level is never claimed from a setting.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ki::sandbox {

enum class IsolationLevel : std::uint8_t {
  kNone,     // any condition but the limits is missing
  kPartial,  // only the limits by control group are missing
  kFull,     // what a verified run needs
};
std::string_view to_string(IsolationLevel level);  // "none", "partial", "full"

struct IsolationFact {
  std::string id;  // stable: "uid", "namespaces", "root", "seccomp", "limits", "freeze", "fds", ...
  bool holds;
  bool is_required;      // of level full; Landlock and the like are recorded only
  std::string observed;  // what was seen, with its numbers
};

struct IsolationReport {
  IsolationLevel level = IsolationLevel::kNone;
  std::vector<IsolationFact> facts;

  const IsolationFact* find(std::string_view id) const;
};

// The level that the facts support. Pure.
IsolationLevel level_of(const std::vector<IsolationFact>& facts);

}  // namespace ki::sandbox
