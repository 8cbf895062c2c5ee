#include "ki/harness/record.h"

#include "ki/base/text.h"
#include "ki/json/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ki::harness {
namespace {

using problem::Status;

constexpr std::array<judge::Phase, 5> kPhases = {judge::Phase::kPublic, judge::Phase::kHidden,
                                                 judge::Phase::kWarmup, judge::Phase::kTimed,
                                                 judge::Phase::kRecheck};
constexpr std::array<judge::Reason, 10> kReasons = {judge::Reason::kNone,
                                                    judge::Reason::kInvalidTolerance,
                                                    judge::Reason::kInvalidReference,
                                                    judge::Reason::kPartialWrite,
                                                    judge::Reason::kNan,
                                                    judge::Reason::kInf,
                                                    judge::Reason::kWeakTolerance,
                                                    judge::Reason::kPartialTile,
                                                    judge::Reason::kCap,
                                                    judge::Reason::kTolerance};

void write_verdict(json::Writer& w, std::string_view name, const Verdict& verdict) {
  w.key(name).begin_object().member("status", problem::to_string(verdict.status));
  w.member("reason", verdict.reason).member("detail", verdict.detail).end_object();
}

void write_texts(json::Writer& w, std::string_view name, const std::vector<std::string>& texts) {
  w.key(name).begin_array();
  for (const std::string& text : texts) w.value(text);
  w.end_array();
}

// JSON has no word for what is not finite.
void write_number(json::Writer& w, std::string_view name, double number) {
  w.key(name);
  if (std::isfinite(number)) {
    w.value(number);
  } else {
    w.null();
  }
}

void write_timing(json::Writer& w, const Timing& t) {
  w.key("timing").begin_object();
  w.member("callsASample", t.calls_a_sample).member("emptyNs", t.empty_ns);
  w.member("medianNs", t.median).member("meanNs", t.mean).member("p05Ns", t.p05);
  w.member("p95Ns", t.p95).member("minimumNs", t.minimum).member("maximumNs", t.maximum);
  w.member("madNs", t.mad).member("confidence95LowNs", t.low).member("confidence95HighNs", t.high);
  w.key("processMediansNs").begin_array();
  for (const double median : t.process_medians) w.value(median);
  w.end_array().member("samples", t.rejections.total).member("accepted", t.rejections.accepted);
  w.key("rejected").begin_object();
  for (std::size_t i = 0; i < measure::kRejectCauses; ++i)
    w.member(measure::to_string(static_cast<measure::RejectCause>(i)), t.rejections.by_cause[i]);
  w.end_object().end_object();
}

std::uint64_t bootstrap_seed(const judge::RunKey& key, std::string_view uuid) {
  return judge::stream_key(key, uuid, judge::Phase::kTimed, 0, "bootstrap");
}

// Reading: a member of a kind, or an error that names it.
std::unexpected<Error> wrong(std::string_view member) {
  return fail(Code::kCorrupt,
              fmt::format("member '{}' of a stored case is missing or wrong", member));
}
Result<std::string> text_of(const json::Value& object, std::string_view member) {
  const json::Value* v = object.find(member);
  if (v == nullptr || !v->is_string()) return wrong(member);
  return std::string(v->string());
}
Result<double> number_of(const json::Value& object, std::string_view member) {
  const json::Value* v = object.find(member);
  if (v == nullptr || !v->is_number()) return wrong(member);
  return v->number();
}
Result<std::int64_t> integer_of(const json::Value& object, std::string_view member) {
  const json::Value* v = object.find(member);
  const auto integer = v == nullptr ? std::nullopt : v->integer();
  if (!integer) return wrong(member);
  return *integer;
}
Result<std::vector<std::string>> texts_of(const json::Value& object, std::string_view member) {
  const json::Value* v = object.find(member);
  if (v == nullptr || !v->is_array()) return wrong(member);
  std::vector<std::string> out;
  for (const json::Value& item : v->items()) {
    if (!item.is_string()) return wrong(member);
    out.emplace_back(item.string());
  }
  return out;
}
Result<Verdict> verdict_of(const json::Value& object, std::string_view member) {
  const json::Value* v = object.find(member);
  if (v == nullptr) return wrong(member);
  KI_TRY(const std::string status, text_of(*v, "status"));
  const auto known = problem::parse_status(status);
  if (!known) return wrong(member);
  Verdict out;
  out.status = *known;
  KI_TRY(out.reason, text_of(*v, "reason"));
  KI_TRY(out.detail, text_of(*v, "detail"));
  return out;
}
template <class T, std::size_t N>
Result<T> named(const std::array<T, N>& all, std::string_view name, std::string_view member) {
  for (const T one : all) {
    if (to_string(one) == name) return one;
  }
  return wrong(member);
}

// Times, process by process, as one list of [elapsed, inside, cause] each.
void write_samples(json::Writer& w, const std::vector<Sample>& samples) {
  w.key("samples").begin_array();
  for (const Sample& sample : samples) {
    w.begin_array().value(sample.process).value(sample.elapsed_ns).value(sample.inside_ticks);
    w.value(sample.rejected ? 1 + static_cast<int>(*sample.rejected) : 0).end_array();
  }
  w.end_array();
}
Result<std::vector<Sample>> samples_of(const json::Value& object) {
  const json::Value* v = object.find("samples");
  if (v == nullptr || !v->is_array()) return wrong("samples");
  std::vector<Sample> out;
  for (const json::Value& item : v->items()) {
    if (!item.is_array() || item.items().size() != 4) return wrong("samples");
    std::array<std::int64_t, 4> numbers{};
    for (std::size_t i = 0; i < 4; ++i) {
      const auto number = item.items()[i].integer();
      if (!number || *number < 0) return wrong("samples");
      numbers[i] = *number;
    }
    if (numbers[3] > static_cast<std::int64_t>(measure::kRejectCauses)) return wrong("samples");
    Sample sample;
    sample.process = static_cast<std::uint32_t>(numbers[0]);
    sample.elapsed_ns = static_cast<std::uint64_t>(numbers[1]);
    sample.inside_ticks = static_cast<std::uint64_t>(numbers[2]);
    if (numbers[3] > 0) sample.rejected = static_cast<measure::RejectCause>(numbers[3] - 1);
    out.push_back(sample);
  }
  return out;
}

void write_calls(json::Writer& w, const std::vector<CallFact>& calls) {
  w.key("calls").begin_array();
  for (const CallFact& call : calls) {
    w.begin_object().member("phase", judge::to_string(call.phase));
    w.member("family", judge::to_string(call.family)).member("process", call.process);
    w.member("round", call.round).member("inputs", call.inputs.to_string());
    w.member("outputs", call.outputs.to_string());
    w.member("reason", judge::to_string(call.reason)).end_object();
  }
  w.end_array();
}
Result<std::vector<CallFact>> calls_of(const json::Value& object) {
  const json::Value* v = object.find("calls");
  if (v == nullptr || !v->is_array()) return wrong("calls");
  std::vector<CallFact> out;
  for (const json::Value& item : v->items()) {
    CallFact call;
    KI_TRY(const std::string phase, text_of(item, "phase"));
    KI_TRY(call.phase, named(kPhases, phase, "phase"));
    KI_TRY(const std::string family, text_of(item, "family"));
    KI_TRY(call.family, named(judge::kFamilies, family, "family"));
    KI_TRY(const std::int64_t process, integer_of(item, "process"));
    KI_TRY(const std::int64_t round, integer_of(item, "round"));
    call.process = static_cast<std::uint32_t>(process);
    call.round = static_cast<std::uint64_t>(round);
    KI_TRY(const std::string inputs, text_of(item, "inputs"));
    KI_TRY(call.inputs, Digest::parse(inputs));
    KI_TRY(const std::string outputs, text_of(item, "outputs"));
    KI_TRY(call.outputs, Digest::parse(outputs));
    KI_TRY(const std::string reason, text_of(item, "reason"));
    KI_TRY(call.reason, named(kReasons, reason, "reason"));
    out.push_back(call);
  }
  return out;
}

void write_compatible(json::Writer& w, const judge::CompatibleSummary& summary) {
  const judge::CompatibleResult& worst = summary.worst();
  w.key("compatibleErrors").begin_object().member("passed", summary.is_passed());
  write_number(w, "maxAbsoluteError", worst.max_absolute_error);
  write_number(w, "maxRelativeError", worst.max_relative_error);
  w.member("hasNan", worst.has_nan).member("hasInf", worst.has_inf);
  w.member("matchedRatio", worst.matched_ratio).end_object();
}
Result<judge::CompatibleSummary> compatible_of(const json::Value& object) {
  const json::Value* v = object.find("compatibleErrors");
  if (v == nullptr || !v->is_object()) return wrong("compatibleErrors");
  judge::CompatibleResult worst;
  const auto number = [&](std::string_view name) {
    const json::Value* n = v->find(name);
    return n != nullptr && n->is_number() ? n->number() : HUGE_VAL;
  };
  const auto truth = [&](std::string_view name) {
    const json::Value* b = v->find(name);
    return b != nullptr && b->is_bool() && b->boolean();
  };
  worst.is_passed = truth("passed");
  worst.max_absolute_error = number("maxAbsoluteError");
  worst.max_relative_error = number("maxRelativeError");
  worst.has_nan = truth("hasNan");
  worst.has_inf = truth("hasInf");
  KI_TRY(worst.matched_ratio, number_of(*v, "matchedRatio"));
  judge::CompatibleSummary out;
  out.add(worst);
  return out;
}

void write_strict(json::Writer& w, const CaseResult& result) {
  w.key("strictErrors");
  if (!result.worst) {
    w.null();
    return;
  }
  const judge::StrictResult& s = *result.worst;
  w.begin_object().member("total", s.total).member("bad", s.bad).member("unwritten", s.unwritten);
  w.member("matchedRatio", s.matched_ratio).member("maxAbsoluteError", s.max_absolute_error);
  w.member("maxRelativeError", s.max_relative_error).member("rmsError", s.rms_error);
  w.member("rmsReference", s.rms_reference).member("nativeRmsError", s.native_rms_error);
  w.member("atolInForce", s.atol).end_object();
}
Result<std::optional<judge::StrictResult>> strict_of(const json::Value& object) {
  const json::Value* v = object.find("strictErrors");
  if (v == nullptr) return wrong("strictErrors");
  if (v->is_null()) return std::nullopt;
  judge::StrictResult out;
  KI_TRY(const std::int64_t total, integer_of(*v, "total"));
  KI_TRY(const std::int64_t bad, integer_of(*v, "bad"));
  KI_TRY(const std::int64_t unwritten, integer_of(*v, "unwritten"));
  out.total = static_cast<std::uint64_t>(total);
  out.bad = static_cast<std::uint64_t>(bad);
  out.unwritten = static_cast<std::uint64_t>(unwritten);
  KI_TRY(out.matched_ratio, number_of(*v, "matchedRatio"));
  KI_TRY(out.max_absolute_error, number_of(*v, "maxAbsoluteError"));
  KI_TRY(out.max_relative_error, number_of(*v, "maxRelativeError"));
  KI_TRY(out.rms_error, number_of(*v, "rmsError"));
  KI_TRY(out.rms_reference, number_of(*v, "rmsReference"));
  KI_TRY(out.native_rms_error, number_of(*v, "nativeRmsError"));
  KI_TRY(out.atol, number_of(*v, "atolInForce"));
  return out;
}

}  // namespace

