#include "ki/rerun/assess.h"

#include "ki/base/text.h"
#include "ki/json/reader.h"
#include "ki/json/writer.h"
#include "ki/logbook/leaves.h"
#include "ki/logbook/trust_store.h"
#include "ki/publish/corrections.h"
#include "ki/rerun/facts.h"
#include "ki/rerun/statement.h"
#include "members.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace ki::rerun {
namespace {

using catalog::OwnedEntry;
using catalog::Table;
using json::Value;

constexpr json::Limits kRowLimits{.max_bytes = std::size_t{256} << 20};

// A statement that cannot be believed, with the reason, as opposed to a catalog that is damaged.
struct Unbelieved {
  std::string why;
};

class Assessing {
 public:
  explicit Assessing(catalog::LiveCatalog& catalog)
      : store_(catalog.store()), snapshot_(catalog.current()) {}

  Result<void> begin() {
    KI_TRY(trust_, logbook::read_trust(store_));
    return {};
  }

  const catalog::Snapshot& snapshot() const { return *snapshot_; }

  // The keys of the statements about a run, or of all statements.
  Result<std::vector<std::string>> statements(std::string_view prefix) {
    std::vector<std::string> keys;
    KI_TRY_VOID(store_.read_prefix(Table::kAttestations, prefix, snapshot_->seq(),
                                   [&](const catalog::Entry& entry) -> Result<catalog::Step> {
                                     if (entry.version != 0) return catalog::Step::kGoOn;
                                     KI_TRY(const json::Document row,
                                            json::read_document(entry.body, kRowLimits));
                                     if (text_at(&row.root, {"kind"}) == kAttestationKind)
                                       keys.emplace_back(entry.key);
                                     return catalog::Step::kGoOn;
                                   }));
    return keys;
  }

  Result<Assessment> assess(std::string_view key) {
    KI_TRY(const json::Document row, row_of(Table::kAttestations, key));
    Assessment out;
    out.attestation_key = key;
    out.run_id = text_at(&row.root, {"runId"});
    const std::string_view text = text_at(&row.root, {"envelope"});
    KI_TRY(out.log_index, log_index_of(tlog::EntryType::kAttestation, Digest::of(text)));
    KI_TRY(const json::Document run, row_of(Table::kBenchmarkRuns, out.run_id));
    auto unbelieved = judge(out, text, run.root);
    if (!unbelieved) return fail(std::move(unbelieved).error());
    out.problem = std::move(unbelieved->why);
    return out;
  }

 private:
  Result<json::Document> row_of(Table table, std::string_view key) {
    KI_TRY(const auto entry, store_.find(table, key, snapshot_->seq()));
    if (!entry) {
      return fail(Code::kNotFound,
                  fmt::format("table {} has no row {}", catalog::info(table).name, quote(key)));
    }
    return json::read_document(entry->body, kRowLimits);
  }

  Result<std::optional<std::uint64_t>> log_index_of(tlog::EntryType type, const Digest& digest) {
    const logbook::Leaf leaf{type, digest};
    KI_TRY(const auto entry, store_.find(Table::kLogEntries, leaf.key(), snapshot_->seq()));
    if (!entry) return std::nullopt;
    KI_TRY(const logbook::LogRow row, logbook::read_log_row(entry->body));
    return std::optional(row.index);
  }

  // What was published as the source is what the record says was built.
  Result<bool> is_source_named(const Value& run, const harness::Record& record) {
    KI_TRY(const json::Document implementation,
           row_of(Table::kImplementations, text_at(&run, {"implementationId"})));
    const Value* spec = at(&implementation.root, {"manifest", "spec"});
    if (text_at(spec, {"projectRevision", "treeDigest"}) != record.solution_digest.to_string())
      return false;
    const auto source = Digest::parse(text_at(spec, {"source", "contentDigest"}));
    if (!source) return false;
    KI_TRY(const auto stored, store_.find_digest(Table::kArtifacts, *source));
    return stored.has_value();
  }

  Result<bool> is_by_author(const Value& run, std::string_view owner) {
    KI_TRY(const json::Document implementation,
           row_of(Table::kImplementations, text_at(&run, {"implementationId"})));
    KI_TRY(const json::Document project,
           row_of(Table::kProjects, text_at(&implementation.root, {"projectId"})));
    return kebab(owner) == text_at(&project.root, {"slug"});
  }

  // A record that the catalog holds, hashed and recomputed.
  Result<std::optional<harness::Record>> record_of(const Digest& digest, std::string& why) {
    KI_TRY(const auto stored, store_.find_digest(Table::kArtifacts, digest));
    if (!stored) {
      why = fmt::format("the catalog has no record {}", digest.to_string());
      return std::nullopt;
    }
    KI_TRY(const json::Document row, json::read_document(stored->body, kRowLimits));
    const std::string_view content = text_at(&row.root, {"content"});
    if (Digest::of(content) != digest) {
      why = fmt::format("record {} is not kept with its content", digest.to_string());
      return std::nullopt;
    }
    auto record = harness::read_record(content);
    if (!record) {
      why = fmt::format("record {}: {}", digest.to_string(), record.error().message());
      return std::nullopt;
    }
    if (record->cases.size() != 1) {
      why = fmt::format("record {} is not of one case", digest.to_string());
      return std::nullopt;
    }
    return std::optional(*std::move(record));
  }

