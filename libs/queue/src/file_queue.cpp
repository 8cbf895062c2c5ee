#include "ki/queue/file_queue.h"

#include "ki/io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace ki::queue {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".json";

Result<void> make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) fs::permissions(folder, fs::perms::owner_all, error);
  if (error) return fail(io::system_error(error.value(), "cannot make the folder", folder));
  return {};
}

// Under the lock: whatever is neither a job nor a solution is a write that a kill cut short.
template <class IsOurs>
void remove_leftovers(const fs::path& folder, const IsOurs& is_ours) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const fs::path name = entry.path().filename();
    std::error_code ignored;
    if (name.extension() != kSuffix || !is_ours(name.stem().string()))
      fs::remove(entry.path(), ignored);
  }
}

}  // namespace

Result<std::unique_ptr<FileQueue>> FileQueue::open(const fs::path& folder, LifeOf life) {
  KI_TRY_VOID(make_folder(folder));
  KI_TRY_VOID(make_folder(folder / "jobs"));
  KI_TRY_VOID(make_folder(folder / "solutions"));
  std::unique_ptr<FileQueue> queue(new FileQueue(folder, std::move(life)));
  KI_TRY(const auto lock, queue->lock());
  remove_leftovers(folder / "jobs",
                   [](const std::string& stem) { return Uuid::parse(stem).has_value(); });
  remove_leftovers(folder / "solutions", [](const std::string& stem) {
    return Digest::parse("sha256:" + stem).has_value();
  });
  return queue;
}

fs::path FileQueue::job_path(const Uuid& id) const {
  return folder_ / "jobs" / (id.to_string() + std::string(kSuffix));
}
fs::path FileQueue::solution_path(const Digest& digest) const {
  return folder_ / "solutions" / (digest.hex() + std::string(kSuffix));
}

Result<std::unique_ptr<RecordQueue::Lock>> FileQueue::lock() {
  struct Held final : Lock {
    explicit Held(int descriptor) : fd(descriptor) {}
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() override { ::close(fd); }
    int fd;
  };
  const fs::path path = folder_ / "lock";
  const int fd = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return fail(io::system_error(errno, "opening the lock", path));
  auto held = std::make_unique<Held>(fd);
  int status = 0;
  do {
    status = ::flock(fd, LOCK_EX);
  } while (status != 0 && errno == EINTR);
  if (status != 0) return fail(io::system_error(errno, "locking", path));
  return held;
}

Result<std::vector<Uuid>> FileQueue::ids() {
  std::error_code error;
  std::vector<Uuid> out;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / "jobs", error)) {
    const fs::path name = entry.path().filename();
    if (name.extension() != kSuffix) continue;
    if (const auto id = Uuid::parse(name.stem().string())) out.push_back(*id);
  }
  if (error) return fail(io::system_error(error.value(), "reading", folder_ / "jobs"));
  std::ranges::sort(out);
  return out;
}

Result<JobRecord> FileQueue::read(const Uuid& id) {
  auto text = io::read_file(job_path(id), std::size_t{64} << 20);
  if (!text) {
    if (text.error().code() == Code::kNotFound)
      return fail(Code::kNotFound, fmt::format("there is no job {}", id.to_string()));
    return fail(std::move(text).error());
  }
  auto record = JobRecord::read(*text);
  if (!record || record->job.id != id) {
    return fail(Code::kCorrupt,
                fmt::format("'{}' is damaged{}", job_path(id).string(),
                            record ? ": it is of another job" : ": " + record.error().to_string()));
  }
  return *std::move(record);
}

Result<void> FileQueue::write(const JobRecord& record) {
  return io::write_file_atomically(job_path(record.job.id), record.to_json());
}

Result<std::string> FileQueue::read_solution(const Digest& digest) {
  return io::read_file(solution_path(digest), std::size_t{64} << 20);
}

Result<void> FileQueue::write_solution(const Digest& digest, std::string_view text) {
  return io::write_file_atomically(solution_path(digest), text);
}

}  // namespace ki::queue
