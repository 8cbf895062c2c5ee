#include "ki/notes/run_notes.h"

#include "ki/json/reader.h"
#include "ki/notes/statement.h"
#include "rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>

namespace ki::notes {
namespace {

using catalog::Entry;
using catalog::Step;
using catalog::Table;

std::optional<Decision> decision_of(const json::Value& row, std::string_view column) {
  const json::Value* value = row.find(column);
  if (value == nullptr || !value->is_object()) return std::nullopt;
  return Decision{std::string(text_of(*value, "at")), std::string(text_of(*value, "actor")),
                  std::string(text_of(*value, "reason"))};
}

// Where the log has an envelope: evidence that was logged before its key was revoked stays
// believed.
Result<std::optional<sign::LogIndex>> log_index(catalog::Store& store, catalog::Seq upto,
                                                std::string_view envelope) {
  KI_TRY(const auto leaf,
         store.find(Table::kLogEntries,
                    fmt::format("attestation {}", Digest::of(envelope).to_string()), upto));
  if (!leaf) return std::nullopt;
  KI_TRY(const json::Document row, json::read_document(leaf->body));
  const json::Value* index = row.root.find("index");
  const auto number = index != nullptr && index->is_number() ? index->integer() : std::nullopt;
  if (!number || *number < 0) return std::nullopt;
  return static_cast<sign::LogIndex>(*number);
}

void add_members(std::vector<json::Member>& members, const json::Value& row,
                 std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const json::Value* value = row.find(name)) members.push_back({name, 0, *value});
  }
}

class Reading {
 public:
  Reading(catalog::Store& store, catalog::Seq upto, const Digest& run, const sign::TrustList& trust)
      : store_(store), upto_(upto), run_(run), trust_(trust) {}

  // Nothing for a row that is no note or cannot be read.
  Result<std::optional<RunAttestation>> attestation(std::string_view body) const {
    const auto document = json::read_document(body);
    if (!document) return std::nullopt;
    const json::Value& row = document->root;
    const std::string_view kind = text_of(row, "kind");
    if (kind == kControlledRerun || text_of(row, "runDigest") != run_.to_string())
      return std::nullopt;
    RunAttestation out;
    out.id = text_of(row, "id");
    out.created_at = text_of(row, "createdAt");
    if (!parse_instant(out.created_at)) return std::nullopt;
    out.key_id = text_of(row, "keyId");
    out.hidden = decision_of(row, "hidden");
    if (const json::Value* envelope = row.find("envelope");
        envelope != nullptr && envelope->is_string()) {
      KI_TRY(const bool is_read, read_signed(envelope->string(), out));
      if (!is_read) return std::nullopt;
    } else {
      out.key_id.clear();
      // By the rules for requests: rows may come from an import.
      std::vector<json::Member> members = {{"type", 0, json::Value::string(kind)}};
      add_members(members, row, {"body", "environmentSummary", "evidenceUrl", "observedNs"});
      auto said = read_attestation(json::Value::object(members));
      if (!said) return std::nullopt;
      out.attestation = *std::move(said);
    }
    if (out.hidden) out.attestation = {.type = out.attestation.type, .body = {}};
    return out;
  }

  static std::optional<RunReport> report(std::string_view body) {
    const auto document = json::read_document(body);
    if (!document) return std::nullopt;
    const json::Value& row = document->root;
    RunReport out;
    out.id = text_of(row, "id");
    std::vector<json::Member> members;
    add_members(members, row, {"reason", "detail", "evidenceUrl"});
    auto said = read_report(json::Value::object(members));
    if (!said) return std::nullopt;
    out.report = *std::move(said);
    out.created_at = text_of(row, "createdAt");
    out.state = text_of(row, "state");
    out.resolution = decision_of(row, "resolution");
    constexpr std::array<std::string_view, 3> kStates = {"open", "resolved", "dismissed"};
    if (!parse_instant(out.created_at) || std::ranges::find(kStates, out.state) == kStates.end())
      return std::nullopt;
    return out;
  }

 private:
  // What the envelope says, and whether it is believed now. False when it says nothing about this
  // run.
  Result<bool> read_signed(std::string_view text, RunAttestation& out) const {
    const auto envelope = sign::read_envelope(text);
    if (!envelope) return false;
    const auto said = SignedAttestation::read(*envelope);
    if (!said || said->run != run_) return false;
    out.attestation = said->attestation;
    out.signing = Signing::kNotBelieved;
    for (const sign::TrustedKey& key : trust_.keys()) {
      const std::array<sign::PublicKey, 1> one = {key.key};
      if (sign::verified_keys(*envelope, one).empty()) continue;
      std::optional<sign::LogIndex> index;
      if (key.revoked) {
        KI_TRY(index, log_index(store_, upto_, text));
      }
      out.key_id = key.key.key_id();
      if (!trust_.believes(key.key, sign::Role::kAttester, index)) continue;
      out.signing = Signing::kSigned;
      out.owner = key.owner;
      break;
    }
    return true;
  }

  catalog::Store& store_;
  catalog::Seq upto_;
  const Digest& run_;
  const sign::TrustList& trust_;
};

// Calls `use` with the newest version of each row of the run, in order of their ids, which is the
// order of time.
template <class Use>
Result<void> newest_rows(catalog::Store& store, Table table, std::string_view run_id,
                         catalog::Seq upto, Use use) {
  std::string key, body;
  KI_TRY_VOID(store.read_prefix(table, fmt::format("{} ", run_id), upto,
                                [&](const Entry& entry) -> Result<Step> {
                                  if (entry.key != key && !key.empty()) KI_TRY_VOID(use(body));
                                  key = entry.key;
                                  body = entry.body;
                                  return Step::kGoOn;
                                }));
  if (!key.empty()) KI_TRY_VOID(use(body));
  return {};
}

// The newest first, and no more than are shown.
template <class T>
void turn(std::vector<T>& list) {
  std::ranges::reverse(list);
  if (list.size() > kMaxShown) list.erase(list.begin() + kMaxShown, list.end());
}

}  // namespace

Result<RunNotes> read_notes(catalog::Store& store, catalog::Seq upto, std::string_view run_id,
                            const Digest& run_digest, const sign::TrustList& trust) {
  RunNotes notes;
  const Reading reading(store, upto, run_digest, trust);
  KI_TRY_VOID(newest_rows(store, Table::kAttestations, run_id, upto,
                          [&](std::string_view body) -> Result<void> {
                            KI_TRY(auto one, reading.attestation(body));
                            if (one) notes.attestations.push_back(*std::move(one));
                            return {};
                          }));
  KI_TRY_VOID(
      newest_rows(store, Table::kReports, run_id, upto, [&](std::string_view body) -> Result<void> {
        if (auto one = Reading::report(body)) {
          notes.open_reports += one->state == "open" ? 1 : 0;
          notes.reports.push_back(*std::move(one));
        }
        return {};
      }));
  notes.attestations_total = notes.attestations.size();
  notes.reports_total = notes.reports.size();
  turn(notes.attestations);
  turn(notes.reports);
  return notes;
}

}  // namespace ki::notes
