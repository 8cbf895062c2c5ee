#include "ki/notes/desk.h"

#include "ki/base/check.h"
#include "ki/base/text.h"
#include "ki/json/canonical.h"
#include "ki/json/reader.h"
#include "ki/json/writer.h"
#include "ki/notes/draft.h"
#include "ki/notes/statement.h"
#include "ki/publish/commit_time.h"
#include "ki/publish/leader_sync.h"
#include "ki/publish/row_codec.h"
#include "rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ki::notes {
namespace {

using catalog::Table;
using http::Problem;

std::unexpected<Problem> refuse(int status, std::string code, std::string detail) {
  return std::unexpected(
      Problem{.status = status, .code = std::move(code), .detail = std::move(detail)});
}

std::unexpected<Problem> refuse(std::string code, const Error& error) {
  Problem problem{.status = 422, .code = std::move(code), .detail = error.message()};
  for (const Issue& issue : error.issues()) {
    problem.errors.push_back({issue.pointer, issue.code, issue.message});
  }
  return std::unexpected(std::move(problem));
}

// Short enough to read, long enough to name a key (TrustList::find).
std::string short_key(std::string_view key_id) { return std::string(key_id.substr(0, 16)); }

// What two rows of the same words have in common: everything but who wrote the row down and when.
std::string sense_of(std::string_view row) {
  const auto document = json::read_document(row);
  if (!document) return {};
  std::string out;
  for (const json::Member& member : document->root.members()) {
    if (member.key == "id" || member.key == "createdAt" || member.key == "hidden" ||
        member.key == "state" || member.key == "resolution") {
      continue;
    }
    json::append_string(out, member.key);
    json::append_canonical(out, member.value);
  }
  return out;
}

}  // namespace

// What is stored, but for the id and the time.
struct Desk::Words {
  Table table = Table::kAttestations;
  std::string_view entity;  // of the audit log: "attestation", "report"
  std::string actor;
  std::string (*write)(const Words&, const Uuid&, const RunName&, Instant) = nullptr;
  Attestation attestation = {};
  Report report = {};
  std::string envelope = {};
  std::string key_id = {};
  std::string owner = {};
};

Desk::Desk(Options options)
    : options_(std::move(options)), quota_(options_.limits), ids_(options_.seed) {
  KI_CHECK(options_.store != nullptr && options_.clock != nullptr);
}

std::expected<Filed, Problem> Desk::store(const RunName& run, const Words& words,
                                          std::string_view client) {
  if (const auto seconds = quota_.take(client, options_.clock->now())) {
    Problem problem{.status = 429,
                    .code = "QUOTA_EXCEEDED",
                    .detail = fmt::format("this index takes {} notes of one client in 24 hours; "
                                          "the next one in {} s",
                                          options_.limits.per_client_a_day, *seconds)};
    problem.retry_after_seconds = seconds;
    return std::unexpected(std::move(problem));
  }
  const std::scoped_lock lock(mutex_);
  const auto stored = [&]() -> Result<Filed> {
    catalog::Store& store = *options_.store;
    KI_TRY(const auto tx, store.begin());
    KI_TRY(const Instant now, publish::commit_time(store, options_.clock->now()));
    const Uuid id = ids_.next(now);
    const std::string row = words.write(words, id, run, now);
    const std::string sense = sense_of(row);
    std::string known;
    KI_TRY_VOID(store.read_prefix(words.table, run.id + " ", tx->head().seq,
                                  [&](const catalog::Entry& entry) -> Result<catalog::Step> {
                                    if (sense_of(entry.body) != sense) return catalog::Step::kGoOn;
                                    known = entry.key.substr(run.id.size() + 1);
                                    return catalog::Step::kStop;
                                  }));
    Filed filed{.id = known.empty() ? id.to_string() : known,
                .run_id = run.id,
                .is_new = known.empty(),
                .key_id = words.key_id,
                .owner = words.owner};
    if (!filed.is_new) return filed;
    KI_TRY_VOID(
        tx->append(words.table, fmt::format("{} {}", run.id, filed.id), 0, std::nullopt, row));
    const Uuid event = ids_.next(now);
    KI_TRY_VOID(tx->append(
        Table::kAuditEvents, event.to_string(), 0, std::nullopt,
        publish::audit_event_row(event, words.actor, fmt::format("{}_filed", words.entity),
                                 words.entity, filed.id, std::nullopt, {}, now)));
    KI_TRY_VOID(tx->commit(now, fmt::format("file {}", words.entity)));
    return filed;
  }();
  if (!stored) {
    const bool may_retry = stored.error().code() == Code::kUnavailable;
    Problem problem = http::problem_of(stored.error());
    if (may_retry) problem.detail = "the note cannot be stored now; nothing was kept, try again";
    return std::unexpected(std::move(problem));
  }
  return *stored;
}

