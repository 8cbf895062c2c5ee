#include "ki/notes/quota.h"

#include <arpa/inet.h>

#include <algorithm>

namespace ki::notes {
namespace {

constexpr std::int64_t kHourMs = 3'600'000;
constexpr std::int64_t kDayMs = 24 * kHourMs;
// Clients that are told apart; more of them in a day share one quota.
constexpr std::size_t kMaxClients = 10'000;

// The network of an IPv6 address; everything else as it is.
std::string key_of(std::string_view client) {
  in6_addr address{};
  const std::string text(client);
  if (::inet_pton(AF_INET6, text.c_str(), &address) != 1) return text;
  if (IN6_IS_ADDR_V4MAPPED(&address)) return text;
  return {reinterpret_cast<const char*>(address.s6_addr), 8};
}

void forget(std::deque<std::int64_t>& times, std::int64_t before) {
  while (!times.empty() && times.front() <= before) times.pop_front();
}

// Whole seconds until the oldest is `span` old.
std::uint32_t seconds_left(std::int64_t oldest, std::int64_t span, std::int64_t now) {
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>((oldest + span - now + 999) / 1000, 1, kDayMs / 1000));
}

}  // namespace

std::optional<std::uint32_t> Quota::take(std::string_view client, Instant now) {
  if (limits_.per_client_a_day == 0) return std::nullopt;
  const std::scoped_lock lock(mutex_);
  forget(all_, now.ms - kHourMs);
  if (all_.size() >= limits_.all_an_hour) {
    return seconds_left(all_.empty() ? now.ms : all_.front(), kHourMs, now.ms);
  }
  std::string key = key_of(client);
  if (!clients_.contains(key) && clients_.size() >= kMaxClients) {
    std::erase_if(clients_, [&](const auto& entry) {
      return entry.second.empty() || entry.second.back() <= now.ms - kDayMs;
    });
    if (clients_.size() >= kMaxClients) key = "(others)";
  }
  std::deque<std::int64_t>& times = clients_[key];
  forget(times, now.ms - kDayMs);
  if (times.size() >= limits_.per_client_a_day) return seconds_left(times.front(), kDayMs, now.ms);
  times.push_back(now.ms);
  all_.push_back(now.ms);
  return std::nullopt;
}

}  // namespace ki::notes