void write_case(json::Writer& w, const CaseResult& result, const judge::RunKey& key) {
  (void)key;
  w.begin_object().member("case", result.uuid).key("axes").begin_object();
  for (const auto& axis : result.axes) w.member(axis.name, axis.value);
  w.end_object().member("bytes", result.bytes);
  write_verdict(w, "strict", result.strict);
  write_verdict(w, "compatible", result.compatible);
  write_strict(w, result);
  write_compatible(w, result.compatible_summary);
  write_texts(w, "flags", result.flags);
  write_texts(w, "denied", result.denied);
  if (result.timing) {
    write_timing(w, *result.timing);
  } else {
    w.key("timing").null();
  }
  write_samples(w, result.samples);
  write_calls(w, result.calls);
  w.member("log", result.log).end_object();
}

Result<CaseResult> read_case(const json::Value& value, const judge::RunKey& key) {
  CaseResult out;
  KI_TRY(out.uuid, text_of(value, "case"));
  const json::Value* axes = value.find("axes");
  if (axes == nullptr || !axes->is_object()) return wrong("axes");
  for (const json::Member& axis : axes->members()) {
    const auto size = axis.value.integer();
    if (!size) return wrong("axes");
    out.axes.push_back({std::string(axis.key), *size});
  }
  KI_TRY(out.bytes, integer_of(value, "bytes"));
  KI_TRY(out.strict, verdict_of(value, "strict"));
  KI_TRY(out.compatible, verdict_of(value, "compatible"));
  KI_TRY(out.worst, strict_of(value));
  KI_TRY(out.compatible_summary, compatible_of(value));
  KI_TRY(out.flags, texts_of(value, "flags"));
  KI_TRY(out.denied, texts_of(value, "denied"));
  KI_TRY(out.samples, samples_of(value));
  KI_TRY(out.calls, calls_of(value));
  KI_TRY(out.log, text_of(value, "log"));
  const json::Value* timing = value.find("timing");
  if (timing == nullptr) return wrong("timing");
  if (timing->is_null()) return out;
  KI_TRY(const std::int64_t calls, integer_of(*timing, "callsASample"));
  KI_TRY(const double empty, number_of(*timing, "emptyNs"));
  if (calls < 1 || calls > 1'000'000) return wrong("callsASample");
  out.timing = timing_of(out.samples, static_cast<std::uint32_t>(calls), empty,
                         bootstrap_seed(key, out.uuid));
  if (!out.timing) return wrong("samples");
  for (const auto& [name, computed] :
       {std::pair{"medianNs", out.timing->median}, std::pair{"meanNs", out.timing->mean},
        std::pair{"p05Ns", out.timing->p05}, std::pair{"p95Ns", out.timing->p95},
        std::pair{"madNs", out.timing->mad}, std::pair{"confidence95LowNs", out.timing->low},
        std::pair{"confidence95HighNs", out.timing->high}}) {
    KI_TRY(const double stored, number_of(*timing, name));
    if (stored != computed) {
      return fail(Code::kCorrupt,
                  fmt::format("case {}: {} is {} and comes out as {} from the samples",
                              quote(out.uuid), name, stored, computed));
    }
  }
  return out;
}

