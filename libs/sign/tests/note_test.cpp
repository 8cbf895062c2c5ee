#include "ki/sign/note.h"

#include <gtest/gtest.h>

#include <string>

namespace ki::sign {
namespace {

constexpr const char* kName = "example.org/ki-log";
constexpr const char* kText =
    "example.org/ki-log\n300\n56/ILTiUT8eTBUUygJHUWCMojB9zTL2sBjlnE+vUtdU=\n";
constexpr const char* kVkey =
    "example.org/ki-log+4e39949d+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4";

PrivateKey vector_key() {
  std::string seed;
  for (int i = 0; i < 32; ++i) seed += static_cast<char>(i);
  return *PrivateKey::from_seed(seed);
}

TEST(Notes, AreWrittenAsTheVectorIs) {
  Note note{.text = kText, .signatures = {*sign_note(kText, kName, vector_key())}};
  const std::string bytes = write_note(note);
  EXPECT_EQ(bytes, std::string(kText) +
                       "\n\u2014 example.org/ki-log "
                       "TjmUncMrkf3iV7tp9oItF2mRUzb+"
                       "49VodB2eMGTh1rPikdFigBUKjcxpDPPhNeEuNVrqzetEaSKkxJur3IC+752nlwI="
                       "\n");
  const auto known = NoteVerifier::make(kName, vector_key().public_key());
  ASSERT_TRUE(known);
  EXPECT_EQ(known->vkey(), kVkey);
  const auto read = read_note(bytes);
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(read->text, kText);
  const auto verified = verify_note(*read, std::vector{*known});
  ASSERT_TRUE(verified) << verified.error().to_string();
  EXPECT_EQ(verified->size(), 1U);
}

TEST(Notes, UnknownKeysArePassedOverAndAKnownKeyThatFailsRefusesTheNote) {
  const PrivateKey other = PrivateKey::generate();
  const auto known = *NoteVerifier::parse(kVkey);
  const NoteSignature good = *sign_note(kText, kName, vector_key());
  const NoteSignature unknown = *sign_note(kText, "example.org/witness", other);
  EXPECT_EQ(verify_note({kText, {unknown, good, good}}, std::vector{known})->size(), 1U)
      << "each key once";
  EXPECT_FALSE(verify_note({kText, {unknown}}, std::vector{known})) << "nobody known signed";
  NoteSignature forged = good;
  forged.bytes[3] = static_cast<char>(forged.bytes[3] ^ 1);
  EXPECT_FALSE(verify_note({kText, {good, forged}}, std::vector{known}));
  const NoteSignature renamed{"example.org/ki-lOg", good.id, good.bytes};
  EXPECT_FALSE(verify_note({kText, {renamed}}, std::vector{known})) << "same key, another name";
  NoteSignature same_name = *sign_note(kText, kName, other);
  EXPECT_FALSE(verify_note({kText, {same_name}}, std::vector{known})) << "another key, same name";
  same_name.id = good.id;
  EXPECT_FALSE(verify_note({kText, {same_name}}, std::vector{known})) << "and with its id";
}

TEST(Notes, ACosignatureSignsTheTimeToo) {
  const PrivateKey key = PrivateKey::generate();
  const auto known =
      *NoteVerifier::make("example.org/witness", key.public_key(), NoteKeyType::kCosignature);
  NoteSignature one = *cosign_note(kText, "example.org/witness", key, 1'788'000'000);
  const auto verified = verify_note({kText, {one}}, std::vector{known});
  ASSERT_TRUE(verified);
  EXPECT_EQ(verified->front().cosigned_at, 1'788'000'000U);
  one.bytes[7] = static_cast<char>(one.bytes[7] ^ 1);
  EXPECT_FALSE(verify_note({kText, {one}}, std::vector{known})) << "another second";
  EXPECT_NE(known.id(), NoteVerifier::make("example.org/witness", key.public_key())->id())
      << "the type is part of the id";
  EXPECT_EQ(NoteVerifier::parse(known.vkey()), known);
}

TEST(Notes, RefuseEveryOtherForm) {
  const std::string good = write_note({kText, {*sign_note(kText, kName, vector_key())}});
  const std::size_t line = good.find("\n\u2014") + 1;
  struct Case {
    const char* why;
    std::string bytes;
  };
  for (const auto& [why, bytes] :
       {Case{"empty", ""}, Case{"no empty line", kText},
        Case{"no signature", std::string(kText) + "\n"},
        Case{"no line end at the end", good.substr(0, good.size() - 1)},
        Case{"a carriage return", "a\r\n" + good}, Case{"a tab", "a\tb\n" + good},
        Case{"invalid UTF-8", "\xff\n" + good},
        Case{"a hyphen as dash", std::string(kText) + "\n- a AAAAAAA=\n"},
        Case{"no name", good.substr(0, line) + "\u2014  AAAAAAA=\n"},
        Case{"a plus in the name", good.substr(0, line) + "\u2014 a+b AAAAAAA=\n"},
        Case{"a no-break space in the name", good.substr(0, line) + "\u2014 a\u00a0b AAAAAAA=\n"},
        Case{"no base64", good.substr(0, line) + "\u2014 a AAAA%AA=\n"},
        Case{"an id alone", good.substr(0, line) + "\u2014 a AAAAAA==\n"},
        Case{"a line after the signatures", good + "x\n"}}) {
    EXPECT_FALSE(read_note(bytes)) << why;
  }
  EXPECT_TRUE(read_note("a\n\nb\n\n" + good.substr(line))) << "the last empty line splits";
  for (const char* vkey :
       {"", "a", "a+1+2", "a b+4e39949d+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4",
        "example.org/ki-log+4E39949D+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4",
        "example.org/ki-lo+4e39949d+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4",
        "example.org/ki-log+4e39949d+BgOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4"}) {
    EXPECT_FALSE(NoteVerifier::parse(vkey)) << vkey;
  }
}

}  // namespace
}  // namespace ki::sign
