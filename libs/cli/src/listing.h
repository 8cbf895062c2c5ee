// Listing: rows that are shown as a table for people, as JSON, JSON Lines or TSV. Each cell has its
// value (for programs) and its text (for people).
#pragma once

#include "ki/display/table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ki::cli {

enum class Format : std::uint8_t { kTable, kJson, kJsonl, kTsv };

struct Cell {
  std::string json;  // one JSON value
  std::string text;  // for people
  std::string raw;   // for TSV: the text or number itself, empty for null
};
Cell text_cell(std::string_view text);                     // "" is null
Cell text_cell(std::string_view value, std::string text);  // value for programs, text for people
Cell number_cell(double value, std::string text);
Cell count_cell(std::int64_t value);
Cell bool_cell(bool value);
Cell null_cell();

struct ListColumn {
  std::string_view key;      // member name; unit last: "latency_ns"
  std::string_view heading;  // empty: not in the table
  display::Align align = display::Align::kLeft;
  std::size_t max_width = 0;
};

class Listing {
 public:
  Listing(std::string_view name, std::vector<ListColumn> columns)
      : name_(name), columns_(std::move(columns)) {}

  void add(std::vector<Cell> cells);
  std::size_t size() const { return rows_.size(); }
  // Members of the JSON document beside the rows, as JSON values.
  void set(std::string_view key, std::string json) { extra_.emplace_back(key, std::move(json)); }
  // Last line of the table form.
  void set_footer(std::string text) { footer_ = std::move(text); }

  std::string render(Format format, bool has_headings) const;

 private:
  std::string_view name_;
  std::vector<ListColumn> columns_;
  std::vector<std::vector<Cell>> rows_;
  std::vector<std::pair<std::string, std::string>> extra_;
  std::string footer_;
};

}  // namespace ki::cli
