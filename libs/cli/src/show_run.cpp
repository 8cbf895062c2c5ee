#include "show_run.h"

#include "ids.h"
#include "ki/base/text.h"
#include "ki/base/uuid.h"
#include "ki/catalog/run_status.h"
#include "ki/display/cite.h"
#include "ki/display/format.h"
#include "ki/display/labels.h"
#include "ki/display/names.h"
#include "ki/json/canonical.h"
#include "ki/json/number.h"
#include "ki/json/writer.h"
#include "ki/manifest/derived.h"
#include "ki/policy/eligibility.h"
#include "ki/policy/evidence.h"
#include "ki/resolve/describe.h"
#include "stored.h"

#include <fmt/format.h>

#include <cmath>

namespace ki::cli {
namespace {

using catalog::Index;
using catalog::kNone;
using catalog::Snapshot;
namespace run_flags = catalog::run_flags;

struct KeyValue {
  std::string key;
  std::string value;
};

// Everything that is shown about a run, gathered once for text, JSON and citation.
struct Dossier {
  const Snapshot& s;
  Index index;
  const catalog::RunRow& run;
  const catalog::CohortRow& cohort;
  json::Document row;       // stored benchmark_runs row
  json::Document protocol;  // documents rows
  json::Document environment;
  json::Document workload;
  std::vector<std::string> ineligible;

