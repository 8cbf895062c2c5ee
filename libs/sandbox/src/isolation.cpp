#include "ki/sandbox/isolation.h"

namespace ki::sandbox {

std::string_view to_string(IsolationLevel level) {
  switch (level) {
    case IsolationLevel::kNone:
      return "none";
    case IsolationLevel::kPartial:
      return "partial";
    case IsolationLevel::kFull:
      return "full";
  }
  return "none";
}

const IsolationFact* IsolationReport::find(std::string_view id) const {
  for (const IsolationFact& fact : facts) {
    if (fact.id == id) return &fact;
  }
  return nullptr;
}

IsolationLevel level_of(const std::vector<IsolationFact>& facts) {
  // A fact that nobody looked for is a fact that does not hold.
  constexpr std::string_view kRequired[] = {"uid",        "namespaces", "root",   "seccomp",
                                            "privileges", "limits",     "freeze", "fds"};
  IsolationLevel level = IsolationLevel::kFull;
  for (const std::string_view id : kRequired) {
    bool holds = false;
    for (const IsolationFact& fact : facts) holds = holds || (fact.id == id && fact.holds);
    if (holds) continue;
    if (id != "limits") return IsolationLevel::kNone;
    level = IsolationLevel::kPartial;
  }
  return level;
}

}  // namespace ki::sandbox
