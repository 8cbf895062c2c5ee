// log: the transparency log of a catalog.
#include "catalog_keys.h"
#include "command.h"
#include "ki/base/base64.h"
#include "ki/base/text.h"
#include "ki/base/uuid.h"
#include "ki/display/format.h"
#include "ki/io/file.h"
#include "ki/json/writer.h"
#include "ki/logbook/log_copy.h"
#include "ki/logbook/log_head.h"
#include "ki/logbook/logbook.h"
#include "ki/logbook/trust_store.h"
#include "ki/sign/key_file.h"
#include "log_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace ki::cli {
namespace {

using logbook::LogFiles;

std::string count_text(std::uint64_t value) {
  return display::count(static_cast<std::int64_t>(value));
}

std::string hex_prefix(const Digest& digest) { return digest.hex().substr(0, 16) + "…"; }

Result<std::vector<sign::NoteVerifier>> known_keys(catalog::Store& store) {
  KI_TRY(const sign::TrustList trust, logbook::read_trust(store));
  return logbook::log_verifiers(trust);
}

void write_checkpoint(json::Writer& w, const tlog::Checkpoint& checkpoint) {
  w.member("origin", checkpoint.origin)
      .member("size", checkpoint.size)
      .member("root", base64(checkpoint.root.view()));
}

Result<int> init(Context& context) {
  KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kWrite));
  KI_TRY(const logbook::LogHead head,
         begin_catalog_log(catalog, context.arguments().value("origin"), actor_of(context),
                           context.now()));
  KI_TRY_VOID(catalog.refresh_and_save());
  KI_TRY(const logbook::CaughtUp done, catch_up_log(*catalog.store, catalog.path));
  if (context.is_json()) {
    std::string out;
    json::Writer w(out, json::Writer::Style::kIndented);
    w.begin_object();
    write_checkpoint(w, done.checkpoint);
    w.end_object();
    context.out(out + "\n");
    return kDone;
  }
  context.out(fmt::format(
      "Began the log {} with {} of what was published so far\nFiles for any "
      "web server: {}\n",
      head.origin, display::count_noun(static_cast<std::int64_t>(head.tree.size()), "entry"),
      Context::log_path(catalog.path).string()));
  return kDone;
}

Result<int> status(Context& context) {
  KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  KI_TRY(const auto head, logbook::read_head(*catalog.store));
  if (!head) {
    if (context.is_json()) {
      context.out("{\"origin\": null}\n");
    } else {
      context.out("The catalog has no transparency log. Begin one: ki key init; ki log init\n");
    }
    return kNotFound;
  }
  KI_TRY(const auto known, known_keys(*catalog.store));
  const LogFiles files(Context::log_path(catalog.path));
  KI_TRY(const auto note, files.checkpoint_note());
  std::optional<tlog::VerifiedCheckpoint> checkpoint;
  if (note) {
    KI_TRY(checkpoint, logbook::open_any(*note, known));
  }
  const std::uint64_t size = head->head.tree.size();
  std::size_t witnesses = 0;
  if (checkpoint) {
    witnesses = static_cast<std::size_t>(std::ranges::count_if(
        checkpoint->signatures, [](const auto& one) { return one.cosigned_at != 0; }));
  }
  if (context.is_json()) {
    std::string out;
    json::Writer w(out, json::Writer::Style::kIndented);
    w.begin_object();
    write_checkpoint(w, {head->head.origin, size, head->head.tree.root()});
    w.key("checkpoint");
    if (checkpoint) {
      w.begin_object();
      write_checkpoint(w, checkpoint->checkpoint);
      w.end_object();
    } else {
      w.null();
    }
    w.member("witnesses", witnesses).key("verifierKeys").begin_array();
    for (const sign::NoteVerifier& key : known) w.value(key.vkey());
    w.end_array().end_object();
    context.out(out + "\n");
    return kDone;
  }
  context.out(fmt::format("{}\n  entries     {}\n  root        {}\n", head->head.origin,
                          count_text(size), hex_prefix(head->head.tree.root())));
  if (!checkpoint) {
    context.out("  checkpoint  none yet: ki log checkpoint\n");
  } else {
    const std::uint64_t behind = size - std::min(size, checkpoint->checkpoint.size);
    context.out(fmt::format(
        "  checkpoint  {} entries{}, {}\n", count_text(checkpoint->checkpoint.size),
        behind == 0 ? "" : fmt::format(" ({} behind)", count_text(behind)),
        witnesses == 0 ? std::string("not witnessed") : fmt::format("witnessed by {}", witnesses)));
  }
  for (const sign::NoteVerifier& key : known)
    context.out(fmt::format("  key         {}\n", key.vkey()));
  context.out(fmt::format("  files       {}\n", files.folder().string()));
  return kDone;
}

