#include "ki/synth/generator.h"

#include "ki/base/uuid.h"
#include "ki/io/file.h"
#include "ki/io/zstd.h"
#include "ki/json/number.h"
#include "ki/manifest/keys.h"
#include "manifests.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <unordered_map>

namespace ki::synth {
namespace {

constexpr std::int64_t kStart = 1'750'000'000'000;  // 2025-06-15, when everything was indexed
constexpr std::size_t kFlushBytes = std::size_t{1} << 20;

// A UUIDv7 whose time is the index, so that ids increase inside a table.
std::string uuid_of(std::uint64_t table, std::uint64_t index) {
  const std::uint64_t random = mix(table * 0x1000003 + index);
  Uuid id;
  const std::uint64_t ms = static_cast<std::uint64_t>(kStart) + index;
  for (std::size_t i = 0; i < 6; ++i) id.bytes[i] = static_cast<std::uint8_t>(ms >> (40 - 8 * i));
  id.bytes[6] = static_cast<std::uint8_t>(0x70 | table);
  for (std::size_t i = 7; i < 16; ++i)
    id.bytes[i] = static_cast<std::uint8_t>(random >> (8 * (i % 8)));
  id.bytes[8] = static_cast<std::uint8_t>(0x80 | (id.bytes[8] & 0x3F));
  return id.to_string();
}

enum IdTable : std::uint64_t {
  kSource = 1,
  kProject,
  kOp,
  kWork,
  kImpl,
  kRunId,
  kMeasurement,
  kEvent,
  kArtifact
};

class Generator {
 public:
  Generator(const Options& options, const Sink& sink) : plan_(make_plan(options)), sink_(sink) {}

  Result<Counts> run() {
    KI_TRY_VOID(write_sources());
    KI_TRY_VOID(write_projects());
    KI_TRY_VOID(write_operations());
    KI_TRY_VOID(write_aliases());
    KI_TRY_VOID(write_workloads());
    KI_TRY_VOID(write_implementations());
    KI_TRY_VOID(write_runs());
    KI_TRY_VOID(write_measurements());
    KI_TRY_VOID(write_events());
    KI_TRY_VOID(write_artifacts());
    KI_TRY_VOID(flush());
    return counts_;
  }

 private:
  template <class... Args>
  Result<void> line(std::string_view table, fmt::format_string<Args...> row, Args&&... args) {
    const std::size_t before = buffer_.size();
    buffer_ += "{\"table\":\"";
    buffer_ += table;
    buffer_ += "\",\"row\":{";
    fmt::format_to(std::back_inserter(buffer_), row, std::forward<Args>(args)...);
    buffer_ += "}}\n";
    ++counts_.lines;
    counts_.bytes += buffer_.size() - before;
    return buffer_.size() >= kFlushBytes ? flush() : Result<void>();
  }
  Result<void> flush() {
    if (buffer_.empty()) return {};
    KI_TRY_VOID(sink_(buffer_));
    buffer_.clear();
    return {};
  }
  static std::string at(std::uint64_t index) {
    return Instant{kStart + static_cast<std::int64_t>(index)}.to_string();
  }

  Result<void> write_sources() {
    for (std::uint64_t i = 0; i < 4; ++i) {
      KI_TRY_VOID(line(
          "sources",
          R"("id":"{}","slug":"synthetic-{}","kind":"benchmark","name":"Synthetic source {}","policy":null,"createdAt":"{}")",
          uuid_of(kSource, i), i, i, at(0)));
    }
    return {};
  }

  Result<void> write_projects() {
    for (std::uint64_t i = 0; i < plan_.projects; ++i, ++counts_.projects) {
      const std::string name = project_name(i);
      KI_TRY_VOID(line(
          "projects",
          R"("id":"{}","slug":"{}","name":"{}","normalizedName":"{}","canonicalUrl":null,"licenseExpression":null,"manifest":{},"createdAt":"{}")",
          uuid_of(kProject, i), project_slug(i), name, name, make_project(i).text, at(i)));
    }
    return {};
  }

