// Reading and writing traces.
#include "ki/problem/trace.h"

#include "ki/base/text.h"
#include "ki/json/pointer.h"
#include "ki/json/reader.h"
#include "workload_reader.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace ki::problem {
namespace {

constexpr std::array<std::string_view, kStatusCount> kStatuses = {
    "PASSED",        "INCORRECT_SHAPE", "INCORRECT_NUMERICAL", "INCORRECT_DTYPE",  "RUNTIME_ERROR",
    "COMPILE_ERROR", "TIMEOUT",         "REWARD_HACK",         "INVALID_REFERENCE"};
constexpr std::array<std::string_view, kStatusCount> kRunStatuses = {
    "passed",          "incorrect_shape",       "incorrect_numerical",
    "incorrect_dtype", "runtime_error",         "compile_error",
    "timeout",         "suspected_reward_hack", "invalid_reference"};

class EvaluationReader {
 public:
  EvaluationReader(const Source& source, Findings& findings, const json::Value& value)
      : source_(source), findings_(findings), object_(source, findings, value, "/evaluation") {}

  Evaluation read() {
    const std::string status = object_.text("status");
    const auto known = parse_status(status);
    if (known) {
      out_.status = *known;
    } else if (!status.empty()) {
      object_.refuse(*object_.value().find("status"), object_.pointer("status"), "status",
                     fmt::format("the status {} is not known", quote(status)));
    }
    if (const json::Value* environment = object_.object("environment")) {
      Object fields(source_, findings_, *environment, object_.pointer("environment"));
      read_environment(fields);
      fields.finish();
    }
    out_.timestamp = object_.text("timestamp");
    if (const json::Value* log = object_.raw("log"))
      out_.log = object_.text(*log, object_.pointer("log"), true).value_or("");
    read_correctness();
    read_performance();
    object_.finish();
    if (known && !is_complete(*known, out_.correctness.has_value(), out_.performance.has_value())) {
      object_.refuse(object_.value(), "/evaluation", "status_parts",
                     fmt::format("{} goes with {}", status,
                                 *known == Status::kPassed ? "correctness and performance"
                                 : *known == Status::kIncorrectNumerical
                                     ? "correctness and no performance"
                                     : "neither correctness nor performance"));
    }
    return std::move(out_);
  }

 private:
  void read_environment(Object& fields) {
    out_.hardware = fields.text("hardware");
    const json::Value* libs = fields.raw("libs");
    if (libs == nullptr) return;
    if (!Object::is_object(source_, findings_, *libs, fields.pointer("libs"))) return;
    for (const json::Member& lib : libs->members()) {
      std::string at = fields.pointer("libs");
      json::append_pointer(at, lib.key);
      if (auto text = fields.text(lib.value, at, true)) out_.libs[std::string(lib.key)] = *text;
    }
  }

  // A number that is at least 0; `may_be_nan` as the original's check lets NaN through.
  double at_least_0(Object& fields, std::string_view name, bool may_be_nan) {
    const double number = fields.number(name, 0);
    if (number < 0 || (!may_be_nan && std::isnan(number))) {
      fields.refuse(*fields.value().find(name), fields.pointer(name), "negative",
                    fmt::format("{} is {}; at least 0 is expected", name, number));
    }
    return number;
  }

  void read_correctness() {
    const json::Value* value = object_.optional("correctness");
    if (value == nullptr ||
        !Object::is_object(source_, findings_, *value, object_.pointer("correctness")))
      return;
    Object fields(source_, findings_, *value, object_.pointer("correctness"));
    Correctness out;
    out.max_relative_error = at_least_0(fields, "max_relative_error", true);
    out.max_absolute_error = at_least_0(fields, "max_absolute_error", true);
    out.has_nan = fields.boolean("has_nan", false);
    out.has_inf = fields.boolean("has_inf", false);
    if (const json::Value* extra = fields.optional("extra")) {
      if (Object::is_object(source_, findings_, *extra, fields.pointer("extra"))) {
        json::Writer w(out.extra_json);
        w.value(*extra);
      }
    }
    fields.finish();
    out_.correctness = std::move(out);
  }

  void read_performance() {
    const json::Value* value = object_.optional("performance");
    if (value == nullptr ||
        !Object::is_object(source_, findings_, *value, object_.pointer("performance")))
      return;
    Object fields(source_, findings_, *value, object_.pointer("performance"));
    out_.performance = Performance{at_least_0(fields, "latency_ms", false),
                                   at_least_0(fields, "reference_latency_ms", false),
                                   at_least_0(fields, "speedup_factor", false)};
    fields.finish();
  }

