#include "serve_process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <fstream>

namespace ki::served {
namespace {

using Steady = std::chrono::steady_clock;

[[noreturn]] void exec_ki(const std::vector<std::string>& args, const ChildLimits& limits) {
  if (limits.file_bytes > 0) {
    const rlimit limit{.rlim_cur = limits.file_bytes, .rlim_max = limits.file_bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
  }
  std::vector<char*> argv{const_cast<char*>(KI_PROGRAM)};
  for (const std::string& arg : args) argv.push_back(const_cast<char*>(arg.c_str()));
  argv.push_back(nullptr);
  ::execv(KI_PROGRAM, argv.data());
  ::_exit(127);
}

std::string read_all(int fd) {
  std::string text;
  std::array<char, 4096> bytes;
  for (ssize_t count; (count = ::read(fd, bytes.data(), bytes.size())) > 0;)
    text.append(bytes.data(), static_cast<std::size_t>(count));
  return text;
}

}  // namespace

Outcome run_ki(const std::vector<std::string>& args) {
  std::array<int, 2> out{}, err{};
  if (::pipe2(out.data(), O_CLOEXEC) != 0 || ::pipe2(err.data(), O_CLOEXEC) != 0) return {};
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    exec_ki(args, {});
  }
  ::close(out[1]);
  ::close(err[1]);
  Outcome outcome;
  std::thread reader([&] { outcome.err = read_all(err[0]); });
  outcome.out = read_all(out[0]);
  reader.join();
  ::close(out[0]);
  ::close(err[0]);
  int status = 0;
  ::waitpid(pid, &status, 0);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

ServeProcess::ServeProcess(const std::vector<std::string>& args, ChildLimits limits) {
  std::vector<std::string> all = {"serve", "--listen", "127.0.0.1:0"};
  all.insert(all.end(), args.begin(), args.end());
  std::array<int, 2> err{};
  if (::pipe2(err.data(), O_CLOEXEC) != 0) return;
  const auto begun = Steady::now();
  pid_ = ::fork();
  if (pid_ == 0) {
    ::dup2(err[1], STDERR_FILENO);
    exec_ki(all, limits);
  }
  ::close(err[1]);
  err_fd_ = err[0];
  reader_ = std::thread([this] {
    std::array<char, 4096> bytes;
    for (ssize_t count; (count = ::read(err_fd_, bytes.data(), bytes.size())) > 0;) {
      const std::scoped_lock lock(mutex_);
      err_.append(bytes.data(), static_cast<std::size_t>(count));
    }
    const std::scoped_lock lock(mutex_);
    is_ended_ = true;
  });
  constexpr std::string_view kListening = "listening on http://127.0.0.1:";
  // Sanitizer builds on a busy machine are slow to start.
  const auto until = begun + std::chrono::seconds(120);
  while (Steady::now() < until) {
    {
      const std::scoped_lock lock(mutex_);
      const std::size_t at = err_.find(kListening);
      if (at != std::string::npos && err_.find('\n', at) != std::string::npos) {
        const char* digits = err_.data() + at + kListening.size();
        std::from_chars(digits, err_.data() + err_.size(), port_);
        break;
      }
      if (is_ended_) break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  start_time_ = std::chrono::duration_cast<std::chrono::milliseconds>(Steady::now() - begun);
}

ServeProcess::~ServeProcess() {
  if (pid_ > 0) stop(SIGKILL);
  if (err_fd_ >= 0) ::close(err_fd_);
}

std::string ServeProcess::err() const {
  const std::scoped_lock lock(mutex_);
  return err_;
}

bool ServeProcess::has_said(std::string_view text, std::chrono::milliseconds limit) const {
  const auto until = Steady::now() + limit;
  do {
    if (err().find(text) != std::string::npos) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  } while (Steady::now() < until);
  return false;
}

int ServeProcess::wait() {
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  reader_.join();
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int ServeProcess::stop(int signal) {
  ::kill(pid_, signal);
  return wait();
}

std::uint64_t resident_bytes(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/statm");
  std::uint64_t total = 0, resident = 0;
  status >> total >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::size_t open_files(pid_t pid) {
  std::error_code ec;
  std::size_t count = 0;
  for (std::filesystem::directory_iterator it("/proc/" + std::to_string(pid) + "/fd", ec), end;
       !ec && it != end; it.increment(ec))
    ++count;
  return count;
}

}  // namespace ki::served
