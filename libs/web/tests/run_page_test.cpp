#include "ki/base/uuid.h"
#include "ki/digest/digest.h"
#include "ki/json/canonical.h"
#include "ki/json/reader.h"
#include "page_check.h"
#include "web_world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace ki::web::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kSeed000 =
    "sha256:449ac0a4bf174ec0ad6110c5275a6db1be2592a54b213acf897613715f8da89d";
constexpr std::string_view kSeed001 =
    "sha256:b9be3851ba01fa36639e1781b1163df1094c0d27057f2f73b30c2c237f6e6423";

std::string run_path(std::string_view id) { return "/runs/" + std::string(id); }

// What both seed documents show in the same words, section by section, in their order.
std::vector<std::string> expected_lines(bool is_first) {
  const auto pick = [is_first](const char* a, const char* b) {
    return std::string(is_first ? a : b);
  };
  return {
      "Primary measurement",
      pick("1.16msmean", "33.9µsmean"),
      pick("Rank 2 of 2 in its comparison group · source-native comparison · observed 2026-05-21",
           "Rank 2 of 2 in its comparison group · source-native comparison · observed 2026-06-24"),
      "Compare with #1 →",
      pick("SOL 0.0914 · 0.12× reference · 0/16 cases faster",
           "SOL 0.9570 · 13.67× reference · 16/16 cases faster"),
      "Identity",
      pick("implementation Amir M. Mir | SF Tensor", "implementation ac4k"),
      pick("project Amir M. Mir | SF Tensor", "project ac4k"),
      pick("revision submission-3483", "revision submission-13044"),
      "workload suite of 16 cases · mean latency",
      pick("comparison key sha256:f2fadd4714b17399…", "comparison key sha256:5b5e2ebc306eb72b…"),
      "source NVIDIA SOL-ExecBench",
      pick("external id submission/3483", "external id submission/13044"),
      pick("sha256:449ac0a4bf174ec0ad6110c…", "sha256:b9be3851ba01fa36639e178…"),
      "Correctness",
      "Marked passed by the source; the correctness policy was not published.",
      "Workload",
      "definition comparator sol_execbench_eval",
      "description Correctness must pass on every case in the SOL evaluation stack.",
      "Measurements",
      pick("latency · mean 1.16 ms", "latency · mean 33.9 µs"),
      "Protocol",
      "harness SOL-ExecBench evaluation stack v1.0",
      "timer harness_reported",
      "primaryStatistic mean",
      "correctnessReference definition reference implementation",
      "comparabilityFamily sol_execbench_leaderboard",
      "Environment",
      "gpu NVIDIA B200 (sm_100)",
      "Artifacts",
      "No artifacts published with this run.",
      "Replications and notes",
      "No attestations yet.",
      "Community attestations. They never change the evidence level; only a "
      "KernelIndex-controlled rerun does.",
      "Add a reproduction or note",
      "Canonical manifest",
      "Show manifest",
      "Cite this record (permalink, digest, access date)",
      "Report an issue with this run",
      "Published 2026-08-24 · NVIDIA SOL-ExecBench",
      pick("All results for Multi head QKV projection with RoPE backward →",
           "All results for KV cache update with RoPE backward →"),
      "JSON",
  };
}

// Each expected fact in the text, one after the other, white space aside.
void expect_in_order(const std::string& page, const std::vector<std::string>& facts) {
  const std::string text = squeezed(visible_text(page));
  std::size_t at = 0;
  for (const std::string& fact : facts) {
    const std::size_t found = text.find(squeezed(fact), at);
    EXPECT_NE(found, std::string::npos) << "missing, or out of order: " << fact;
    if (found != std::string::npos) at = found + squeezed(fact).size();
  }
}

TEST(RunPage, ShowsEveryFactOfTheFirstSeedDocumentInItsOrder) {
  const std::string page = seed_world().web->page(run_path(kSeed000));
  expect_in_order(page, expected_lines(true));
  EXPECT_THAT(page, HasSubstr("<title>Run 0"));
}

