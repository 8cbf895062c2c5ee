// RecordQueue: the queue over anything that keeps one record a job and can be locked.
#pragma once

#include "ki/queue/queue.h"

#include <memory>

namespace ki::queue {

class RecordQueue : public Queue {
 public:
  explicit RecordQueue(LifeOf life) : life_(std::move(life)) {}

  Result<JobRecord> submit(const sign::Envelope& envelope, std::string_view solution,
                           Instant now) final;
  Result<QueueListing> list(Instant now) final;
  Result<JobRecord> find(const Uuid& id, Instant now) final;
  Result<std::string> solution(const Digest& digest) final;
  Result<std::optional<JobRecord>> lease(const RunnerTraits& runner,
                                         std::chrono::milliseconds length, Instant now) final;
  Result<JobRecord> renew(const Lease& lease, std::chrono::milliseconds length, Instant now) final;
  Result<void> seal(const Lease& lease, Instant now) final;
  Result<Stored> put_result(const Lease& lease, const CaseOutcome& outcome, Instant now) final;
  Result<JobRecord> finish(const Lease& lease, Ending ending, std::string message,
                           Instant now) final;
  Result<JobRecord> cancel(const Uuid& id, std::string reason, Instant now) final;

 protected:
  // Held for the length of one step: nobody else reads or writes meanwhile.
  struct Lock {
    virtual ~Lock() = default;
  };
  virtual Result<std::unique_ptr<Lock>> lock() = 0;
  virtual Result<std::vector<Uuid>> ids() = 0;              // ascending
  virtual Result<JobRecord> read(const Uuid& id) = 0;       // kNotFound, kCorrupt
  virtual Result<void> write(const JobRecord& record) = 0;  // whole or not at all
  virtual Result<std::string> read_solution(const Digest& digest) = 0;
  virtual Result<void> write_solution(const Digest& digest, std::string_view text) = 0;

 private:
  // Reads, settles and, when that changed it, writes.
  Result<JobRecord> settled(const Uuid& id, Instant now);
  Result<JobRecord> held(const Lease& lease);
  LifeOf life_;
};

}  // namespace ki::queue
