#include "command.h"
#include "ki/base/text.h"
#include "ki/base/uuid.h"
#include "ki/display/format.h"
#include "ki/importers/kernelindex.h"
#include "ki/importers/manifest_files.h"
#include "ki/importers/sol.h"
#include "ki/io/file.h"
#include "ki/json/canonical.h"
#include "ki/json/writer.h"
#include "ki/publish/publisher.h"

#include <fmt/format.h>

#include <random>
#include <set>

namespace ki::cli {
namespace {

using display::count;
using display::count_noun;
using importers::ImportReport;

UuidSource new_ids() {
  std::random_device device;
  return UuidSource((std::uint64_t{device()} << 32) | device());
}

std::int64_t as_count(std::uint64_t value) { return static_cast<std::int64_t>(value); }

std::string facts_text(const publish::CatalogFacts& facts) {
  std::string ineligible;
  for (const auto& [code, number] : facts.ineligible) {
    ineligible +=
        fmt::format("{}{} {}", ineligible.empty() ? "" : ", ", count(as_count(number)), code);
  }
  return fmt::format(
      "  {} in {}, {} eligible{}\n  {}, {}, {}, {}, {}\n", count_noun(as_count(facts.runs), "run"),
      count_noun(as_count(facts.groups), "comparison group"), count(as_count(facts.eligible_runs)),
      ineligible.empty() ? "" : " (not eligible: " + ineligible + ")",
      count_noun(as_count(facts.measured_operations), "measured operation"),
      count_noun(as_count(facts.gpus), "GPU"),
      count_noun(as_count(facts.measurements), "measurement"),
      count_noun(as_count(facts.leader_events), "leader event"),
      count_noun(as_count(facts.serving_runs), "serving run"));
}

std::string report_text(const ImportReport& report, const std::string& file, double seconds) {
  std::string out;
  switch (report.outcome) {
    case ImportReport::Outcome::kImported:
      out = fmt::format("Imported {}", file);
      break;
    case ImportReport::Outcome::kUnchanged:
      out = fmt::format("Nothing new in {}: the catalog has all of it", file);
      break;
    case ImportReport::Outcome::kRefused:
      out = fmt::format("Refused {}: nothing was stored", file);
      break;
    case ImportReport::Outcome::kDryRun:
      out = fmt::format("Dry run of {}: nothing was stored", file);
      break;
  }
  out += fmt::format(" ({}, {:.1f} MB of JSON Lines, {:.2f} s)\n",
                     count_noun(as_count(report.lines), "line"),
                     static_cast<double>(report.bytes) / 1e6, seconds);
  if (report.outcome == ImportReport::Outcome::kRefused) {
    for (const auto& line : report.refused) {
      out += fmt::format("  line {} {} {}: {}\n", line.line, line.table, line.id, line.reason);
    }
    if (report.refused_total > report.refused.size()) {
      out += fmt::format("  … and {} more\n",
                         count(as_count(report.refused_total - report.refused.size())));
    }
    return out;
  }
  out += facts_text(report.facts);
  if (report.changes_total != 0)
    out += fmt::format("  {} changed\n", count_noun(as_count(report.changes_total), "column"));
  for (const auto& change : report.changes) {
    out += fmt::format("    {} {} {}: {} -> {}\n", change.table, change.key, change.column,
                       change.before, change.after);
  }
  if (report.retractions + report.supersessions != 0) {
    out += fmt::format("  {}, {}\n", count_noun(as_count(report.retractions), "retraction"),
                       count_noun(as_count(report.supersessions), "supersession"));
  }
  if (report.vanished_total != 0) {
    out += fmt::format("  {} of earlier imports not in this file; they stay\n",
                       count_noun(as_count(report.vanished_total), "row"));
  }
  if (report.commit) {
    out += fmt::format("  catalog version {}, chain {}\n", report.commit->last,
                       report.commit->chain.to_string());
  }
  return out;
}

Result<int> import_export_file(Context& context, const std::string& file) {
  const auto start = std::chrono::steady_clock::now();
  KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kCreate));
  UuidSource ids = new_ids();
  ProgressLine progress(context);
  importers::ImportOptions options;
  options.clock = context.environment().clock;
  options.ids = &ids;
  options.dry_run = context.arguments().has("dry-run");
  options.cancel = context.environment().cancel;
  options.progress = [&](const importers::ImportProgress& p) {
    progress.show(fmt::format("{} {:3.0f} %  {} lines", p.stage,
                              p.bytes_total == 0 ? 0
                                                 : 100.0 * static_cast<double>(p.bytes_read) /
                                                       static_cast<double>(p.bytes_total),
                              count(as_count(p.lines))));
  };
  KI_TRY(const ImportReport report, importers::import_kernelindex(file, *catalog.store, options));
  progress.clear();
  if (report.snapshot) catalog.live->install(report.snapshot);
  KI_TRY_VOID(catalog.refresh_and_save());
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (context.is_json())
    context.out(report.to_json() + "\n");
  else
    context.out(report_text(report, file, seconds));
  if (report.outcome == ImportReport::Outcome::kRefused) return kDidNotPass;
  if (!context.is_json() && report.outcome == ImportReport::Outcome::kImported) {
    context.out("Ask it something: ki search gemm n4096 k4096 B200\n");
  }
  return kDone;
}