  Result<void> write_operations() {
    for (std::uint64_t i = 0; i < plan_.operations.size(); ++i, ++counts_.operations) {
      const Manifest m = make_operation(plan_.seed, i);
      operation_digests_.push_back(m.digest);
      const std::string family = operation_family(plan_.seed, i);
      std::string name = operation_slug(plan_.seed, i);
      std::ranges::replace(name, '-', '_');
      KI_TRY_VOID(line(
          "operations",
          R"("id":"{}","slug":"{}","family":"{}","name":"{}","schemaVersion":"kernelindex.dev/v1alpha1","semanticDigest":"{}","manifest":{},"tags":["{}","model:synthetic-{}"],"createdAt":"{}","supersedesId":null)",
          uuid_of(kOp, i), operation_slug(plan_.seed, i), family, name, m.digest.to_string(),
          m.text, family, i % 40, at(i)));
    }
    return {};
  }

  Result<void> write_aliases() {
    for (std::uint64_t i = 0; i < plan_.operations.size(); ++i) {
      std::string alias = operation_slug(plan_.seed, i);
      std::ranges::replace(alias, '-', '_');
      KI_TRY_VOID(
          line("operation_aliases", R"("operationId":"{}","alias":"{}")", uuid_of(kOp, i), alias));
    }
    return {};
  }

  Result<void> write_workloads() {
    for (std::uint64_t o = 0; o < plan_.operations.size(); ++o) {
      const OperationPlan& op = plan_.operations[o];
      for (std::uint32_t k = 0; k < op.workloads(); ++k, ++counts_.workloads) {
        // The suite first: groups take the first workloads.
        const bool is_suite = op.has_suite && k == 0;
        const Workload w = make_workload(plan_.seed, o, k, is_suite, operation_digests_[o]);
        workload_digests_.push_back(w.manifest.digest);
        correctness_.push_back(intern_correctness(w.correctness));
        KI_TRY_VOID(line(
            "workloads",
            R"("id":"{}","operationId":"{}","workloadDigest":"{}","schemaVersion":"kernelindex.dev/v1alpha1","manifest":{},"shapeSummary":"{}","dtypes":{},"layoutKeys":{},"createdAt":"{}")",
            uuid_of(kWork, op.first_workload + k), uuid_of(kOp, o), w.manifest.digest.to_string(),
            w.manifest.text, w.shape_summary, w.dtypes, is_suite ? "[]" : R"(["contiguous"])",
            at(op.first_workload + k)));
      }
    }
    return {};
  }

  std::uint8_t intern_correctness(const std::string& correctness) {
    const auto [found, is_new] = correctness_index_.try_emplace(
        correctness, static_cast<std::uint8_t>(correctness_keys_.size()));
    if (is_new)
      correctness_keys_.push_back(
          Digest::of(fmt::format(R"({{"correctness":{}}})", correctness)).to_string());
    return found->second;
  }

  Result<void> write_implementations() {
    for (std::uint64_t o = 0; o < plan_.operations.size(); ++o) {
      const OperationPlan& op = plan_.operations[o];
      for (std::uint32_t k = 0; k < op.implementations; ++k, ++counts_.implementations) {
        const std::uint64_t index = op.first_implementation + k;
        const Implementation i = make_implementation(plan_.seed, index, o, operation_digests_[o]);
        implementation_digests_.push_back(i.manifest.digest);
        KI_TRY_VOID(line(
            "implementations",
            R"("id":"{}","projectId":"{}","operationId":"{}","slug":"synthetic-{}-{}","implementationDigest":"{}","sourceRevision":"{}","language":"{}","framework":null,"targetArchitectures":["{}"],"licenseExpression":null,"sourceAvailable":true,"installable":false,"title":"{}","installKind":null,"installCommand":null,"licenseDeclared":null,"manifest":{},"createdAt":"{}","supersedesId":null)",
            uuid_of(kImpl, index), uuid_of(kProject, mix(index) % plan_.projects), uuid_of(kOp, o),
            operation_slug(plan_.seed, o), index % 5000, i.manifest.digest.to_string(), i.revision,
            index % 9 == 0 ? "cuda" : "python", i.architecture, i.title, i.manifest.text,
            at(index)));
      }
    }
    return {};
  }