  const Source& source_;
  Findings& findings_;
  Object object_;
  Evaluation out_;
};

bool are_finite(const Trace& trace) {
  const Tolerance& tolerance = trace.workload.tolerance;
  bool is_good = std::isfinite(tolerance.max_atol) && std::isfinite(tolerance.max_rtol) &&
                 std::isfinite(tolerance.required_matched_ratio) &&
                 std::isfinite(tolerance.max_error_cap.value_or(0));
  for (const auto& [name, source] : trace.workload.inputs) {
    const auto* scalar = std::get_if<ScalarInput>(&source);
    const auto* number = scalar == nullptr ? nullptr : std::get_if<double>(&scalar->value);
    is_good = is_good && (number == nullptr || std::isfinite(*number));
  }
  if (!trace.evaluation) return is_good;
  if (const auto& c = trace.evaluation->correctness)
    is_good =
        is_good && std::isfinite(c->max_relative_error) && std::isfinite(c->max_absolute_error);
  if (const auto& p = trace.evaluation->performance) {
    is_good = is_good && std::isfinite(p->latency_ms) && std::isfinite(p->reference_latency_ms) &&
              std::isfinite(p->speedup_factor);
  }
  return is_good;
}

void write_evaluation(json::Writer& w, const Evaluation& e) {
  w.begin_object().member("status", to_string(e.status)).key("environment").begin_object();
  w.member("hardware", e.hardware).key("libs").begin_object();
  for (const auto& [name, version] : e.libs) w.member(name, version);
  w.end_object().end_object();
  w.member("timestamp", e.timestamp).member("log", e.log).key("correctness");
  if (e.correctness) {
    w.begin_object().member("max_relative_error", e.correctness->max_relative_error);
    w.member("max_absolute_error", e.correctness->max_absolute_error);
    w.member("has_nan", e.correctness->has_nan).member("has_inf", e.correctness->has_inf);
    w.key("extra");
    if (e.correctness->extra_json.empty()) {
      w.null();
    } else {
      w.raw(e.correctness->extra_json);
    }
    w.end_object();
  } else {
    w.null();
  }
  w.key("performance");
  if (e.performance) {
    w.begin_object().member("latency_ms", e.performance->latency_ms);
    w.member("reference_latency_ms", e.performance->reference_latency_ms);
    w.member("speedup_factor", e.performance->speedup_factor).end_object();
  } else {
    w.null();
  }
  w.end_object();
}

}  // namespace

std::string_view to_string(Status status) { return kStatuses[static_cast<std::size_t>(status)]; }

std::optional<Status> parse_status(std::string_view name) {
  for (std::size_t i = 0; i < kStatuses.size(); ++i) {
    if (kStatuses[i] == name) return static_cast<Status>(i);
  }
  return std::nullopt;
}

std::string_view run_status(Status status, std::string_view reason) {
  if (status == Status::kRuntimeError && reason == "resource_exceeded") return "resource_exceeded";
  if (status == Status::kRuntimeError && reason == "policy_violation") return "policy_violation";
  return kRunStatuses[static_cast<std::size_t>(status)];
}

bool is_complete(Status status, bool has_correctness, bool has_performance) {
  switch (status) {
    case Status::kPassed:
      return has_correctness && has_performance;
    case Status::kIncorrectNumerical:
      return has_correctness && !has_performance;
    case Status::kIncorrectShape:
    case Status::kIncorrectDtype:
    case Status::kRuntimeError:
    case Status::kCompileError:
    case Status::kTimeout:
    case Status::kRewardHack:
    case Status::kInvalidReference:
      return !has_correctness && !has_performance;
  }
  return false;
}

Reading<Trace> read_trace(std::string_view json, std::uint32_t first_line) {
  Reading<Trace> out;
  const auto source = Source::read(json, out.findings, first_line);
  if (!source || !Object::is_object(*source, out.findings, source->root(), "")) return out;
  Object object(*source, out.findings, source->root(), "");
  Trace trace;
  trace.definition = object.text("definition");
  if (const json::Value* workload = object.required("workload")) {
    if (auto read = read_workload_value(*source, out.findings, *workload, "/workload"))
      trace.workload = *std::move(read);
  }
  trace.solution = object.optional_text("solution").value_or("");
  if (const json::Value* evaluation = object.optional("evaluation")) {
    if (Object::is_object(*source, out.findings, *evaluation, "/evaluation"))
      trace.evaluation = EvaluationReader(*source, out.findings, *evaluation).read();
  }
  object.finish();
  for (const Finding& finding : out.findings) {
    if (finding.is_refused_strictly && finding.is_refused_compatibly) return out;
  }
  out.value = std::move(trace);
  return out;
}

Result<std::string> write_trace(const Trace& trace) {
  if (!are_finite(trace)) {
    return fail(Code::kInvalidArgument, "a number of the trace is not finite");
  }
  if (trace.evaluation &&
      !is_complete(trace.evaluation->status, trace.evaluation->correctness.has_value(),
                   trace.evaluation->performance.has_value())) {
    return fail(Code::kInvalidArgument,
                fmt::format("the parts of the trace do not fit its status {}",
                            to_string(trace.evaluation->status)));
  }
  std::string out;
  json::Writer w(out);
  w.begin_object().member("definition", trace.definition).key("workload");
  write_workload(w, trace.workload);
  w.key("solution");
  if (trace.solution.empty()) {
    w.null();
  } else {
    w.value(trace.solution);
  }
  w.key("evaluation");
  if (trace.evaluation) {
    write_evaluation(w, *trace.evaluation);
  } else {
    w.null();
  }
  w.end_object();
  return out;
}

}  // namespace ki::problem
