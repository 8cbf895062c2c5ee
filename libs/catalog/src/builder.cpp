#include "ki/catalog/builder.h"

#include "finish.h"
#include "interner.h"
#include "ki/base/text.h"
#include "ki/catalog/run_status.h"
#include "ki/json/reader.h"
#include "ki/manifest/derived.h"
#include "ki/manifest/keys.h"
#include "row_reader.h"
#include "slots.h"
#include "varint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

namespace ki::catalog {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// What decides a run's comparison group, as indexes.
struct CohortParts {
  Index workload, protocol, environment, metric;
  bool operator==(const CohortParts&) const = default;
};
struct CohortPartsHash {
  std::size_t operator()(const CohortParts& p) const {
    return mix((std::uint64_t{p.workload} << 32 | p.protocol) ^
               mix(std::uint64_t{p.environment} << 32 | p.metric));
  }
};

// GPUs whose stored manifests say architecture "unknown" (spec 03.5 rule 2).
std::string_view architecture_of_product(std::string_view product) {
  struct Known {
    std::string_view token;
    std::string_view architecture;
  };
  static constexpr std::array kKnown = {
      Known{"B200", "sm_100"}, Known{"GB200", "sm_100"},  Known{"H100", "sm_90"},
      Known{"H200", "sm_90"},  Known{"A100", "sm_80"},    Known{"L4", "sm_89"},
      Known{"3090", "sm_86"},  Known{"MI300X", "gfx942"}, Known{"MI355X", "gfx950"}};
  // Whole tokens only: "GB200" holds no token "B200".
  std::size_t at = 0;
  while (at < product.size()) {
    while (at < product.size() && !is_ascii_alnum(product[at])) ++at;
    std::size_t end = at;
    while (end < product.size() && is_ascii_alnum(product[end])) ++end;
    for (const Known& known : kKnown) {
      if (product.substr(at, end - at) == known.token) return known.architecture;
    }
    at = end;
  }
  return "unknown";
}

std::string_view text_of(const json::Value* object, std::string_view member) {
  const json::Value* v = object == nullptr ? nullptr : object->find(member);
  return v != nullptr && v->is_string() ? v->string() : std::string_view();
}

}  // namespace

struct SnapshotBuilder::State {
  Columns<Owned> c;
  Interner texts{c};
  json::Reader reader{json::Limits{.max_bytes = std::size_t{64} << 20}};
  std::vector<std::pair<Index, TextRef>> aliases;  // (operation, alias), grouped when finished
  std::unordered_map<std::string, Index> case_schemas;
  std::unordered_map<Digest, Index> correctness_keys;
  std::unordered_map<Digest, Index> protocols, environments;  // by document digest
  std::unordered_map<CohortParts, Index, CohortPartsHash> cohorts;
  std::unordered_map<std::uint64_t, Index> metrics;

  // ---- lookups while building

  Index find_operation(const Bytes16& id) const {
    return find_slot(c.operation_slots, hash_of(id),
                     [&](Index i) { return c.operations[i].id == id; });
  }
  Index find_source(const Bytes16& id) const {
    for (Index i = 0; i < c.sources.size(); ++i) {
      if (c.sources[i].id == id) return i;
    }
    return kNone;
  }
  template <class Row>
  static Index find(const std::vector<Index>& slots, const std::vector<Row>& rows,
                    const Bytes16& id) {
    return find_slot(slots, hash_of(id), [&](Index i) { return rows[i].id == id; });
  }

  // The row of that id, new or known.
  template <class Row>
  std::pair<Row*, Index> row_for(std::vector<Row>& rows, std::vector<Index>& slots,
                                 const Bytes16& id) {
    if (const Index known = find(slots, rows, id); known != kNone) return {&rows[known], known};
    const auto index = static_cast<Index>(rows.size());
    rows.push_back({});
    rows.back().id = id;
    add_slot(slots, rows.size(), index, [&](Index i) { return hash_of(rows[i].id); });
    return {&rows.back(), index};
  }

  // Keeps a text where it is when it did not change.
  void set(TextRef& ref, std::string_view text) {
    if (texts.view(ref) != text) ref = texts.text(text);
  }

  std::unexpected<Error> corrupt(const Entry& entry, const std::string& problem) const {
    return fail(Code::kCorrupt, fmt::format("entry {} ({} {}): {}", entry.seq,
                                            info(entry.table).name, entry.key, problem));
  }

  // ---- one function a table

  Result<void> source(const Entry& entry, const json::Value& row) {
    RowReader r(row);
    const Bytes16 id = r.id("id");
    Index index = find_source(id);
    if (index == kNone) {
      index = static_cast<Index>(c.sources.size());
      c.sources.push_back({});
    }
    SourceRow& s = c.sources[index];
    s.id = id;
    set(s.slug, r.text("slug"));
    set(s.name, r.text("name"));
    set(s.kind, r.text("kind"));
    s.entry = static_cast<std::uint32_t>(entry.seq);
    if (r.problem()) return corrupt(entry, *r.problem());
    return {};
  }

