#include "ki/resolve/describe.h"

#include "case_view.h"
#include "ki/display/labels.h"
#include "ki/display/names.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::resolve {

std::string workload_label(const catalog::Snapshot& snapshot, Index workload) {
  const catalog::WorkloadRow& row = snapshot.workloads()[workload];
  if (row.kind == catalog::WorkloadKind::kSuite) {
    return display::suite_label(row.suite_cases, snapshot.name(row.suite_statistic),
                                snapshot.name(row.suite_metric));
  }
  CaseView view;
  const query::CaseFacts& facts = view.load(snapshot, workload);
  std::vector<display::Axis> axes;
  for (const query::AxisFacts& axis : facts.axes)
    axes.push_back({axis.name, static_cast<double>(axis.value)});
  return display::case_label(axes, facts.dtypes);
}

std::string workload_summary(const catalog::Snapshot& snapshot, Index workload) {
  const catalog::WorkloadRow& row = snapshot.workloads()[workload];
  if (row.kind == catalog::WorkloadKind::kSuite) return snapshot.shape_summary(row);
  CaseView view;
  return display::workload_summary(view.load(snapshot, workload).dtypes,
                                   snapshot.shape_summary(row));
}

std::string operation_dtype_label(const catalog::Snapshot& snapshot, Index operation) {
  std::vector<std::string_view> dtypes;
  operation_dtypes(snapshot, operation, dtypes);
  return display::dtype_label(dtypes);
}

std::string operation_name(const catalog::Snapshot& snapshot, Index operation) {
  return display::operation_name(snapshot.text(snapshot.operations()[operation].name));
}

std::string implementation_name(const catalog::Snapshot& snapshot, Index implementation) {
  const catalog::ImplementationRow& row = snapshot.implementations()[implementation];
  const catalog::OperationRow& operation = snapshot.operations()[row.operation];
  return display::implementation_name({.title = snapshot.text(row.title),
                                       .slug = snapshot.text(row.slug),
                                       .operation_name = snapshot.text(operation.name),
                                       .operation_slug = snapshot.text(operation.slug)});
}

std::string protocol_text(const catalog::Snapshot& snapshot, Index protocol) {
  const catalog::ProtocolRow& row = snapshot.protocols()[protocol];
  std::string text(snapshot.name(row.harness));
  if (row.harness_version != 0) text += fmt::format(" {}", snapshot.name(row.harness_version));
  if (const std::string_view statistic = snapshot.name(row.statistic);
      !statistic.empty() && statistic != "unspecified") {
    text += fmt::format(" · {}", statistic);
    if (row.samples > 0) text += fmt::format(" of {} samples", row.samples);
  }
  if (row.compile_included == 0) text += " · compile excluded";
  return text;
}

std::vector<CohortFact> cohort_facts(const catalog::Snapshot& snapshot, Index cohort) {
  const catalog::CohortRow& row = snapshot.cohorts()[cohort];
  const catalog::EnvironmentRow& environment = snapshot.environments()[row.environment];
  std::vector<CohortFact> facts;
  const auto add = [&](std::string_view key, std::string value) {
    if (!value.empty()) facts.push_back({std::string(key), std::move(value)});
  };
  add("GPU", std::string(snapshot.name(environment.product)));
  add("Workload", workload_label(snapshot, row.workload));
  add("CUDA", std::string(snapshot.name(environment.cuda)));
  add("Driver", std::string(snapshot.name(environment.driver)));
  std::string framework(snapshot.name(environment.framework));
  if (environment.framework_version != 0)
    framework += fmt::format(" {}", snapshot.name(environment.framework_version));
  add("Framework", framework);
  add("Protocol", protocol_text(snapshot, row.protocol));
  return facts;
}

std::string interpretation(const catalog::Snapshot& snapshot, const Answer& answer) {
  std::string text;
  if (answer.operation != kNone) text = "Operation " + operation_name(snapshot, answer.operation);
  for (const query::Facet& facet : answer.facets) {
    // The operation's name says it already.
    if (facet.field == "op" && answer.operation != kNone) continue;
    const bool is_name =
        std::ranges::find(answer.name_facets, facet.token) != answer.name_facets.end();
    if (!is_name) text += (text.empty() ? "" : " · ") + facet.display;
  }
  return text.empty() ? "Search the index" : text;
}

}  // namespace ki::resolve
