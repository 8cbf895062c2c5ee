// Law: what is read has one canonical text, and reading that text again gives the same text; a text
// that is refused is refused with at least one issue, and every issue has a place inside the text.
#include "ki/json/canonical.h"
#include "ki/json/reader.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  ki::json::Reader reader;
  const auto value = reader.read(text);
  if (!value) {
    if (value.error().issues().empty()) std::abort();
    return 0;
  }
  const std::string once = ki::json::canonical(*value);
  ki::json::Reader second_reader(ki::json::Limits{.max_bytes = once.size() + 1});
  const auto again = second_reader.read(once);
  if (!again || ki::json::canonical(*again) != once || !(*again == *value)) std::abort();
  return 0;
}
