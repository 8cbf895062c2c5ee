// `ki show`: dossiers of runs, operations, implementations and projects.
#include "document.h"
#include "ki/base/text.h"
#include "ki/display/format.h"
#include "ki/display/labels.h"
#include "ki/display/table.h"
#include "reader.h"
#include "show_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ki::cli {
namespace {

using display::Align;
using json::Value;

std::string noun_at(const Value& value, std::string_view path, std::string_view noun) {
  return display::count_noun(count_at(value, path), noun);
}

std::string more_line(const Value& document) {
  const auto next = text_at(document, "nextCursor");
  return next.empty() ? std::string() : fmt::format("More with --cursor {}\n", next);
}

std::string operation_text(const Value& d) {
  std::string out = fmt::format("{}\n  {} · family {}\n  {}\n", text_at(d, "operation.name"),
                                text_at(d, "operation.slug"), text_at(d, "operation.family"),
                                text_at(d, "operation.semanticDigest"));
  if (const auto summary = text_at(d, "operation.summary"); !summary.empty()) {
    out += fmt::format("  {}\n", summary);
  }
  out += "\nArguments\n";
  for (const auto& [list, word] :
       {std::pair{"semantics.inputs", "in "}, {"semantics.outputs", "out"}}) {
    for (const Value& argument : items_at(d, list)) {
      const auto shape = text_at(argument, "shape");
      out += fmt::format("  {} {}  {} {}\n", word, text_at(argument, "name"),
                         text_at(argument, "dtype"), shape.empty() ? "scalar" : shape);
    }
  }
  out += "\nWorkloads\n";
  display::Table workloads({{"workload", Align::kLeft, 60},
                            {"tolerance", Align::kLeft, 40},
                            {"runs", Align::kRight},
                            {"id"}});
  for (const Value& item : items_at(d, "workloads")) {
    workloads.add({std::string(text_at(item, "label")),
                   std::string(text_at(item, "toleranceSummary")),
                   display::count(count_at(item, "runs")), std::string(text_at(item, "id"))});
  }
  out += workloads.render();
  if (const auto total = count_at(d, "workloadsTotal");
      total > static_cast<std::int64_t>(items_at(d, "workloads").size())) {
    out += fmt::format("… of {}: --limit shows more\n", display::count(total));
  }
  if (const Value* cohort = at(d, "cohort")) {
    out += "\nComparison group";
    for (const Value& fact : items_at(*cohort, "facts")) {
      out += fmt::format(" · {} {}", text_at(fact, "key"), text_at(fact, "value"));
    }
    out += "\n";
    display::Table records({{"#", Align::kRight},
                            {"implementation", Align::kLeft, 48},
                            {"project", Align::kLeft, 32},
                            {"value", Align::kRight},
                            {"evidence"},
                            {"observed"}});
    for (const Value& row : items_at(d, "records")) {
      records.add({display::rank_text(static_cast<std::uint32_t>(count_at(row, "rank")),
                                      flag_at(row, "tiedWithPrevious")),
                   std::string(text_at(row, "implementation.name")),
                   std::string(text_at(row, "project.name")), measurement_text(at(row, "primary")),
                   std::string(text_at(row, "evidence")),
                   std::string(date_of(text_at(row, "lastTestedAt")))});
    }
    out += records.render();
    if (const auto options = items_at(d, "cohortOptions"); options.size() > 1) {
      out += "Other groups of this workload (values of different groups are not comparable):\n";
      for (const Value& option : options) {
        if (text_at(option, "key") == text_at(*cohort, "comparisonKey")) continue;
        out += fmt::format("  {} ({}): --group {}\n", text_at(option, "label"),
                           noun_at(option, "runs", "run"), text_at(option, "key"));
      }
    }
  }
  out += fmt::format("\n{}, {}. Ask for one case: ki search op:{} AXIS=VALUE\n",
                     noun_at(d, "workloadsTotal", "workload"),
                     noun_at(d, "implementationsTotal", "implementation"),
                     text_at(d, "operation.slug"));
  return out;
}

std::string implementation_text(const Value& d) {
  std::string out =
      fmt::format("{}\n  {} · project {} · operation {}\n  {}\n", text_at(d, "implementation.name"),
                  text_at(d, "implementation.slug"), text_at(d, "project.name"),
                  text_at(d, "operation.slug"), text_at(d, "implementation.digest"));
  const auto missing = items_at(d, "trust.notDeployableBecause");
  if (missing.empty()) {
    out += "  Deployable: public source, install recipe and licence are known.\n";
  } else {
    std::string reasons;
    for (const Value& reason : missing) {
      reasons += (reasons.empty() ? "" : ", ") + display::words(ascii_lower(reason.string()));
    }
    out += fmt::format("  Not deployable as recorded: {}.\n", reasons);
  }
  if (const auto command = text_at(d, "usage.install.command"); !command.empty()) {
    out += fmt::format("  Install: {}\n", command);
  }
  if (const auto url = text_at(d, "source.url"); !url.empty()) {
    out += fmt::format("  Source: {}\n", url);
  }
  out += fmt::format("\nEvidence: {}\n", text_at(d, "trust.summary"));
  display::Table table({{"run"},
                        {"workload", Align::kLeft, 44},
                        {"hardware"},
                        {"value", Align::kRight},
                        {"rank", Align::kRight},
                        {"observed"}});
  for (const Value& row : items_at(d, "bestResults")) {
    table.add({std::string(text_at(row, "runId")), std::string(text_at(row, "workloadSummary")),
               std::string(text_at(row, "hardware.model")), measurement_text(at(row, "primary")),
               display::rank_of(static_cast<std::uint32_t>(count_at(row, "rank")),
                                static_cast<std::uint32_t>(count_at(row, "cohortSize"))),
               std::string(date_of(text_at(row, "lastTestedAt")))});
  }
  out += table.render() + more_line(d);
  for (const Value& limitation : items_at(d, "limitations")) {
    out += fmt::format("Note: {}\n", limitation.string());
  }
  if (const auto content = text_at(d, "sourceCode.content"); !content.empty()) {
    out += fmt::format("\n{}\n{}\n", text_at(d, "sourceCode.fileName"), content);
  }
  if (const Value* diff = at(d, "sourceCode.diff")) {
    out += fmt::format("\nSince {}: {} added, {} deleted\n", text_at(*diff, "previousName"),
                       noun_at(*diff, "added", "line"), noun_at(*diff, "deleted", "line"));
    for (const Value& line : items_at(*diff, "lines")) {
      const auto kind = text_at(line, "kind");
      const std::string_view sign = kind == "add"   ? "+"
                                    : kind == "del" ? "-"
                                    : kind == "gap" ? "…"
                                                    : " ";
      out += fmt::format("{}{}{}\n", sign, kind == "gap" ? " " : "", text_at(line, "text"));
    }
    if (const auto shown = std::ssize(items_at(*diff, "lines"));
        shown < count_at(*diff, "linesTotal")) {
      out += fmt::format("… {} more\n",
                         display::count_noun(count_at(*diff, "linesTotal") - shown, "line"));
    }
  }
  return out;
}

std::string model_text(const Value& d) {
  std::string out = fmt::format(
      "{}\n  {} of {}, {}\n", text_at(d, "model.slug"), noun_at(d, "stats.operations", "operation"),
      display::count_noun(count_at(d, "stats.families"), "family", "families"),
      noun_at(d, "stats.runs", "run"));
  for (const Value& gpu : items_at(d, "gpus")) {
    const bool is_shown = text_at(gpu, "model") == text_at(d, "selectedGpu");
    out += fmt::format("  {} {}: {}\n", is_shown ? "*" : " ", text_at(gpu, "model"),
                       noun_at(gpu, "runs", "run"));
  }
  if (const Value* serving = at(d, "serving")) {
    out += fmt::format("  {} of {} (never ranked with kernels)\n",
                       noun_at(*serving, "runs", "serving run"), text_at(*serving, "name"));
  }
  if (!items_at(d, "groups").empty()) {
    out += fmt::format("\nFirst by value on {}, in the group with most runs of each operation\n",
                       text_at(d, "selectedGpu"));
    display::Table table({{"operation", Align::kLeft, 48},
                          {"workload", Align::kLeft, 40},
                          {"implementation", Align::kLeft, 40},
                          {"value", Align::kRight},
                          {"of", Align::kRight},
                          {"evidence"}});
    for (const Value& group : items_at(d, "groups")) {
      for (const Value& entry : items_at(group, "entries")) {
        table.add({std::string(text_at(entry, "operation.slug")),
                   std::string(text_at(entry, "fastest.workloadSummary")),
                   std::string(text_at(entry, "fastest.implementation.name")),
                   measurement_text(at(entry, "fastest.primary")),
                   display::count(count_at(entry, "alternatives") + 1),
                   std::string(text_at(entry, "fastest.evidence"))});
      }
    }
    out += table.render();
  }
  if (!items_at(d, "gaps").empty()) {
    out += "\nNot measured there\n";
    display::Table table({{"operation", Align::kLeft, 64}, {"measured on", Align::kLeft, 60}});
    for (const Value& gap : items_at(d, "gaps")) {
      std::string elsewhere;
      for (const Value& gpu : items_at(gap, "measuredOn")) {
        if (!elsewhere.empty()) elsewhere += ", ";
        elsewhere += gpu.string();
      }
      table.add({std::string(text_at(gap, "operation.slug")),
                 elsewhere.empty() ? "nothing indexed" : elsewhere});
    }
    out += table.render();
  }
  return out;
}

std::string project_text(const Value& d) {
  const auto url = text_at(d, "project.repositoryUrl");
  std::string out = fmt::format(
      "{}\n  {} · {}{}\n  {}, {}, leads {}\n\n", text_at(d, "project.name"),
      text_at(d, "project.slug"), text_at(d, "project.kind"),
      url.empty() ? "" : fmt::format(" · {}", url),
      noun_at(d, "stats.implementations", "implementation"),
      noun_at(d, "stats.runs", "eligible run"), noun_at(d, "stats.records", "comparison group"));
  display::Table table({{"operation", Align::kLeft, 40},
                        {"workload", Align::kLeft, 44},
                        {"hardware"},
                        {"record", Align::kRight},
                        {"implementation", Align::kLeft, 40},
                        {"since"},
                        {"run"}});
  for (const Value& row : items_at(d, "records")) {
    table.add(
        {std::string(text_at(row, "operation.slug")), std::string(text_at(row, "workloadSummary")),
         std::string(text_at(row, "hardware")), measurement_text(at(row, "current.primary")),
         std::string(text_at(row, "current.implementation.name")),
         std::string(date_of(text_at(row, "since"))), std::string(text_at(row, "current.runId"))});
  }
  return out + (table.size() == 0 ? "" : table.render()) + more_line(d);
}

std::string manifest_text(const Value& d) { return pretty(d); }

struct Dossier {
  std::string_view verb;
  std::string_view operation;
  std::string (*text)(const Value& document);
};
constexpr std::array kDossiers = {
    Dossier{"run", "getRun", run_text},
    Dossier{"operation", "getOperation", operation_text},
    Dossier{"implementation", "getImplementation", implementation_text},
    Dossier{"project", "getProject", project_text},
    Dossier{"model", "getModel", model_text},
    Dossier{"manifest", "getManifest", manifest_text},
    Dossier{"serving-run", "getServingRun", serving_run_text}};

}  // namespace

