#include "ki/catalog/snapshot.h"

#include "slots.h"
#include "varint.h"

#include <algorithm>

namespace ki::catalog {
namespace {

template <class Rows>
Index find_by_id(std::span<const Index> slots, const Rows& rows, const Uuid& id) {
  return find_slot(slots, hash_of(id.bytes), [&](Index i) { return rows[i].id == id.bytes; });
}

template <class Rows>
Index find_by_digest(std::span<const Index> slots, const Rows& rows, const Digest& digest) {
  return find_slot(slots, hash_of(digest.bytes()),
                   [&](Index i) { return rows[i].digest == digest.bytes(); });
}

template <class T>
std::span<const T> slice_of(std::span<const T> all, Slice slice) {
  return all.subspan(slice.first, slice.count);
}

}  // namespace

const CaseFacts::Axis* CaseFacts::find_axis(NameId name) const {
  for (const Axis& axis : axes) {
    if (axis.name == name) return &axis;
  }
  return nullptr;
}

const CaseFacts::Tensor* CaseFacts::first_tensor() const {
  const Tensor* first = nullptr;
  for (const Tensor& tensor : tensors) {
    if (first == nullptr || tensor.input_position < first->input_position) first = &tensor;
  }
  return first;
}

std::optional<NameId> Snapshot::find_name(std::string_view wanted) const {
  if (wanted.empty()) return 0;
  const Index found =
      find_slot(columns_.name_slots, hash_of(wanted), [&](Index i) { return name(i) == wanted; });
  if (found == kNone) return std::nullopt;
  return found;
}

Index Snapshot::find_operation(const Uuid& id) const {
  return find_by_id(columns_.operation_slots, columns_.operations, id);
}
Index Snapshot::find_operation(const Digest& digest) const {
  return find_by_digest(columns_.operation_digest_slots, columns_.operations, digest);
}
Index Snapshot::find_operation(std::string_view slug) const {
  return find_slot(columns_.operation_slug_slots, hash_of(slug),
                   [&](Index i) { return text(columns_.operations[i].slug) == slug; });
}
Index Snapshot::find_project(std::string_view slug) const {
  return find_slot(columns_.project_slug_slots, hash_of(slug),
                   [&](Index i) { return text(columns_.projects[i].slug) == slug; });
}
Index Snapshot::find_workload(const Uuid& id) const {
  return find_by_id(columns_.workload_slots, columns_.workloads, id);
}
Index Snapshot::find_workload(const Digest& digest) const {
  return find_by_digest(columns_.workload_digest_slots, columns_.workloads, digest);
}
Index Snapshot::find_implementation(const Uuid& id) const {
  return find_by_id(columns_.implementation_slots, columns_.implementations, id);
}
Index Snapshot::find_implementation(const Digest& digest) const {
  return find_by_digest(columns_.implementation_digest_slots, columns_.implementations, digest);
}
Index Snapshot::find_implementation(std::string_view slug) const {
  return find_slot(columns_.implementation_slug_slots, hash_of(slug),
                   [&](Index i) { return text(columns_.implementations[i].slug) == slug; });
}
Index Snapshot::find_run(const Uuid& id) const {
  return find_by_id(columns_.run_slots, columns_.runs, id);
}
Index Snapshot::find_run(const Digest& digest) const {
  return find_by_digest(columns_.run_digest_slots, columns_.runs, digest);
}
Index Snapshot::find_cohort(const Digest& comparison_key) const {
  return find_slot(columns_.cohort_slots, hash_of(comparison_key.bytes()),
                   [&](Index i) { return columns_.cohorts[i].key == comparison_key.bytes(); });
}

std::span<const OperationAxis> Snapshot::axes(const OperationRow& row) const {
  return slice_of(columns_.operation_axes, row.axes);
}
std::span<const OperationArgument> Snapshot::arguments(const OperationRow& row) const {
  return slice_of(columns_.operation_arguments, row.arguments);
}
std::span<const OperationDim> Snapshot::dims(const OperationArgument& argument) const {
  return slice_of(columns_.operation_dims, argument.dims);
}
std::span<const TextRef> Snapshot::aliases(const OperationRow& row) const {
  return slice_of(columns_.operation_aliases, row.aliases);
}
std::span<const NameId> Snapshot::tags(const OperationRow& row) const {
  return slice_of(columns_.operation_tags, row.tags);
}
std::span<const NameId> Snapshot::architectures(const ImplementationRow& row) const {
  return slice_of(columns_.implementation_architectures, row.architectures);
}

std::span<const Index> Snapshot::workloads_of_operation(Index operation) const {
  return slice_of(columns_.operation_workloads, columns_.operation_workload_slices[operation]);
}
std::span<const Index> Snapshot::cohorts_of_operation(Index operation) const {
  return slice_of(columns_.operation_cohorts, columns_.operation_cohort_slices[operation]);
}
std::span<const Index> Snapshot::implementations_of_operation(Index operation) const {
  return slice_of(columns_.operation_implementations,
                  columns_.operation_implementation_slices[operation]);
}
std::span<const Index> Snapshot::runs_of_operation(Index operation) const {
  return slice_of(columns_.operation_runs, columns_.operation_run_slices[operation]);
}
std::span<const Index> Snapshot::cohorts_of_workload(Index workload) const {
  return slice_of(columns_.workload_cohorts, columns_.workload_cohort_slices[workload]);
}
std::span<const Index> Snapshot::runs_of_cohort(Index cohort) const {
  return slice_of(columns_.cohort_runs, columns_.cohorts[cohort].runs);
}
std::span<const Index> Snapshot::events_of_cohort(Index cohort) const {
  return slice_of(columns_.cohort_events, columns_.cohort_event_slices[cohort]);
}
std::span<const Index> Snapshot::runs_of_implementation(Index implementation) const {
  return slice_of(columns_.implementation_runs, columns_.implementation_run_slices[implementation]);
}

void Snapshot::read_case(const WorkloadRow& row, CaseFacts& facts) const {
  facts.axes.clear();
  facts.tensors.clear();
  facts.dims.clear();
  if (row.kind != WorkloadKind::kCase) return;
  const CaseSchemaRow& schema = columns_.case_schemas[row.schema];
  const std::uint8_t* at = columns_.case_values.data() + row.values;
  for (const NameId axis : slice_of(columns_.case_schema_axes, schema.axes)) {
    facts.axes.push_back({axis, read_varint(at)});
  }
  const auto tensors = slice_of(columns_.case_schema_tensors, schema.tensors);
  std::size_t total = 0;
  for (const CaseSchemaTensor& tensor : tensors) total += tensor.rank;
  facts.dims.resize(total);
  std::int64_t* dims = facts.dims.data();
  for (const CaseSchemaTensor& tensor : tensors) {
    for (std::uint16_t i = 0; i < tensor.rank; ++i) dims[i] = read_varint(at);
    facts.tensors.push_back(
        {tensor.name, tensor.dtype, tensor.layout, tensor.input_position, {dims, tensor.rank}});
    dims += tensor.rank;
  }
}

void Snapshot::read_axes(const WorkloadRow& row, CaseFacts& facts) const {
  facts.axes.clear();
  facts.tensors.clear();
  facts.dims.clear();
  if (row.kind != WorkloadKind::kCase) return;
  const std::uint8_t* at = columns_.case_values.data() + row.values;
  for (const NameId axis :
       slice_of(columns_.case_schema_axes, columns_.case_schemas[row.schema].axes)) {
    facts.axes.push_back({axis, read_varint(at)});
  }
}

std::string Snapshot::shape_summary(const WorkloadRow& row) const {
  if (row.kind == WorkloadKind::kSuite)
    return "suite of " + std::to_string(row.suite_cases) + " cases";
  CaseFacts facts;
  read_case(row, facts);
  std::string out = "[";
  if (const CaseFacts::Tensor* first = facts.first_tensor()) {
    for (std::size_t i = 0; i < first->dims.size(); ++i) {
      if (i != 0) out += ", ";
      out += std::to_string(first->dims[i]);
    }
  }
  return out + "]";
}

}  // namespace ki::catalog
