#include "manifests.h"

#include "ki/json/number.h"

#include <fmt/format.h>

#include <array>

namespace ki::synth {
namespace {

constexpr std::string_view kApi = "kernelindex.dev/v1alpha1";

Manifest seal(std::string_view kind, std::string_view metadata, std::string_view spec) {
  Manifest m;
  m.digest =
      Digest::of(fmt::format(R"({{"apiVersion":"{}","kind":"{}","spec":{}}})", kApi, kind, spec));
  m.text = fmt::format(R"({{"apiVersion":"{}","kind":"{}","metadata":{},"spec":{}}})", kApi, kind,
                       metadata, spec);
  return m;
}

constexpr std::array<std::string_view, 10> kFamilies = {
    "gemm",    "rmsnorm", "layernorm", "gqa-paged-attention", "rope",
    "softmax", "moe",     "conv",      "elementwise",         "quantize"};
constexpr std::array<std::string_view, 12> kQualifiers = {
    "fused", "blockwise", "grouped", "causal", "sparse",  "packed",
    "tiled", "batched",   "strided", "ragged", "chunked", "gated"};
constexpr std::array<std::string_view, 8> kVerbs = {"forward", "backward",  "update", "prefill",
                                                    "decode",  "transpose", "reduce", "scatter"};
constexpr std::array<std::string_view, 4> kDtypes = {"bf16", "fp16", "fp32", "fp8_e4m3"};
constexpr std::array<std::string_view, 5> kPeople = {"amber", "basalt", "cobalt", "dolerite",
                                                     "emerald"};

struct Shape {
  std::string_view dtype;
  std::uint64_t hidden, heads;
};
Shape shape_of(std::uint64_t seed, std::uint64_t operation) {
  Words words(seed, kOperation, operation);
  return {kDtypes[words.below(kDtypes.size())], 1024 + 64 * words.below(100), 4 + words.below(60)};
}

std::string operation_title(std::uint64_t seed, std::uint64_t index) {
  Words words(seed, kOperation, index);
  words.next();
  words.next();
  words.next();
  return fmt::format("{:03}_{}_{}_{}_h{}", index, kQualifiers[words.below(kQualifiers.size())],
                     kFamilies[index % kFamilies.size()], kVerbs[words.below(kVerbs.size())],
                     shape_of(seed, index).heads);
}

}  // namespace

std::vector<Manifest> make_protocols() {
  std::vector<Manifest> out;
  for (const Form form : {Form::kMean, Form::kScore, Form::kSummary}) {
    for (const std::string_view version : {"v1.0", "v1.1"}) {
      const std::string_view statistic = form == Form::kScore  ? "geomean"
                                         : form == Form::kMean ? "mean"
                                                               : "median";
      out.push_back(seal(
          "BenchmarkProtocol",
          fmt::format(R"({{"name":"synthetic-{}-{}","title":"Synthetic harness {}, {}"}})",
                      statistic, version, statistic, version),
          fmt::format(
              R"({{"comparability":{{"family":"synthetic_{}","notes":"Made by a generator for tests and measurements. Results compare only inside one operation, one workload and one version of this harness, never with results of real hardware; the notes are as long as those of the public leaderboards, so that a run keeps its size."}},)"
              R"("correctness":{{"comparator":"synthetic_eval","reference":"definition reference implementation"}},)"
              R"("harness":{{"name":"{}","version":"{}"}},"measurement":{{"primaryStatistic":"{}","timer":"harness_reported"}}}})",
              statistic, harness_of(form), version, statistic)));
    }
  }
  return out;
}

std::size_t protocol_of(Form form, std::uint64_t operation) {
  return static_cast<std::size_t>(form) * 2 + operation % 2;
}

std::string_view harness_of(Form form) {
  switch (form) {
    case Form::kMean:
      return "synthetic leaderboard";
    case Form::kScore:
      return "synthetic scores";
    case Form::kSummary:
      return "synthetic traces";
  }
  return "";
}

std::vector<Environment> make_environments() {
  struct Gpu {
    std::string_view vendor, product, architecture;
  };
  constexpr std::array<Gpu, 8> kGpus = {{{"nvidia", "NVIDIA B200", "sm_100"},
                                         {"nvidia", "NVIDIA B200", "unknown"},
                                         {"amd", "AMD Instinct MI300X", "gfx942"},
                                         {"nvidia", "NVIDIA H100", "sm_90"},
                                         {"nvidia", "NVIDIA A100", "sm_80"},
                                         {"amd", "AMD Instinct MI355X", "gfx950"},
                                         {"nvidia", "NVIDIA L4", "sm_89"},
                                         {"nvidia", "NVIDIA GB200", "unknown"}}};
  std::vector<Environment> out;
  for (std::size_t i = 0; i < 16; ++i) {
    const Gpu& gpu = kGpus[i % kGpus.size()];
    const std::string_view stack = i < kGpus.size() ? "v1.0" : "v1.1";
    out.push_back(
        {gpu.vendor, gpu.product, gpu.architecture,
         seal(
             "ExecutionEnvironment",
             fmt::format(
                 R"({{"name":"synthetic-environment-{}","title":"Synthetic {}, stack {}"}})", i,
                 gpu.product, stack),
             fmt::format(
                 R"({{"hardware":{{"architecture":"{}","product":"{}","vendor":"{}"}},)"
                 R"("software":{{"cudaToolkit":"{}","libraries":{{"evaluation_stack":"{}"}}}}}})",
                 gpu.architecture, gpu.product, gpu.vendor, i % 3 == 0 ? "12.8" : "13.0", stack))});
  }
  return out;
}

std::string operation_slug(std::uint64_t seed, std::uint64_t index) {
  std::string slug = operation_title(seed, index);
  for (char& c : slug) {
    if (c == '_') c = '-';
  }
  return slug;
}

std::string operation_family(std::uint64_t, std::uint64_t index) {
  return std::string(kFamilies[index % kFamilies.size()]);
}

Manifest make_operation(std::uint64_t seed, std::uint64_t index) {
  const Shape s = shape_of(seed, index);
  const std::string title = operation_title(seed, index);
  std::string inputs;
  // Six tensors of inputs, as the export's operations have.
  for (const std::string_view name : {"query", "key_states", "value_states", "cos", "sin"}) {
    inputs += fmt::format(
        R"({{"name":"{}","tensor":{{"dtype":"{}","shape":["batch_size","num_heads","seq_len","head_dim"]}}}},)",
        name, s.dtype);
  }
  inputs +=
      R"({"name":"positions","tensor":{"dtype":"int32","shape":["seq_len"]}},{"name":"scale","scalar":{"dtype":"fp32"}})";
  std::string outputs;
  for (const std::string_view name : {"grad_query", "grad_key", "grad_value"}) {
    if (!outputs.empty()) outputs += ',';
    outputs += fmt::format(
        R"({{"name":"{}","tensor":{{"dtype":"{}","shape":["batch_size","num_heads","seq_len","head_dim"]}}}})",
        name, s.dtype);
  }
  return seal(
      "OperationSpec",
      fmt::format(
          R"({{"description":"Synthetic operation {} with {} heads and hidden size {}, made by a generator for tests and measurements; nothing real is described.","name":"{}","sourceRefs":[{{"url":"https://synthetic.invalid/operations"}}],"title":"{}"}})",
          index, s.heads, s.hidden, operation_slug(seed, index), title),
      fmt::format(
          R"({{"axes":{{"batch_size":{{"role":"variable","type":"integer"}},"half_dim":{{"expression":"head_dim // 2","role":"derived","type":"integer"}},"head_dim":{{"role":"constant","type":"integer","value":{}}},"model_dim":{{"role":"constant","type":"integer","value":{}}},"num_heads":{{"role":"constant","type":"integer","value":{}}},"seq_len":{{"role":"variable","type":"integer"}}}},)"
          R"("family":"{}","inputs":[{}],"outputs":[{}],"semantics":{{"determinism":"unspecified","mutation":"none"}}}})",
          // The model's size tells operations apart that are alike in everything else.
          s.hidden / 64 * 2, 1024 + index, s.heads, operation_family(seed, index), inputs,
          outputs));
}

Workload make_workload(std::uint64_t seed, std::uint64_t operation, std::uint32_t index,
                       bool is_suite, const Digest& operation_digest) {
  const Shape s = shape_of(seed, operation);
  const std::uint64_t head_dim = s.hidden / 64 * 2;
  const std::string title = operation_title(seed, operation);
  const std::string slug = operation_slug(seed, operation);
  Workload w;
  w.is_suite = is_suite;
  const auto axes_of = [&](std::uint64_t i, std::uint64_t& batch, std::uint64_t& seq) {
    Words words(seed, kWorkload, operation * 64 + i);
    batch = 1ULL << words.below(6);
    seq = 64 * (1 + words.below(128)) + i;  // distinct inside the operation
    return fmt::format(R"({{"batch_size":{},"head_dim":{},"num_heads":{},"seq_len":{}}})", batch,
                       head_dim, s.heads, seq);
  };
  std::uint64_t batch = 0;
  std::uint64_t seq = 0;
  if (is_suite) {
    w.correctness =
        R"({"comparator":"synthetic_eval","description":"Every case must pass in the synthetic harness."})";
    std::string cases;
    for (std::uint64_t i = 0; i < 16; ++i) {
      const std::string axes = axes_of(32 + i, batch, seq);
      if (i != 0) cases += ',';
      cases += fmt::format(R"({{"axes":{},"externalId":"{}"}})", axes,
                           Digest::of(axes).hex().substr(0, 12));
    }
    w.manifest = seal(
        "WorkloadSuite",
        fmt::format(R"({{"name":"{}-suite","title":"Synthetic suite: {}"}})", slug, title),
        fmt::format(
            R"({{"aggregation":{{"metric":"latency","statistic":"mean"}},"cases":[{}],"correctness":{},"operationSpecDigest":"{}"}})",
            cases, w.correctness, operation_digest.to_string()));
    w.shape_summary = "suite of 16 cases";
    w.dtypes = "[]";
    return w;
  }
  const std::string axes = axes_of(index, batch, seq);
  w.correctness =
      index % 3 == 0
          ? R"({"comparator":"synthetic_eval","maxAbsoluteError":0.01,"maxRelativeError":0.05})"
          : R"({"comparator":"synthetic_eval"})";
  const std::string shape = fmt::format("[{},{},{},{}]", batch, s.heads, seq, head_dim);
  std::string tensors;
  for (const std::string_view name : {"cos", "key_states"})
    tensors += fmt::format(R"("{}":{{"dtype":"{}","shape":{}}},)", name, s.dtype, shape);
  tensors += fmt::format(R"("positions":{{"dtype":"int32","shape":[{}]}})", seq);
  for (const std::string_view name : {"query", "sin", "value_states"})
    tensors += fmt::format(R"(,"{}":{{"dtype":"{}","shape":{}}})", name, s.dtype, shape);
  w.manifest = seal(
      "WorkloadCase",
      fmt::format(
          R"({{"description":"One synthetic case; its sizes follow from the seed of the generator.","name":"{}-{}","title":"{} · batch_size={}, num_heads={}, seq_len={}, head_dim={}"}})",
          slug, Digest::of(axes).hex().substr(0, 8), title, batch, s.heads, seq, head_dim),
      fmt::format(R"({{"axes":{},"correctness":{},"operationSpecDigest":"{}","tensors":{{{}}}}})",
                  axes, w.correctness, operation_digest.to_string(), tensors));
  w.shape_summary = fmt::format("[{}, {}, {}, {}]", batch, s.heads, seq, head_dim);
  w.dtypes = std::string_view(s.dtype) < "int32" ? fmt::format(R"(["{}","int32"])", s.dtype)
                                                 : fmt::format(R"(["int32","{}"])", s.dtype);
  return w;
}

std::string project_name(std::uint64_t index) {
  return fmt::format("{} {}", kPeople[index % kPeople.size()], index);
}

std::string project_slug(std::uint64_t index) {
  const std::string_view prefix = index % 20 == 0  ? "library-"
                                  : index % 2 == 0 ? "kernelbot-user-"
                                                   : "sol-user-";
  return fmt::format("{}{}-{}", prefix, kPeople[index % kPeople.size()], index);
}

Manifest make_project(std::uint64_t index) {
  const std::string name = project_name(index);
  return seal("SoftwareProject", fmt::format(R"({{"name":"{}"}})", project_slug(index)),
              fmt::format(R"({{"host":{{"id":"synthetic/user/{}","kind":"other"}},"name":"{}"}})",
                          name, name));
}

Implementation make_implementation(std::uint64_t seed, std::uint64_t index, std::uint64_t operation,
                                   const Digest& operation_digest) {
  constexpr std::array<std::string_view, 3> kArchitectures = {"sm_100", "sm_90", "gfx942"};
  Implementation i;
  i.architecture = kArchitectures[index % kArchitectures.size()];
  i.title = fmt::format("{} · submission {}", operation_title(seed, operation), index);
  i.revision = fmt::format("submission-{}", index);
  i.manifest = seal(
      "ImplementationRevision",
      fmt::format(
          R"({{"authors":[{{"name":"{}"}}],"description":"submission.py","name":"synthetic-submission-{}","sourceRefs":[{{"url":"https://synthetic.invalid/submissions"}}],"title":"{}"}})",
          kPeople[index % kPeople.size()], index, i.title),
      fmt::format(
          R"({{"callable":{{"language":"{}"}},"licensing":{{}},"operation":{{"specDigest":"{}"}},"projectRevision":{{"version":"{}"}},"source":{{"contentDigest":"{}","fileName":"submission.py","sizeBytes":{}}},"support":{{"dtypes":["{}"],"hardwareArchitectures":["{}"],"productsTested":["{}"]}}}})",
          index % 9 == 0 ? "cuda" : "python", operation_digest.to_string(), i.revision,
          Digest::of(fmt::format("source {} {}", seed, index)).to_string(),
          1000 + mix(index) % 9000, shape_of(seed, operation).dtype, i.architecture,
          i.architecture == "sm_100"  ? "NVIDIA B200"
          : i.architecture == "sm_90" ? "NVIDIA H100"
                                      : "AMD Instinct MI300X"));
  return i;
}

Run measure(std::uint64_t seed, const RunParts& parts) {
  Words words(seed, kRun, parts.index);
  Run r;
  r.observed =
      Instant{1'735'689'600'000 + static_cast<std::int64_t>(words.below(500ULL * 86'400'000))};
  const std::uint64_t failure = words.below(1828);
  if (failure < 20) {
    // 1.1 % of the export's runs failed, one in twenty-two of them in the compiler.
    r.status = failure == 0 ? "compile_error" : "runtime_error";
    r.metric = "none";
    return r;
  }
  r.status = "passed";
  const double typical = 5'000.0 + static_cast<double>(mix(seed ^ mix(parts.group)) % 2'000'000);
  // Up to three times slower than the group's best; some results tie exactly.
  const std::uint64_t slow = words.below(1000);
  const double latency = static_cast<double>(
      static_cast<std::int64_t>(typical * (1000.0 + 2.0 * static_cast<double>(slow)) / 1000.0));
  switch (parts.form) {
    case Form::kMean:
      r.metric = "latency", r.statistic = "mean", r.unit = "ns", r.value = latency;
      r.sol_score = static_cast<double>(1'000'000 - slow * 900) / 1'000'000.0;
      r.measurements = {{"latency", "mean", "ns", latency}};
      break;
    case Form::kScore:
      r.metric = "score", r.statistic = "geomean", r.unit = "s", r.value = latency / 1e9;
      r.measurements = {{"score", "geomean", "s", latency / 1e9}};
      break;
    case Form::kSummary:
      r.metric = "latency", r.statistic = "median", r.unit = "ns", r.value = latency;
      r.measurements = {{"latency", "median", "ns", latency},
                        {"latency", "mean", "ns", latency + 12},
                        {"latency", "p05", "ns", latency - 100},
                        {"latency", "p95", "ns", latency + 500}};
      break;
  }
  return r;
}

Run make_run(std::uint64_t seed, const RunParts& parts) {
  Run r = measure(seed, parts);
  const std::string title = operation_title(seed, parts.operation);
  std::string body;  // what lies between environmentDigest and workloadDigest, in order of keys
  std::string native = fmt::format(
      R"("sourceNative":{{"benchmark":"{}","externalId":"submission/{}")", title, parts.index);
  std::string measurements;
  std::string timing;
  if (r.value) {
    std::string latency;
    json::append_number(latency, parts.form == Form::kScore ? *r.value : *r.value / 1e6);
    switch (parts.form) {
      case Form::kMean: {
        std::string score;
        json::append_number(score, *r.sol_score);
        native += fmt::format(
            R"(,"metrics":{{"avg_speedup":1.5,"fast_1_count":16,"fast_1_total":16,"latency_ms":{},"sol_score":{}}})",
            latency, score);
        timing = fmt::format(R"("timing":{{"latencyNs":{{"mean":{}}},"primaryStatistic":"mean"}},)",
                             json::number_text(*r.value));
        break;
      }
      case Form::kScore:
        native += fmt::format(R"(,"metrics":{{"leaderboard_score_s":{}}})", latency);
        measurements = fmt::format(
            R"("measurements":[{{"metric":"score","statistic":"geomean","unit":"s","value":{}}}],)",
            latency);
        break;
      case Form::kSummary:
        native += fmt::format(R"(,"metrics":{{"latency_ms":{}}})", latency);
        timing = fmt::format(
            R"("timing":{{"latencyNs":{{"mean":{},"median":{},"p05":{},"p95":{}}},"primaryStatistic":"median"}},)",
            json::number_text(*r.value + 12), json::number_text(*r.value),
            json::number_text(*r.value - 100), json::number_text(*r.value + 500));
        break;
    }
  }
  native += R"(,"source":"synthetic"})";
  body = fmt::format(
      R"({{"environmentDigest":"{}","implementationDigest":"{}",{}"observedAt":"{}","protocolDigest":"{}",{},"status":"{}",{}"workloadDigest":"{}"}})",
      parts.environment.to_string(), parts.implementation.to_string(), measurements,
      r.observed.to_string(), parts.protocol.to_string(), native, r.status, timing,
      parts.workload.to_string());
  r.manifest = seal(
      "BenchmarkRun",
      fmt::format(
          R"({{"labels":{{"worker":"synthetic-worker-{}"}},"name":"synthetic-{}","title":"{} · submission {} · result"}})",
          parts.index % 97, parts.index, title, parts.index),
      body);
  return r;
}

}  // namespace ki::synth
