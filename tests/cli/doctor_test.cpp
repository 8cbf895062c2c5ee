// `ki doctor` through the command line: what it says, and with which exit code.
#include "cli_world.h"
#include "ki/json/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ki::cli {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

class DoctorTest : public CliTest {};

TEST_F(DoctorTest, ItsExitCodeFollowsItsVerdict) {
  const Outcome run = ki({"doctor", "--json"});
  EXPECT_THAT(run.code, AnyOf(0, 4)) << run.err;
  const auto document = json::read_document(run.out);
  ASSERT_TRUE(document) << document.error().to_string();
  const json::Value& root = document->root;
  const json::Value* healthy = root.find("healthy");
  ASSERT_NE(healthy, nullptr);
  bool is_any_unhealthy = false;
  for (const json::Value& check : root.find("checks")->items()) {
    is_any_unhealthy = is_any_unhealthy || check.find("severity")->string() == "unhealthy";
  }
  EXPECT_EQ(run.code == 4, is_any_unhealthy);
  EXPECT_EQ(healthy->boolean(), !is_any_unhealthy);
  EXPECT_TRUE(root.find("ceilings")->is_null());
  EXPECT_NE(root.find("environment")->find("members")->find("cpu_product"), nullptr);
}

TEST_F(DoctorTest, OperandsAreRefused) { EXPECT_EQ(ki({"doctor", "now"}).code, 2); }

}  // namespace
}  // namespace ki::cli