  Result<void> project(const Entry& entry, const json::Value& row) {
    RowReader r(row);
    const auto [p, index] = row_for(c.projects, c.project_slots, r.id("id"));
    set(p->slug, r.text("slug"));
    set(p->name, r.text("name"));
    const std::string_view kind = r.optional_text("kind");
    p->kind = texts.name(kind.empty() ? "library" : kind);
    set(p->url, r.optional_text("canonicalUrl"));
    p->entry = static_cast<std::uint32_t>(entry.seq);
    if (r.problem()) return corrupt(entry, *r.problem());
    return {};
  }

  Result<void> operation(const Entry& entry, const json::Value& row) {
    RowReader r(row);
    const Bytes16 id = r.id("id");
    const bool is_new = find_operation(id) == kNone;
    const auto [op, index] = row_for(c.operations, c.operation_slots, id);
    op->digest = r.digest("semanticDigest");
    set(op->slug, r.text("slug"));
    set(op->name, r.text("name"));
    op->family = texts.name(r.text("family"));
    op->created_ms = r.optional_instant("createdAt");
    op->entry = static_cast<std::uint32_t>(entry.seq);
    const json::Value* spec = r.spec("manifest");
    if (r.problem()) return corrupt(entry, *r.problem());
    if (is_new) read_operation_spec(*op, *spec);
    const json::Value* tags = row.find("tags");
    op->tags = {static_cast<std::uint32_t>(c.operation_tags.size()), 0};
    if (tags != nullptr && tags->is_array()) {
      for (const json::Value& tag : tags->items()) {
        if (!tag.is_string()) return corrupt(entry, "a tag is not text");
        c.operation_tags.push_back(texts.name(tag.string()));
        ++op->tags.count;
      }
    }
    return {};
  }

  void read_operation_spec(OperationRow& op, const json::Value& spec) {
    op.axes.first = static_cast<std::uint32_t>(c.operation_axes.size());
    if (const json::Value* axes = spec.find("axes"); axes != nullptr && axes->is_object()) {
      for (const json::Member& axis : axes->members()) {
        const std::string_view role = text_of(&axis.value, "role");
        const json::Value* value = axis.value.find("value");
        c.operation_axes.push_back({texts.name(axis.key),
                                    role == "constant"  ? AxisRole::kConstant
                                    : role == "derived" ? AxisRole::kDerived
                                                        : AxisRole::kVariable,
                                    value == nullptr ? 0 : value->integer().value_or(0)});
      }
    }
    op.axes.count = static_cast<std::uint32_t>(c.operation_axes.size()) - op.axes.first;
    // Stored bodies are canonical, so members come in one order; sorting by text keeps it so for
    // others.
    std::sort(c.operation_axes.begin() + op.axes.first, c.operation_axes.end(),
              [&](const OperationAxis& a, const OperationAxis& b) {
                return texts.view_name(a.name) < texts.view_name(b.name);
              });
    op.arguments.first = static_cast<std::uint32_t>(c.operation_arguments.size());
    read_arguments(spec.find("inputs"), false);
    read_arguments(spec.find("outputs"), true);
    op.arguments.count =
        static_cast<std::uint32_t>(c.operation_arguments.size()) - op.arguments.first;
  }

  void read_arguments(const json::Value* list, bool is_output) {
    if (list == nullptr || !list->is_array()) return;
    for (const json::Value& item : list->items()) {
      OperationArgument argument;
      argument.name = texts.name(text_of(&item, "name"));
      argument.is_output = is_output ? 1 : 0;
      argument.dims.first = static_cast<std::uint32_t>(c.operation_dims.size());
      if (const json::Value* tensor = item.find("tensor")) {
        argument.is_tensor = 1;
        argument.dtype = texts.name(text_of(tensor, "dtype"));
        if (const json::Value* shape = tensor->find("shape");
            shape != nullptr && shape->is_array()) {
          for (const json::Value& dim : shape->items()) {
            c.operation_dims.push_back(dim.is_string()
                                           ? OperationDim{.axis = texts.name(dim.string())}
                                           : OperationDim{.size = dim.integer().value_or(0)});
          }
        }
      } else if (const json::Value* scalar = item.find("scalar")) {
        argument.dtype = texts.name(text_of(scalar, "dtype"));
      }
      argument.dims.count =
          static_cast<std::uint32_t>(c.operation_dims.size()) - argument.dims.first;
      c.operation_arguments.push_back(argument);
    }
  }

