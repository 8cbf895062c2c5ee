// `ki serve` as a process of its own, and other `ki` commands, for tests that speak HTTP to it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace ki::served {

struct Outcome {
  int code = -1;
  std::string out, err;
};

// Runs `ki ARGS...` to its end.
Outcome run_ki(const std::vector<std::string>& args);

struct ChildLimits {
  std::uint64_t file_bytes = 0;  // largest file that it may write (RLIMIT_FSIZE); 0: no limit
};

class ServeProcess {
 public:
  // Starts `ki serve --listen 127.0.0.1:0 ARGS...` and waits until it listens or ends.
  explicit ServeProcess(const std::vector<std::string>& args, ChildLimits limits = {});
  ~ServeProcess();  // kills it if it still runs
  ServeProcess(const ServeProcess&) = delete;
  ServeProcess& operator=(const ServeProcess&) = delete;

  std::uint16_t port() const { return port_; }  // 0: it does not listen
  pid_t pid() const { return pid_; }
  // From exec to listening.
  std::chrono::milliseconds start_time() const { return start_time_; }
  // What it wrote to standard error so far.
  std::string err() const;
  // Waits until standard error holds the text.
  bool has_said(std::string_view text, std::chrono::milliseconds limit) const;
  // Sends a signal, waits for the end and returns the exit code; -1 when a signal ended it.
  int stop(int signal);

 private:
  int wait();

  pid_t pid_ = -1;
  int err_fd_ = -1;
  std::uint16_t port_ = 0;
  std::chrono::milliseconds start_time_{};
  mutable std::mutex mutex_;
  std::string err_;
  bool is_ended_ = false;
  std::thread reader_;
};

// Facts of a process from /proc.
std::uint64_t resident_bytes(pid_t pid);
std::size_t open_files(pid_t pid);

}  // namespace ki::served
