#include "ki/http/target.h"

#include "ki/base/text.h"

#include <fmt/format.h>

#include <array>

namespace ki::http {
namespace {

// What stands for itself in the canonical spelling of a path: pchar and '/' (RFC 3986 section 3.3).
bool is_path_literal(char c) {
  return is_unreserved(c) || std::string_view("!$&'()*+,;=:@/").find(c) != std::string_view::npos;
}

// ... and of a query's names and values: pchar, '/' and '?' without the separators '&', '=' and
// '+'.
bool is_query_literal(char c) {
  return is_unreserved(c) || std::string_view("!$'()*,;:@/?").find(c) != std::string_view::npos;
}

// What may be sent as it is. Wider than RFC 3986: browsers leave these unencoded (URL Standard,
// query and path percent-encode sets).
bool is_acceptable_raw(char c) {
  return c > ' ' && c < 0x7f && c != '"' && c != '<' && c != '>' && c != '#';
}

int hex_value(char c) {
  if (is_ascii_digit(c)) return c - '0';
  const char lower = ascii_lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::unexpected<Problem> invalid(std::string detail) {
  return std::unexpected(
      Problem{.status = 400, .code = "INVALID_TARGET", .detail = std::move(detail)});
}

enum class Part : std::uint8_t { kPath, kQuery };

// Decodes `text`, which starts at byte `offset` of the target.
std::expected<std::string, Problem> decode(std::string_view text, std::size_t offset, Part part) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '+' && part == Part::kQuery) {
      out += ' ';
      continue;
    }
    if (c != '%') {
      out += c;
      continue;
    }
    const int high = i + 1 < text.size() ? hex_value(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      return invalid(fmt::format(
          "'%' at byte {} is not followed by two hexadecimal digits; write %25 for a percent sign",
          offset + i));
    }
    const auto byte = static_cast<unsigned char>(high * 16 + low);
    // A path has no use for any control byte; a query's text may hold tabs and line ends.
    const bool is_control = part == Part::kPath ? byte < 0x20 || byte == 0x7f : byte == 0;
    if (is_control)
      return invalid(fmt::format("%{:02X} at byte {} is a control byte", byte, offset + i));
    if (part == Part::kPath && (byte == '/' || byte == '\\')) {
      return invalid(
          fmt::format("the encoded slash at byte {} could be read in two ways", offset + i));
    }
    out += static_cast<char>(byte);
    i += 2;
  }
  if (const auto bad = find_invalid_utf8(out))
    return invalid(fmt::format("the {} is not UTF-8 (decoded byte {})",
                               part == Part::kPath ? "path" : "query", *bad));
  return out;
}

// Skips "http://authority" of the absolute form.
std::string_view origin_form(std::string_view text) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (text.size() <= scheme.size() ||
        !equals_ignoring_case(text.substr(0, scheme.size()), scheme))
      continue;
    const std::size_t end = text.find_first_of("/?", scheme.size());
    return end == std::string_view::npos ? std::string_view("/") : text.substr(end);
  }
  return text;
}

}  // namespace

bool is_unreserved(char c) {
  return is_ascii_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

void percent_encode(std::string& out, std::string_view text, bool (*is_literal)(char)) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  for (const char c : text) {
    if (is_literal(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
}

std::optional<std::string_view> Target::find(std::string_view name) const {
  for (const QueryPair& pair : query) {
    if (pair.name == name) return pair.value;
  }
  return std::nullopt;
}

std::string Target::canonical() const {
  std::string out;
  out.reserve(path.size() + 16);
  percent_encode(out, path, is_path_literal);
  char separator = '?';
  for (const QueryPair& pair : query) {
    out += separator;
    separator = '&';
    percent_encode(out, pair.name, is_query_literal);
    out += '=';
    percent_encode(out, pair.value, is_query_literal);
  }
  return out;
}

std::expected<Target, Problem> parse_target(std::string_view text) {
  if (text.size() > kMaxTargetBytes) {
    return std::unexpected(
        Problem{.status = 414,
                .code = "URI_TOO_LONG",
                .detail = fmt::format("the target has {} bytes; at most {} are read", text.size(),
                                      kMaxTargetBytes)});
  }
  const std::string_view whole = text;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_acceptable_raw(text[i])) {
      return invalid(fmt::format("byte {} of the target ({:#04x}) must be percent-encoded", i,
                                 static_cast<unsigned char>(text[i])));
    }
  }
  text = origin_form(text);
  const std::size_t mark = text.find('?');
  std::string_view path = text.substr(0, mark);
  if (path.empty() && text.data() != whole.data()) path = "/";
  if (path.empty() || path.front() != '/') return invalid("the target does not begin with '/'");
  if (path.find('\\') != std::string_view::npos) return invalid("the path holds a backslash");

  Target target;
  const auto offset = static_cast<std::size_t>(text.data() - whole.data());
  auto decoded = decode(path, text.data() == path.data() ? offset : 0, Part::kPath);
  if (!decoded) return std::unexpected(std::move(decoded).error());
  target.path = *std::move(decoded);
  for (const std::string_view segment : split(std::string_view(target.path).substr(1), '/')) {
    if (segment == "." || segment == "..")
      return invalid("the path holds a '.' or '..' segment; send the path that is meant");
  }
  if (mark == std::string_view::npos) return target;

  for (const std::string_view pair : split(text.substr(mark + 1), '&')) {
    if (pair.empty()) continue;
    if (target.query.size() == kMaxParameters)
      return invalid(fmt::format("more than {} query parameters", kMaxParameters));
    const std::size_t equals = pair.find('=');
    const auto start = static_cast<std::size_t>(pair.data() - whole.data());
    auto name = decode(pair.substr(0, equals), start, Part::kQuery);
    if (!name) return std::unexpected(std::move(name).error());
    std::string value;
    if (equals != std::string_view::npos) {
      auto text_of_value = decode(pair.substr(equals + 1), start + equals + 1, Part::kQuery);
      if (!text_of_value) return std::unexpected(std::move(text_of_value).error());
      value = *std::move(text_of_value);
    }
    target.query.push_back({*std::move(name), std::move(value)});
  }
  return target;
}

}  // namespace ki::http