  Result<void> alias(const Entry& entry, const json::Value& row) {
    RowReader r(row);
    const Index op = find_operation(r.id("operationId"));
    const std::string_view alias_text = r.text("alias");
    if (r.problem()) return corrupt(entry, *r.problem());
    if (op == kNone) return corrupt(entry, "its operation is not in the catalog");
    if (entry.version == 0) aliases.emplace_back(op, texts.text(alias_text));
    return {};
  }

  Result<void> workload(const Entry& entry, const json::Value& row) {
    RowReader r(row);
    const Bytes16 id = r.id("id");
    const Index op = find_operation(r.id("operationId"));
    const Bytes32 digest = r.digest("workloadDigest");
    const json::Value* manifest = r.object("manifest");
    const json::Value* spec = r.spec("manifest");
    if (r.problem()) return corrupt(entry, *r.problem());
    if (op == kNone) return corrupt(entry, "its operation is not in the catalog");
    const bool is_new = find(c.workload_slots, c.workloads, id) == kNone;
    const auto [w, index] = row_for(c.workloads, c.workload_slots, id);
    w->entry = static_cast<std::uint32_t>(entry.seq);
    if (!is_new) return {};
    w->digest = digest;
    w->operation = op;
    w->correctness = correctness(*spec);
    if (text_of(manifest, "kind") == "WorkloadSuite") {
      w->kind = WorkloadKind::kSuite;
      const json::Value* cases = spec->find("cases");
      w->suite_cases = cases == nullptr ? 0 : static_cast<std::uint32_t>(cases->items().size());
      const json::Value* aggregation = spec->find("aggregation");
      w->suite_metric = texts.name(text_of(aggregation, "metric"));
      w->suite_statistic = texts.name(text_of(aggregation, "statistic"));
      return {};
    }
    read_case(*w, *spec);
    return {};
  }

  Index correctness(const json::Value& spec) {
    const Digest key = manifest::correctness_key(spec);
    const auto [at, is_new] =
        correctness_keys.try_emplace(key, static_cast<Index>(c.correctness_keys.size()));
    if (is_new) c.correctness_keys.push_back(key.bytes());
    return at->second;
  }

  struct TensorPart {
    std::string_view name, dtype;
    std::uint8_t layout = 0, input_position = 255;
    std::vector<std::int64_t> dims;
  };
  std::vector<std::pair<std::string_view, std::int64_t>> axis_parts;
  std::vector<TensorPart> tensor_parts;
  std::string schema_key;

  static std::uint8_t layout_of(const json::Value& tensor, const std::vector<std::int64_t>& dims) {
    const json::Value* strides = tensor.find("strides");
    if (strides == nullptr || !strides->is_array()) return 0;
    std::int64_t packed = 1;
    const auto items = strides->items();
    if (items.size() != dims.size()) return 2;
    for (std::size_t i = dims.size(); i-- > 0;) {
      if (items[i].integer() != packed) return 2;
      packed *= dims[i];
    }
    return 1;
  }

  void read_case(WorkloadRow& w, const json::Value& spec) {
    axis_parts.clear();
    tensor_parts.clear();
    if (const json::Value* axes = spec.find("axes"); axes != nullptr && axes->is_object()) {
      for (const json::Member& axis : axes->members())
        axis_parts.emplace_back(axis.key, axis.value.integer().value_or(0));
    }
    std::ranges::sort(axis_parts);
    const OperationRow& op = c.operations[w.operation];
    if (const json::Value* tensors = spec.find("tensors");
        tensors != nullptr && tensors->is_object()) {
      for (const json::Member& member : tensors->members()) {
        TensorPart part{member.key, text_of(&member.value, "dtype"), 0, 255, {}};
        if (const json::Value* shape = member.value.find("shape");
            shape != nullptr && shape->is_array()) {
          for (const json::Value& dim : shape->items())
            part.dims.push_back(dim.integer().value_or(0));
        }
        part.layout = layout_of(member.value, part.dims);
        for (std::uint32_t i = 0, position = 0; i < op.arguments.count; ++i) {
          const OperationArgument& argument = c.operation_arguments[op.arguments.first + i];
          if (argument.is_output != 0) break;
          if (texts.view_name(argument.name) == part.name)
            part.input_position = static_cast<std::uint8_t>(std::min(position, 254U));
          ++position;
        }
        tensor_parts.push_back(std::move(part));
      }
    }
    std::ranges::sort(tensor_parts, {}, &TensorPart::name);
    w.schema = schema();
    w.values = static_cast<std::uint32_t>(c.case_values.size());
    for (const auto& [name, value] : axis_parts) append_varint(c.case_values, value);
    std::vector<std::string_view> dtypes;
    for (const TensorPart& part : tensor_parts) {
      for (const std::int64_t dim : part.dims) append_varint(c.case_values, dim);
      dtypes.push_back(part.dtype);
    }
    std::ranges::sort(dtypes, utf16_less);
    const auto repeated = std::ranges::unique(dtypes);
    dtypes.erase(repeated.begin(), repeated.end());
    std::string joined;
    for (const std::string_view dtype : dtypes)
      joined += (joined.empty() ? "" : "/") + std::string(dtype);
    w.dtypes = texts.name(joined);
  }

