// Law: an accepted YAML text has one canonical JSON text, and the JSON reader reads that text to
// the same value; a refused text is refused with at least one issue.
#include "ki/json/canonical.h"
#include "ki/json/reader.h"
#include "ki/yaml/reader.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document = ki::yaml::read(text);
  if (!document) {
    if (document.error().issues().empty()) std::abort();
    return 0;
  }
  const std::string once = ki::json::canonical(document->root);
  ki::json::Reader reader(ki::json::Limits{.max_bytes = once.size() + 1});
  const auto again = reader.read(once);
  if (!again || ki::json::canonical(*again) != once || !(*again == document->root)) std::abort();
  return 0;
}
