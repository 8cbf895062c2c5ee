// `ki doctor`: whether this machine is good enough to measure on, and why not.
#include "command.h"
#include "ki/display/table.h"
#include "ki/json/writer.h"
#include "ki/machine/ceilings.h"
#include "ki/machine/health.h"
#include "ki/machine/lock.h"
#include "ki/machine/snapshot.h"

#include <fmt/format.h>

namespace ki::cli {
namespace {

constexpr int kUnhealthyMachine = 4;

std::string mark(machine::Severity severity) {
  switch (severity) {
    case machine::Severity::kGood:
      return "ok";
    case machine::Severity::kLowers:
      return "lowers";
    case machine::Severity::kUnhealthy:
      return "NOT OK";
  }
  return "";
}

std::string rate_text(const machine::Ceiling& ceiling) {
  const bool is_copy = ceiling.unit == "bytes/s";
  return fmt::format("{:.2f}", ceiling.median / 1e9) + (is_copy ? " GB/s" : " Gflop/s");
}

std::string as_json(const machine::Snapshot& snapshot, const machine::Examination& seen,
                    const machine::Health& health, const std::vector<machine::Ceiling>& ceilings,
                    bool has_ceilings) {
  std::string out;
  json::Writer writer(out, json::Writer::Style::kIndented);
  writer.begin_object();
  writer.member("healthy", health.is_healthy()).member("canVerify", health.can_verify());
  writer.member("summary", health.summary());
  writer.member("hostClass", machine::to_string(seen.host_class));
  writer.key("isolation");
  if (seen.isolation) {
    writer.begin_object().member("level", sandbox::to_string(seen.isolation->level));
    writer.key("facts").begin_array();
    for (const sandbox::IsolationFact& fact : seen.isolation->facts) {
      writer.begin_object().member("id", fact.id).member("holds", fact.holds);
      writer.member("required", fact.is_required).member("observed", fact.observed).end_object();
    }
    writer.end_array().end_object();
  } else {
    writer.null();
  }
  writer.key("checks").begin_array();
  for (const machine::Check& check : health.checks) {
    writer.begin_object()
        .member("id", check.id)
        .member("severity", machine::to_string(check.severity));
    writer.member("observed", check.observed).member("advice", check.advice).end_object();
  }
  writer.end_array();
  writer.key("measured").begin_object();
  writer.member("emptyCallNs", seen.empty_call_ns).member("freezeNs", seen.freeze_ns);
  writer.member("callSpread", seen.call_spread).member("clockStepNs", seen.clock_step_ns);
  writer.member("clockCostNs", seen.clock_cost_ns).member("waitShare", seen.wait_share);
  writer.member("stealShare", seen.steal_share).member("load", seen.load);
  writer.member("compiler", seen.compiler).member("machineFlags", seen.machine_flags).end_object();
  writer.key("ceilings");
  if (has_ceilings) {
    writer.begin_array();
    for (const machine::Ceiling& ceiling : ceilings) {
      writer.begin_object().member("name", ceiling.name).member("unit", ceiling.unit);
      writer.member("threads", ceiling.threads).member("bufferBytes", ceiling.bytes);
      writer.member("median", ceiling.median)
          .member("low", ceiling.low)
          .member("high", ceiling.high);
      writer.member("best", ceiling.best).member("repetitions", ceiling.repetitions);
      writer.member("instructions", ceiling.instructions).end_object();
    }
    writer.end_array();
  } else {
    writer.null();
  }
  writer.key("environment").raw(machine::to_json(snapshot));
  writer.end_object();
  return out + "\n";
}

}  // namespace

Result<int> run_doctor(Context& context) {
  const bool has_ceilings = context.arguments().has("ceilings");
  if (!context.operands().empty()) {
    return fail(Code::kInvalidArgument, "ki doctor takes no operand");
  }
  const machine::Snapshot snapshot = machine::take_snapshot();
  const machine::Examination seen = machine::examine(snapshot);
  const machine::Health health = machine::judge(seen);
  std::vector<machine::Ceiling> ceilings;
  if (has_ceilings) {
    KI_TRY(const auto lock, machine::MeasuringLock::acquire("ki doctor --ceilings"));
    std::vector<int> threads = {1};
    if (seen.processors > 1) threads.push_back(seen.processors);
    ceilings = machine::measure_ceilings({.threads = threads});
  }
  const int code = health.is_healthy() ? kDone : kUnhealthyMachine;
  if (context.is_json()) {
    context.out(as_json(snapshot, seen, health, ceilings, has_ceilings));
    return code;
  }
  context.out(fmt::format("{} · {} · host class {} · {} of {} facts of the environment known\n\n",
                          snapshot.text("cpu_product").value_or("unknown processor"),
                          snapshot.text("os_name").value_or("unknown system"),
                          machine::to_string(seen.host_class), snapshot.known(),
                          snapshot.members.size()));
  display::Table checks({{"check"}, {""}, {"seen"}});
  for (const machine::Check& check : health.checks) {
    checks.add({check.id, mark(check.severity), check.observed});
    if (!check.advice.empty()) checks.add({"", "", "→ " + check.advice});
  }
  context.out(checks.render());
  if (has_ceilings) {
    display::Table table({{"ceiling"},
                          {"threads", display::Align::kRight},
                          {"median", display::Align::kRight},
                          {"±", display::Align::kRight},
                          {"buffer", display::Align::kRight},
                          {"with"}});
    context.out("\n");
    for (const machine::Ceiling& one : ceilings) {
      table.add({one.name, std::to_string(one.threads), rate_text(one),
                 fmt::format("{:.1f} %", 50 * (one.high - one.low) / one.median),
                 one.bytes == 0 ? "" : fmt::format("{} MiB", one.bytes >> 20), one.instructions});
    }
    context.out(table.render());
  }
  context.out("\n" + health.summary() + "\n");
  return code;
}

}  // namespace ki::cli
