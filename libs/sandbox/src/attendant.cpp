#include "attendant.h"

#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace ki::sandbox {
namespace {
constexpr std::size_t kMaxDenied = 1000;  // names kept between two reports
}

Attendant::Attendant(int stderr_fd, int pidfd, std::size_t log_bytes)
    : stderr_(stderr_fd),
      pidfd_(pidfd),
      log_bytes_(log_bytes),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      thread_([this] { run(); }) {}

Attendant::~Attendant() { finish(); }

void Attendant::finish() {
  if (!thread_.joinable()) return;
  stop_.store(true);
  const std::uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof one);
  thread_.join();
  drain_log();
}

void Attendant::attend_calls(Descriptor listener) {
  listener_ = std::move(listener);
  has_listener_.store(true);
  const std::uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof one);
}

std::string Attendant::log() const {
  const std::lock_guard lock(mutex_);
  return log_;
}
std::vector<std::string> Attendant::take_denied() {
  const std::lock_guard lock(mutex_);
  return std::exchange(denied_, {});
}
std::string Attendant::killed_for() const {
  const std::lock_guard lock(mutex_);
  return killed_for_;
}

void Attendant::run() {
  // Signals of the program are for its other threads.
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
  bool is_log_open = true;
  while (!stop_.load()) {
    pollfd files[4] = {{wake_.get(), POLLIN, 0},
                       {is_log_open ? stderr_ : -1, POLLIN, 0},
                       {has_ended_.load() ? -1 : pidfd_, POLLIN, 0},
                       {has_listener_.load() ? listener_.get() : -1, POLLIN, 0}};
    if (::poll(files, 4, -1) < 0) continue;
    if ((files[3].revents & POLLIN) != 0) answer_call();
    if ((files[3].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) has_listener_.store(false);
    if (files[1].revents != 0) {
      drain_log();
      if ((files[1].revents & POLLIN) == 0) is_log_open = false;
    }
    if (files[2].revents != 0) has_ended_.store(true);
    if (files[0].revents != 0) {
      std::uint64_t count = 0;
      (void)!::read(wake_.get(), &count, sizeof count);
    }
  }
}

void Attendant::drain_log() {
  std::array<char, 65536> buffer;
  // A bounded number of turns, so that a flood cannot keep the other channels waiting.
  for (int turn = 0; turn < 16; ++turn) {
    const ssize_t size = ::read(stderr_, buffer.data(), buffer.size());
    if (size <= 0) return;
    const std::lock_guard lock(mutex_);
    const std::size_t room = log_bytes_ - std::min(log_bytes_, log_.size());
    if (!is_log_cut_) log_.append(buffer.data(), std::min(room, static_cast<std::size_t>(size)));
    if (!is_log_cut_ && static_cast<std::size_t>(size) > room) {
      is_log_cut_ = true;
      log_ += "\n[the rest of stderr was dropped]\n";
    }
  }
}

void Attendant::answer_call() {
  seccomp_notif question;
  std::memset(&question, 0, sizeof question);
  if (::ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_RECV, &question) != 0) return;
  std::array<std::uint64_t, 6> arguments;
  std::copy_n(question.data.args, arguments.size(), arguments.begin());
  Action action = decide(load_rules(), question.data.nr, arguments);
  if (action == Action::kOpen) action = is_sealed_.load() ? Action::kRefuse : Action::kAllow;
  if (action == Action::kSeal) {
    // Once, while loading: the shim's. The kernel itself killed the process if the flags differ.
    const bool is_first = !has_installed_seal_.exchange(true);
    action = is_first && !is_sealed_.load() ? Action::kAllow : Action::kKill;
  }
  if (action == Action::kKill) {
    {
      const std::lock_guard lock(mutex_);
      if (killed_for_.empty()) killed_for_ = system_call_name(question.data.nr);
    }
    // The call waits for an answer that never comes; the signal ends it unperformed.
    ::syscall(SYS_pidfd_send_signal, pidfd_, SIGKILL, nullptr, 0);
    return;
  }
  seccomp_notif_resp answer;
  std::memset(&answer, 0, sizeof answer);
  answer.id = question.id;
  if (action == Action::kAllow) {
    answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  } else {
    answer.error = -EPERM;
    const std::lock_guard lock(mutex_);
    if (denied_.size() < kMaxDenied) denied_.push_back(system_call_name(question.data.nr));
  }
  ::ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

}  // namespace ki::sandbox
