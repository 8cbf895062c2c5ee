// Launched: the two processes of a sandbox (its process 1 and the one inside that works), both
// children of this process, and the channels to them.
#pragma once

#include "control_group.h"
#include "descriptor.h"
#include "host_state.h"
#include "ki/base/result.h"
#include "ki/sandbox/wire.h"
#include "memory_file.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace ki::sandbox {

struct LaunchFiles {
  int control = -1;  // -1: /dev/null
  int inputs = -1;
  int outputs = -1;
  int object = -1;
};

// One of the spare uids, held as long as this lives. 0 where this process is not root.
class SpareUid {
 public:
  static Result<SpareUid> take(std::uint32_t first);
  std::uint32_t uid() const { return uid_; }

 private:
  Descriptor lock_;
  std::uint32_t uid_ = 0;
};

struct Received {
  wire::Message message;
  Descriptor descriptor;
};

class Launched {
 public:
  // `environment` is all that the process inside sees. The process inside waits in the control
  // group (when there is one) with what `description` says.
  static Result<Launched> start(const HostState& host, wire::Launch& description,
                                const LaunchFiles& files, std::uint64_t memory_bytes,
                                const std::vector<std::string>& environment);
  ~Launched();
  Launched(Launched&&) noexcept;
  Launched& operator=(Launched&&) noexcept;

  int pid() const { return inside_; }
  int pidfd() const { return inside_fd_.get(); }
  int stderr_fd() const { return stderr_.get(); }
  ControlGroup* control_group() { return group_ ? &*group_ : nullptr; }
  std::uint32_t uid() const { return uid_.uid(); }

  // The next message, or nothing when the other side closed. An Error after `deadline`, and for a
  // message that says what failed.
  Result<std::optional<Received>> receive(std::chrono::milliseconds deadline);
  Result<void> send(wire::MessageKind kind);

  // The wait status once the process inside has ended (collected once, then remembered).
  // Nothing while it lives.
  std::optional<int> poll_end();
  // Waits for its end at most so long.
  std::optional<int> wait_end(std::chrono::milliseconds deadline);
  // SIGSTOP, and waits until the kernel says that all threads have stopped. False when the process
  // ended instead, or did not stop in a second.
  bool freeze();
  // Of a frozen process: waits, at most 50 ms, until its threads that have ended do not count
  // against its limit any more. A joined thread does for a moment, and the next call may start one.
  void await_ended_threads();
  void thaw();
  void kill_inside();
  // Kills everything, collects both processes, removes the control group. True when nothing is
  // left.
  bool clean_up();

 private:
  Launched() = default;
  SpareUid uid_;
  std::optional<ControlGroup> group_;
  Descriptor socket_, stderr_, lifeline_, init_fd_, inside_fd_;
  std::vector<Received> early_;  // came while the sandbox was made
  int init_ = 0;
  int inside_ = 0;
  bool is_init_collected_ = false;
  std::optional<int> status_;
};

}  // namespace ki::sandbox
