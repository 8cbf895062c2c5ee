// TrustList: which public keys a catalog believes, for what, and until where.
#pragma once

#include "ki/base/result.h"
#include "ki/sign/ed25519.h"

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::sign {

enum class Role : std::uint8_t {
  kRunner,    // signs controlled reruns
  kLog,       // signs checkpoints
  kAttester,  // signs attestations about runs
};
std::string_view to_string(Role role);
std::optional<Role> parse_role(std::string_view text);

// Position of an entry in a transparency log, from 0.
using LogIndex = std::uint64_t;

struct Revocation {
  LogIndex index = 0;  // what was logged at or after it is no longer believed
  std::string reason;
  bool operator==(const Revocation&) const = default;
};

struct TrustedKey {
  PublicKey key;
  std::string name;   // of the key; for log keys the name in notes
  std::string owner;  // who holds it
  std::set<Role> roles;
  std::optional<Revocation> revoked = {};

  // Canonical JSON {"keyid","name","owner","publicKey","revoked","roles"}.
  std::string to_json() const;
  static Result<TrustedKey> parse(std::string_view json);
  bool operator==(const TrustedKey&) const = default;
};

class TrustList {
 public:
  // Fails with kConflict when the key is listed already.
  Result<void> add(TrustedKey key);
  // Fails with kNotFound for a key that is not listed, kConflict when it is revoked from an earlier
  // or the same index already: a revocation is never moved later.
  Result<void> revoke(const PublicKey& key, const Revocation& revocation);

  std::span<const TrustedKey> keys() const { return keys_; }
  // By key, full keyid, an unambiguous prefix of it of at least eight digits, or name.
  const TrustedKey* find(const PublicKey& key) const;
  Result<const TrustedKey*> find(std::string_view keyid_or_name) const;
  // Whether evidence by `key` in `role` that was logged at `index` is believed. Evidence without an
  // index was never logged: believed only while the key is not revoked.
  bool believes(const PublicKey& key, Role role, std::optional<LogIndex> index) const;
  // The keys of `role` whose evidence of `index` is believed.
  std::vector<PublicKey> believed(Role role, std::optional<LogIndex> index) const;

 private:
  std::vector<TrustedKey> keys_;
};

}  // namespace ki::sign