  // The schema of axis_parts and tensor_parts, known or new.
  Index schema() {
    schema_key.clear();
    for (const auto& [name, value] : axis_parts) {
      schema_key += name;
      schema_key += '\n';
    }
    schema_key += '\t';
    for (const TensorPart& part : tensor_parts) {
      schema_key += fmt::format("{}\n{}\n{}\n{}\n{}\n", part.name, part.dtype, part.layout,
                                part.input_position, part.dims.size());
    }
    const auto [at, is_new] =
        case_schemas.try_emplace(schema_key, static_cast<Index>(c.case_schemas.size()));
    if (!is_new) return at->second;
    CaseSchemaRow row;
    row.axes = {static_cast<std::uint32_t>(c.case_schema_axes.size()),
                static_cast<std::uint32_t>(axis_parts.size())};
    for (const auto& [name, value] : axis_parts) c.case_schema_axes.push_back(texts.name(name));
    row.tensors = {static_cast<std::uint32_t>(c.case_schema_tensors.size()),
                   static_cast<std::uint32_t>(tensor_parts.size())};
    for (const TensorPart& part : tensor_parts) {
      c.case_schema_tensors.push_back({texts.name(part.name), texts.name(part.dtype),
                                       static_cast<std::uint16_t>(part.dims.size()), part.layout,
                                       part.input_position});
    }
    c.case_schemas.push_back(row);
    return at->second;
  }

  Result<void> implementation(const Entry& entry, const json::Value& row) {
    RowReader r(row);
    const Bytes16 id = r.id("id");
    const Index project_index = find(c.project_slots, c.projects, r.id("projectId"));
    const Index op = find_operation(r.id("operationId"));
    const Bytes32 digest = r.digest("implementationDigest");
    if (r.problem()) return corrupt(entry, *r.problem());
    if (op == kNone) return corrupt(entry, "its operation is not in the catalog");
    if (project_index == kNone) return corrupt(entry, "its project is not in the catalog");
    const bool is_new = find(c.implementation_slots, c.implementations, id) == kNone;
    const auto [i, index] = row_for(c.implementations, c.implementation_slots, id);
    i->digest = digest;
    i->project = project_index;
    i->operation = op;
    set(i->slug, r.text("slug"));
    set(i->title, r.optional_text("title"));
    set(i->revision, r.optional_text("sourceRevision"));
    i->language = texts.name(r.text("language"));
    i->framework = texts.name(r.optional_text("framework"));
    i->role = texts.name(r.optional_text("role"));
    i->license_declared = texts.name(r.optional_text("licenseDeclared"));
    i->license_concluded = texts.name(r.optional_text("licenseExpression"));
    i->install_kind = texts.name(r.optional_text("installKind"));
    set(i->install_command, r.optional_text("installCommand"));
    i->source_available = r.boolean("sourceAvailable") ? 1 : 0;
    i->installable = r.boolean("installable") ? 1 : 0;
    i->created_ms = r.optional_instant("createdAt");
    i->entry = static_cast<std::uint32_t>(entry.seq);
    if (r.problem()) return corrupt(entry, *r.problem());
    if (is_new) {
      i->architectures.first = static_cast<std::uint32_t>(c.implementation_architectures.size());
      if (const json::Value* list = row.find("targetArchitectures");
          list != nullptr && list->is_array()) {
        for (const json::Value& architecture : list->items()) {
          if (!architecture.is_string()) return corrupt(entry, "a target architecture is not text");
          c.implementation_architectures.push_back(texts.name(architecture.string()));
        }
      }
      i->architectures.count = static_cast<std::uint32_t>(c.implementation_architectures.size()) -
                               i->architectures.first;
    }
    return {};
  }