std::string publish_text(const publish::PublishReport& report, bool is_stored) {
  std::string out;
  for (const auto& [entity, number] : report.counts) {
    out += fmt::format("  {:<18} {:>7} new {:>7} known\n", entity, count(as_count(number.inserted)),
                       count(as_count(number.existing)));
  }
  for (const std::string& update : report.updates) out += "  updated: " + update + "\n";
  if (report.commit) {
    out += fmt::format("Published: {}, {}; catalog version {}.\n",
                       count_noun(as_count(report.runs_published), "run"),
                       count_noun(as_count(report.leader_changes), "leader change"),
                       report.commit->last);
  } else {
    out += is_stored ? "Nothing new: the catalog has all of it.\n" : "Nothing was stored.\n";
  }
  return out;
}

void publish_json(json::Writer& w, const publish::PublishReport& report) {
  w.begin_object().key("counts").begin_object();
  for (const auto& [entity, number] : report.counts) {
    w.key(entity)
        .begin_object()
        .member("inserted", number.inserted)
        .member("existing", number.existing)
        .end_object();
  }
  w.end_object()
      .member("runsPublished", report.runs_published)
      .member("leaderChanges", report.leader_changes);
  w.key("runIds").begin_array();
  for (const std::string& id : report.run_ids) w.value(id);
  w.end_array().key("catalogVersion");
  if (report.commit)
    w.value(report.commit->last);
  else
    w.null();
  w.end_object();
}

Result<void> write_report(const Context& context, const std::string& text) {
  if (const auto path = context.arguments().value("output"))
    return io::write_file_atomically(*path, text);
  return {};
}

Result<int> import_sol(Context& context, const std::string& folder) {
  const Arguments& arguments = context.arguments();
  const bool is_publishing = arguments.has("publish");
  if (is_publishing && arguments.has("dry-run"))
    return context.usage("--publish and --dry-run exclude each other");
  importers::SolOptions options;
  if (const auto kernels = arguments.value("kernels")) {
    for (const std::string_view name : split(*kernels, ',')) {
      if (!trim(name).empty()) options.kernels.emplace_back(trim(name));
    }
  }
  options.tag = arguments.value("tag");
  options.resume = arguments.value("resume");
  options.source_revision = arguments.value("source-revision");
  options.examples_commit = arguments.value("examples-commit");
  KI_TRY(const auto limit, arguments.integer("limit", 0, 0, 1'000'000));
  if (limit != 0) options.limit = static_cast<std::uint64_t>(limit);
  KI_TRY(const auto top, arguments.integer("top", 3, 1, 1'000'000));
  options.top = static_cast<std::uint64_t>(top);
  KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kCreate));
  KI_TRY(const importers::SolImport found,
         importers::read_sol(folder, options, catalog.store.get()));
  UuidSource ids = new_ids();
  publish::Publisher publisher(*catalog.live, *context.environment().clock, ids,
                               "importer:sol-execbench");
  const publish::PublishOptions how{.publish = true,
                                    .profile = manifest::Profile::kCompat,
                                    .allow_operation_mismatch = true,
                                    .reason = "import sol"};
  KI_TRY(const publish::PublishReport published,
         is_publishing ? publisher.publish(found.bundle, how) : publisher.check(found.bundle, how));
  if (is_publishing) KI_TRY_VOID(catalog.refresh_and_save());
  KI_TRY_VOID(write_report(context, found.report.to_json() + "\n"));
  if (context.is_json()) {
    std::string out;
    json::Writer w(out);
    w.begin_object().key("report").raw(found.report.to_json()).key("published");
    if (is_publishing)
      publish_json(w, published);
    else
      w.null();
    w.end_object();
    context.out(out + "\n");
  } else {
    std::string out = found.report.plan + "\n";
    for (const auto& issue : found.report.issues)
      out += fmt::format("  issue {} {}: {}\n", issue.locator, issue.item, issue.problem);
    for (const auto& ambiguity : found.report.ambiguities)
      out += fmt::format("  to review ({}): {}\n", ambiguity.code, ambiguity.text);
    for (const std::string& warning : found.report.drift_warnings)
      out += "  changed upstream: " + warning + "\n";
    for (const std::string& warning : found.report.license_warnings)
      out += "  rights: " + warning + "\n";
    out += publish_text(published, is_publishing);
    if (!is_publishing) out += "Store it with --publish.\n";
    context.out(out);
  }
  return kDone;
}

