// The example manifests under registry/examples: one per kind, each reference the digest of another
// example, and invalid ones whose first line says what is reported.
#include "ki/base/text.h"
#include "support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace ki::manifest {
namespace {

std::vector<std::filesystem::path> yaml_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::filesystem::path examples() { return source_dir() / "registry" / "examples"; }

void collect_digests(const json::Value& value, std::vector<std::string>& out) {
  if (value.is_string() && value.string().starts_with("sha256:")) out.emplace_back(value.string());
  if (value.is_array()) {
    for (const json::Value& item : value.items()) collect_digests(item, out);
  }
  if (value.is_object()) {
    for (const json::Member& member : value.members()) collect_digests(member.value, out);
  }
}

TEST(Examples, HoldOneStrictManifestOfEachKind) {
  std::set<std::string> digests;
  std::vector<std::string> references;
  std::set<ManifestKind> kinds;
  Validator strict(Profile::kStrict);
  Validator compat(Profile::kCompat);
  for (const auto& path : yaml_files(examples())) {
    SCOPED_TRACE(path.filename().string());
    const std::string text = read_text(path);
    const auto valid = strict.read(text);
    ASSERT_TRUE(valid) << valid.error().to_string();
    EXPECT_EQ(path.stem().string(), kind_slug(valid->kind));
    EXPECT_TRUE(kinds.insert(valid->kind).second);
    digests.insert(valid->digest.to_string());
    collect_digests(valid->spec, references);
    const auto loose = compat.read(text);
    ASSERT_TRUE(loose);
    EXPECT_EQ(loose->digest, valid->digest);
    EXPECT_EQ(loose->canonical, valid->canonical);
  }
  EXPECT_EQ(kinds.size(), kManifestKindCount);
  EXPECT_GE(references.size(), 10U);
  for (const std::string& reference : references)
    EXPECT_TRUE(digests.contains(reference)) << reference << " is no example";
}

TEST(Examples, SayOnTheirFirstLineWhyTheyAreInvalid) {
  Validator strict(Profile::kStrict);
  const auto files = yaml_files(examples() / "invalid");
  EXPECT_GE(files.size(), 15U);
  for (const auto& path : files) {
    SCOPED_TRACE(path.filename().string());
    const std::string text = read_text(path);
    ASSERT_TRUE(text.starts_with("# "));
    const std::string reason = text.substr(2, text.find('\n') - 2);
    const auto valid = strict.read(text);
    ASSERT_FALSE(valid);
    EXPECT_EQ(valid.error().issues().size(), 1U);
    EXPECT_NE(valid.error().to_string().find(reason), std::string::npos)
        << valid.error().to_string();
  }
}

}  // namespace
}  // namespace ki::manifest