Result<int> run_show(Context& context) {
  const auto& operands = context.operands();
  if (operands.size() != 2) {
    return context.usage(
        "show what? run, operation, implementation, project, model, manifest or serving-run, then "
        "its "
        "id");
  }
  const std::string& what = operands[0];
  const auto dossier = std::ranges::find(kDossiers, what, &Dossier::verb);
  if (dossier == kDossiers.end()) {
    const auto near = did_you_mean(what, context.command().verbs);
    return context.usage(fmt::format("{} cannot be shown{}", quote(what),
                                     near ? fmt::format("; did you mean '{}'?", *near) : ""));
  }
  const bool is_citation = context.arguments().has("cite");
  if (is_citation && what != "run") return context.usage("--cite is for runs");
  const api::Operation& operation =
      *api::find_operation(is_citation ? "citeRun" : dossier->operation);
  Values values = values_of(context, operation);
  values.emplace_back(operation.command.operand, operands[1]);
  if (const auto limit = context.arguments().value("limit")) values.emplace_back("limit", *limit);
  KI_TRY(Reader reader, Reader::open(context));
  if (is_citation) {
    KI_TRY(const std::string text, reader.ask(operation.id, values));
    context.out(text);
    return kDone;
  }
  KI_TRY(const json::Document document, reader.read(operation.id, values));
  context.out(context.is_json() ? pretty(document.root) : dossier->text(document.root));
  return kDone;
}

}  // namespace ki::cli