  Result<void> document(const Entry& entry, const json::Value& row) {
    RowReader r(row);
    const Digest document_digest(r.digest("documentDigest"));
    const json::Value* manifest = r.object("manifest");
    const json::Value* spec = r.spec("manifest");
    const Digest digest(r.digest("specDigest"));
    if (r.problem()) return corrupt(entry, *r.problem());
    const std::string_view kind = text_of(manifest, "kind");
    const auto entry_seq = static_cast<std::uint32_t>(entry.seq);
    if (kind == "BenchmarkProtocol") {
      const auto [at, is_new] =
          protocols.try_emplace(document_digest, static_cast<Index>(c.protocols.size()));
      if (!is_new) return {};
      const json::Value* harness = spec->find("harness");
      const json::Value* measurement = spec->find("measurement");
      const json::Value* samples = measurement == nullptr ? nullptr : measurement->find("samples");
      const json::Value* compile =
          measurement == nullptr ? nullptr : measurement->find("compileIncluded");
      ProtocolRow p;
      p.document = document_digest.bytes();
      p.digest = digest.bytes();
      p.harness = texts.name(text_of(harness, "name"));
      p.harness_version = texts.name(text_of(harness, "version"));
      p.statistic = texts.name(text_of(measurement, "primaryStatistic"));
      p.timer = texts.name(text_of(measurement, "timer"));
      p.family = texts.name(text_of(spec->find("comparability"), "family"));
      p.samples =
          samples == nullptr ? 0 : static_cast<std::uint32_t>(samples->integer().value_or(0));
      p.compile_included =
          compile == nullptr || !compile->is_bool() ? 2 : (compile->boolean() ? 1 : 0);
      p.entry = entry_seq;
      c.protocols.push_back(p);
      return {};
    }
    if (kind == "ExecutionEnvironment") {
      const auto [at, is_new] =
          environments.try_emplace(document_digest, static_cast<Index>(c.environments.size()));
      if (!is_new) return {};
      const json::Value* hardware = spec->find("hardware");
      const json::Value* software = spec->find("software");
      const json::Value* framework = software == nullptr ? nullptr : software->find("framework");
      const json::Value* memory = hardware == nullptr ? nullptr : hardware->find("memoryBytes");
      EnvironmentRow e;
      e.document = document_digest.bytes();
      e.digest = digest.bytes();
      e.vendor = texts.name(text_of(hardware, "vendor"));
      const std::string_view product = text_of(hardware, "product");
      const std::string_view architecture = text_of(hardware, "architecture");
      e.product = texts.name(product);
      e.architecture = texts.name(architecture);
      e.display_architecture =
          texts.name(architecture == "unknown" ? architecture_of_product(product) : architecture);
      e.form_factor = texts.name(text_of(hardware, "formFactor"));
      const std::string_view driver = text_of(software, "driver");
      const std::string_view cuda = text_of(software, "cudaToolkit");
      e.driver = texts.name(driver);
      e.cuda = texts.name(cuda);
      e.framework = texts.name(text_of(framework, "name"));
      e.framework_version = texts.name(text_of(framework, "version"));
      e.memory_bytes = memory == nullptr ? 0 : memory->integer().value_or(0);
      e.driver_major = leading_integer(driver);
      e.cuda_major = leading_integer(cuda);
      e.entry = entry_seq;
      c.environments.push_back(e);
      return {};
    }
    return corrupt(entry, "the document is neither a protocol nor an environment");
  }

  static std::int32_t leading_integer(std::string_view text) {
    text = trim(text);
    std::int32_t value = -1;
    for (const char digit : text) {
      if (!is_ascii_digit(digit) || value > 100'000'000) break;
      value = std::max(value, 0) * 10 + (digit - '0');
    }
    return value;
  }

  Index metric(const std::optional<manifest::Measurement>& primary) {
    MetricRow row;
    row.metric = texts.name(primary ? primary->metric : manifest::kNoMetricKey);
    if (primary) {
      row.statistic = texts.name(primary->statistic);
      row.unit = texts.name(primary->unit);
    }
    const std::uint64_t key =
        mix((std::uint64_t{row.metric} << 32 | row.statistic) ^ mix(row.unit + 1ULL));
    const auto [at, is_new] = metrics.try_emplace(key, static_cast<Index>(c.metrics.size()));
    if (is_new) c.metrics.push_back(row);
    return at->second;
  }

  Index cohort(const CohortParts& parts, std::string_view metric_key) {
    const auto [at, is_new] = cohorts.try_emplace(parts, kNone);
    if (!is_new) return at->second;
    const WorkloadRow& w = c.workloads[parts.workload];
    const Digest key = manifest::comparison_key(
        manifest::ComparisonParts{.operation = Digest(c.operations[w.operation].digest),
                                  .workload = Digest(w.digest),
                                  .protocol = Digest(c.protocols[parts.protocol].digest),
                                  .environment = Digest(c.environments[parts.environment].digest),
                                  .correctness = Digest(c.correctness_keys[w.correctness]),
                                  .metric = metric_key});
    // Two documents of one protocol (other metadata) make one group.
    const Index known = find_slot(c.cohort_slots, hash_of(key.bytes()),
                                  [&](Index i) { return c.cohorts[i].key == key.bytes(); });
    if (known != kNone) return at->second = known;
    const auto index = static_cast<Index>(c.cohorts.size());
    CohortRow row;
    row.key = key.bytes();
    row.workload = parts.workload;
    row.operation = w.operation;
    row.protocol = parts.protocol;
    row.environment = parts.environment;
    row.metric = parts.metric;
    c.cohorts.push_back(row);
    add_slot(c.cohort_slots, c.cohorts.size(), index,
             [&](Index i) { return hash_of(c.cohorts[i].key); });
    return at->second = index;
  }

