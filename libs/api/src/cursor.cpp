#include "ki/api/cursor.h"

#include "ki/base/base64url.h"
#include "ki/digest/digest.h"
#include "ki/digest/hmac.h"

#include <cstring>

namespace ki::api {
namespace {

constexpr char kFormat = 1;
constexpr std::size_t kMark = 8;    // bytes of the digest of the filters
constexpr std::size_t kProof = 16;  // bytes of the signature
constexpr std::size_t kPayload = 1 + kMark + 8 + 8 + 16;

void put(std::string& out, std::uint64_t value) {
  for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xFFU);
}

std::uint64_t take(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes.substr(0, 8)) value = value << 8 | static_cast<std::uint8_t>(c);
  bytes.remove_prefix(8);
  return value;
}

std::string mark_of(const Arguments& arguments) {
  return std::string(Digest::of(arguments.filters()).view().substr(0, kMark));
}

http::Problem invalid(std::string detail) {
  return {.status = 400,
          .code = "INVALID_CURSOR",
          .detail = std::move(detail),
          .errors = {{"?cursor", "INVALID_CURSOR", "start again without it"}}};
}

}  // namespace

std::string write_cursor(const Site& site, const Arguments& arguments, const Position& position) {
  std::string bytes(1, kFormat);
  bytes += mark_of(arguments);
  put(bytes, position.version);
  put(bytes, static_cast<std::uint64_t>(position.number));
  bytes.append(reinterpret_cast<const char*>(position.id.data()), position.id.size());
  bytes += hmac_sha256(site.cursor_key, bytes).view().substr(0, kProof);
  return base64url(bytes);
}

std::expected<Position, http::Problem> read_cursor(const Site& site, const Arguments& arguments,
                                                   std::string_view text) {
  const auto bytes = parse_base64url(text);
  if (!bytes || bytes->size() != kPayload + kProof || bytes->front() != kFormat) {
    return std::unexpected(invalid("the cursor is none of this API"));
  }
  std::string_view rest = *bytes;
  const std::string_view payload = rest.substr(0, kPayload);
  if (!equals_in_constant_time(hmac_sha256(site.cursor_key, payload).view().substr(0, kProof),
                               rest.substr(kPayload))) {
    return std::unexpected(invalid("the cursor was not made by this index, or was altered"));
  }
  if (payload.substr(1, kMark) != mark_of(arguments)) {
    return std::unexpected(invalid("the cursor belongs to another list or other filters"));
  }
  rest.remove_prefix(1 + kMark);
  Position position;
  position.version = take(rest);
  position.number = static_cast<std::int64_t>(take(rest));
  std::memcpy(position.id.data(), rest.data(), position.id.size());
  return position;
}

std::expected<std::size_t, http::Problem> offset_of(const Site& site, const Arguments& arguments,
                                                    std::string_view cursor) {
  if (cursor.empty()) return 0;
  const auto position = read_cursor(site, arguments, cursor);
  if (!position) return std::unexpected(position.error());
  if (position->version != site.snapshot().seq()) {
    return std::unexpected(
        http::Problem{.status = 410,
                      .code = "CURSOR_EXPIRED",
                      .detail = "the catalog has changed since the page before; start again "
                                "without the cursor"});
  }
  return static_cast<std::size_t>(position->number);
}

std::string cursor_after(const Site& site, const Arguments& arguments, std::size_t offset,
                         std::size_t shown, std::size_t total) {
  if (offset + shown >= total) return {};
  return write_cursor(
      site, arguments,
      {.version = site.snapshot().seq(), .number = static_cast<std::int64_t>(offset + shown)});
}

}  // namespace ki::api
