// Runner: takes one job and sees it to its end: admission, lease renewals, time limit,
// cancellation, results. What a job means is the Executor's.
#pragma once

#include "ki/base/clock.h"
#include "ki/queue/queue.h"

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ki::queue {

struct Attempt {
  Ending ending = Ending::kDone;
  std::string message = {};               // one sentence, empty when done
  std::vector<CaseOutcome> results = {};  // of kDone: one for each case of the job
};

class Executor {
 public:
  virtual ~Executor() = default;
  // Asked before every attempt but the first: the results that an attempt published before it
  // died, or nothing. Publication being atomic, that is all of them.
  virtual Result<std::optional<Attempt>> find_published(const Job& job) = 0;
  // Does the job. `cancel` becomes true when it must stop: asked to, out of time, or the lease is
  // lost. `seal` is called right before publication; when it fails nothing may be published. An
  // Error is the machine's fault and tried again, but for kInvalidArgument and kUnsupported.
  virtual Result<Attempt> execute(const Job& job, const std::string& solution,
                                  const std::atomic<bool>& cancel,
                                  const std::function<Result<void>()>& seal) = 0;
};

struct RunnerOptions {
  RunnerTraits traits;
  std::vector<sign::PublicKey> trusted;     // who may ask for jobs here
  std::chrono::milliseconds lease{60'000};  // renewed every third of it
  const std::atomic<bool>* stop = nullptr;  // stop this runner: the job goes back
  std::function<void(const JobRecord&)> on_lease = {};
};

// Nothing when no job waits; else the job as the attempt left it.
Result<std::optional<JobRecord>> run_one(Queue& queue, Executor& executor, const Clock& clock,
                                         const RunnerOptions& options);

}  // namespace ki::queue