  Result<void> run(const Entry& entry, const json::Value& row) {
    RowReader r(row);
    const Bytes16 id = r.id("id");
    const Bytes32 digest = r.digest("runDigest");
    const Index implementation_index =
        find(c.implementation_slots, c.implementations, r.id("implementationId"));
    const Index workload_index = find(c.workload_slots, c.workloads, r.id("workloadId"));
    const Index source_index = find_source(r.id("sourceId"));
    const Digest protocol_document(r.digest("protocolDocument"));
    const Digest environment_document(r.digest("environmentDocument"));
    const json::Value* spec = r.spec("run");
    const std::int64_t published_ms = r.optional_instant("publishedAt");
    const auto supersedes_id = r.optional_id("supersedesId");
    const bool is_retracted = !r.optional_text("retractedAt").empty();
    const NameId license = texts.name(r.optional_text("licenseExpression"));
    std::uint32_t flags = 0;
    const auto flag = [&](std::string_view member, std::uint32_t bit) {
      if (r.optional_boolean(member)) flags |= bit;
    };
    flag("reported", run_flags::kReported);
    flag("reproducedByKernelindex", run_flags::kReproducedHere);
    flag("sourceAvailable", run_flags::kSourceAvailable);
    flag("installable", run_flags::kInstallable);
    const std::int64_t replications = r.optional_integer("independentReplicationCount").value_or(0);
    if (r.problem()) return corrupt(entry, *r.problem());
    if (implementation_index == kNone)
      return corrupt(entry, "its implementation is not in the catalog");
    if (workload_index == kNone) return corrupt(entry, "its workload is not in the catalog");
    if (source_index == kNone) return corrupt(entry, "its source is not in the catalog");
    const auto protocol_at = protocols.find(protocol_document);
    const auto environment_at = environments.find(environment_document);
    if (protocol_at == protocols.end()) return corrupt(entry, "its protocol is not in the catalog");
    if (environment_at == environments.end())
      return corrupt(entry, "its environment is not in the catalog");
    Index supersedes = kNone;
    if (supersedes_id) {
      supersedes = find(c.run_slots, c.runs, *supersedes_id);
      if (supersedes == kNone)
        return corrupt(entry, "the run that it supersedes is not in the catalog");
    }
    if (published_ms != 0) flags |= run_flags::kPublished;
    if (is_retracted) flags |= run_flags::kRetracted;

    const bool is_new = find(c.run_slots, c.runs, id) == kNone;
    const auto [run, index] = row_for(c.runs, c.run_slots, id);
    if (is_new) {
      const std::string_view status_text = text_of(spec, "status");
      const auto status = parse_run_status(status_text);
      const auto observed = parse_instant(text_of(spec, "observedAt"));
      if (!status || !observed)
        return corrupt(entry, "its manifest has no known status or no instant");
      const auto primary = manifest::primary_measurement(*spec);
      const std::string metric_key = manifest::primary_metric_key(primary);
      run->digest = digest;
      run->implementation = implementation_index;
      run->workload = workload_index;
      run->source = source_index;
      run->cohort =
          cohort({workload_index, protocol_at->second, environment_at->second, metric(primary)},
                 metric_key);
      run->value = primary ? primary->value : kNaN;
      run->samples = primary ? static_cast<std::uint32_t>(primary->sample_count.value_or(0)) : 0;
      run->observed_ms = observed->instant.ms;
      run->status = static_cast<std::uint8_t>(*status);
      read_run_spec(*run, *spec);
    }
    // What a correction or a later publication may change.
    constexpr std::uint32_t kFixed = run_flags::kRawEvidence | run_flags::kSourceNative;
    run->flags = (run->flags & kFixed) | flags;
    if (c.implementations[run->implementation].operation != c.workloads[run->workload].operation) {
      run->flags |= run_flags::kOperationMismatch;
    }
    run->supersedes = supersedes;
    run->published_ms = published_ms;
    run->license = license;
    run->replications =
        static_cast<std::uint16_t>(std::clamp<std::int64_t>(replications, 0, 65535));
    run->entry = static_cast<std::uint32_t>(entry.seq);
    return {};
  }