std::string result_json(const RunResult& result, const judge::RunKey& key,
                        const MachineName& machine, std::string_view timestamp) {
  std::string out;
  json::Writer w(out, json::Writer::Style::kCompact);
  w.begin_object().member("problem", result.problem).member("solution", result.solution);
  w.member("definitionDigest", result.definition_digest.to_string());
  w.member("solutionDigest", result.solution_digest.to_string());
  w.member("protocol", protocol_name(result.plan.cache)).member("processes", result.plan.processes);
  w.member("quick", result.plan.is_quick)
      .member("keyCommitment", result.key_commitment.to_string());
  w.member("key", result.key).member("timestamp", timestamp).member("version", machine.version);
  w.member("hardware", machine.hardware).member("elapsedSeconds", result.elapsed_s);
  w.member("cancelled", result.was_cancelled);
  w.key("build").begin_object().member("outcome", sandbox::to_string(result.build.outcome));
  w.member("reason", result.build.reason).member("compiler", result.build.compiler.version);
  w.member("compilerDigest", result.build.compiler.digest);
  w.member("machineFlags", result.build.compiler.machine_flags);
  w.key("objectDigest");
  if (result.build.object.empty()) {
    w.null();
  } else {
    w.value(Digest::of(result.build.object).to_string());
  }
  w.key("commands").begin_array();
  for (const auto& command : result.build.commands) w.value(join(command, " "));
  w.end_array().member("log", result.build.log).end_object();
  w.key("isolation").begin_object().member("level", sandbox::to_string(result.isolation.level));
  w.key("facts").begin_array();
  for (const sandbox::IsolationFact& fact : result.isolation.facts) {
    w.begin_object().member("id", fact.id).member("holds", fact.holds);
    w.member("required", fact.is_required).member("observed", fact.observed).end_object();
  }
  w.end_array().end_object();
  for (const auto& [name, readings] : {std::pair{"sentinelsBeforeNs", &result.sentinels_before},
                                       std::pair{"sentinelsAfterNs", &result.sentinels_after}}) {
    w.key(name).begin_object();
    for (const measure::SentinelReading& reading : *readings)
      w.member(reading.name, reading.nanoseconds);
    w.end_object();
  }
  write_verdict(w, "heldOut", result.held_out);
  w.key("cases").begin_array();
  for (const CaseResult& one : result.cases) write_case(w, one, key);
  w.end_array().end_object();
  return out;
}

