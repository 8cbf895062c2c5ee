#include "ki/digest/hmac.h"

#include <gtest/gtest.h>

namespace ki {
namespace {

TEST(Hmac, agrees_with_the_vectors_of_rfc_4231) {
  struct Case {
    const char* why;
    std::string key, bytes;
    const char* hex;
  };
  for (const auto& [why, key, bytes, hex] :
       {Case{"case 1", std::string(20, '\x0b'), "Hi There",
             "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
        Case{"case 2", "Jefe", "what do ya want for nothing?",
             "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
        Case{"case 3", std::string(20, '\xaa'), std::string(50, '\xdd'),
             "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
        Case{"case 6, a key longer than a block", std::string(131, '\xaa'),
             "Test Using Larger Than Block-Size Key - Hash Key First",
             "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"}}) {
    EXPECT_EQ(hmac_sha256(key, bytes).hex(), hex) << why;
  }
}

TEST(Hmac, compares_whole_texts) {
  EXPECT_TRUE(equals_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equals_in_constant_time("abc", "abd"));
  EXPECT_FALSE(equals_in_constant_time("abc", "ab"));
}

}  // namespace
}  // namespace ki
