// Tables for a terminal, and the cells of CSV and TSV files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace ki::display {

// Columns that a terminal uses for valid UTF-8 text: 0 for combining marks and controls, 2 for wide
// East Asian characters and emoji (Unicode 15, UAX 11), 1 for others.
std::size_t display_width(std::string_view text);

// `text` cut to `width` columns, the last of which is "…" when something was cut.
std::string fit(std::string_view text, std::size_t width);

enum class Align : std::uint8_t { kLeft, kRight };

// Rows of cells under a heading, padded to the widest cell by display width, columns two spaces
// apart, no trailing spaces, no borders. Line breaks, tabs and controls in a cell become spaces; an
// empty cell of a right-aligned column reads "—".
class Table {
 public:
  struct Column {
    std::string heading;
    Align align = Align::kLeft;
    std::size_t max_width = 0;  // 0: as wide as its cells
  };

  Table(std::initializer_list<Column> columns) : columns_(columns) {}
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // One cell per column (checked).
  void add(std::vector<std::string> cells);
  std::size_t size() const { return rows_.size(); }

  // Each line ends with '\n'; a table without headings has no heading line.
  std::string render() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// How a cell is written for whoever reads the file.
enum class CellProfile : std::uint8_t {
  kData,         // exact bytes, for programs
  kSpreadsheet,  // text that a spreadsheet would run as a formula gets a leading "'"; numbers stay
};

// One CSV cell (RFC 4180): quoted when it holds a comma, quote, line break or outer space.
std::string csv_cell(std::string_view text, CellProfile profile = CellProfile::kData);
// One TSV cell: backslash, tab, line feed and carriage return as \\ \t \n \r (kData), or spaces
// (kSpreadsheet).
std::string tsv_cell(std::string_view text, CellProfile profile = CellProfile::kData);

// A line of cells with its end: CRLF for CSV (RFC 4180), LF for TSV.
std::string csv_line(const std::vector<std::string>& cells,
                     CellProfile profile = CellProfile::kData);
std::string tsv_line(const std::vector<std::string>& cells,
                     CellProfile profile = CellProfile::kData);

}  // namespace ki::display
