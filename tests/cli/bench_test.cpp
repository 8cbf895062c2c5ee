// `ki bench` through the command line.
#include "cli_world.h"
#include "ki/json/reader.h"
#include "ki/sandbox/host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ki::cli {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

class BenchTest : public CliTest {
 protected:
  const std::string problem_ = std::string(KI_SOURCE_DIR) + "/problems/vec_add";
};

TEST_F(BenchTest, SaysWhatIsMissing) {
  struct Case {
    const char* why;
    std::vector<std::string> args;
    const char* text;
  };
  for (const auto& [why, args, text] : std::initializer_list<Case>{
           {"no solution", {"bench", problem_}, "which solution"},
           {"no other", {"bench", problem_, "reference"}, "--vs"},
           {"an odd seed",
            {"bench", problem_, "reference", "--vs", "reference", "--seed", "x"},
            "--seed"}}) {
    SCOPED_TRACE(why);
    const Outcome outcome = ki(args);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, HasSubstr(text));
  }
  EXPECT_EQ(ki({"bench", problem_, "no-such-solution", "--vs", "reference"}).code, 3);
}

TEST_F(BenchTest, GivesAVerdictAndEveryRound) {
  if (const auto host = sandbox::Host::open(); !host)
    GTEST_SKIP() << "skipped: " << host.error().to_string();
  const Outcome outcome =
      ki({"bench", problem_, "reference", "--vs", "reference", "--case", "n65536", "--rounds", "12",
          "--processes", "2", "--seed", "3", "--json"});
  if (outcome.err.find("another measurement runs") != std::string::npos) {
    GTEST_SKIP() << "skipped: " << outcome.err;
  }
  ASSERT_THAT(outcome.code, AnyOf(0, 4)) << outcome.err;
  const auto document = json::read_document(outcome.out);
  ASSERT_TRUE(document) << document.error().to_string();
  const json::Value& one = document->root.find("cases")->items()[0];
  EXPECT_EQ(one.find("rounds")->items().size(), 24u);
  EXPECT_EQ(document->root.find("protocol")->string(), "ki_pair_v1");
  EXPECT_THAT(std::string(one.find("verdict")->string()),
              AnyOf("faster", "slower", "equivalent", "undecided", "insufficient"));
}

}  // namespace
}  // namespace ki::cli
