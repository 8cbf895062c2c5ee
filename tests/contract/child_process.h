// A forked child that runs one function and talks over a pipe.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace ki::contract {

class ChildProcess {
 public:
  // The child runs `body(write_end)` and exits with its value; it never returns into the tests.
  explicit ChildProcess(const std::function<int(int write_end)>& body);
  ~ChildProcess();  // kills it if it still runs
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // The next line from the child without its end, waiting for it; "" when the child is gone.
  std::string read_line();
  void kill();
  int wait();  // the exit value, or -1 when a signal ended it

  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  int read_end_ = -1;
  std::string buffer_;
};

void write_line(int fd, const std::string& text);

}  // namespace ki::contract
