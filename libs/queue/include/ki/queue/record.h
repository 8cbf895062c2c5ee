// JobRecord: what a queue knows of a job, and every step that it may take. Pure, so that each
// implementation of a queue, in files, in memory or in a database, does the same.
#pragma once

#include "ki/queue/job.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::queue {

enum class State : std::uint8_t { kQueued, kLeased, kDone, kFailed, kCancelled, kExpired };
std::string_view to_string(State state);
bool is_final(State state);

// A process of a machine that cannot be taken for another: pids are used again, boot ids are not.
struct Holder {
  std::string boot;  // /proc/sys/kernel/random/boot_id
  std::int64_t pid = 0;
  std::int64_t started = 0;  // field 22 of /proc/PID/stat, in ticks since the boot
  std::string name;          // for people: "ki runner"
  bool operator==(const Holder&) const = default;
};
// This process.
Holder this_process(std::string name);
enum class Life : std::uint8_t { kAlive, kDead, kUnknown };  // unknown: of another machine or boot
Life life_of(const Holder& holder);
using LifeOf = std::function<Life(const Holder&)>;

struct Lease {
  Uuid job;
  std::int64_t number = 0;  // from 1, never twice for a job, so that it fences late writers
  Holder holder = {};
  Instant until = {};      // renewed before then
  bool is_sealed = false;  // its results are being published: only its holder's death ends it
  bool operator==(const Lease&) const = default;
};

// What came out of one case, once.
struct CaseOutcome {
  std::string workload;  // the case's id
  std::string text;      // canonical JSON of an object
  bool operator==(const CaseOutcome&) const = default;
};

struct Event {
  Instant at;
  std::string what;
  bool operator==(const Event&) const = default;
};

struct JobRecord {
  Job job;
  std::string envelope;  // sign::to_json()
  State state = State::kQueued;
  std::int64_t attempts = 0;  // that count against the limit
  std::int64_t leases = 0;    // all that there were: numbers the next one
  std::optional<Lease> lease = {};
  bool is_cancel_asked = false;
  std::vector<CaseOutcome> results = {};
  std::int64_t ignored_results = 0;  // second results of a case, and results of lost leases
  std::string message = {};          // why it failed or was cancelled
  Instant submitted, changed;
  std::vector<Event> events = {};
  bool operator==(const JobRecord&) const = default;

  const CaseOutcome* result_of(std::string_view workload) const;
  bool is_complete() const { return results.size() == job.cases.size(); }
  std::string to_json() const;  // canonical
  static Result<JobRecord> read(std::string_view json);
};

struct RunnerTraits {
  Holder holder = {};
  std::string host_class;  // "vm", "bare", "bare_locked"
  bool has_full_isolation = false;
};
bool fits(const Requirement& requirement, const RunnerTraits& runner);

// How an attempt ended.
enum class Ending : std::uint8_t {
  kDone,       // every case has its result; a job that lacks one is tried again
  kRetry,      // the machine's fault: tried again while attempts are left
  kFailed,     // the job's own fault: never tried again
  kCancelled,  // stopped when asked to
  kReleased,   // the runner was stopped: the attempt does not count
};

// Each changes `record` and returns whether it did.
// A lease whose time is over, or whose holder is dead, is lost: the job is queued again, or failed
// when no attempt is left, cancelled when that was asked, done when all results are there. A job
// that waited too long expires.
bool settle(JobRecord& record, Instant now, const LifeOf& life);
// kConflict when the lease is no longer the job's.
Result<void> check_lease(const JobRecord& record, const Lease& lease);
void begin_lease(JobRecord& record, const Holder& holder, Instant now, Instant until);
void end_lease(JobRecord& record, Ending ending, std::string message, Instant now);
// False when the job ended already.
bool ask_to_cancel(JobRecord& record, std::string reason, Instant now);

}  // namespace ki::queue
