#include "verify_run.h"

#include "document.h"
#include "ki/json/reader.h"
#include "ki/json/writer.h"
#include "ki/manifest/derived.h"
#include "ki/manifest/keys.h"
#include "ki/manifest/validator.h"
#include "ki/rerun/assess.h"
#include "ki/rerun/statement.h"
#include "reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::cli {
namespace {

struct Check {
  std::string name;  // "run digest"
  std::string text;  // what is hashed
  std::string computed;
  std::string stored;  // what the catalog says
  bool holds() const { return computed == stored; }
};

Result<Check> digest_check(std::string name, const json::Value& manifest, std::string_view stored) {
  manifest::Validator validator(manifest::Profile::kCompat);
  KI_TRY(const manifest::ValidManifest valid, validator.validate(manifest));
  const std::string computed = valid.digest.to_string();
  KI_TRY(const manifest::ValidManifest bare,
         validator.validate_spec(valid.kind, *manifest.find("spec")));
  return Check{std::move(name), std::string(bare.canonical), computed, std::string(stored)};
}

Result<const json::Value*> required(const json::Value& document, std::string_view path) {
  const json::Value* found = at(document, path);
  if (found == nullptr) {
    return fail(Code::kCorrupt, fmt::format("the run's dossier has no {}", path));
  }
  return found;
}

// What the catalog, here or behind --api, says of the run; everything is recomputed here.
Result<std::vector<Check>> checks_of(Reader& reader, const json::Value& dossier) {
  std::vector<Check> checks;
  const auto add = [&](std::string name, const json::Value& manifest,
                       std::string_view stored) -> Result<void> {
    KI_TRY(Check check, digest_check(std::move(name), manifest, stored));
    checks.push_back(std::move(check));
    return {};
  };
  const auto fetch = [&](std::string_view digest) {
    return reader.read("getManifest", {{"digest", std::string(digest)}});
  };
  KI_TRY(const json::Value* run, required(dossier, "manifest.run"));
  KI_TRY(const json::Value* protocol, required(dossier, "manifest.protocol"));
  KI_TRY(const json::Value* environment, required(dossier, "manifest.environment"));
  const std::string_view operation_digest = text_at(dossier, "operation.digest");
  const std::string_view workload_digest = text_at(dossier, "workload.digest");
  const std::string_view implementation_digest = text_at(dossier, "implementation.digest");
  KI_TRY(const json::Document implementation, fetch(implementation_digest));
  KI_TRY(const json::Document workload, fetch(workload_digest));
  KI_TRY(const json::Document operation, fetch(operation_digest));
  KI_TRY_VOID(add("run digest", *run, text_at(dossier, "run.digest")));
  KI_TRY_VOID(add("implementation digest", implementation.root, implementation_digest));
  KI_TRY_VOID(add("workload digest", workload.root, workload_digest));
  KI_TRY_VOID(add("operation digest", operation.root, operation_digest));
  KI_TRY_VOID(add("protocol key", *protocol, text_at(dossier, "provenance.protocolKey")));
  KI_TRY_VOID(add("environment key", *environment, text_at(dossier, "provenance.environmentKey")));

  KI_TRY(const json::Value* workload_spec, required(workload.root, "spec"));
  const Digest correctness = manifest::correctness_key(*workload_spec);
  checks.push_back({"correctness key", manifest::correctness_text(*workload_spec),
                    correctness.to_string(),
                    std::string(text_at(dossier, "provenance.correctnessKey"))});
  KI_TRY(const json::Value* run_spec, required(*run, "spec"));
  const std::string metric = manifest::primary_metric_key(manifest::primary_measurement(*run_spec));
  // The keys of the checks above, as they were computed here.
  const auto computed = [&](std::size_t i) { return Digest::parse(checks[i].computed); };
  KI_TRY(const Digest workload_key, computed(2));
  KI_TRY(const Digest operation_key, computed(3));
  KI_TRY(const Digest protocol_key, computed(4));
  KI_TRY(const Digest environment_key, computed(5));
  const manifest::ComparisonParts parts{.operation = operation_key,
                                        .workload = workload_key,
                                        .protocol = protocol_key,
                                        .environment = environment_key,
                                        .correctness = correctness,
                                        .metric = metric};
  checks.push_back({"comparison key", manifest::comparison_text(parts),
                    manifest::comparison_key(parts).to_string(),
                    std::string(text_at(dossier, "cohort.comparisonKey"))});
  return checks;
}

// What the statements about a run are worth, from the records, the trust list and the log as they
// are now; nothing of what was stored about that is used.
Result<std::vector<rerun::Assessment>> recompute_statements(const Context& context,
                                                            const json::Value& dossier) {
  KI_TRY(const OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  std::vector<std::string> keys;
  KI_TRY_VOID(catalog.store->read_prefix(
      catalog::Table::kAttestations, fmt::format("{} ", text_at(dossier, "run.id")),
      catalog.snapshot()->seq(), [&](const catalog::Entry& entry) -> Result<catalog::Step> {
        KI_TRY(const json::Document row, json::read_document(entry.body));
        if (entry.version == 0 && text_at(row.root, "kind") == rerun::kAttestationKind)
          keys.emplace_back(entry.key);
        return catalog::Step::kGoOn;
      }));
  std::vector<rerun::Assessment> out;
  for (const std::string& key : keys) {
    KI_TRY(rerun::Assessment one, rerun::assess_statement(*catalog.live, key));
    out.push_back(std::move(one));
  }
  return out;
}

std::string statement_text(const rerun::Assessment& one) {
  std::string out = fmt::format("{}  statement of runner {}\n", one.is_verified ? "ok " : "-- ",
                                one.owner.empty() ? "unknown" : one.owner);
  if (!one.problem.empty()) out += fmt::format("  not believed: {}\n", one.problem);
  for (const policy::VerifiedClause& clause : one.clauses)
    out += fmt::format("  ({}) {}  {}\n", clause.letter, clause.holds ? "yes" : "NO ", clause.text);
  for (const std::string& note : one.notes) out += fmt::format("  {}\n", note);
  if (!one.clauses.empty()) {
    out +=
        "  Samples, intervals, verdicts and flags were computed anew from the records. That "
        "outputs "
        "were right\n  is attested by their digests: only a rerun with the revealed key checks it "
        "again.\n";
  }
  return out + "\n";
}

}  // namespace

Result<int> verify_run(Context& context, const std::string& id) {
  KI_TRY(Reader reader, Reader::open(context));
  KI_TRY(const json::Document dossier, reader.read("getRun", {{"run", id}}));
  KI_TRY(const std::vector<Check> checks, checks_of(reader, dossier.root));
  std::vector<rerun::Assessment> statements;
  if (!reader.is_remote()) {
    KI_TRY(statements, recompute_statements(context, dossier.root));
  }
  bool all_hold = true;
  for (const Check& check : checks) all_hold = all_hold && check.holds();
  const bool is_verified_here =
      std::ranges::any_of(statements, [](const auto& one) { return one.is_verified; });
  const bool says_verified = text_at(dossier.root, "evidence") == "verified" ||
                             text_at(dossier.root, "evidence") == "replicated";
  const bool is_level_right = reader.is_remote() || is_verified_here == says_verified;
  all_hold = all_hold && is_level_right;
  std::string out;
  if (context.is_json()) {
    json::Writer w(out, json::Writer::Style::kIndented);
    w.begin_object()
        .member("runId", text_at(dossier.root, "run.id"))
        .member("holds", all_hold)
        .key("checks")
        .begin_array();
    for (const Check& check : checks) {
      w.begin_object()
          .member("name", check.name)
          .member("text", check.text)
          .member("computed", check.computed)
          .member("stored", check.stored)
          .member("holds", check.holds())
          .end_object();
    }
    w.end_array().key("statements");
    if (reader.is_remote()) {
      w.null();
    } else {
      w.begin_array();
      for (const rerun::Assessment& one : statements) w.raw(one.to_json());
      w.end_array();
    }
    w.end_object();
    out += '\n';
  } else {
    for (const Check& check : checks) {
      out += fmt::format("{}  {}\n  {}\n  {}\n\n", check.holds() ? "ok " : "NOT", check.name,
                         check.computed, check.text);
      if (!check.holds()) out += fmt::format("  stored: {}\n\n", check.stored);
    }
    for (const rerun::Assessment& one : statements) out += statement_text(one);
    if (reader.is_remote() && !items_at(dossier.root, "verifications").empty()) {
      out +=
          "Signed statements are not checked over --api: fetch the folder that ki export evidence "
          "writes, and run ki verify on it.\n\n";
    }
    if (!is_level_right) {
      out += fmt::format("NOT  evidence level\n  the catalog says {}, the statements do not\n\n",
                         text_at(dossier.root, "evidence"));
    }
    out += all_hold
               ? fmt::format("All {} recompute. Check one yourself: printf %s 'TEXT' | sha256sum\n",
                             checks.size())
               : "Something does not recompute; run ki fsck.\n";
  }
  context.out(out);
  return all_hold ? kDone : kDidNotPass;
}

}  // namespace ki::cli
