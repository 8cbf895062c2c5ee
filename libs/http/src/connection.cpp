#include "connection.h"

#include "ki/base/text.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

namespace ki::http {
namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kFirstBuffer = 4096;
constexpr std::size_t kReadAhead = 16 * 1024;
constexpr std::size_t kMaxLogLines = 32 * 1024;
// After an answer that ends the connection, what the client still sends is read and dropped, so
// that the answer is not lost to a reset (RFC 9112 section 9.6).
constexpr auto kLingerTime = std::chrono::milliseconds(2000);
constexpr std::size_t kLingerBytes = std::size_t{4} << 20;
constexpr std::size_t kMaxRefusing = 64;
constexpr std::uint64_t kBytesPerWriteSecond = 64 * 1024;

// IMF-fixdate (RFC 9110 section 5.6.7).
std::string http_date(Instant at) {
  constexpr std::array<std::string_view, 7> kDays = {"Thu", "Fri", "Sat", "Sun",
                                                     "Mon", "Tue", "Wed"};
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::string text = at.to_string();  // "2026-08-15T02:02:57.440Z"
  const std::int64_t day = (at.ms >= 0 ? at.ms : at.ms - 86'399'999) / 86'400'000;
  const auto month = static_cast<std::size_t>((text[5] - '0') * 10 + (text[6] - '0') - 1);
  return fmt::format("{}, {} {} {} {} GMT", kDays[static_cast<std::size_t>((day % 7 + 7) % 7)],
                     text.substr(8, 2), kMonths[month % 12], text.substr(0, 4), text.substr(11, 8));
}

std::string_view or_dash(std::string_view text) { return text.empty() ? "-" : text; }

asio::ip::address_v6 as_v6(const asio::ip::address& address) {
  return address.is_v6() ? address.to_v6()
                         : asio::ip::make_address_v6(asio::ip::v4_mapped, address.to_v4());
}

}  // namespace

std::optional<Network> Network::parse(const std::string& text) {
  const std::size_t slash = text.find('/');
  error_code ec;
  const auto address = asio::ip::make_address(text.substr(0, slash), ec);
  if (ec) return std::nullopt;
  const unsigned width = address.is_v4() ? 32 : 128;
  unsigned bits = width;
  if (slash != std::string::npos) {
    const char* first = text.data() + slash + 1;
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(first, last, bits);
    if (first == last || error != std::errc() || end != last || bits > width) return std::nullopt;
  }
  return Network{as_v6(address), bits + 128 - width};
}

bool Network::contains(const asio::ip::address& other) const {
  const auto ours = address.to_bytes();
  const auto theirs = as_v6(other).to_bytes();
  for (unsigned bit = 0; bit < bits; bit += 8) {
    const unsigned count = std::min(8u, bits - bit);
    const auto mask = static_cast<unsigned char>(0xff << (8 - count));
    if ((ours[bit / 8] & mask) != (theirs[bit / 8] & mask)) return false;
  }
  return true;
}

std::string client_key(const asio::ip::address& address) {
  if (address.is_v4()) return address.to_string();
  auto v6 = address.to_v6();
  if (v6.is_v4_mapped()) return asio::ip::make_address_v4(asio::ip::v4_mapped, v6).to_string();
  auto bytes = v6.to_bytes();
  std::fill(bytes.begin() + 8, bytes.end(), std::uint8_t{0});
  return asio::ip::address_v6(bytes).to_string() + "/64";
}

Shared::Shared(const ServerOptions& of, std::vector<Network> proxies)
    : options(of),
      trusted(std::move(proxies)),
      metrics(*of.metrics),
      log(of.access_log, *of.metrics),
      site({.origin = of.origin,
            .clock = of.clock,
            .on_error = [this](std::string_view line) { log_error(line); }},
           *of.metrics),
      limiter({of.limits.requests_per_second, of.limits.burst}) {}

