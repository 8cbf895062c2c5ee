// Server: HTTP/1.1 over TCP. One I/O thread a core, each with its own connections; handlers run
// there, or on a worker where the route says that it may block.
#pragma once

#include "ki/base/clock.h"
#include "ki/base/result.h"
#include "ki/http/edition.h"
#include "ki/http/metrics.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ki::http {

struct ListenAddress {
  std::string host = "127.0.0.1";  // an address in digits
  std::uint16_t port = 8417;       // 0: any free one

  // "127.0.0.1:8417", "[::1]:8417", "localhost:8417", ":8417" (loopback) or "8417".
  static Result<ListenAddress> parse(std::string_view text);
  // As a URL has it: "[::1]:8417".
  std::string to_string() const;
};

struct Limits {
  std::uint32_t header_bytes = 16 * 1024;
  std::uint64_t body_bytes = std::uint64_t{1} << 20;
  std::size_t connections = 4096;
  std::size_t connections_per_client = 256;
  std::chrono::milliseconds header_time{
      10'000};  // from the first byte of a request to its last field
  std::chrono::milliseconds body_time{30'000};
  std::chrono::milliseconds idle_time{60'000};  // between requests
  // To take an answer; and one second more for each 64 KiB.
  std::chrono::milliseconds write_time{30'000};
  // A token bucket a client (IPv6: a /64); 0 is no limit.
  double requests_per_second = 200;
  double burst = 400;
};

struct ServerOptions {
  ListenAddress listen = {};
  unsigned threads = 0;  // 0: one a core
  Limits limits = {};
  std::size_t cache_bytes = std::size_t{64} << 20;
  std::string origin = {};  // public address without a final slash; https turns HSTS on
  // Addresses or networks ("10.0.0.0/8") whose X-Forwarded-For is believed.
  std::vector<std::string> trusted_proxies = {};
  const Clock* clock = nullptr;  // never null
  Metrics* metrics = nullptr;    // never null; outlives the server
  // Get whole lines, each from one thread at a time. Without one nothing is logged.
  std::function<void(std::string_view)> access_log = {};
  std::function<void(std::string_view)> error_log = {};
};

class Server {
 public:
  // Listens and answers at once. Fails with kInvalidArgument for an address or network that is
  // none, with kUnavailable when the address cannot be had (in use, not of this machine).
  static Result<std::unique_ptr<Server>> start(const ServerOptions& options,
                                               std::shared_ptr<const Edition> edition);
  ~Server();  // stops without waiting

  // Requests that begin from now on are answered by this edition. From any thread.
  void publish(std::shared_ptr<const Edition> edition);
  std::shared_ptr<const Edition> edition() const;

  std::uint16_t port() const;
  // "http://127.0.0.1:8417".
  std::string address() const;

  // Takes no more connections, lets requests that have begun end, waits at most `drain` and closes
  // the rest. True when nothing had to be cut off.
  bool stop(std::chrono::milliseconds drain);

  struct State;  // internal

 private:
  explicit Server(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ki::http