std::expected<Filed, Problem> Desk::attest(const RunName& run, const json::Value& request,
                                           std::string_view client) {
  if (options_.takes == Takes::kNothing) {
    return refuse(403, "NOTES_NOT_TAKEN", "the operator of this index takes no notes");
  }
  const json::Value* envelope_value = request.find("envelope");
  if (envelope_value == nullptr) {
    if (options_.takes == Takes::kSigned) {
      return refuse(403, "NOTES_NOT_TAKEN",
                    "the operator of this index takes signed attestations only: ki attest RUN "
                    "--key FILE");
    }
    auto attestation = read_attestation(request);
    if (!attestation) return refuse("INVALID_ATTESTATION", attestation.error());
    Words words{.entity = "attestation", .actor = options_.actor};
    words.attestation = *std::move(attestation);
    words.write = [](const Words& w, const Uuid& id, const RunName& about, Instant now) {
      return attestation_row(id, about, w.attestation, now);
    };
    return store(run, words, client);
  }
  if (request.members().size() != 1) {
    return refuse(422, "INVALID_ATTESTATION",
                  "an envelope stands alone: what it says is inside, signed");
  }
  const auto envelope = sign::read_envelope(json::canonical(*envelope_value));
  if (!envelope) return refuse("INVALID_ATTESTATION", envelope.error());
  const auto said = SignedAttestation::read(*envelope);
  if (!said) return refuse("INVALID_ATTESTATION", said.error());
  if (said->run != run.digest) {
    return refuse(422, "INVALID_ATTESTATION",
                  fmt::format("the envelope is about {}, this run is {}", said->run.to_string(),
                              run.digest.to_string()));
  }
  const auto trust =
      options_.read_trust ? options_.read_trust() : Result<sign::TrustList>(sign::TrustList());
  if (!trust) return std::unexpected(http::problem_of(trust.error()));
  const sign::TrustedKey* signer = nullptr;
  for (const sign::TrustedKey& key : trust->keys()) {
    const std::array<sign::PublicKey, 1> one = {key.key};
    if (sign::verified_keys(*envelope, one).empty()) continue;
    if (!trust->believes(key.key, sign::Role::kAttester, std::nullopt)) {
      return refuse(403, "UNTRUSTED_KEY",
                    fmt::format("key {} signed it, but {}", short_key(key.key.key_id()),
                                key.revoked ? "it is revoked"
                                            : "this index does not trust it as an attester"));
    }
    signer = &key;
    break;
  }
  if (signer == nullptr) {
    // The key ids are hints of the sender: they say which sentence helps, nothing else.
    const std::string hint =
        envelope->signatures.empty() ? "" : envelope->signatures.front().key_id;
    const bool is_known = std::ranges::any_of(
        trust->keys(), [&](const sign::TrustedKey& key) { return key.key.key_id() == hint; });
    if (is_known) {
      return refuse(
          422, "INVALID_SIGNATURE",
          fmt::format("the signature is not one of key {} over this payload", short_key(hint)));
    }
    return refuse(403, "UNTRUSTED_KEY",
                  fmt::format("no attester key that this index trusts made this signature{}. Its "
                              "operator trusts a key with: ki key trust KEY.pem --role attester; "
                              "until then the words can be filed unsigned",
                              hint.empty() ? "" : fmt::format(" (keyid {})", quote(hint))));
  }
  Words words{.entity = "attestation",
              .actor = fmt::format("{} (key {})", signer->owner, short_key(signer->key.key_id()))};
  words.attestation = said->attestation;
  words.envelope = sign::to_json(*envelope);
  words.key_id = signer->key.key_id();
  words.owner = signer->owner;
  words.write = [](const Words& w, const Uuid& id, const RunName& about, Instant now) {
    return signed_row(id, about, w.attestation.type, w.envelope, w.key_id, now);
  };
  return store(run, words, client);
}

