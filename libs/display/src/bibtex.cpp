#include "citation_parts.h"
#include "ki/display/cite.h"
#include "one_line.h"

#include <array>
#include <string_view>

namespace ki::display {
namespace {

// BibTeX counts braces even behind a backslash, so an escaped brace would end the field: commands
// with names stand for all characters that TeX or BibTeX would read as syntax.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : one_line(text)) {
    switch (c) {
      case '\\':
        out += "\\textbackslash{}";
        break;
      case '{':
        out += "\\textbraceleft{}";
        break;
      case '}':
        out += "\\textbraceright{}";
        break;
      case '~':
        out += "\\textasciitilde{}";
        break;
      case '^':
        out += "\\textasciicircum{}";
        break;
      case '|':
        out += "\\textbar{}";
        break;
      case '<':
        out += "\\textless{}";
        break;
      case '>':
        out += "\\textgreater{}";
        break;
      case '&':
      case '%':
      case '$':
      case '#':
      case '_':
        out += '\\';
        out += c;
        break;
      default:
        out += c;
    }
  }
  return out;
}

void append_field(std::string& out, std::string_view name, std::string_view braced) {
  out += ",\n  ";
  out += name;
  out += std::string(name.size() < 12 ? 12 - name.size() : 0, ' ');
  out += " = {";
  out += braced;
  out += "}";
}

// In a second pair of braces: one name whatever commas and "and" it holds, its capitals kept.
std::string literal(std::string_view text) { return "{" + escaped(text) + "}"; }

}  // namespace

std::string citation_bibtex(const Citation& citation) {
  constexpr std::array<std::string_view, 12> kMonths{"jan", "feb", "mar", "apr", "may", "jun",
                                                     "jul", "aug", "sep", "oct", "nov", "dec"};
  std::string authors;
  for (const std::string& name : citation_authors(citation)) {
    if (!authors.empty()) authors += " and ";
    authors += literal(name);
  }
  const std::string observed = citation.observed_at.date();
  const auto month = static_cast<std::size_t>((observed[5] - '0') * 10 + observed[6] - '1');

  std::string out = "@misc{" + citation_key(citation);
  append_field(out, "author", authors);
  append_field(out, "title", literal(citation_title(citation)));
  append_field(out, "year", observed.substr(0, 4));
  out += ",\n  month        = " + std::string(kMonths[month]);
  append_field(out, "publisher", "KernelIndex");
  append_field(out, "note", escaped(citation_note(citation)));
  if (!citation.catalog_version.empty())
    append_field(out, "version", escaped(citation.catalog_version));
  if (!citation.url.empty()) append_field(out, "url", citation_url(citation));
  append_field(out, "urldate", citation.accessed_at.date());
  return out + "\n}\n";
}

}  // namespace ki::display
