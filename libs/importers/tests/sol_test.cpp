#include "ki/importers/sol.h"

#include "../src/sol_maps.h"
#include "ki/base/text.h"
#include "ki/io/file.h"
#include "ki/json/canonical.h"
#include "ki/json/reader.h"
#include "ki/manifest/validator.h"
#include "shared_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

namespace ki::importers {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct Names {
  std::string name, title, digest;
};

Names names_of(const std::string& manifest) {
  manifest::Validator validator(manifest::Profile::kCompat);
  const auto valid = validator.read(manifest);
  EXPECT_TRUE(valid) << (valid ? "" : valid.error().to_string());
  if (!valid) return {};
  const json::Value* title = valid->metadata.find("title");
  return {std::string(valid->metadata.find("name")->string()),
          title == nullptr ? "" : std::string(title->string()), valid->digest.to_string()};
}

json::Document expected_of(const fs::path& folder) {
  auto text = io::read_file(folder / "expected.json");
  EXPECT_TRUE(text);
  auto document = json::read_document(*text, json::Limits{.max_bytes = 8 << 20});
  EXPECT_TRUE(document);
  return *std::move(document);
}

std::string text_of(const json::Value& v, std::string_view member) {
  const json::Value* found = v.find(member);
  return found != nullptr && found->is_string() ? std::string(found->string()) : std::string();
}

std::uint64_t count_of(const std::vector<std::pair<std::string, std::uint64_t>>& counts,
                       std::string_view name) {
  for (const auto& [what, count] : counts) {
    if (what == name) return count;
  }
  ADD_FAILURE() << "no count " << name;
  return 0;
}

// Compares an import with the digests that the original importer certified.
void expect_certified(const fs::path& folder, const SolOptions& options) {
  const json::Document expected = expected_of(folder);
  const auto got = read_sol(folder, options, nullptr);
  ASSERT_TRUE(got) << got.error().to_string();
  const publish::Bundle& bundle = got->bundle;

  const auto projects = expected.root.find("projects")->items();
  ASSERT_EQ(bundle.projects.size(), projects.size());
  for (std::size_t i = 0; i < projects.size(); ++i) {
    EXPECT_EQ(bundle.projects[i].slug, text_of(projects[i], "slug"));
    EXPECT_EQ(names_of(bundle.projects[i].manifest).digest,
              names_of(json::canonical(*projects[i].find("manifest"))).digest);
  }
  const auto operations = expected.root.find("operations")->items();
  ASSERT_EQ(bundle.operations.size(), operations.size());
  for (std::size_t i = 0; i < operations.size(); ++i) {
    EXPECT_EQ(bundle.operations[i].slug, text_of(operations[i], "slug"));
    EXPECT_EQ(names_of(bundle.operations[i].manifest).digest, text_of(operations[i], "digest"));
    EXPECT_EQ(bundle.operations[i].external_id, text_of(operations[i], "externalId"));
    std::vector<std::string> tags;
    for (const json::Value& tag : operations[i].find("tags")->items())
      tags.emplace_back(tag.string());
    EXPECT_EQ(bundle.operations[i].tags, tags);
    std::vector<std::string> aliases;
    for (const json::Value& alias : operations[i].find("aliases")->items())
      aliases.emplace_back(alias.string());
    EXPECT_EQ(bundle.operations[i].aliases, aliases);
  }
  // The original orders each kernel's cases before its suite, as we do.
  const auto workloads = expected.root.find("workloads")->items();
  ASSERT_EQ(bundle.workloads.size(), workloads.size());
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    const Names names = names_of(bundle.workloads[i].manifest);
    EXPECT_EQ(names.name, text_of(workloads[i], "name"));
    EXPECT_EQ(names.title, text_of(workloads[i], "title"));
    EXPECT_EQ(names.digest, text_of(workloads[i], "digest"));
    EXPECT_EQ(bundle.workloads[i].external_id, text_of(workloads[i], "externalId"));
  }
  const auto implementations = expected.root.find("implementations")->items();
  ASSERT_EQ(bundle.implementations.size(), implementations.size());
  for (std::size_t i = 0; i < implementations.size(); ++i) {
    EXPECT_EQ(bundle.implementations[i].slug, text_of(implementations[i], "slug"));
    EXPECT_EQ(bundle.implementations[i].project_slug, text_of(implementations[i], "projectSlug"));
    EXPECT_EQ(bundle.implementations[i].external_id, text_of(implementations[i], "externalId"));
    EXPECT_EQ(names_of(bundle.implementations[i].manifest).digest,
              text_of(implementations[i], "digest"));
  }
  const auto runs = expected.root.find("runs")->items();
  ASSERT_EQ(bundle.runs.size(), runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Names names = names_of(bundle.runs[i].manifest);
    EXPECT_EQ(names.name, text_of(runs[i], "name"));
    EXPECT_EQ(names.digest, text_of(runs[i], "digest"));
    EXPECT_EQ(names_of(bundle.runs[i].protocol).digest, text_of(runs[i], "protocol"));
    EXPECT_EQ(names_of(bundle.runs[i].environment).digest, text_of(runs[i], "environment"));
    EXPECT_EQ(bundle.runs[i].external_id, text_of(runs[i], "externalId"));
    const json::Value* artifacts = runs[i].find("artifacts");
    ASSERT_EQ(bundle.runs[i].artifacts.size(),
              artifacts == nullptr ? 0 : artifacts->items().size());
    for (std::size_t k = 0; k < bundle.runs[i].artifacts.size(); ++k) {
      EXPECT_EQ(bundle.runs[i].artifacts[k].content_digest.to_string(),
                text_of(artifacts->items()[k], "digest"));
      EXPECT_EQ(bundle.runs[i].artifacts[k].role, text_of(artifacts->items()[k], "role"));
    }
  }

