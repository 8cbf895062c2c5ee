// All arrays of a snapshot in one place, owned (std::vector) while it is built and viewed
// (std::span) while it is read. for_each_column() is the list that the file format and the copies
// follow.
#pragma once

#include "ki/catalog/rows.h"

#include <span>
#include <string_view>
#include <vector>

namespace ki::catalog {

template <template <class> class Array>
struct Columns {
  Array<char> text;
  Array<TextRef> names;      // NameId -> text
  Array<NameId> name_slots;  // text -> NameId, open addressing; 0 marks a free slot (name 0 is "")

  Array<SourceRow> sources;
  Array<ProjectRow> projects;
  Array<OperationRow> operations;
  Array<OperationAxis> operation_axes;
  Array<OperationArgument> operation_arguments;
  Array<OperationDim> operation_dims;
  Array<TextRef> operation_aliases;
  Array<NameId> operation_tags;
  Array<CaseSchemaRow> case_schemas;
  Array<NameId> case_schema_axes;
  Array<CaseSchemaTensor> case_schema_tensors;
  Array<std::uint8_t> case_values;
  Array<Bytes32> correctness_keys;
  Array<WorkloadRow> workloads;
  Array<ImplementationRow> implementations;
  Array<NameId> implementation_architectures;
  Array<ProtocolRow> protocols;
  Array<EnvironmentRow> environments;
  Array<MetricRow> metrics;
  Array<RunRow> runs;
  Array<IntervalRow> run_intervals;
  Array<CohortRow> cohorts;
  Array<EventRow> events;
  Array<ModelRow> models;
  Array<ServingRunRow> serving_runs;
  Array<OtherRow> others;

  // Lookups: open-addressing tables of row indexes, a power of two in size.
  Array<Index> project_slots, operation_slots, workload_slots, implementation_slots,
      run_slots;  // by id
  Array<Index> operation_digest_slots, workload_digest_slots, implementation_digest_slots,
      run_digest_slots;
  Array<Index> cohort_slots;  // by comparison key
  Array<Index> operation_slug_slots, project_slug_slots,
      implementation_slug_slots;  // by slug (newest wins)

  // Adjacency, derived.
  Array<Index> cohort_runs;  // CohortRow::runs
  Array<Slice> operation_workload_slices, operation_cohort_slices, operation_implementation_slices,
      operation_run_slices, workload_cohort_slices, cohort_event_slices, implementation_run_slices;
  Array<Index> operation_workloads;        // in order of index
  Array<Index> operation_cohorts;          // by run count descending, then key
  Array<Index> operation_implementations;  // in order of index
  Array<Index> operation_runs;             // eligible runs by (value, observed, id)
  Array<Index> workload_cohorts;           // by ranked runs descending, then key
  Array<Index> cohort_events;              // visible order: (at, created, id)
  Array<Index> implementation_runs;        // eligible runs by (value, observed, id)
  Array<Index> runs_newest;                // published runs by (observed, id) descending
};

template <class T>
using Owned = std::vector<T>;
template <class T>
using Viewed = std::span<const T>;

// Calls visit(name, a.column, b.column...) for each column. The names are part of the file format.
template <class Visit, class... C>
void for_each_column(Visit&& visit, C&... c) {
#define KI_COLUMN(name) visit(std::string_view(#name), c.name...)
  KI_COLUMN(text);
  KI_COLUMN(names);
  KI_COLUMN(name_slots);
  KI_COLUMN(sources);
  KI_COLUMN(projects);
  KI_COLUMN(operations);
  KI_COLUMN(operation_axes);
  KI_COLUMN(operation_arguments);
  KI_COLUMN(operation_dims);
  KI_COLUMN(operation_aliases);
  KI_COLUMN(operation_tags);
  KI_COLUMN(case_schemas);
  KI_COLUMN(case_schema_axes);
  KI_COLUMN(case_schema_tensors);
  KI_COLUMN(case_values);
  KI_COLUMN(correctness_keys);
  KI_COLUMN(workloads);
  KI_COLUMN(implementations);
  KI_COLUMN(implementation_architectures);
  KI_COLUMN(protocols);
  KI_COLUMN(environments);
  KI_COLUMN(metrics);
  KI_COLUMN(runs);
  KI_COLUMN(run_intervals);
  KI_COLUMN(cohorts);
  KI_COLUMN(events);
  KI_COLUMN(models);
  KI_COLUMN(serving_runs);
  KI_COLUMN(others);
  KI_COLUMN(project_slots);
  KI_COLUMN(operation_slots);
  KI_COLUMN(workload_slots);
  KI_COLUMN(implementation_slots);
  KI_COLUMN(run_slots);
  KI_COLUMN(operation_digest_slots);
  KI_COLUMN(workload_digest_slots);
  KI_COLUMN(implementation_digest_slots);
  KI_COLUMN(run_digest_slots);
  KI_COLUMN(cohort_slots);
  KI_COLUMN(operation_slug_slots);
  KI_COLUMN(project_slug_slots);
  KI_COLUMN(implementation_slug_slots);
  KI_COLUMN(cohort_runs);
  KI_COLUMN(operation_workload_slices);
  KI_COLUMN(operation_cohort_slices);
  KI_COLUMN(operation_implementation_slices);
  KI_COLUMN(operation_run_slices);
  KI_COLUMN(workload_cohort_slices);
  KI_COLUMN(cohort_event_slices);
  KI_COLUMN(implementation_run_slices);
  KI_COLUMN(operation_workloads);
  KI_COLUMN(operation_cohorts);
  KI_COLUMN(operation_implementations);
  KI_COLUMN(operation_runs);
  KI_COLUMN(workload_cohorts);
  KI_COLUMN(cohort_events);
  KI_COLUMN(implementation_runs);
  KI_COLUMN(runs_newest);
#undef KI_COLUMN
}

}  // namespace ki::catalog
