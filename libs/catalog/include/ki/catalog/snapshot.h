// Snapshot: the catalog as of one sequence number, immutable, in memory or mapped from a file.
// Any number of threads may read one snapshot; publication makes a new one and swaps the pointer.
#pragma once

#include "ki/base/result.h"
#include "ki/base/uuid.h"
#include "ki/catalog/columns.h"
#include "ki/catalog/rows.h"
#include "ki/catalog/store.h"
#include "ki/digest/digest.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::catalog {

// The axes and tensors of one case, decoded. Kept by the caller and reused: no allocation once
// warm.
struct CaseFacts {
  struct Axis {
    NameId name;
    std::int64_t value;
  };
  struct Tensor {
    NameId name;
    NameId dtype;
    std::uint8_t layout;          // as CaseSchemaTensor
    std::uint8_t input_position;  // 255: not an input
    std::span<const std::int64_t> dims;
  };
  std::vector<Axis> axes;          // sorted by name
  std::vector<Tensor> tensors;     // sorted by name
  std::vector<std::int64_t> dims;  // storage of Tensor::dims

  const Axis* find_axis(NameId name) const;
  // The tensor named first in the operation's inputs among those present, else the first by name.
  const Tensor* first_tensor() const;
};

class Snapshot {
 public:
  Snapshot(std::shared_ptr<const void> memory, const Columns<Viewed>& columns, Head head)
      : memory_(std::move(memory)), columns_(columns), head_(head) {}

  const Columns<Viewed>& columns() const { return columns_; }
  Seq seq() const { return head_.seq; }
  const Head& head() const { return head_; }

  std::string_view text(TextRef ref) const {
    return {columns_.text.data() + ref.offset, ref.length};
  }
  std::string_view name(NameId id) const { return text(columns_.names[id]); }
  // The id of a text that occurs somewhere, or nothing: then no row can match it.
  std::optional<NameId> find_name(std::string_view text) const;

  std::span<const SourceRow> sources() const { return columns_.sources; }
  std::span<const ProjectRow> projects() const { return columns_.projects; }
  std::span<const OperationRow> operations() const { return columns_.operations; }
  std::span<const WorkloadRow> workloads() const { return columns_.workloads; }
  std::span<const ImplementationRow> implementations() const { return columns_.implementations; }
  std::span<const ProtocolRow> protocols() const { return columns_.protocols; }
  std::span<const EnvironmentRow> environments() const { return columns_.environments; }
  std::span<const MetricRow> metrics() const { return columns_.metrics; }
  std::span<const RunRow> runs() const { return columns_.runs; }
  std::span<const CohortRow> cohorts() const { return columns_.cohorts; }
  std::span<const EventRow> events() const { return columns_.events; }

  // kNone when there is none.
  Index find_operation(const Uuid& id) const;
  Index find_operation(const Digest& digest) const;
  Index find_operation(std::string_view slug) const;
  Index find_project(std::string_view slug) const;
  Index find_workload(const Uuid& id) const;
  Index find_workload(const Digest& digest) const;
  Index find_implementation(const Uuid& id) const;
  Index find_implementation(const Digest& digest) const;
  Index find_implementation(std::string_view slug) const;  // shared slugs: the newest created
  Index find_run(const Uuid& id) const;
  Index find_run(const Digest& digest) const;
  Index find_cohort(const Digest& comparison_key) const;

  std::span<const OperationAxis> axes(const OperationRow& row) const;
  std::span<const OperationArgument> arguments(const OperationRow& row) const;
  std::span<const OperationDim> dims(const OperationArgument& argument) const;
  std::span<const TextRef> aliases(const OperationRow& row) const;
  std::span<const NameId> tags(const OperationRow& row) const;
  std::span<const NameId> architectures(const ImplementationRow& row) const;

  // Adjacency; see Columns for the orders.
  std::span<const Index> workloads_of_operation(Index operation) const;
  std::span<const Index> cohorts_of_operation(Index operation) const;
  std::span<const Index> implementations_of_operation(Index operation) const;
  std::span<const Index> runs_of_operation(Index operation) const;
  std::span<const Index> cohorts_of_workload(Index workload) const;
  std::span<const Index> runs_of_cohort(Index cohort) const;
  std::span<const Index> events_of_cohort(Index cohort) const;
  std::span<const Index> runs_of_implementation(Index implementation) const;

  // Fills `facts` with the axes and tensors of a case (empty for a suite).
  void read_case(const WorkloadRow& row, CaseFacts& facts) const;
  // The same without the tensors, which are most of the work.
  void read_axes(const WorkloadRow& row, CaseFacts& facts) const;
  // "[d1, d2]" of the first tensor, "[]", or "suite of N cases" (spec 03.4).
  std::string shape_summary(const WorkloadRow& row) const;

 private:
  std::shared_ptr<const void> memory_;
  Columns<Viewed> columns_;
  Head head_;
};

// Writes the snapshot to `path` (atomically): header, catalog id, head, a table of sections with
// their checksums, then the arrays.
Result<void> write_snapshot(const Snapshot& snapshot, std::string_view catalog_id,
                            const std::filesystem::path& path);
// Maps a snapshot file. Fails with kCorrupt when a checksum or the layout is wrong, with kConflict
// when it belongs to another catalog or to a program with another layout: rebuild it from the
// store.
Result<std::shared_ptr<const Snapshot>> open_snapshot(const std::filesystem::path& path,
                                                      std::string_view catalog_id);

}  // namespace ki::catalog