  void read_run_spec(RunRow& run, const json::Value& spec) {
    run.sol_score = kNaN;
    const json::Value* timing = spec.find("timing");
    const json::Value* evidence = spec.find("evidence");
    if (const json::Value* latency = timing == nullptr ? nullptr : timing->find("latencyNs")) {
      if (const json::Value* interval = latency->find("confidence95");
          interval != nullptr && interval->is_array() && interval->items().size() == 2) {
        run.interval = static_cast<Index>(c.run_intervals.size());
        c.run_intervals.push_back({interval->items()[0].number(), interval->items()[1].number()});
      }
    }
    const auto has = [](const json::Value* object, std::string_view member) {
      return object != nullptr && object->find(member) != nullptr;
    };
    if (has(timing, "rawSamples") || has(evidence, "rawSamples") || has(evidence, "logs")) {
      run.flags |= run_flags::kRawEvidence;
    }
    if (const json::Value* native = spec.find("sourceNative")) {
      run.flags |= run_flags::kSourceNative;
      if (const json::Value* all = native->find("metrics")) {
        if (const json::Value* score = all->find("sol_score");
            score != nullptr && score->is_number()) {
          run.sol_score = score->number();
        }
      }
    }
  }

  Result<void> event(const Entry& entry, const json::Value& row) {
    RowReader r(row);
    const Bytes16 id = r.id("id");
    const Bytes32 key = r.digest("comparisonKey");
    const Index run_index = find(c.run_slots, c.runs, r.id("runId"));
    const auto previous_id = r.optional_id("previousRunId");
    const std::string_view cause = r.text("cause");
    EventRow e;
    e.at_ms = r.instant("at");
    e.created_ms = r.optional_instant("createdAt");
    if (r.problem()) return corrupt(entry, *r.problem());
    if (entry.version != 0) return corrupt(entry, "an event never changes");
    e.id = id;
    e.cohort =
        find_slot(c.cohort_slots, hash_of(key), [&](Index i) { return c.cohorts[i].key == key; });
    e.run = run_index;
    e.previous = previous_id ? find(c.run_slots, c.runs, *previous_id) : kNone;
    e.cause = cause == "retraction" ? EventCause::kRetraction : EventCause::kNewRun;
    e.entry = static_cast<std::uint32_t>(entry.seq);
    if (e.cohort == kNone) return corrupt(entry, "no run has its comparison key");
    if (e.run == kNone || (previous_id && e.previous == kNone))
      return corrupt(entry, "a run of it is not in the catalog");
    c.events.push_back(e);
    return {};
  }

  Result<void> model(const Entry& entry, const json::Value& row) {
    RowReader r(row);
    const Bytes16 id = r.id("id");
    auto at = std::ranges::find(c.models, id, &ModelRow::id);
    if (at == c.models.end()) at = c.models.insert(at, ModelRow{});
    at->id = id;
    at->digest = r.digest("modelDigest");
    set(at->slug, r.text("slug"));
    set(at->name, r.text("name"));
    at->parameters = r.optional_integer("parameterCount").value_or(0);
    at->entry = static_cast<std::uint32_t>(entry.seq);
    if (r.problem()) return corrupt(entry, *r.problem());
    return {};
  }

  Result<void> serving_run(const Entry& entry, const json::Value& row) {
    RowReader r(row);
    const Bytes16 id = r.id("id");
    auto at = std::ranges::find(c.serving_runs, id, &ServingRunRow::id);
    if (at == c.serving_runs.end()) at = c.serving_runs.insert(at, ServingRunRow{});
    const Bytes16 model_id = r.id("modelRevisionId");
    at->id = id;
    at->digest = r.digest("runDigest");
    at->cohort = r.digest("cohortKey");
    at->observed_ms = r.instant("observedAt");
    at->published_ms = r.optional_instant("publishedAt");
    at->entry = static_cast<std::uint32_t>(entry.seq);
    if (r.problem()) return corrupt(entry, *r.problem());
    const auto model_at = std::ranges::find(c.models, model_id, &ModelRow::id);
    if (model_at == c.models.end()) return corrupt(entry, "its model is not in the catalog");
    at->model = static_cast<Index>(model_at - c.models.begin());
    return {};
  }

  Result<void> apply(const Entry& entry, const json::Value& row) {
    switch (entry.table) {
      case Table::kSources:
        return source(entry, row);
      case Table::kProjects:
        return project(entry, row);
      case Table::kOperations:
        return operation(entry, row);
      case Table::kOperationAliases:
        return alias(entry, row);
      case Table::kWorkloads:
        return workload(entry, row);
      case Table::kImplementations:
        return implementation(entry, row);
      case Table::kDocuments:
        return document(entry, row);
      case Table::kBenchmarkRuns:
        return run(entry, row);
      case Table::kRecordEvents:
        return event(entry, row);
      case Table::kModelRevisions:
        return model(entry, row);
      case Table::kServingRuns:
        return serving_run(entry, row);
      case Table::kOperationRelations:
      case Table::kLeaderChanges:
      case Table::kArtifacts:
      case Table::kRunArtifacts:
      case Table::kSourceLinks:
      case Table::kSourceSnapshots:
      case Table::kServingStackRevisions:
      case Table::kServingConfigurations:
      case Table::kServingWorkloads:
      case Table::kAttestations:
      case Table::kReports:
      case Table::kAuditEvents:
        c.others.push_back(
            {static_cast<std::uint32_t>(entry.seq), static_cast<std::uint32_t>(entry.table)});
        return {};
      // Read from the store by whoever needs them (module logbook).
      case Table::kLogEntries:
      case Table::kLogHeads:
      case Table::kTrustedKeys:
        return {};
    }
    return corrupt(entry, "unknown table");
  }