  Result<Unbelieved> judge(Assessment& out, std::string_view envelope_text, const Value& run) {
    const auto no = [](std::string why) { return Unbelieved{std::move(why)}; };
    const auto envelope = sign::read_envelope(envelope_text);
    if (!envelope) return no(envelope.error().message());
    if (envelope->payload_type != sign::kInTotoType)
      return no("the envelope does not hold an in-toto statement");
    std::vector<sign::PublicKey> runners;
    for (const sign::TrustedKey& key : trust_.keys()) {
      if (key.roles.contains(sign::Role::kRunner)) runners.push_back(key.key);
    }
    const std::vector<sign::PublicKey> signers = sign::verified_keys(*envelope, runners);
    if (signers.empty()) return no("no runner that this catalog knows signed it");
    const sign::TrustedKey* signer = trust_.find(signers.front());
    out.key_id = signer->key.key_id();
    out.owner = signer->owner;
    if (signer->revoked) {
      out.notes.push_back(fmt::format(
          "the runner's key was revoked from log index {} on{}", signer->revoked->index,
          signer->revoked->reason.empty() ? std::string() : ": " + signer->revoked->reason));
    }
    const auto statement = sign::Statement::parse(envelope->payload);
    if (!statement) return no(statement.error().message());
    const auto rerun = ControlledRerun::read(*statement);
    if (!rerun) return no(rerun.error().message());
    out.machine = rerun->runner.machine;
    out.host_class = rerun->runner.host_class;
    if (rerun->run.to_string() != text_at(&run, {"runDigest"}))
      return no("the statement is about another run");
    if (rerun->runner.owner != signer->owner) {
      return no(fmt::format("the statement names {} as the runner's owner, the trust list {}",
                            quote(rerun->runner.owner), quote(signer->owner)));
    }
    const Value* spec = at(&run, {"run", "spec"});
    for (const auto& [member, digest] : {std::pair{"implementationDigest", rerun->implementation},
                                         std::pair{"workloadDigest", rerun->workload},
                                         std::pair{"protocolDigest", rerun->protocol},
                                         std::pair{"environmentDigest", rerun->environment}}) {
      if (text_at(spec, {member}) != digest.to_string())
        return no(fmt::format("the statement names another {} than the run", member));
    }
    KI_TRY(const json::Document environment,
           row_of(Table::kDocuments, text_at(&run, {"environmentDocument"})));
    const std::string_view form =
        text_at(&environment.root, {"manifest", "spec", "hardware", "formFactor"});
    const auto host = policy::parse_host_class(form);
    if (!host || form != rerun->runner.host_class)
      return no("the statement names another class of host than the run's environment");

    std::vector<harness::Record> records;
    std::string why;
    for (const Digest& digest : rerun->evidence) {
      KI_TRY(auto record, record_of(digest, why));
      if (!record) return no(why);
      if (record->key_commitment != rerun->key_commitment)
        return no("a record was drawn from another key than the statement commits to");
      records.push_back(*std::move(record));
    }
    KI_TRY(const json::Document workload, row_of(Table::kWorkloads, text_at(&run, {"workloadId"})));
    why = difference(*spec, *at(&workload.root, {"manifest"}), records);
    if (!why.empty()) return no(why);

    KI_TRY(const auto run_index, log_index_of(tlog::EntryType::kRun, rerun->run));
    KI_TRY(const bool is_by_author, this->is_by_author(run, signer->owner));
    const bool is_retracted = !text_at(&run, {"retractedAt"}).empty();
    std::vector<policy::VerifiedCpuFacts> facts;
    for (const harness::Record& record : records) {
      policy::VerifiedCpuFacts f = facts_of(record, *host);
      KI_TRY(const bool is_named, is_source_named(run, record));
      f.is_built_from_named_source = f.is_built_from_named_source && is_named;
      f.is_strict_passed = f.is_strict_passed && text_at(spec, {"status"}) == "passed";
      f.is_signed_by_trusted_runner =
          trust_.believes(signer->key, sign::Role::kRunner, out.log_index);
      f.is_logged = out.log_index.has_value() && run_index.has_value();
      f.is_run_by_author = is_by_author;
      facts.push_back(std::move(f));
    }
    const policy::VerifiedCpu verdict = verified_by_all(facts);
    out.clauses = verdict.clauses;
    out.is_verified = verdict.is_verified && !is_retracted;
    out.label = out.is_verified ? verdict.label : std::string();
    if (is_retracted) out.notes.emplace_back("the run was retracted");
    return no("");
  }

