#include "ki/http/testing/raw_client.h"

#include "ki/base/text.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <charconv>

namespace ki::http::testing {
namespace {

using Steady = std::chrono::steady_clock;

std::optional<std::size_t> parse_size(std::string_view text, int base) {
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size, base);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return size;
}

}  // namespace

std::string Answer::field(std::string_view name) const {
  for (const auto& [known, value] : fields) {
    if (known == name) return value;
  }
  return "";
}

bool Answer::has(std::string_view name) const {
  for (const auto& [known, value] : fields) {
    if (known == name) return true;
  }
  return false;
}

RawClient::RawClient(std::uint16_t port, int receive_buffer) {
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_ < 0) return;
  if (receive_buffer > 0)
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  const int on = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(socket_);
    socket_ = -1;
  }
}

RawClient::~RawClient() {
  if (socket_ >= 0) ::close(socket_);
}

RawClient::RawClient(RawClient&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), buffer_(std::move(other.buffer_)) {}

bool RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

void RawClient::finish_sending() { ::shutdown(socket_, SHUT_WR); }

bool RawClient::fill(Steady::time_point until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Steady::now());
  if (left.count() <= 0) return false;
  pollfd waiting{.fd = socket_, .events = POLLIN, .revents = 0};
  if (::poll(&waiting, 1, static_cast<int>(left.count())) <= 0) return false;
  std::array<char, 65536> bytes;
  const ssize_t count = ::recv(socket_, bytes.data(), bytes.size(), 0);
  if (count <= 0) return false;
  buffer_.append(bytes.data(), static_cast<std::size_t>(count));
  return true;
}

std::optional<Answer> RawClient::read(bool head_only, std::chrono::milliseconds limit) {
  const auto until = Steady::now() + limit;
  std::size_t end = 0;
  while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
    if (!fill(until)) return std::nullopt;
  }
  Answer answer;
  const std::string head = buffer_.substr(0, end);
  buffer_.erase(0, end + 4);
  if (!head.starts_with("HTTP/1.1 ") || head.size() < 12) return std::nullopt;
  answer.status = static_cast<int>(parse_size(std::string_view(head).substr(9, 3), 10).value_or(0));
  for (const std::string_view line : split(head, '\n')) {
    const std::size_t colon = line.find(':');
    if (line.starts_with("HTTP/1.1 ") || colon == std::string_view::npos) continue;
    answer.fields.emplace_back(ascii_lower(line.substr(0, colon)),
                               std::string(trim(line.substr(colon + 1))));
  }
  if (head_only || answer.status == 304 || answer.status == 204 || answer.status / 100 == 1)
    return answer;
  const auto length = parse_size(answer.field("content-length"), 10);
  if (!length) return std::nullopt;
  while (buffer_.size() < *length) {
    if (!fill(until)) return std::nullopt;
  }
  answer.body = buffer_.substr(0, *length);
  buffer_.erase(0, *length);
  return answer;
}

bool RawClient::is_closed_within(std::chrono::milliseconds limit) {
  const auto until = Steady::now() + limit;
  while (fill(until)) {
  }
  return Steady::now() < until;
}

std::optional<Answer> RawClient::get(std::string_view target, std::string_view more_fields) {
  if (!send(fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n{}\r\n", target, more_fields)))
    return std::nullopt;
  return read();
}

Answer get(std::uint16_t port, std::string_view target, std::string_view more_fields) {
  RawClient client(port);
  return client.get(target, more_fields).value_or(Answer());
}

Answer exchange(std::uint16_t port, std::string_view bytes) {
  RawClient client(port);
  client.send(bytes);
  return client.read().value_or(Answer());
}

}  // namespace ki::http::testing
