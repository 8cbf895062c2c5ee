// DSSE envelopes (Dead Simple Signing Envelope, v1): a payload, its type, and signatures over both.
#pragma once

#include "ki/base/result.h"
#include "ki/sign/ed25519.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::sign {

inline constexpr std::string_view kInTotoType = "application/vnd.in-toto+json";

// The bytes that are signed: "DSSEv1", the lengths, the type and the payload.
std::string pae(std::string_view payload_type, std::string_view payload);

struct Envelope {
  struct Signed {
    std::string key_id;     // a hint only; may be empty
    std::string signature;  // any bytes
  };
  std::string payload_type;
  std::string payload;  // decoded
  std::vector<Signed> signatures;
};

Envelope sign_envelope(std::string payload_type, std::string payload, const PrivateKey& key);
// The one spelling that we store and hash: members in this order, standard base64, no white space.
std::string to_json(const Envelope& envelope);
// At most 1 MiB, 16 signatures; members of other names are refused, so that nothing unsigned rides
// along. Each problem has a pointer.
Result<Envelope> read_envelope(std::string_view json);

// The distinct keys of `trusted` under which a signature verifies. Every key is tried whatever the
// hint says; two signatures of one key are one.
std::vector<PublicKey> verified_keys(const Envelope& envelope, std::span<const PublicKey> trusted);
// Whether at least `threshold` (1 or more) distinct keys signed.
bool is_signed_by(const Envelope& envelope, std::span<const PublicKey> trusted,
                  std::size_t threshold);

}  // namespace ki::sign
