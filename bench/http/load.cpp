// How many requests a second does a server answer, and how long does one take?
//   bench_http_load PORT FILE [--connections N] [--seconds S] [--rate R] [--etag] [--header "Name:
//   value"]...
// FILE has a request a line: a target for GET, or "POST TARGET BODY". Lines are taken in a random
// order (seed 1). Without --rate each connection sends its next request when it has its answer
// (closed loop); with it, requests are due at fixed times, and latency counts from the time that
// one was due, so that a stall counts for all that waited (open loop). --etag asks each line once
// first and then sends its entity tag. Prints one JSON object.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::uint16_t port = 0;
  std::string file;
  std::size_t connections = 64;
  double seconds = 5;
  double rate = 0;
  bool is_etag = false;
  std::string fields;
};

struct Connection {
  int socket = -1;
  std::string input;
  std::string output;
  std::size_t sent = 0;
  bool is_busy = false;
  bool is_head_known = false;
  std::size_t answer_size = 0;  // head and body
  int status = 0;
  std::size_t line = 0;
  Clock::time_point due;
};

struct Totals {
  std::vector<float> latencies_us;
  std::uint64_t bytes = 0;
  std::map<int, std::uint64_t> by_status;
  std::uint64_t broken = 0;
};

[[noreturn]] void stop(const std::string& text) {
  std::fprintf(stderr, "bench_http_load: %s\n", text.c_str());
  std::exit(2);
}