  const json::Value& report = *expected.root.find("report");
  for (const json::Member& count : report.find("discovered")->members()) {
    if (count.key == "snapshots") continue;  // the original was not given the files' bytes
    EXPECT_EQ(count_of(got->report.discovered, count.key), count.value.number()) << count.key;
  }
  for (const json::Member& count : report.find("skippedSubmissions")->members()) {
    EXPECT_EQ(count_of(got->report.skipped_submissions, count.key), count.value.number())
        << count.key;
  }
  EXPECT_EQ(got->report.selected_submissions, report.find("selectedSubmissions")->number());
  EXPECT_EQ(got->report.proposed.size(), report.find("proposed")->find("count")->number());
  EXPECT_EQ(got->report.license_warnings.size(),
            report.find("licenseWarnings")->find("count")->number());
  EXPECT_EQ(got->report.drift_warnings.size(),
            report.find("driftWarnings")->find("count")->number());
  EXPECT_EQ(got->report.issues.size(), report.find("issues")->items().size())
      << (got->report.issues.empty() ? "" : got->report.issues.front().problem);
  const auto ambiguities = report.find("ambiguities")->items();
  ASSERT_EQ(got->report.ambiguities.size(), ambiguities.size());
  for (std::size_t i = 0; i < ambiguities.size(); ++i) {
    EXPECT_EQ(got->report.ambiguities[i].code, text_of(ambiguities[i], "code"));
    EXPECT_THAT(got->report.ambiguities[i].text, HasSubstr(text_of(ambiguities[i], "subject")));
  }
  for (const json::Member& family : report.find("operationsByFamily")->members()) {
    EXPECT_EQ(count_of(got->report.operations_by_family, family.key), family.value.number());
  }
}

TEST(Sol, MakesEveryCertifiedDigestOfSavedApiAnswers) {
  KI_NEEDS_SHARED(shared);
  expect_certified(shared / "importers/examples/sol-api", {});
}

TEST(Sol, MakesEveryCertifiedDigestOfATraceFolder) {
  KI_NEEDS_SHARED(shared);
  SolOptions options;
  for (const char digit : std::string("0123456789abcdef")) {
    // The commit enters one implementation's digest; the example states it as one repeated digit.
    options.examples_commit = std::string(40, digit);
    const auto got = read_sol(shared / "importers/examples/sol-snapshot", options, nullptr);
    ASSERT_TRUE(got);
    const json::Document expected = expected_of(shared / "importers/examples/sol-snapshot");
    const std::string wanted =
        text_of(expected.root.find("implementations")->items().front(), "digest");
    if (names_of(got->bundle.implementations.front().manifest).digest != wanted) continue;
    expect_certified(shared / "importers/examples/sol-snapshot", options);
    return;
  }
  FAIL() << "no commit of one repeated digit makes the expected implementation";
}