  catalog::Store& store_;
  std::shared_ptr<const catalog::Snapshot> snapshot_;
  sign::TrustList trust_;
};

// How many of the runners of one implementation and workload stand for themselves: at least two
// trusted keys with different owners on different machines, or nobody replicated anything.
std::uint32_t replications(std::span<const Assessment* const> group) {
  std::vector<policy::RunnerFact> runners;
  std::set<std::string> owners, machines;
  for (const Assessment* one : group) {
    if (one->machine == kUnknownMachine) continue;
    runners.push_back({one->key_id, one->owner, one->machine, true});
    owners.insert(one->owner);
    machines.insert(one->machine);
  }
  if (!policy::is_replicated(runners)) return 0;
  return static_cast<std::uint32_t>(std::min(owners.size(), machines.size()));
}

}  // namespace

std::string Assessment::to_json() const {
  std::string out;
  json::Writer w(out);
  w.begin_object().key("clauses").begin_array();
  for (const policy::VerifiedClause& clause : clauses) {
    w.begin_object().member("clause", std::string(1, clause.letter));
    w.member("holds", clause.holds).member("text", clause.text).end_object();
  }
  w.end_array().member("hostClass", host_class).member("isVerified", is_verified);
  w.member("keyId", key_id).member("label", label).key("logIndex");
  if (log_index) {
    w.value(*log_index);
  } else {
    w.null();
  }
  w.member("machine", machine).key("notes").begin_array();
  for (const std::string& note : notes) w.value(note);
  w.end_array().member("owner", owner).member("policy", kPolicy).member("problem", problem);
  w.member("replications", replications).end_object();
  return out;
}

Result<Assessment> assess_statement(catalog::LiveCatalog& catalog, std::string_view key) {
  Assessing work(catalog);
  KI_TRY_VOID(work.begin());
  return work.assess(key);
}

Result<Assessed> assess(catalog::LiveCatalog& catalog, std::span<const std::string> run_ids,
                        const Clock& clock, UuidSource& ids, std::string_view actor) {
  KI_TRY_VOID(catalog.refresh());
  Assessing work(catalog);
  KI_TRY_VOID(work.begin());
  const catalog::Snapshot& snapshot = work.snapshot();
  using Group = std::pair<catalog::Index, catalog::Index>;  // implementation, workload
  const auto group_of = [&](std::string_view run) -> Result<Group> {
    const auto id = Uuid::parse(run);
    const catalog::Index index = id ? snapshot.find_run(*id) : catalog::kNone;
    if (index == catalog::kNone)
      return fail(Code::kNotFound, fmt::format("there is no run {}", quote(run)));
    return Group{snapshot.runs()[index].implementation, snapshot.runs()[index].workload};
  };
  std::set<std::string> keys;
  if (run_ids.empty()) {
    KI_TRY(const auto all, work.statements(""));
    keys.insert(all.begin(), all.end());
  }
  std::set<Group> groups;
  for (const std::string& run : run_ids) {
    KI_TRY(const Group group, group_of(run));
    groups.insert(group);
  }
  for (const auto& [implementation, workload] : groups) {
    for (const catalog::Index run : snapshot.runs_of_implementation(implementation)) {
      if (snapshot.runs()[run].workload != workload) continue;
      KI_TRY(const auto some, work.statements(Uuid{snapshot.runs()[run].id}.to_string() + " "));
      keys.insert(some.begin(), some.end());
    }
  }
  Assessed out;
  for (const std::string& key : keys) {
    KI_TRY(Assessment one, work.assess(key));
    out.assessments.push_back(std::move(one));
  }
  std::map<Group, std::vector<const Assessment*>> verified;
  for (const Assessment& one : out.assessments) {
    if (!one.is_verified) continue;
    KI_TRY(const Group group, group_of(one.run_id));
    verified[group].push_back(&one);
  }
  // A run with several statements is what the best of them makes it.
  std::map<std::string, std::uint32_t> replications_of;
  for (Assessment& one : out.assessments) {
    if (!one.is_verified) continue;
    KI_TRY(const Group group, group_of(one.run_id));
    one.replications = replications(verified[group]);
    replications_of[one.run_id] = one.replications;
  }
  std::vector<publish::Standing> standings;
  for (const Assessment& one : out.assessments) {
    const auto found = replications_of.find(one.run_id);
    const bool is_verified = found != replications_of.end();
    standings.push_back({one.run_id, is_verified, is_verified ? found->second : 0,
                         one.attestation_key, one.to_json()});
  }
  publish::Corrections corrections(catalog, clock, ids, std::string(actor));
  KI_TRY(out.runs_changed, corrections.assess(standings, "evidence assessed by verified-cpu-v1"));
  return out;
}

}  // namespace ki::rerun
