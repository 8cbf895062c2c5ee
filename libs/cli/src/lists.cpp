// operations, projects, runs, records, changes, hardware, models, sources: lists of the API as
// tables.
#include "ki/base/text.h"
#include "ki/display/format.h"
#include "list_view.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::cli {
namespace {

using display::Align;
using json::Value;

std::string operations_footer(const Value& document, std::size_t shown) {
  return total_footer(document, shown, "operation") + ".";
}

const ListView kOperations = {
    .operation = "listOperations",
    .member = "operations",
    .columns = {{"slug", "operation", Align::kLeft, 64,
                 [](const Value& row) { return plain(text_at(row, "slug")); }},
                {"name", "name", Align::kLeft, 56,
                 [](const Value& row) { return plain(text_at(row, "name")); }},
                {"family", "family", Align::kLeft, 28,
                 [](const Value& row) { return plain(text_at(row, "family")); }},
                {"workloads", "workloads", Align::kRight, 0,
                 [](const Value& row) { return counted(count_at(row, "workloads")); }},
                {"implementations", "implementations", Align::kRight, 0,
                 [](const Value& row) { return counted(count_at(row, "implementations")); }},
                {"runs", "runs", Align::kRight, 0,
                 [](const Value& row) { return counted(count_at(row, "runs")); }},
                {"groups", "groups", Align::kRight, 0,
                 [](const Value& row) { return counted(count_at(row, "groups")); }},
                {"lastObservedAt", "last observed", Align::kLeft, 0,
                 [](const Value& row) { return dated(text_at(row, "lastObservedAt")); }}},
    .footer = operations_footer};

std::string projects_footer(const Value& document, std::size_t shown) {
  return total_footer(document, shown, "project") + ".";
}

const ListView kProjects = {
    .operation = "listProjects",
    .member = "projects",
    .columns = {{"slug", "project", Align::kLeft, 48,
                 [](const Value& row) { return plain(text_at(row, "slug")); }},
                {"name", "name", Align::kLeft, 40,
                 [](const Value& row) { return plain(text_at(row, "name")); }},
                {"kind", "kind", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "kind")); }},
                {"implementations", "implementations", Align::kRight, 0,
                 [](const Value& row) { return counted(count_at(row, "implementations")); }},
                {"runs", "runs", Align::kRight, 0,
                 [](const Value& row) { return counted(count_at(row, "runs")); }},
                {"records", "records", Align::kRight, 0,
                 [](const Value& row) { return counted(count_at(row, "records")); }},
                {"gained30d", "gained", Align::kRight, 0,
                 [](const Value& row) { return counted(count_at(row, "gained30d")); }},
                {"lost30d", "lost", Align::kRight, 0,
                 [](const Value& row) { return counted(count_at(row, "lost30d")); }},
                {"lastObservedAt", "last observed", Align::kLeft, 0,
                 [](const Value& row) { return dated(text_at(row, "lastObservedAt")); }},
                {"repositoryUrl", "", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "repositoryUrl")); }}},
    .footer = projects_footer};

std::string runs_footer(const Value& document, std::size_t shown) {
  const auto next = text_at(document, "nextCursor");
  return fmt::format("{}.{}", display::count_noun(static_cast<std::int64_t>(shown), "run"),
                     next.empty() ? "" : fmt::format(" More with --cursor {}", next));
}

const ListView kRuns = {
    .operation = "listRuns",
    .member = "runs",
    .columns = {{"id", "run", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "id")); }},
                {"digest", "", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "digest")); }},
                {"operation", "operation", Align::kLeft, 44,
                 [](const Value& row) { return plain(text_at(row, "operation.slug")); }},
                {"implementation", "implementation", Align::kLeft, 44,
                 [](const Value& row) { return plain(text_at(row, "implementation.slug")); }},
                {"hardware", "hardware", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "hardware")); }},
                {"status", "status", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "status")); }},
                {"value", "value", Align::kRight, 0,
                 [](const Value& row) { return measured(at(row, "primary")); }},
                {"unit", "", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "primary.unit")); }},
                {"statistic", "", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "primary.statistic")); }},
                {"evidence", "evidence", Align::kLeft, 0,
                 [](const Value& row) {
                   return ListCell{evidence_text(row), std::string(text_at(row, "evidence"))};
                 }},
                {"source", "source", Align::kLeft, 20,
                 [](const Value& row) { return plain(text_at(row, "source")); }},
                {"observedAt", "observed", Align::kLeft, 0,
                 [](const Value& row) { return dated(text_at(row, "observedAt")); }}},
    .footer = runs_footer};

