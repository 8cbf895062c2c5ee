#include "ki/logbook/trust_store.h"

#include "log_world.h"

namespace ki::logbook {
namespace {

using testing::IsEmpty;

class TrustStoreTest : public LogWorld {
 protected:
  TrustChange change(std::string_view reason = "") const { return {"test", reason, kNow}; }
  static sign::TrustedKey runner(char fill) {
    return {key_of(fill).public_key(), "runner-1", "Example Lab", {sign::Role::kRunner}};
  }
};

TEST_F(TrustStoreTest, IsEmptyAtFirstAndKeepsWhatIsAdded) {
  EXPECT_THAT(read_trust(store_)->keys(), IsEmpty());
  const sign::TrustedKey keys[] = {runner('r')};
  ASSERT_TRUE(trust_keys(store_, keys, change(), ids_));
  const sign::TrustList list = *read_trust(store_);
  ASSERT_EQ(list.keys().size(), 1U);
  EXPECT_EQ(list.keys()[0], keys[0]);
  EXPECT_EQ(trust_keys(store_, keys, change(), ids_).error().code(), Code::kConflict);
}

TEST_F(TrustStoreTest, RevokesFromTheLogsPresentSize) {
  const sign::TrustedKey keys[] = {runner('r')};
  ASSERT_TRUE(trust_keys(store_, keys, change(), ids_));
  begin();
  publish(1, 1);
  const std::uint64_t size = (*read_head(store_))->head.tree.size();
  const auto revocation = revoke_key(store_, keys[0].key, std::nullopt, change("lost"), ids_);
  ASSERT_TRUE(revocation);
  EXPECT_EQ(revocation->index, size);
  const sign::TrustList list = *read_trust(store_);
  EXPECT_TRUE(list.believes(keys[0].key, sign::Role::kRunner, size - 1));
  EXPECT_FALSE(list.believes(keys[0].key, sign::Role::kRunner, size));
  EXPECT_EQ(revoke_key(store_, keys[0].key, size + 5, change("later"), ids_).error().code(),
            Code::kConflict);
  EXPECT_TRUE(revoke_key(store_, keys[0].key, 1, change("earlier"), ids_));
  EXPECT_EQ(revoke_key(store_, key_of('x').public_key(), 1, change(), ids_).error().code(),
            Code::kNotFound);
  // Each change of a key is a leaf and an audit event.
  int keys_logged = 0;
  for (const std::string& text : leaf_texts())
    keys_logged += text.find("\"type\":\"key\"") != text.npos;
  EXPECT_EQ(keys_logged, 3);
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(TrustStoreTest, GivesLogKeysAsNotesKnowThem) {
  sign::TrustedKey log{
      key_of('k').public_key(), std::string(kOrigin), "Example Lab", {sign::Role::kLog}};
  const sign::TrustedKey keys[] = {runner('r'), log};
  ASSERT_TRUE(trust_keys(store_, keys, change(), ids_));
  EXPECT_EQ(log_verifiers(*read_trust(store_)), verifiers_of('k'));
  ASSERT_TRUE(revoke_key(store_, log.key, std::nullopt, change("old"), ids_));
  EXPECT_THAT(log_verifiers(*read_trust(store_)), IsEmpty());
}

}  // namespace
}  // namespace ki::logbook
