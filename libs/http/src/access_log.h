// AccessLog: one line an answer, written by a thread of its own, so that a slow disk or terminal
// never holds up an answer. When too much is waiting, lines are dropped and counted.
#pragma once

#include "ki/base/instant.h"
#include "ki/http/metrics.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace ki::http {

struct AccessLine {
  Instant at;
  std::string_view client;
  std::string_view method;
  std::string_view target;  // as sent
  int status = 0;
  std::uint64_t body_bytes = 0;
  std::chrono::nanoseconds taken{};
  bool is_from_cache = false;
  std::string_view user_agent;
};

// 2026-08-16T12:00:00.000Z 127.0.0.1 "GET /runs?limit=3" 200 5321 0.412ms kept "curl/8.5.0"
// What a client sent is quoted: '"', '\' and every byte outside printable ASCII become \xNN.
void append_access_line(std::string& out, const AccessLine& line);

class AccessLog {
 public:
  using Sink = std::function<void(std::string_view)>;

  // Without a sink everything is ignored.
  AccessLog(Sink sink, Metrics& metrics);
  ~AccessLog();  // writes what is waiting
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;

  bool is_on() const { return sink_ != nullptr; }
  // Hands whole lines over and clears `lines`.
  void hand_over(std::string& lines);

 private:
  static constexpr std::size_t kMaxWaiting = std::size_t{4} << 20;
  void run();

  Sink sink_;
  Metrics& metrics_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::string waiting_;
  bool is_done_ = false;
  std::thread thread_;
};

}  // namespace ki::http
