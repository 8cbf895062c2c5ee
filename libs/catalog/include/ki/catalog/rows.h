// The rows of a snapshot: plain fixed-size records that refer to each other by index and to text by
// reference, so that a whole snapshot is a handful of flat arrays that can be mapped from a file.
// Indexes are positions in the snapshot's arrays; kNone marks "no such row".
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace ki::catalog {

// Rows are written to files as they stand: no byte of them may be padding.
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

using Index = std::uint32_t;
inline constexpr Index kNone = std::numeric_limits<Index>::max();

// A slice of the snapshot's text.
struct TextRef {
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
};
// A text that occurs often (a dtype, a GPU, an axis name): position in Columns::names. 0 is "".
using NameId = std::uint32_t;

using Bytes16 = std::array<std::uint8_t, 16>;  // a UUID
using Bytes32 = std::array<std::uint8_t, 32>;  // a digest

// A run of consecutive rows in another array.
struct Slice {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

struct SourceRow {
  Bytes16 id;
  TextRef slug, name, kind;
  std::uint32_t entry = 0;  // sequence number of the newest version in the store
};

struct ProjectRow {
  Bytes16 id;
  TextRef slug, name;
  NameId kind = 0;  // library, individual, vendor
  TextRef url;
  std::uint32_t entry = 0;
};

enum class AxisRole : std::uint32_t { kVariable, kConstant, kDerived };

struct OperationAxis {
  NameId name = 0;
  AxisRole role = AxisRole::kVariable;
  std::int64_t value = 0;  // of a constant axis
};

// An input or output of an operation. A scalar has no dimensions and is_tensor 0.
struct OperationArgument {
  NameId name = 0;
  NameId dtype = 0;
  Slice dims;  // in Columns::operation_dims
  std::uint32_t is_output = 0;
  std::uint32_t is_tensor = 0;
};

struct OperationDim {
  NameId axis = 0;  // 0: a literal size
  std::uint32_t reserved = 0;
  std::int64_t size = 0;
};

struct OperationRow {
  Bytes16 id;
  Bytes32 digest;
  TextRef slug, name;  // `name` is metadata.title or the slug, as stored
  NameId family = 0;
  Slice axes;       // operation_axes
  Slice arguments;  // operation_arguments, in the operation's order
  Slice aliases;    // operation_aliases (TextRef)
  Slice tags;       // operation_tags (NameId)
  std::uint32_t reserved = 0;
  std::int64_t created_ms = 0;
  std::uint32_t entry = 0;
  // Derived when the snapshot is finished:
  std::uint32_t eligible_runs = 0;
  std::uint32_t published_runs = 0;
  std::uint32_t measured_cohorts = 0;
  std::int64_t last_observed_ms = 0;  // of eligible runs; 0 without any
};

// The shape of cases, shared by all cases of one form: names and dtypes in sorted order of names.
struct CaseSchemaTensor {
  NameId name = 0;
  NameId dtype = 0;
  std::uint16_t rank = 0;
  std::uint8_t layout = 0;          // 0 contiguous (no strides), 1 row_major, 2 strided
  std::uint8_t input_position = 0;  // position among the operation's inputs; 255: not an input
};
struct CaseSchemaRow {
  Slice axes;     // case_schema_axes (NameId), sorted by name
  Slice tensors;  // case_schema_tensors, sorted by name
};

enum class WorkloadKind : std::uint32_t { kCase, kSuite };

struct WorkloadRow {
  Bytes16 id;
  Bytes32 digest;
  Index operation = kNone;
  WorkloadKind kind = WorkloadKind::kCase;
  Index schema = kNone;      // of a case
  std::uint32_t values = 0;  // of a case: offset in case_values (see CaseReader)
  std::uint32_t suite_cases = 0;
  NameId suite_metric = 0, suite_statistic = 0;
  Index correctness = kNone;  // correctness_keys
  NameId dtypes = 0;          // the stored dtypes joined by "/", sorted ("" for suites)
  std::uint32_t entry = 0;
  std::uint32_t eligible_runs = 0;  // derived
};

struct ImplementationRow {
  Bytes16 id;
  Bytes32 digest;
  Index project = kNone;
  Index operation = kNone;
  TextRef slug, title, revision;  // title and revision may be empty: absent
  NameId language = 0, framework = 0, role = 0;
  NameId license_declared = 0, license_concluded = 0;  // 0: absent
  NameId install_kind = 0;
  TextRef install_command;
  Slice architectures;  // implementation_architectures (NameId)
  std::int64_t created_ms = 0;
  std::uint8_t source_available = 0, installable = 0, reserved[2] = {};
  std::uint32_t entry = 0;
  std::uint32_t eligible_runs = 0;  // derived
  std::uint32_t reserved_tail = 0;
};

// A protocol or environment manifest.
struct ProtocolRow {
  Bytes32 document;  // digest of the whole canonical manifest
  Bytes32 digest;    // spec digest: protocolKey
  NameId harness = 0, harness_version = 0, statistic = 0, timer = 0, family = 0;
  std::uint32_t samples = 0;          // 0: not stated
  std::uint8_t compile_included = 2;  // 0 no, 1 yes, 2 not stated
  std::uint8_t reserved[3] = {};
  std::uint32_t entry = 0;
};
struct EnvironmentRow {
  Bytes32 document;
  Bytes32 digest;  // environmentKey
  NameId vendor = 0, product = 0, architecture = 0, form_factor = 0;
  NameId display_architecture = 0;  // with the back-fill of spec 03.5 rule 2
  NameId driver = 0, cuda = 0, framework = 0, framework_version = 0;
  std::uint32_t reserved = 0;
  std::int64_t memory_bytes = 0;
  std::int32_t driver_major = -1, cuda_major = -1;  // -1: unknown
  std::uint32_t entry = 0;
  std::uint32_t reserved_tail = 0;
};

struct MetricRow {
  NameId metric = 0, statistic = 0, unit = 0;  // metric "none": the run has no primary
};

namespace run_flags {
inline constexpr std::uint32_t kPublished = 1, kReported = 2, kReproducedHere = 4,
                               kSourceAvailable = 8, kInstallable = 16, kRawEvidence = 32,
                               kSourceNative = 64, kRetracted = 128, kEligible = 256,
                               kTiedWithPrevious = 512, kOperationMismatch = 1024;
}  // namespace run_flags

struct RunRow {
  Bytes16 id;
  Bytes32 digest;
  Index implementation = kNone;
  Index workload = kNone;
  Index source = kNone;
  Index cohort = kNone;
  Index supersedes = kNone;     // the run that this one corrects
  Index superseded_by = kNone;  // derived
  double value = 0;             // NaN without a primary measurement
  double sol_score = 0;         // NaN when the source gave none
  std::int64_t observed_ms = 0;
  std::int64_t published_ms = 0;  // 0: not published
  Index interval = kNone;         // run_intervals
  std::uint32_t flags = 0;
  std::uint32_t rank = 0;     // ranking-v1, from 1; 0 when not eligible. Derived.
  std::uint32_t samples = 0;  // 0: not stated
  NameId license = 0;         // frozen at publication
  std::uint16_t replications = 0;
  std::uint8_t status = 0;    // position in manifest's run status list
  std::uint8_t evidence = 0;  // policy::Evidence, derived
  std::uint32_t entry = 0;
  std::uint32_t reserved = 0;
};

struct IntervalRow {
  double low = 0, high = 0;
};

// A comparison group. Its runs stand in cohort_runs[runs], ranked ones first in rank order.
struct CohortRow {
  Bytes32 key;
  Index workload = kNone;
  Index operation = kNone;
  Index protocol = kNone;
  Index environment = kNone;
  Index metric = kNone;
  Slice runs;
  std::uint32_t ranked = 0;
  std::uint32_t is_source_native = 0;  // profile: any run source_native
  std::uint32_t reserved = 0;
  std::int64_t last_observed_ms = 0;
  std::int64_t last_published_ms = 0;
};

enum class EventCause : std::uint32_t {
  kNewRun,
  kRetraction,
  kLateObservation,
  kSupersession,
  kPolicyChange
};

// A leader event, as stored (ranking-v1).
struct EventRow {
  Bytes16 id;
  Index cohort = kNone;
  Index run = kNone;
  Index previous = kNone;
  EventCause cause = EventCause::kNewRun;
  std::int64_t at_ms = 0;
  std::int64_t created_ms = 0;
  std::uint32_t entry = 0;
  std::uint32_t reserved = 0;
};

struct ServingRunRow {
  Bytes16 id;
  Bytes32 digest;
  Bytes32 cohort;
  Index model = kNone;  // positions in the serving tables' entry lists
  std::uint32_t entry = 0;
  std::int64_t observed_ms = 0;
  std::int64_t published_ms = 0;
};

struct ModelRow {
  Bytes16 id;
  Bytes32 digest;
  TextRef slug, name;
  std::int64_t parameters = 0;  // 0: unknown
  std::uint32_t entry = 0;
  std::uint32_t runs = 0;
};

// An entry of a table that the snapshot does not decode (artifacts, audit events, serving stacks,
// ...): enough to find it again in the store.
struct OtherRow {
  std::uint32_t entry = 0;
  std::uint32_t table = 0;
};

#pragma GCC diagnostic pop

template <class T>
inline constexpr bool kIsFlat = std::is_trivially_copyable_v<T> && std::is_standard_layout_v<T>;

}  // namespace ki::catalog
