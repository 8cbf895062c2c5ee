#include "ki/importers/manifest_files.h"

#include "ki/io/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace ki::importers {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

std::string example(std::string_view name) {
  auto text = io::read_file(
      fs::path(KI_SOURCE_DIR) / "registry" / "examples" / (std::string(name) + ".yaml"), 1 << 20);
  EXPECT_TRUE(text);
  return text ? *std::move(text) : std::string();
}

std::vector<ManifestFile> kernel_files() {
  std::vector<ManifestFile> files;
  for (const std::string_view name :
       {"benchmark-run", "benchmark-protocol", "execution-environment", "implementation-revision",
        "workload-case", "operation-spec", "software-project"}) {
    files.push_back({std::string(name) + ".yaml", example(name)});
  }
  return files;
}

// "pointer code" of every problem.
std::vector<std::string> problems(std::span<const ManifestFile> files) {
  const auto read = read_manifest_files(files);
  std::vector<std::string> out;
  if (read) return out;
  EXPECT_EQ(read.error().code(), Code::kInvalidArgument);
  for (const Issue& issue : read.error().issues()) out.push_back(issue.pointer + " " + issue.code);
  return out;
}
std::vector<std::string> problems_of(std::string text) {
  const std::array<ManifestFile, 1> file = {{{"f", std::move(text)}}};
  return problems(file);
}

TEST(ManifestFiles, single_files_make_one_bundle_in_any_order) {
  std::vector<ManifestFile> files = kernel_files();
  const auto read = read_manifest_files(files);
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(read->bundle.source.slug, "local");
  EXPECT_EQ(read->bundle.projects.size(), 1U);
  EXPECT_EQ(read->bundle.operations.size(), 1U);
  EXPECT_EQ(read->bundle.workloads.size(), 1U);
  EXPECT_EQ(read->bundle.implementations.size(), 1U);
  EXPECT_EQ(read->bundle.implementations[0].project_slug, read->bundle.projects[0].slug);
  ASSERT_EQ(read->bundle.runs.size(), 1U);
  EXPECT_EQ(read->objects.size(), 7U);
  std::ranges::reverse(files);
  const auto reversed = read_manifest_files(files);
  ASSERT_TRUE(reversed);
  EXPECT_EQ(reversed->bundle.runs[0].protocol, read->bundle.runs[0].protocol);
  EXPECT_EQ(reversed->bundle.runs[0].manifest, read->bundle.runs[0].manifest);
}

TEST(ManifestFiles, names_the_protocol_or_environment_that_a_run_misses) {
  std::vector<ManifestFile> files = kernel_files();
  std::erase_if(files, [](const ManifestFile& f) { return f.name == "benchmark-protocol.yaml"; });
  EXPECT_THAT(problems(files),
              ElementsAre("benchmark-run.yaml#/spec/protocolDigest dangling_reference"));
}

TEST(ManifestFiles, an_implementation_alone_has_no_project) {
  const std::array<ManifestFile, 1> file = {
      {{"implementation.yaml", example("implementation-revision")}}};
  EXPECT_THAT(problems(file), ElementsAre("implementation.yaml#/metadata missing_member"));
}

TEST(ManifestFiles, refuses_what_is_no_bundle) {
  struct Case {
    const char* why;
    std::string text;
    const char* problem;
  };
  const std::string operation = example("operation-spec");
  for (const Case& c : std::vector<Case>{
           {"an empty mapping", "{}", "f# empty"},
           {"a list", "[]", "f# wrong_type"},
           {"only a source", "source: {slug: a, kind: b, name: c}", "f# empty"},
           {"an unknown list", "runz: []\nruns: []", "f#/runz unknown_member"},
           {"no list", "runs: {}", "f#/runs wrong_type"},
           {"an item that is no mapping", "operations: [1]", "f#/operations/0 wrong_type"},
           {"a source without a kind", "source: {slug: a, name: c}\nruns: []",
            "f#/source/kind wrong_type"},
           {"an item with an unknown member", "operations: [{manifest: {}, colour: red}]",
            "f#/operations/0/colour unknown_member"},
           {"half a run", "runs: [{run: {}}]", "f#/runs/0/protocol missing_member"},
           {"not JSON", "{\"a\":", "f#/a syntax"},
           {"a member twice", "runs: []\nruns: []", "duplicate"}}) {
    EXPECT_THAT(problems_of(c.text), testing::Contains(testing::HasSubstr(c.problem))) << c.why;
  }
}

TEST(ManifestFiles, reports_the_problems_of_all_files) {
  std::vector<ManifestFile> files = kernel_files();
  files[0].text += "  unheard: 1\n";
  files[6].text = "kind: SoftwareProject\n";
  const std::vector<std::string> found = problems(files);
  EXPECT_THAT(found, testing::Contains("benchmark-run.yaml#/spec/unheard unknown_member"));
  EXPECT_THAT(found, testing::Contains(testing::StartsWith("software-project.yaml#")));
}

TEST(ManifestFiles, a_manifest_in_the_wrong_list_is_refused) {
  std::string text = "workloads:\n  - manifest:\n";
  const std::string operation = example("operation-spec");
  for (std::size_t at = 0; at < operation.size();) {
    const std::size_t end = operation.find('\n', at);
    text += "      " + operation.substr(at, end - at) + "\n";
    at = end + 1;
  }
  EXPECT_THAT(problems_of(text), testing::Contains("f#/workloads/0/manifest wrong_kind"));
}

TEST(ManifestFiles, two_files_cannot_state_two_sources) {
  const std::array<ManifestFile, 2> files = {
      {{"a", "source: {slug: a, kind: k, name: A}\nruns: []"},
       {"b", "source: {slug: b, kind: k, name: B}\nruns: []"}}};
  EXPECT_THAT(problems(files), testing::Contains("b#/source several_sources"));
}

TEST(ManifestFiles, invalid_examples_of_the_registry_stay_invalid) {
  std::size_t seen = 0;
  for (const auto& entry :
       fs::directory_iterator(fs::path(KI_SOURCE_DIR) / "registry" / "examples" / "invalid")) {
    const std::array<fs::path, 1> path = {entry.path()};
    EXPECT_FALSE(read_manifest_files(path)) << entry.path();
    ++seen;
  }
  EXPECT_GE(seen, 10U);
}

TEST(ManifestFiles, says_which_file_is_not_there) {
  const std::array<fs::path, 1> path = {fs::path("no-such-file.yaml")};
  EXPECT_FALSE(read_manifest_files(path));
}

}  // namespace
}  // namespace ki::importers