TEST(RunPage, ShowsEveryFactOfTheSecondSeedDocumentInItsOrder) {
  expect_in_order(seed_world().web->page(run_path(kSeed001)), expected_lines(false));
}

// The seed documents themselves, where they are: every line of them that is not a rank, an id or
// the name of the site stands on our page, and the manifest is the same value.
TEST(RunPage, ShowsEveryLineOfTheSeedDocuments) {
  const auto folder = std::filesystem::path(KI_SOURCE_DIR).parent_path() / "shared" / "seeds";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "skipped: ../shared is absent";
  const std::pair<const char*, std::string_view> seeds[] = {{"000_0470147bea00083b.txt", kSeed000},
                                                            {"001_39d606e8563ababf.txt", kSeed001}};
  for (const auto& [file, digest] : seeds) {
    SCOPED_TRACE(file);
    std::ifstream in(folder / file);
    std::stringstream all;
    all << in.rdbuf();
    const std::string document = all.str();
    const std::size_t begin = document.find("\n{") + 1;
    const std::size_t end = document.find("\n}\n", begin) + 2;
    const std::string page = seed_world().web->page(run_path(digest));
    const std::string ours = visible_text(page);
    const std::string text = squeezed(ours);
    std::istringstream lines(document.substr(0, begin) + document.substr(end));
    std::size_t checked = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line.empty() || line.starts_with("Run 01a0") || line.starts_with("Rank ")) continue;
      // Three texts that stand next to each other without a space.
      if (line.starts_with("Published")) line = line.substr(0, line.find("All results"));
      EXPECT_THAT(text, HasSubstr(squeezed(line)));
      ++checked;
    }
    EXPECT_GT(checked, 35U);
    const auto theirs = json::read_document(document.substr(begin, end - begin));
    ASSERT_TRUE(theirs.has_value());
    const std::size_t from = ours.find("{\n");
    const auto shown =
        json::read_document(ours.substr(from, ours.find("\nCite this record") - from));
    ASSERT_TRUE(shown.has_value());
    EXPECT_EQ(json::canonical(shown->root), json::canonical(theirs->root));
  }
}

TEST(RunPage, SaysWhatTheSourcesWordsMeanBesideThem) {
  const std::string text = visible_text(seed_world().web->page(run_path(kSeed000)));
  EXPECT_THAT(text, HasSubstr("behaves as their geometric mean"));
  EXPECT_THAT(text, HasSubstr("scoring baseline, not to the reference implementation"));
  EXPECT_THAT(text, HasSubstr("among the runs indexed here"));
}

TEST(RunPage, GivesFullDigestsToCopyAndLinksItsTwin) {
  const std::string page = seed_world().web->page(run_path(kSeed000));
  EXPECT_THAT(page, HasSubstr("data-copy=\"" + std::string(kSeed000) + "\""));
  EXPECT_THAT(page, HasSubstr("rel=\"alternate\" type=\"application/json\""));
  EXPECT_THAT(page, HasSubstr("href=\"/api/v1/runs/"));
  EXPECT_THAT(page, HasSubstr("curl -s &#39;https://ki.example/api/v1/runs/"));
  EXPECT_THAT(page, HasSubstr("ki show run "));
}

TEST(RunPage, KeepsTheAccessDateOutOfThePageAndInTheCitation) {
  const WebWorld& web = *seed_world().web;
  const std::string text = visible_text(web.page(run_path(kSeed000)));
  EXPECT_THAT(text, Not(HasSubstr("Accessed 2026")));
  EXPECT_THAT(text, HasSubstr("Amir M. Mir | SF Tensor · Multi head QKV projection with RoPE "
                              "backward, suite of 16 cases · mean latency. 1.16 ms (mean). "
                              "Reported by NVIDIA SOL-ExecBench. KernelIndex run "));
  const http::Response cited = web.get(run_path(kSeed000) + "/cite");
  EXPECT_EQ(cited.cache, http::Cache::kNoStore);
  EXPECT_THAT(std::string(cited.body.bytes()), HasSubstr("Accessed 2026-08-24."));
}

