#include "citation_parts.h"

#include "ki/base/text.h"

#include <algorithm>

namespace ki::display {
namespace {

std::string joined(std::string_view first, std::string_view separator, std::string_view second) {
  if (first.empty()) return std::string(second);
  if (second.empty()) return std::string(first);
  return std::string(first) + std::string(separator) + std::string(second);
}

std::string in_parentheses(std::string_view text) {
  return text.empty() ? std::string() : "(" + std::string(text) + ")";
}

bool is_blank(std::string_view text) { return trim(text).empty(); }

}  // namespace

std::string citation_title(const Citation& citation) {
  const std::string title =
      joined(joined(citation.implementation, " · ", citation.operation), ", ", citation.workload);
  return is_blank(title) ? "KernelIndex record" : title;
}

std::string citation_value(const Citation& citation) {
  return joined(citation.value, " ", in_parentheses(citation.statistic));
}

std::string citation_attribution(const Citation& citation) {
  if (!citation.attribution.empty()) return citation.attribution;
  return citation.source.empty() ? std::string() : "Reported by " + citation.source;
}

std::string citation_record(const Citation& citation) {
  return joined(citation.record + (citation.run_id.empty() ? "" : " " + citation.run_id), ", ",
                citation.digest);
}

std::string citation_note(const Citation& citation) {
  std::string note;
  for (const std::string& sentence :
       {citation_value(citation), citation.hardware, citation_attribution(citation),
        citation_record(citation), citation.rank}) {
    if (sentence.empty()) continue;
    if (!note.empty()) note += ' ';
    note += sentence;
    note += '.';
  }
  return note;
}

std::vector<std::string> citation_authors(const Citation& citation) {
  std::vector<std::string> names;
  for (const CitationAuthor& author : citation.authors) {
    if (!is_blank(author.name)) names.push_back(author.name);
  }
  if (names.empty())
    names.push_back(is_blank(citation.implementation) ? "Unknown" : citation.implementation);
  return names;
}

std::string citation_key(const Citation& citation) {
  std::string_view source = citation.digest;
  if (const std::size_t colon = source.find(':'); colon != std::string_view::npos)
    source.remove_prefix(colon + 1);
  if (source.empty()) source = citation.run_id;
  std::string key = "ki-";
  for (const char c : source) {
    if (is_ascii_alnum(c) && key.size() < 19) key += ascii_lower(c);
  }
  return key.size() == 3 ? "ki-record" : key;
}

std::string citation_url(const Citation& citation) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string url;
  for (const char c : citation.url) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte >= 0x7F || std::string_view("{}\\\"<>^`|").contains(c)) {
      url += '%';
      url += kHex[byte >> 4];
      url += kHex[byte & 15];
    } else {
      url += c;
    }
  }
  return url;
}

}  // namespace ki::display
