#include "listing.h"

#include "ki/base/check.h"
#include "ki/display/format.h"
#include "ki/json/canonical.h"
#include "ki/json/number.h"
#include "ki/json/writer.h"

namespace ki::cli {

Cell text_cell(std::string_view text) {
  if (text.empty()) return null_cell();
  Cell cell{{}, std::string(text), std::string(text)};
  json::append_string(cell.json, text);
  return cell;
}
Cell text_cell(std::string_view value, std::string text) {
  Cell cell = text_cell(value);
  cell.text = std::move(text);
  return cell;
}
Cell number_cell(double value, std::string text) {
  return {json::number_text(value), std::move(text), json::number_text(value)};
}
Cell count_cell(std::int64_t value) {
  return {std::to_string(value), display::count(value), std::to_string(value)};
}
Cell bool_cell(bool value) {
  return {value ? "true" : "false", value ? "yes" : "no", value ? "true" : "false"};
}
Cell null_cell() { return {"null", "", ""}; }

void Listing::add(std::vector<Cell> cells) {
  KI_CHECK(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

std::string Listing::render(Format format, bool has_headings) const {
  std::string out;
  const auto write_row = [&](json::Writer& w, const std::vector<Cell>& row) {
    w.begin_object();
    for (std::size_t i = 0; i < row.size(); ++i) w.key(columns_[i].key).raw(row[i].json);
    w.end_object();
  };
  switch (format) {
    case Format::kJson: {
      json::Writer w(out, json::Writer::Style::kIndented);
      w.begin_object().key(name_).begin_array();
      for (const auto& row : rows_) write_row(w, row);
      w.end_array();
      for (const auto& [key, value] : extra_) w.key(key).raw(value);
      w.end_object();
      return out + "\n";
    }
    case Format::kJsonl:
      for (const auto& row : rows_) {
        json::Writer w(out);
        write_row(w, row);
        out += '\n';
      }
      return out;
    case Format::kTsv: {
      std::vector<std::string> cells;
      cells.reserve(columns_.size());
      for (const ListColumn& column : columns_) cells.emplace_back(column.key);
      if (has_headings) out += display::tsv_line(cells);
      for (const auto& row : rows_) {
        cells.clear();
        for (const Cell& cell : row) cells.push_back(cell.raw);
        out += display::tsv_line(cells);
      }
      return out;
    }
    case Format::kTable:
      break;
  }
  std::vector<display::Table::Column> columns;
  for (const ListColumn& column : columns_) {
    if (!column.heading.empty()) {
      columns.push_back({has_headings ? std::string(column.heading) : std::string(), column.align,
                         column.max_width});
    }
  }
  display::Table table(columns);
  for (const auto& row : rows_) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!columns_[i].heading.empty()) cells.push_back(row[i].text);
    }
    table.add(std::move(cells));
  }
  if (table.size() != 0) out += table.render();
  if (!footer_.empty()) out += (out.empty() ? "" : "\n") + footer_ + "\n";
  return out;
}

}  // namespace ki::cli
