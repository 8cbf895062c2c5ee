#include "launch.h"

#include "account.h"
#include "ki/io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

namespace ki::sandbox {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPidfd = static_cast<idtype_t>(3);  // P_PIDFD

Descriptor open_pidfd(int pid) {
  return Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}
void send_signal(const Descriptor& process, int number) {
  if (process.is_open()) ::syscall(SYS_pidfd_send_signal, process.get(), number, nullptr, 0);
}

// The files of the launcher, at the numbers that it expects.
class SpawnFiles {
 public:
  SpawnFiles() { posix_spawn_file_actions_init(&actions_); }
  ~SpawnFiles() { posix_spawn_file_actions_destroy(&actions_); }
  SpawnFiles(const SpawnFiles&) = delete;
  SpawnFiles& operator=(const SpawnFiles&) = delete;

  // Copies above every target number first, so that no target overwrites a source.
  Result<void> add(int fd, int number) {
    Descriptor copy(::fcntl(fd, F_DUPFD_CLOEXEC, 64));
    if (!copy.is_open()) return fail(io::system_error(errno, "copying a descriptor", "fcntl"));
    posix_spawn_file_actions_adddup2(&actions_, copy.get(), number);
    copies_.push_back(std::move(copy));
    return {};
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
  std::vector<Descriptor> copies_;
};

std::string random_hostname() {
  std::array<unsigned char, 4> bytes{};
  (void)!::getrandom(bytes.data(), bytes.size(), 0);
  return fmt::format("host{:02x}{:02x}{:02x}{:02x}", bytes[0], bytes[1], bytes[2], bytes[3]);
}

Result<int> spawn(const HostState& host, const SpawnFiles& files,
                  const std::vector<std::string>& environment) {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  // A group of its own: Ctrl-C at the terminal is for the parent, which then ends the cell.
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(
      &attributes,
      static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP));
  std::vector<char*> variables;
  for (const std::string& variable : environment)
    variables.push_back(const_cast<char*>(variable.c_str()));
  variables.push_back(nullptr);
  const std::string program = host.cell_program.string();
  std::string name = "ki-cell", part = "enter";
  char* arguments[] = {name.data(), part.data(), nullptr};
  pid_t pid = 0;
  const int error =
      ::posix_spawn(&pid, program.c_str(), files.get(), &attributes, arguments, variables.data());
  posix_spawnattr_destroy(&attributes);
  if (error != 0) return fail(io::system_error(error, "starting", program));
  return pid;
}

}  // namespace

Result<SpareUid> SpareUid::take(std::uint32_t first) {
  SpareUid out;
  if (::geteuid() != 0) return out;
  const char* folder = "/run/ki-cells";
  if (::mkdir(folder, 0700) != 0 && errno != EEXIST) {
    return fail(io::system_error(errno, "making", folder));
  }
  for (std::uint32_t uid = first; uid < first + 64; ++uid) {
    if (::getpwuid(uid) != nullptr) continue;
    Descriptor lock(::open(fmt::format("{}/uid-{}", folder, uid).c_str(),
                           O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!lock.is_open()) return fail(io::system_error(errno, "opening a lock in", folder));
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) continue;
    out.lock_ = std::move(lock);
    out.uid_ = uid;
    return out;
  }
  return fail(Code::kUnavailable,
              fmt::format("no spare uid is free: all of {} to {} are in use", first, first + 63));
}

