#include "command.h"
#include "ids.h"
#include "ki/base/text.h"
#include "ki/base/uuid.h"
#include "ki/digest/digest.h"
#include "ki/display/format.h"
#include "ki/display/labels.h"
#include "ki/json/canonical.h"
#include "ki/json/writer.h"
#include "ki/policy/deployability.h"
#include "ki/policy/evidence.h"
#include "ki/resolve/describe.h"
#include "show_run.h"
#include "stored.h"

#include <fmt/format.h>

#include <cmath>

namespace ki::cli {
namespace {

using catalog::Index;
using catalog::kNone;
using catalog::Snapshot;
using display::Align;

std::string best_text(const Snapshot& s, Index run) {
  const auto& row = s.runs()[run];
  return display::primary_text(row.value, s.name(s.metrics()[s.cohorts()[row.cohort].metric].unit));
}

// A short table of groups: where a kernel stands, each with its own group's rank.
std::string standing_table(const Snapshot& s, std::span<const Index> runs, std::size_t limit) {
  display::Table table({{"run"},
                        {"operation", Align::kLeft, 40},
                        {"workload", Align::kLeft, 44},
                        {"hardware"},
                        {"value", Align::kRight},
                        {"rank", Align::kRight},
                        {"observed"}});
  for (const Index run : runs.first(std::min(runs.size(), limit))) {
    const auto& row = s.runs()[run];
    const auto& cohort = s.cohorts()[row.cohort];
    table.add({Uuid{row.id}.to_string(), std::string(s.text(s.operations()[cohort.operation].slug)),
               resolve::workload_label(s, row.workload),
               std::string(s.name(s.environments()[cohort.environment].product)), best_text(s, run),
               display::rank_of(row.rank, cohort.ranked), Instant{row.observed_ms}.date()});
  }
  std::string out = table.render();
  if (runs.size() > limit)
    out += fmt::format("… and {} more\n",
                       display::count(static_cast<std::int64_t>(runs.size() - limit)));
  return out;
}

void write_runs(json::Writer& w, const Snapshot& s, std::span<const Index> runs) {
  w.begin_array();
  for (const Index run : runs) {
    const auto& row = s.runs()[run];
    const auto& cohort = s.cohorts()[row.cohort];
    const auto& metric = s.metrics()[cohort.metric];
    w.begin_object()
        .member("runId", Uuid{row.id}.to_string())
        .member("comparisonKey", Digest(cohort.key).to_string());
    w.member("operation", s.text(s.operations()[cohort.operation].slug))
        .member("workload", resolve::workload_label(s, row.workload));
    w.member("hardware", s.name(s.environments()[cohort.environment].product))
        .member("value", row.value)
        .member("unit", s.name(metric.unit));
    w.member("statistic", s.name(metric.statistic))
        .member("rank", row.rank)
        .member("cohortSize", cohort.ranked);
    w.member("evidence", policy::to_string(static_cast<policy::EvidenceLevel>(row.evidence)))
        .end_object();
  }
  w.end_array();
}

Result<int> show_operation(Context& context, const std::string& id) {
  KI_TRY(const OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  const auto snapshot = catalog.snapshot();
  const Snapshot& s = *snapshot;
  KI_TRY(const Index index, find_operation(s, id));
  const auto& op = s.operations()[index];
  KI_TRY(const json::Document row, read_stored(*catalog.store, op.entry));
  const json::Value& manifest = *row.root.find("manifest");
  std::string out;
  if (context.is_json()) {
    json::Writer w(out, json::Writer::Style::kIndented);
    w.begin_object()
        .key("operation")
        .begin_object()
        .member("id", Uuid{op.id}.to_string())
        .member("slug", s.text(op.slug));
    w.member("name", resolve::operation_name(s, index))
        .member("family", s.name(op.family))
        .member("semanticDigest", Digest(op.digest).to_string());
    w.key("aliases").begin_array();
    for (const auto alias : s.aliases(op)) w.value(s.text(alias));
    w.end_array().key("tags").begin_array();
    for (const auto tag : s.tags(op)) w.value(s.name(tag));
    w.end_array().end_object();
    w.key("workloads").begin_array();
    for (const Index workload : s.workloads_of_operation(index)) {
      const auto& item = s.workloads()[workload];
      w.begin_object()
          .member("id", Uuid{item.id}.to_string())
          .member("digest", Digest(item.digest).to_string());
      w.member("label", resolve::workload_label(s, workload))
          .member("eligibleRuns", item.eligible_runs)
          .end_object();
    }
    w.end_array().key("groups").begin_array();
    for (const Index cohort : s.cohorts_of_operation(index)) {
      const auto& item = s.cohorts()[cohort];
      if (item.ranked == 0) continue;
      const Index head = s.runs_of_cohort(cohort).front();
      w.begin_object()
          .member("comparisonKey", Digest(item.key).to_string())
          .member("workload", resolve::workload_label(s, item.workload));
      w.member("hardware", s.name(s.environments()[item.environment].product))
          .member("protocol", resolve::protocol_text(s, item.protocol));
      w.member("ranked", item.ranked)
          .member("headRunId", Uuid{s.runs()[head].id}.to_string())
          .member("value", s.runs()[head].value);
      w.member("unit", s.name(s.metrics()[item.metric].unit)).end_object();
    }
    w.end_array().key("implementations").begin_array();
    for (const Index implementation : s.implementations_of_operation(index)) {
      const auto& item = s.implementations()[implementation];
      w.begin_object()
          .member("slug", s.text(item.slug))
          .member("name", resolve::implementation_name(s, implementation));
      w.member("project", s.text(s.projects()[item.project].slug))
          .member("eligibleRuns", item.eligible_runs);
      w.member("sourceAvailable", item.source_available != 0)
          .member("installable", item.installable != 0)
          .end_object();
    }
    w.end_array().key("manifest").value(manifest).member("catalogVersion", s.seq()).end_object();
    context.out(out + "\n");
    return kDone;
  }
  out = fmt::format("{}\n  {} · family {} · {}\n  {}\n", resolve::operation_name(s, index),
                    s.text(op.slug), s.name(op.family),
                    display::count_noun(op.eligible_runs, "eligible run"),
                    Digest(op.digest).to_string());
  if (const json::Value* description = manifest.find("metadata")->find("description");
      description != nullptr && description->is_string()) {
    out += fmt::format("  {}\n", description->string());
  }
  out += "\nArguments\n";
  for (const auto& argument : s.arguments(op)) {
    std::string shape;
    for (const auto& dim : s.dims(argument)) {
      shape +=
          fmt::format("{}{}", shape.empty() ? "" : ", ",
                      dim.axis != 0 ? std::string(s.name(dim.axis)) : std::to_string(dim.size));
    }
    out += fmt::format("  {} {}  {}{}\n", argument.is_output != 0 ? "out" : "in ",
                       s.name(argument.name), s.name(argument.dtype),
                       argument.is_tensor != 0 ? fmt::format(" [{}]", shape) : " scalar");
  }
  out += "\nComparison groups (best of each; values of different groups are not comparable)\n";
  display::Table table({{"workload", Align::kLeft, 56},
                        {"hardware"},
                        {"protocol", Align::kLeft, 44},
                        {"runs", Align::kRight},
                        {"best", Align::kRight},
                        {"implementation", Align::kLeft, 40}});
  std::size_t groups = 0;
  for (const Index cohort : s.cohorts_of_operation(index)) {
    const auto& item = s.cohorts()[cohort];
    if (item.ranked == 0 || ++groups > 20) continue;
    const Index head = s.runs_of_cohort(cohort).front();
    table.add({resolve::workload_label(s, item.workload),
               std::string(s.name(s.environments()[item.environment].product)),
               resolve::protocol_text(s, item.protocol), display::count(item.ranked),
               best_text(s, head), resolve::implementation_name(s, s.runs()[head].implementation)});
  }
  out += table.render();
  if (groups > 20) out += fmt::format("… and {} more groups: --json shows all\n", groups - 20);
  out += fmt::format(
      "\n{}, {}. Ask for one case: ki search op:{} AXIS=VALUE\n",
      display::count_noun(static_cast<std::int64_t>(s.workloads_of_operation(index).size()),
                          "workload"),
      display::count_noun(static_cast<std::int64_t>(s.implementations_of_operation(index).size()),
                          "implementation"),
      s.text(op.slug));
  context.out(out);
  return kDone;
}

Result<int> show_implementation(Context& context, const std::string& id) {
  KI_TRY(const OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  const auto snapshot = catalog.snapshot();
  const Snapshot& s = *snapshot;
  KI_TRY(const Index index, find_implementation(s, id));
  const auto& implementation = s.implementations()[index];
  KI_TRY(const json::Document row, read_stored(*catalog.store, implementation.entry));
  const auto runs = s.runs_of_implementation(index);
  const auto missing =
      policy::deployability_v1({.source_available = implementation.source_available != 0,
                                .installable = implementation.installable != 0,
                                .has_concluded_licence = implementation.license_concluded != 0});
  std::string out;
  if (context.is_json()) {
    json::Writer w(out, json::Writer::Style::kIndented);
    w.begin_object()
        .key("implementation")
        .begin_object()
        .member("id", Uuid{implementation.id}.to_string());
    w.member("slug", s.text(implementation.slug))
        .member("name", resolve::implementation_name(s, index));
    w.member("digest", Digest(implementation.digest).to_string())
        .member("revision", s.text(implementation.revision))
        .end_object();
    w.key("project").begin_object().member("slug",
                                           s.text(s.projects()[implementation.project].slug));
    w.member("name", s.text(s.projects()[implementation.project].name)).end_object();
    w.member("operation", s.text(s.operations()[implementation.operation].slug));
    w.key("license").begin_object().member("declared", s.name(implementation.license_declared));
    w.member("concluded", s.name(implementation.license_concluded)).end_object();
    w.member("sourceAvailable", implementation.source_available != 0)
        .member("installable", implementation.installable != 0);
    w.key("notDeployableBecause").begin_array();
    for (const auto& reason : missing) w.value(reason);
    w.end_array().key("runs");
    write_runs(w, s, runs);
    w.key("manifest")
        .value(*row.root.find("manifest"))
        .member("catalogVersion", s.seq())
        .end_object();
    context.out(out + "\n");
    return kDone;
  }
  out = fmt::format("{}\n  {} · project {} · operation {}\n  {}\n",
                    resolve::implementation_name(s, index), s.text(implementation.slug),
                    s.text(s.projects()[implementation.project].name),
                    s.text(s.operations()[implementation.operation].slug),
                    Digest(implementation.digest).to_string());
  if (missing.empty()) {
    out += "  Deployable: public source, install recipe and licence are known.\n";
  } else {
    std::string reasons;
    for (const auto& reason : missing)
      reasons += (reasons.empty() ? "" : ", ") + display::words(ascii_lower(reason));
    out += fmt::format("  Not deployable as recorded: {}.\n", reasons);
  }
  if (implementation.install_command.length != 0)
    out += fmt::format("  Install: {}\n", s.text(implementation.install_command));
  out += fmt::format("\nEvidence ({})\n",
                     display::count_noun(static_cast<std::int64_t>(runs.size()), "eligible run"));
  out += standing_table(s, runs, 25);
  context.out(out);
  return kDone;
}

Result<int> show_project(Context& context, const std::string& slug) {
  KI_TRY(const OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  const auto snapshot = catalog.snapshot();
  const Snapshot& s = *snapshot;
  KI_TRY(const Index index, find_project(s, slug));
  const auto& project = s.projects()[index];
  std::vector<Index> implementations;
  for (Index i = 0; i < s.implementations().size(); ++i) {
    if (s.implementations()[i].project == index) implementations.push_back(i);
  }
  std::vector<Index> records;
  for (Index k = 0; k < s.cohorts().size(); ++k) {
    if (s.cohorts()[k].ranked == 0) continue;
    const Index head = s.runs_of_cohort(k).front();
    if (s.implementations()[s.runs()[head].implementation].project == index)
      records.push_back(head);
  }
  std::string out;
  if (context.is_json()) {
    json::Writer w(out, json::Writer::Style::kIndented);
    w.begin_object()
        .key("project")
        .begin_object()
        .member("slug", s.text(project.slug))
        .member("name", s.text(project.name));
    w.member("kind", s.name(project.kind))
        .member("url", s.text(project.url))
        .end_object()
        .key("implementations")
        .begin_array();
    for (const Index i : implementations) {
      const auto& item = s.implementations()[i];
      w.begin_object()
          .member("slug", s.text(item.slug))
          .member("name", resolve::implementation_name(s, i));
      w.member("operation", s.text(s.operations()[item.operation].slug))
          .member("eligibleRuns", item.eligible_runs)
          .end_object();
    }
    w.end_array().key("records");
    write_runs(w, s, records);
    w.member("catalogVersion", s.seq()).end_object();
    context.out(out + "\n");
    return kDone;
  }
  out = fmt::format(
      "{}\n  {} · {}{}\n  {}, leads {}\n\n", s.text(project.name), s.text(project.slug),
      s.name(project.kind), project.url.length == 0 ? "" : " · " + std::string(s.text(project.url)),
      display::count_noun(static_cast<std::int64_t>(implementations.size()), "implementation"),
      display::count_noun(static_cast<std::int64_t>(records.size()), "comparison group"));
  out += standing_table(s, records, 25);
  context.out(out);
  return kDone;
}

}  // namespace

Result<int> run_show(Context& context) {
  const auto& operands = context.operands();
  if (operands.size() != 2)
    return context.usage("show what? run, operation, implementation or project, then its id");
  const std::string& what = operands[0];
  if (what != "run" && context.arguments().has("cite")) return context.usage("--cite is for runs");
  if (what == "run") return show_run(context, operands[1]);
  if (what == "operation") return show_operation(context, operands[1]);
  if (what == "implementation") return show_implementation(context, operands[1]);
  if (what == "project") return show_project(context, operands[1]);
  const auto near = did_you_mean(what, context.command().verbs);
  return context.usage(fmt::format("{} cannot be shown{}", quote(what),
                                   near ? fmt::format("; did you mean '{}'?", *near) : ""));
}

}  // namespace ki::cli
