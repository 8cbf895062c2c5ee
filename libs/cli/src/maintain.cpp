// export, verify of files, fsck, backup, retract, supersede: what keeps a catalog.
#include "command.h"
#include "evidence.h"
#include "ki/base/text.h"
#include "ki/base/uuid.h"
#include "ki/display/format.h"
#include "ki/importers/export.h"
#include "ki/json/writer.h"
#include "ki/logbook/logbook.h"
#include "ki/publish/corrections.h"
#include "ki/publish/fsck.h"
#include "verify_run.h"

#include <fmt/format.h>

#include <random>

namespace ki::cli {
namespace {

std::int64_t as_count(std::uint64_t value) { return static_cast<std::int64_t>(value); }

std::string export_text(const importers::ExportInfo& info, std::string_view verb,
                        const std::string& path) {
  std::string out =
      fmt::format("{} {}: catalog version {}, {}, {:.1f} MB before compression\n", verb, path,
                  info.catalog_version, display::count_noun(as_count(info.lines), "line"),
                  static_cast<double>(info.text_bytes) / 1e6);
  display::Table table({{"table"}, {"rows", display::Align::kRight}, {"sha256"}});
  for (const auto& row : info.tables)
    table.add({row.table, display::count(as_count(row.count)), row.sha256.hex()});
  return out + table.render();
}

std::string export_json(const importers::ExportInfo& info) {
  std::string out;
  json::Writer w(out, json::Writer::Style::kIndented);
  w.begin_object()
      .member("catalogVersion", info.catalog_version)
      .member("chain", info.chain.to_string())
      .member("lines", info.lines)
      .member("textBytes", info.text_bytes);
  w.key("tables").begin_object();
  for (const auto& row : info.tables) {
    w.key(row.table)
        .begin_object()
        .member("count", row.count)
        .member("sha256", row.sha256.hex())
        .end_object();
  }
  w.end_object().end_object();
  return out + "\n";
}

importers::ExportOptions export_options(const Context& context, ProgressLine& progress) {
  importers::ExportOptions options;
  options.cancel = context.environment().cancel;
  options.progress = [&progress](std::uint64_t done, std::uint64_t total) {
    progress.show(fmt::format("{} of {} lines", display::count(as_count(done)),
                              display::count(as_count(total))));
  };
  return options;
}

Result<int> correct(Context& context, bool is_supersession) {
  const auto& operands = context.operands();
  if (operands.size() != (is_supersession ? 2U : 1U)) {
    return context.usage(is_supersession
                             ? "give the run that is replaced, then the run that replaces it"
                             : "which run?");
  }
  const auto reason = context.arguments().value("reason");
  if (!reason || trim(*reason).size() < 3)
    return context.usage("a correction needs its reason: --reason TEXT (3 characters or more)");
  KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kWrite));
  std::random_device device;
  UuidSource ids((std::uint64_t{device()} << 32) | device());
  publish::Corrections corrections(*catalog.live, *context.environment().clock, ids,
                                   context.arguments().value("actor").value_or("maintainer:cli"));
  KI_TRY(const publish::Correction done,
         is_supersession ? corrections.supersede(operands[0], operands[1], *reason)
                         : corrections.retract(operands[0], *reason));
  KI_TRY_VOID(catalog.refresh_and_save());
  if (context.is_json()) {
    std::string out;
    json::Writer w(out);
    w.begin_object()
        .member(is_supersession ? "superseded" : "retracted", true)
        .member("runId", done.run_id);
    w.member("leaderChanged", done.is_leader_changed).nullable("leaderRunId", done.leader_run_id);
    w.member("catalogVersion", done.commit.last).end_object();
    context.out(out + "\n");
    return kDone;
  }
  context.out(fmt::format("{} run {}; catalog version {}.\n",
                          is_supersession ? "Superseded" : "Retracted", done.run_id,
                          done.commit.last));
  if (done.is_leader_changed) {
    context.out(done.leader_run_id
                    ? fmt::format("The group's leader is now run {}.\n", *done.leader_run_id)
                    : "The group has no eligible run left.\n");
  } else {
    context.out("The group's leader stays.\n");
  }
  return kDone;
}

}  // namespace

Result<int> run_export(Context& context) {
  if (!context.operands().empty() && context.operands().front() == "evidence")
    return export_evidence(context);
  if (context.operands().size() != 1)
    return context.usage("to which file? It is written as Zstandard JSON Lines");
  const std::string& path = context.operands().front();
  KI_TRY(const auto level, context.arguments().integer("level", 9, 1, 19));
  KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  ProgressLine progress(context);
  importers::ExportOptions options = export_options(context, progress);
  options.level = static_cast<int>(level);
  KI_TRY(const importers::ExportInfo info,
         importers::export_catalog(*catalog.store, path, options));
  progress.clear();
  context.out(context.is_json() ? export_json(info) : export_text(info, "Wrote", path));
  return kDone;
}

Result<int> run_verify(Context& context) {
  if (context.operands().size() != 1) {
    return context.usage("verify which run, folder of evidence or export file?");
  }
  const std::string& what = context.operands().front();
  if (std::filesystem::is_directory(what)) return verify_evidence(context, what);
  if (std::filesystem::exists(what)) {
    ProgressLine progress(context);
    KI_TRY(const importers::ExportInfo info,
           importers::verify_export_file(what, export_options(context, progress)));
    progress.clear();
    context.out(context.is_json() ? export_json(info) : export_text(info, "Sound:", what));
    return kDone;
  }
  return verify_run(context, what);
}

Result<int> run_fsck(Context& context) {
  KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  ProgressLine progress(context);
  publish::FsckOptions options;
  options.snapshot_file = Context::snapshot_path(catalog.path);
  options.cancel = context.environment().cancel;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    progress.show(fmt::format("checked {} of {} entries", display::count(as_count(done)),
                              display::count(as_count(total))));
  };
  KI_TRY(publish::FsckReport report, publish::fsck(*catalog.store, options));
  KI_TRY(const auto log, logbook::check_log(*catalog.store));
  if (log) {
    for (const std::string& problem : log->problems)
      report.problems.push_back({"transparency_log", {}, {}, 0, problem});
  }
  progress.clear();
  if (context.is_json()) {
    context.out(report.to_json() + "\n");
  } else {
    for (const publish::Problem& problem : report.problems) context.out(problem.to_string() + "\n");
    context.out(fmt::format(
        "{} in {}, {}: {}\n  chain {}\n", display::count_noun(as_count(report.entries), "entry"),
        display::count_noun(as_count(report.commits), "commit"),
        display::count_noun(as_count(report.rows), "row"),
        report.is_clean()
            ? "everything recomputes"
            : display::count_noun(as_count(report.problems.size() + report.problems_left_out),
                                  "problem") +
                  "; nothing was repaired",
        report.head.chain.to_string()));
  }
  return report.is_clean() ? kDone : kDidNotPass;
}

Result<int> run_backup(Context& context) {
  if (context.operands().size() != 1) return context.usage("to which file?");
  KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  KI_TRY_VOID(catalog.store->backup(context.operands().front()));
  KI_TRY(const catalog::Head head, catalog.store->head());
  if (context.is_json()) {
    context.out(fmt::format("{{\"catalogVersion\":{},\"chain\":\"{}\"}}\n", head.seq,
                            head.chain.to_string()));
  } else {
    context.out(
        fmt::format("Copied catalog version {} to {}\n", head.seq, context.operands().front()));
  }
  return kDone;
}

Result<int> run_retract(Context& context) { return correct(context, false); }
Result<int> run_supersede(Context& context) { return correct(context, true); }

}  // namespace ki::cli