Result<int> checkpoint(Context& context) {
  KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  KI_TRY_VOID(catch_up_log(*catalog.store, catalog.path));
  KI_TRY(const auto note, LogFiles(Context::log_path(catalog.path)).checkpoint_note());
  context.out(note.value_or(""));
  return kDone;
}

Result<int> prove(Context& context) {
  if (context.operands().size() != 2) return context.usage("prove which run?");
  KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  const std::string& run = context.operands()[1];
  std::optional<Digest> digest;
  if (auto parsed = Digest::parse(run)) {
    digest = *parsed;
  } else {
    KI_TRY(const catalog::Head head, catalog.store->head());
    for (const catalog::Table table :
         {catalog::Table::kBenchmarkRuns, catalog::Table::kServingRuns}) {
      if (digest) break;
      KI_TRY(const auto row, catalog.store->find(table, run, head.seq));
      if (row) digest = row->digest;
    }
  }
  if (!digest) return fail(Code::kNotFound, fmt::format("there is no run {}", quote(run)));
  KI_TRY(const auto known, known_keys(*catalog.store));
  const LogFiles files(Context::log_path(catalog.path));
  KI_TRY(const tlog::EntryProof proof,
         logbook::prove(*catalog.store, files, tlog::EntryType::kRun, *digest, known));
  const std::string text = tlog::write_proof(proof);
  KI_TRY(const auto leaf, logbook::find_leaf(*catalog.store, tlog::EntryType::kRun, *digest));
  if (const auto output = context.arguments().value("output")) {
    KI_TRY_VOID(io::write_file_atomically(*output, text));
    if (!context.is_json()) {
      context.out(fmt::format("Wrote {}: entry {} of the log\nThe entry: {}\n", *output,
                              proof.index, leaf.value_or("")));
      return kDone;
    }
  }
  if (context.is_json()) {
    std::string out;
    json::Writer w(out, json::Writer::Style::kIndented);
    w.begin_object()
        .member("index", proof.index)
        .member("entry", leaf.value_or(""))
        .member("proof", text)
        .end_object();
    context.out(out + "\n");
    return kDone;
  }
  context.out(text);
  return kDone;
}

Result<int> export_log(Context& context) {
  if (context.operands().size() != 2) return context.usage("export to which folder?");
  KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  KI_TRY(const auto known, known_keys(*catalog.store));
  KI_TRY(const std::uint64_t files,
         logbook::copy_log(Context::log_path(catalog.path), context.operands()[1], known));
  if (context.is_json()) {
    context.out(fmt::format("{{\"files\": {}}}\n", files));
  } else {
    context.out(fmt::format("Copied {} to {}\nCheck it: ki log verify {} --key '{}'\n",
                            display::count_noun(static_cast<std::int64_t>(files), "file"),
                            context.operands()[1], shell_quoted(context.operands()[1]),
                            known.empty() ? std::string("NAME+ID+KEY") : known.back().vkey()));
  }
  return kDone;
}

