// `ki sol`: the bound of an operation's cases on a machine, and which resource says so.
#include "command.h"
#include "ki/base/text.h"
#include "ki/bounds/bound.h"
#include "ki/bounds/registry.h"
#include "ki/bounds/roofline.h"
#include "ki/display/format.h"
#include "ki/display/table.h"
#include "ki/io/file.h"
#include "ki/json/number.h"
#include "ki/json/reader.h"
#include "ki/json/writer.h"
#include "ki/problem/directory.h"
#include "ki/resolve/describe.h"
#include "ki/views/find.h"
#include "stored.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ki::cli {
namespace {

using bounds::Profile;
using catalog::Index;
using display::Align;

constexpr double kSecond = 1e9;  // in ns
constexpr std::size_t kShownRuns = 10;
constexpr std::array kProfiles = {Profile::kPhysical, Profile::kSolarCompat, Profile::kMeasured};

struct RunTime {
  std::string run, implementation;
  double ns = 0;  // the suite's, or the one case's
};

// What is bounded, from wherever it came.
struct Subject {
  bounds::OperationShape shape;
  std::string digest;
  bounds::Declaration declaration;
  bool is_declared = false;
  std::vector<bounds::Case> cases;
  std::vector<RunTime> runs;  // on the hardware asked for, fastest first

