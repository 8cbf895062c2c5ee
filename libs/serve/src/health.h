// Health: what is wrong right now, for /healthz, /metrics and the operator's log.
#pragma once

#include "ki/base/clock.h"
#include "ki/catalog/snapshot.h"
#include "ki/http/metrics.h"
#include "ki/http/router.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace ki::serve {

class Health {
 public:
  Health(Instant started, std::function<void(std::string_view)> note)
      : started_(started), note_(std::move(note)) {}

  // Something of this kind ("catalog", "snapshot", "clock") is wrong. Noted once for each text.
  void report(const std::string& kind, const std::string& problem);
  // It is right again.
  void clear(const std::string& kind);

  std::vector<std::string> problems() const;
  Instant started() const { return started_; }

  std::atomic<std::uint64_t> editions = 0;
  std::atomic<std::uint64_t> refresh_failures = 0;
  std::atomic<std::int64_t> last_refresh_us = 0;  // from seeing a publication to serving it

 private:
  Instant started_;
  std::function<void(std::string_view)> note_;
  mutable std::mutex mutex_;
  std::map<std::string, std::string> problems_;
};

// /healthz (always 200 while this process can answer: "ok" or "degraded") and /metrics. Both
// references must outlive the routes.
std::vector<http::Route> health_routes(const Health& health, const http::Metrics& metrics,
                                       std::shared_ptr<const catalog::Snapshot> snapshot,
                                       const Clock& clock, std::string build);

}  // namespace ki::serve