  // Rebuilds the maps that a snapshot does not keep.
  void restore_maps() {
    for (Index op = 0; op < c.operations.size(); ++op) {
      const Slice slice = c.operations[op].aliases;
      for (std::uint32_t i = 0; i < slice.count; ++i)
        aliases.emplace_back(op, c.operation_aliases[slice.first + i]);
    }
    for (Index i = 0; i < c.correctness_keys.size(); ++i)
      correctness_keys.emplace(Digest(c.correctness_keys[i]), i);
    for (Index i = 0; i < c.protocols.size(); ++i)
      protocols.emplace(Digest(c.protocols[i].document), i);
    for (Index i = 0; i < c.environments.size(); ++i)
      environments.emplace(Digest(c.environments[i].document), i);
    for (Index i = 0; i < c.metrics.size(); ++i) {
      const MetricRow& row = c.metrics[i];
      metrics.emplace(mix((std::uint64_t{row.metric} << 32 | row.statistic) ^ mix(row.unit + 1ULL)),
                      i);
    }
    for (Index i = 0; i < c.cohorts.size(); ++i) {
      const CohortRow& row = c.cohorts[i];
      cohorts.emplace(CohortParts{row.workload, row.protocol, row.environment, row.metric}, i);
    }
    for (Index i = 0; i < c.case_schemas.size(); ++i) {
      const CaseSchemaRow& row = c.case_schemas[i];
      std::string key;
      for (std::uint32_t k = 0; k < row.axes.count; ++k) {
        key += texts.view_name(c.case_schema_axes[row.axes.first + k]);
        key += '\n';
      }
      key += '\t';
      for (std::uint32_t k = 0; k < row.tensors.count; ++k) {
        const CaseSchemaTensor& t = c.case_schema_tensors[row.tensors.first + k];
        key += fmt::format("{}\n{}\n{}\n{}\n{}\n", texts.view_name(t.name),
                           texts.view_name(t.dtype), t.layout, t.input_position, t.rank);
      }
      case_schemas.emplace(std::move(key), i);
    }
  }
};

SnapshotBuilder::SnapshotBuilder() : state_(std::make_unique<State>()) {}
SnapshotBuilder::SnapshotBuilder(const Snapshot& base) : state_(std::make_unique<State>()) {
  for_each_column(
      [](std::string_view, auto& to, const auto& from) { to.assign(from.begin(), from.end()); },
      state_->c, base.columns());
  state_->restore_maps();
}
SnapshotBuilder::~SnapshotBuilder() = default;
SnapshotBuilder::SnapshotBuilder(SnapshotBuilder&&) noexcept = default;
SnapshotBuilder& SnapshotBuilder::operator=(SnapshotBuilder&&) noexcept = default;

Result<void> SnapshotBuilder::apply(const Entry& entry, const json::Value& row) {
  return state_->apply(entry, row);
}

Result<void> SnapshotBuilder::apply(const Entry& entry) {
  auto row = state_->reader.read(entry.body);
  if (!row) {
    return fail(Error(Code::kCorrupt, fmt::format("entry {} holds no JSON: {}", entry.seq,
                                                  row.error().to_string())));
  }
  return state_->apply(entry, *row);
}

std::shared_ptr<const Snapshot> SnapshotBuilder::finish(const Head& head) && {
  finish_columns(state_->c, state_->aliases);
  auto columns = std::make_shared<const Columns<Owned>>(std::move(state_->c));
  Columns<Viewed> views;
  for_each_column([](std::string_view, auto& view, const auto& owned) { view = owned; }, views,
                  *columns);
  state_ = std::make_unique<State>();
  return std::make_shared<const Snapshot>(std::move(columns), views, head);
}

Result<std::shared_ptr<const Snapshot>> build_snapshot(Store& store) {
  KI_TRY(const Head head, store.head());
  SnapshotBuilder builder;
  KI_TRY_VOID(store.read_since(0, head.seq, [&](const Entry& entry) -> Result<Step> {
    KI_TRY_VOID(builder.apply(entry));
    return Step::kGoOn;
  }));
  return std::move(builder).finish(head);
}

}  // namespace ki::catalog
