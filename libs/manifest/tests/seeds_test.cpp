// The two documents that show a run with its canonical manifests and its comparison key (spec
// 02.1).
#include "ki/json/reader.h"
#include "ki/manifest/derived.h"
#include "ki/manifest/keys.h"
#include "support.h"

#include <gtest/gtest.h>

namespace ki::manifest {
namespace {

// The JSON object that begins at `{\n  "run"`.
std::string manifests_of(const std::string& page) {
  const std::size_t begin = page.find("{\n  \"run\"");
  KI_CHECK(begin != page.npos);
  int depth = 0;
  bool is_in_string = false;
  for (std::size_t at = begin; at < page.size(); ++at) {
    const char c = page[at];
    if (is_in_string) {
      if (c == '\\') ++at;
      is_in_string = c != '"';
    } else if (c == '"') {
      is_in_string = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return page.substr(begin, at + 1 - begin);
    }
  }
  return {};
}

struct Seed {
  const char* file;
  const char* run;
  const char* operation;
  const char* workload;
  const char* comparison;
};
// Spec 02.1. The operations and suites are facts of the seed groups.
constexpr Seed kSeeds[] = {
    {"000_0470147bea00083b.txt",
     "sha256:449ac0a4bf174ec0ad6110c5275a6db1be2592a54b213acf897613715f8da89d",
     "sha256:e810e0e29d644f8b12769bf72490e75a12a348aff421e56c07eeab455942aa7b",
     "sha256:b7902379ea8b44734a4677689d334b4c3a2a49eccaafe4d5c9790662184a9e84",
     "sha256:f2fadd4714b173994323325f959c5a9dee3fae25f36724513ac36e8c825b3eb8"},
    {"001_39d606e8563ababf.txt",
     "sha256:b9be3851ba01fa36639e1781b1163df1094c0d27057f2f73b30c2c237f6e6423",
     "sha256:818e910899ea2702680590f29411bdbea7c5fdb3d3e5001c04e353f2790ff667",
     "sha256:a37701116cf5df9e1e3d32347c926502770c87f9766bebf92178aed6e6dd0d7a",
     "sha256:5b5e2ebc306eb72bcac874e2c6f62992facee9e17acf7c8c1ba30b39a7cb5da2"}};

TEST(Seeds, HaveTheirDigestsAndComparisonKeys) {
  if (!shared_dir()) GTEST_SKIP() << kNoShared;
  const auto correctness = json::read_document(
      R"({"correctness":{"comparator":"sol_execbench_eval","description":"Correctness must pass on every case in the SOL evaluation stack."}})");
  ASSERT_TRUE(correctness);
  const Digest correctness_digest = correctness_key(correctness->root);
  EXPECT_EQ(correctness_digest.to_string(),
            "sha256:d2595bd58bcaafaece79e7574209fa6a4f982d5b33b629d08422fa31037c4c7a");
  for (const Seed& seed : kSeeds) {
    SCOPED_TRACE(seed.file);
    const std::string page = read_text(*shared_dir() / "seeds" / seed.file);
    const json::Document manifests = json::read_document(manifests_of(page)).value();
    Validator validator(Profile::kCompat);

    const auto protocol = validator.validate(*manifests.root.find("protocol"));
    ASSERT_TRUE(protocol);
    EXPECT_EQ(protocol->digest.to_string(),
              "sha256:2964c5c4ed9cb0dcdc0f74674035bc71bf5e66620939e38441060f76434ed3e5");
    const Digest protocol_digest = protocol->digest;
    const auto environment = validator.validate(*manifests.root.find("environment"));
    ASSERT_TRUE(environment);
    EXPECT_EQ(environment->digest.to_string(),
              "sha256:5296c820e166474e590abb1beaf7728cdfe0a4bde9bf55f8966a40f4f5401621");
    const Digest environment_digest = environment->digest;
    const auto run = validator.validate(*manifests.root.find("run"));
    ASSERT_TRUE(run);
    EXPECT_EQ(run->digest.to_string(), seed.run);
    EXPECT_EQ(run->spec.find("protocolDigest")->string(), protocol_digest.to_string());
    EXPECT_EQ(run->spec.find("environmentDigest")->string(), environment_digest.to_string());
    EXPECT_EQ(run->spec.find("workloadDigest")->string(), seed.workload);

    const std::string metric = primary_metric_key(primary_measurement(run->spec));
    EXPECT_EQ(metric, "latency:mean:ns");
    EXPECT_EQ(comparison_key({.operation = Digest::parse(seed.operation).value(),
                              .workload = Digest::parse(seed.workload).value(),
                              .protocol = protocol_digest,
                              .environment = environment_digest,
                              .correctness = correctness_digest,
                              .metric = metric})
                  .to_string(),
              seed.comparison);
    // The page shows the key's first characters.
    EXPECT_NE(page.find(std::string(seed.comparison).substr(0, 23) + "…"), page.npos);
  }
}

}  // namespace
}  // namespace ki::manifest
