// FileQueue: a queue in a folder, for the processes of one machine. jobs/<id>.json holds a job,
// solutions/<digest>.json what it builds; each file is written whole, synced and renamed, under a
// lock that the system releases when its holder dies.
#pragma once

#include "ki/queue/record_queue.h"

#include <filesystem>

namespace ki::queue {

class FileQueue final : public RecordQueue {
 public:
  // Makes the folder, for its owner alone. Removes what a killed writer left half written.
  static Result<std::unique_ptr<FileQueue>> open(const std::filesystem::path& folder,
                                                 LifeOf life = life_of);

  const std::filesystem::path& folder() const { return folder_; }

 private:
  FileQueue(std::filesystem::path folder, LifeOf life)
      : RecordQueue(std::move(life)), folder_(std::move(folder)) {}
  std::filesystem::path job_path(const Uuid& id) const;
  std::filesystem::path solution_path(const Digest& digest) const;
  Result<std::unique_ptr<Lock>> lock() override;
  Result<std::vector<Uuid>> ids() override;
  Result<JobRecord> read(const Uuid& id) override;
  Result<void> write(const JobRecord& record) override;
  Result<std::string> read_solution(const Digest& digest) override;
  Result<void> write_solution(const Digest& digest, std::string_view text) override;

  std::filesystem::path folder_;
};

}  // namespace ki::queue
