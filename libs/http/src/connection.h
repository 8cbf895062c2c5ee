// What the server is made of: state that all threads share, an I/O thread, and a connection.
// Included by the two sources of the server only (Asio is expensive to compile).
#pragma once

#include "access_log.h"
#include "ki/http/server.h"
#include "rate_limiter.h"
#include "site.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ki::http {

using SteadyTime = std::chrono::steady_clock::time_point;

// An address with the number of its leading bits that count.
struct Network {
  boost::asio::ip::address_v6 address;  // IPv4 as mapped
  unsigned bits = 128;

  static std::optional<Network> parse(const std::string& text);
  bool contains(const boost::asio::ip::address& other) const;
};

// The text that a client is counted by: an IPv4 address, or the /64 of an IPv6 one.
std::string client_key(const boost::asio::ip::address& address);

struct Shared {
  Shared(const ServerOptions& of, std::vector<Network> proxies);

  void publish(std::shared_ptr<const Edition> edition);
  // What requests that begin now are answered by.
  std::shared_ptr<Published> published();
  void log_error(std::string_view line) const;
  bool is_trusted(const boost::asio::ip::address& address) const;
  // Counts one connection more of the client; false when it has too many.
  bool add_client(const std::string& key);
  void remove_client(const std::string& key);

  ServerOptions options;
  std::vector<Network> trusted;
  Metrics& metrics;
  AccessLog log;
  Site site;
  RateLimiter limiter;
  boost::asio::thread_pool* pool = nullptr;
  std::atomic<bool> is_stopping = false;
  std::atomic<std::int64_t> open_connections = 0;

 private:
  // Not std::atomic<std::shared_ptr>: its load in libstdc++ 12 gives the lock back without release.
  std::mutex published_mutex_;
  std::shared_ptr<Published> published_;
  std::mutex clients_mutex_;
  std::unordered_map<std::string, std::size_t> clients_;
};

class Worker;

class Connection {
 public:
  Connection(Worker& worker, boost::asio::ip::tcp::socket socket, boost::asio::ip::address peer,
             std::optional<Problem> refusal);

  boost::asio::awaitable<void> run();

  // From the worker's tick, on its thread.
  void check_deadline(SteadyTime now);
  void close_if_idle();
  void close();

 private:
  enum class Phase : std::uint8_t { kIdle, kHead, kBody, kAnswer, kWrite, kLinger };

  void enter(Phase phase, std::chrono::milliseconds time);
  boost::asio::awaitable<bool> read_request(RequestReader& reader);
  boost::asio::awaitable<Reply> answer(RawRequest& request);
  // False when the connection is broken.
  boost::asio::awaitable<bool> write(std::string_view head, std::string_view body);
  boost::asio::awaitable<bool> write_reply(const Reply& reply, const RawRequest* request,
                                           bool keep_alive, const RateLimiter::Verdict* verdict);
  boost::asio::awaitable<void> linger();
  std::string client_of(const RawRequest& request) const;
  void record(const Reply& reply, const RawRequest* request, const std::string& client,
              SteadyTime begun);

  Worker& worker_;
  boost::asio::ip::tcp::socket socket_;
  boost::asio::ip::address peer_;
  std::string peer_text_;
  std::optional<Problem> refusal_;
  Phase phase_ = Phase::kIdle;
  SteadyTime deadline_;
  bool has_timed_out_ = false;
  std::string input_;      // bytes received
  std::size_t begin_ = 0;  // the first that was not used
  std::size_t end_ = 0;    // behind the last one received
  std::string output_;     // status line and fields of the answer
};

// One I/O thread. Everything here happens on that thread.
class Worker {
 public:
  explicit Worker(Shared& of) : context(1), shared(of) {}

  void take(boost::asio::ip::tcp::socket socket);
  void tick(SteadyTime now);
  void close_idle();
  void close_all();
  void flush_log() { shared.log.hand_over(log_lines); }
  // "Sun, 16 Aug 2026 12:00:00 GMT", at most a tick old.
  std::string_view date();

  boost::asio::io_context context;
  Shared& shared;
  std::list<std::shared_ptr<Connection>> connections;
  std::string log_lines;

 private:
  std::size_t refusing_ = 0;  // connections that are only told why they are refused
  std::string date_;
};

}  // namespace ki::http
