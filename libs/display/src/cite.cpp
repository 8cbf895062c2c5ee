#include "ki/display/cite.h"

#include "citation_parts.h"
#include "ki/json/writer.h"
#include "one_line.h"

#include <charconv>

namespace ki::display {
namespace {

int number(std::string_view digits) {
  int value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

void append_date_parts(json::Writer& writer, std::string_view name, Instant instant) {
  const std::string date = instant.date();  // YYYY-MM-DD
  writer.key(name).begin_object().key("date-parts").begin_array().begin_array();
  for (const std::string_view part :
       {std::string_view(date).substr(0, 4), std::string_view(date).substr(5, 2),
        std::string_view(date).substr(8, 2)}) {
    writer.value(number(part));
  }
  writer.end_array().end_array().end_object();
}

void append_ris(std::string& out, std::string_view tag, std::string_view value) {
  if (value.empty()) return;
  out += tag;
  out += "  - ";
  out += one_line(value);
  out += "\r\n";
}

std::string slashed(Instant instant) {
  std::string date = instant.date();
  date[4] = date[7] = '/';
  return date;
}

}  // namespace

std::string citation_text(const Citation& citation) {
  std::string text;
  for (const std::string& sentence :
       {citation_title(citation), citation_value(citation), citation_attribution(citation),
        citation_record(citation), citation.rank,
        citation.catalog_version.empty() ? std::string()
                                         : "Catalog version " + citation.catalog_version,
        citation.url, "Accessed " + citation.accessed_at.date()}) {
    if (sentence.empty()) continue;
    if (!text.empty()) text += ' ';
    text += one_line(sentence) + ".";
  }
  return text;
}

std::string citation_csl_json(const Citation& citation) {
  std::string out;
  json::Writer writer(out, json::Writer::Style::kIndented);
  writer.begin_array().begin_object();
  writer.member("id", citation_key(citation));
  writer.member("type", "dataset");
  writer.member("title", citation_title(citation));
  writer.key("author").begin_array();
  for (const std::string& name : citation_authors(citation)) {
    writer.begin_object().member("literal", name).end_object();
  }
  writer.end_array();
  writer.member("publisher", "KernelIndex");
  if (!citation.source.empty()) writer.member("source", citation.source);
  if (!citation.digest.empty()) writer.member("number", citation.digest);
  if (!citation.catalog_version.empty()) writer.member("version", citation.catalog_version);
  writer.member("note", citation_note(citation));
  if (!citation.url.empty()) writer.member("URL", citation_url(citation));
  append_date_parts(writer, "issued", citation.observed_at);
  append_date_parts(writer, "accessed", citation.accessed_at);
  writer.end_object().end_array();
  return out + "\n";
}

std::string citation_ris(const Citation& citation) {
  std::string out;
  append_ris(out, "TY", "DATA");
  for (const std::string& name : citation_authors(citation)) append_ris(out, "AU", name);
  append_ris(out, "TI", citation_title(citation));
  append_ris(out, "PY", citation.observed_at.date().substr(0, 4));
  append_ris(out, "DA", slashed(citation.observed_at));
  append_ris(out, "PB", "KernelIndex");
  append_ris(out, "DB", citation.source);
  append_ris(out, "AN", citation.digest);
  append_ris(out, "ET", citation.catalog_version);
  append_ris(out, "N1", citation_note(citation));
  if (!citation.url.empty()) append_ris(out, "UR", citation_url(citation));
  append_ris(out, "Y2", slashed(citation.accessed_at));
  return out + "ER  - \r\n";
}

}  // namespace ki::display
