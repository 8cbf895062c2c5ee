// A logged catalog that trusts a runner, and signed runs of it.
#pragma once

#include "../../harness/tests/finished_run.h"
#include "ki/catalog/live.h"
#include "ki/logbook/logbook.h"
#include "ki/logbook/logged_store.h"
#include "ki/logbook/trust_store.h"
#include "ki/policy/evidence.h"
#include "ki/publish/publisher.h"
#include "ki/rerun/assess.h"
#include "ki/rerun/sign_bundle.h"
#include "ki/store_memory/memory_store.h"

#include <gmock/gmock.h>

namespace ki::rerun {

inline constexpr Instant kNow{1'796'000'000'000};

inline sign::PrivateKey key_of(char fill) {
  return sign::PrivateKey::from_seed(std::string(sign::PrivateKey::kBytes, fill)).value();
}

struct Signer {
  char fill = 'r';
  std::string owner = "Example Lab";
  std::string machine = std::string(64, 'a');
};

class RerunWorld : public testing::Test {
 protected:
  RerunWorld()
      : store_(
            std::make_unique<store_memory::MemoryStore>("01990000-0000-7000-8000-000000000009")) {
    auto live = catalog::LiveCatalog::open(store_, std::nullopt);
    EXPECT_TRUE(live);
    live_ = *std::move(live);
  }
  void begin_log() {
    EXPECT_TRUE(logbook::begin_log(store_, "example.com/log", "test", kNow, ids_));
  }
  void trust(const Signer& signer) {
    const sign::TrustedKey keys[] = {{key_of(signer.fill).public_key(),
                                      std::string("runner-") + signer.fill,
                                      signer.owner,
                                      {sign::Role::kRunner}}};
    EXPECT_TRUE(logbook::trust_keys(store_, keys, {"test", "", kNow}, ids_));
  }
  void revoke(const Signer& signer, std::optional<sign::LogIndex> from) {
    EXPECT_TRUE(logbook::revoke_key(store_, key_of(signer.fill).public_key(), from,
                                    {"test", "stolen", kNow}, ids_));
  }

  static publish::Bundle signed_bundle(const harness::Finished& finished, const Signer& signer) {
    publish::Bundle bundle = finished.publication().value();
    const sign::PrivateKey key = key_of(signer.fill);
    EXPECT_TRUE(sign_bundle(bundle, finished.key.commitment(),
                            {.key = key,
                             .runner = {signer.owner, signer.machine, "", "0.1.0"},
                             .started = kNow,
                             .finished = kNow}));
    return bundle;
  }
  // Ids of the runs: the three cases, then the suite.
  std::vector<std::string> publish(const publish::Bundle& bundle) {
    publish::Publisher publisher(*live_, clock_, ids_, "test");
    const auto report = publisher.publish(bundle);
    EXPECT_TRUE(report) << report.error().to_string();
    return report ? report->run_ids : std::vector<std::string>();
  }
  Assessed assess_runs(const std::vector<std::string>& runs) {
    auto out = assess(*live_, runs, clock_, ids_, "test");
    EXPECT_TRUE(out) << out.error().to_string();
    return out ? *std::move(out) : Assessed{};
  }
  policy::EvidenceLevel level(const std::string& run) {
    const auto snapshot = live_->current();
    const auto index = snapshot->find_run(*Uuid::parse(run));
    return static_cast<policy::EvidenceLevel>(snapshot->runs()[index].evidence);
  }

  logbook::LoggedStore store_;
  std::unique_ptr<catalog::LiveCatalog> live_;
  FixedClock clock_{kNow};
  UuidSource ids_{1};
};

}  // namespace ki::rerun
