// ListView: how a list of the API is shown: its rows, and the columns of the table for people and
// of tab-separated values. JSON and JSON Lines are the API's own.
#pragma once

#include "command.h"
#include "document.h"
#include "ki/display/table.h"
#include "reader.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::cli {

struct ListCell {
  std::string text;  // for people
  std::string raw;   // for programs
};
ListCell plain(std::string_view text);
ListCell dated(std::string_view instant);  // the day for people
ListCell counted(std::int64_t value);
ListCell measured(const json::Value* measurement);  // with its unit for people
ListCell percent(const json::Value* value);

struct ListViewColumn {
  std::string_view key;      // heading of the TSV; unit last: "latency_ns"
  std::string_view heading;  // empty: not in the table
  display::Align align = display::Align::kLeft;
  std::size_t max_width = 0;
  ListCell (*cell)(const json::Value& row) = nullptr;
};

using Rows = std::vector<const json::Value*>;

struct ListView {
  std::string_view operation;  // of the API
  std::string_view member;     // that holds the rows; empty: `rows` finds them
  Rows (*rows)(const json::Value& document) = nullptr;
  std::vector<ListViewColumn> columns;
  // The last line of the table. `shown` rows of what the document says.
  std::string (*footer)(const json::Value& document, std::size_t shown) = nullptr;
  bool is_whole = false;  // every row unless --limit says otherwise
};

// Runs a listing command: asks page by page until --limit is met, and prints.
Result<int> run_list(Context& context, const ListView& view, const Values& more = {});

// Rows as a table with headings, or as TSV.
std::string list_table(const ListView& view, const Rows& rows, bool has_headings);
std::string list_tsv(const ListView& view, const Rows& rows, bool has_headings);

// "50 of 449 operations; more with --cursor …."
std::string total_footer(const json::Value& document, std::size_t shown, std::string_view noun);

}  // namespace ki::cli