std::string records_footer(const Value& document, std::size_t shown) {
  return total_footer(document, shown, "record") +
         fmt::format(
             ". {} and leaders without source are listed with --all. A record with one run "
             "has no competitor.",
             display::count_noun(count_at(document, "counts.unbeatenBaselines"),
                                 "baseline that nobody has beaten",
                                 "baselines that nobody has beaten"));
}

// Of the newest change.
const Value* latest_improvement(const Value& row) {
  const auto history = items_at(row, "history");
  return history.empty() ? nullptr : at(history.front(), "improvementPct");
}

const ListView kRecords = {
    .operation = "listRecords",
    .member = "records",
    .columns = {{"comparisonKey", "", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "cohortKey")); }},
                {"operation", "operation", Align::kLeft, 40,
                 [](const Value& row) { return plain(text_at(row, "operation.slug")); }},
                {"workload", "workload", Align::kLeft, 44,
                 [](const Value& row) { return plain(text_at(row, "workloadSummary")); }},
                {"hardware", "hardware", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "hardware")); }},
                {"value", "record", Align::kRight, 0,
                 [](const Value& row) { return measured(at(row, "current.primary")); }},
                {"unit", "", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "current.primary.unit")); }},
                {"statistic", "", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "current.primary.statistic")); }},
                {"improvementPct", "gain", Align::kRight, 0,
                 [](const Value& row) { return percent(latest_improvement(row)); }},
                {"implementation", "holder", Align::kLeft, 40,
                 [](const Value& row) {
                   return ListCell{std::string(text_at(row, "current.implementation.name")),
                                   std::string(text_at(row, "current.implementation.slug"))};
                 }},
                {"project", "", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "current.project.slug")); }},
                {"runId", "", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "current.runId")); }},
                {"evidence", "evidence", Align::kLeft, 0,
                 [](const Value& row) {
                   return ListCell{evidence_text(*at(row, "current")),
                                   std::string(text_at(row, "current.evidence"))};
                 }},
                {"leads", "leads", Align::kRight, 0,
                 [](const Value& row) { return counted(count_at(row, "historyTotal")); }},
                {"breaks", "breaks", Align::kRight, 0,
                 [](const Value& row) { return counted(count_at(row, "breaks")); }},
                {"rivals", "rivals", Align::kRight, 0,
                 [](const Value& row) { return counted(count_at(row, "rivals")); }},
                {"since", "since", Align::kLeft, 0,
                 [](const Value& row) { return dated(text_at(row, "since")); }},
                {"indexedAt", "", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "indexedAt")); }}},
    .footer = records_footer};

Rows change_rows(const Value& document) {
  Rows rows;
  for (const Value& day : items_at(document, "days")) {
    for (const Value& entry : items_at(day, "entries")) rows.push_back(&entry);
  }
  return rows;
}

std::string changes_footer(const Value& document, std::size_t shown) {
  return total_footer(document, shown, "change") +
         fmt::format(", after {}.", date_of(text_at(document, "since")));
}

