#include "natural.h"

#include "ki/base/text.h"

namespace ki::views {
namespace {

// Takes the digits at the front of `text`, without leading zeros.
std::string_view take_number(std::string_view& text) {
  std::size_t begin = 0;
  while (begin < text.size() && text[begin] == '0') ++begin;
  std::size_t end = begin;
  while (end < text.size() && is_ascii_digit(text[end])) ++end;
  const std::string_view digits = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return digits;
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (is_ascii_digit(a.front()) && is_ascii_digit(b.front())) {
      const std::string_view x = take_number(a);
      const std::string_view y = take_number(b);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      continue;
    }
    const auto x = static_cast<unsigned char>(ascii_lower(a.front()));
    const auto y = static_cast<unsigned char>(ascii_lower(b.front()));
    if (x != y) return x < y;
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.empty() && !b.empty();
}

}  // namespace ki::views
