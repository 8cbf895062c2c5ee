#include "ki/json/number.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace ki::json {
namespace {

// RFC 8785 Appendix B: IEEE 754 bits and the text that they must have.
TEST(NumberText, EqualsRfc8785AppendixB) {
  struct Case {
    std::uint64_t bits;
    const char* text;
  };
  for (const auto& [bits, text] : {
           Case{0x0000000000000000, "0"},
           Case{0x8000000000000000, "0"},
           Case{0x0000000000000001, "5e-324"},
           Case{0x8000000000000001, "-5e-324"},
           Case{0x7fefffffffffffff, "1.7976931348623157e+308"},
           Case{0xffefffffffffffff, "-1.7976931348623157e+308"},
           Case{0x4340000000000000, "9007199254740992"},
           Case{0xc340000000000000, "-9007199254740992"},
           Case{0x4430000000000000, "295147905179352830000"},
           Case{0x44b52d02c7e14af5, "9.999999999999997e+22"},
           Case{0x44b52d02c7e14af6, "1e+23"},
           Case{0x44b52d02c7e14af7, "1.0000000000000001e+23"},
           Case{0x444b1ae4d6e2ef4e, "999999999999999700000"},
           Case{0x444b1ae4d6e2ef4f, "999999999999999900000"},
           Case{0x444b1ae4d6e2ef50, "1e+21"},
           Case{0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
           Case{0x3eb0c6f7a0b5ed8d, "0.000001"},
           Case{0x41b3de4355555553, "333333333.3333332"},
           Case{0x41b3de4355555554, "333333333.33333325"},
           Case{0x41b3de4355555555, "333333333.3333333"},
           Case{0x41b3de4355555556, "333333333.3333334"},
           Case{0x41b3de4355555557, "333333333.33333343"},
           Case{0xbecbf647612f3696, "-0.0000033333333333333333"},
           Case{0x43143ff3c1cb0959, "1424953923781206.2"},
       }) {
    EXPECT_EQ(number_text(std::bit_cast<double>(bits)), text);
  }
}

TEST(NumberText, ReadsBackAsTheSameDouble) {
  std::uint64_t state = 42;
  for (int i = 0; i < 200'000; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const double x = std::bit_cast<double>(state ^ (state >> 29));
    if (!std::isfinite(x)) continue;
    const ParsedNumber back = parse_number(number_text(x));
    ASSERT_TRUE(back.error == NumberError::kNone || back.error == NumberError::kTooLarge)
        << number_text(x);
    ASSERT_EQ(back.value, x == 0 ? 0 : x);
  }
}

TEST(ParseNumber, TellsWhatIsWrong) {
  EXPECT_EQ(parse_number("9007199254740991").error, NumberError::kNone);
  EXPECT_EQ(parse_number("9007199254740992").error, NumberError::kTooLarge);
  EXPECT_EQ(parse_number("-9007199254740993").error, NumberError::kTooLarge);
  EXPECT_EQ(parse_number("100000000000000000000.0").error, NumberError::kTooLarge);
  EXPECT_EQ(parse_number("1e309").error, NumberError::kOverflow);
  EXPECT_EQ(parse_number("0.0000001e-400").error, NumberError::kUnderflow);
  EXPECT_EQ(parse_number("4.9e-324").value, std::numeric_limits<double>::denorm_min());
  for (const char* text :
       {"", "-", "01", "1.", ".1", "1e", "1e+", "+1", "0x1", "1_000", "Infinity", "1 ", "١"}) {
    EXPECT_EQ(parse_number(text).error, NumberError::kSyntax) << text;
  }
}

}  // namespace
}  // namespace ki::json