  std::string_view label() const {
    return is_declared ? declaration.label() : "traffic only, nothing declared";
  }
};

Result<Subject> problem_subject(const std::filesystem::path& folder) {
  KI_TRY(const problem::Problem problem, problem::load_problem(folder, problem::Mode::kStrict));
  Subject out;
  KI_TRY(out.shape, bounds::shape_of_definition(problem.definition));
  if (std::filesystem::exists(folder / "bounds.json")) {
    KI_TRY(const std::string text, io::read_file(folder / "bounds.json", 1 << 20));
    auto bound = bounds::read_problem_bound(text);
    if (!bound) return fail(std::move(bound).error().within((folder / "bounds.json").string()));
    out.digest = bound->operation.to_string();
    out.declaration = std::move(bound->declaration);
    out.is_declared = true;
  }
  for (const problem::Workload& workload : problem.workloads) {
    KI_TRY(const auto axes, problem::resolve_axes(problem.definition, workload.axes));
    bounds::Case one{.name = workload.uuid};
    for (const problem::AxisValue& axis : axes) one.axes.push_back({axis.name, axis.value});
    out.cases.push_back(std::move(one));
  }
  return out;
}

const json::Value* spec_of(const json::Document& row) {
  const json::Value* manifest = row.root.find("manifest");
  return manifest == nullptr ? nullptr : manifest->find("spec");
}

// The suite with the most cases that were run, else the operation's single cases together.
Result<Index> add_cases(const catalog::Snapshot& s, catalog::Store& store, Index operation,
                        const json::Value& axes, Subject& out) {
  Index suite = catalog::kNone;
  for (const Index workload : s.workloads_of_operation(operation)) {
    const catalog::WorkloadRow& row = s.workloads()[workload];
    if (row.kind != catalog::WorkloadKind::kSuite) continue;
    if (suite == catalog::kNone || row.eligible_runs > s.workloads()[suite].eligible_runs)
      suite = workload;
  }
  for (const Index workload : s.workloads_of_operation(operation)) {
    if (suite != catalog::kNone && workload != suite) continue;
    const catalog::WorkloadRow& row = s.workloads()[workload];
    KI_TRY(const json::Document stored, read_stored(store, row.entry));
    const json::Value* spec = spec_of(stored);
    if (spec == nullptr) return fail(Code::kCorrupt, "a workload has no manifest; run ki fsck");
    KI_TRY(auto cases,
           bounds::cases_of_manifest(suite == workload ? "WorkloadSuite" : "WorkloadCase", *spec,
                                     Digest(row.digest).to_string().substr(7, 12), axes));
    std::ranges::move(cases, std::back_inserter(out.cases));
  }
  return suite;
}

void add_runs(const catalog::Snapshot& s, Index operation, Index suite,
              const bounds::Hardware& hardware, Subject& out) {
  for (const Index at : s.runs_of_operation(operation)) {
    const catalog::RunRow& run = s.runs()[at];
    if (run.workload != suite || (run.flags & catalog::run_flags::kEligible) == 0) continue;
    const catalog::CohortRow& cohort = s.cohorts()[run.cohort];
    if (!hardware.is_product(s.name(s.environments()[cohort.environment].product))) continue;
    const std::string_view unit = s.name(s.metrics()[cohort.metric].unit);
    if (unit != "ns" && unit != "s") continue;
    out.runs.push_back({Uuid{run.id}.to_string(),
                        std::string(s.text(s.implementations()[run.implementation].slug)),
                        unit == "s" ? run.value * kSecond : run.value});
  }
  std::ranges::stable_sort(out.runs, {}, &RunTime::ns);
}

Result<Subject> catalog_subject(const Context& context, const std::string& id,
                                const bounds::Hardware& hardware) {
  KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  const auto snapshot = catalog.snapshot();
  const catalog::Snapshot& s = *snapshot;
  KI_TRY(const Index operation, views::find_operation(s, id));
  const catalog::OperationRow& row = s.operations()[operation];
  KI_TRY(const json::Document stored, read_stored(*catalog.store, row.entry));
  const json::Value* spec = spec_of(stored);
  const json::Value* axes = spec == nullptr ? nullptr : spec->find("axes");
  if (axes == nullptr) return fail(Code::kCorrupt, "the operation has no manifest; run ki fsck");
  Subject out;
  out.digest = Digest(row.digest).to_string();
  KI_TRY(out.shape, bounds::shape_of_manifest(s.text(row.slug), *spec));
  KI_TRY(const auto declared, bounds::declared_operations());
  for (const bounds::DeclaredOperation& one : declared) {
    if (one.operation != Digest(row.digest)) continue;
    out.declaration = one.declaration;
    out.is_declared = true;
  }
  KI_TRY(const Index suite, add_cases(s, *catalog.store, operation, *axes, out));
  if (suite != catalog::kNone) add_runs(s, operation, suite, hardware, out);
  return out;
}

Result<bounds::Hardware> wanted_hardware(const Context& context) {
  const std::string name = context.arguments().value("hardware").value_or("B200");
  if (name.ends_with(".json")) {
    KI_TRY(const std::string text, io::read_file(name, 1 << 20));
    KI_TRY(const json::Document document, json::read_document(text));
    auto hardware = bounds::read_hardware(document.root);
    if (!hardware) return fail(std::move(hardware).error().within(name));
    return hardware;
  }
  KI_TRY(const auto known, bounds::known_hardware());
  return bounds::find_hardware(known, name);
}

struct Answer {
  Subject subject;
  bounds::Hardware hardware;
  Profile profile = Profile::kPhysical;
  bounds::SuiteBound bound;
  // The geometric mean under every profile that the record has figures for.
  std::vector<std::pair<Profile, double>> geomeans;
  std::optional<double> physical_s;
};

// Bounds are compared with published figures, so they are shown with two decimals.
std::string micros(double seconds) {
  return seconds < 1e-3 ? display::to_fixed(seconds * 1e6, 2) + " µs"
                        : display::latency_text(seconds * kSecond);
}

std::optional<std::string> flag_of(const Answer& answer, const RunTime& run) {
  if (!answer.physical_s) return std::nullopt;
  return bounds::impossible(run.ns / kSecond, *answer.physical_s);
}

std::string table_text(const Answer& answer) {
  const auto& [subject, hardware, profile, bound, geomeans, physical] = answer;
  const auto time = [](double seconds) {
    return seconds > 0 ? display::latency_text(seconds * kSecond) : std::string();
  };
  std::string out = fmt::format("{} on {}, profile {} ({})\n\n", subject.shape.name, hardware.title,
                                to_string(profile), subject.label());
  display::Table table({{"case", Align::kLeft, 24},
                        {"MB", Align::kRight},
                        {"GFLOP", Align::kRight},
                        {"FLOP/B", Align::kRight},
                        {"memory", Align::kRight},
                        {"tensor", Align::kRight},
                        {"simt", Align::kRight},
                        {"bound", Align::kRight},
                        {"set by"}});
  for (const bounds::CaseBound& one : bound.cases) {
    table.add({one.name, display::to_fixed(static_cast<double>(one.bytes) / 1e6, 2),
               one.flops > 0 ? display::to_fixed(static_cast<double>(one.flops) / 1e9, 2) : "",
               one.flops > 0 ? display::to_fixed(one.intensity(), 1) : "", time(one.memory_s),
               time(one.tensor_s), time(one.simt_s), time(one.seconds),
               std::string(to_string(one.binding))});
  }
  out += table.render();
  out += fmt::format("\nGeometric mean of {} {}, arithmetic mean {}.",
                     display::count_noun(static_cast<std::int64_t>(bound.cases.size()), "case"),
                     micros(bound.geomean_s), micros(bound.mean_s));
  if (bound.memory_geomean_s)
    out += fmt::format(" Memory alone {}", micros(*bound.memory_geomean_s));
  if (bound.compute_geomean_s)
    out += fmt::format(", arithmetic alone {}", micros(*bound.compute_geomean_s));
  out += ".\n";
  for (const auto& [other, seconds] : geomeans)
    out += fmt::format("  {:<13} {}\n", to_string(other), micros(seconds));
  out += fmt::format("Peaks: {}.\n", hardware.clock);
  if (!subject.declaration.ignores.empty())
    out += fmt::format("Left out: {}.\n", subject.declaration.ignores);
  if (subject.runs.empty() || !physical) return out;
  display::Table runs({{"run"},
                       {"implementation", Align::kLeft, 40},
                       {"time", Align::kRight},
                       {"of bound", Align::kRight},
                       {""}});
  for (std::size_t i = 0; i < std::min(kShownRuns, subject.runs.size()); ++i) {
    const RunTime& run = subject.runs[i];
    runs.add({run.run.substr(0, 13), run.implementation, display::latency_text(run.ns),
              display::relative(run.ns, *physical * kSecond), flag_of(answer, run).value_or("")});
  }
  return out + fmt::format("\nRuns on {}, fastest first:\n", hardware.title) + runs.render();
}

std::string csv_text(const Answer& answer) {
  std::string out = display::csv_line({"case", "bytes", "flops", "intensity", "memory_ns",
                                       "tensor_ns", "simt_ns", "fixed_ns", "bound_ns", "set_by"});
  const auto ns = [](double seconds) { return json::number_text(seconds * kSecond); };
  for (const bounds::CaseBound& one : answer.bound.cases) {
    out += display::csv_line({one.name, std::to_string(one.bytes), std::to_string(one.flops),
                              json::number_text(one.intensity()), ns(one.memory_s),
                              ns(one.tensor_s), ns(one.simt_s), ns(one.fixed_s), ns(one.seconds),
                              std::string(to_string(one.binding))});
  }
  return out;
}

void write_case(const bounds::CaseBound& one, json::Writer& w) {
  w.begin_object()
      .member("case", one.name)
      .member("bytes", one.bytes)
      .member("flops", one.flops)
      .member("intensity", one.intensity())
      .member("memoryNs", one.memory_s * kSecond)
      .member("tensorNs", one.tensor_s * kSecond)
      .member("simtNs", one.simt_s * kSecond)
      .member("fixedNs", one.fixed_s * kSecond)
      .member("boundNs", one.seconds * kSecond)
      .member("setBy", to_string(one.binding));
  w.key("traffic").begin_array();
  for (const bounds::TensorBytes& tensor : one.traffic) {
    w.begin_object()
        .member("tensor", tensor.name)
        .member("output", tensor.is_output)
        .member("bytes", tensor.bytes);
    if (!tensor.why.empty()) w.member("why", tensor.why);
    w.end_object();
  }
  w.end_array().key("work").begin_array();
  for (const bounds::WorkTime& work : one.work) {
    w.begin_object()
        .member("unit", to_string(work.unit))
        .member("precision", work.precision)
        .member("flops", work.flops)
        .member("ns", work.seconds * kSecond)
        .member("nominal", work.is_nominal)
        .end_object();
  }
  w.end_array().end_object();
}

std::string json_text(const Answer& answer) {
  const Subject& subject = answer.subject;
  std::string out;
  json::Writer w(out, json::Writer::Style::kIndented);
  w.begin_object().member("operation", subject.shape.name);
  w.key("operationDigest");
  if (subject.digest.empty()) {
    w.null();
  } else {
    w.value(subject.digest);
  }
  w.member("label", subject.label()).member("ignores", subject.declaration.ignores);
  w.member("profile", to_string(answer.profile));
  w.key("hardware")
      .begin_object()
      .member("name", answer.hardware.name)
      .member("title", answer.hardware.title)
      .member("clock", answer.hardware.clock)
      .key("provenance")
      .begin_object();
  for (const bounds::Provenance& source : answer.hardware.provenance)
    w.member(source.what, source.source);
  w.end_object().end_object().key("cases").begin_array();
  for (const bounds::CaseBound& one : answer.bound.cases) write_case(one, w);
  w.end_array().key("suite").begin_object();
  w.member("geomeanNs", answer.bound.geomean_s * kSecond)
      .member("meanNs", answer.bound.mean_s * kSecond);
  w.end_object().key("geomeanNs").begin_object();
  for (const auto& [profile, seconds] : answer.geomeans)
    w.member(to_string(profile), seconds * kSecond);
  w.end_object().key("runs").begin_array();
  for (const RunTime& run : subject.runs) {
    w.begin_object()
        .member("runId", run.run)
        .member("implementation", run.implementation)
        .member("ns", run.ns);
    if (answer.physical_s) w.member("ofPhysicalBound", run.ns / kSecond / *answer.physical_s);
    w.nullable("flag", flag_of(answer, run)).end_object();
  }
  w.end_array().end_object();
  out += '\n';
  return out;
}

}  // namespace

