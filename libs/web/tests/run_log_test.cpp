// What the transparency log says about a run, on its page.
#include "ki/base/base64.h"
#include "ki/base/clock.h"
#include "ki/importers/manifest_files.h"
#include "ki/logbook/log_head.h"
#include "ki/logbook/logbook.h"
#include "ki/logbook/trust_store.h"
#include "ki/publish/publisher.h"
#include "ki/store_memory/memory_store.h"
#include "page_check.h"
#include "web_world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace ki::web::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr Instant kDay{1'787'529'600'000};  // 2026-08-24
constexpr const char* kRun =
    "/runs/sha256:449ac0a4bf174ec0ad6110c5275a6db1be2592a54b213acf897613715f8da89d";

TEST(RunLogTest, ShowsEntryRootProofAndTheLineThatChecksIt) {
  store_memory::MemoryStore store("01990000-0000-7000-8000-0000000000bb");
  const auto live = *catalog::LiveCatalog::open(store, std::nullopt);
  const FixedClock clock(kDay);
  UuidSource ids(5);
  publish::Publisher publisher(*live, clock, ids, "test");
  const std::array<std::filesystem::path, 1> folder = {std::filesystem::path(KI_SOURCE_DIR) /
                                                       "registry" / "groups"};
  ASSERT_TRUE(publisher.publish(importers::read_manifest_files(folder)->bundle));
  const auto page = [&] {
    EXPECT_TRUE(live->refresh());
    const auto trust = std::make_shared<const sign::TrustList>(*logbook::read_trust(store));
    return WebWorld(live->current(), store, kDay, {.trust = trust}).page(kRun);
  };
  EXPECT_THAT(page(), Not(HasSubstr("Transparency log"))) << "the catalog has none";

  const sign::PrivateKey key = *sign::PrivateKey::from_seed(std::string(32, 'l'));
  const std::array<sign::TrustedKey, 1> keys = {
      sign::TrustedKey{key.public_key(), "log.example/lab", "Lab", {sign::Role::kLog}}};
  ASSERT_TRUE(logbook::trust_keys(store, keys, {"test", "", kDay}, ids));
  ASSERT_TRUE(logbook::begin_log(store, "log.example/lab", "test", kDay, ids));
  const auto head = logbook::read_head(store);
  ASSERT_TRUE(head && *head);
  const std::string html = page();
  const std::string shown = visible_text(html);
  EXPECT_THAT(shown, HasSubstr("Transparency log"));
  EXPECT_THAT(shown, HasSubstr("log\nlog.example/lab"));
  EXPECT_THAT(shown, HasSubstr(" of " + std::to_string((*head)->head.tree.size())));
  EXPECT_THAT(html, HasSubstr(base64((*head)->head.tree.root().view())));
  EXPECT_THAT(html, HasSubstr("/proof\">inclusion proof (JSON)</a>"));
  const auto vkey = sign::NoteVerifier::make("log.example/lab", key.public_key())->vkey();
  EXPECT_THAT(shown, HasSubstr("ki verify evidence --key '" + vkey + "'"));
}

}  // namespace
}  // namespace ki::web::testing
