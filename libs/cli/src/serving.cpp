// serving: which configurations serve a model fastest within bounds; lists of serving results.
#include "command.h"
#include "document.h"
#include "ki/base/text.h"
#include "ki/display/format.h"
#include "ki/json/writer.h"
#include "list_view.h"
#include "reader.h"
#include "show_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace ki::cli {
namespace {

using display::Align;
using json::Value;

std::string footer_of_runs(const Value& document, std::size_t shown) {
  return total_footer(document, shown, "serving run") + ".";
}
std::string footer_of_configurations(const Value& document, std::size_t shown) {
  return total_footer(document, shown, "configuration") + ".";
}

const ListView kServingRuns = {
    .operation = "listServingRuns",
    .member = "runs",
    .columns = {{"id", "run", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "id")); }},
                {"model", "model", Align::kLeft, 30,
                 [](const Value& row) { return plain(text_at(row, "model.slug")); }},
                {"workload", "workload", Align::kLeft, 40,
                 [](const Value& row) { return plain(text_at(row, "workload.slug")); }},
                {"stack", "stack", Align::kLeft, 36,
                 [](const Value& row) { return plain(text_at(row, "stack")); }},
                {"hardware", "hardware", Align::kLeft, 36,
                 [](const Value& row) { return plain(text_at(row, "hardware")); }},
                {"accelerators", "accelerators", Align::kRight, 0,
                 [](const Value& row) { return counted(count_at(row, "totalAccelerators")); }},
                {"observedAt", "observed", Align::kLeft, 0,
                 [](const Value& row) { return dated(text_at(row, "observedAt")); }}},
    .footer = footer_of_runs};

const ListView kConfigurations = {
    .operation = "listServingConfigurations",
    .member = "configurations",
    .columns = {{"id", "", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "id")); }},
                {"stack", "stack", Align::kLeft, 60,
                 [](const Value& row) { return plain(text_at(row, "stack")); }},
                {"summary", "configuration", Align::kLeft, 60,
                 [](const Value& row) { return plain(text_at(row, "summary")); }},
                {"dtype", "dtype", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "dtype")); }},
                {"runs", "runs", Align::kRight, 0,
                 [](const Value& row) { return counted(count_at(row, "runs")); }}},
    .footer = footer_of_configurations};

// "ttft_ms:p99<=500" as {metric, statistic, operator, value}.
Result<void> write_constraint(json::Writer& w, std::string_view text) {
  const std::size_t at = text.find('<');
  const bool is_strict = at != text.npos && !text.substr(at).starts_with("<=");
  const std::string_view bound =
      at == text.npos ? std::string_view() : text.substr(at + (is_strict ? 1 : 2));
  double value = 0;
  const auto [end, error] = std::from_chars(bound.data(), bound.data() + bound.size(), value);
  if (error != std::errc() || end != bound.data() + bound.size()) {
    return fail(Code::kInvalidArgument,
                fmt::format("--constraint {}: expected METRIC[:STATISTIC]<=NUMBER", quote(text)));
  }
  const std::string_view name = trim(text.substr(0, at));
  const std::size_t colon = std::min(name.find(':'), name.size());
  w.begin_object().member("metric", name.substr(0, colon));
  if (colon < name.size()) w.member("statistic", name.substr(colon + 1));
  w.member("operator", is_strict ? "<" : "<=").member("value", value).end_object();
  return {};
}

