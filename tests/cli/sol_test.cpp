// `ki sol` on the groups that come with the program and on a problem folder.
#include "cli_world.h"
#include "ki/io/file.h"

#include <gmock/gmock.h>

namespace ki::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kKvCache = "062-kv-cache-update-with-rope-backward";
const std::string kQkv = "064-multi-head-qkv-projection-with-rope-backward";
const std::string kVecAdd = std::string(KI_SOURCE_DIR) + "/problems/vec_add";

class SolTest : public CliTest {};

TEST_F(SolTest, BoundsOfTheGroupsAndARunBelowTheBound) {
  import_registry();
  const std::string text = must({"sol", kKvCache});
  EXPECT_THAT(text, HasSubstr("Geometric mean of 16 cases 14.12 µs"));
  EXPECT_THAT(text, HasSubstr("solar-compat  17.42 µs"));
  EXPECT_THAT(text, HasSubstr("impossible or aliasing: 11.1 µs is 0.786 of the physical bound"));
  const std::string qkv = must({"sol", kQkv});
  EXPECT_THAT(qkv, HasSubstr("Geometric mean of 16 cases 27.44 µs"));
  EXPECT_THAT(qkv, HasSubstr("Memory alone 13.91 µs, arithmetic alone 26.09 µs"));
  EXPECT_THAT(qkv, Not(HasSubstr("impossible")));
  EXPECT_THAT(must({"sol", kQkv, "--profile", "solar-compat"}), HasSubstr("26.87 µs"));
  EXPECT_THAT(must({"sol", kKvCache, "--hardware", "H200", "--profile", "measured"}),
              HasSubstr("Geometric mean of 16 cases 26.26 µs"));
}

TEST_F(SolTest, AsJsonCsvAndPlotOfAProblemFolder) {
  const std::string json = must({"sol", kVecAdd, "--json"});
  EXPECT_THAT(json, HasSubstr("\"setBy\": \"memory\""));
  EXPECT_THAT(json, HasSubstr("\"bytes\": 12000036"));
  EXPECT_THAT(must({"sol", kVecAdd, "--csv"}), HasSubstr("\r\nn1000003,12000036,1000003,"));
  must({"sol", kVecAdd, "--svg", file("roofline.svg")});
  EXPECT_THAT(*io::read_file(file("roofline.svg")), HasSubstr("3 of 3 cases shown at their bound"));
}

TEST_F(SolTest, AHardwareRecordOfOnesOwn) {
  ASSERT_TRUE(io::write_file_atomically(
      file("mine.json"), R"({"name": "mine", "title": "My machine", "kind": "cpu", "clock": "fixed",
        "dram_Bps": 12000036, "peaks": {"simt": {"fp32": 1e12}}, "provenance": {"all": "a test"}})"));
  EXPECT_THAT(must({"sol", kVecAdd, "--hardware", file("mine.json"), "--csv"}),
              HasSubstr("n1000003,12000036,1000003,0.08333333333333333,1000000000,"));
}

TEST_F(SolTest, OurKernelsAreReadyToPublishBesideTheGroups) {
  must({"import", "manifest", std::string(KI_SOURCE_DIR) + "/registry/kernels"});
  import_registry();
  for (const char* name : {"ki-kv-cache-rope-bwd-cpu", "ki-kv-cache-rope-bwd-scalar",
                           "ki-qkv-rope-bwd-cpu", "ki-qkv-rope-bwd-scalar"}) {
    EXPECT_THAT(must({"show", "implementation", name}),
                HasSubstr("cmake --install build/release --component kernels"))
        << name;
  }
  EXPECT_THAT(must({"sol", kKvCache}), HasSubstr("14.12 µs")) << "the suite that has runs is shown";
}

TEST_F(SolTest, WhatItCannotDoIsSaid) {
  import_registry();
  struct Row {
    std::vector<std::string> args;
    const char* says;
    int code;
  };
  for (const auto& [args, says, code] : {
           Row{{"sol"}, "give one operation or problem folder", 2},
           Row{{"sol", kKvCache, "--profile", "fast"},
               "expected physical, solar-compat or measured",
               2},
           Row{{"sol", kKvCache, "--hardware", "B20"}, "did you mean 'B200'?", 3},
           Row{{"sol", kKvCache, "--profile", "measured"}, "no measured figures of NVIDIA B200", 3},
           Row{{"sol", "no-such-operation"}, "no-such-operation", 3},
       }) {
    const Outcome outcome = ki(args);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(says));
  }
}

}  // namespace
}  // namespace ki::cli
