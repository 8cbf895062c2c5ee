#include "python_parse.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace ki::cli {
namespace {

constexpr const char* kScript =
    "import ast,sys\n"
    "try:\n"
    " ast.parse(sys.stdin.buffer.read())\n"
    "except (SyntaxError, ValueError, RecursionError, MemoryError) as e:\n"
    " print(str(e)[:300]); sys.exit(3)\n";
constexpr int kDeadlineMs = 10'000;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  int get() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

// The source as a file in memory, to be read from its start.
bool fill(int fd, std::string_view source) {
  while (!source.empty()) {
    const ssize_t count = ::write(fd, source.data(), source.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    source.remove_prefix(static_cast<std::size_t>(count));
  }
  return ::lseek(fd, 0, SEEK_SET) == 0;
}

// Everything up to the end; false past the deadline.
bool read_all(int fd, std::string& out) {
  while (true) {
    pollfd one = {fd, POLLIN, 0};
    const int ready = ::poll(&one, 1, kDeadlineMs);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    std::array<char, 4096> part;
    const ssize_t count = ::read(fd, part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    if (out.size() < part.size()) out.append(part.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

PythonParse parse_python(std::string_view source) {
  PythonParse out;
  Descriptor input(::memfd_create("reference", MFD_CLOEXEC));
  std::array<int, 2> ends = {-1, -1};
  if (input.get() < 0 || !fill(input.get(), source) || ::pipe2(ends.data(), O_CLOEXEC) != 0)
    return out;
  Descriptor from(ends[0]), to(ends[1]);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input.get(), 0);
  ::posix_spawn_file_actions_adddup2(&actions, to.get(), 1);
  ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  std::array<char*, 6> arguments = {const_cast<char*>("python3"), const_cast<char*>("-I"),
                                    const_cast<char*>("-S"),      const_cast<char*>("-c"),
                                    const_cast<char*>(kScript),   nullptr};
  std::array<char*, 1> environment = {nullptr};
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, "/usr/bin/python3", &actions, nullptr, arguments.data(),
                                  environment.data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return out;
  to.close();
  std::string message;
  const bool has_ended = read_all(from.get(), message);
  if (!has_ended) ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!has_ended || !WIFEXITED(status)) return out;
  if (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 3) return out;
  out.is_available = true;
  if (WEXITSTATUS(status) == 3) {
    while (!message.empty() && message.back() == '\n') message.pop_back();
    out.message = message.empty() ? "a syntax error" : message;
  }
  return out;
}

}  // namespace ki::cli
