#include "ki/sign/dsse.h"

#include "ki/base/base64.h"

#include <gtest/gtest.h>

#include <string>

namespace ki::sign {
namespace {

// The key of the vectors: seed 00, 01, ... 1f.
PrivateKey vector_key() {
  std::string seed;
  for (int i = 0; i < 32; ++i) seed += static_cast<char>(i);
  return *PrivateKey::from_seed(seed);
}
constexpr std::string_view kBody = R"({"_type":"https://in-toto.io/Statement/v1"})";

TEST(Dsse, ThePreAuthenticationEncodingNamesLengthsInBytes) {
  EXPECT_EQ(pae("http://example.com/HelloWorld", "hello world"),
            "DSSEv1 29 http://example.com/HelloWorld 11 hello world");  // the example of DSSE v1
  EXPECT_EQ(pae("", ""), "DSSEv1 0  0 ");
  EXPECT_EQ(pae("\u00e9", "\u00e9"), "DSSEv1 2 \u00e9 2 \u00e9");
  EXPECT_EQ(pae(kInTotoType, kBody),
            "DSSEv1 28 application/vnd.in-toto+json 43 " + std::string(kBody));
}

TEST(Dsse, SignsAsTheVectorDoes) {
  const Envelope envelope =
      sign_envelope(std::string(kInTotoType), std::string(kBody), vector_key());
  EXPECT_EQ(
      base64(envelope.signatures.at(0).signature),
      "Fo6jOXP9gw1yxFFqcxT3OROGg9MHJ9G2Ps2yCG4lrdJS8Yli9xdH78rzsGRdX7vN0BvZnteNGPg9F79CG51UDQ==");
  const auto read = read_envelope(to_json(envelope));
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(read->payload, kBody);
  EXPECT_EQ(to_json(*read), to_json(envelope));
  EXPECT_TRUE(is_signed_by(*read, std::vector{vector_key().public_key()}, 1));
}

TEST(Dsse, CountsDistinctKeysAndNotSignatures) {
  const PrivateKey a = PrivateKey::generate();
  const PrivateKey b = PrivateKey::generate();
  Envelope envelope = sign_envelope("t", "body", a);
  envelope.signatures.push_back(envelope.signatures.front());
  envelope.signatures.push_back({"another hint", envelope.signatures.front().signature});
  const std::vector trusted{a.public_key(), a.public_key(), b.public_key()};
  EXPECT_TRUE(is_signed_by(envelope, trusted, 1));
  EXPECT_FALSE(is_signed_by(envelope, trusted, 2)) << "one key signed three times";
  envelope.signatures.push_back({"", std::string(view(b.sign(pae("t", "body"))))});
  EXPECT_TRUE(is_signed_by(envelope, trusted, 2)) << "the hint is not needed";
  EXPECT_FALSE(is_signed_by(envelope, {}, 1));
}

TEST(Dsse, TypeAndPayloadAreBothSigned) {
  const PrivateKey key = PrivateKey::generate();
  const std::vector trusted{key.public_key()};
  Envelope envelope = sign_envelope("type", "body", key);
  envelope.payload_type = "typf";
  EXPECT_FALSE(is_signed_by(envelope, trusted, 1));
  envelope.payload_type = "type";
  envelope.payload += "x";
  EXPECT_FALSE(is_signed_by(envelope, trusted, 1));
}

TEST(Dsse, UrlSafeBase64IsReadAndTheStandardOneIsWritten) {
  const auto read =
      read_envelope(R"({"payloadType":"t","payload":"-__-","signatures":[{"sig":"AAAA"}]})");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->payload, "\xfb\xff\xfe");
  EXPECT_EQ(to_json(*read),
            R"({"payloadType":"t","payload":"+//+","signatures":[{"keyid":"","sig":"AAAA"}]})");
}

TEST(Dsse, RefusesWhatIsNoEnvelopeAndSaysWhere) {
  struct Case {
    const char* why;
    const char* text;
    const char* pointer;
  };
  for (const auto& [why, text, pointer] :
       {Case{"no type", R"({"payload":"","signatures":[{"sig":""}]})", "/payloadType"},
        Case{"an empty type", R"({"payloadType":"","payload":"","signatures":[{"sig":""}]})",
             "/payloadType"},
        Case{"no base64", R"({"payloadType":"t","payload":"%","signatures":[{"sig":""}]})",
             "/payload"},
        Case{"no signature", R"({"payloadType":"t","payload":"","signatures":[]})", "/signatures"},
        Case{"a member that nobody signed",
             R"({"payloadType":"t","payload":"","signatures":[{"sig":""}],"x":1})", "/x"},
        Case{"a number as signature",
             R"({"payloadType":"t","payload":"","signatures":[{"sig":1}]})", "/signatures/0/sig"},
        Case{"a text in the list", R"({"payloadType":"t","payload":"","signatures":["AA=="]})",
             "/signatures/0"}}) {
    const auto read = read_envelope(text);
    ASSERT_FALSE(read) << why;
    ASSERT_FALSE(read.error().issues().empty()) << why;
    EXPECT_EQ(read.error().issues()[0].pointer, pointer) << why;
  }
  EXPECT_FALSE(read_envelope("[]"));
  EXPECT_FALSE(
      read_envelope(R"({"payload":"","payload":"","payloadType":"t","signatures":[{"sig":""}]})"))
      << "a name twice";
}

}  // namespace
}  // namespace ki::sign
