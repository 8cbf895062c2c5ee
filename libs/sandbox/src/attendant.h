// Attendant: a thread beside each sandbox that drains its stderr, answers the kernel's questions
// about system calls, and notices its end. It sleeps unless something happens.
#pragma once

#include "descriptor.h"
#include "filter.h"

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace ki::sandbox {

class Attendant {
 public:
  // The descriptors stay the caller's and must outlive this. `log_bytes` of stderr are kept.
  Attendant(int stderr_fd, int pidfd, std::size_t log_bytes);
  ~Attendant();
  Attendant(const Attendant&) = delete;
  Attendant& operator=(const Attendant&) = delete;

  void attend_calls(Descriptor listener);
  // From now on nothing is opened and no filter installed.
  void seal() { is_sealed_.store(true); }

  bool has_ended() const { return has_ended_.load(std::memory_order_relaxed); }
  bool has_installed_seal() const { return has_installed_seal_.load(); }
  std::string log() const;
  std::vector<std::string> take_denied();
  // The call for which it was killed; empty when it was not.
  std::string killed_for() const;
  // Reads what is left in stderr and ends the thread.
  void finish();

 private:
  void run();
  void drain_log();
  void answer_call();

  int stderr_;
  int pidfd_;
  std::size_t log_bytes_;
  Descriptor wake_;
  Descriptor listener_;
  std::atomic<bool> has_listener_ = false;
  std::atomic<bool> is_sealed_ = false;
  std::atomic<bool> has_ended_ = false;
  std::atomic<bool> has_installed_seal_ = false;
  std::atomic<bool> stop_ = false;
  mutable std::mutex mutex_;
  std::string log_;
  bool is_log_cut_ = false;
  std::vector<std::string> denied_;
  std::string killed_for_;
  std::thread thread_;
};

}  // namespace ki::sandbox
