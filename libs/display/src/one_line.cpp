#include "one_line.h"

namespace ki::display {

std::string one_line(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::string_view rest = text.substr(i);
    if (byte < 0x20 || byte == 0x7F) {
      line += ' ';
    } else if (byte == 0xC2 && rest.size() > 1 && static_cast<unsigned char>(rest[1]) < 0xA0) {
      line += ' ';
      i += 1;
    } else if (rest.starts_with("\u2028") || rest.starts_with("\u2029")) {
      line += ' ';
      i += 2;
    } else {
      line += text[i];
    }
  }
  return line;
}

}  // namespace ki::display