int connect_to(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd < 0 || ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    stop(fmt::format("cannot connect to port {}", port));
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

std::string_view field_of(std::string_view head, std::string_view name) {
  const std::size_t at = head.find(name);
  if (at == std::string_view::npos) return {};
  const std::size_t begin = at + name.size();
  return head.substr(begin, head.find('\r', begin) - begin);
}

class Load {
 public:
  explicit Load(Options options) : options_(std::move(options)) {
    std::ifstream file(options_.file);
    for (std::string line; std::getline(file, line);) {
      if (!line.empty()) requests_.push_back(request_of(line, ""));
      if (!line.empty()) lines_.push_back(line);
    }
    if (requests_.empty()) stop(options_.file + " has no requests");
    epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
    connections_.resize(options_.connections);
    for (Connection& c : connections_) {
      c.socket = connect_to(options_.port);
      epoll_event event{.events = EPOLLIN, .data = {.ptr = &c}};
      ::epoll_ctl(epoll_, EPOLL_CTL_ADD, c.socket, &event);
    }
  }

  void run() {
    // Every line once, in order: what a first visitor of a catalog version gets.
    const auto first = Clock::now();
    learn();
    first_per_second_ = static_cast<double>(requests_.size()) /
                        std::chrono::duration<double>(Clock::now() - first).count();
    std::ranges::sort(totals_.latencies_us);
    first_p99_us_ = totals_.latencies_us[totals_.latencies_us.size() * 99 / 100];
    // And a moment to warm up, uncounted.
    period(std::min(1.0, options_.seconds / 4));
    totals_ = {};
    const auto begun = Clock::now();
    period(options_.seconds);
    print(std::chrono::duration<double>(Clock::now() - begun).count());
  }

 private:
  std::string request_of(const std::string& line, std::string_view more) const {
    if (line.starts_with("POST ")) {
      const std::size_t space = line.find(' ', 5);
      const std::string body = line.substr(space + 1);
      return fmt::format(
          "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
          "Content-Length: {}\r\n{}\r\n{}",
          line.substr(5, space - 5), body.size(), options_.fields, body);
    }
    return fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n{}{}\r\n", line, options_.fields,
                       more);
  }

  void learn() {
    is_learning_ = true;
    order_ = 0;
    while (order_ < requests_.size() || std::ranges::any_of(connections_, &Connection::is_busy)) {
      for (Connection& c : connections_) {
        if (!c.is_busy && order_ < requests_.size()) begin(c, order_++, Clock::now());
      }
      poll(100);
    }
    is_learning_ = false;
  }

  void period(double seconds) {
    const auto begun = Clock::now();
    const auto end =
        begun + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    std::uint64_t issued = 0;
    std::deque<Clock::time_point> due;
    while (Clock::now() < end) {
      if (options_.rate > 0) {
        const double passed = std::chrono::duration<double>(Clock::now() - begun).count();
        for (; static_cast<double>(issued) < passed * options_.rate; ++issued) {
          due.push_back(begun +
                        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
                            static_cast<double>(issued) / options_.rate)));
        }
        for (Connection& c : connections_) {
          if (due.empty()) break;
          if (c.is_busy) continue;
          begin(c, pick(), due.front());
          due.pop_front();
        }
        poll(0);
      } else {
        for (Connection& c : connections_) {
          if (!c.is_busy) begin(c, pick(), Clock::now());
        }
        poll(50);
      }
    }
    // What is still due counts as late as it is now.
    for (const auto time : due) record(time);
    while (std::ranges::any_of(connections_, &Connection::is_busy)) {
      if (poll(2000) == 0) stop("no answer within 2 s");
    }
  }

  std::size_t pick() {
    return std::uniform_int_distribution<std::size_t>(0, requests_.size() - 1)(random_);
  }

  void begin(Connection& c, std::size_t line, Clock::time_point due) {
    c.is_busy = true;
    c.is_head_known = false;
    c.due = due;
    c.line = line;
    const std::string& text = requests_[line];
    const ssize_t count = ::send(c.socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (count != static_cast<ssize_t>(text.size())) stop("the server closed a connection");
  }

  int poll(int timeout_ms) {
    std::array<epoll_event, 64> events;
    const int count =
        ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), timeout_ms);
    for (int i = 0; i < count; ++i)
      read(*static_cast<Connection*>(events[static_cast<std::size_t>(i)].data.ptr));
    return count;
  }

  void read(Connection& c) {
    const ssize_t count = ::recv(c.socket, buffer_.data(), buffer_.size(), 0);
    if (count <= 0) stop("the server closed a connection");
    c.input.append(buffer_.data(), static_cast<std::size_t>(count));
    if (!c.is_head_known) {
      const std::size_t end = c.input.find("\r\n\r\n");
      if (end == std::string::npos) return;
      const std::string_view head = std::string_view(c.input).substr(0, end + 2);
      std::from_chars(head.data() + 9, head.data() + 12, c.status);
      std::size_t length = 0;
      if (c.status != 304 && c.status != 204) {
        const std::string_view text = field_of(head, "\r\nContent-Length: ");
        std::from_chars(text.data(), text.data() + text.size(), length);
      }
      if (is_learning_ && options_.is_etag) {
        const std::string tag(field_of(head, "\r\nETag: "));
        requests_[c.line] = request_of(lines_[c.line], "If-None-Match: " + tag + "\r\n");
      }
      c.answer_size = end + 4 + length;
      c.is_head_known = true;
    }
    if (c.input.size() < c.answer_size) return;
    totals_.bytes += c.answer_size;
    ++totals_.by_status[c.status];
    record(c.due);
    c.input.clear();
    c.is_busy = false;
  }

  void record(Clock::time_point due) {
    totals_.latencies_us.push_back(
        std::chrono::duration<float, std::micro>(Clock::now() - due).count());
  }

  void print(double seconds) {
    auto& us = totals_.latencies_us;
    std::ranges::sort(us);
    const auto at = [&](double q) {
      return us.empty()
                 ? 0.0F
                 : us[std::min(us.size() - 1,
                               static_cast<std::size_t>(q * static_cast<double>(us.size())))];
    };
    std::string statuses;
    for (const auto& [status, n] : totals_.by_status)
      statuses += fmt::format("{}\"{}\":{}", statuses.empty() ? "" : ",", status, n);
    fmt::print(
        "{{\"requests\":{},\"perSecond\":{:.0f},\"p50Us\":{:.0f},\"p99Us\":{:.0f},\"maxUs\":{:.0f},"
        "\"firstPerSecond\":{:.0f},\"firstP99Us\":{:.0f},\"bytesEach\":{:.0f},\"targets\":{},"
        "\"statuses\":{{{}}}}}\n",
        us.size(), static_cast<double>(us.size()) / seconds, at(0.5), at(0.99), at(1.0),
        first_per_second_, first_p99_us_,
        static_cast<double>(totals_.bytes) / std::max<double>(1, static_cast<double>(us.size())),
        requests_.size(), statuses);
  }

  Options options_;
  std::vector<std::string> lines_, requests_;
  std::vector<Connection> connections_;
  int epoll_ = -1;
  std::mt19937_64 random_{1};
  bool is_learning_ = false;
  double first_per_second_ = 0;
  float first_p99_us_ = 0;
  std::size_t order_ = 0;
  Totals totals_;
  std::array<char, 65536> buffer_{};
};

}  // namespace

int main(int argc, char** argv) {
  Options options;
  std::vector<std::string> operands;
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    const auto next = [&] {
      if (i + 1 >= argc) stop(fmt::format("{} needs a value", arg));
      return std::string(argv[++i]);
    };
    if (arg == "--connections")
      options.connections = std::stoul(next());
    else if (arg == "--seconds")
      options.seconds = std::stod(next());
    else if (arg == "--rate")
      options.rate = std::stod(next());
    else if (arg == "--etag")
      options.is_etag = true;
    else if (arg == "--header")
      options.fields += next() + "\r\n";
    else
      operands.emplace_back(arg);
  }
  if (operands.size() != 2) stop("usage: bench_http_load PORT FILE [options]");
  options.port = static_cast<std::uint16_t>(std::stoul(operands[0]));
  options.file = operands[1];
  Load(options).run();
}