Result<Record> read_record(std::string_view json) {
  KI_TRY(const json::Document document,
         json::read_document(json, json::Limits{.max_bytes = std::size_t{256} << 20}));
  const json::Value& root = document.root;
  Record out;
  const auto digest = [&](std::string_view member, Digest& into) -> Result<void> {
    KI_TRY(const std::string text, text_of(root, member));
    KI_TRY(into, Digest::parse(text));
    return {};
  };
  const auto truth = [&](std::string_view member) -> Result<bool> {
    const json::Value* v = root.find(member);
    if (v == nullptr || !v->is_bool()) return wrong(member);
    return v->boolean();
  };
  KI_TRY_VOID(digest("definitionDigest", out.definition_digest));
  KI_TRY_VOID(digest("solutionDigest", out.solution_digest));
  KI_TRY_VOID(digest("keyCommitment", out.key_commitment));
  KI_TRY(const std::string key_text, text_of(root, "key"));
  KI_TRY(const judge::RunKey key, judge::RunKey::parse(key_text));
  if (key.commitment() != out.key_commitment) {
    return fail(Code::kCorrupt, "the revealed key is not the one that was committed to");
  }
  KI_TRY(out.protocol, text_of(root, "protocol"));
  KI_TRY(out.version, text_of(root, "version"));
  KI_TRY(const std::int64_t processes, integer_of(root, "processes"));
  if (processes < 1 || processes > 1'000) return wrong("processes");
  out.processes = static_cast<std::uint32_t>(processes);
  KI_TRY(out.is_quick, truth("quick"));
  KI_TRY(out.was_cancelled, truth("cancelled"));
  const json::Value* build = root.find("build");
  if (build == nullptr) return wrong("build");
  KI_TRY(const std::string outcome, text_of(*build, "outcome"));
  out.is_built = outcome == sandbox::to_string(sandbox::BuildOutcome::kBuilt);
  const json::Value* isolation = root.find("isolation");
  if (isolation == nullptr) return wrong("isolation");
  KI_TRY(const std::string level, text_of(*isolation, "level"));
  constexpr std::array<sandbox::IsolationLevel, 3> kLevels = {sandbox::IsolationLevel::kNone,
                                                              sandbox::IsolationLevel::kPartial,
                                                              sandbox::IsolationLevel::kFull};
  KI_TRY(out.isolation, named(kLevels, level, "level"));
  for (const auto& [name, into] : {std::pair{"sentinelsBeforeNs", &out.sentinels_before},
                                   std::pair{"sentinelsAfterNs", &out.sentinels_after}}) {
    const json::Value* readings = root.find(name);
    if (readings == nullptr || !readings->is_object()) return wrong(name);
    for (const json::Member& reading : readings->members()) {
      if (!reading.value.is_number()) return wrong(name);
      into->push_back({std::string(reading.key), reading.value.number()});
    }
  }
  KI_TRY(out.held_out, verdict_of(root, "heldOut"));
  const json::Value* cases = root.find("cases");
  if (cases == nullptr || !cases->is_array()) return wrong("cases");
  for (const json::Value& one : cases->items()) {
    KI_TRY(CaseResult result, read_case(one, key));
    out.cases.push_back(std::move(result));
  }
  return out;
}

problem::Trace trace_of(const RunResult& run, const CaseResult& result,
                        const problem::Problem& problem, const MachineName& machine,
                        std::string_view timestamp) {
  problem::Trace out;
  out.definition = run.problem;
  const auto workload = std::ranges::find(problem.workloads, result.uuid, &problem::Workload::uuid);
  if (workload != problem.workloads.end()) out.workload = *workload;
  out.solution = run.solution;
  problem::Evaluation e;
  e.status = result.strict.status;
  e.hardware = machine.hardware;
  e.libs["ki"] = machine.version;
  if (!run.build.compiler.version.empty()) e.libs["compiler"] = run.build.compiler.version;
  e.timestamp = timestamp;
  if (!result.strict.reason.empty())
    e.log = fmt::format("[reason={}] {}\n", result.strict.reason, result.strict.detail);
  if (e.status == Status::kCompileError) e.log += run.build.log;
  if (std::ranges::find(result.flags, "unhealthy") != result.flags.end())
    e.log += "unverified-environment: over a fifth of the samples were rejected\n";
  e.log += result.log;
  if (e.status == Status::kPassed || e.status == Status::kIncorrectNumerical) {
    problem::Correctness c;
    const judge::CompatibleResult& worst = result.compatible_summary.worst();
    c.has_nan = worst.has_nan;
    c.has_inf = worst.has_inf;
    // Strict JSON: what is not finite is said by the flag, and the numbers stand in `extra`.
    if (std::isfinite(worst.max_absolute_error) && std::isfinite(worst.max_relative_error)) {
      c.max_absolute_error = worst.max_absolute_error;
      c.max_relative_error = worst.max_relative_error;
    } else if (!c.has_nan) {
      c.has_inf = true;
    }
    json::Writer w(c.extra_json);
    w.begin_object().member("x_comparator", "ki_strict_v1");
    w.member("x_compatible_status", problem::to_string(result.compatible.status));
    if (!result.strict.reason.empty()) w.member("x_reason", result.strict.reason);
    if (result.worst) {
      w.member("matched_ratio", result.worst->matched_ratio);
      w.member("x_max_absolute_error", result.worst->max_absolute_error);
    }
    write_texts(w, "x_flags", result.flags);
    w.end_object();
    e.correctness = std::move(c);
  }
  if (e.status == Status::kPassed && result.timing) {
    e.performance = problem::Performance{result.timing->median * 1e-6, 0, 0};
  }
  out.evaluation = std::move(e);
  return out;
}

}  // namespace ki::harness
