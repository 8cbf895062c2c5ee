#include "ki/problem/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace ki::problem {
namespace {

std::string file(const std::string& header, const std::string& data) {
  std::string out;
  for (int i = 0; i < 8; ++i) out += static_cast<char>((header.size() >> (8 * i)) & 0xff);
  return out + header + data;
}
const std::string kHeader =
    R"({"__metadata__": {"a": "b"}, "x": {"dtype": "I16", "shape": [2, 2], "data_offsets": [2, 10]}}  )";

TEST(Safetensors, ReadsOneTensor) {
  const auto tensor = read_safetensors(file(kHeader, "..abcdefgh"), "x");
  ASSERT_TRUE(tensor) << tensor.error().to_string();
  EXPECT_EQ(tensor->dtype, Dtype::kI16);
  EXPECT_EQ(tensor->shape, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(tensor->bytes, "abcdefgh");
}

TEST(Safetensors, RefusesWhatDoesNotFit) {
  const auto with = [](const char* shape, const char* offsets, const char* dtype = "I16") {
    return file(std::string(R"({"x": {"dtype": ")") + dtype + R"(", "shape": )" + shape +
                    R"(, "data_offsets": )" + offsets + "}}",
                "0123456789");
  };
  EXPECT_TRUE(read_safetensors(with("[4]", "[0, 8]"), "x"));
  for (const std::string& bad :
       {std::string("short"), std::string(8, '\xff'), with("[4]", "[4, 12]"), with("[4]", "[0, 9]"),
        with("[4]", "[8, 0]"), with("[-1]", "[0, 8]"), with("[4.5]", "[0, 8]"), with("[4]", "[0]"),
        with("[4611686018427387904, 4]", "[0, 8]"), with("[4]", "[0, 8]", "U8"), file("{", ""),
        file("[]", "")}) {
    EXPECT_FALSE(read_safetensors(bad, "x"));
  }
  EXPECT_EQ(read_safetensors(with("[4]", "[0, 8]"), "y").error().code(), Code::kNotFound);
}

}  // namespace
}  // namespace ki::problem
