#include "publish_run.h"

#include "catalog_keys.h"
#include "ki/display/format.h"
#include "ki/logbook/log_head.h"
#include "ki/machine/snapshot.h"
#include "ki/publish/publisher.h"
#include "ki/rerun/assess.h"
#include "ki/rerun/sign_bundle.h"
#include "log_files.h"
#include "this_machine.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::cli {
namespace {

void say(const Context& context, const publish::PublishReport& report,
         const rerun::Assessed& assessed) {
  std::string text =
      fmt::format("published {}\n",
                  display::count_noun(static_cast<std::int64_t>(report.runs_published), "run"));
  for (const std::string& id : report.run_ids) {
    text += fmt::format("  ki show run {}", id);
    const auto found = std::ranges::find(assessed.assessments, id, &rerun::Assessment::run_id);
    if (found == assessed.assessments.end()) {
      text += "   unsigned: the catalog has no runner key (ki key init)";
    } else if (found->is_verified) {
      text += "   " + found->label;
    } else if (!found->problem.empty()) {
      text += "   not verified: " + found->problem;
    } else {
      policy::VerifiedCpu verdict;
      verdict.clauses = found->clauses;
      text += "   " + verdict.why_not();
    }
    text += '\n';
  }
  context.err(text);
}

}  // namespace

Result<void> prepare_signing(const Context& context) {
  KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kCreate));
  KI_TRY(const auto runner, find_runner(*catalog.store, catalog.path));
  KI_TRY(const auto head, logbook::read_head(*catalog.store));
  if (runner && head) return {};
  const std::string actor = actor_of(context);
  if (!runner) {
    const std::string origin =
        head ? head->head.origin : logbook::default_origin(catalog.store->catalog_id());
    KI_TRY(const auto made,
           make_keys(*catalog.store, catalog.path, origin, std::string(kThisCatalog),
                     {actor, "key init", context.now()}));
    context.err(fmt::format("made a runner key and a log key for this catalog: {}\n",
                            Context::keys_path(catalog.path).string()));
  }
  if (!head) {
    KI_TRY(const logbook::LogHead begun,
           begin_catalog_log(catalog, std::nullopt, actor, context.now()));
    KI_TRY_VOID(catch_up_log(*catalog.store, catalog.path));
    context.err(fmt::format("began the transparency log {}\n", begun.origin));
  }
  return catalog.refresh_and_save();
}

Result<Published> publish_run(const Context& context, const FinishedRun& run,
                              const harness::MachineName& name) {
  KI_TRY(publish::Bundle bundle,
         harness::publication_of(run.result, run.problem, run.solution, run.key, run.is_seeded,
                                 this_machine(), name, run.finished));
  KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kCreate));
  // Only now, when no code of the candidate runs any more, is the private key read.
  KI_TRY(const auto runner, find_runner(*catalog.store, catalog.path));
  if (runner) {
    KI_TRY_VOID(rerun::sign_bundle(
        bundle, run.result.key_commitment,
        {.key = runner->key,
         .runner = {runner->owner, machine::machine_identity(), "", name.version},
         .started = run.started,
         .finished = run.finished,
         .job = run.job}));
  }
  UuidSource ids = new_ids();
  const Clock& clock = *context.environment().clock;
  publish::Publisher publisher(*catalog.live, clock, ids, "runner:cli");
  KI_TRY(const publish::PublishReport report, publisher.publish(bundle, {.reason = "rerun"}));
  rerun::Assessed assessed;
  if (runner) {
    KI_TRY(assessed, rerun::assess(*catalog.live, report.run_ids, clock, ids, "runner:cli"));
  }
  KI_TRY_VOID(catalog.refresh_and_save());
  say(context, report, assessed);
  const bool is_verified =
      !report.run_ids.empty() && std::ranges::all_of(report.run_ids, [&](const auto& id) {
        return std::ranges::any_of(assessed.assessments, [&](const rerun::Assessment& one) {
          return one.run_id == id && one.is_verified;
        });
      });
  return Published{is_verified, report.run_ids};
}

}  // namespace ki::cli
