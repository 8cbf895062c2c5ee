#include "http_client.h"

#include "ki/base/text.h"

#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <utility>

namespace ki::cli {
namespace {

constexpr int kPatienceSeconds = 30;

class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&&) = delete;
  ~Socket() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

struct Address {
  std::string host;    // without brackets
  std::string port;    // digits
  std::string shown;   // for the Host field
  std::string prefix;  // of paths, without a final slash
};

Result<Address> parse_address(std::string_view server) {
  const auto refuse = [&](std::string_view why) {
    return fail(Code::kInvalidArgument,
                fmt::format("{} is no address of a server: {}", quote(server), why));
  };
  constexpr std::string_view kScheme = "http://";
  if (server.starts_with("https://")) {
    return refuse(
        "this program speaks plain HTTP; use the http:// address of the server or of a "
        "proxy on this machine");
  }
  if (!server.starts_with(kScheme)) return refuse("expected http://HOST[:PORT]");
  std::string_view rest = server.substr(kScheme.size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  Address address;
  address.prefix = rest.substr(slash);
  address.shown = rest.substr(0, slash);
  std::string_view authority = rest.substr(0, slash);
  address.port = "80";
  if (authority.starts_with('[')) {
    const std::size_t close = authority.find(']');
    if (close == authority.npos) return refuse("']' is missing");
    address.host = authority.substr(1, close - 1);
    authority.remove_prefix(close + 1);
    if (authority.starts_with(':')) address.port = authority.substr(1);
  } else {
    const std::size_t colon = std::min(authority.find(':'), authority.size());
    address.host = authority.substr(0, colon);
    if (colon < authority.size()) address.port = authority.substr(colon + 1);
  }
  const bool is_port = !address.port.empty() && address.port.size() <= 5 &&
                       address.port.find_first_not_of("0123456789") == std::string::npos;
  if (address.host.empty() || !is_port) return refuse("expected http://HOST[:PORT]");
  return address;
}

std::unexpected<Error> unreachable(std::string_view server, std::string_view why) {
  return fail(Code::kUnavailable, fmt::format("{} cannot be reached: {}", server, why));
}

Result<Socket> connect_to(std::string_view server, const Address& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int code = ::getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found);
      code != 0) {
    return unreachable(server, ::gai_strerror(code));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, ::freeaddrinfo);
  int last = 0;
  for (const addrinfo* a = found; a != nullptr; a = a->ai_next) {
    Socket socket(::socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol));
    if (socket.get() < 0) continue;
    const timeval patience{.tv_sec = kPatienceSeconds, .tv_usec = 0};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (::connect(socket.get(), a->ai_addr, a->ai_addrlen) == 0) return socket;
    last = errno;
  }
  return unreachable(server, std::strerror(last));
}

std::string request_text(const Address& address, const http::Request& request) {
  http::Target target = request.target;
  target.path = address.prefix + target.path;
  std::string text = fmt::format(
      "{} {} HTTP/1.1\r\nHost: {}\r\nAccept: application/json, text/plain\r\n"
      "Connection: close\r\nUser-Agent: ki\r\n",
      to_string(request.method), target.canonical(), address.shown);
  for (const http::Header& header : request.headers) {
    text += fmt::format("{}: {}\r\n", header.name, header.value);
  }
  if (!request.body.empty()) text += fmt::format("Content-Length: {}\r\n", request.body.size());
  return text + "\r\n" + request.body;
}

template <class Integer>
std::optional<Integer> integer(std::string_view text, int base) {
  Integer value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::string> unchunked(std::string_view bytes) {
  std::string body;
  while (true) {
    const std::size_t end = bytes.find("\r\n");
    if (end == bytes.npos) return std::nullopt;
    const auto size =
        integer<std::size_t>(trim(bytes.substr(0, bytes.substr(0, end).find(';'))), 16);
    bytes.remove_prefix(end + 2);
    if (!size || bytes.size() < *size + 2) return std::nullopt;
    if (*size == 0) return body;
    body += bytes.substr(0, *size);
    bytes.remove_prefix(*size + 2);
  }
}

}  // namespace

Result<HttpAnswer> parse_http_answer(std::string_view bytes, std::size_t max_body) {
  const auto broken = [] {
    return fail(Code::kUnavailable, "the server's answer is no whole HTTP answer");
  };
  const std::size_t head_end = bytes.find("\r\n\r\n");
  if (head_end == bytes.npos || !bytes.starts_with("HTTP/1.")) return broken();
  const std::string_view head = bytes.substr(0, head_end);
  const auto status = integer<int>(head.substr(std::min<std::size_t>(9, head.size()), 3), 10);
  if (!status) return broken();
  HttpAnswer answer{.status = *status, .body = {}};
  std::string_view body = bytes.substr(head_end + 4);
  std::optional<std::size_t> length;
  for (const std::string_view line : split(head.substr(head.find('\n') + 1), '\n')) {
    const std::size_t colon = std::min(line.find(':'), line.size());
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = trim(line.substr(std::min(colon + 1, line.size())));
    if (equals_ignoring_case(name, "transfer-encoding")) {
      auto text = unchunked(body);
      if (!text) return broken();
      answer.body = *std::move(text);
      if (answer.body.size() > max_body) return broken();
      return answer;
    }
    if (equals_ignoring_case(name, "content-length")) {
      length = integer<std::size_t>(value, 10);
      if (!length) return broken();
    }
  }
  if (length && body.size() < *length) return broken();
  answer.body = length ? body.substr(0, *length) : body;
  if (answer.body.size() > max_body) return broken();
  return answer;
}

Result<HttpAnswer> http_exchange(std::string_view server, const http::Request& request,
                                 std::size_t max_body) {
  KI_TRY(const Address address, parse_address(server));
  KI_TRY(const Socket socket, connect_to(server, address));
  const std::string text = request_text(address, request);
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t n = ::send(socket.get(), text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return unreachable(server, std::strerror(errno));
    sent += static_cast<std::size_t>(n);
  }
  std::string bytes;
  std::string buffer(64 * 1024, '\0');
  while (true) {
    const ssize_t n = ::recv(socket.get(), buffer.data(), buffer.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      return unreachable(server, errno == EAGAIN ? "it does not answer" : std::strerror(errno));
    }
    if (n == 0) break;
    bytes.append(buffer, 0, static_cast<std::size_t>(n));
    if (bytes.size() > max_body + 64 * 1024) {
      return fail(Code::kUnavailable, "the server's answer is too long");
    }
  }
  return parse_http_answer(bytes, max_body);
}

}  // namespace ki::cli
