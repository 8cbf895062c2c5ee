#include "access_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace ki::http {
namespace {

constexpr std::size_t kMaxQuoted = 1024;

void append_quoted(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  for (const char c : text.substr(0, kMaxQuoted)) {
    if (c >= ' ' && c < 0x7f && c != '"' && c != '\\') {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += "\\x";
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
}

}  // namespace

void append_access_line(std::string& out, const AccessLine& line) {
  out += line.at.to_string();
  out += ' ';
  append_quoted(out, line.client);
  out += " \"";
  append_quoted(out, line.method);
  out += ' ';
  append_quoted(out, line.target);
  fmt::format_to(std::back_inserter(out), "\" {} {} {:.3f}ms {} \"", line.status, line.body_bytes,
                 static_cast<double>(line.taken.count()) / 1e6,
                 line.is_from_cache ? "kept" : "made");
  append_quoted(out, line.user_agent);
  out += "\"\n";
}

AccessLog::AccessLog(Sink sink, Metrics& metrics) : sink_(std::move(sink)), metrics_(metrics) {
  if (sink_) thread_ = std::thread([this] { run(); });
}

AccessLog::~AccessLog() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    is_done_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void AccessLog::hand_over(std::string& lines) {
  if (lines.empty()) return;
  if (sink_) {
    const std::scoped_lock lock(mutex_);
    if (waiting_.size() + lines.size() <= kMaxWaiting) {
      waiting_ += lines;
      wake_.notify_one();
    } else {
      metrics_.log_lines_dropped.fetch_add(
          static_cast<std::uint64_t>(std::ranges::count(lines, '\n')), std::memory_order_relaxed);
    }
  }
  lines.clear();
}

void AccessLog::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return is_done_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const std::string lines = std::exchange(waiting_, {});
    lock.unlock();
    sink_(lines);
    lock.lock();
  }
}

}  // namespace ki::http