class SolFolder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("sol-" + std::to_string(::getpid()) + "-" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  void write_kernel(const std::string& submissions,
                    const std::string& workloads = R"([{"axes":{"M":4}}])") {
    write("kernels.json",
          R"({"data":{"kernels":[{"id":1,"name":"Demo_Scale","tags":["L1","elementwise"]}]}})");
    write(
        "kernel-1.json",
        R"({"data":{"id":1,"name":"Demo_Scale","axes":{"M":{"type":"var"},"h":{"type":"expr","expression":"q + 1"},)"
        R"("q":{"type":"expr","expression":"M * 2"}},"inputs":{"X":{"shape":["M","h"],"dtype":"float16"}},)"
        R"("outputs":{"Y":{"shape":["M"],"dtype":"float16"}},"workloads":)" +
            workloads + "}}");
    write("submissions-1.json", R"({"data":{"submissions":)" + submissions + "}}");
  }
  SolImport read(const SolOptions& options = {}) {
    auto got = read_sol(folder_, options, nullptr);
    EXPECT_TRUE(got) << got.error().to_string();
    return *std::move(got);
  }
  static std::string submission(const std::string& more) {
    return R"({"id":7,"username":"ann","kernel_id":1,"kernel_name":"Demo_Scale","status":"COMPLETED","gpu_type":"B200",)"
           R"("is_correct":true,"latency_ms":0.5,)" +
           more + "}";
  }
  fs::path folder_;
};

TEST_F(SolFolder, DerivedAxesAreBoundWhateverTheirOrder) {
  write_kernel("[" + submission(R"("finished_at":"2026-01-02T03:04:05.678901")") + "]");
  const SolImport got = read();
  EXPECT_TRUE(got.report.issues.empty()) << got.report.issues.front().problem;
  ASSERT_EQ(got.bundle.workloads.size(), 2U);
  EXPECT_THAT(got.bundle.workloads.front().manifest, HasSubstr(R"("shape":[4,9])"));
  ASSERT_EQ(got.bundle.runs.size(), 1U);
  EXPECT_THAT(got.bundle.runs.front().manifest,
              HasSubstr(R"("observedAt":"2026-01-02T03:04:05.678Z")"));
}

TEST_F(SolFolder, ASubmissionWithoutATimeIsAnIssueAndNeverGetsNow) {
  write_kernel("[" + submission(R"("submitted_at":null)") + "]");
  const SolImport got = read();
  EXPECT_TRUE(got.bundle.runs.empty());
  ASSERT_EQ(got.report.issues.size(), 1U);
  EXPECT_THAT(got.report.issues.front().problem, HasSubstr("neither finished_at nor submitted_at"));
}

TEST_F(SolFolder, ASolScoreOutsideItsRangeIsLeftOut) {
  write_kernel("[" + submission(R"("submitted_at":"2026-01-02T03:04:05","sol_score":10)") + "]");
  const SolImport got = read();
  ASSERT_EQ(got.bundle.runs.size(), 1U);
  EXPECT_EQ(got.bundle.runs.front().manifest.find("sol_score"), std::string::npos);
  ASSERT_EQ(got.report.issues.size(), 1U);
  EXPECT_THAT(got.report.issues.front().problem, HasSubstr("outside 0 to 1"));
}

TEST_F(SolFolder, RepeatedJsonNamesAreRefused) {
  write_kernel("[" + submission(R"("submitted_at":"2026-01-02T03:04:05","username":"bob")") + "]");
  const SolImport got = read();
  EXPECT_TRUE(got.bundle.runs.empty());
  ASSERT_EQ(got.report.issues.size(), 1U);
  EXPECT_THAT(got.report.issues.front().problem, HasSubstr("duplicate_key"));
}

TEST_F(SolFolder, UnknownMembersAreReportedOnceEach) {
  const std::string one = submission(R"("submitted_at":"2026-01-02T03:04:05","brand_new":1)");
  write_kernel("[" + one + "," + one + "]");
  const SolImport got = read();
  ASSERT_EQ(got.report.drift_warnings.size(), 1U);
  EXPECT_THAT(got.report.drift_warnings.front(), HasSubstr("brand_new"));
}

TEST_F(SolFolder, ALineThatIsNotJsonIsAnIssueAndTheOthersAreRead) {
  write(
      "demo/definition.json",
      R"({"name":"demo","axes":{"n":{"type":"var"}},"inputs":{"x":{"shape":["n"],"dtype":"half"}},)"
      R"("outputs":{"y":{"shape":["n"],"dtype":"half"}}})");
  for (const char* bad : {"nan", "-nan", "inf", "NaN"}) {
    SCOPED_TRACE(bad);
    write("demo/workload.jsonl", std::string("{\"axes\":{\"n\":1}}\n{\"axes\":{\"n\":") + bad +
                                     "}}\n{\"axes\":{\"n\":3}}\n");
    const SolImport got = read();
    EXPECT_EQ(got.bundle.workloads.size(), 2U);
    ASSERT_EQ(got.report.issues.size(), 1U);
    EXPECT_EQ(got.report.issues.front().item, "line 2");
  }
}

