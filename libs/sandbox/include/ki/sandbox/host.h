// Host: what every sandbox of this process shares: the ki-cell program, the spare uids, the control
// groups, and what a live probe found about the limits.
#pragma once

#include "ki/base/result.h"
#include "ki/sandbox/isolation.h"

#include <cstdint>
#include <filesystem>
#include <memory>

namespace ki::sandbox {

struct HostOptions {
  // Empty: `ki-cell` beside the running program.
  std::filesystem::path cell_program;
  // The first of 64 uids that nobody uses; cells of a root parent run as one of them.
  std::uint32_t first_spare_uid = 64123;
};

class Host {
 public:
  // Finds the program and the control groups, removes control groups that dead processes of `ki`
  // left, and proves the limits by exceeding them. kNotFound without ki-cell; kUnsupported where
  // this system or this user may make no sandbox at all.
  static Result<Host> open(const HostOptions& options = {});
  ~Host();
  Host(Host&&) noexcept;
  Host& operator=(Host&&) noexcept;

  // From a sandbox that was entered only to be looked at.
  const IsolationReport& isolation() const;

  struct State;
  const State& state() const { return *state_; }

 private:
  explicit Host(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ki::sandbox