const ListView kChanges = {
    .operation = "listChanges",
    .member = "",
    .rows = change_rows,
    .columns = {{"at", "date", Align::kLeft, 0,
                 [](const Value& row) { return dated(text_at(row, "at")); }},
                {"kind", "kind", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "kind")); }},
                {"text", "what", Align::kLeft, 110,
                 [](const Value& row) { return plain(text_at(row, "text")); }},
                {"operation", "", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "match.operation")); }},
                {"source", "", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "source")); }},
                {"runId", "", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "runId")); }},
                {"count", "", Align::kLeft, 0,
                 [](const Value& row) {
                   const Value* count = at(row, "count");
                   return count != nullptr
                              ? counted(count_at(row, "count"))
                              : counted(std::max<std::int64_t>(1, count_at(row, "runs")));
                 }},
                {"largestImprovementPct", "", Align::kLeft, 0,
                 [](const Value& row) { return percent(at(row, "largestImprovementPct")); }},
                {"id", "", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "id")); }}},
    .footer = changes_footer};

std::string hardware_footer(const Value&, std::size_t shown) {
  return display::count_noun(static_cast<std::int64_t>(shown), "accelerator") + ".";
}

const ListView kHardware = {
    .operation = "listHardware",
    .member = "hardware",
    .columns = {{"slug", "", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "slug")); }},
                {"model", "GPU", Align::kLeft, 60,
                 [](const Value& row) { return plain(text_at(row, "model")); }},
                {"vendor", "vendor", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "vendor")); }},
                {"architecture", "architecture", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "architecture")); }},
                {"kernelRuns", "kernel runs", Align::kRight, 0,
                 [](const Value& row) { return counted(count_at(row, "kernelRuns")); }},
                {"servingRuns", "serving runs", Align::kRight, 0,
                 [](const Value& row) { return counted(count_at(row, "servingRuns")); }},
                {"operations", "operations", Align::kRight, 0,
                 [](const Value& row) { return counted(count_at(row, "operations")); }},
                {"families", "families", Align::kRight, 0,
                 [](const Value& row) { return counted(count_at(row, "families")); }},
                {"records", "records", Align::kRight, 0,
                 [](const Value& row) { return counted(count_at(row, "records")); }},
                {"lastObservedAt", "last observed", Align::kLeft, 0,
                 [](const Value& row) { return dated(text_at(row, "lastObservedAt")); }}},
    .footer = hardware_footer};

Rows model_rows(const Value& document) {
  Rows rows;
  for (const std::string_view kind : {"kernel", "serving"}) {
    for (const Value& row : items_at(document, kind)) rows.push_back(&row);
  }
  return rows;
}

std::string models_footer(const Value& document, std::size_t) {
  return fmt::format(
      "{} that operations were taken from, {}. The two are never ranked together.",
      display::count_noun(static_cast<std::int64_t>(items_at(document, "kernel").size()), "model"),
      display::count_noun(static_cast<std::int64_t>(items_at(document, "serving").size()),
                          "served model"));
}

// A kernel model is named by its tag, a served one by its slug.
bool is_kernel_model(const Value& row) { return at(row, "model") != nullptr; }

const ListView kModels = {
    .operation = "listModels",
    .member = "",
    .rows = model_rows,
    .columns = {{"model", "model", Align::kLeft, 48,
                 [](const Value& row) {
                   return plain(text_at(row, is_kernel_model(row) ? "model" : "slug"));
                 }},
                {"kind", "kind", Align::kLeft, 0,
                 [](const Value& row) {
                   return plain(is_kernel_model(row) ? "kernel" : "serving");
                 }},
                {"name", "", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "name")); }},
                {"operations", "operations", Align::kRight, 0,
                 [](const Value& row) {
                   return is_kernel_model(row) ? counted(count_at(row, "operations")) : ListCell{};
                 }},
                {"families", "families", Align::kRight, 0,
                 [](const Value& row) {
                   return is_kernel_model(row) ? counted(count_at(row, "families")) : ListCell{};
                 }},
                {"runs", "runs", Align::kRight, 0,
                 [](const Value& row) { return counted(count_at(row, "runs")); }},
                {"gpus", "GPUs", Align::kRight, 0,
                 [](const Value& row) {
                   return is_kernel_model(row) ? counted(count_at(row, "gpus")) : ListCell{};
                 }}},
    .footer = models_footer};