Result<std::string> request_of(const Context& context) {
  const Arguments& arguments = context.arguments();
  std::string body;
  json::Writer w(body);
  w.begin_object();
  for (const std::string_view name : {"model", "workload"}) {
    if (const auto value = arguments.value(name)) w.member(name, *value);
  }
  KI_TRY(const std::int64_t most, arguments.integer("most-accelerators", 0, 1, 1'000'000'000));
  if (arguments.has("hardware") || most != 0) {
    w.key("hardware").begin_object();
    if (const auto value = arguments.value("hardware")) w.member("model", *value);
    if (most != 0) w.member("countMaximum", most);
    w.end_object();
  }
  const std::string objective =
      arguments.value("objective").value_or("output_token_throughput_tps");
  if (objective != "none") {
    const std::size_t colon = std::min(objective.find(':'), objective.size());
    w.key("objective").begin_object().member("metric", objective.substr(0, colon));
    if (colon < objective.size()) w.member("statistic", objective.substr(colon + 1));
    w.end_object();
  }
  w.key("constraints").begin_array();
  for (const std::string& text : arguments.values("constraint"))
    KI_TRY_VOID(write_constraint(w, text));
  w.end_array();
  KI_TRY(const std::int64_t limit, arguments.integer("limit", 12, 1, 400));
  w.member("limit", limit).end_object();
  return body;
}

std::string value_of(const Value& row, std::string_view metric) {
  for (const Value& m : items_at(row, "measurements")) {
    if (text_at(m, "metric") != metric) continue;
    const Value* value = at(m, "value");
    return fmt::format("{} {}", display::count(static_cast<std::int64_t>(value->number())),
                       text_at(m, "unit"));
  }
  return "not reported";
}

std::string answer_text(const Value& d) {
  std::string out;
  std::string metric(text_at(d, "input.objective.metric"));
  if (metric.empty()) metric = "output_token_throughput_tps";
  for (const Value& group : items_at(d, "groups")) {
    out += fmt::format("{}\n", text_at(group, "description"));
    display::Table table({{"#", Align::kRight},
                          {"stack", Align::kLeft, 50},
                          {"configuration", Align::kLeft, 44},
                          {metric, Align::kRight},
                          {"bounds", Align::kLeft, 40},
                          {"run"}});
    for (const Value& row : items_at(group, "rows")) {
      std::string bounds;
      for (const Value& one : items_at(row, "constraints"))
        bounds += fmt::format("{}{}", bounds.empty() ? "" : ", ", text_at(one, "state"));
      table.add({at(row, "rank") == nullptr ? "" : std::to_string(count_at(row, "rank")),
                 std::string(text_at(row, "stack")), std::string(text_at(row, "configuration")),
                 value_of(row, metric), bounds, std::string(text_at(row, "runId"))});
    }
    if (table.size() != 0) out += table.render();
    const auto excluded = items_at(group, "excluded");
    if (!excluded.empty()) {
      out += fmt::format("  {} excluded: {}\n", display::count_noun(std::ssize(excluded), "run"),
                         items_at(excluded.front(), "reasons").front().string());
    }
    out += '\n';
  }
  return out + fmt::format("{} in {}; values of different groups are not comparable.\n",
                           display::count_noun(count_at(d, "totalRuns"), "serving run"),
                           display::count_noun(count_at(d, "groupsTotal"), "comparison group"));
}

}  // namespace

Result<int> run_serving(Context& context) {
  const auto& operands = context.operands();
  const std::string verb = operands.empty() ? "resolve" : operands.front();
  if (operands.size() > 1) return context.usage("one of resolve, runs, configurations");
  if (verb == "runs") return run_list(context, kServingRuns);
  if (verb == "configurations") return run_list(context, kConfigurations);
  if (verb != "resolve") return context.usage("one of resolve, runs, configurations");
  KI_TRY(std::string body, request_of(context));
  KI_TRY(Reader reader, Reader::open(context));
  KI_TRY(const json::Document answer, reader.read("resolveServing", {}, std::move(body)));
  context.out(context.is_json() ? pretty(answer.root) : answer_text(answer.root));
  return kDone;
}

std::string serving_run_text(const Value& d) {
  std::string out = fmt::format("Serving run {}\n  {}\n  {}\n", text_at(d, "run.id"),
                                text_at(d, "cohort.description"), text_at(d, "run.digest"));
  if (const Value* retracted = at(d, "lifecycle.retracted"))
    out += fmt::format("  Retracted: {}\n", text_at(*retracted, "reason"));
  out += "\nMeasurements\n";
  for (const Value& m : items_at(d, "measurements")) {
    out += fmt::format("  {} · {}  {} {}\n", text_at(m, "metric"), text_at(m, "statistic"),
                       at(m, "value")->number(), text_at(m, "unit"));
  }
  out += fmt::format("\nStack  {}\nConfiguration  {}\n", text_at(d, "stack.name"),
                     text_at(d, "configuration.summary"));
  for (const Value& fact : items_at(d, "configuration.facts"))
    out += fmt::format("  {}  {}\n", text_at(fact, "key"), text_at(fact, "value"));
  out += fmt::format("\nHarness  {}\nSource  {}\n", text_at(d, "harness"),
                     text_at(d, "attribution.line"));
  for (const Value& caveat : items_at(d, "caveats"))
    out += fmt::format("Caveat: {}\n", caveat.string());
  return out;
}

}  // namespace ki::cli
