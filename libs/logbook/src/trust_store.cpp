#include "ki/logbook/trust_store.h"

#include "ki/logbook/log_head.h"
#include "ki/publish/commit_time.h"
#include "ki/publish/leader_sync.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::logbook {
namespace {

using catalog::Table;

std::optional<std::string_view> reason_of(const TrustChange& change) {
  if (change.reason.empty()) return std::nullopt;
  return change.reason;
}

Result<void> audit(catalog::Transaction& tx, std::string_view action, const sign::PublicKey& key,
                   const TrustChange& change, std::string_view prior, Instant now,
                   UuidSource& ids) {
  const Uuid id = ids.next(now);
  KI_TRY_VOID(tx.append(Table::kAuditEvents, id.to_string(), 0, std::nullopt,
                        publish::audit_event_row(id, change.actor, action, "key", key.key_id(),
                                                 reason_of(change), prior, now)));
  return {};
}

}  // namespace

Result<sign::TrustList> read_trust(catalog::Store& store) {
  KI_TRY(const catalog::Head head, store.head());
  sign::TrustList list;
  std::optional<sign::TrustedKey> newest;
  const auto keep = [&]() -> Result<void> {
    if (!newest) return {};
    return list.add(*std::exchange(newest, std::nullopt));
  };
  KI_TRY_VOID(store.read_table(Table::kTrustedKeys, head.seq,
                               [&](const catalog::Entry& entry) -> Result<catalog::Step> {
                                 if (entry.version == 0) KI_TRY_VOID(keep());
                                 KI_TRY(newest, sign::TrustedKey::parse(entry.body));
                                 return catalog::Step::kGoOn;
                               }));
  KI_TRY_VOID(keep());
  return list;
}

std::vector<sign::NoteVerifier> log_verifiers(const sign::TrustList& list) {
  std::vector<sign::NoteVerifier> verifiers;
  for (const sign::TrustedKey& key : list.keys()) {
    if (!key.roles.contains(sign::Role::kLog) || key.revoked) continue;
    if (auto verifier = sign::NoteVerifier::make(key.name, key.key)) {
      verifiers.push_back(*std::move(verifier));
    }
  }
  return verifiers;
}

Result<void> trust_keys(catalog::Store& store, std::span<const sign::TrustedKey> keys,
                        const TrustChange& change, UuidSource& ids) {
  KI_TRY(const auto tx, store.begin());
  KI_TRY(const Instant now, publish::commit_time(store, change.now));
  for (const sign::TrustedKey& key : keys) {
    const std::string key_id = key.key.key_id();
    KI_TRY(const auto known, tx->find(Table::kTrustedKeys, key_id));
    if (known) {
      return fail(Code::kConflict,
                  fmt::format("key {} is in the trust list already", key_id.substr(0, 16)));
    }
    KI_TRY_VOID(tx->append(Table::kTrustedKeys, key_id, 0, std::nullopt, key.to_json()));
    KI_TRY_VOID(audit(*tx, "trust_key", key.key, change, {}, now, ids));
  }
  KI_TRY_VOID(tx->commit(now, "trust key"));
  return {};
}

Result<sign::Revocation> revoke_key(catalog::Store& store, const sign::PublicKey& key,
                                    std::optional<sign::LogIndex> index, const TrustChange& change,
                                    UuidSource& ids) {
  KI_TRY(const auto tx, store.begin());
  KI_TRY(const Instant now, publish::commit_time(store, change.now));
  KI_TRY(const auto row, tx->find(Table::kTrustedKeys, key.key_id()));
  if (!row) {
    return fail(Code::kNotFound,
                fmt::format("key {} is not in the trust list", key.key_id().substr(0, 16)));
  }
  KI_TRY(sign::TrustedKey trusted, sign::TrustedKey::parse(row->body));
  if (!index) {
    KI_TRY(const auto log, tx->find(Table::kLogHeads, LogHead::kKey));
    index = 0;
    if (log) {
      KI_TRY(const LogHead head, LogHead::parse(log->body));
      index = head.tree.size();
    }
  }
  sign::TrustList list;
  KI_TRY_VOID(list.add(trusted));
  const sign::Revocation revocation{*index, std::string(change.reason)};
  KI_TRY_VOID(list.revoke(key, revocation));
  trusted.revoked = revocation;
  KI_TRY_VOID(
      tx->append(Table::kTrustedKeys, row->key, row->version + 1, std::nullopt, trusted.to_json()));
  KI_TRY_VOID(audit(*tx, "revoke_key", key, change, row->body, now, ids));
  KI_TRY_VOID(tx->commit(now, "revoke key"));
  return revocation;
}

}  // namespace ki::logbook
