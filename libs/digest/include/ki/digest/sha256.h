// Streaming SHA-256 (OpenSSL's, which uses the processor's instructions where it has them).
#pragma once

#include "ki/digest/digest.h"

#include <memory>
#include <string_view>

namespace ki {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void update(std::string_view bytes);
  // The digest of all bytes so far; the object then starts afresh.
  Digest finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace ki
