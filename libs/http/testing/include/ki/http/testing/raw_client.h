// RawClient: bytes to a server and answers back, for tests that must control every byte. Blocking,
// with a time limit on everything.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ki::http::testing {

struct Answer {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> fields;  // names in lower case
  std::string body;

  // The first field of that name, or "".
  std::string field(std::string_view name) const;
  bool has(std::string_view name) const;
};

class RawClient {
 public:
  // Connects to 127.0.0.1. A small receive buffer makes a slow reader.
  explicit RawClient(std::uint16_t port, int receive_buffer = 0);
  ~RawClient();
  RawClient(RawClient&& other) noexcept;
  RawClient& operator=(RawClient&&) = delete;

  bool is_connected() const { return socket_ >= 0; }
  // False when the server has closed the connection.
  bool send(std::string_view bytes);
  void finish_sending();

  // The next answer. Nothing at the end of the connection, after `limit`, or when what came is no
  // HTTP. `head_only`: of a request HEAD.
  std::optional<Answer> read(bool head_only = false,
                             std::chrono::milliseconds limit = std::chrono::seconds(20));
  // Whether the server closes the connection within `limit`; what it sends before is dropped.
  bool is_closed_within(std::chrono::milliseconds limit);
  // One request with Host, on this connection.
  std::optional<Answer> get(std::string_view target, std::string_view more_fields = "");

 private:
  bool fill(std::chrono::steady_clock::time_point until);

  int socket_ = -1;
  std::string buffer_;
};

// One GET on a connection of its own.
Answer get(std::uint16_t port, std::string_view target, std::string_view more_fields = "");
// One request of any bytes on a connection of its own.
Answer exchange(std::uint16_t port, std::string_view bytes);

}  // namespace ki::http::testing
