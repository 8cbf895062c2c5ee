#include "evidence.h"

#include "document.h"
#include "ki/base/text.h"
#include "ki/io/file.h"
#include "ki/json/writer.h"
#include "ki/logbook/bundle.h"
#include "ki/logbook/log_files.h"
#include "ki/manifest/validator.h"
#include "ki/rerun/check_records.h"
#include "ki/rerun/statement.h"
#include "log_files.h"
#include "reader.h"

#include <fmt/format.h>

namespace ki::cli {
namespace {

using logbook::BundleFiles;

// The text whose SHA-256 is the manifest's digest; that digest must be the one that was stated.
Result<std::string> identity_text(const json::Value* manifest, std::string_view digest) {
  if (manifest == nullptr) return fail(Code::kCorrupt, "the run's dossier lacks a manifest");
  manifest::Validator validator(manifest::Profile::kCompat);
  KI_TRY(const manifest::ValidManifest valid, validator.validate(*manifest));
  const manifest::ManifestKind kind = valid.kind;
  KI_TRY(const manifest::ValidManifest bare,
         validator.validate_spec(kind, *manifest->find("spec")));
  std::string text(bare.canonical);
  if (Digest::of(text).to_string() != digest) {
    return fail(Code::kCorrupt,
                fmt::format("a manifest hashes to {}, but the catalog says {}; run ki fsck",
                            Digest::of(text).to_string(), digest));
  }
  return text;
}

Result<BundleFiles> manifest_files(Reader& reader, const json::Value& dossier) {
  BundleFiles files;
  const auto add = [&](const char* file, const json::Value* manifest,
                       std::string_view digest) -> Result<void> {
    KI_TRY(files[file], identity_text(manifest, digest));
    return {};
  };
  KI_TRY_VOID(add("run.json", at(dossier, "manifest.run"), text_at(dossier, "run.digest")));
  KI_TRY_VOID(add("protocol.json", at(dossier, "manifest.protocol"),
                  text_at(dossier, "provenance.protocolKey")));
  KI_TRY_VOID(add("environment.json", at(dossier, "manifest.environment"),
                  text_at(dossier, "provenance.environmentKey")));
  for (const char* part : {"implementation", "workload", "operation"}) {
    const std::string digest(text_at(dossier, fmt::format("{}.digest", part)));
    KI_TRY(const json::Document manifest, reader.read("getManifest", {{"digest", digest}}));
    KI_TRY_VOID(add(fmt::format("{}.json", part).c_str(), &manifest.root, digest));
  }
  return files;
}

std::string readme(const json::Value& dossier, const BundleFiles& files) {
  std::string out = fmt::format(
      "Evidence of run {}\n\n"
      "run.json            the run's manifest, in the bytes that are hashed: sha256sum run.json "
      "is\n"
      "                    {}\n"
      "implementation.json workload.json operation.json protocol.json environment.json\n"
      "                    what the run names, in the same form\n",
      text_at(dossier, "run.id"), text_at(dossier, "run.digest"));
  if (files.contains(logbook::kEnvelopeFile)) {
    out +=
        "statement.dsse.json what the runner signed about the run (DSSE, in-toto)\n"
        "runner.pem          the key that it was signed with; compare it with one from elsewhere\n"
        "record-*.json       the records that the run rests on: every sample, call and check, and\n"
        "                    the key that every input can be drawn from again\n";
  }
  if (files.contains(logbook::kProofFile)) {
    out +=
        "entry.json          the entry of the transparency log that names the run\n"
        "run.tlog-proof      proof that the log holds it (C2SP tlog-proof)\n"
        "log.vkey            the log's key; compare it with one from elsewhere\n";
  } else {
    out += "There is no proof of a transparency log: the catalog had none when this was written.\n";
  }
  return out +
         "\nCheck all of it without the catalog:   ki verify .\n"
         "With a key that you had before:        ki verify . --key 'NAME+ID+KEY'\n\n"
         "A proof shows that the record was published and has not changed since, not that its\n"
         "numbers are right.\n";
}

// The leaf and its proof. A catalog without a log gives neither.
Result<void> add_proof(const Context& context, std::string_view digest_text, BundleFiles& files) {
  KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  KI_TRY(const Digest digest, Digest::parse(digest_text));
  KI_TRY(auto leaf, logbook::find_leaf(*catalog.store, tlog::EntryType::kRun, digest));
  if (!leaf) return {};
  KI_TRY(const sign::TrustList trust, logbook::read_trust(*catalog.store));
  const auto keys = logbook::log_verifiers(trust);
  const logbook::LogFiles log(Context::log_path(catalog.path));
  KI_TRY(const tlog::EntryProof proof,
         logbook::prove(*catalog.store, log, tlog::EntryType::kRun, digest, keys));
  // The key that signed this checkpoint, of those that the log has had.
  std::string vkey;
  for (const sign::NoteVerifier& key : keys) {
    if (tlog::open_checkpoint(proof.note, key)) vkey = key.vkey();
  }
  files[std::string(logbook::kEntryFile)] = *std::move(leaf);
  files[std::string(logbook::kProofFile)] = tlog::write_proof(proof);
  files[std::string(logbook::kLogKeyFile)] = vkey + "\n";
  return {};
}

// The best statement about the run, the key that signed it, and the records that it names.
Result<void> add_statement(const Context& context, const json::Value& dossier, BundleFiles& files) {
  const auto statements = items_at(dossier, "verifications");
  if (statements.empty()) return {};
  const json::Value& best = statements.front();
  KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  const std::string envelope(text_at(best, "envelope"));
  KI_TRY(const sign::TrustList trust, logbook::read_trust(*catalog.store));
  if (const auto key = trust.find(text_at(best, "keyId")); key && *key != nullptr)
    files[std::string(logbook::kRunnerKeyFile)] = (*key)->key.pem();
  KI_TRY(const sign::Envelope parsed, sign::read_envelope(envelope));
  KI_TRY(const sign::Statement statement, sign::Statement::parse(parsed.payload));
  KI_TRY(const rerun::ControlledRerun rerun, rerun::ControlledRerun::read(statement));
  for (const Digest& digest : rerun.evidence) {
    KI_TRY(const auto stored, catalog.store->find_digest(catalog::Table::kArtifacts, digest));
    if (!stored) continue;
    KI_TRY(const json::Document row,
           json::read_document(stored->body, {.max_bytes = std::size_t{256} << 20}));
    files[rerun::record_file(digest)] = text_at(row.root, "content");
  }
  files[std::string(logbook::kEnvelopeFile)] = envelope;
  return {};
}

Result<std::string> text_or_file(const std::string& given) {
  if (!std::filesystem::exists(given)) return given;
  return io::read_file(given, 64 << 10);
}

}  // namespace

Result<int> export_evidence(Context& context) {
  if (context.operands().size() != 2) return context.usage("evidence of which run?");
  KI_TRY(Reader reader, Reader::open(context));
  KI_TRY(const json::Document dossier, reader.read("getRun", {{"run", context.operands()[1]}}));
  const std::string id(text_at(dossier.root, "run.id"));
  const std::filesystem::path folder =
      context.arguments().value("output").value_or("evidence-" + id.substr(0, 13));
  if (std::filesystem::exists(folder) && !std::filesystem::is_empty(folder)) {
    return fail(Code::kConflict, fmt::format("'{}' is not empty; name another folder: --output DIR",
                                             folder.string()));
  }
  KI_TRY(BundleFiles files, manifest_files(reader, dossier.root));
  KI_TRY_VOID(add_proof(context, text_at(dossier.root, "run.digest"), files));
  KI_TRY_VOID(add_statement(context, dossier.root, files));
  files["README.txt"] = readme(dossier.root, files);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return fail(io::system_error(error.value(), "cannot make the folder", folder));
  for (const auto& [name, bytes] : files) {
    KI_TRY_VOID(io::write_file_atomically(folder / name, bytes));
  }
  if (context.is_json()) {
    std::string out;
    json::Writer w(out, json::Writer::Style::kIndented);
    w.begin_object().member("folder", folder.string()).key("files").begin_array();
    for (const auto& [name, bytes] : files) w.value(name);
    w.end_array().end_object();
    context.out(out + "\n");
    return kDone;
  }
  context.out(fmt::format("Wrote {} files to {}\n", files.size(), folder.string()));
  if (!files.contains(logbook::kProofFile)) {
    context.out("Without a log proof: the catalog's log does not name the run (ki log status)\n");
  }
  context.out(fmt::format("Check it: ki verify {}\n", shell_quoted(folder.string())));
  return kDone;
}

Result<int> verify_evidence(Context& context, const std::filesystem::path& folder) {
  logbook::BundleKeys keys;
  for (const std::string& given : context.arguments().values("key")) {
    KI_TRY(const std::string text, text_or_file(given));
    if (trim(text).starts_with("-----BEGIN")) {
      KI_TRY(const sign::PublicKey key, sign::PublicKey::from_pem(text));
      keys.runners.push_back(key);
    } else {
      KI_TRY(sign::NoteVerifier key, sign::NoteVerifier::parse(trim(text)));
      keys.logs.push_back(std::move(key));
    }
  }
  KI_TRY(const BundleFiles files, logbook::read_bundle_folder(folder));
  logbook::BundleReport report = logbook::check_bundle(files, keys);
  rerun::check_records(files, report);
  std::string out;
  if (context.is_json()) {
    json::Writer w(out, json::Writer::Style::kIndented);
    w.begin_object().key("runDigest");
    if (report.run) {
      w.value(report.run->to_string());
    } else {
      w.null();
    }
    w.member("holds", report.holds()).key("checks").begin_array();
    for (const logbook::BundleCheck& check : report.checks) {
      w.begin_object()
          .member("name", check.name)
          .member("holds", check.holds)
          .member("detail", check.detail)
          .end_object();
    }
    w.end_array().key("notes").begin_array();
    for (const std::string& note : report.notes) w.value(note);
    w.end_array().end_object();
    out += '\n';
  } else {
    for (const logbook::BundleCheck& check : report.checks) {
      out += fmt::format("{}  {}\n", check.holds ? "ok " : "NOT", check.name);
      if (!check.detail.empty()) out += fmt::format("     {}\n", check.detail);
    }
    for (const std::string& note : report.notes) out += fmt::format("note {}\n", note);
    out += report.holds() ? "Everything in the folder holds together.\n"
                          : "Something does not hold: do not rely on this evidence.\n";
  }
  context.out(out);
  return report.holds() ? kDone : kDidNotPass;
}

}  // namespace ki::cli
