#include "ki/queue/record.h"

#include "ki/base/text.h"
#include "ki/json/reader.h"
#include "ki/json/writer.h"
#include "members.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <sstream>

namespace ki::queue {
namespace {

constexpr std::array<std::string_view, 6> kStates = {"queued", "leased",    "done",
                                                     "failed", "cancelled", "expired"};
constexpr std::int64_t kMost = (std::int64_t{1} << 53) - 1;
// Of a job that was tried a thousand times, the newest are kept.
constexpr std::size_t kMostEvents = 64;

std::string boot_id() {
  std::ifstream in("/proc/sys/kernel/random/boot_id");
  std::string line;
  std::getline(in, line);
  return line;
}

// State letter and start of a process; nothing when there is none.
struct ProcessStat {
  char state = '?';
  std::int64_t started = 0;
};
std::optional<ProcessStat> stat_of(std::int64_t pid) {
  std::ifstream in(fmt::format("/proc/{}/stat", pid));
  const std::string line{std::istreambuf_iterator<char>(in), {}};
  const auto close = line.rfind(')');
  if (close == std::string::npos) return std::nullopt;
  std::istringstream rest(line.substr(close + 1));
  std::string field;
  ProcessStat out;
  // Field 3 is the first after the name.
  for (int i = 3; i <= 22 && rest >> field; ++i) {
    if (i == 3) out.state = field.front();
    if (i == 22) out.started = std::strtoll(field.c_str(), nullptr, 10);
  }
  return out;
}

void note(JobRecord& record, Instant now, std::string what) {
  if (record.events.size() == kMostEvents) record.events.erase(record.events.begin() + 1);
  record.events.push_back({now, std::move(what)});
  record.changed = now;
}

void become(JobRecord& record, State state, std::string message, Instant now) {
  record.state = state;
  record.lease.reset();
  record.message = std::move(message);
  note(record, now,
       record.message.empty() ? std::string(to_string(state))
                              : fmt::format("{}: {}", to_string(state), record.message));
}

// After an attempt that did not end the job.
void try_again(JobRecord& record, const std::string& why, Instant now) {
  if (record.is_complete()) {
    become(record, State::kDone, {}, now);
  } else if (record.is_cancel_asked) {
    become(record, State::kCancelled, "cancelled as asked", now);
  } else if (record.attempts >= record.job.limits.attempts) {
    become(record, State::kFailed,
           fmt::format("{}; that was attempt {} of {}", why, record.attempts,
                       record.job.limits.attempts),
           now);
  } else {
    become(record, State::kQueued, why, now);
  }
}

void write_holder(json::Writer& w, const Holder& holder) {
  w.begin_object().member("boot", holder.boot).member("name", holder.name);
  w.member("pid", holder.pid).member("started", holder.started).end_object();
}

Result<Holder> read_holder(Members m) {
  Holder out;
  KI_TRY(out.boot, m.text("boot"));
  KI_TRY(out.name, m.text("name"));
  KI_TRY(out.pid, m.integer("pid", 0, kMost));
  KI_TRY(out.started, m.integer("started", 0, kMost));
  KI_TRY_VOID(m.finish());
  return out;
}

}  // namespace

std::string_view to_string(State state) { return kStates[static_cast<std::size_t>(state)]; }
bool is_final(State state) { return state != State::kQueued && state != State::kLeased; }

Holder this_process(std::string name) {
  const auto stat = stat_of(::getpid());
  return {boot_id(), ::getpid(), stat ? stat->started : 0, std::move(name)};
}

Life life_of(const Holder& holder) {
  if (holder.boot.empty() || holder.boot != boot_id()) return Life::kUnknown;
  const auto stat = stat_of(holder.pid);
  if (!stat || stat->started != holder.started || stat->state == 'Z' || stat->state == 'X')
    return Life::kDead;
  return Life::kAlive;
}

const CaseOutcome* JobRecord::result_of(std::string_view workload) const {
  const auto found = std::ranges::find(results, workload, &CaseOutcome::workload);
  return found == results.end() ? nullptr : &*found;
}

std::string JobRecord::to_json() const {
  std::string out;
  json::Writer w(out);
  w.begin_object().member("attempts", attempts).member("cancelAsked", is_cancel_asked);
  w.member("changed", changed.to_string()).member("envelope", envelope).key("events").begin_array();
  for (const Event& event : events) {
    w.begin_object().member("at", event.at.to_string()).member("what", event.what).end_object();
  }
  w.end_array().member("ignoredResults", ignored_results).key("lease");
  if (lease) {
    w.begin_object().key("holder");
    write_holder(w, lease->holder);
    w.member("number", lease->number)
        .member("sealed", lease->is_sealed)
        .member("until", lease->until.to_string())
        .end_object();
  } else {
    w.null();
  }
  w.member("leases", leases).member("message", message).key("results").begin_array();
  for (const CaseOutcome& one : results) {
    w.begin_object().member("case", one.workload).member("result", one.text).end_object();
  }
  w.end_array().member("state", to_string(state)).member("submitted", submitted.to_string());
  w.end_object();
  return out;
}

Result<JobRecord> JobRecord::read(std::string_view text) {
  KI_TRY(const json::Document document, json::read_document(text, {.max_bytes = 64U << 20}));
  KI_TRY(Members m, Members::of(document.root, "job record"));
  JobRecord out;
  KI_TRY(out.attempts, m.integer("attempts", 0, kMost));
  KI_TRY(out.is_cancel_asked, m.boolean("cancelAsked"));
  KI_TRY(out.changed, m.instant("changed"));
  KI_TRY(out.envelope, m.text("envelope"));
  KI_TRY(const sign::Envelope envelope, sign::read_envelope(out.envelope));
  KI_TRY(out.job, read_job(envelope));
  KI_TRY(const json::Value* events, m.array("events"));
  for (const json::Value& value : events->items()) {
    KI_TRY(Members event, Members::of(value, "job record/events"));
    Event one;
    KI_TRY(one.at, event.instant("at"));
    KI_TRY(one.what, event.text("what"));
    KI_TRY_VOID(event.finish());
    out.events.push_back(std::move(one));
  }
  KI_TRY(out.ignored_results, m.integer("ignoredResults", 0, kMost));
  KI_TRY(const json::Value* lease, m.take("lease"));
  if (!lease->is_null()) {
    KI_TRY(Members fields, Members::of(*lease, "job record/lease"));
    Lease one{.job = out.job.id};
    KI_TRY(one.number, fields.integer("number", 1, kMost));
    KI_TRY(Members holder, fields.object("holder"));
    KI_TRY(one.holder, read_holder(holder));
    KI_TRY(one.is_sealed, fields.boolean("sealed"));
    KI_TRY(one.until, fields.instant("until"));
    KI_TRY_VOID(fields.finish());
    out.lease = std::move(one);
  }
  KI_TRY(out.leases, m.integer("leases", 0, kMost));
  KI_TRY(out.message, m.text("message"));
  KI_TRY(const json::Value* results, m.array("results"));
  for (const json::Value& value : results->items()) {
    KI_TRY(Members result, Members::of(value, "job record/results"));
    CaseOutcome one;
    KI_TRY(one.workload, result.text("case"));
    KI_TRY(one.text, result.text("result"));
    KI_TRY_VOID(result.finish());
    out.results.push_back(std::move(one));
  }
  KI_TRY(const std::string state, m.text("state"));
  const auto found = std::ranges::find(kStates, state);
  if (found == kStates.end()) return m.wrong("state", "is not a state");
  out.state = static_cast<State>(found - kStates.begin());
  KI_TRY(out.submitted, m.instant("submitted"));
  KI_TRY_VOID(m.finish());
  if ((out.state == State::kLeased) != out.lease.has_value())
    return m.wrong("lease", "does not go with the state");
  return out;
}

bool fits(const Requirement& requirement, const RunnerTraits& runner) {
  return (requirement.host_class == "any" || requirement.host_class == runner.host_class) &&
         (!requirement.needs_full_isolation || runner.has_full_isolation);
}

bool settle(JobRecord& record, Instant now, const LifeOf& life) {
  bool has_changed = false;
  if (record.state == State::kLeased) {
    const Life alive = life(record.lease->holder);
    const bool is_late = record.lease->until <= now;
    // A sealed lease of a machine that nobody here can look at ends when its time does.
    const bool is_lost =
        alive == Life::kDead || (is_late && (alive == Life::kUnknown || !record.lease->is_sealed));
    if (!is_lost) return false;
    try_again(record,
              fmt::format("{} (process {}) {}", record.lease->holder.name, record.lease->holder.pid,
                          alive == Life::kDead ? "died" : "did not renew its lease"),
              now);
    has_changed = true;
  }
  if (record.state == State::kQueued && record.job.expires <= now) {
    become(record, State::kExpired,
           fmt::format("no attempt ended before {}", record.job.expires.to_string()), now);
    return true;
  }
  return has_changed;
}

Result<void> check_lease(const JobRecord& record, const Lease& lease) {
  if (record.state == State::kLeased && record.lease->number == lease.number &&
      record.lease->holder == lease.holder)
    return {};
  return fail(Code::kConflict,
              fmt::format("lease {} of job {} is lost: the job is {}", lease.number,
                          record.job.id.to_string(), to_string(record.state)));
}

void begin_lease(JobRecord& record, const Holder& holder, Instant now, Instant until) {
  record.state = State::kLeased;
  record.message.clear();
  ++record.attempts;
  record.lease = Lease{record.job.id, ++record.leases, holder, until};
  note(record, now, fmt::format("leased by {} (process {})", holder.name, holder.pid));
}

void end_lease(JobRecord& record, Ending ending, std::string message, Instant now) {
  switch (ending) {
    case Ending::kDone:
      if (record.is_complete()) {
        become(record, State::kDone, {}, now);
      } else {
        try_again(record, "the attempt ended without a result for every case", now);
      }
      return;
    case Ending::kRetry:
      try_again(record, message, now);
      return;
    case Ending::kFailed:
      become(record, State::kFailed, std::move(message), now);
      return;
    case Ending::kCancelled:
      become(record, State::kCancelled, std::move(message), now);
      return;
    case Ending::kReleased:
      --record.attempts;
      if (record.is_cancel_asked) {
        become(record, State::kCancelled, "cancelled as asked", now);
      } else {
        become(record, State::kQueued, std::move(message), now);
      }
      return;
  }
}

bool ask_to_cancel(JobRecord& record, std::string reason, Instant now) {
  if (is_final(record.state)) return false;
  if (record.state == State::kQueued) {
    become(record, State::kCancelled, std::move(reason), now);
  } else if (!record.is_cancel_asked) {
    record.is_cancel_asked = true;
    note(record, now, "asked to cancel: " + reason);
  }
  return true;
}

}  // namespace ki::queue