// Files that manifests were found in; a folder that was named holds any number.
std::size_t count_files(const importers::ManifestImport& found) {
  std::set<std::string_view> files;
  for (const auto& object : found.objects) files.insert(object.file);
  return files.size();
}

Result<int> import_manifests(Context& context, const std::vector<std::string>& files) {
  if (files.empty()) return context.usage("which files?");
  const std::vector<std::filesystem::path> paths(files.begin(), files.end());
  KI_TRY(const importers::ManifestImport found, importers::read_manifest_files(paths));
  const bool is_dry = context.arguments().has("dry-run");
  KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kCreate));
  UuidSource ids = new_ids();
  publish::Publisher publisher(*catalog.live, *context.environment().clock, ids, "maintainer:cli");
  const publish::PublishOptions how{.publish = true,
                                    .profile = manifest::Profile::kStrict,
                                    .allow_operation_mismatch = false,
                                    .reason = "import manifest"};
  KI_TRY(const publish::PublishReport published,
         is_dry ? publisher.check(found.bundle, how) : publisher.publish(found.bundle, how));
  if (!is_dry) KI_TRY_VOID(catalog.refresh_and_save());
  std::string out;
  if (context.is_json()) {
    json::Writer w(out);
    w.begin_object().key("objects").begin_array();
    for (const auto& object : found.objects) {
      w.begin_object()
          .member("file", object.file)
          .member("kind", object.kind)
          .member("name", object.name)
          .member("digest", object.digest)
          .end_object();
    }
    w.end_array().key("published");
    publish_json(w, published);
    w.end_object();
    out += '\n';
  } else {
    out = fmt::format("{} in {}\n", count_noun(as_count(found.objects.size()), "manifest"),
                      count_noun(as_count(count_files(found)), "file")) +
          publish_text(published, !is_dry);
  }
  context.out(out);
  return kDone;
}

}  // namespace

Result<int> run_import(Context& context) {
  const auto& operands = context.operands();
  if (operands.empty())
    return context.usage("import what? kernelindex FILE, sol DIR or manifest FILES");
  const std::string& source = operands.front();
  const std::vector<std::string> rest(operands.begin() + 1, operands.end());
  if (source == "kernelindex" || source == "sol") {
    if (rest.size() != 1)
      return context.usage(source == "sol" ? "import sol takes one folder"
                                           : "import kernelindex takes one file");
    return source == "sol" ? import_sol(context, rest.front())
                           : import_export_file(context, rest.front());
  }
  if (source == "manifest") return import_manifests(context, rest);
  constexpr std::string_view kSources[] = {"kernelindex", "sol", "manifest"};
  const auto near = did_you_mean(source, kSources);
  return context.usage(fmt::format("{} is no source{}", quote(source),
                                   near ? fmt::format("; did you mean '{}'?", *near) : ""));
}

}  // namespace ki::cli
