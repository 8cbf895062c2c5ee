#include "ki/sign/trust.h"

#include "testing.h"

namespace ki::sign {
namespace {

TrustedKey runner(int shift, std::string name) {
  return {test_key(shift).public_key(), std::move(name), "Example Lab", {Role::kRunner}};
}

TEST(TrustList, BelievesAKeyInItsRolesOnly) {
  TrustList list;
  ASSERT_TRUE(list.add(runner(0, "a")));
  const PublicKey key = test_key().public_key();
  EXPECT_TRUE(list.believes(key, Role::kRunner, 5));
  EXPECT_TRUE(list.believes(key, Role::kRunner, std::nullopt));
  EXPECT_FALSE(list.believes(key, Role::kLog, 5));
  EXPECT_FALSE(list.believes(key, Role::kAttester, 5));
  EXPECT_FALSE(list.believes(test_key(1).public_key(), Role::kRunner, 5));
  EXPECT_EQ(list.add(runner(0, "again")).error().code(), Code::kConflict);
}

TEST(TrustList, KeepsWhatWasLoggedBeforeARevocation) {
  TrustList list;
  ASSERT_TRUE(list.add(runner(0, "a")));
  ASSERT_TRUE(list.add(runner(1, "b")));
  const PublicKey key = test_key().public_key();
  ASSERT_TRUE(list.revoke(key, {100, "stolen"}));
  EXPECT_TRUE(list.believes(key, Role::kRunner, 99));
  EXPECT_FALSE(list.believes(key, Role::kRunner, 100));
  EXPECT_FALSE(list.believes(key, Role::kRunner, std::nullopt));
  EXPECT_EQ(list.believed(Role::kRunner, 100).size(), 1U);
  EXPECT_EQ(list.believed(Role::kRunner, 99).size(), 2U);
  // Only ever earlier: a thief cannot win time back.
  EXPECT_EQ(list.revoke(key, {100, "again"}).error().code(), Code::kConflict);
  EXPECT_EQ(list.revoke(key, {200, "later"}).error().code(), Code::kConflict);
  EXPECT_TRUE(list.revoke(key, {50, "stolen earlier"}));
  EXPECT_FALSE(list.believes(key, Role::kRunner, 60));
  EXPECT_EQ(list.revoke(test_key(7).public_key(), {0, "x"}).error().code(), Code::kNotFound);
}

TEST(TrustList, FindsKeysByNameOrDigits) {
  TrustList list;
  ASSERT_TRUE(list.add(runner(0, "a")));
  ASSERT_TRUE(list.add(runner(1, "same")));
  ASSERT_TRUE(list.add(runner(2, "same")));
  const std::string keyid = test_key().public_key().key_id();
  EXPECT_EQ((*list.find("a"))->key, test_key().public_key());
  EXPECT_EQ((*list.find(keyid))->name, "a");
  EXPECT_EQ((*list.find(keyid.substr(0, 8)))->name, "a");
  EXPECT_EQ(list.find(keyid.substr(0, 7)).error().code(), Code::kNotFound);
  EXPECT_EQ(list.find("same").error().code(), Code::kInvalidArgument);
}

TEST(TrustedKey, IsWrittenInOneWayAndReadBack) {
  TrustedKey key = runner(0, "runner-1");
  key.roles = {Role::kLog, Role::kRunner, Role::kAttester};
  key.revoked = Revocation{7, "lost"};
  const std::string text = key.to_json();
  EXPECT_EQ(text, R"({"keyid":")" + key.key.key_id() +
                      R"(","name":"runner-1","owner":"Example Lab",)"
                      R"("publicKey":"A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=",)"
                      R"("revoked":{"index":7,"reason":"lost"},)"
                      R"("roles":["attester","log","runner"]})");
  EXPECT_EQ(TrustedKey::parse(text).value(), key);
  std::string other = text;
  other.replace(other.find(key.key.key_id()), 1, key.key.key_id()[0] == '0' ? "1" : "0");
  EXPECT_FALSE(TrustedKey::parse(other)) << "a keyid of another key";
  EXPECT_FALSE(TrustedKey::parse("{}"));
}

}  // namespace
}  // namespace ki::sign
