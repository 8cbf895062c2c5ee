#include "conditional.h"

#include "ki/base/text.h"

namespace ki::http {

bool none_match_names(std::string_view field, std::string_view etag) {
  field = trim(field);
  if (field == "*") return true;
  bool found = false;
  // Tags may hold commas, so this is not a split.
  while (!field.empty()) {
    if (field.front() == ',' || is_ascii_space(field.front())) {
      field.remove_prefix(1);
      continue;
    }
    if (field.starts_with("W/")) field.remove_prefix(2);
    if (field.empty() || field.front() != '"') return false;
    const std::size_t end = field.find('"', 1);
    if (end == std::string_view::npos) return false;
    found = found || field.substr(0, end + 1) == etag;
    field.remove_prefix(end + 1);
    field = trim(field);
    if (!field.empty() && field.front() != ',') return false;
  }
  return found;
}

}  // namespace ki::http
