// Quota: how many notes one client may file in a day, and all together in an hour.
#pragma once

#include "ki/base/instant.h"

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace ki::notes {

class Quota {
 public:
  struct Limits {
    std::size_t per_client_a_day = 20;  // spec 11.2; 0: no limit at all
    std::size_t all_an_hour = 500;      // what the store's growth may cost
  };
  explicit Quota(Limits limits) : limits_(limits) {}

  // Nothing, and the note is counted; or the seconds until one may be filed. A client is an
  // address; of IPv6 its first 64 bits, which one household or host has. Kept for the life of the
  // process. Safe from any thread.
  std::optional<std::uint32_t> take(std::string_view client, Instant now);

 private:
  const Limits limits_;
  std::mutex mutex_;
  std::map<std::string, std::deque<std::int64_t>, std::less<>> clients_;  // times, oldest first
  std::deque<std::int64_t> all_;
};

}  // namespace ki::notes
