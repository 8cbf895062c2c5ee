// What several manifest tests need: texts of manifests, places of ../shared, codes of issues.
#pragma once

#include "ki/base/error.h"
#include "ki/io/file.h"
#include "ki/manifest/validator.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace ki::manifest {

inline std::filesystem::path source_dir() { return KI_SOURCE_DIR; }

// The folder of reference material beside the checkout, or nothing.
inline std::optional<std::filesystem::path> shared_dir() {
  const std::filesystem::path path = source_dir() / ".." / "shared";
  if (!std::filesystem::exists(path / "spec")) return std::nullopt;
  return path;
}
inline constexpr const char* kNoShared = "skipped: ../shared is absent";

inline std::string read_text(const std::filesystem::path& path) {
  auto text = io::read_file(path);
  KI_CHECK(text.has_value());
  return *std::move(text);
}

inline std::string manifest_text(std::string_view kind, std::string_view spec,
                                 std::string_view metadata = R"({"name":"m"})") {
  return fmt::format(
      R"({{"apiVersion":"kernelindex.dev/v1alpha1","kind":"{}","metadata":{},"spec":{}}})", kind,
      metadata, spec);
}

// "<code> <pointer>" of each issue, joined by "; ".
inline std::string codes_of(const Error& error) {
  std::string out;
  for (const Issue& issue : error.issues()) {
    if (!out.empty()) out += "; ";
    out += issue.code + " " + issue.pointer;
  }
  return out;
}

// "accepted", or the codes.
inline std::string verdict(Validator& validator, std::string_view text) {
  const auto valid = validator.read(text);
  return valid ? "accepted" : codes_of(valid.error());
}

inline std::string digest_text(char digit) { return "sha256:" + std::string(64, digit); }

// The spec of a minimal valid run, with members added or put in place of others.
inline std::string run_spec(std::string_view rest) {
  return fmt::format(
      R"({{"implementationDigest":"{}","workloadDigest":"{}","protocolDigest":"{}","environmentDigest":"{}",{}}})",
      digest_text('1'), digest_text('2'), digest_text('3'), digest_text('4'), rest);
}

}  // namespace ki::manifest
