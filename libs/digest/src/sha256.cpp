#include "ki/digest/sha256.h"

#include "ki/base/check.h"

#include <openssl/evp.h>

namespace ki {
namespace {

// Fetched once: looking the algorithm up at each digest costs as much as hashing a kilobyte.
const EVP_MD* algorithm() {
  static const EVP_MD* const kAlgorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  KI_CHECK(kAlgorithm != nullptr);
  return kAlgorithm;
}

}  // namespace

struct Sha256::Context {
  Context() : evp(EVP_MD_CTX_new()) {
    KI_CHECK(evp != nullptr);
    start();
  }
  ~Context() { EVP_MD_CTX_free(evp); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  void start() { KI_CHECK(EVP_DigestInit_ex2(evp, algorithm(), nullptr) == 1); }
  EVP_MD_CTX* evp;
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(std::string_view bytes) {
  KI_CHECK(EVP_DigestUpdate(context_->evp, bytes.data(), bytes.size()) == 1);
}

Digest Sha256::finish() {
  std::array<std::uint8_t, Digest::kBytes> bytes{};
  KI_CHECK(EVP_DigestFinal_ex(context_->evp, bytes.data(), nullptr) == 1);
  context_->start();
  return Digest(bytes);
}

Digest Digest::of(std::string_view bytes) {
  thread_local Sha256 hasher;
  hasher.update(bytes);
  return hasher.finish();
}

}  // namespace ki
