// Laws: what the strict profile accepts, the compat profile accepts with the same digest; the
// canonical text is accepted again, in either profile, with the same digest and the same text; the
// digest is that of the generic canonical writer, so no member order matters; and a refusal names a
// problem.
#include "ki/json/canonical.h"
#include "ki/manifest/validator.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ki::manifest;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static Validator compat(Profile::kCompat);
  static Validator strict(Profile::kStrict);
  static Validator again(Profile::kStrict);
  compat.collect_warnings(true);
  const auto loose = compat.read(text);
  const auto tight = strict.read(text);
  if (!loose) {
    require(!tight && !loose.error().issues().empty());
    return 0;
  }
  if (tight) require(tight->digest == loose->digest && tight->canonical == loose->canonical);
  require(ki::json::canonical(loose->root) == loose->canonical);
  if (tight) {
    const std::string canonical(tight->canonical);
    const auto second = again.read(canonical);
    require(second && second->digest == tight->digest && second->canonical == canonical);
  }
  const auto bare = again.validate_spec(loose->kind, loose->spec);
  if (bare) require(bare->digest == loose->digest);
  return 0;
}
