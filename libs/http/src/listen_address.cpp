#include "ki/base/text.h"
#include "ki/http/server.h"

#include <fmt/format.h>

#include <charconv>

namespace ki::http {

Result<ListenAddress> ListenAddress::parse(std::string_view text) {
  const auto refuse = [&] {
    return fail(Code::kInvalidArgument,
                fmt::format("{} is not an address to listen on; expected ADDRESS:PORT, for example "
                            "127.0.0.1:8417 or [::1]:8417",
                            quote(text)));
  };
  ListenAddress address;
  std::string_view port = text;
  if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    std::string_view host = text.substr(0, colon);
    port = text.substr(colon + 1);
    if (host.starts_with('[') && host.ends_with(']')) {
      host = host.substr(1, host.size() - 2);
      if (host.find(':') == std::string_view::npos) return refuse();
    } else if (host.find(':') != std::string_view::npos) {
      return refuse();
    }
    if (host == "localhost") host = "127.0.0.1";
    if (!host.empty()) address.host = host;
  }
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (port.empty() || error != std::errc() || end != port.data() + port.size()) return refuse();
  return address;
}

std::string ListenAddress::to_string() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                             : fmt::format("[{}]:{}", host, port);
}

}  // namespace ki::http
