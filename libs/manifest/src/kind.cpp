#include "ki/manifest/kind.h"

#include "ki/base/same_text.h"
#include "kind_names.h"

namespace ki::manifest {

std::array<ManifestKind, kManifestKindCount> all_kinds() {
  std::array<ManifestKind, kManifestKindCount> kinds{};
  for (std::size_t i = 0; i < kinds.size(); ++i) kinds[i] = static_cast<ManifestKind>(i);
  return kinds;
}

std::string_view to_string(ManifestKind kind) {
  return kKindNames[static_cast<std::size_t>(kind)].name;
}

std::string_view kind_slug(ManifestKind kind) {
  return kKindNames[static_cast<std::size_t>(kind)].slug;
}

std::optional<ManifestKind> parse_kind(std::string_view name) {
  for (std::size_t i = 0; i < kKindNames.size(); ++i) {
    if (same_text(kKindNames[i].name, name)) return static_cast<ManifestKind>(i);
  }
  return std::nullopt;
}

}  // namespace ki::manifest
