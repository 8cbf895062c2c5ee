#include "ki/base/same_text.h"

#include <gtest/gtest.h>

#include <string>

namespace ki {
namespace {

TEST(SameText, AgreesWithTheOperatorAtEveryLengthAndPlace) {
  for (std::size_t size = 0; size <= 40; ++size) {
    std::string text;
    for (std::size_t i = 0; i < size; ++i) text += static_cast<char>('a' + i % 26);
    EXPECT_TRUE(same_text(text, std::string(text))) << size;
    EXPECT_FALSE(same_text(text, text + "x")) << size;
    for (std::size_t i = 0; i < size; ++i) {
      std::string other = text;
      other[i] = static_cast<char>(other[i] ^ 0x80);
      EXPECT_FALSE(same_text(text, other)) << size << " bytes, differ at " << i;
    }
  }
}

TEST(CopyText, CopiesEveryLengthAndNoByteMore) {
  for (std::size_t size = 0; size <= 40; ++size) {
    std::string text;
    for (std::size_t i = 0; i < size; ++i) text += static_cast<char>('a' + i % 26);
    std::string out(size + 2, '#');
    copy_text(out.data() + 1, text);
    EXPECT_EQ(out, "#" + text + "#");
  }
}

}  // namespace
}  // namespace ki