void Shared::publish(std::shared_ptr<const Edition> edition) {
  auto next = std::make_shared<Published>(std::move(edition), options.cache_bytes, metrics);
  {
    const std::scoped_lock lock(published_mutex_);
    published_.swap(next);
  }
  // The edition before, if nobody holds it any more, goes here, outside of the lock.
}

std::shared_ptr<Published> Shared::published() {
  const std::scoped_lock lock(published_mutex_);
  return published_;
}

void Shared::log_error(std::string_view line) const {
  if (options.error_log) options.error_log(fmt::format("{}\n", line));
}

bool Shared::is_trusted(const asio::ip::address& address) const {
  return std::ranges::any_of(trusted,
                             [&](const Network& network) { return network.contains(address); });
}

bool Shared::add_client(const std::string& key) {
  const std::scoped_lock lock(clients_mutex_);
  std::size_t& count = clients_[key];
  if (count >= options.limits.connections_per_client) return false;
  ++count;
  return true;
}

void Shared::remove_client(const std::string& key) {
  const std::scoped_lock lock(clients_mutex_);
  const auto found = clients_.find(key);
  if (found != clients_.end() && --found->second == 0) clients_.erase(found);
}

Connection::Connection(Worker& worker, tcp::socket socket, asio::ip::address peer,
                       std::optional<Problem> refusal)
    : worker_(worker),
      socket_(std::move(socket)),
      peer_(std::move(peer)),
      peer_text_(peer_.to_string()),
      refusal_(std::move(refusal)) {
  enter(Phase::kHead, worker_.shared.options.limits.header_time);
}

void Connection::enter(Phase phase, std::chrono::milliseconds time) {
  phase_ = phase;
  deadline_ = std::chrono::steady_clock::now() + time;
}

void Connection::check_deadline(SteadyTime now) {
  // A handler that takes its time is not the client's fault.
  if (phase_ == Phase::kAnswer || now < deadline_ || has_timed_out_) return;
  has_timed_out_ = true;
  error_code ignored;
  if (phase_ == Phase::kHead || phase_ == Phase::kBody) {
    socket_.cancel(ignored);  // the read ends, and the client is told why
  } else {
    socket_.close(ignored);
  }
}

void Connection::close_if_idle() {
  if (phase_ == Phase::kIdle) close();
}

void Connection::close() {
  error_code ignored;
  socket_.close(ignored);
}

