#include "ki/sign/key_file.h"

#include "testing.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace ki::sign {
namespace {

class KeyFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "ki-sign-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(KeyFile, OfAPrivateKeyIsForItsOwnerOnly) {
  const PrivateKey key = test_key();
  const auto path = folder_ / "runner.pem";
  ASSERT_TRUE(write_private_key(path, key));
  struct stat info{};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0600U);
  EXPECT_EQ(read_private_key(path).value().public_key(), key.public_key());
}

TEST_F(KeyFile, OfAPrivateKeyIsNeverReplaced) {
  const auto path = folder_ / "runner.pem";
  ASSERT_TRUE(write_private_key(path, test_key()));
  const auto again = write_private_key(path, test_key(1));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code(), Code::kConflict);
  EXPECT_EQ(read_private_key(path).value().public_key(), test_key().public_key());
}

TEST_F(KeyFile, ThatOthersMayReadIsRefused) {
  const auto path = folder_ / "runner.pem";
  ASSERT_TRUE(write_private_key(path, test_key()));
  for (const mode_t mode : {0640, 0604, 0620, 0601}) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    const auto key = read_private_key(path);
    ASSERT_FALSE(key);
    EXPECT_EQ(key.error().code(), Code::kUnsupported);
    EXPECT_NE(key.error().message().find("chmod 600"), std::string::npos);
  }
}

TEST_F(KeyFile, OfAPublicKeyIsReadBack) {
  const auto path = folder_ / "runner.pub";
  ASSERT_TRUE(write_public_key(path, test_key().public_key()));
  EXPECT_EQ(read_public_key(path).value(), test_key().public_key());
  EXPECT_EQ(read_public_key(folder_ / "other.pub").error().code(), Code::kNotFound);
  std::ofstream(folder_ / "text.pub") << "hello";
  EXPECT_NE(read_public_key(folder_ / "text.pub").error().to_string().find("text.pub"),
            std::string::npos);
}

}  // namespace
}  // namespace ki::sign
