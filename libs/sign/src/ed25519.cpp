#include "ki/sign/ed25519.h"

#include "ki/base/base64.h"
#include "ki/base/check.h"
#include "ki/base/text.h"
#include "ki/digest/digest.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

namespace ki::sign {
namespace {

struct KeyFree {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
struct ContextFree {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Key = std::unique_ptr<EVP_PKEY, KeyFree>;
using Context = std::unique_ptr<EVP_MD_CTX, ContextFree>;

const unsigned char* octets(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// DER before the 32 bytes of a key (RFC 8410).
constexpr std::string_view kSpkiPrefix("\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00", 12);
constexpr std::string_view kPkcs8Prefix(
    "\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20", 16);
constexpr std::string_view kPublicLabel = "PUBLIC KEY";
constexpr std::string_view kPrivateLabel = "PRIVATE KEY";

std::string to_pem(std::string_view label, std::string_view der) {
  std::string text = "-----BEGIN ";
  text.append(label).append("-----\n").append(base64(der)).append("\n-----END ");
  return text.append(label).append("-----\n");
}

// The 32 bytes after the prefix, of a text with one PEM block; texts around it are refused.
Result<std::string> from_pem_text(std::string_view label, std::string_view prefix,
                                  std::string_view text) {
  const std::string name(label);
  const auto refuse = [&](std::string_view problem) {
    return fail(Code::kInvalidArgument, "no Ed25519 " + std::string(ascii_lower(label)) +
                                            " in PEM form: " + std::string(problem));
  };
  const std::string begin = "-----BEGIN " + name + "-----";
  const std::string end = "-----END " + name + "-----";
  std::string_view rest = trim(text);
  if (rest.starts_with("-----BEGIN ENCRYPTED")) return refuse("the key is encrypted");
  if (!rest.starts_with(begin)) return refuse("expected a line '" + begin + "'");
  if (!rest.ends_with(end)) return refuse("expected a last line '" + end + "'");
  if (rest.size() < begin.size() + end.size()) return refuse("nothing between the lines");
  rest = rest.substr(begin.size(), rest.size() - begin.size() - end.size());
  std::string body;
  for (const char c : rest) {
    if (!is_ascii_space(c)) body += c;
  }
  auto der = parse_base64(body);
  OPENSSL_cleanse(body.data(), body.size());
  if (!der) return refuse("the text between the lines is not base64");
  if (der->size() != prefix.size() + 32 || !der->starts_with(prefix))
    return refuse("it holds another kind of key");
  std::string bytes = der->substr(prefix.size());
  OPENSSL_cleanse(der->data(), der->size());
  return bytes;
}

// y coordinates of the points of order 1, 2, 4 and 8 of edwards25519 (RFC 7748 section 4.1),
// little-endian.
constexpr std::array<std::string_view, 5> kSmallOrder = {
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"};

std::string hex_of(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    out += kDigits[static_cast<std::uint8_t>(c) >> 4];
    out += kDigits[static_cast<std::uint8_t>(c) & 15];
  }
  return out;
}

// Whether the coordinate is below 2^255 - 19; the top bit is the sign of x.
bool is_own_spelling(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); };
  if ((at(31) & 0x7F) != 0x7F) return true;
  for (std::size_t i = 1; i < 31; ++i) {
    if (at(i) != 0xFF) return true;
  }
  return at(0) < 0xED;
}

}  // namespace

Result<PublicKey> PublicKey::from_bytes(std::string_view bytes) {
  if (bytes.size() != kBytes) {
    return fail(Code::kInvalidArgument,
                "an Ed25519 public key has 32 bytes, not " + std::to_string(bytes.size()));
  }
  std::string coordinate(bytes);
  coordinate[31] = static_cast<char>(static_cast<std::uint8_t>(coordinate[31]) & 0x7F);
  if (std::ranges::find(kSmallOrder, hex_of(coordinate)) != kSmallOrder.end()) {
    return fail(Code::kInvalidArgument,
                "the public key is a point of small order, under which anybody can sign");
  }
  if (!is_own_spelling(bytes)) {
    return fail(Code::kInvalidArgument, "the public key is not in its one spelling");
  }
  std::array<std::uint8_t, kBytes> copy{};
  std::memcpy(copy.data(), bytes.data(), kBytes);
  return PublicKey(copy);
}

Result<PublicKey> PublicKey::from_pem(std::string_view text) {
  KI_TRY(const std::string bytes, from_pem_text(kPublicLabel, kSpkiPrefix, text));
  return from_bytes(bytes);
}

std::string PublicKey::pem() const {
  return to_pem(kPublicLabel, std::string(kSpkiPrefix).append(view()));
}

std::string PublicKey::key_id() const {
  return Digest::of(std::string(kSpkiPrefix).append(view())).hex();
}

bool PublicKey::verify(std::string_view message, std::string_view signature) const {
  if (signature.size() != std::tuple_size_v<Signature>) return false;
  const Key key(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes_.data(), bytes_.size()));
  const Context context(EVP_MD_CTX_new());
  if (!key || !context) return false;
  return EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
         EVP_DigestVerify(context.get(), octets(signature), signature.size(), octets(message),
                          message.size()) == 1;
}

PrivateKey PrivateKey::generate() {
  PrivateKey key;
  KI_CHECK(RAND_priv_bytes(key.seed_.data(), kBytes) == 1);
  return key;
}

Result<PrivateKey> PrivateKey::from_seed(std::string_view seed) {
  if (seed.size() != kBytes) {
    return fail(Code::kInvalidArgument,
                "an Ed25519 seed has 32 bytes, not " + std::to_string(seed.size()));
  }
  PrivateKey key;
  std::memcpy(key.seed_.data(), seed.data(), kBytes);
  return key;
}

Result<PrivateKey> PrivateKey::from_pem(std::string_view text) {
  KI_TRY(std::string seed, from_pem_text(kPrivateLabel, kPkcs8Prefix, text));
  auto key = from_seed(seed);
  OPENSSL_cleanse(seed.data(), seed.size());
  return key;
}

PrivateKey::PrivateKey(PrivateKey&& other) noexcept : seed_(other.seed_) {
  OPENSSL_cleanse(other.seed_.data(), kBytes);
}
PrivateKey& PrivateKey::operator=(PrivateKey&& other) noexcept {
  if (this == &other) return *this;
  seed_ = other.seed_;
  OPENSSL_cleanse(other.seed_.data(), kBytes);
  return *this;
}
PrivateKey::~PrivateKey() { OPENSSL_cleanse(seed_.data(), kBytes); }

PublicKey PrivateKey::public_key() const {
  const Key key(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, seed_.data(), kBytes));
  std::string bytes(PublicKey::kBytes, '\0');
  std::size_t size = bytes.size();
  KI_CHECK(key && EVP_PKEY_get_raw_public_key(
                      key.get(), reinterpret_cast<unsigned char*>(bytes.data()), &size) == 1);
  auto result = PublicKey::from_bytes(bytes);
  KI_CHECK(result.has_value());
  return *result;
}

Signature PrivateKey::sign(std::string_view message) const {
  const Key key(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, seed_.data(), kBytes));
  const Context context(EVP_MD_CTX_new());
  Signature signature{};
  std::size_t size = signature.size();
  KI_CHECK(key && context);
  KI_CHECK(EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1);
  KI_CHECK(
      EVP_DigestSign(context.get(), signature.data(), &size, octets(message), message.size()) == 1);
  return signature;
}

std::string PrivateKey::pem() const {
  std::string der(kPkcs8Prefix);
  der.append(reinterpret_cast<const char*>(seed_.data()), kBytes);
  std::string text = to_pem(kPrivateLabel, der);
  OPENSSL_cleanse(der.data(), der.size());
  return text;
}

}  // namespace ki::sign
