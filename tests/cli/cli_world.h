// A world for commands: a folder of its own, captured streams, a fixed clock.
#pragma once

#include "ki/base/clock.h"
#include "ki/cli/cli.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

namespace ki::cli {

class CliTest : public testing::Test {
 protected:
  struct Outcome {
    int code = -1;
    std::string out, err;
  };

  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ =
        std::filesystem::temp_directory_path() / ("ki-cli-" + std::to_string(::getpid()) + "-" +
                                                  info->test_suite_name() + "-" + info->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Outcome ki(std::vector<std::string> args, std::string in = "") const {
    Outcome outcome;
    const Environment environment{
        .out = [&](std::string_view text) { outcome.out += text; },
        .err = [&](std::string_view text) { outcome.err += text; },
        .variable = [&](const std::string& name) -> std::optional<std::string> {
          if (name == "KI_CATALOG") return catalog();
          return std::nullopt;
        },
        .read_stdin = [&] { return in; },
        .clock = &clock_,
        .cancel = nullptr};
    outcome.code = run(args, environment);
    return outcome;
  }
  // Must succeed.
  std::string must(std::vector<std::string> args) const {
    const Outcome outcome = ki(args);
    EXPECT_EQ(outcome.code, 0) << outcome.err << outcome.out;
    return outcome.out;
  }
  void import_registry() const {
    must({"import", "manifest", std::string(KI_SOURCE_DIR) + "/registry/groups"});
  }

  std::string catalog() const { return (folder_ / "catalog.db").string(); }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
  FixedClock clock_{Instant{1'796'083'200'000}};  // 2026-12-01
};

}  // namespace ki::cli
