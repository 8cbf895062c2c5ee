#include "ki/http/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace ki::http {
namespace {

constexpr std::array<std::string_view, Metrics::kRefusals> kRefusalNames = {
    "connections", "client_connections", "rate", "timeout", "malformed"};

// In a label value (exposition format): backslash, quote and line feed are escaped.
std::string label(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

void scalar(std::string& out, std::string_view name, std::string_view type, std::string_view help,
            auto value) {
  fmt::format_to(std::back_inserter(out), "# HELP {0} {1}\n# TYPE {0} {2}\n{0} {3}\n", name, help,
                 type, value);
}

}  // namespace

std::uint32_t Metrics::route(std::string_view pattern) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find(routes_, pattern, &Route::pattern);
  if (found != routes_.end()) return static_cast<std::uint32_t>(found - routes_.begin());
  routes_.emplace_back().pattern = pattern;
  return static_cast<std::uint32_t>(routes_.size() - 1);
}

void Metrics::add_request(std::uint32_t number, int status, std::chrono::nanoseconds taken) {
  Route* found = nullptr;
  {
    // References into a deque stay valid while it grows at its end; finding one does not.
    const std::scoped_lock lock(mutex_);
    found = &routes_[number];
  }
  const auto relaxed = std::memory_order_relaxed;
  const std::size_t status_class = static_cast<std::size_t>(std::clamp(status / 100, 1, 5));
  found->by_class[status_class].fetch_add(1, relaxed);
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(taken).count();
  const auto bucket = std::ranges::find_if(kBucketBounds, [&](std::uint32_t bound) {
    return micros <= static_cast<std::int64_t>(bound);
  });
  found->buckets[static_cast<std::size_t>(bucket - kBucketBounds.begin())].fetch_add(1, relaxed);
  found->nanoseconds.fetch_add(static_cast<std::uint64_t>(taken.count()), relaxed);
}

std::uint64_t Metrics::requests() const {
  const std::scoped_lock lock(mutex_);
  std::uint64_t sum = 0;
  for (const Route& route : routes_) {
    for (const auto& count : route.by_class) sum += count.load(std::memory_order_relaxed);
  }
  return sum;
}

std::string Metrics::prometheus() const {
  const auto relaxed = std::memory_order_relaxed;
  std::string out;
  const auto line = [&]<class... T>(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(out), format, std::forward<T>(values)...);
  };
  const std::scoped_lock lock(mutex_);
  line(
      "# HELP ki_http_requests_total Answers sent, by route and status class.\n"
      "# TYPE ki_http_requests_total counter\n");
  for (const Route& route : routes_) {
    for (std::size_t c = 1; c < route.by_class.size(); ++c) {
      if (const auto n = route.by_class[c].load(relaxed); n > 0) {
        line("ki_http_requests_total{{route=\"{}\",status=\"{}xx\"}} {}\n", label(route.pattern), c,
             n);
      }
    }
  }
  line(
      "# HELP ki_http_request_seconds From the end of the head to the last byte handed to the "
      "system.\n"
      "# TYPE ki_http_request_seconds histogram\n");
  for (const Route& route : routes_) {
    const std::string name = label(route.pattern);
    std::uint64_t sum = 0;
    for (const auto& bucket : route.buckets) sum += bucket.load(relaxed);
    if (sum == 0) continue;
    std::uint64_t below = 0;
    for (std::size_t b = 0; b < kBucketBounds.size(); ++b) {
      below += route.buckets[b].load(relaxed);
      line("ki_http_request_seconds_bucket{{route=\"{}\",le=\"{}\"}} {}\n", name,
           static_cast<double>(kBucketBounds[b]) / 1e6, below);
    }
    line("ki_http_request_seconds_bucket{{route=\"{}\",le=\"+Inf\"}} {}\n", name, sum);
    line("ki_http_request_seconds_sum{{route=\"{}\"}} {}\n", name,
         static_cast<double>(route.nanoseconds.load(relaxed)) / 1e9);
    line("ki_http_request_seconds_count{{route=\"{}\"}} {}\n", name, sum);
  }
  line(
      "# HELP ki_http_refusals_total Requests and connections refused, by reason.\n"
      "# TYPE ki_http_refusals_total counter\n");
  for (std::size_t r = 0; r < kRefusals; ++r)
    line("ki_http_refusals_total{{reason=\"{}\"}} {}\n", kRefusalNames[r],
         refusals_[r].load(relaxed));
  scalar(out, "ki_http_connections", "gauge", "Open connections.", connections.load(relaxed));
  scalar(out, "ki_http_connections_accepted_total", "counter", "Connections accepted.",
         accepted.load(relaxed));
  scalar(out, "ki_http_sent_bytes_total", "counter", "Bytes of answers.", sent_bytes.load(relaxed));
  scalar(out, "ki_http_not_modified_total", "counter", "Answers 304.", not_modified.load(relaxed));
  scalar(out, "ki_http_cache_hits_total", "counter", "Answers taken from the response cache.",
         cache_hits.load(relaxed));
  scalar(out, "ki_http_cache_misses_total", "counter",
         "Answers made and put into the response cache.", cache_misses.load(relaxed));
  scalar(out, "ki_http_cache_bytes", "gauge", "Bytes in the response cache.",
         cache_bytes.load(relaxed));
  scalar(out, "ki_http_handler_failures_total", "counter",
         "Handlers that failed with an exception.", handler_failures.load(relaxed));
  scalar(out, "ki_http_log_lines_dropped_total", "counter",
         "Access log lines dropped because the log was too slow.", log_lines_dropped.load(relaxed));
  return out;
}

}  // namespace ki::http
