// Law: a text that parses as a digest is the digest's own spelling.
#include "ki/digest/digest.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto digest = ki::Digest::parse(text); digest && digest->to_string() != text)
    std::abort();
  return 0;
}
