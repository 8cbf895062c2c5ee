// MemoryQueue: a queue of one process, for tests and tools.
#pragma once

#include "ki/queue/record_queue.h"

#include <map>
#include <mutex>

namespace ki::queue {

class MemoryQueue final : public RecordQueue {
 public:
  explicit MemoryQueue(LifeOf life = life_of) : RecordQueue(std::move(life)) {}

 private:
  Result<std::unique_ptr<Lock>> lock() override;
  Result<std::vector<Uuid>> ids() override;
  Result<JobRecord> read(const Uuid& id) override;
  Result<void> write(const JobRecord& record) override;
  Result<std::string> read_solution(const Digest& digest) override;
  Result<void> write_solution(const Digest& digest, std::string_view text) override;

  std::mutex mutex_;
  std::map<Uuid, JobRecord> records_;
  std::map<Digest, std::string> solutions_;
};

}  // namespace ki::queue