asio::awaitable<bool> Connection::read_request(RequestReader& reader) {
  const Limits& limits = worker_.shared.options.limits;
  const bool is_first = input_.empty();
  if (is_first) input_.resize(kFirstBuffer);
  if (begin_ != end_) {
    enter(Phase::kHead, limits.header_time);
  } else {
    enter(Phase::kIdle, is_first ? limits.header_time : limits.idle_time);
  }
  bool has_continued = false;
  for (;;) {
    if (begin_ != end_) {
      begin_ += reader.feed(std::string_view(input_).substr(begin_, end_ - begin_));
      if (reader.state() == RequestReader::State::kDone ||
          reader.state() == RequestReader::State::kFailed)
        co_return true;
    }
    if (reader.state() == RequestReader::State::kBody && phase_ != Phase::kBody) {
      enter(Phase::kBody, limits.body_time);
      if (reader.request().expects_continue && begin_ == end_ && !has_continued) {
        has_continued = true;
        if (!co_await write("HTTP/1.1 100 Continue\r\n\r\n", "")) co_return false;
        enter(Phase::kBody, limits.body_time);
      }
    }
    if (begin_ == end_) {
      begin_ = end_ = 0;
    } else if (end_ == input_.size()) {
      std::memmove(input_.data(), input_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
      if (end_ == input_.size()) input_.resize(input_.size() + kReadAhead);
    }
    const auto [ec, count] = co_await socket_.async_read_some(
        asio::buffer(input_.data() + end_, input_.size() - end_), kAwait);
    if (ec) co_return false;
    end_ += count;
    if (phase_ == Phase::kIdle) enter(Phase::kHead, limits.header_time);
  }
}

asio::awaitable<Reply> Connection::answer(RawRequest& request) {
  Shared& shared = worker_.shared;
  // Pinned here: the whole answer is of one edition.
  auto begun = shared.site.begin(shared.published(), request, client_of(request));
  if (Reply* reply = std::get_if<Reply>(&begun)) co_return std::move(*reply);
  Site::Pending& pending = std::get<Site::Pending>(begun);
  if (!pending.route->may_block) co_return shared.site.finish(pending);
  co_return co_await asio::co_spawn(
      shared.pool->get_executor(),
      [&]() -> asio::awaitable<Reply> { co_return shared.site.finish(pending); },
      asio::use_awaitable);
}

asio::awaitable<bool> Connection::write(std::string_view head, std::string_view body) {
  const auto seconds =
      static_cast<std::int64_t>((head.size() + body.size()) / kBytesPerWriteSecond);
  enter(Phase::kWrite, worker_.shared.options.limits.write_time + std::chrono::seconds(seconds));
  while (!head.empty() || !body.empty()) {
    const std::array<asio::const_buffer, 2> buffers = {
        asio::const_buffer(head.data(), head.size()), asio::const_buffer(body.data(), body.size())};
    error_code ec;
    std::size_t count = socket_.write_some(buffers, ec);
    if (ec == asio::error::would_block) {
      const auto [wait_error] = co_await socket_.async_wait(tcp::socket::wait_write, kAwait);
      if (wait_error) co_return false;
      continue;
    }
    if (ec) co_return false;
    worker_.shared.metrics.sent_bytes.fetch_add(count, std::memory_order_relaxed);
    const std::size_t of_head = std::min(count, head.size());
    head.remove_prefix(of_head);
    body.remove_prefix(count - of_head);
  }
  co_return true;
}

asio::awaitable<bool> Connection::write_reply(const Reply& reply, const RawRequest* request,
                                              bool keep_alive,
                                              const RateLimiter::Verdict* verdict) {
  const int status = reply.status();
  output_.clear();
  fmt::format_to(std::back_inserter(output_), "HTTP/1.1 {} {}\r\nDate: {}\r\n", status,
                 reason_phrase(status), worker_.date());
  if (!keep_alive) {
    output_ += "Connection: close\r\n";
  } else if (request != nullptr && request->version == 10) {
    output_ += "Connection: keep-alive\r\n";
  }
  if (verdict != nullptr) {
    const RateLimit& limit = worker_.shared.limiter.limit();
    fmt::format_to(std::back_inserter(output_),
                   "RateLimit-Limit: {}\r\nRateLimit-Remaining: {}\r\nRateLimit-Reset: {}\r\n",
                   static_cast<std::uint64_t>(limit.burst), verdict->remaining,
                   verdict->retry_seconds);
  }
  output_ += reply.head();
  output_ += "\r\n";
  co_return co_await write(output_, reply.body());
}

// RFC 9112 section 9.6.
asio::awaitable<void> Connection::linger() {
  error_code ec;
  socket_.shutdown(tcp::socket::shutdown_send, ec);
  enter(Phase::kLinger, kLingerTime);
  for (std::size_t dropped = 0; !ec && dropped < kLingerBytes;) {
    const auto [error, count] =
        co_await socket_.async_read_some(asio::buffer(input_.data(), input_.size()), kAwait);
    ec = error;
    dropped += count;
  }
}

// The address that a trusted proxy says the request came from: the last one in X-Forwarded-For that
// is not itself a trusted proxy.
std::string Connection::client_of(const RawRequest& request) const {
  const Shared& shared = worker_.shared;
  if (shared.trusted.empty() || !shared.is_trusted(peer_)) return peer_text_;
  std::string client = peer_text_;
  const auto forwarded = request.header("x-forwarded-for");
  if (!forwarded) return client;
  const auto hops = split(*forwarded, ',');
  for (auto hop = hops.rbegin(); hop != hops.rend(); ++hop) {
    error_code ec;
    const auto address = asio::ip::make_address(std::string(trim(*hop)), ec);
    if (ec) break;
    client = address.to_string();
    if (!shared.is_trusted(address)) break;
  }
  return client;
}

void Connection::record(const Reply& reply, const RawRequest* request, const std::string& client,
                        SteadyTime begun) {
  Shared& shared = worker_.shared;
  const auto taken = std::chrono::steady_clock::now() - begun;
  shared.metrics.add_request(reply.stored->route, reply.status(), taken);
  if (reply.is_not_modified) shared.metrics.not_modified.fetch_add(1, std::memory_order_relaxed);
  if (!shared.log.is_on()) return;
  append_access_line(worker_.log_lines,
                     {.at = shared.options.clock->now(),
                      .client = client,
                      .method = or_dash(request != nullptr ? request->method : ""),
                      .target = or_dash(request != nullptr ? request->target : ""),
                      .status = reply.status(),
                      .body_bytes = reply.body().size(),
                      .taken = taken,
                      .is_from_cache = reply.is_from_cache,
                      .user_agent = request != nullptr ? std::string_view(request->user_agent)
                                                       : std::string_view()});
  if (worker_.log_lines.size() > kMaxLogLines) worker_.flush_log();
}

asio::awaitable<void> Connection::run() {
  Shared& shared = worker_.shared;
  Metrics& metrics = shared.metrics;
  const Limits& limits = shared.options.limits;
  const ReadLimits read_limits{.header_bytes = limits.header_bytes,
                               .body_bytes = limits.body_bytes};
  if (refusal_) {
    input_.resize(kFirstBuffer);
    const auto begun = std::chrono::steady_clock::now();
    const Reply reply = shared.site.refuse(*refusal_);
    if (co_await write_reply(reply, nullptr, false, nullptr)) co_await linger();
    record(reply, nullptr, peer_text_, begun);
    co_return;
  }
  bool keep_alive = true;
  while (keep_alive) {
    RequestReader reader(read_limits);
    const bool is_whole = co_await read_request(reader);
    const auto begun = std::chrono::steady_clock::now();
    RawRequest& request = reader.request();
    if (!is_whole) {
      if (!has_timed_out_ || !socket_.is_open()) co_return;
      metrics.add_refusal(Metrics::Refusal::kTimeout);
      has_timed_out_ = false;
      const Reply reply = shared.site.refuse(
          {.status = 408, .code = "REQUEST_TIMEOUT", .detail = "the request did not come in time"});
      if (co_await write_reply(reply, nullptr, false, nullptr)) co_await linger();
      record(reply, &request, peer_text_, begun);
      co_return;
    }
    if (reader.state() == RequestReader::State::kFailed) {
      metrics.add_refusal(Metrics::Refusal::kMalformed);
      const Reply reply = shared.site.refuse(reader.problem());
      if (co_await write_reply(reply, nullptr, false, nullptr)) co_await linger();
      record(reply, &request, peer_text_, begun);
      co_return;
    }
    phase_ = Phase::kAnswer;
    keep_alive = request.keep_alive && !shared.is_stopping.load(std::memory_order_relaxed);
    std::string client = client_of(request);
    if (shared.log.is_on()) request.user_agent = request.header("user-agent").value_or("");

    std::optional<RateLimiter::Verdict> verdict;
    if (shared.limiter.is_on()) {
      error_code ec;
      const auto address = asio::ip::make_address(client, ec);
      verdict = shared.limiter.take(ec ? client : client_key(address), begun);
    }
    Reply reply;
    if (verdict && !verdict->is_allowed) {
      metrics.add_refusal(Metrics::Refusal::kRate);
      reply = shared.site.refuse(
          {.status = 429,
           .code = "RATE_LIMITED",
           .detail = fmt::format("more than {:g} requests a second", limits.requests_per_second),
           .retry_after_seconds = verdict->retry_seconds});
      reply.has_body = request.method != "HEAD";
    } else {
      reply = co_await answer(request);
    }
    // Read again: the stop may have come while the answer was made.
    keep_alive = keep_alive && !shared.is_stopping.load(std::memory_order_relaxed);
    if (!co_await write_reply(reply, &request, keep_alive, verdict ? &*verdict : nullptr))
      co_return;
    record(reply, &request, client, begun);
    // Others' turn before this client's next pipelined request.
    if (keep_alive && begin_ != end_) co_await asio::post(worker_.context, asio::use_awaitable);
    if (begin_ == end_ && input_.size() > kFirstBuffer) {
      input_ = std::string(kFirstBuffer, '\0');
      begin_ = end_ = 0;
    }
  }
  co_await linger();
}

void Worker::take(tcp::socket socket) {
  if (shared.is_stopping) return;
  error_code ec;
  const auto endpoint = socket.remote_endpoint(ec);
  if (ec) return;
  socket.non_blocking(true, ec);
  socket.set_option(tcp::no_delay(true), ec);
  const auto peer = endpoint.address();
  const std::string key = client_key(peer);
  const Limits& limits = shared.options.limits;
  std::optional<Problem> refusal;
  bool is_counted = false;
  if (static_cast<std::size_t>(shared.open_connections.load()) >= limits.connections) {
    shared.metrics.add_refusal(Metrics::Refusal::kConnections);
    refusal = Problem{.status = 503,
                      .code = "UNAVAILABLE",
                      .detail = "this server has all the connections that it takes",
                      .retry_after_seconds = 1};
  } else if (!shared.is_trusted(peer)) {
    is_counted = shared.add_client(key);
    if (!is_counted) {
      shared.metrics.add_refusal(Metrics::Refusal::kClientConnections);
      refusal = Problem{.status = 429,
                        .code = "TOO_MANY_CONNECTIONS",
                        .detail = fmt::format("one client may have {} connections",
                                              limits.connections_per_client),
                        .retry_after_seconds = 1};
    }
  }
  const bool is_refused = refusal.has_value();
  if (is_refused && refusing_ >= kMaxRefusing) return;  // closed without a word
  if (is_refused) ++refusing_;
  ++shared.open_connections;
  shared.metrics.connections.fetch_add(1, std::memory_order_relaxed);
  shared.metrics.accepted.fetch_add(1, std::memory_order_relaxed);
  const auto connection =
      std::make_shared<Connection>(*this, std::move(socket), peer, std::move(refusal));
  const auto place = connections.insert(connections.end(), connection);
  asio::co_spawn(
      context, [connection] { return connection->run(); },
      [this, place, key, is_counted, is_refused](const std::exception_ptr& failure) {
        if (failure) shared.log_error("a connection failed with an exception");
        (*place)->close();
        connections.erase(place);
        if (is_counted) shared.remove_client(key);
        if (is_refused) --refusing_;
        shared.metrics.connections.fetch_sub(1, std::memory_order_relaxed);
        --shared.open_connections;
      });
}

void Worker::tick(SteadyTime now) {
  date_ = http_date(shared.options.clock->now());
  for (const auto& connection : connections) connection->check_deadline(now);
  flush_log();
  shared.metrics.cache_bytes.store(shared.published()->cache.bytes(), std::memory_order_relaxed);
}

std::string_view Worker::date() {
  if (date_.empty()) date_ = http_date(shared.options.clock->now());
  return date_;
}

void Worker::close_idle() {
  for (const auto& connection : connections) connection->close_if_idle();
}

void Worker::close_all() {
  for (const auto& connection : connections) connection->close();
}

}  // namespace ki::http