TEST(RunPage, CitesInEveryForm) {
  const WebWorld& web = *seed_world().web;
  const std::string at = run_path(kSeed001) + "/cite?style=";
  EXPECT_THAT(web.page(at + "bibtex"), HasSubstr("@misc{ki-b9be3851ba01fa36"));
  EXPECT_THAT(web.page(at + "csl-json"), HasSubstr("\"type\": \"dataset\""));
  EXPECT_THAT(web.page(at + "ris"), HasSubstr("TY  - DATA"));
  EXPECT_THAT(web.page(at + "cff"), HasSubstr("cff-version: "));
  web.page(at + "poem", 400);
}

TEST(RunPage, UnknownRunsAreReal404s) {
  const WebWorld& web = *seed_world().web;
  for (const char* id :
       {"01a00000-0000-7000-8000-000000000000", "nonsense", "sha256:00", "%3Cb%3E"}) {
    const std::string page = web.page(run_path(id), 404);
    EXPECT_THAT(visible_text(page), HasSubstr("Not found")) << id;
  }
}

TEST(RunPage, APinnedAddressAnswersForItsVersionOnly) {
  const WebWorld& web = *seed_world().web;
  const std::string version = std::to_string(web.snapshot().seq());
  const std::string pinned = web.page(run_path(kSeed000) + "?version=" + version);
  EXPECT_THAT(pinned, HasSubstr("Catalog version " + version));
  EXPECT_THAT(visible_text(web.page(run_path(kSeed000) + "?version=1", 410)), HasSubstr("Gone"));
}

TEST(RunPage, ShowsRetractedRecordsWithABanner) {
  const StatesWorld& world = states_world();
  const std::string text = visible_text(world.web->page(run_path(world.retracted)));
  EXPECT_THAT(text, HasSubstr("Retracted on 2026-01-20. wrong clock"));
  EXPECT_THAT(text, Not(HasSubstr("Rank 1")));
}

TEST(RunPage, ShowsSupersededRecordsAndTheirCorrection) {
  const StatesWorld& world = states_world();
  const std::string old = world.web->page(run_path(world.superseded));
  EXPECT_THAT(old, HasSubstr("href=\"/runs/" + world.correction + "\""));
  EXPECT_THAT(visible_text(old), HasSubstr("Superseded."));
  EXPECT_THAT(visible_text(world.web->page(run_path(world.correction))), HasSubstr("corrects"));
}

TEST(RunPage, MarksStaleEvidenceAndWritesMissingValuesOut) {
  const StatesWorld& world = states_world();
  EXPECT_THAT(visible_text(world.web->page(run_path(world.stale))),
              HasSubstr("observed over 180 days ago"));
  const std::string failed = visible_text(world.web->page(run_path(world.failed)));
  EXPECT_THAT(failed, HasSubstr("No measurement"));
  EXPECT_THAT(failed, HasSubstr("runtime error"));
  EXPECT_THAT(failed, HasSubstr("None: the run did not get as far as measuring."));
}

TEST(RunPage, NeverCallsAnyOneTheFastestOfAGroupOfOne) {
  const StatesWorld& world = states_world();
  const std::string text = visible_text(world.web->page(run_path(world.long_name)));
  EXPECT_THAT(text, Not(HasSubstr("astest")));
  EXPECT_THAT(text, HasSubstr("The only run in its group"));
  EXPECT_THAT(text, HasSubstr("1.00 ms"));
}

TEST(RunPage, ShowsTiesAsTies) {
  const StatesWorld& world = states_world();
  EXPECT_THAT(visible_text(world.web->page(run_path(world.tied))) +
                  visible_text(world.web->page(run_path(world.second))),
              HasSubstr("Rank 2= of 3"));
}

TEST(RunPage, ShowsHostileNamesAsText) {
  const StatesWorld& world = states_world();
  const std::string page = world.web->page(run_path(world.hostile));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(visible_text(page), HasSubstr(std::string(kHostile)));
}

}  // namespace
}  // namespace ki::web::testing