std::string sources_footer(const Value&, std::size_t shown) {
  return display::count_noun(static_cast<std::int64_t>(shown), "source") + ".";
}

const ListView kSources = {
    .operation = "listSources",
    .member = "sources",
    .columns = {{"slug", "source", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "slug")); }},
                {"name", "name", Align::kLeft, 40,
                 [](const Value& row) { return plain(text_at(row, "name")); }},
                {"kind", "kind", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "kind")); }},
                {"runs", "eligible runs", Align::kRight, 0,
                 [](const Value& row) { return counted(count_at(row, "runs")); }},
                {"indexed", "indexed", Align::kRight, 0,
                 [](const Value& row) { return counted(count_at(row, "indexed")); }},
                {"breadth", "operations", Align::kRight, 0,
                 [](const Value& row) { return counted(count_at(row, "breadth")); }},
                {"hardware", "GPUs", Align::kRight, 0,
                 [](const Value& row) { return counted(count_at(row, "hardware")); }},
                {"lastFetched", "last fetched", Align::kLeft, 0,
                 [](const Value& row) { return dated(text_at(row, "lastFetched")); }}},
    .footer = sources_footer};

}  // namespace

Result<int> run_operations(Context& context) { return run_list(context, kOperations); }
Result<int> run_projects(Context& context) { return run_list(context, kProjects); }
Result<int> run_runs(Context& context) { return run_list(context, kRuns); }
Result<int> run_changes(Context& context) { return run_list(context, kChanges); }
Result<int> run_hardware(Context& context) { return run_list(context, kHardware); }
Result<int> run_models(Context& context) { return run_list(context, kModels); }
Result<int> run_sources(Context& context) { return run_list(context, kSources); }

Result<int> run_records(Context& context) {
  Values words;
  if (!context.operands().empty()) words.emplace_back("q", join(context.operands(), " "));
  return run_list(context, kRecords, words);
}

Result<int> run_coverage(Context& context) {
  KI_TRY(Reader reader, Reader::open(context));
  KI_TRY(const json::Document document, reader.read("getCoverage", {}));
  if (context.is_json()) {
    context.out(pretty(document.root));
    return kDone;
  }
  std::vector<display::Table::Column> columns = {{"family"}};
  for (const Value& gpu : items_at(document.root, "hero.gpus")) {
    columns.push_back({std::string(gpu.string()), Align::kRight});
  }
  columns.push_back({"any GPU", Align::kRight});
  display::Table table(columns);
  for (const Value& row : items_at(document.root, "hero.rows")) {
    std::vector<std::string> cells = {std::string(text_at(row, "family"))};
    for (const Value& runs : items_at(row, "runs")) {
      const std::int64_t count = runs.integer().value_or(0);
      cells.push_back(count == 0 ? "not measured" : display::count(count));
    }
    cells.push_back(display::count(count_at(row, "total")));
    table.add(std::move(cells));
  }
  context.out(table.render() + "\nEligible runs. Where they come from: ki sources\n");
  return kDone;
}

Result<int> run_stats(Context& context) {
  KI_TRY(Reader reader, Reader::open(context));
  KI_TRY(const json::Document stats, reader.read("getStats", {}));
  if (context.is_json()) {
    context.out(pretty(stats.root));
    return kDone;
  }
  display::Table table({{""}, {"", Align::kRight}});
  const auto add = [&](std::string_view key, const Value& value) {
    std::string words;
    for (const char c : key) {
      words += is_ascii_upper(c) ? std::string(" ") + ascii_lower(c) : std::string(1, c);
    }
    if (value.is_number()) table.add({words, display::count(value.integer().value_or(0))});
    if (value.is_string()) table.add({words, std::string(date_of(value.string()))});
  };
  for (const json::Member& member : stats.root.members()) {
    if (member.value.is_object()) {
      for (const json::Member& inner : member.value.members()) add(inner.key, inner.value);
    } else {
      add(member.key, member.value);
    }
  }
  context.out(table.render());
  return kDone;
}

}  // namespace ki::cli
