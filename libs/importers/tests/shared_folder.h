// Where ../shared is, when it is there.
#pragma once

#include <filesystem>
#include <optional>

namespace ki::importers {

inline std::optional<std::filesystem::path> shared_folder() {
  const auto folder = std::filesystem::path(KI_SOURCE_DIR) / ".." / "shared";
  if (!std::filesystem::exists(folder / "README.md")) return std::nullopt;
  return folder;
}

}  // namespace ki::importers

#define KI_NEEDS_SHARED(name)                                        \
  const auto name##_found = ki::importers::shared_folder();          \
  if (!name##_found) GTEST_SKIP() << "skipped: ../shared is absent"; \
  const std::filesystem::path name = *name##_found
