#include "ki/queue/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace ki::queue {
namespace {

enum class Stop : std::uint8_t { kNone, kRunner, kAsked, kTime, kLeaseLost };

// Renews the lease while an attempt runs, and tells it when it must stop and why.
class Keeper {
 public:
  Keeper(Queue& queue, const Clock& clock, const RunnerOptions& options, const JobRecord& record)
      : queue_(queue),
        clock_(clock),
        options_(options),
        lease_(*record.lease),
        deadline_(std::chrono::steady_clock::now() +
                  std::chrono::seconds(record.job.limits.seconds)),
        thread_([this] { keep(); }) {}
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;
  ~Keeper() { join(); }

  // Ends the renewals.
  void join() {
    {
      const std::lock_guard guard(mutex_);
      is_over_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  const std::atomic<bool>& cancel() const { return cancel_; }
  Stop reason() const { return reason_; }

 private:
  void keep() {
    using std::chrono::steady_clock;
    // Often enough that a cancellation is heard soon.
    const auto interval = std::min(options_.lease / 3, std::chrono::milliseconds(2000));
    auto renewal = steady_clock::now() + interval;
    std::unique_lock guard(mutex_);
    while (!is_over_) {
      wake_.wait_for(guard, std::chrono::milliseconds(50));
      if (is_over_) return;
      if (options_.stop != nullptr && options_.stop->load()) stop(Stop::kRunner);
      if (steady_clock::now() >= deadline_) stop(Stop::kTime);
      if (steady_clock::now() < renewal) continue;
      renewal = steady_clock::now() + interval;
      guard.unlock();
      const auto renewed = queue_.renew(lease_, options_.lease, clock_.now());
      guard.lock();
      if (renewed) {
        if (renewed->is_cancel_asked) stop(Stop::kAsked);
      } else if (renewed.error().code() == Code::kConflict) {
        stop(Stop::kLeaseLost);
      }
      // Any other trouble may pass: the lease lasts three renewals.
    }
  }
  void stop(Stop why) {
    if (reason_ != Stop::kNone) return;
    reason_ = why;
    cancel_ = true;
  }

  Queue& queue_;
  const Clock& clock_;
  const RunnerOptions& options_;
  const Lease lease_;
  const std::chrono::steady_clock::time_point deadline_;
  std::atomic<bool> cancel_ = false;
  std::atomic<Stop> reason_ = Stop::kNone;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_over_ = false;
  std::thread thread_;  // last: it uses the others
};

bool is_fault_of_job(Code code) {
  return code == Code::kInvalidArgument || code == Code::kUnsupported || code == Code::kConflict;
}

Result<Attempt> attempt(Queue& queue, Executor& executor, const Clock& clock,
                        const JobRecord& record, Keeper& keeper,
                        std::span<const sign::PublicKey> trusted) {
  KI_TRY(const sign::Envelope envelope, sign::read_envelope(record.envelope));
  KI_TRY(const Job job, admit(envelope, trusted));
  if (record.lease->number > 1) {
    KI_TRY(auto published, executor.find_published(job));
    if (published) return *std::move(published);
  }
  KI_TRY(const std::string solution, queue.solution(job.solution));
  return executor.execute(job, solution, keeper.cancel(),
                          [&]() -> Result<void> { return queue.seal(*record.lease, clock.now()); });
}

Result<JobRecord> end(Queue& queue, const Clock& clock, const JobRecord& record,
                      Result<Attempt> made, Stop stopped) {
  const Lease& lease = *record.lease;
  const auto finish = [&](Ending ending, std::string message) {
    return queue.finish(lease, ending, std::move(message), clock.now());
  };
  if (made && made->ending == Ending::kDone) {
    for (const CaseOutcome& one : made->results) {
      KI_TRY_VOID(queue.put_result(lease, one, clock.now()));
    }
    auto finished = finish(Ending::kDone, {});
    if (!finished && finished.error().code() == Code::kConflict)
      return queue.find(lease.job, clock.now());  // too late: another has the job
    return finished;
  }
  switch (stopped) {
    case Stop::kLeaseLost:
      return queue.find(lease.job, clock.now());
    case Stop::kRunner:
      return finish(Ending::kReleased, "its runner was stopped");
    case Stop::kAsked:
      return finish(Ending::kCancelled, "cancelled as asked");
    case Stop::kTime:
      return finish(Ending::kRetry,
                    fmt::format("the attempt took longer than {} s", record.job.limits.seconds));
    case Stop::kNone:
      break;
  }
  if (made) return finish(made->ending, std::move(made->message));
  if (made.error().code() == Code::kCancelled)
    return finish(Ending::kCancelled, "cancelled as asked");
  return finish(is_fault_of_job(made.error().code()) ? Ending::kFailed : Ending::kRetry,
                made.error().to_string());
}

}  // namespace

Result<std::optional<JobRecord>> run_one(Queue& queue, Executor& executor, const Clock& clock,
                                         const RunnerOptions& options) {
  KI_TRY(auto leased, queue.lease(options.traits, options.lease, clock.now()));
  if (!leased) return std::nullopt;
  if (options.on_lease) options.on_lease(*leased);
  Keeper keeper(queue, clock, options, *leased);
  auto made = attempt(queue, executor, clock, *leased, keeper, options.trusted);
  keeper.join();
  KI_TRY(JobRecord ended, end(queue, clock, *leased, std::move(made), keeper.reason()));
  return ended;
}

}  // namespace ki::queue
