// ki runner: the jobs of a catalog's queue, one at a time on this machine.
#include "catalog_keys.h"
#include "command.h"
#include "job_executor.h"
#include "job_submit.h"
#include "ki/machine/lock.h"
#include "ki/machine/snapshot.h"
#include "ki/sandbox/host.h"
#include "publish_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace ki::cli {
namespace {

bool is_stopped(const Context& context) {
  const std::atomic<bool>* cancel = context.environment().cancel;
  return cancel != nullptr && cancel->load();
}

// Half a second at a time, so that Ctrl-C is heard.
void rest(const Context& context, int half_seconds) {
  for (int i = 0; i < half_seconds && !is_stopped(context); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
}

Result<queue::RunnerTraits> traits_of_this_machine() {
  KI_TRY(const sandbox::Host host, sandbox::Host::open());
  return queue::RunnerTraits{
      queue::this_process("ki runner"),
      std::string(machine::to_string(machine::host_class_of(machine::take_snapshot()))),
      host.isolation().level == sandbox::IsolationLevel::kFull};
}

// Whom this catalog lets ask for runs here: its runner keys that are still believed.
Result<std::vector<sign::PublicKey>> trusted_keys(const Context& context) {
  KI_TRY(const OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  KI_TRY(const sign::TrustList list, logbook::read_trust(*catalog.store));
  return list.believed(sign::Role::kRunner, std::nullopt);
}

// The right to measure now, or nothing when this runner was stopped while it waited.
Result<std::optional<machine::MeasuringLock>> take_turn(const Context& context) {
  const bool waits = context.arguments().has("wait");
  bool has_said = false;
  while (!is_stopped(context)) {
    std::optional<Error> why;
    auto lock = machine::MeasuringLock::acquire("ki runner");
    if (!lock) {
      why = std::move(lock).error();
    } else if (!context.arguments().has("any-load")) {
      if (auto quiet = machine::refuse_when_busy(); !quiet) why = std::move(quiet).error();
    }
    if (!why) return std::optional(*std::move(lock));
    if (!waits || why->code() != Code::kUnavailable) return fail(*std::move(why));
    if (!has_said) context.err("waiting: " + why->message() + "\n");
    has_said = true;
    if (lock) lock = fail(Code::kUnavailable, "given back");
    rest(context, 2);
  }
  return std::nullopt;
}

bool has_work(const queue::QueueListing& listing, const queue::RunnerTraits& traits) {
  return std::ranges::any_of(listing.jobs, [&](const queue::JobRecord& one) {
    return one.state == queue::State::kQueued && queue::fits(one.job.runner, traits);
  });
}

std::string sentence(const queue::JobRecord& record) {
  std::string out =
      fmt::format("job {}: {}", record.job.id.to_string(), queue::to_string(record.state));
  if (!record.message.empty()) out += ": " + record.message;
  return out + "\n";
}

}  // namespace

Result<int> run_runner(Context& context) {
  if (!context.operands().empty()) return context.usage("runner takes no operands");
  const bool is_once = context.arguments().has("once");
  const bool waits = context.arguments().has("wait");
  KI_TRY_VOID(prepare_signing(context));
  const std::filesystem::path folder = queue_path(context.catalog_path());
  KI_TRY(const auto queue, queue::FileQueue::open(folder));
  KI_TRY(const queue::RunnerTraits traits, traits_of_this_machine());
  CatalogExecutor executor(context, folder / "work");
  const Clock& clock = *context.environment().clock;
  int code = kDone, done = 0;
  while (!is_stopped(context)) {
    KI_TRY(const queue::QueueListing listing, queue->list(clock.now()));
    executor.remove_work(listing);
    if (!has_work(listing, traits)) {
      if (!waits) break;
      rest(context, 1);
      continue;
    }
    KI_TRY(const auto turn, take_turn(context));
    if (!turn) break;
    queue::RunnerOptions options;
    options.traits = traits;
    KI_TRY(options.trusted, trusted_keys(context));
    options.stop = context.environment().cancel;
    options.on_lease = [&](const queue::JobRecord& record) {
      context.err(fmt::format("job {}: attempt {} of {}, {}\n", record.job.id.to_string(),
                              record.attempts, record.job.limits.attempts, record.job.origin));
    };
    KI_TRY(const auto ended, queue::run_one(*queue, executor, clock, options));
    if (!ended) continue;  // another runner was first
    ++done;
    context.err(sentence(*ended));
    if (ended->state == queue::State::kFailed) {
      code = kDidNotPass;
    } else if (ended->state != queue::State::kDone && code == kDone) {
      code = kNothingExact;
    }
    // A job that goes back because of the machine is not tried in a tight loop.
    if (ended->state == queue::State::kQueued) rest(context, 2);
    if (is_once) break;
  }
  KI_TRY(const queue::QueueListing listing, queue->list(clock.now()));
  executor.remove_work(listing);
  if (done == 0 && !is_stopped(context)) context.err("no job waits\n");
  return is_stopped(context) && code == kDone ? kNothingExact : code;
}

}  // namespace ki::cli
