// Ed25519 keys and signatures (RFC 8032), in the forms that other tools read: PKCS #8 and SPKI PEM
// (RFC 8410).
#pragma once

#include "ki/base/result.h"

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace ki::sign {

using Signature = std::array<std::uint8_t, 64>;

class PublicKey {
 public:
  static constexpr std::size_t kBytes = 32;

  // Refuses what no honest key is: a point of small order, under which anybody can make signatures,
  // and a coordinate that is not its own spelling (RFC 8032 section 5.1.3).
  static Result<PublicKey> from_bytes(std::string_view bytes);
  // "-----BEGIN PUBLIC KEY-----", one key.
  static Result<PublicKey> from_pem(std::string_view text);

  std::string pem() const;
  // Lower-case hex of SHA-256 of the DER SubjectPublicKeyInfo: what envelopes call keyid.
  std::string key_id() const;
  std::string_view view() const { return {reinterpret_cast<const char*>(bytes_.data()), kBytes}; }
  bool verify(std::string_view message, std::string_view signature) const;
  auto operator<=>(const PublicKey&) const = default;

 private:
  explicit PublicKey(std::array<std::uint8_t, kBytes> bytes) : bytes_(bytes) {}
  std::array<std::uint8_t, kBytes> bytes_;
};

// Its bytes are wiped when it is destroyed.
class PrivateKey {
 public:
  static constexpr std::size_t kBytes = 32;

  static PrivateKey generate();
  static Result<PrivateKey> from_seed(std::string_view seed);
  // "-----BEGIN PRIVATE KEY-----", unencrypted.
  static Result<PrivateKey> from_pem(std::string_view text);
  PrivateKey(PrivateKey&& other) noexcept;
  PrivateKey& operator=(PrivateKey&& other) noexcept;
  PrivateKey(const PrivateKey&) = delete;
  PrivateKey& operator=(const PrivateKey&) = delete;
  ~PrivateKey();

  PublicKey public_key() const;
  Signature sign(std::string_view message) const;
  std::string pem() const;

 private:
  PrivateKey() = default;
  std::array<std::uint8_t, kBytes> seed_{};
};

inline std::string_view view(const Signature& signature) {
  return {reinterpret_cast<const char*>(signature.data()), signature.size()};
}

}  // namespace ki::sign
