// The original's verdicts (../shared/spec/vectors), row by row. Where we differ on purpose the row
// is in tests/divergences.tsv, under "<profile>: <name>", with our verdict; each such line is a
// test.
#include "ki/base/text.h"
#include "ki/json/reader.h"
#include "ki/manifest/axis_expression.h"
#include "ki/manifest/keys.h"
#include "support.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace ki::manifest {
namespace {

constexpr std::string_view kFile = "manifest-accept.json";

json::Document read_vectors(const std::string& name) {
  const auto path = *shared_dir() / "spec" / "vectors" / name;
  return json::read_document(read_text(path), {.max_bytes = std::size_t{64} << 20}).value();
}

// row -> ours, of the lines about this file.
std::map<std::string, std::string> divergences() {
  std::map<std::string, std::string> rows;
  const std::string text = read_text(source_dir() / "tests" / "divergences.tsv");
  for (const std::string_view line : split(text, '\n')) {
    const auto cells = split(line, '\t');
    if (cells.size() == 5 && cells[0] == kFile) rows.emplace(cells[1], cells[3]);
  }
  return rows;
}

// Our verdict in one word or two: accept, or refuse with the first code.
std::string our_verdict(Validator& validator, std::string_view input) {
  const auto valid = validator.read(input);
  return valid ? "accept" : "refuse " + valid.error().issues()[0].code;
}

TEST(ManifestVectors, AgreeWithTheOriginalOrDifferAsListed) {
  if (!shared_dir()) GTEST_SKIP() << kNoShared;
  const json::Document vectors = read_vectors(std::string(kFile));
  ASSERT_EQ(vectors.root.items().size(), 100U);
  std::map<std::string, std::string> expected = divergences();
  std::set<std::string> used;
  const std::pair<Profile, std::string> profiles[] = {{Profile::kCompat, "compat"},
                                                      {Profile::kStrict, "strict"}};
  for (const auto& [profile, profile_name] : profiles) {
    Validator validator(profile);
    for (const json::Value& row : vectors.root.items()) {
      const std::string name = profile_name + ": " + std::string(row.find("name")->string());
      SCOPED_TRACE(name);
      // Three large inputs are described by their length instead of written out.
      std::string input(row.find("input")->string());
      if (name.ends_with(": nest 1000")) {
        input = "a: " + std::string(1000, '[') + std::string(1000, ']');
      } else if (name.ends_with(": size exact 1MiB+1")) {
        input = std::string(1'048'577, 'a');
      } else if (name.ends_with(": size 1MiB")) {
        input = std::string(1'048'576, 'a');
      }
      const bool original = row.find("accept")->boolean();
      const std::string ours = our_verdict(validator, input);
      if (const auto listed = expected.find(name); listed != expected.end()) {
        EXPECT_EQ(ours, listed->second);
        EXPECT_NE(ours.starts_with("accept"), original) << "not a divergence any more";
        used.insert(name);
        continue;
      }
      EXPECT_EQ(ours.starts_with("accept"), original) << ours;
      if (!original || !ours.starts_with("accept")) continue;
      const auto valid = validator.read(input);
      EXPECT_EQ(valid->digest.to_string(), row.find("digest")->string());
      const auto bare = validator.validate_spec(valid->kind, valid->spec);
      ASSERT_TRUE(bare);
      EXPECT_EQ(bare->canonical, row.find("canonical")->string());
    }
  }
  for (const auto& [name, ours] : expected) EXPECT_TRUE(used.contains(name)) << name;
}

TEST(ManifestVectors, HaveTheSameKeys) {
  if (!shared_dir()) GTEST_SKIP() << kNoShared;
  const json::Document vectors = read_vectors("policy.json");
  const json::Value& keys = *vectors.root.find("keys");
  ASSERT_EQ(keys.find("correctness")->items().size(), 3U);
  for (const json::Value& row : keys.find("correctness")->items())
    EXPECT_EQ(correctness_key(row).to_string(), row.find("key")->string());
  EXPECT_EQ(metric_key("latency", "median", "ns"), keys.find("metric")->string());
  const json::Value& parts = *keys.find("comparison")->find("parts");
  ComparisonTexts texts{.operation = parts.find("operationDigest")->string(),
                        .workload = parts.find("workloadDigest")->string(),
                        .protocol = parts.find("protocolKey")->string(),
                        .environment = parts.find("environmentKey")->string(),
                        .correctness = parts.find("correctnessKey")->string(),
                        .metric = parts.find("metricKey")->string()};
  EXPECT_EQ(Digest::of(comparison_text(texts)).to_string(),
            keys.find("comparison")->find("key")->string());
  texts.metric = kNoMetricKey;
  EXPECT_EQ(Digest::of(comparison_text(texts)).to_string(), keys.find("none")->string());

  const json::Value& serving = *vectors.root.find("serving");
  const json::Value& cohort = *serving.find("parts");
  EXPECT_EQ(cohort_key(CohortParts{.model_digest = cohort.find("modelDigest")->string(),
                                   .tokenizer = cohort.find("tokenizer")->string(),
                                   .workload_digest = cohort.find("workloadDigest")->string(),
                                   .protocol_key = cohort.find("protocolKey")->string(),
                                   .topology_key = cohort.find("topologyKey")->string(),
                                   .quality_policy = cohort.find("qualityPolicy")->string(),
                                   .metric_set_key = cohort.find("metricSetKey")->string()})
                .to_string(),
            serving.find("cohortKey")->string());
}

TEST(ManifestVectors, HaveTheSameAxisExpressions) {
  if (!shared_dir()) GTEST_SKIP() << kNoShared;
  const json::Document vectors = read_vectors("policy.json");
  ASSERT_EQ(vectors.root.find("axisExpressions")->items().size(), 8U);
  for (const json::Value& row : vectors.root.find("axisExpressions")->items()) {
    SCOPED_TRACE(row.find("e")->string());
    const auto expression = AxisExpression::parse(row.find("e")->string());
    const auto value = [&]() -> Result<std::int64_t> {
      if (!expression) return fail(expression.error());
      return expression->evaluate([&](std::string_view name) -> std::optional<std::int64_t> {
        const json::Value* bound = row.find("b")->find(name);
        return bound == nullptr ? std::nullopt : bound->integer();
      });
    }();
    if (row.find("error") != nullptr) {
      EXPECT_FALSE(value);
    } else {
      ASSERT_TRUE(value);
      EXPECT_EQ(*value, row.find("v")->integer());
    }
  }
}

}  // namespace
}  // namespace ki::manifest