Result<Launched> Launched::start(const HostState& host, wire::Launch& description,
                                 const LaunchFiles& files, std::uint64_t memory_bytes,
                                 const std::vector<std::string>& environment) {
  Launched out;
  KI_TRY(out.uid_, SpareUid::take(host.first_spare_uid));
  description.magic = wire::kWireMagic;
  description.drop_to_uid = out.uid_.uid();
  description.parent_uid = ::geteuid();
  description.has_cgroup = 0;
  description.has_notify = host.has_notify ? 1 : 0;
  const std::string hostname = random_hostname();
  std::memcpy(description.hostname, hostname.c_str(), hostname.size() + 1);
  if (host.groups) {
    KI_TRY(out.group_, ControlGroup::create(*host.groups, memory_bytes));
    description.has_cgroup = 1;
    description.data_bytes = 0;
  } else {
    description.data_bytes = memory_bytes;
  }

  KI_TRY(MemoryFile launch_file, MemoryFile::create("ki-launch", sizeof description));
  std::memcpy(launch_file.data(), &description, sizeof description);
  int sockets[2], log[2], lifeline[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) {
    return fail(io::system_error(errno, "socketpair", "the start socket"));
  }
  out.socket_ = Descriptor(sockets[0]);
  const Descriptor socket_inside(sockets[1]);
  if (::pipe2(log, O_CLOEXEC) != 0) return fail(io::system_error(errno, "pipe2", "stderr"));
  out.stderr_ = Descriptor(log[0]);
  const Descriptor log_inside(log[1]);
  // A flood fails with EAGAIN inside rather than wait for the parent.
  ::fcntl(log[0], F_SETFL, O_NONBLOCK);
  ::fcntl(log[1], F_SETPIPE_SZ, 1 << 20);
  if (description.mode == wire::Mode::kCell) ::fcntl(log[1], F_SETFL, O_NONBLOCK);
  if (::pipe2(lifeline, O_CLOEXEC) != 0) return fail(io::system_error(errno, "pipe2", "lifeline"));
  const Descriptor lifeline_inside(lifeline[0]);
  out.lifeline_ = Descriptor(lifeline[1]);
  const Descriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const Descriptor self(::open(host.cell_program.c_str(), O_RDONLY | O_CLOEXEC));
  if (!self.is_open()) return fail(io::system_error(errno, "opening", host.cell_program));

  SpawnFiles actions;
  const auto or_null = [&](int fd) { return fd < 0 ? null.get() : fd; };
  const auto group_file = [&](std::size_t index) {
    return out.group_ && index < out.group_->process_files().size()
               ? out.group_->process_files()[index].get()
               : null.get();
  };
  const std::pair<int, int> wanted[] = {{null.get(), 0},
                                        {null.get(), 1},
                                        {log_inside.get(), wire::kFdStderr},
                                        {socket_inside.get(), wire::kFdSocket},
                                        {launch_file.fd(), wire::kFdLaunch},
                                        {or_null(files.control), wire::kFdControl},
                                        {or_null(files.inputs), wire::kFdInputs},
                                        {or_null(files.outputs), wire::kFdOutputs},
                                        {or_null(files.object), wire::kFdObject},
                                        {group_file(0), wire::kFdCgroupA},
                                        {group_file(1), wire::kFdCgroupB},
                                        {lifeline_inside.get(), wire::kFdLifeline},
                                        {self.get(), wire::kFdSelf}};
  for (const auto& [source, target] : wanted) KI_TRY_VOID(actions.add(source, target));
  KI_TRY(const int launcher, spawn(host, actions, environment));
  // The launcher ends by itself when both processes run, or says on the socket why not.
  std::optional<Error> failure;
  std::vector<Received> early;
  for (bool is_known = false; !is_known && !failure;) {
    auto received = out.receive(std::chrono::seconds(10));
    if (!received) {
      failure = std::move(received).error();
    } else if (!*received) {
      failure = Error(Code::kInternal, "ki-cell ended before the sandbox was made");
    } else if ((*received)->message.kind == wire::MessageKind::kPids) {
      out.init_ = (*received)->message.value;
      out.inside_ = (*received)->message.second;
      is_known = true;
    } else {
      // The process inside may speak before the launcher has told its number.
      early.push_back(**std::move(received));
    }
  }
  if (failure) ::kill(launcher, SIGKILL);
  while (::waitpid(launcher, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (failure) return std::unexpected(std::move(*failure).within("making a sandbox"));
  out.early_ = std::move(early);
  out.init_fd_ = open_pidfd(out.init_);
  out.inside_fd_ = open_pidfd(out.inside_);
  if (!out.init_fd_.is_open() || !out.inside_fd_.is_open()) {
    return fail(io::system_error(errno, "pidfd_open", "the sandbox"));
  }
  return out;
}

Launched::~Launched() { clean_up(); }

Launched::Launched(Launched&& other) noexcept { *this = std::move(other); }
Launched& Launched::operator=(Launched&& other) noexcept {
  uid_ = std::move(other.uid_);
  group_.swap(other.group_);
  socket_ = std::move(other.socket_);
  early_ = std::move(other.early_);
  stderr_ = std::move(other.stderr_);
  lifeline_ = std::move(other.lifeline_);
  init_fd_ = std::move(other.init_fd_);
  inside_fd_ = std::move(other.inside_fd_);
  std::swap(init_, other.init_);
  std::swap(inside_, other.inside_);
  std::swap(is_init_collected_, other.is_init_collected_);
  std::swap(status_, other.status_);
  return *this;
}

Result<std::optional<Received>> Launched::receive(std::chrono::milliseconds deadline) {
  if (!early_.empty()) {
    Received first = std::move(early_.front());
    early_.erase(early_.begin());
    return std::optional<Received>(std::move(first));
  }
  pollfd poll{socket_.get(), POLLIN, 0};
  const auto end = Clock::now() + deadline;
  int ready = 0;
  do {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    ready = ::poll(&poll, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
  } while (ready < 0 && errno == EINTR);
  if (ready == 0) {
    return fail(Code::kUnavailable,
                fmt::format("the sandbox gave no answer in {} ms", deadline.count()));
  }
  Received out{};
  iovec part{&out.message, sizeof out.message};
  alignas(cmsghdr) char ancillary[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = ancillary;
  header.msg_controllen = sizeof ancillary;
  const ssize_t size = ::recvmsg(socket_.get(), &header, MSG_CMSG_CLOEXEC);
  if (size != static_cast<ssize_t>(sizeof out.message)) return std::nullopt;
  if (const cmsghdr* item = CMSG_FIRSTHDR(&header);
      item != nullptr && item->cmsg_type == SCM_RIGHTS) {
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(item), sizeof fd);
    out.descriptor = Descriptor(fd);
  }
  if (out.message.kind == wire::MessageKind::kFailed) {
    out.message.text[sizeof out.message.text - 1] = '\0';
    return fail(Code::kUnsupported,
                fmt::format("{}: {}", out.message.text, std::strerror(out.message.value)));
  }
  return std::optional<Received>(std::move(out));
}

Result<void> Launched::send(wire::MessageKind kind) {
  wire::Message message{};
  message.kind = kind;
  if (::send(socket_.get(), &message, sizeof message, MSG_NOSIGNAL) < 0) {
    return fail(io::system_error(errno, "sending to", "the sandbox"));
  }
  return {};
}

std::optional<int> Launched::poll_end() {
  if (status_ || inside_ == 0) return status_;
  int status = 0;
  const pid_t got = ::waitpid(inside_, &status, WNOHANG);
  if (got == inside_ && (WIFEXITED(status) || WIFSIGNALED(status))) status_ = status;
  if (got < 0 && errno == ECHILD) status_ = 0;
  return status_;
}

std::optional<int> Launched::wait_end(std::chrono::milliseconds deadline) {
  const auto end = Clock::now() + deadline;
  while (!poll_end()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) break;
    pollfd poll{inside_fd_.get(), POLLIN, 0};
    ::poll(&poll, 1, static_cast<int>(left.count()));
  }
  return status_;
}

bool Launched::freeze() {
  if (poll_end()) return false;
  send_signal(inside_fd_, SIGSTOP);
  const auto end = Clock::now() + std::chrono::seconds(1);
  for (int turn = 0; Clock::now() < end; ++turn) {
    siginfo_t info{};
    if (::waitid(kPidfd, static_cast<id_t>(inside_fd_.get()), &info,
                 WSTOPPED | WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid != 0) {
      if (info.si_code != CLD_STOPPED) {
        poll_end();
        return false;
      }
      // Collect the report, so that the next stop is told apart.
      ::waitid(kPidfd, static_cast<id_t>(inside_fd_.get()), &info, WSTOPPED | WNOHANG);
      return true;
    }
    if (turn > 2000) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return false;
}

void Launched::await_ended_threads() {
  if (!group_) return;
  const auto end = Clock::now() + std::chrono::milliseconds(50);
  // Process 1 of the namespace is in the group too.
  while (group_->task_count() > stopped_threads(inside_) + 1 && Clock::now() < end)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
}

void Launched::thaw() { send_signal(inside_fd_, SIGCONT); }
void Launched::kill_inside() { send_signal(inside_fd_, SIGKILL); }

bool Launched::clean_up() {
  bool is_clean = true;
  if (inside_ != 0) {
    kill_inside();
    is_clean = wait_end(std::chrono::seconds(5)).has_value();
  }
  if (init_ != 0 && !is_init_collected_) {
    send_signal(init_fd_, SIGKILL);
    while (::waitpid(init_, nullptr, 0) < 0 && errno == EINTR) {
    }
    is_init_collected_ = true;
  }
  if (group_) {
    is_clean = group_->remove() && is_clean;
    group_.reset();
  }
  return is_clean;
}

}  // namespace ki::sandbox
