// What Host holds.
#pragma once

#include "control_group.h"
#include "ki/sandbox/builder.h"
#include "ki/sandbox/host.h"

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace ki::sandbox {

struct HostState {
  std::filesystem::path cell_program;
  std::uint32_t first_spare_uid = 0;
  std::optional<ControlGroupRoot> groups;
  bool has_notify = false;
  double ticks_per_ns = 1;
  IsolationReport isolation;
  // The facts of the live probe of the limits, which hold for every cell.
  IsolationFact limits;
  // What was found out about a compiler once.
  mutable std::mutex compilers_mutex;
  mutable std::map<Compiler, CompilerIdentity> compilers;
};

struct Host::State : HostState {};

}  // namespace ki::sandbox
