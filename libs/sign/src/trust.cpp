#include "ki/sign/trust.h"

#include "ki/base/base64.h"
#include "ki/base/text.h"
#include "ki/json/reader.h"
#include "ki/json/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ki::sign {
namespace {

constexpr std::array<std::pair<Role, std::string_view>, 3> kRoles = {{
    {Role::kRunner, "runner"},
    {Role::kLog, "log"},
    {Role::kAttester, "attester"},
}};

std::unexpected<Error> wrong(std::string message) {
  return fail(Code::kInvalidArgument, "trusted key: " + message);
}

Result<std::string_view> text_of(const json::Value& object, std::string_view name) {
  const json::Value* value = object.find(name);
  if (value == nullptr || !value->is_string()) {
    return wrong(fmt::format("'{}' is not a string", name));
  }
  return value->string();
}

}  // namespace

std::string_view to_string(Role role) {
  return std::ranges::find(kRoles, role, &std::pair<Role, std::string_view>::first)->second;
}

std::optional<Role> parse_role(std::string_view text) {
  for (const auto& [role, name] : kRoles) {
    if (name == text) return role;
  }
  return std::nullopt;
}

std::string TrustedKey::to_json() const {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  writer.member("keyid", key.key_id()).member("name", name).member("owner", owner);
  writer.member("publicKey", base64(key.view())).key("revoked");
  if (revoked) {
    writer.begin_object().member("index", revoked->index).member("reason", revoked->reason);
    writer.end_object();
  } else {
    writer.null();
  }
  // By name, so that one set of roles has one text.
  std::set<std::string_view> names;
  for (const Role role : roles) names.insert(sign::to_string(role));
  writer.key("roles").begin_array();
  for (const std::string_view role : names) writer.value(role);
  writer.end_array().end_object();
  return out;
}

Result<TrustedKey> TrustedKey::parse(std::string_view text) {
  KI_TRY(const json::Document document, json::read_document(text, {.max_bytes = 64 << 10}));
  const json::Value& root = document.root;
  if (!root.is_object()) return wrong("not an object");
  KI_TRY(const std::string_view encoded, text_of(root, "publicKey"));
  const auto bytes = parse_base64(encoded);
  if (!bytes) return wrong("'publicKey' is not base64");
  KI_TRY(const PublicKey public_key, PublicKey::from_bytes(*bytes));
  KI_TRY(const std::string_view key_name, text_of(root, "name"));
  KI_TRY(const std::string_view key_owner, text_of(root, "owner"));
  TrustedKey trusted{public_key, std::string(key_name), std::string(key_owner), {}};
  const json::Value* role_names = root.find("roles");
  if (role_names == nullptr || !role_names->is_array()) return wrong("'roles' is not an array");
  for (const json::Value& item : role_names->items()) {
    const auto role = item.is_string() ? parse_role(item.string()) : std::nullopt;
    if (!role) return wrong("a role is none of runner, log, attester");
    trusted.roles.insert(*role);
  }
  if (const json::Value* revocation = root.find("revoked");
      revocation != nullptr && !revocation->is_null()) {
    const json::Value* index = revocation->find("index");
    if (index == nullptr || !index->is_number() || !index->integer() || *index->integer() < 0) {
      return wrong("'revoked.index' is not a log index");
    }
    KI_TRY(const std::string_view reason, text_of(*revocation, "reason"));
    trusted.revoked = Revocation{static_cast<LogIndex>(*index->integer()), std::string(reason)};
  }
  if (trusted.to_json() != text) return wrong("the text is not canonical, or its keyid is wrong");
  return trusted;
}

Result<void> TrustList::add(TrustedKey key) {
  if (find(key.key) != nullptr) {
    return fail(Code::kConflict,
                fmt::format("key {} is in the trust list already", key.key.key_id().substr(0, 16)));
  }
  keys_.push_back(std::move(key));
  return {};
}

Result<void> TrustList::revoke(const PublicKey& key, const Revocation& revocation) {
  const auto found = std::ranges::find(keys_, key, &TrustedKey::key);
  if (found == keys_.end()) {
    return fail(Code::kNotFound,
                fmt::format("key {} is not in the trust list", key.key_id().substr(0, 16)));
  }
  if (found->revoked && found->revoked->index <= revocation.index) {
    return fail(Code::kConflict, fmt::format("key {} is revoked from log index {} on already",
                                             key.key_id().substr(0, 16), found->revoked->index));
  }
  found->revoked = revocation;
  return {};
}

const TrustedKey* TrustList::find(const PublicKey& key) const {
  const auto found = std::ranges::find(keys_, key, &TrustedKey::key);
  return found == keys_.end() ? nullptr : &*found;
}

Result<const TrustedKey*> TrustList::find(std::string_view keyid_or_name) const {
  constexpr std::size_t kShortest = 8;
  const TrustedKey* found = nullptr;
  for (const TrustedKey& key : keys_) {
    const bool is_meant =
        key.name == keyid_or_name ||
        (keyid_or_name.size() >= kShortest && key.key.key_id().starts_with(keyid_or_name));
    if (!is_meant) continue;
    if (found != nullptr) {
      return fail(Code::kInvalidArgument,
                  fmt::format("{} names several keys: {} and {}; give more digits of the keyid",
                              quote(keyid_or_name), found->key.key_id().substr(0, 16),
                              key.key.key_id().substr(0, 16)));
    }
    found = &key;
  }
  if (found == nullptr) {
    return fail(Code::kNotFound,
                fmt::format("no trusted key has the name or keyid {}", quote(keyid_or_name)));
  }
  return found;
}

bool TrustList::believes(const PublicKey& key, Role role, std::optional<LogIndex> index) const {
  const TrustedKey* trusted = find(key);
  if (trusted == nullptr || !trusted->roles.contains(role)) return false;
  if (!trusted->revoked) return true;
  return index && *index < trusted->revoked->index;
}

std::vector<PublicKey> TrustList::believed(Role role, std::optional<LogIndex> index) const {
  std::vector<PublicKey> keys;
  for (const TrustedKey& key : keys_) {
    if (believes(key.key, role, index)) keys.push_back(key.key);
  }
  return keys;
}

}  // namespace ki::sign
