// `ki compare`: whether runs may be compared, and what differs first.
#include "document.h"
#include "ki/display/format.h"
#include "ki/display/labels.h"
#include "ki/display/table.h"
#include "ki/json/writer.h"
#include "reader.h"

#include <fmt/format.h>

namespace ki::cli {
namespace {

using json::Value;

constexpr std::size_t kMaxCompared = 8;

std::string comparison_text(const Value& d) {
  std::string out = fmt::format("{}\n\n", text_at(d, "explanation"));
  const auto runs = items_at(d, "runs");
  std::vector<display::Table::Column> columns = {{""}, {""}};
  for (const Value& run : runs) {
    columns.push_back(
        {std::string(text_at(run, "runId").substr(0, 13)), display::Align::kLeft, 40});
  }
  display::Table table(columns);
  const auto add = [&](std::string mark, std::string name, auto text_of) {
    std::vector<std::string> cells = {std::move(mark), std::move(name)};
    for (const Value& run : runs) cells.push_back(text_of(run));
    table.add(std::move(cells));
  };
  add("", "implementation",
      [](const Value& run) { return std::string(text_at(run, "implementation.name")); });
  add("", "value", [](const Value& run) { return measurement_text(at(run, "primary")); });
  if (flag_at(d, "comparable")) {
    add("", "rank here", [](const Value& run) {
      return display::rank_text(static_cast<std::uint32_t>(count_at(run, "rank")),
                                flag_at(run, "tiedWithPrevious"));
    });
  }
  for (const Value& field : items_at(d, "fields")) {
    std::vector<std::string> cells = {
        flag_at(field, "differs") ? (flag_at(field, "material") ? "≠" : "~") : "",
        std::string(text_at(field, "field"))};
    for (const Value& value : items_at(field, "values")) cells.emplace_back(value.string());
    table.add(std::move(cells));
  }
  out += table.render();
  if (const auto first = text_at(d, "firstMaterialMismatch"); !first.empty()) {
    out += fmt::format("\nFirst key that differs: {}.\n", first);
  }
  return out;
}

}  // namespace

Result<int> run_compare(Context& context) {
  std::vector<std::string> ids = context.operands();
  if (!ids.empty() && ids.front() == "run") ids.erase(ids.begin());
  if (ids.size() < 2 || ids.size() > kMaxCompared) return context.usage("give 2 to 8 runs");
  KI_TRY(Reader reader, Reader::open(context));
  std::string body;
  json::Writer w(body);
  w.begin_object().key("runs").begin_array();
  for (const std::string& id : ids) w.value(id);
  w.end_array().end_object();
  KI_TRY(const json::Document comparison, reader.read("compareRuns", {}, std::move(body)));
  if (const auto missing = items_at(comparison.root, "missingIds"); !missing.empty()) {
    return fail(Code::kNotFound, fmt::format("no run is {}", missing.front().string()));
  }
  context.out(context.is_json() ? pretty(comparison.root) : comparison_text(comparison.root));
  return flag_at(comparison.root, "comparable") ? kDone : kDidNotPass;
}

}  // namespace ki::cli
