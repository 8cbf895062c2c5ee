// CatalogExecutor: a job, built, judged, timed and published into the catalog.
#pragma once

#include "command.h"
#include "ki/queue/runner.h"

#include <filesystem>

namespace ki::cli {

class CatalogExecutor final : public queue::Executor {
 public:
  // `work` keeps the finished cases of attempts that were killed, a folder a job.
  CatalogExecutor(const Context& context, std::filesystem::path work)
      : context_(context), work_(std::move(work)) {}

  Result<std::optional<queue::Attempt>> find_published(const queue::Job& job) override;
  Result<queue::Attempt> execute(const queue::Job& job, const std::string& solution,
                                 const std::atomic<bool>& cancel,
                                 const std::function<Result<void>()>& seal) override;
  // What attempts at jobs that have ended left.
  void remove_work(const queue::QueueListing& listing) const;

 private:
  const Context& context_;
  std::filesystem::path work_;
};

}  // namespace ki::cli
