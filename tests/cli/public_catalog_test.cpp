// The public catalog, where it lies beside the checkout: import, facts, answers, a second import.
#include "cli_world.h"
#include "ki/json/reader.h"

#include <gmock/gmock.h>

namespace ki::cli {
namespace {

using testing::HasSubstr;

class PublicCatalogTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    export_ = std::string(KI_SOURCE_DIR) + "/../shared/data/catalog-2026-08-16.jsonl.zst";
    if (!std::filesystem::exists(export_)) GTEST_SKIP() << "skipped: ../shared is absent";
  }
  std::string export_;
};

TEST_F(PublicCatalogTest, ImportsWholeAndAnswers) {
  const std::string report = must({"import", "kernelindex", export_, "--json"});
  const auto document = json::read_document(report, {.max_bytes = 64 << 20}).value();
  const json::Value& facts = *document.root.find("facts");
  for (const auto& [name, value] : {std::pair{"groups", 1828},
                                    {"eligibleRuns", 7771},
                                    {"measurements", 13853},
                                    {"measuredOperations", 342},
                                    {"gpus", 7},
                                    {"operationMismatches", 43},
                                    {"servingRuns", 722}}) {
    EXPECT_EQ(facts.find(name)->integer(), value) << name;
  }
  EXPECT_EQ(facts.find("ineligible")->find("STATUS_RUNTIME_ERROR")->integer(), 82);
  EXPECT_EQ(facts.find("ineligible")->find("STATUS_COMPILE_ERROR")->integer(), 4);

  EXPECT_THAT(must({"import", "kernelindex", export_}), HasSubstr("Nothing new"));
  EXPECT_EQ(ki({"fsck"}).code, 0);

  const auto trimul =
      json::read_document(ki({"search", "op:gpumode-trimul gpu:A100", "--json"}).out,
                          {.max_bytes = 64 << 20})
          .value();
  EXPECT_EQ(trimul.root.find("totals")->find("exact")->integer(), 67);
  const auto nearest =
      json::read_document(ki({"resolve", "--manifest", "-", "--json"},
                             R"({"operation":{"name":"gemm-n4096-k4096","axes":{"M":3000}}})")
                              .out,
                          {.max_bytes = 64 << 20})
          .value();
  EXPECT_EQ(nearest.root.find("mode")->string(), "nearest");
  EXPECT_EQ(nearest.root.find("nearest")->find("below")->find("value")->integer(), 2379);
  EXPECT_EQ(nearest.root.find("nearest")->find("above")->find("value")->integer(), 8192);

  const std::string serving = must({"serving", "--model", "mlperf-llama2-70b", "--workload",
                                    "mlperf-llama2-70b-99-server", "--limit", "2"});
  EXPECT_THAT(serving, HasSubstr("101,611 tokens_s"));
  EXPECT_THAT(serving, HasSubstr("163 serving runs in 73 comparison groups"));
  EXPECT_THAT(must({"serving", "--hardware", "h200", "--most-accelerators", "8", "--model",
                    "mlperf-llama2-70b", "--constraint", "ttft_ms:p99<=2000"}),
              HasSubstr("declared"));
  EXPECT_EQ(ki({"serving", "--constraint", "ttft_ms"}).code, 2);
  EXPECT_EQ(ki({"serving", "--objective", "speed"}).code, 2);
  EXPECT_THAT(must({"serving", "runs", "--limit", "2"}), HasSubstr("2 of 722 serving runs"));
  EXPECT_THAT(must({"serving", "configurations", "--limit", "1"}), HasSubstr("1 of 130 config"));
  EXPECT_THAT(must({"show", "serving-run", "01a00b49-7ca4-7dcc-a9aa-c25d2d1246ce"}),
              HasSubstr("output_token_throughput_tps · reported  101611 tokens_s"));

  must({"export", file("a.jsonl.zst")});
  must({"import", "kernelindex", file("a.jsonl.zst"), "--catalog", file("copy.db")});
  EXPECT_EQ(must({"ranks", "--tsv", "--catalog", file("copy.db")}), must({"ranks", "--tsv"}));
}

TEST_F(PublicCatalogTest, RecordsHaveTheCountsOfThePublicLedger) {
  must({"import", "kernelindex", export_});
  const auto total = [&](std::vector<std::string> args) {
    args.insert(args.begin(), "records");
    args.emplace_back("--json");
    return json::read_document(must(args), {.max_bytes = 64 << 20})
        .value()
        .root.find("total")
        ->integer();
  };
  EXPECT_EQ(total({"--policy", "ranking-v1"}), 260);
  EXPECT_EQ(total({}), 72) << "baselines that only their own project has bettered are unbeaten";
  EXPECT_EQ(total({"--all"}), 1828);
  EXPECT_EQ(total({"--all", "--hardware", "NVIDIA H100"}), 9);
  EXPECT_GT(total({"--all", "trimul"}), 0) << "slugs and aliases are searched";
}

}  // namespace
}  // namespace ki::cli
