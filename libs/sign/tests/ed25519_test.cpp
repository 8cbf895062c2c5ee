#include "ki/sign/ed25519.h"

#include <gtest/gtest.h>

#include <string>

namespace ki::sign {
namespace {

std::string unhex(std::string_view hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    out += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return out;
}

TEST(Ed25519, HasTheVectorsOfRfc8032) {
  struct Case {
    const char* seed;
    const char* key;
    const char* message;
    const char* signature;
  };
  for (const auto& [seed, key, message, signature] :
       {Case{"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
             "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
             "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e3"
             "9701c"
             "f9b46bd25bf5f0595bbe24655141438e7a100b"},
        Case{"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
             "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
             "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3"
             "613d0"
             "f11d8c387b2eaeb4302aeeb00d291612bb0c00"}}) {
    const auto private_key = PrivateKey::from_seed(unhex(seed));
    ASSERT_TRUE(private_key);
    EXPECT_EQ(private_key->public_key().view(), unhex(key));
    EXPECT_EQ(view(private_key->sign(unhex(message))), unhex(signature));
    EXPECT_TRUE(private_key->public_key().verify(unhex(message), unhex(signature)));
  }
}

TEST(Ed25519, AnyChangeOfMessageKeyOrSignatureIsRefused) {
  const PrivateKey key = PrivateKey::generate();
  const std::string message = "what was measured";
  const std::string signature(view(key.sign(message)));
  for (std::size_t bit = 0; bit < 512; ++bit) {
    std::string other = signature;
    other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(key.public_key().verify(message, other)) << bit;
  }
  EXPECT_FALSE(key.public_key().verify(message + " ", signature));
  EXPECT_FALSE(key.public_key().verify(message, signature.substr(1)));
  EXPECT_FALSE(key.public_key().verify(message, signature + "x"));
  EXPECT_FALSE(PrivateKey::generate().public_key().verify(message, signature));
}

TEST(Ed25519, ASignatureWhoseScalarIsNotReducedIsRefused) {
  // S + L signs the same message for a verifier that forgets the range check of RFC 8032 5.1.7.
  constexpr unsigned char kOrder[16] = {0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58,
                                        0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14};
  const PrivateKey key = *PrivateKey::from_seed(std::string(32, '\7'));
  Signature signature = key.sign("message");
  ASSERT_TRUE(key.public_key().verify("message", view(signature)));
  unsigned carry = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    const unsigned add = i < 16 ? kOrder[i] : i == 31 ? 0x10U : 0U;
    const unsigned sum = signature[32 + i] + add + carry;
    signature[32 + i] = static_cast<std::uint8_t>(sum & 0xFFU);
    carry = sum >> 8;
  }
  EXPECT_FALSE(key.public_key().verify("message", view(signature)));
}

TEST(Ed25519, KeysOfSmallOrderOrInAnotherSpellingAreRefused) {
  struct Case {
    const char* why;
    const char* key;
  };
  for (const auto& [why, key] :
       {Case{"order 1", "0100000000000000000000000000000000000000000000000000000000000000"},
        Case{"order 1, sign set",
             "0100000000000000000000000000000000000000000000000000000000000080"},
        Case{"order 2", "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"},
        Case{"order 4", "0000000000000000000000000000000000000000000000000000000000000000"},
        Case{"order 8", "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"},
        Case{"order 8, sign set",
             "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa"},
        Case{"p, which is 0", "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"},
        Case{"p + 1, which is 1",
             "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"},
        Case{"p + 3", "f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"},
        Case{"31 bytes", "01000000000000000000000000000000000000000000000000000000000000"}}) {
    EXPECT_FALSE(PublicKey::from_bytes(unhex(key))) << why;
  }
}

TEST(Ed25519, PemFormsAreThoseOfRfc8410) {
  // The example keys of RFC 8410 section 10.
  const char* private_pem =
      "-----BEGIN PRIVATE KEY-----\n"
      "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n"
      "-----END PRIVATE KEY-----\n";
  const char* public_pem =
      "-----BEGIN PUBLIC KEY-----\n"
      "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n"
      "-----END PUBLIC KEY-----\n";
  const auto key = PrivateKey::from_pem(private_pem);
  ASSERT_TRUE(key) << key.error().to_string();
  EXPECT_EQ(key->pem(), private_pem);
  EXPECT_EQ(key->public_key().pem(), public_pem);
  const auto read = PublicKey::from_pem(public_pem);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, key->public_key());
  EXPECT_EQ(read->key_id().size(), 64U);

  struct Case {
    const char* why;
    std::string text;
  };
  const std::string pem = private_pem;
  for (const auto& [why, text] :
       {Case{"a public key", public_pem}, Case{"nothing", ""},
        Case{"text before it", "note\n" + pem}, Case{"two keys", pem + pem},
        Case{"cut", pem.substr(0, pem.size() - 3)},
        Case{"only the lines", "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n"},
        Case{"the lines overlap", "-----BEGIN PRIVATE KEY-----END PRIVATE KEY-----"},
        Case{"encrypted",
             "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMA==\n-----END ENCRYPTED PRIVATE KEY-----\n"},
        Case{"another algorithm",
             "-----BEGIN PRIVATE KEY-----\n"
             "MC4CAQAwBQYDK2VuBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n"
             "-----END PRIVATE KEY-----\n"}}) {
    EXPECT_FALSE(PrivateKey::from_pem(text)) << why;
  }
}

}  // namespace
}  // namespace ki::sign
