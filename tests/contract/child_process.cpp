#include "child_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace ki::contract {

ChildProcess::ChildProcess(const std::function<int(int write_end)>& body) {
  int ends[2] = {-1, -1};
  EXPECT_EQ(::pipe(ends), 0);
  pid_ = ::fork();
  EXPECT_GE(pid_, 0);
  if (pid_ == 0) {
    ::close(ends[0]);
    ::_exit(body(ends[1]));
  }
  ::close(ends[1]);
  read_end_ = ends[0];
}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) {
    kill();
    wait();
  }
  if (read_end_ >= 0) ::close(read_end_);
}

std::string ChildProcess::read_line() {
  for (;;) {
    if (const auto end = buffer_.find('\n'); end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    char bytes[4096];
    const ssize_t count = ::read(read_end_, bytes, sizeof bytes);
    if (count <= 0) return "";
    buffer_.append(bytes, static_cast<std::size_t>(count));
  }
}

void ChildProcess::kill() { ::kill(pid_, SIGKILL); }

int ChildProcess::wait() {
  int status = 0;
  EXPECT_EQ(::waitpid(pid_, &status, 0), pid_);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void write_line(int fd, const std::string& text) {
  const std::string line = text + "\n";
  [[maybe_unused]] const ssize_t ignored = ::write(fd, line.data(), line.size());
}

}  // namespace ki::contract
