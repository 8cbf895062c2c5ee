// Law: a target that is accepted has one canonical spelling, which reads back as the same value and
// is its own canonical spelling; its path is safe to use.
#include "ki/base/text.h"
#include "ki/http/target.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto target = ki::http::parse_target(text);
  if (!target) {
    if (target.error().status != 400 && target.error().status != 414) std::abort();
    if (target.error().detail.empty()) std::abort();
    return 0;
  }
  if (target->path.front() != '/' || target->path.find("/../") != std::string::npos) std::abort();
  if (target->path.find('\0') != std::string::npos) std::abort();
  if (target->query.size() > ki::http::kMaxParameters) std::abort();
  const std::string canonical = target->canonical();
  for (const char c : canonical) {
    if (c <= ' ' || c >= 0x7f) std::abort();
  }
  // Encoding may make a long target longer than what is read.
  if (canonical.size() > ki::http::kMaxTargetBytes) return 0;
  const auto again = ki::http::parse_target(canonical);
  if (!again || *again != *target || again->canonical() != canonical) std::abort();
  return 0;
}