  // Calls visit(run, parts, workload index, environment) for each run, in order.
  template <class Visit>
  Result<void> for_each_run(Visit&& visit) {
    for (std::uint64_t o = 0; o < plan_.operations.size(); ++o) {
      const OperationPlan& op = plan_.operations[o];
      std::uint64_t index = op.first_run;
      for (std::size_t g = 0; g < op.groups.size(); ++g) {
        const Group& group = op.groups[g];
        for (std::uint32_t k = 0; k < group.runs; ++k, ++index) {
          std::uint64_t implementation =
              op.first_implementation + (index - op.first_run) % op.implementations;
          // As 43 runs of the export: an implementation of the operation before.
          if (index % 183 == 182 && op.first_implementation != 0)
            implementation = op.first_implementation - 1;
          const std::uint64_t workload = op.first_workload + group.workload;
          const std::size_t environment = group.environment % environments_.size();
          const RunParts parts{index,
                               o,
                               o * 64 + g,
                               op.form,
                               implementation_digests_[implementation],
                               workload_digests_[workload],
                               protocols_[protocol_of(op.form, o)].digest,
                               environments_[environment].manifest.digest};
          KI_TRY_VOID(visit(parts, implementation, workload, environment));
        }
      }
    }
    return {};
  }

  std::string comparison_key(const RunParts& parts, std::uint64_t workload, const Run& r) const {
    const std::string metric = r.value ? manifest::metric_key(r.metric, r.statistic, r.unit)
                                       : std::string(manifest::kNoMetricKey);
    return Digest::of(manifest::comparison_text(manifest::ComparisonTexts{
                          .operation = operation_digests_[parts.operation].to_string(),
                          .workload = parts.workload.to_string(),
                          .protocol = parts.protocol.to_string(),
                          .environment = parts.environment.to_string(),
                          .correctness = correctness_keys_[correctness_[workload]],
                          .metric = metric}))
        .to_string();
  }

  Result<void> write_runs() {
    return for_each_run([&](const RunParts& parts, std::uint64_t implementation,
                            std::uint64_t workload, std::size_t environment) -> Result<void> {
      const Run r = make_run(plan_.seed, parts);
      const Environment& e = environments_[environment];
      const Manifest& protocol = protocols_[protocol_of(parts.form, parts.operation)];
      const auto text_or_null = [](std::string_view text) {
        return text.empty() ? std::string("null") : fmt::format("\"{}\"", text);
      };
      ++counts_.runs;
      if (r.value) ++counts_.eligible_runs;
      const std::string value = r.value ? json::number_text(*r.value) : "null";
      const std::string_view cuda = environment % 3 == 0 ? "12.8" : "13.0";
      return line(
          "benchmark_runs",
          R"("id":"{}","runDigest":"{}","implementationId":"{}","workloadId":"{}","sourceId":"{}","status":"{}","observedAt":"{}","publishedAt":"{}","hardwareVendor":"{}","hardwareModel":"{}","hardwareArchitecture":"{}","driverMajor":null,"cudaMajor":{},"protocolKey":"{}","environmentKey":"{}","correctnessKey":"{}","comparisonKey":"{}","primaryMetric":"{}","primaryValue":{},"primaryUnit":{},"sampleCount":null,"uncertaintyLow":null,"uncertaintyHigh":null,"reported":true,"reproducedByKernelindex":false,"independentReplicationCount":0,"sourceAvailable":true,"installable":false,"licenseExpression":null,"primaryStatistic":{},"hasRawEvidence":false,"sourceNative":true,"environmentSummary":"CUDA {} · {}","manifest":{{"run":{},"protocol":{},"environment":{}}},"supersedesId":null,"retractedAt":null,"retractionReason":null)",
          uuid_of(kRunId, parts.index), r.manifest.digest.to_string(),
          uuid_of(kImpl, implementation), uuid_of(kWork, workload),
          uuid_of(kSource, parts.operation % 4), r.status, r.observed.to_string(), at(parts.index),
          e.vendor, e.product, e.architecture, cuda.substr(0, 2), parts.protocol.to_string(),
          parts.environment.to_string(), correctness_keys_[correctness_[workload]],
          comparison_key(parts, workload, r), r.metric, value, text_or_null(r.unit),
          text_or_null(r.statistic), cuda, harness_of(parts.form), r.manifest.text, protocol.text,
          e.manifest.text);
    });
  }

  Result<void> write_measurements() {
    return for_each_run([&](const RunParts& parts, std::uint64_t, std::uint64_t,
                            std::size_t) -> Result<void> {
      for (const Measurement& m : measure(plan_.seed, parts).measurements) {
        KI_TRY_VOID(line(
            "measurements",
            R"("id":"{}","runId":"{}","metric":"{}","statistic":"{}","unit":"{}","value":{},"sampleCount":null)",
            uuid_of(kMeasurement, counts_.measurements), uuid_of(kRunId, parts.index), m.metric,
            m.statistic, m.unit, json::number_text(m.value)));
        ++counts_.measurements;
      }
      return {};
    });
  }

