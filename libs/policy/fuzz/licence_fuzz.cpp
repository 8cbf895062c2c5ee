// Law: a concluded licence is its own conclusion, parses, and is permissive in v2 wherever it is in
// v1.
#include "ki/policy/licence.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto concluded = ki::policy::conclude_licence(text);
  if (!concluded) return 0;
  if (ki::policy::conclude_licence(*concluded) != concluded) std::abort();
  if (!ki::policy::parse_licence_expression(*concluded)) std::abort();
  if (ki::policy::is_permissive_v1(*concluded) && !ki::policy::is_permissive_v2(*concluded))
    std::abort();
  return 0;
}
