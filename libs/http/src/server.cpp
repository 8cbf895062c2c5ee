#include "ki/http/server.h"

#include "access_log.h"
#include "connection.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace ki::http {
namespace asio = boost::asio;
using tcp = asio::ip::tcp;

namespace {

constexpr auto kTick = std::chrono::milliseconds(100);
constexpr unsigned kBlockingThreads = 2;

Result<std::vector<Network>> parse_networks(const std::vector<std::string>& texts) {
  std::vector<Network> networks;
  for (const std::string& text : texts) {
    const auto network = Network::parse(text);
    if (!network) {
      return fail(Code::kInvalidArgument,
                  fmt::format("'{}' is neither an address nor a network such as 10.0.0.0/8", text));
    }
    networks.push_back(*network);
  }
  return networks;
}

}  // namespace

struct Server::State {
  State(const ServerOptions& options, std::vector<Network> proxies)
      : shared(options, std::move(proxies)), pool(kBlockingThreads) {
    shared.pool = &pool;
    unsigned count = options.threads != 0 ? options.threads : std::thread::hardware_concurrency();
    count = std::max(1u, count);
    for (unsigned i = 0; i < count; ++i) workers.push_back(std::make_unique<Worker>(shared));
  }

  void run(Worker& worker) {
    asio::co_spawn(worker.context, tick(worker), asio::detached);
    worker.context.run();
    worker.flush_log();
  }

  asio::awaitable<void> tick(Worker& worker) {
    asio::steady_timer timer(worker.context);
    int ticks = 0;
    while (!shared.is_stopping || !worker.connections.empty()) {
      timer.expires_after(kTick);
      co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
      worker.tick(std::chrono::steady_clock::now());
      if (&worker == workers.front().get() && ++ticks % 100 == 0)
        shared.limiter.sweep(std::chrono::steady_clock::now());
    }
  }

  asio::awaitable<void> accept() {
    std::size_t next = 0;
    while (!shared.is_stopping) {
      Worker& worker = *workers[next];
      auto [ec, socket] =
          co_await acceptor->async_accept(worker.context, asio::as_tuple(asio::use_awaitable));
      if (shared.is_stopping) break;
      if (ec) {
        // Out of descriptors or memory: those that are connected go on; try again soon.
        shared.log_error(fmt::format("cannot accept a connection: {}", ec.message()));
        asio::steady_timer pause(acceptor->get_executor(), std::chrono::milliseconds(100));
        co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
        continue;
      }
      next = (next + 1) % workers.size();
      asio::post(worker.context,
                 [&worker, s = std::move(socket)]() mutable { worker.take(std::move(s)); });
    }
  }

  bool stop(std::chrono::milliseconds drain) {
    if (threads.empty()) return true;
    shared.is_stopping = true;
    asio::post(workers.front()->context, [this] {
      boost::system::error_code ignored;
      acceptor->close(ignored);
    });
    for (const auto& worker : workers)
      asio::post(worker->context, [w = worker.get()] { w->close_idle(); });
    const auto end = std::chrono::steady_clock::now() + drain;
    while (std::chrono::steady_clock::now() < end && shared.open_connections.load() > 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const bool is_clean = shared.open_connections.load() == 0;
    for (const auto& worker : workers)
      asio::post(worker->context, [w = worker.get()] { w->close_all(); });
    for (std::thread& thread : threads) thread.join();
    threads.clear();
    pool.join();
    return is_clean;
  }

  Shared shared;
  asio::thread_pool pool;
  std::vector<std::unique_ptr<Worker>> workers;
  std::unique_ptr<tcp::acceptor> acceptor;
  std::vector<std::thread> threads;
  ListenAddress listen;
};

Server::Server(std::unique_ptr<State> state) : state_(std::move(state)) {}
Server::~Server() { state_->stop(std::chrono::milliseconds(0)); }

Result<std::unique_ptr<Server>> Server::start(const ServerOptions& options,
                                              std::shared_ptr<const Edition> edition) {
  KI_TRY(std::vector<Network> proxies, parse_networks(options.trusted_proxies));
  boost::system::error_code ec;
  const auto host = asio::ip::make_address(options.listen.host, ec);
  if (ec) {
    return fail(Code::kInvalidArgument,
                fmt::format("'{}' is not an address to listen on; expected one in digits, for "
                            "example 127.0.0.1 or ::1",
                            options.listen.host));
  }
  auto state = std::make_unique<State>(options, std::move(proxies));
  state->acceptor = std::make_unique<tcp::acceptor>(state->workers.front()->context);
  tcp::acceptor& acceptor = *state->acceptor;
  const tcp::endpoint endpoint(host, options.listen.port);
  acceptor.open(endpoint.protocol(), ec);
  if (!ec) acceptor.set_option(tcp::acceptor::reuse_address(true), ec);
  if (!ec) acceptor.bind(endpoint, ec);
  if (!ec) acceptor.listen(1024, ec);
  if (ec) {
    return fail(Code::kUnavailable,
                fmt::format("cannot listen on {}: {}; name another address with --listen",
                            options.listen.to_string(), ec.message()));
  }
  state->listen = options.listen;
  state->listen.port = acceptor.local_endpoint().port();
  state->shared.publish(std::move(edition));
  State& running = *state;
  asio::co_spawn(running.workers.front()->context, running.accept(), asio::detached);
  for (const auto& worker : running.workers)
    running.threads.emplace_back([&running, w = worker.get()] { running.run(*w); });
  return std::unique_ptr<Server>(new Server(std::move(state)));
}

void Server::publish(std::shared_ptr<const Edition> edition) {
  state_->shared.publish(std::move(edition));
}

std::shared_ptr<const Edition> Server::edition() const {
  return state_->shared.published()->edition;
}

std::uint16_t Server::port() const { return state_->listen.port; }
std::string Server::address() const { return "http://" + state_->listen.to_string(); }
bool Server::stop(std::chrono::milliseconds drain) { return state_->stop(drain); }

}  // namespace ki::http