  // Strict improvements in order of (observedAt, id), group by group (spec 03.6).
  Result<void> write_events() {
    struct Candidate {
      std::int64_t observed_ms;
      std::uint64_t index;
      double value;
    };
    std::string key;
    // Two groups of an operation may be one: the same workload and environment.
    std::vector<std::pair<std::string, std::vector<Candidate>>> groups;
    std::uint64_t operation = 0;
    const auto write_groups = [&]() -> Result<void> {
      for (auto& [group, candidates] : groups) {
        ++counts_.groups;
        std::ranges::sort(candidates, [](const Candidate& a, const Candidate& b) {
          return std::pair(a.observed_ms, a.index) < std::pair(b.observed_ms, b.index);
        });
        const Candidate* best = nullptr;
        for (const Candidate& c : candidates) {
          if (best != nullptr && !(c.value < best->value)) continue;
          KI_TRY_VOID(line(
              "record_events",
              R"("id":"{}","comparisonKey":"{}","runId":"{}","previousRunId":{},"policyVersion":"ranking-v1","cause":"new_run","at":"{}","createdAt":"{}")",
              uuid_of(kEvent, counts_.record_events), group, uuid_of(kRunId, c.index),
              best == nullptr ? std::string("null")
                              : fmt::format("\"{}\"", uuid_of(kRunId, best->index)),
              Instant{c.observed_ms}.to_string(), at(plan_.runs)));
          ++counts_.record_events;
          best = &c;
        }
      }
      groups.clear();
      return {};
    };
    KI_TRY_VOID(for_each_run([&](const RunParts& parts, std::uint64_t, std::uint64_t workload,
                                 std::size_t) -> Result<void> {
      if (parts.operation != operation) {
        KI_TRY_VOID(write_groups());
        operation = parts.operation;
      }
      const Run r = measure(plan_.seed, parts);
      if (!r.value) return {};
      key = comparison_key(parts, workload, r);
      auto group =
          std::ranges::find(groups, key, &std::pair<std::string, std::vector<Candidate>>::first);
      if (group == groups.end()) group = groups.insert(group, {key, {}});
      group->second.push_back({r.observed.ms, parts.index, *r.value});
      return {};
    }));
    return write_groups();
  }

  Result<void> write_artifacts() {
    for (std::uint64_t i = 0; i < plan_.artifacts; ++i) {
      KI_TRY_VOID(line(
          "artifacts",
          R"("id":"{}","contentDigest":"{}","kind":"source","mediaType":"text/x-python","sizeBytes":{},"storage":"upstream","uri":"https://synthetic.invalid/submissions/{}","license":"LicenseRef-Synthetic-1.0","createdAt":"{}")",
          uuid_of(kArtifact, i),
          Digest::of(fmt::format("artifact {} {}", plan_.seed, i)).to_string(),
          1000 + mix(i) % 9000, i, at(i)));
    }
    return {};
  }

  const Plan plan_;
  const Sink& sink_;
  std::string buffer_;
  Counts counts_;
  const std::vector<Manifest> protocols_ = make_protocols();
  const std::vector<Environment> environments_ = make_environments();
  std::vector<Digest> operation_digests_, workload_digests_, implementation_digests_;
  std::vector<std::uint8_t> correctness_;
  std::unordered_map<std::string, std::uint8_t> correctness_index_;
  std::vector<std::string> correctness_keys_;
};

}  // namespace

Result<Counts> generate(const Options& options, const Sink& sink) {
  return Generator(options, sink).run();
}

Result<Counts> generate_file(const Options& options, const std::filesystem::path& path) {
  if (path.extension() == ".zst") {
    KI_TRY(io::ZstdWriter writer, io::ZstdWriter::create(path, 3));
    KI_TRY(const Counts counts,
           generate(options, [&](std::string_view lines) { return writer.write(lines); }));
    KI_TRY_VOID(writer.finish());
    return counts;
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"),
                                                             &std::fclose);
  if (!file) return fail(io::system_error(errno, "writing", path));
  KI_TRY(const Counts counts, generate(options, [&](std::string_view lines) -> Result<void> {
           if (std::fwrite(lines.data(), 1, lines.size(), file.get()) != lines.size()) {
             return fail(io::system_error(errno, "writing", path));
           }
           return {};
         }));
  if (std::fflush(file.get()) != 0) return fail(io::system_error(errno, "writing", path));
  return counts;
}

}  // namespace ki::synth
