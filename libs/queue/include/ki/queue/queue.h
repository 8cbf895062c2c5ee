// Queue: jobs that wait for a runner, are leased to one, and end with exactly one result for each
// of their cases, whatever dies. The port; see FileQueue and MemoryQueue.
#pragma once

#include "ki/queue/record.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::queue {

struct QueueListing {
  std::vector<JobRecord> jobs;       // by id: the order of submission
  std::vector<std::string> damaged;  // ids of records that cannot be read
};

enum class Stored : std::uint8_t { kStored, kIgnored };

// Each call is one atomic step, durable when it returns. `now` is the caller's clock.
class Queue {
 public:
  virtual ~Queue() = default;

  // kConflict when the id is known, kInvalidArgument when `solution` is not what the job names.
  virtual Result<JobRecord> submit(const sign::Envelope& envelope, std::string_view solution,
                                   Instant now) = 0;
  virtual Result<QueueListing> list(Instant now) = 0;
  virtual Result<JobRecord> find(const Uuid& id, Instant now) = 0;  // kNotFound
  virtual Result<std::string> solution(const Digest& digest) = 0;   // checked against its digest

  // The oldest job that this runner may do, or nothing.
  virtual Result<std::optional<JobRecord>> lease(const RunnerTraits& runner,
                                                 std::chrono::milliseconds length, Instant now) = 0;
  // The job; its holder stops when is_cancel_asked. kConflict: the lease is lost, stop at once.
  virtual Result<JobRecord> renew(const Lease& lease, std::chrono::milliseconds length,
                                  Instant now) = 0;
  // Before results leave the queue for the catalog: from here on no time-out takes the lease and no
  // cancellation stops it, so that only a dead holder's job is given to another.
  virtual Result<void> seal(const Lease& lease, Instant now) = 0;
  // A second result of a case, and a result of a lost lease, are ignored and counted.
  virtual Result<Stored> put_result(const Lease& lease, const CaseOutcome& outcome,
                                    Instant now) = 0;
  virtual Result<JobRecord> finish(const Lease& lease, Ending ending, std::string message,
                                   Instant now) = 0;
  // A queued job is cancelled at once, a leased one when its runner has stopped. kConflict when it
  // has ended, or its results are being published.
  virtual Result<JobRecord> cancel(const Uuid& id, std::string reason, Instant now) = 0;
};

}  // namespace ki::queue
