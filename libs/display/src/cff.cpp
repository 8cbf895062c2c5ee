#include "citation_parts.h"
#include "ki/display/cite.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace ki::display {
namespace {

// A YAML 1.2 double-quoted scalar (section 7.3.1) on one line. Everything but printable text
// without line breaks is escaped, so that no reader folds, drops or refuses it.
std::string quoted(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out = "\"";
  const auto append_escape = [&](std::uint32_t code) {
    out += "\\u";
    for (const int shift : {12, 8, 4, 0}) out += kHex[code >> shift & 15];
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = [&](std::size_t k) -> std::uint32_t {
      return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0;
    };
    const std::uint32_t lead = byte(0);
    if (lead == '"' || lead == '\\') {
      out += '\\';
      out += text[i];
    } else if (lead < 0x20 || lead == 0x7F) {
      append_escape(lead);
    } else if (lead == 0xC2 && byte(1) < 0xA0) {  // C1 controls, U+0085 among them
      append_escape(byte(1));
      i += 1;
    } else if (lead == 0xE2 && byte(1) == 0x80 &&
               (byte(2) == 0xA8 || byte(2) == 0xA9)) {  // U+2028, U+2029
      append_escape(0x2000 | (byte(2) & 0x3F));
      i += 2;
    } else if (lead == 0xEF && byte(1) == 0xBB && byte(2) == 0xBF) {  // byte order mark
      append_escape(0xFEFF);
      i += 2;
    } else if (lead == 0xEF && byte(1) == 0xBF && byte(2) >= 0xBE) {  // U+FFFE, U+FFFF
      append_escape(0xFF00 | byte(2) | 0xC0);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out + "\"";
}

bool is_web_address(std::string_view url) {
  return url.starts_with("https://") || url.starts_with("http://");
}

}  // namespace

std::string citation_cff(const Citation& citation) {
  std::string out = "cff-version: 1.2.0\n";
  out += "message: \"If you use this result, cite the record with its digest.\"\n";
  out += "type: dataset\n";
  out += "title: " + quoted(citation_title(citation)) + "\n";
  out += "authors:\n";
  for (const std::string& name : citation_authors(citation))
    out += "  - name: " + quoted(name) + "\n";
  out += "abstract: " + quoted(citation_note(citation)) + "\n";
  if (!citation.catalog_version.empty())
    out += "version: " + quoted(citation.catalog_version) + "\n";
  out += "date-released: \"" + citation.observed_at.date() + "\"\n";
  const std::string url = citation_url(citation);
  if (is_web_address(url)) out += "url: " + quoted(url) + "\n";
  if (!citation.digest.empty() || !citation.run_id.empty()) {
    out += "identifiers:\n";
    if (!citation.digest.empty()) {
      out += "  - type: other\n    value: " + quoted(citation.digest) +
             "\n    description: \"SHA-256 of the record's canonical manifest (RFC 8785)\"\n";
    }
    if (!citation.run_id.empty()) {
      out += "  - type: other\n    value: " + quoted(citation.run_id) +
             "\n    description: \"KernelIndex record id\"\n";
    }
  }
  return out;
}

}  // namespace ki::display
