#include "ki/queue/record_queue.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::queue {
namespace {

Instant after(Instant now, std::chrono::milliseconds length) {
  return Instant{now.ms + length.count()};
}

}  // namespace

Result<JobRecord> RecordQueue::settled(const Uuid& id, Instant now) {
  KI_TRY(JobRecord record, read(id));
  if (settle(record, now, life_)) KI_TRY_VOID(write(record));
  return record;
}

// The holder of a lease that is late but still its own goes on: nobody else wanted the job.
Result<JobRecord> RecordQueue::held(const Lease& lease) {
  KI_TRY(JobRecord record, read(lease.job));
  KI_TRY_VOID(check_lease(record, lease));
  return record;
}

Result<JobRecord> RecordQueue::submit(const sign::Envelope& envelope, std::string_view solution,
                                      Instant now) {
  KI_TRY(Job job, read_job(envelope));
  if (Digest::of(solution) != job.solution)
    return fail(Code::kInvalidArgument, "the solution is not the one that the job names");
  if (job.expires <= now) return fail(Code::kInvalidArgument, "the job has expired already");
  KI_TRY(const auto lock, this->lock());
  if (const auto known = read(job.id); known || known.error().code() != Code::kNotFound) {
    return fail(Code::kConflict,
                fmt::format("there is a job {} already; ids are used once", job.id.to_string()));
  }
  KI_TRY_VOID(write_solution(job.solution, solution));
  JobRecord record{.job = std::move(job),
                   .envelope = sign::to_json(envelope),
                   .submitted = now,
                   .changed = now,
                   .events = {{now, "queued"}}};
  KI_TRY_VOID(write(record));
  return record;
}

Result<QueueListing> RecordQueue::list(Instant now) {
  KI_TRY(const auto lock, this->lock());
  KI_TRY(const std::vector<Uuid> all, ids());
  QueueListing out;
  for (const Uuid& id : all) {
    auto record = settled(id, now);
    if (record) {
      out.jobs.push_back(*std::move(record));
    } else if (record.error().code() == Code::kCorrupt) {
      out.damaged.push_back(id.to_string());
    } else {
      return fail(std::move(record).error());
    }
  }
  return out;
}

Result<JobRecord> RecordQueue::find(const Uuid& id, Instant now) {
  KI_TRY(const auto lock, this->lock());
  return settled(id, now);
}

Result<std::string> RecordQueue::solution(const Digest& digest) {
  KI_TRY(const auto lock, this->lock());
  KI_TRY(std::string text, read_solution(digest));
  if (Digest::of(text) != digest)
    return fail(Code::kCorrupt, fmt::format("the solution {} is damaged", digest.to_string()));
  return text;
}

Result<std::optional<JobRecord>> RecordQueue::lease(const RunnerTraits& runner,
                                                    std::chrono::milliseconds length, Instant now) {
  KI_TRY(const auto lock, this->lock());
  KI_TRY(const std::vector<Uuid> all, ids());
  for (const Uuid& id : all) {
    auto record = settled(id, now);
    if (!record) {
      // One damaged record holds nobody up; list() names it.
      if (record.error().code() == Code::kCorrupt) continue;
      return fail(std::move(record).error());
    }
    if (record->state != State::kQueued || !fits(record->job.runner, runner)) continue;
    begin_lease(*record, runner.holder, now, after(now, length));
    KI_TRY_VOID(write(*record));
    return *std::move(record);
  }
  return std::nullopt;
}

Result<JobRecord> RecordQueue::renew(const Lease& lease, std::chrono::milliseconds length,
                                     Instant now) {
  KI_TRY(const auto lock, this->lock());
  KI_TRY(JobRecord record, held(lease));
  record.lease->until = std::max(record.lease->until, after(now, length));
  KI_TRY_VOID(write(record));
  return record;
}

Result<void> RecordQueue::seal(const Lease& lease, Instant now) {
  KI_TRY(const auto lock, this->lock());
  KI_TRY(JobRecord record, held(lease));
  if (record.is_cancel_asked)
    return fail(Code::kCancelled, "the job is to be cancelled: nothing is published");
  record.lease->is_sealed = true;
  record.changed = now;
  return write(record);
}

Result<Stored> RecordQueue::put_result(const Lease& lease, const CaseOutcome& outcome,
                                       Instant now) {
  KI_TRY(const auto lock, this->lock());
  KI_TRY(JobRecord record, read(lease.job));
  if (std::ranges::find(record.job.cases, outcome.workload) == record.job.cases.end()) {
    return fail(Code::kInvalidArgument, fmt::format("the job has no case '{}'", outcome.workload));
  }
  if (!check_lease(record, lease) || record.result_of(outcome.workload) != nullptr) {
    ++record.ignored_results;
    KI_TRY_VOID(write(record));
    return Stored::kIgnored;
  }
  record.results.push_back(outcome);
  record.changed = now;
  KI_TRY_VOID(write(record));
  return Stored::kStored;
}

Result<JobRecord> RecordQueue::finish(const Lease& lease, Ending ending, std::string message,
                                      Instant now) {
  KI_TRY(const auto lock, this->lock());
  KI_TRY(JobRecord record, held(lease));
  end_lease(record, ending, std::move(message), now);
  KI_TRY_VOID(write(record));
  return record;
}

Result<JobRecord> RecordQueue::cancel(const Uuid& id, std::string reason, Instant now) {
  KI_TRY(const auto lock, this->lock());
  KI_TRY(JobRecord record, settled(id, now));
  if (record.lease && record.lease->is_sealed)
    return fail(Code::kConflict, "the results of the job are being published");
  if (!ask_to_cancel(record, std::move(reason), now)) {
    return fail(Code::kConflict, fmt::format("the job has ended: {}", to_string(record.state)));
  }
  KI_TRY_VOID(write(record));
  return record;
}

}  // namespace ki::queue