  const json::Value& manifest() const { return *row.root.find("run"); }
  const json::Value& spec() const { return *manifest().find("spec"); }
  const json::Value& protocol_spec() const { return *protocol.root.find("manifest")->find("spec"); }
  const json::Value& environment_spec() const {
    return *environment.root.find("manifest")->find("spec");
  }
  const json::Value& workload_spec() const { return *workload.root.find("manifest")->find("spec"); }
  std::string id() const { return Uuid{run.id}.to_string(); }
  std::string digest() const { return Digest(run.digest).to_string(); }
  std::string comparison_key() const { return Digest(cohort.key).to_string(); }
  const catalog::MetricRow& metric() const { return s.metrics()[cohort.metric]; }
  bool has_value() const { return !std::isnan(run.value); }
};

std::string scalar_text(const json::Value& v) {
  switch (v.kind()) {
    case json::Kind::kString:
      return std::string(v.string());
    case json::Kind::kNumber:
      return json::number_text(v.number());
    case json::Kind::kBool:
      return v.boolean() ? "true" : "false";
    case json::Kind::kNull:
      return "null";
    case json::Kind::kArray:
    case json::Kind::kObject:
      return json::canonical(v);
  }
  return {};
}

void add(std::vector<KeyValue>& out, std::string_view key, const json::Value* value) {
  if (value != nullptr) out.push_back({std::string(key), scalar_text(*value)});
}

const json::Value* at(const json::Value& object, std::string_view first, std::string_view second) {
  const json::Value* inner = object.find(first);
  return inner == nullptr ? nullptr : inner->find(second);
}

std::string named_version(const json::Value* object) {
  if (object == nullptr) return {};
  std::string out = scalar_text(*object->find("name"));
  if (const json::Value* version = object->find("version")) out += " " + scalar_text(*version);
  return out;
}

// The protocol as key and value, in the order of the run page (spec 10); absent members are left
// out.
std::vector<KeyValue> protocol_list(const Dossier& d) {
  std::vector<KeyValue> out;
  const json::Value& spec = d.protocol_spec();
  out.push_back({"harness", named_version(spec.find("harness"))});
  for (const std::string_view key :
       {"timer", "synchronization", "compileIncluded", "setupIncluded", "warmupIterations",
        "warmupDuration", "measuredIterations", "samples", "inputRegeneration", "primaryStatistic",
        "outlierPolicy"}) {
    add(out, key, at(spec, "measurement", key));
  }
  add(out, "correctnessReference", at(spec, "correctness", "reference"));
  add(out, "comparabilityFamily", at(spec, "comparability", "family"));
  return out;
}

std::vector<KeyValue> environment_list(const Dossier& d) {
  std::vector<KeyValue> out;
  const json::Value& spec = d.environment_spec();
  const auto& row = d.s.environments()[d.cohort.environment];
  out.push_back(
      {"gpu", fmt::format("{} ({})", d.s.name(row.product), d.s.name(row.display_architecture))});
  add(out, "gpuCount", at(spec, "hardware", "count"));
  add(out, "formFactor", at(spec, "hardware", "formFactor"));
  add(out, "memoryBytes", at(spec, "hardware", "memoryBytes"));
  for (const std::string_view key : {"operatingSystem", "kernel", "driver", "cudaToolkit"})
    add(out, key, at(spec, "software", key));
  if (const std::string framework = named_version(at(spec, "software", "framework"));
      !framework.empty()) {
    out.push_back({"framework", framework});
  }
  add(out, "compiler", at(spec, "software", "compiler"));
  add(out, "libraries", at(spec, "software", "libraries"));
  for (const std::string_view key : {"clocksLocked", "persistenceMode"})
    add(out, key, at(spec, "settings", key));
  add(out, "imageDigest", spec.find("imageDigest"));
  return out;
}

std::vector<KeyValue> workload_list(const Dossier& d) {
  std::vector<KeyValue> out;
  const json::Value& spec = d.workload_spec();
  if (const json::Value* axes = spec.find("axes"); axes != nullptr && axes->is_object()) {
    for (const json::Member& axis : axes->members())
      out.push_back({std::string(axis.key), scalar_text(axis.value)});
  }
  if (const json::Value* tensors = spec.find("tensors");
      tensors != nullptr && tensors->is_object()) {
    for (const json::Member& tensor : tensors->members()) {
      out.push_back(
          {std::string(tensor.key), fmt::format("{} {}", scalar_text(*tensor.value.find("dtype")),
                                                scalar_text(*tensor.value.find("shape")))});
    }
  }
  if (const json::Value* correctness = spec.find("correctness");
      correctness != nullptr && correctness->is_object()) {
    for (const json::Member& member : correctness->members()) {
      out.push_back({member.key == "comparator" ? "definition comparator" : std::string(member.key),
                     scalar_text(member.value)});
    }
  }
  return out;
}

std::string external_id(const Dossier& d) {
  const json::Value* native = d.spec().find("sourceNative");
  const json::Value* id = native == nullptr ? nullptr : native->find("externalId");
  if (id == nullptr || !id->is_string()) return {};
  // SOL manifests hold the bare number (spec 03.5 rule 7).
  if (d.s.text(d.s.sources()[d.run.source].slug) == "sol-execbench")
    return "submission/" + std::string(id->string());
  return std::string(id->string());
}

std::string source_native_line(const Dossier& d) {
  const json::Value* metrics = at(d.spec(), "sourceNative", "metrics");
  return metrics == nullptr ? std::string() : display::source_native_line(*metrics).value_or("");
}

display::RankLine rank_line(const Dossier& d) {
  return {.rank = d.run.rank == 0 ? std::nullopt : std::optional(d.run.rank),
          .cohort_size = d.cohort.ranked,
          .is_tied = (d.run.flags & run_flags::kTiedWithPrevious) != 0,
          .is_source_native = (d.run.flags & run_flags::kSourceNative) != 0,
          .observed_at = Instant{d.run.observed_ms},
          .policy_version = "ranking-v1",
          .as_of = {},
          .ineligible = d.ineligible};
}

std::string correctness_text(const Dossier& d) {
  const json::Value* correctness = d.spec().find("correctness");
  const std::string_view status = catalog::kRunStatusNames[d.run.status];
  if (correctness != nullptr)
    return fmt::format("{}: {}", display::words(status), display::tolerance_summary(*correctness));
  if (status == "passed")
    return "Marked passed by the source; the correctness policy was not published.";
  return fmt::format("The source states: {}.", display::words(status));
}

Result<Dossier> gather(const Snapshot& s, catalog::Store& store, Index index) {
  const auto& run = s.runs()[index];
  const auto& cohort = s.cohorts()[run.cohort];
  Dossier d{.s = s,
            .index = index,
            .run = run,
            .cohort = cohort,
            .row = {},
            .protocol = {},
            .environment = {},
            .workload = {},
            .ineligible = {}};
  KI_TRY(d.row, read_stored(store, run.entry));
  KI_TRY(d.workload, read_stored(store, s.workloads()[run.workload].entry));
  // The run's own documents: a group may hold several texts of one protocol.
  const auto document = [&](std::string_view member) -> Result<json::Document> {
    const json::Value* digest_text = d.row.root.find(member);
    KI_TRY(const Digest digest, Digest::parse(digest_text == nullptr || !digest_text->is_string()
                                                  ? ""
                                                  : digest_text->string()));
    KI_TRY(const auto entry, store.find_digest(catalog::Table::kDocuments, digest));
    if (!entry)
      return fail(Code::kCorrupt, fmt::format("document {} is missing from the store; run ki fsck",
                                              digest.to_string()));
    return json::read_document(entry->body);
  };
  KI_TRY(d.protocol, document("protocolDocument"));
  KI_TRY(d.environment, document("environmentDocument"));
  d.ineligible = policy::eligibility_v1({.status = catalog::kRunStatusNames[run.status],
                                         .published = (run.flags & run_flags::kPublished) != 0,
                                         .retracted = (run.flags & run_flags::kRetracted) != 0,
                                         .superseded = run.superseded_by != kNone,
                                         .has_primary_value = d.has_value()});
  return d;
}

std::vector<manifest::Measurement> measurements(const Dossier& d) {
  return manifest::expand_measurements(d.spec());
}

display::Citation citation(const Context& context, const Dossier& d) {
  const Snapshot& s = d.s;
  const std::string base = context.arguments().value("url").value_or("https://kernelindex.invalid");
  display::Citation c;
  c.implementation = resolve::implementation_name(s, d.run.implementation);
  c.operation = resolve::operation_name(s, d.cohort.operation);
  c.workload = resolve::workload_label(s, d.run.workload);
  c.hardware = s.name(s.environments()[d.cohort.environment].product);
  if (d.has_value()) c.value = display::primary_text(d.run.value, s.name(d.metric().unit));
  c.statistic = s.name(d.metric().statistic);
  c.source = s.text(s.sources()[d.run.source].name);
  c.run_id = d.id();
  c.digest = d.digest();
  c.url = fmt::format("{}/runs/{}", base.ends_with('/') ? base.substr(0, base.size() - 1) : base,
                      d.digest());
  if (d.run.rank != 0)
    c.rank = fmt::format("rank {} of {} (ranking-v1)", d.run.rank, d.cohort.ranked);
  c.catalog_version = std::to_string(s.seq());
  c.authors = {{.name = std::string(
                    s.text(s.projects()[s.implementations()[d.run.implementation].project].name))}};
  c.observed_at = Instant{d.run.observed_ms};
  c.accessed_at = context.now();
  return c;
}

Result<int> print_citation(const Context& context, const Dossier& d) {
  const std::string style = context.arguments().value("style").value_or("text");
  const display::Citation c = citation(context, d);
  struct Style {
    std::string_view name, heading;
    std::string (*write)(const display::Citation&);
  };
  constexpr Style kStyles[] = {{"text", "Text", display::citation_text},
                               {"bibtex", "BibTeX", display::citation_bibtex},
                               {"csl", "CSL-JSON", display::citation_csl_json},
                               {"ris", "RIS", display::citation_ris},
                               {"cff", "CITATION.cff", display::citation_cff}};
  bool is_known = false;
  for (const Style& known : kStyles) {
    if (style != "all" && style != known.name) continue;
    is_known = true;
    std::string text = known.write(c);
    if (!text.ends_with('\n')) text += '\n';
    if (style == "all")
      context.out(fmt::format("# {}\n{}\n", known.heading, text));
    else
      context.out(text);
  }
  if (!is_known)
    return fail(
        Code::kInvalidArgument,
        fmt::format("--style is {}; expected text, bibtex, csl, ris, cff or all", quote(style)));
  return kDone;
}

void write_list(json::Writer& w, std::string_view name, const std::vector<KeyValue>& list) {
  w.key(name).begin_array();
  for (const KeyValue& item : list)
    w.begin_object().member("key", item.key).member("value", item.value).end_object();
  w.end_array();
}

void text_or_null(json::Writer& w, std::string_view key, std::string_view text) {
  w.key(key);
  if (text.empty())
    w.null();
  else
    w.value(text);
}

std::string run_or_empty(const Snapshot& s, Index run) {
  return run == kNone ? std::string() : Uuid{s.runs()[run].id}.to_string();
}

std::string to_json(const Dossier& d) {
  const Snapshot& s = d.s;
  std::string out;
  json::Writer w(out, json::Writer::Style::kIndented);
  w.begin_object();
  w.key("run")
      .begin_object()
      .member("id", d.id())
      .member("digest", d.digest())
      .member("status", catalog::kRunStatusNames[d.run.status]);
  w.member("observedAt", Instant{d.run.observed_ms}.to_string());
  text_or_null(w, "publishedAt",
               d.run.published_ms == 0 ? "" : Instant{d.run.published_ms}.to_string());
  w.end_object();
  w.member("evidence", policy::to_string(static_cast<policy::EvidenceLevel>(d.run.evidence)));
  w.key("lifecycle").begin_object();
  text_or_null(w, "supersedesId", run_or_empty(s, d.run.supersedes));
  text_or_null(w, "supersededById", run_or_empty(s, d.run.superseded_by));
  w.key("retracted");
  if ((d.run.flags & run_flags::kRetracted) != 0) {
    w.begin_object().key("at").value(*d.row.root.find("retractedAt")).key("reason");
    const json::Value* reason = d.row.root.find("retractionReason");
    if (reason == nullptr)
      w.null();
    else
      w.value(*reason);
    w.end_object();
  } else {
    w.null();
  }
  w.end_object();
  w.key("primary");
  if (d.has_value()) {
    w.begin_object()
        .member("metric", s.name(d.metric().metric))
        .member("unit", s.name(d.metric().unit));
    w.member("statistic", s.name(d.metric().statistic))
        .member("value", d.run.value)
        .key("sampleCount");
    if (d.run.samples == 0)
      w.null();
    else
      w.value(d.run.samples);
    w.key("uncertainty");
    if (d.run.interval == kNone)
      w.null();
    else {
      const auto& interval = s.columns().run_intervals[d.run.interval];
      w.begin_object().member("low", interval.low).member("high", interval.high).end_object();
    }
    w.end_object();
  } else {
    w.null();
  }
  w.key("cohort").begin_object().member("comparisonKey", d.comparison_key());
  w.member("profile",
           (d.run.flags & run_flags::kSourceNative) != 0 ? "source_native" : "strict_exact")
      .key("rank");
  if (d.run.rank == 0)
    w.null();
  else
    w.value(d.run.rank);
  w.member("cohortSize", d.cohort.ranked)
      .member("tiedWithPrevious", (d.run.flags & run_flags::kTiedWithPrevious) != 0);
  w.member("policyVersion", "ranking-v1")
      .member("eligible", d.ineligible.empty())
      .key("ineligibleReasons")
      .begin_array();
  for (const std::string& code : d.ineligible) w.value(code);
  w.end_array();
  text_or_null(w, "headRunId",
               d.cohort.ranked == 0 ? "" : run_or_empty(s, s.runs_of_cohort(d.run.cohort).front()));
  w.end_object();
  const auto& implementation = s.implementations()[d.run.implementation];
  w.key("implementation")
      .begin_object()
      .member("name", resolve::implementation_name(s, d.run.implementation));
  w.member("slug", s.text(implementation.slug))
      .member("digest", Digest(implementation.digest).to_string());
  text_or_null(w, "revision", s.text(implementation.revision));
  w.end_object();
  const auto& project = s.projects()[implementation.project];
  w.key("project")
      .begin_object()
      .member("name", s.text(project.name))
      .member("slug", s.text(project.slug))
      .end_object();
  const auto& operation = s.operations()[d.cohort.operation];
  w.key("operation")
      .begin_object()
      .member("name", resolve::operation_name(s, d.cohort.operation))
      .member("slug", s.text(operation.slug));
  w.member("digest", Digest(operation.digest).to_string()).end_object();
  const auto& workload = s.workloads()[d.run.workload];
  w.key("workload")
      .begin_object()
      .member("id", Uuid{workload.id}.to_string())
      .member("digest", Digest(workload.digest).to_string());
  w.member("label", resolve::workload_label(s, d.run.workload));
  write_list(w, "facts", workload_list(d));
  w.end_object().key("correctness");
  if (const json::Value* correctness = d.spec().find("correctness"))
    w.value(*correctness);
  else
    w.null();
  w.key("measurements").begin_array();
  for (const auto& m : measurements(d)) {
    w.begin_object()
        .member("metric", m.metric)
        .member("statistic", m.statistic)
        .member("value", m.value)
        .member("unit", m.unit);
    w.nullable("sampleCount", m.sample_count).end_object();
  }
  w.end_array();
  write_list(w, "protocol", protocol_list(d));
  write_list(w, "environment", environment_list(d));
  w.key("provenance").begin_object().member("source", s.text(s.sources()[d.run.source].name));
  w.member("sourceKind", s.text(s.sources()[d.run.source].kind));
  text_or_null(w, "externalId", external_id(d));
  w.end_object().key("sourceNativeMetrics");
  if (const json::Value* metrics = at(d.spec(), "sourceNative", "metrics"))
    w.value(*metrics);
  else
    w.null();
  w.key("manifest")
      .begin_object()
      .key("run")
      .value(d.manifest())
      .key("protocol")
      .value(*d.protocol.root.find("manifest"));
  w.key("environment").value(*d.environment.root.find("manifest")).end_object();
  w.member("catalogVersion", s.seq()).end_object();
  return out + "\n";
}

void section(std::string& out, std::string_view title, const std::vector<KeyValue>& list) {
  if (list.empty()) return;
  out += fmt::format("\n{}\n", title);
  std::size_t width = 0;
  for (const KeyValue& item : list) width = std::max(width, display::display_width(item.key));
  for (const KeyValue& item : list) {
    out += fmt::format("  {}{}  {}\n", item.key,
                       std::string(width - display::display_width(item.key), ' '), item.value);
  }
}

std::string to_text(const Dossier& d) {
  const Snapshot& s = d.s;
  const auto& implementation = s.implementations()[d.run.implementation];
  std::string out = fmt::format("Run {} · {} · {}\n", display::title_id(d.id()),
                                resolve::operation_name(s, d.cohort.operation),
                                resolve::workload_label(s, d.run.workload));
  if ((d.run.flags & run_flags::kRetracted) != 0) {
    const json::Value* reason = d.row.root.find("retractionReason");
    out += fmt::format("RETRACTED {}: {}\n", scalar_text(*d.row.root.find("retractedAt")),
                       reason == nullptr
                           ? ""
                           : scalar_text(reason->is_object() && reason->find("reason") != nullptr
                                             ? *reason->find("reason")
                                             : *reason));
  }
  if (d.run.superseded_by != kNone)
    out += fmt::format("SUPERSEDED by run {}\n", run_or_empty(s, d.run.superseded_by));
  if (d.run.supersedes != kNone)
    out += fmt::format("Corrects run {}\n", run_or_empty(s, d.run.supersedes));
  out += "\nPrimary measurement\n  ";
  if (d.has_value()) {
    out += display::primary_text(d.run.value, s.name(d.metric().unit));
    if (d.run.interval != kNone) {
      const auto& interval = s.columns().run_intervals[d.run.interval];
      out += " " +
             display::spread({d.run.value, interval.low, interval.high}, s.name(d.metric().unit));
    }
    out += fmt::format(" {}", s.name(d.metric().statistic));
    if (d.run.samples != 0) out += fmt::format(" of {}", display::count(d.run.samples));
  } else {
    out += "none";
  }
  out += fmt::format("\n  {}\n", display::rank_line(rank_line(d)));
  if (d.cohort.ranked > 1 && d.run.rank != 1 && d.ineligible.empty()) {
    out += fmt::format("  Compare with #1: ki compare {} {}\n", d.id(),
                       run_or_empty(s, s.runs_of_cohort(d.run.cohort).front()));
  }
  if (const std::string line = source_native_line(d); !line.empty())
    out += fmt::format("  {}\n", line);

  std::vector<KeyValue> identity = {
      {"implementation", resolve::implementation_name(s, d.run.implementation)},
      {"project", std::string(s.text(s.projects()[implementation.project].name))}};
  if (implementation.revision.length != 0)
    identity.push_back({"revision", std::string(s.text(implementation.revision))});
  identity.push_back({"workload", resolve::workload_label(s, d.run.workload)});
  identity.push_back({"comparison key", d.comparison_key()});
  identity.push_back({"source", std::string(s.text(s.sources()[d.run.source].name))});
  if (const std::string id = external_id(d); !id.empty()) identity.push_back({"external id", id});
  identity.push_back({"run id", d.id()});
  identity.push_back({"digest", d.digest()});
  identity.push_back({"evidence", std::string(display::evidence_label(policy::to_string(
                                      static_cast<policy::EvidenceLevel>(d.run.evidence))))});
  section(out, "Identity", identity);
  out += fmt::format("\nCorrectness\n  {}\n", correctness_text(d));
  section(out, "Workload", workload_list(d));
  std::vector<KeyValue> list;
  for (const auto& m : measurements(d)) {
    std::string value = display::primary_text(m.value, m.unit);
    if (m.sample_count) value += fmt::format(" · n={}", *m.sample_count);
    list.push_back({fmt::format("{} · {}", m.metric, m.statistic), value});
  }
  section(out, "Measurements", list);
  section(out, "Protocol", protocol_list(d));
  section(out, "Environment", environment_list(d));
  if (d.run.published_ms != 0) {
    out += fmt::format("\nPublished {} · {}\n", Instant{d.run.published_ms}.date(),
                       s.text(s.sources()[d.run.source].name));
  }
  out += fmt::format(
      "\nRecompute it: ki verify {}\nCite it: ki show run {} --cite\nAll results of the operation: "
      "ki search op:{}\n",
      d.id(), d.id(), s.text(s.operations()[d.cohort.operation].slug));
  return out;
}

}  // namespace

Result<int> show_run(Context& context, const std::string& id) {
  KI_TRY(const OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  const auto snapshot = catalog.snapshot();
  KI_TRY(const Index index, find_run(*snapshot, id));
  KI_TRY(const Dossier dossier, gather(*snapshot, *catalog.store, index));
  if (context.arguments().has("cite")) return print_citation(context, dossier);
  context.out(context.is_json() ? to_json(dossier) : to_text(dossier));
  return kDone;
}

}  // namespace ki::cli
