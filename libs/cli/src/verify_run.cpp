#include "verify_run.h"

#include "ki/base/uuid.h"
#include "ki/json/reader.h"
#include "ki/json/writer.h"
#include "ki/manifest/derived.h"
#include "ki/manifest/keys.h"
#include "ki/manifest/validator.h"
#include "ki/views/find.h"
#include "stored.h"

#include <fmt/format.h>

namespace ki::cli {
namespace {

struct Check {
  std::string name;  // "run digest"
  std::string text;  // what is hashed
  std::string computed;
  std::string stored;
  bool holds() const { return computed == stored; }
};

Result<Check> digest_check(std::string name, const json::Value& manifest, const Digest& stored) {
  manifest::Validator validator(manifest::Profile::kCompat);
  KI_TRY(const manifest::ValidManifest valid, validator.validate(manifest));
  const std::string computed = valid.digest.to_string();
  KI_TRY(const manifest::ValidManifest bare,
         validator.validate_spec(valid.kind, *manifest.find("spec")));
  return Check{std::move(name), std::string(bare.canonical), computed, stored.to_string()};
}

}  // namespace

Result<int> verify_run(Context& context, const std::string& id) {
  KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  const auto snapshot = catalog.snapshot();
  const catalog::Snapshot& s = *snapshot;
  KI_TRY(const catalog::Index index, views::find_run(s, id));
  const auto& run = s.runs()[index];
  const auto& cohort = s.cohorts()[run.cohort];
  const auto& workload = s.workloads()[run.workload];
  const auto& operation = s.operations()[workload.operation];
  const auto& protocol = s.protocols()[cohort.protocol];
  const auto& environment = s.environments()[cohort.environment];
  catalog::Store& store = *catalog.store;
  KI_TRY(const json::Document run_row, read_stored(store, run.entry));
  KI_TRY(const json::Document workload_row, read_stored(store, workload.entry));
  KI_TRY(const json::Document operation_row, read_stored(store, operation.entry));
  KI_TRY(const json::Document implementation_row,
         read_stored(store, s.implementations()[run.implementation].entry));
  KI_TRY(const json::Document protocol_row, read_stored(store, protocol.entry));
  KI_TRY(const json::Document environment_row, read_stored(store, environment.entry));

  const json::Value& run_manifest = *run_row.root.find("run");
  const json::Value& workload_spec = *workload_row.root.find("manifest")->find("spec");
  std::vector<Check> checks;
  const auto add = [&](std::string name, const json::Value& manifest,
                       const catalog::Bytes32& stored) -> Result<void> {
    KI_TRY(Check check, digest_check(std::move(name), manifest, Digest(stored)));
    checks.push_back(std::move(check));
    return {};
  };
  KI_TRY_VOID(add("run digest", run_manifest, run.digest));
  KI_TRY_VOID(add("implementation digest", *implementation_row.root.find("manifest"),
                  s.implementations()[run.implementation].digest));
  KI_TRY_VOID(add("workload digest", *workload_row.root.find("manifest"), workload.digest));
  KI_TRY_VOID(add("operation digest", *operation_row.root.find("manifest"), operation.digest));
  KI_TRY_VOID(add("protocol key", *protocol_row.root.find("manifest"), protocol.digest));
  KI_TRY_VOID(add("environment key", *environment_row.root.find("manifest"), environment.digest));
  const Digest correctness = manifest::correctness_key(workload_spec);
  checks.push_back({"correctness key", manifest::correctness_text(workload_spec),
                    correctness.to_string(),
                    Digest(s.columns().correctness_keys[workload.correctness]).to_string()});
  const auto primary = manifest::primary_measurement(*run_manifest.find("spec"));
  const std::string metric = manifest::primary_metric_key(primary);
  const manifest::ComparisonParts parts{.operation = Digest(operation.digest),
                                        .workload = Digest(workload.digest),
                                        .protocol = Digest(protocol.digest),
                                        .environment = Digest(environment.digest),
                                        .correctness = correctness,
                                        .metric = metric};
  checks.push_back({"comparison key", manifest::comparison_text(parts),
                    manifest::comparison_key(parts).to_string(), Digest(cohort.key).to_string()});

  bool all_hold = true;
  for (const Check& check : checks) all_hold = all_hold && check.holds();
  std::string out;
  if (context.is_json()) {
    json::Writer w(out, json::Writer::Style::kIndented);
    w.begin_object()
        .member("runId", Uuid{run.id}.to_string())
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
    w.end_array().end_object();
    out += '\n';
  } else {
    for (const Check& check : checks) {
      out += fmt::format("{}  {}\n  {}\n  {}\n\n", check.holds() ? "ok " : "NOT", check.name,
                         check.computed, check.text);
      if (!check.holds()) out += fmt::format("  stored: {}\n\n", check.stored);
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