TEST_F(SolFolder, SelectionFollowsNamesTagsResumeAndLimit) {
  write(
      "kernels.json",
      R"({"kernels":[{"id":1,"name":"a","tags":["t"]},{"id":2,"name":"b","tags":["t"]},{"id":3,"name":"c"}]})");
  for (const char* id : {"1", "2", "3"}) {
    const std::string name(1, static_cast<char>('a' + (id[0] - '1')));
    write(std::string("kernel-") + id + ".json",
          R"({"name":")" + name +
              R"(","axes":{"n":{"type":"var"}},"inputs":{"x":{"shape":["n"],"dtype":"half"}},)"
              R"("outputs":{"y":{"shape":["n"],"dtype":"half"}},"workloads":[]})");
    write(std::string("submissions-") + id + ".json", R"({"submissions":[]})");
  }
  struct Case {
    const char* why;
    SolOptions options;
    std::vector<std::string> slugs;
    std::size_t issues;
  };
  SolOptions named, tagged, resumed, limited;
  named.kernels = {"b", "zz"};
  tagged.tag = "t";
  resumed.resume = "b";
  limited.resume = "b";
  limited.limit = 1;
  for (const auto& [why, options, slugs, issues] :
       std::initializer_list<Case>{{"all", {}, {"a", "b", "c"}, 0},
                                   {"a missing name is an issue", named, {"b"}, 1},
                                   {"exact tag", tagged, {"a", "b"}, 0},
                                   {"from b on", resumed, {"b", "c"}, 0},
                                   {"limit counts after resume", limited, {"b"}, 0}}) {
    SCOPED_TRACE(why);
    const SolImport got = read(options);
    std::vector<std::string> found;
    for (const auto& operation : got.bundle.operations) found.push_back(operation.slug);
    EXPECT_EQ(found, slugs);
    EXPECT_EQ(got.report.issues.size(), issues);
  }
}

TEST(SolMaps, MillisecondsRoundHalfUpInDecimal) {
  struct Case {
    double ms;
    std::int64_t ns;
  };
  for (const auto& [ms, ns] : std::initializer_list<Case>{{0.0123456, 12346},
                                                          {0.0200005, 20001},
                                                          {1.163104, 1163104},
                                                          {0.01109, 11090},
                                                          {5e-7, 1},
                                                          {4e-7, 0},
                                                          {1e-9, 0},
                                                          {12345678, 12345678000000},
                                                          {0, 0}}) {
    EXPECT_EQ(nanoseconds_of_ms(ms), ns) << ms;
  }
  EXPECT_EQ(nanoseconds_of_ms(-1), std::nullopt);
  EXPECT_EQ(nanoseconds_of_ms(std::nan("")), std::nullopt);
}

TEST(SolMaps, AxisNamesCollateAsTheRootCollationDoes) {
  const std::vector<std::string> sorted = {"a_b", "a1",       "aa", "b", "B",
                                           "K",   "K_blocks", "m",  "M", "M1"};
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    for (std::size_t k = 0; k < sorted.size(); ++k) {
      EXPECT_EQ(collates_before(sorted[i], sorted[k]), i < k) << sorted[i] << " " << sorted[k];
    }
  }
}

TEST(SolMaps, InstantsWithoutAnOffsetAreUtc) {
  EXPECT_EQ(to_utc_instant("2026-06-29T02:43:03.902912")->to_string(), "2026-06-29T02:43:03.902Z");
  EXPECT_EQ(to_utc_instant("2026-06-29T02:43:03+02:00")->to_string(), "2026-06-29T00:43:03.000Z");
  EXPECT_EQ(to_utc_instant("2026-06-29T02:43:03-00:30")->to_string(), "2026-06-29T03:13:03.000Z");
  EXPECT_EQ(to_utc_instant(""), std::nullopt);
  EXPECT_EQ(to_utc_instant("yesterday"), std::nullopt);
}

TEST(SolMaps, LongTitlesAreCutToTwoHundredCharacters) {
  std::vector<std::pair<std::string_view, std::int64_t>> axes(40, {"axis_name", 4096});
  const std::string title = sol_case_title("kernel · é", axes);
  EXPECT_EQ(title.substr(title.size() - 3), "…");
  EXPECT_THAT(title, HasSubstr("kernel · é · axis_name=4096, "));
  EXPECT_EQ(utf16_length(title), 200U);
}

}  // namespace
}  // namespace ki::importers
