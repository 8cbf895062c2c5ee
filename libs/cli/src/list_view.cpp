#include "list_view.h"

#include "ki/base/check.h"
#include "ki/display/format.h"
#include "ki/json/number.h"
#include "ki/json/writer.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::cli {

ListCell plain(std::string_view text) { return {std::string(text), std::string(text)}; }
ListCell dated(std::string_view instant) {
  return {std::string(date_of(instant)), std::string(instant)};
}
ListCell counted(std::int64_t value) { return {display::count(value), std::to_string(value)}; }
ListCell measured(const json::Value* measurement) {
  if (measurement == nullptr) return {};
  return {measurement_text(measurement), json::number_text(number_at(*measurement, "value"))};
}
ListCell percent(const json::Value* value) {
  if (value == nullptr || !value->is_number()) return {};
  return {display::improvement(value->number()), json::number_text(value->number())};
}

namespace {

Rows rows_of(const ListView& view, const json::Value& document) {
  if (view.rows != nullptr) return view.rows(document);
  Rows rows;
  for (const json::Value& row : items_at(document, view.member)) rows.push_back(&row);
  return rows;
}

// The last page with the rows of all in the place of its own.
std::string merged(const std::vector<json::Document>& pages, std::string_view member) {
  if (pages.size() == 1 || member.empty()) return pretty(pages.back().root);
  std::string out;
  json::Writer w(out, json::Writer::Style::kIndented);
  w.begin_object();
  for (const json::Member& m : pages.back().root.members()) {
    w.key(m.key);
    if (m.key != member) {
      w.value(m.value);
      continue;
    }
    w.begin_array();
    for (const json::Document& page : pages) {
      for (const json::Value& row : items_at(page.root, member)) w.value(row);
    }
    w.end_array();
  }
  w.end_object();
  return out + "\n";
}

}  // namespace

std::string list_table(const ListView& view, const Rows& rows, bool has_headings) {
  std::vector<display::Table::Column> columns;
  for (const ListViewColumn& column : view.columns) {
    if (column.heading.empty()) continue;
    columns.push_back({has_headings ? std::string(column.heading) : std::string(), column.align,
                       column.max_width});
  }
  display::Table table(columns);
  for (const json::Value* row : rows) {
    std::vector<std::string> cells;
    for (const ListViewColumn& column : view.columns) {
      if (!column.heading.empty()) cells.push_back(column.cell(*row).text);
    }
    table.add(std::move(cells));
  }
  return table.size() == 0 ? std::string() : table.render();
}

std::string list_tsv(const ListView& view, const Rows& rows, bool has_headings) {
  std::string out;
  std::vector<std::string> cells;
  cells.reserve(view.columns.size());
  for (const ListViewColumn& column : view.columns) cells.emplace_back(column.key);
  if (has_headings) out += display::tsv_line(cells);
  for (const json::Value* row : rows) {
    cells.clear();
    for (const ListViewColumn& column : view.columns) cells.push_back(column.cell(*row).raw);
    out += display::tsv_line(cells);
  }
  return out;
}

std::string total_footer(const json::Value& document, std::size_t shown, std::string_view noun) {
  std::string footer = fmt::format("{} of {}", display::count(static_cast<std::int64_t>(shown)),
                                   display::count_noun(count_at(document, "total"), noun));
  if (const auto next = text_at(document, "nextCursor"); !next.empty()) {
    footer += fmt::format("; more with --cursor {}", next);
  }
  return footer;
}

Result<int> run_list(Context& context, const ListView& view, const Values& more) {
  const api::Operation* operation = api::find_operation(view.operation);
  KI_CHECK(operation != nullptr);
  const auto limit = std::ranges::find(operation->parameters, "limit", &api::Parameter::name);
  const bool is_paged = limit != operation->parameters.end();
  std::int64_t wanted = 0;
  if (is_paged) {
    constexpr std::int64_t kAll = 1'000'000'000;
    KI_TRY(wanted,
           context.arguments().integer("limit", view.is_whole ? kAll : limit->otherwise, 1, kAll));
  }
  KI_TRY(Reader reader, Reader::open(context));
  Values filters = values_of(context, *operation);
  filters.insert(filters.end(), more.begin(), more.end());
  std::vector<json::Document> pages;
  Rows rows;
  do {
    Values values = filters;
    if (is_paged) {
      const auto rest = wanted - static_cast<std::int64_t>(rows.size());
      values.emplace_back("limit", std::to_string(std::min(limit->high, rest)));
      if (!pages.empty()) {
        std::erase_if(values, [](const auto& value) { return value.first == "cursor"; });
        values.emplace_back("cursor", text_at(pages.back().root, "nextCursor"));
      }
    }
    KI_TRY(json::Document page, reader.read(view.operation, values));
    pages.push_back(std::move(page));
    const Rows found = rows_of(view, pages.back().root);
    rows.insert(rows.end(), found.begin(), found.end());
  } while (is_paged && static_cast<std::int64_t>(rows.size()) < wanted &&
           !text_at(pages.back().root, "nextCursor").empty());

  const bool has_headings = !context.arguments().has("quiet");
  switch (context.format()) {
    case Format::kJson:
      context.out(merged(pages, view.member));
      break;
    case Format::kJsonl: {
      std::string out;
      for (const json::Value* row : rows) {
        json::Writer(out).value(*row);
        out += '\n';
      }
      context.out(out);
      break;
    }
    case Format::kTsv:
      context.out(list_tsv(view, rows, has_headings));
      break;
    case Format::kTable: {
      std::string out = list_table(view, rows, has_headings);
      if (!out.empty()) out += '\n';
      context.out(out + view.footer(pages.back().root, rows.size()) + "\n");
      break;
    }
  }
  return kDone;
}

}  // namespace ki::cli
