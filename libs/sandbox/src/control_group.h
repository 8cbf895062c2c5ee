// ControlGroup: memory and process limits by cgroup v2 or v1, whichever this machine has.
#pragma once

#include "descriptor.h"
#include "ki/base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ki::sandbox {

// Where groups may be made: one folder (v2), or one for memory and one for pids (v1).
struct ControlGroupRoot {
  int version = 0;
  std::vector<std::filesystem::path> folders;
};

// The first place where this process can make a group with both controllers; nothing where it
// cannot. `why` tells what failed.
std::optional<ControlGroupRoot> find_control_groups(std::string& why);

// Removes groups whose owner (in the name: process id and start time) is dead.
void sweep_control_groups(const ControlGroupRoot& root);

class ControlGroup {
 public:
  static Result<ControlGroup> create(const ControlGroupRoot& root, std::uint64_t memory_bytes);
  ~ControlGroup();
  ControlGroup(ControlGroup&&) noexcept = default;
  ControlGroup& operator=(ControlGroup&&) noexcept = default;

  // For the child to write itself in: one of v2, two of v1.
  const std::vector<Descriptor>& process_files() const { return process_files_; }
  Result<void> limit_processes(int count);
  // Processes and threads inside, also those that have ended and that the kernel still counts.
  // 0 where it does not say.
  int task_count() const;
  std::uint64_t out_of_memory_kills() const;
  // Kills what is inside, waits until it is empty, and removes it. False when something remains.
  bool remove();

 private:
  ControlGroup() = default;
  int version_ = 0;
  std::vector<std::filesystem::path> folders_;
  std::vector<Descriptor> process_files_;
};

}  // namespace ki::sandbox
