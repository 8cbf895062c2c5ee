#include "ki/web/html.h"

#include <array>

namespace ki::web {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// 0: as it stands.
constexpr std::array<unsigned char, 256> kClass = [] {
  std::array<unsigned char, 256> table{};
  for (unsigned c = 0; c < 0x20; ++c) table[c] = 6;
  table['\t'] = table['\n'] = 0;
  table[0x7f] = 6;
  table['&'] = 1;
  table['<'] = 2;
  table['>'] = 3;
  table['"'] = 4;
  table['\''] = 5;
  return table;
}();
constexpr std::array<std::string_view, 7> kEscapes = {"",       "&amp;", "&lt;",      "&gt;",
                                                      "&quot;", "&#39;", kReplacement};

}  // namespace

void append_escaped(std::string& out, std::string_view text) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned kind = kClass[static_cast<unsigned char>(text[i])];
    if (kind == 0) continue;
    out.append(text, begin, i - begin);
    out += kEscapes[kind];
    begin = i + 1;
  }
  out.append(text, begin, text.size() - begin);
}

void Html::escape(std::string_view text) { append_escaped(out_, text); }

Html& Html::operator<<(const Attribute& attribute) {
  out_ += ' ';
  out_ += attribute.name.text();
  out_ += "=\"";
  escape(attribute.value);
  out_ += '"';
  return *this;
}

Html& Html::operator<<(const Link& link) {
  out_ += ' ';
  out_ += link.name.text();
  out_ += "=\"";
  escape(link.url.text());
  out_ += '"';
  return *this;
}

}  // namespace ki::web