std::expected<Filed, Problem> Desk::report(const RunName& run, const json::Value& request,
                                           std::string_view client) {
  if (options_.takes != Takes::kAnything) {
    return refuse(403, "NOTES_NOT_TAKEN",
                  "the operator of this index takes no reports without a signature");
  }
  auto report = read_report(request);
  if (!report) return refuse("INVALID_REPORT", report.error());
  Words words{.table = Table::kReports, .entity = "report", .actor = options_.actor};
  words.report = *std::move(report);
  words.write = [](const Words& w, const Uuid& id, const RunName& about, Instant now) {
    return report_row(id, about, w.report, now);
  };
  return store(run, words, client);
}

Result<void> Desk::decide(Table table, std::string_view run_id, std::string_view id,
                          std::string_view column, std::string_view state,
                          std::string_view reason) {
  const std::string_view entity = table == Table::kReports ? "report" : "attestation";
  if (trim(reason).empty()) return fail(Code::kInvalidArgument, "say why: the reason is empty");
  const std::scoped_lock lock(mutex_);
  catalog::Store& store = *options_.store;
  KI_TRY(const auto tx, store.begin());
  KI_TRY(const Instant now, publish::commit_time(store, options_.clock->now()));
  const std::string key = fmt::format("{} {}", run_id, id);
  KI_TRY(const auto stored, tx->find(table, key));
  if (!stored) return fail(Code::kNotFound, fmt::format("the run has no {} {}", entity, quote(id)));
  KI_TRY(const json::Document row, json::read_document(stored->body));
  if (text_of(row.root, "kind") == kControlledRerun) {
    return fail(Code::kConflict, "a controlled rerun is no note; revoke its key instead");
  }
  const json::Value* before = row.root.find(column);
  if (before != nullptr && !before->is_null()) {
    return fail(Code::kConflict,
                fmt::format("{} {} is {} already", entity, id,
                            table == Table::kReports ? text_of(row.root, "state")
                                                     : std::string_view("hidden")));
  }
  std::string decision;
  json::Writer(decision)
      .begin_object()
      .member("actor", options_.actor)
      .member("at", now.to_string())
      .member("reason", trim(reason))
      .end_object();
  std::vector<std::pair<std::string_view, std::string>> columns = {{column, decision}};
  if (table == Table::kReports) columns.emplace_back("state", fmt::format("\"{}\"", state));
  KI_TRY_VOID(tx->append(table, key, stored->version + 1, std::nullopt,
                         publish::with_columns(row.root, columns)));
  const Uuid event = ids_.next(now);
  KI_TRY_VOID(tx->append(
      Table::kAuditEvents, event.to_string(), 0, std::nullopt,
      publish::audit_event_row(event, options_.actor, fmt::format("{}_{}", entity, state), entity,
                               id, trim(reason), {}, now)));
  KI_TRY_VOID(tx->commit(now, fmt::format("{} {}", entity, state)));
  return {};
}

Result<void> Desk::hide(std::string_view run_id, std::string_view id, std::string_view reason) {
  return decide(Table::kAttestations, run_id, id, "hidden", "hidden", reason);
}

Result<void> Desk::close(std::string_view run_id, std::string_view id, std::string_view state,
                         std::string_view note) {
  KI_CHECK(state == "resolved" || state == "dismissed");
  return decide(Table::kReports, run_id, id, "resolution", state, note);
}

}  // namespace ki::notes
