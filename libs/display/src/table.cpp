#include "ki/display/table.h"

#include "ki/base/check.h"
#include "ki/base/text.h"
#include "ki/display/format.h"
#include "one_line.h"

#include <algorithm>
#include <utility>

namespace ki::display {
namespace {

void append_padded(std::string& line, std::string_view cell, std::size_t width, Align align) {
  const std::size_t used = display_width(cell);
  const std::string padding(width > used ? width - used : 0, ' ');
  line += align == Align::kRight ? padding + std::string(cell) : std::string(cell) + padding;
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
  KI_CHECK(cells.size() == columns_.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i] = one_line(cells[i]);
    if (cells[i].empty() && columns_[i].align == Align::kRight) cells[i] = kMissing;
    if (columns_[i].max_width > 0) cells[i] = fit(cells[i], columns_[i].max_width);
  }
  rows_.push_back(std::move(cells));
}

std::string Table::render() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = display_width(columns_[i].heading);
    for (const auto& row : rows_) width = std::max(width, display_width(row[i]));
    widths.push_back(width);
  }
  std::string text;
  const auto append_line = [&](auto&& cell_of) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) line += "  ";
      append_padded(line, cell_of(i), widths[i], columns_[i].align);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line;
    text += '\n';
  };
  const bool has_heading =
      std::ranges::any_of(columns_, [](const Column& c) { return !c.heading.empty(); });
  if (has_heading)
    append_line([&](std::size_t i) -> const std::string& { return columns_[i].heading; });
  for (const auto& row : rows_)
    append_line([&](std::size_t i) -> const std::string& { return row[i]; });
  return text;
}

namespace {

// A decimal number as a spreadsheet reads it: sign, digits, point, exponent.
bool is_number(std::string_view text) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t start = i;
    while (i < text.size() && is_ascii_digit(text[i])) ++i;
    return i - start;
  };
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
  std::size_t mantissa = digits();
  if (i < text.size() && text[i] == '.') {
    ++i;
    mantissa += digits();
  }
  if (mantissa == 0) return false;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
    if (digits() == 0) return false;
  }
  return i == text.size();
}

// What a spreadsheet may run: =, +, -, @ or their full-width forms in front, also behind white
// space that it skips; a tab or line break in front starts a new cell for some of them.
bool is_formula_like(std::string_view text) {
  if (text.empty() || is_number(text)) return false;
  if (text[0] == '\t' || text[0] == '\r' || text[0] == '\n') return true;
  std::string_view rest = text;
  while (true) {
    if (!rest.empty() && (is_ascii_space(rest[0]) || rest[0] == '\0')) {
      rest.remove_prefix(1);
    } else if (rest.starts_with("\u00A0")) {
      rest.remove_prefix(2);
    } else if (rest.starts_with("\uFEFF")) {
      rest.remove_prefix(3);
    } else {
      break;
    }
  }
  for (const std::string_view lead : {"=", "+", "-", "@", "＝", "＋", "－", "＠"}) {
    if (rest.starts_with(lead)) return !is_number(rest);
  }
  return false;
}

std::string for_profile(std::string_view text, CellProfile profile) {
  if (profile == CellProfile::kSpreadsheet && is_formula_like(text)) return "'" + std::string(text);
  return std::string(text);
}

}  // namespace

std::string csv_cell(std::string_view text, CellProfile profile) {
  std::string cell = for_profile(text, profile);
  const bool has_outer_space =
      !cell.empty() && (is_ascii_space(cell.front()) || is_ascii_space(cell.back()));
  const bool is_changed = cell.size() != text.size();
  if (!has_outer_space && !is_changed && cell.find_first_of(",\"\r\n\t;") == std::string::npos)
    return cell;
  std::string quoted = "\"";
  for (const char c : cell) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string tsv_cell(std::string_view text, CellProfile profile) {
  std::string cell;
  const bool is_data = profile == CellProfile::kData;
  for (const char c : for_profile(text, profile)) {
    switch (c) {
      case '\t':
        cell += is_data ? "\\t" : " ";
        break;
      case '\n':
        cell += is_data ? "\\n" : " ";
        break;
      case '\r':
        cell += is_data ? "\\r" : " ";
        break;
      case '\\':
        cell += is_data ? "\\\\" : "\\";
        break;
      default:
        cell += c;
    }
  }
  return cell;
}

namespace {

template <class Cell>
std::string joined_line(const std::vector<std::string>& cells, std::string_view separator,
                        std::string_view end, Cell cell) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += separator;
    line += cell(cells[i]);
  }
  return line += end;
}

}  // namespace

std::string csv_line(const std::vector<std::string>& cells, CellProfile profile) {
  return joined_line(cells, ",", "\r\n",
                     [&](const std::string& text) { return csv_cell(text, profile); });
}

std::string tsv_line(const std::vector<std::string>& cells, CellProfile profile) {
  return joined_line(cells, "\t", "\n",
                     [&](const std::string& text) { return tsv_cell(text, profile); });
}

}  // namespace ki::display