// Keys given on the command line: texts, or files with one.
Result<std::vector<sign::NoteVerifier>> given_keys(const Context& context) {
  std::vector<sign::NoteVerifier> keys;
  for (const std::string& given : context.arguments().values("key")) {
    std::string text = given;
    if (std::filesystem::exists(given)) {
      KI_TRY(text, io::read_file(given, 64 << 10));
    }
    KI_TRY(sign::NoteVerifier key, sign::NoteVerifier::parse(trim(text)));
    keys.push_back(std::move(key));
  }
  return keys;
}

Result<int> verify(Context& context) {
  if (context.operands().size() > 2) return context.usage("verify which folder?");
  KI_TRY(auto keys, given_keys(context));
  std::filesystem::path folder;
  std::optional<logbook::LogCheck> rows;
  std::optional<logbook::StoredHead> head;
  if (context.operands().size() == 2 && !keys.empty()) {
    folder = context.operands()[1];  // offline: no catalog is looked at
  } else {
    KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
    if (keys.empty()) {
      KI_TRY(keys, known_keys(*catalog.store));
    }
    folder = context.operands().size() == 2 ? std::filesystem::path(context.operands()[1])
                                            : Context::log_path(catalog.path);
    if (context.operands().size() == 1) {
      KI_TRY(rows, logbook::check_log(*catalog.store));
      if (!rows) return fail(Code::kNotFound, "the catalog has no transparency log");
      KI_TRY(head, logbook::read_head(*catalog.store));
    }
  }
  std::optional<std::string> since;
  if (const auto path = context.arguments().value("since")) {
    KI_TRY(since, io::read_file(*path, 1 << 20));
  }
  KI_TRY(const logbook::CopyReport report,
         logbook::check_copy(folder, keys,
                             since ? std::optional<std::string_view>(*since) : std::nullopt));
  const tlog::Checkpoint& checkpoint = report.checkpoint.checkpoint;
  std::vector<std::string> problems;
  if (rows) problems = rows->problems;
  if (head && head->head.origin != checkpoint.origin) {
    problems.push_back("the files are of another log than the catalog's");
  }
  if (context.is_json()) {
    std::string out;
    json::Writer w(out, json::Writer::Style::kIndented);
    w.begin_object();
    write_checkpoint(w, checkpoint);
    w.key("leaves").begin_object();
    for (const auto& [type, count] : report.leaves) w.member(type, count);
    w.end_object().member("tiles", report.tiles).key("since");
    if (report.since) {
      w.begin_object();
      write_checkpoint(w, *report.since);
      w.end_object();
    } else {
      w.null();
    }
    w.member("rowsChecked", rows.has_value()).key("problems").begin_array();
    for (const std::string& problem : problems) w.value(problem);
    w.end_array().end_object();
    context.out(out + "\n");
    return problems.empty() ? kDone : kDidNotPass;
  }
  context.out(fmt::format("{}: the checkpoint's signature, {} entries and every hash hold\n",
                          checkpoint.origin, count_text(checkpoint.size)));
  for (const auto& [type, count] : report.leaves)
    context.out(fmt::format("  {:<15}{:>10}\n", type, count_text(count)));
  if (report.since) {
    context.out(fmt::format("It extends the checkpoint of {} entries: nothing was changed since\n",
                            count_text(report.since->size)));
  }
  if (rows && problems.empty()) {
    context.out("The catalog's rows are those that the log names\n");
  }
  for (const std::string& problem : problems) context.out(problem + "\n");
  return problems.empty() ? kDone : kDidNotPass;
}

}  // namespace

Result<int> run_log(Context& context) {
  if (context.operands().empty()) return context.usage("what about the log?");
  const std::string& verb = context.operands().front();
  if (verb == "init") return init(context);
  if (verb == "status") return status(context);
  if (verb == "checkpoint") return checkpoint(context);
  if (verb == "prove") return prove(context);
  if (verb == "export") return export_log(context);
  if (verb == "verify") return verify(context);
  return context.usage(fmt::format("{} is not something that log can do", quote(verb)));
}

}  // namespace ki::cli