Result<int> run_sol(Context& context) {
  if (context.operands().size() != 1) return context.usage("give one operation or problem folder");
  const std::string& operand = context.operands().front();
  Answer answer;
  const std::string profile = context.arguments().value("profile").value_or("physical");
  const auto parsed = bounds::parse_profile(profile);
  if (!parsed) {
    return fail(Code::kInvalidArgument,
                fmt::format("--profile is {}; expected physical, solar-compat or measured",
                            quote(profile)));
  }
  answer.profile = *parsed;
  KI_TRY(answer.hardware, wanted_hardware(context));
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::path(operand) / "definition.json", error)) {
    KI_TRY(answer.subject, problem_subject(operand));
  } else {
    KI_TRY(answer.subject, catalog_subject(context, operand, answer.hardware));
  }
  const Subject& subject = answer.subject;
  for (const Profile each : kProfiles) {
    auto bound =
        bounds::bound_of(subject.shape, subject.declaration, answer.hardware, each, subject.cases);
    if (!bound) {
      if (each == answer.profile) return fail(std::move(bound).error());
      continue;
    }
    answer.geomeans.emplace_back(each, bound->geomean_s);
    if (each == Profile::kPhysical) answer.physical_s = bound->geomean_s;
    if (each == answer.profile) answer.bound = *std::move(bound);
  }
  if (const auto path = context.arguments().value("svg")) {
    KI_TRY_VOID(io::write_file_atomically(
        *path, bounds::roofline_svg(subject.shape, answer.hardware, answer.profile, answer.bound)));
    context.err(fmt::format("wrote {}\n", *path));
  }
  if (context.is_json()) {
    context.out(json_text(answer));
  } else if (context.arguments().has("csv")) {
    context.out(csv_text(answer));
  } else if (!context.arguments().has("svg")) {
    context.out(table_text(answer));
  }
  return kDone;
}

}  // namespace ki::cli
