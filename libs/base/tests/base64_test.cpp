#include "ki/base/base64.h"

#include "ki/base/base64url.h"

#include <gtest/gtest.h>

#include <random>

namespace ki {
namespace {

TEST(Base64Url, writes_the_vectors_of_rfc_4648_without_padding) {
  for (const auto& [bytes, text] : {std::pair{"", ""},
                                    {"f", "Zg"},
                                    {"fo", "Zm8"},
                                    {"foo", "Zm9v"},
                                    {"foobar", "Zm9vYmFy"},
                                    {"\xfb\xff\xfe", "-__-"}}) {
    EXPECT_EQ(base64url(bytes), text);
    EXPECT_EQ(parse_base64url(text), bytes);
  }
}

TEST(Base64Url, reads_back_any_bytes) {
  std::mt19937 random(5);
  for (std::size_t length = 0; length < 200; ++length) {
    std::string bytes;
    for (std::size_t i = 0; i < length; ++i) bytes += static_cast<char>(random() & 0xFFU);
    EXPECT_EQ(parse_base64url(base64url(bytes)), bytes);
  }
}

TEST(Base64Url, refuses_every_other_spelling) {
  struct Case {
    const char* why;
    const char* text;
  };
  for (const auto& [why, text] : {Case{"padding", "Zg=="},
                                  {"the other alphabet", "+//+"},
                                  {"an impossible length", "Zm9vY"},
                                  {"stray bits", "Zh"},
                                  {"white space", "Zm 9v"}}) {
    EXPECT_FALSE(parse_base64url(text)) << why;
  }
}

TEST(Base64, writes_the_vectors_of_rfc_4648_and_refuses_other_spellings) {
  for (const auto& [bytes, text] : {std::pair{"", ""},
                                    {"f", "Zg=="},
                                    {"fo", "Zm8="},
                                    {"foo", "Zm9v"},
                                    {"foobar", "Zm9vYmFy"},
                                    {"\xfb\xff\xfe", "+//+"}}) {
    EXPECT_EQ(base64(bytes), text);
    EXPECT_EQ(parse_base64(text), bytes);
    EXPECT_EQ(parse_any_base64(text), bytes);
    EXPECT_EQ(parse_any_base64(base64url(bytes)), bytes);
  }
  struct Case {
    const char* why;
    const char* text;
  };
  for (const auto& [why, text] : {Case{"no padding", "Zg"},
                                  {"too little padding", "Zg="},
                                  {"too much padding", "Zg==="},
                                  {"padding alone", "===="},
                                  {"the other alphabet", "-__-"},
                                  {"stray bits", "Zh=="},
                                  {"a line end", "Zm9v\n"}}) {
    EXPECT_FALSE(parse_base64(text)) << why;
  }
  for (const auto& [why, text] :
       {Case{"both alphabets", "+__-"}, {"too little padding", "Zg="}, {"stray bits", "Zh"}}) {
    EXPECT_FALSE(parse_any_base64(text)) << why;
  }
}

}  // namespace
}  // namespace ki
