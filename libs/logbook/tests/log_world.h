// A catalog with publications in it, its log and its keys.
#pragma once

#include "../../publish/tests/publish_world.h"
#include "ki/logbook/leaves.h"
#include "ki/logbook/log_files.h"
#include "ki/logbook/logbook.h"
#include "ki/logbook/logged_store.h"
#include "ki/logbook/trust_store.h"
#include "ki/publish/publisher.h"
#include "ki/store_memory/memory_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace ki::logbook {

constexpr std::string_view kOrigin = "log.example/test";
constexpr Instant kNow{1'790'000'000'500};

inline sign::PrivateKey key_of(char fill) {
  return *sign::PrivateKey::from_seed(std::string(32, fill));
}
inline std::vector<sign::NoteVerifier> verifiers_of(char fill) {
  return {*sign::NoteVerifier::make(std::string(kOrigin), key_of(fill).public_key())};
}

class LogWorld : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "ki-logbook-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Publishes `count` runs of implementations `first`, first + 1, ... and returns their ids.
  std::vector<std::string> publish(int first, int count) {
    auto live = catalog::LiveCatalog::open(store_, std::nullopt);
    EXPECT_TRUE(live);
    std::vector<publish::Timing> timings;
    for (int i = 0; i < count; ++i) timings.push_back({std::to_string(1000 - first - i)});
    publish::Publisher publisher(**live, clock_, ids_, "test");
    auto report = publisher.publish(publish::group_bundle(timings, first));
    EXPECT_TRUE(report) << report.error().to_string();
    return report ? report->run_ids : std::vector<std::string>{};
  }
  LogHead begin() {
    auto head = begin_log(store_, kOrigin, "test", clock_.now(), ids_);
    EXPECT_TRUE(head) << head.error().to_string();
    return *head;
  }
  std::vector<std::string> leaf_texts() {
    std::vector<std::string> texts;
    EXPECT_TRUE(store_.read_since(0, store_.head()->seq,
                                  [&](const catalog::Entry& entry) -> Result<catalog::Step> {
                                    if (entry.table == catalog::Table::kLogEntries)
                                      texts.push_back(read_log_row(entry.body)->text);
                                    return catalog::Step::kGoOn;
                                  }));
    return texts;
  }
  std::vector<std::string> problems() {
    auto check = check_log(store_);
    EXPECT_TRUE(check) << check.error().to_string();
    return check && *check ? (*check)->problems : std::vector<std::string>{"no log"};
  }
  Result<CaughtUp> catch_up(const FileStep& step = {}) {
    const sign::PrivateKey key = key_of('k');
    return LogFiles(folder_ / "log").catch_up(store_, key, verifiers_of('k'), step);
  }

  std::filesystem::path folder_;
  FixedClock clock_{kNow};
  UuidSource ids_{7};
  LoggedStore store_{
      std::make_unique<store_memory::MemoryStore>("0198a000-0000-7000-8000-000000000001")};
};

}  // namespace ki::logbook
