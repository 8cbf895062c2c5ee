#include "ki/queue/memory_queue.h"

namespace ki::queue {
namespace {

std::unexpected<Error> no_such(const std::string& what) {
  return fail(Code::kNotFound, "there is no " + what);
}

}  // namespace

Result<std::unique_ptr<RecordQueue::Lock>> MemoryQueue::lock() {
  struct Held final : Lock {
    explicit Held(std::mutex& mutex) : guard(mutex) {}
    std::unique_lock<std::mutex> guard;
  };
  return std::make_unique<Held>(mutex_);
}

Result<std::vector<Uuid>> MemoryQueue::ids() {
  std::vector<Uuid> out;
  for (const auto& [id, record] : records_) out.push_back(id);
  return out;
}

Result<JobRecord> MemoryQueue::read(const Uuid& id) {
  const auto found = records_.find(id);
  if (found == records_.end()) return no_such("job " + id.to_string());
  return found->second;
}

Result<void> MemoryQueue::write(const JobRecord& record) {
  records_.insert_or_assign(record.job.id, record);
  return {};
}

Result<std::string> MemoryQueue::read_solution(const Digest& digest) {
  const auto found = solutions_.find(digest);
  if (found == solutions_.end()) return no_such("solution " + digest.to_string());
  return found->second;
}

Result<void> MemoryQueue::write_solution(const Digest& digest, std::string_view text) {
  solutions_.insert_or_assign(digest, std::string(text));
  return {};
}

}  // namespace ki::queue
