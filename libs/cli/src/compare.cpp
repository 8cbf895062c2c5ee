#include "ki/resolve/compare.h"

#include "command.h"
#include "ids.h"
#include "ki/base/uuid.h"
#include "ki/digest/digest.h"
#include "ki/display/format.h"
#include "ki/display/labels.h"
#include "ki/json/writer.h"
#include "ki/resolve/describe.h"

#include <fmt/format.h>

#include <cmath>

namespace ki::cli {
namespace {

using catalog::Snapshot;
using resolve::Comparison;

std::string value_text(const Snapshot& s, const catalog::RunRow& run) {
  if (std::isnan(run.value)) return std::string(display::kMissing);
  return display::primary_text(run.value, s.name(s.metrics()[s.cohorts()[run.cohort].metric].unit));
}

std::string comparison_json(const Snapshot& s, const Comparison& comparison) {
  std::string out;
  json::Writer w(out, json::Writer::Style::kIndented);
  w.begin_object()
      .member("comparable", comparison.is_comparable)
      .member("explanation", comparison.explanation)
      .member("policyVersion", "ranking-v1");
  w.key("comparisonKey");
  if (comparison.comparison_key)
    w.value(comparison.comparison_key->to_string());
  else
    w.null();
  w.key("profile");
  if (comparison.comparison_key)
    w.value(comparison.is_source_native ? "source_native" : "strict_exact");
  else
    w.null();
  w.key("firstMaterialMismatch");
  if (comparison.first_material_mismatch)
    w.value(comparison.fields[*comparison.first_material_mismatch].field);
  else
    w.null();
  w.key("runs").begin_array();
  for (const resolve::ComparedRun& compared : comparison.runs) {
    const auto& run = s.runs()[compared.run];
    const auto& metric = s.metrics()[s.cohorts()[run.cohort].metric];
    w.begin_object()
        .member("runId", Uuid{run.id}.to_string())
        .member("digest", Digest(run.digest).to_string())
        .member("implementation", resolve::implementation_name(s, run.implementation))
        .member("comparisonKey", Digest(s.cohorts()[run.cohort].key).to_string());
    w.key("value");
    if (std::isnan(run.value))
      w.null();
    else
      w.value(run.value);
    w.member("unit", s.name(metric.unit)).member("statistic", s.name(metric.statistic)).key("rank");
    if (compared.rank == 0)
      w.null();
    else
      w.value(compared.rank);
    w.member("tiedWithPrevious", compared.is_tied_with_previous)
        .key("ineligibleReasons")
        .begin_array();
    for (const std::string& reason : compared.ineligible) w.value(reason);
    w.end_array().end_object();
  }
  w.end_array().key("fields").begin_array();
  for (const resolve::ComparedField& field : comparison.fields) {
    w.begin_object()
        .member("field", field.field)
        .member("material", field.is_material)
        .member("differs", field.differs);
    w.key("values").begin_array();
    for (const std::string& value : field.values) w.value(value);
    w.end_array().end_object();
  }
  w.end_array().key("missingIds").begin_array();
  for (const std::string& id : comparison.missing) w.value(id);
  w.end_array().end_object();
  return out + "\n";
}

std::string comparison_text(const Snapshot& s, const Comparison& comparison) {
  std::string out = comparison.explanation + "\n\n";
  std::vector<display::Table::Column> columns = {{""}, {""}};
  for (const resolve::ComparedRun& compared : comparison.runs) {
    columns.push_back(
        {Uuid{s.runs()[compared.run].id}.to_string().substr(0, 13), display::Align::kLeft, 40});
  }
  display::Table table(columns);
  const auto add = [&](std::string mark, std::string name, auto text_of) {
    std::vector<std::string> cells = {std::move(mark), std::move(name)};
    for (const resolve::ComparedRun& compared : comparison.runs) cells.push_back(text_of(compared));
    table.add(std::move(cells));
  };
  add("", "implementation", [&](const auto& c) {
    return resolve::implementation_name(s, s.runs()[c.run].implementation);
  });
  add("", "value", [&](const auto& c) { return value_text(s, s.runs()[c.run]); });
  if (comparison.is_comparable) {
    add("", "rank here",
        [&](const auto& c) { return display::rank_text(c.rank, c.is_tied_with_previous); });
  }
  for (const resolve::ComparedField& field : comparison.fields) {
    std::vector<std::string> cells = {field.differs ? (field.is_material ? "≠" : "~") : "",
                                      std::string(field.field)};
    cells.insert(cells.end(), field.values.begin(), field.values.end());
    table.add(std::move(cells));
  }
  out += table.render();
  if (!comparison.is_comparable && comparison.first_material_mismatch) {
    out += fmt::format("\nFirst key that differs: {}.\n",
                       comparison.fields[*comparison.first_material_mismatch].field);
  }
  for (const std::string& id : comparison.missing) out += fmt::format("Not found: {}\n", id);
  return out;
}

}  // namespace

Result<int> run_compare(Context& context) {
  std::vector<std::string> ids = context.operands();
  if (!ids.empty() && ids.front() == "run") ids.erase(ids.begin());
  if (ids.size() < 2 || ids.size() > resolve::kMaxCompared)
    return context.usage("give 2 to 8 runs");
  KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  const auto snapshot = catalog.snapshot();
  std::vector<std::string> full;
  for (const std::string& id : ids) {
    KI_TRY(const catalog::Index run, find_run(*snapshot, id));
    full.push_back(Uuid{snapshot->runs()[run].id}.to_string());
  }
  const std::vector<std::string_view> views(full.begin(), full.end());
  const Comparison comparison = resolve::compare(*snapshot, views);
  context.out(context.is_json() ? comparison_json(*snapshot, comparison)
                                : comparison_text(*snapshot, comparison));
  return comparison.is_comparable ? kDone : kDidNotPass;
}

}  // namespace ki::cli
