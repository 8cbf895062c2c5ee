#include "ki/tlog/checkpoint.h"

#include "tree.h"

#include <gtest/gtest.h>

namespace ki::tlog {
namespace {

using testing::entry_text;
using testing::Tree;

constexpr const char* kName = "example.org/ki-log";

sign::PrivateKey vector_key() {
  std::string seed;
  for (int i = 0; i < 32; ++i) seed += static_cast<char>(i);
  return *sign::PrivateKey::from_seed(seed);
}
sign::NoteVerifier vector_log() {
  return *sign::NoteVerifier::parse(
      "example.org/ki-log+4e39949d+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4");
}
std::string vector_note() {
  return *sign_checkpoint({kName, 300, Tree(300).frontier().root()}, vector_key());
}

TEST(Checkpoints, AreSignedAsTheVectorIs) {
  EXPECT_EQ(
      vector_note(),
      "example.org/ki-log\n300\n56/ILTiUT8eTBUUygJHUWCMojB9zTL2sBjlnE+vUtdU=\n\n"
      "\u2014 example.org/ki-log "
      "TjmUncMrkf3iV7tp9oItF2mRUzb+49VodB2eMGTh1rPikdFigBUKjcxpDPPhNeEuNVrqzetEaSKkxJur3IC+752nlwI="
      "\n");
  const auto opened = open_checkpoint(vector_note(), vector_log());
  ASSERT_TRUE(opened) << opened.error().to_string();
  EXPECT_EQ(opened->checkpoint.size, 300U);
}

TEST(Checkpoints, OfAnotherOriginOrSignedOnlyByAWitnessAreRefused) {
  const auto key = vector_key();
  EXPECT_FALSE(open_checkpoint(vector_note(),
                               *sign::NoteVerifier::make("example.org/other", key.public_key())));
  // The log's key under the log's name, over a text that names another origin.
  const std::string text = to_text({"example.org/other", 1, Digest::of("")});
  const std::string foreign = sign::write_note({text, {*sign::sign_note(text, kName, key)}});
  EXPECT_FALSE(open_checkpoint(foreign, vector_log()));
  const auto witness_key = sign::PrivateKey::generate();
  const auto witness = *sign::NoteVerifier::make("example.org/witness", witness_key.public_key(),
                                                 sign::NoteKeyType::kCosignature);
  const std::string own = to_text({kName, 1, Digest::of("")});
  const auto cosigned = *sign::cosign_note(own, "example.org/witness", witness_key, 1'788'000'000);
  EXPECT_FALSE(
      open_checkpoint(sign::write_note({own, {cosigned}}), vector_log(), std::vector{witness}));
  const auto both =
      open_checkpoint(sign::write_note({own, {cosigned, *sign::sign_note(own, kName, key)}}),
                      vector_log(), std::vector{witness});
  ASSERT_TRUE(both) << both.error().to_string();
  ASSERT_EQ(both->signatures.size(), 2U);
  EXPECT_EQ(both->signatures[0].name, kName) << "the log's first";
  EXPECT_EQ(both->signatures[1].cosigned_at, 1'788'000'000U);
}

TEST(Checkpoints, HaveThreeLinesInOneSpelling) {
  const std::string root = "56/ILTiUT8eTBUUygJHUWCMojB9zTL2sBjlnE+vUtdU=";
  EXPECT_TRUE(read_checkpoint_text("a\n0\n" + root + "\n"));
  struct Case {
    const char* why;
    std::string text;
  };
  for (const auto& [why, text] :
       {Case{"a leading zero", "a\n0300\n" + root + "\n"},
        Case{"a sign", "a\n+300\n" + root + "\n"}, Case{"no number", "a\n\n" + root + "\n"},
        Case{"too large", "a\n18446744073709551616\n" + root + "\n"},
        Case{"a short root", "a\n1\nAAAA\n"}, Case{"an extension", "a\n1\n" + root + "\nx\n"},
        Case{"no line end", "a\n1\n" + root}, Case{"no origin", "\n1\n" + root + "\n"},
        Case{"a space in the origin", "a b\n1\n" + root + "\n"}}) {
    EXPECT_FALSE(read_checkpoint_text(text)) << why;
  }
}

TEST(ProofFiles, ProveAnEntryOffline) {
  const Tree tree(300);
  const EntryProof proof{.extra = "",
                         .index = 257,
                         .hashes = *inclusion_proof(257, 300, tree.reader()),
                         .note = vector_note()};
  const std::string text = write_proof(proof);
  EXPECT_TRUE(text.starts_with("c2sp.org/tlog-proof@v1\nindex 257\nlVXli2LZ"));
  const auto read = read_proof(text);
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(*read, proof);
  EXPECT_TRUE(verify_proof(*read, entry_text(257), vector_log()));
  EXPECT_FALSE(verify_proof(*read, entry_text(258), vector_log()));
  EntryProof with_extra = proof;
  with_extra.extra = "what the log adds";
  EXPECT_EQ(*read_proof(write_proof(with_extra)), with_extra);
}

TEST(ProofFiles, InAnotherFormAreRefused) {
  const std::string note = vector_note();
  const std::string hash = "56/ILTiUT8eTBUUygJHUWCMojB9zTL2sBjlnE+vUtdU=\n";
  const std::string header = "c2sp.org/tlog-proof@v1\n";
  struct Case {
    const char* why;
    std::string text;
  };
  std::string many;
  for (int i = 0; i < 64; ++i) many += hash;
  for (const auto& [why, text] :
       {Case{"another version", "c2sp.org/tlog-proof@v2\nindex 0\n\n" + note},
        Case{"no index", header + "\n" + note},
        Case{"a leading zero", header + "index 01\n\n" + note},
        Case{"a short hash", header + "index 0\nAAAA\n\n" + note},
        Case{"64 hashes", header + "index 0\n" + many + "\n" + note},
        Case{"no checkpoint", header + "index 0\n\n"},
        Case{"no empty line", header + "index 0\n" + hash},
        Case{"empty extra", header + "extra \nindex 0\n\n" + note}}) {
    EXPECT_FALSE(read_proof(text)) << why;
  }
}

}  // namespace
}  // namespace ki::tlog
