// No altered proof, checkpoint or tile is accepted: at least 5,000 of each structured change.
#include "ki/base/base64.h"
#include "ki/tlog/checkpoint.h"
#include "tree.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace ki::tlog {
namespace {

using testing::entry_text;
using testing::Tree;

constexpr int kEach = 5000;
constexpr std::uint64_t kSize = 700;

class Mutations : public ::testing::Test {
 protected:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  Digest root(std::uint64_t size) const { return *tree().frontier_root(size); }

  struct World : Tree {
    World() : Tree(kSize) {
      for (std::uint64_t size = 0; size <= kSize; ++size)
        roots.push_back(*tree_root(size, reader()));
    }
    const Digest* frontier_root(std::uint64_t size) const { return &roots[size]; }
    std::vector<Digest> roots;
  };
  static const World& tree() {
    static const World kWorld;
    return kWorld;
  }
  std::mt19937_64 random_{20261201};
};

TEST_F(Mutations, OfInclusionProofs) {
  struct Proof {
    std::vector<Digest> hashes;
    std::uint64_t index, size;
    Digest leaf, root;
  };
  struct Change {
    const char* what;
    std::function<bool(Proof&)> apply;  // false: this proof cannot be changed so
  };
  const std::vector<Change> changes = {
      {"index + 1", [](Proof& p) { return ++p.index, true; }},
      {"index - 1", [](Proof& p) { return p.index-- != 0; }},
      {"a hash more", [this](Proof& p) { return p.hashes.push_back(root(below(kSize))), true; }},
      {"a hash more at the leaf",
       [this](Proof& p) { return p.hashes.insert(p.hashes.begin(), root(below(kSize))), true; }},
      {"a hash fewer", [](Proof& p) { return !p.hashes.empty() && (p.hashes.pop_back(), true); }},
      {"siblings swapped",
       [this](Proof& p) {
         if (p.hashes.size() < 2) return false;
         const std::size_t i = below(p.hashes.size() - 1);
         std::swap(p.hashes[i], p.hashes[i + 1]);
         return true;
       }},
      {"a bit of a hash",
       [this](Proof& p) {
         if (p.hashes.empty()) return false;
         Digest& hash = p.hashes[below(p.hashes.size())];
         auto bytes = hash.bytes();
         bytes[below(32)] ^= static_cast<std::uint8_t>(1U << below(8));
         hash = Digest(bytes);
         return true;
       }},
      {"the prefix of a node on a leaf",
       [](Proof& p) {
         p.leaf = Digest::of("\1" + entry_text(p.index));
         return true;
       }},
      {"no prefix on a leaf",
       [](Proof& p) { return p.leaf = Digest::of(entry_text(p.index)), true; }},
      {"a node as a leaf",
       [](Proof& p) {
         if (p.hashes.size() < 2) return false;
         p.leaf =
             (p.index & 1U) != 0 ? node_hash(p.hashes[0], p.leaf) : node_hash(p.leaf, p.hashes[0]);
         p.hashes.erase(p.hashes.begin());
         p.index /= 2;
         return true;
       }},
      {"a stale checkpoint",
       [this](Proof& p) {
         if (p.size == kSize) return false;
         p.root = root(p.size + 1 + below(kSize - p.size));
         return true;
       }},
      {"another entry",
       [](Proof& p) { return p.leaf = leaf_hash(entry_text(p.index) + "x"), true; }},
  };
  for (const Change& change : changes) {
    int done = 0;
    while (done < kEach) {
      Proof proof{{}, 0, 1 + below(kSize), Digest::of(""), Digest::of("")};
      proof.index = below(proof.size);
      proof.hashes = *inclusion_proof(proof.index, proof.size, tree().reader());
      proof.leaf = leaf_hash(entry_text(proof.index));
      proof.root = root(proof.size);
      if (!change.apply(proof)) continue;
      ++done;
      ASSERT_FALSE(check_inclusion(proof.hashes, proof.index, proof.leaf, proof.size, proof.root))
          << change.what << ", entry " << proof.index << " of " << proof.size;
    }
  }
}

// A size one off is refused, unless the path of the entry is the same in both trees; then the root
// still binds the size, as it is signed with it.
TEST_F(Mutations, OfTheSizeOfAnInclusionProof) {
  for (int i = 0; i < kEach; ++i) {
    const std::uint64_t size = 2 + below(kSize - 2);
    const std::uint64_t index = below(size - 1);
    const auto proof = *inclusion_proof(index, size, tree().reader());
    const Digest leaf = leaf_hash(entry_text(index));
    for (const std::uint64_t other : {size - 1, size + 1}) {
      ASSERT_FALSE(check_inclusion(proof, index, leaf, other, root(other)))
          << index << " of " << size << " as " << other;
    }
  }
}

TEST_F(Mutations, OfConsistencyProofs) {
  struct Proof {
    std::vector<Digest> hashes;
    std::uint64_t old_size, size;
    Digest old_root, root;
  };
  struct Change {
    const char* what;
    std::function<bool(Proof&)> apply;
  };
  const std::vector<Change> changes = {
      {"old size + 1",
       [this](Proof& p) {
         if (p.old_size >= p.size) return false;
         p.old_root = root(++p.old_size);
         return true;
       }},
      {"old size - 1",
       [this](Proof& p) {
         if (p.old_size < 2) return false;
         p.old_root = root(--p.old_size);
         return true;
       }},
      {"size + 1",
       [this](Proof& p) {
         if (p.size >= kSize) return false;
         p.root = root(++p.size);
         return true;
       }},
      {"a hash more", [this](Proof& p) { return p.hashes.push_back(root(below(kSize))), true; }},
      {"a hash fewer", [](Proof& p) { return !p.hashes.empty() && (p.hashes.pop_back(), true); }},
      {"siblings swapped",
       [this](Proof& p) {
         if (p.hashes.size() < 2) return false;
         const std::size_t i = below(p.hashes.size() - 1);
         std::swap(p.hashes[i], p.hashes[i + 1]);
         return true;
       }},
      {"a bit of a hash",
       [this](Proof& p) {
         if (p.hashes.empty()) return false;
         Digest& hash = p.hashes[below(p.hashes.size())];
         auto bytes = hash.bytes();
         bytes[below(32)] ^= static_cast<std::uint8_t>(1U << below(8));
         hash = Digest(bytes);
         return true;
       }},
      {"a history rewritten",
       [](Proof& p) {
         p.old_root = Digest::of(p.old_root.view());
         return true;
       }},
  };
  for (const Change& change : changes) {
    int done = 0;
    while (done < kEach) {
      Proof proof{{}, 1 + below(kSize - 1), 0, Digest::of(""), Digest::of("")};
      proof.size = proof.old_size + 1 + below(kSize - proof.old_size);
      proof.hashes = *consistency_proof(proof.old_size, proof.size, tree().reader());
      proof.old_root = root(proof.old_size);
      proof.root = root(proof.size);
      if (!change.apply(proof)) continue;
      ++done;
      ASSERT_FALSE(
          check_consistency(proof.hashes, proof.old_size, proof.old_root, proof.size, proof.root))
          << change.what << ", " << proof.old_size << " to " << proof.size;
    }
  }
}

TEST_F(Mutations, OfASignedProofFile) {
  const auto key = sign::PrivateKey::generate();
  const std::string name = "example.org/log";
  const auto log = *sign::NoteVerifier::make(name, key.public_key());
  const std::string note = *sign_checkpoint({name, kSize, root(kSize)}, key);
  const EntryProof proof{
      .extra = {}, .index = 3, .hashes = *inclusion_proof(3, kSize, tree().reader()), .note = note};
  const std::string good = write_proof(proof);
  ASSERT_TRUE(verify_proof(*read_proof(good), entry_text(3), log));
  int accepted = 0;
  for (int i = 0; i < kEach; ++i) {
    std::string text = good;
    switch (i % 4) {
      case 0:
        text[below(text.size())] ^= static_cast<char>(1U << below(8));
        break;
      case 1:
        text.erase(below(text.size()), 1);
        break;
      case 2:
        text.insert(below(text.size()), 1, static_cast<char>(32 + below(90)));
        break;
      default:
        text.resize(below(text.size()));
    }
    if (text == good) continue;
    const auto read = read_proof(text);
    if (!read) continue;
    const auto verified = verify_proof(*read, entry_text(3), log);
    // What was not signed may change: nothing that is believed does.
    if (verified &&
        (verified->checkpoint != Checkpoint{name, kSize, root(kSize)} || read->index != 3))
      ++accepted;
  }
  EXPECT_EQ(accepted, 0);
}

TEST_F(Mutations, OfTheSignatureOfACheckpoint) {
  const auto key = sign::PrivateKey::generate();
  const auto other_key = sign::PrivateKey::generate();
  const std::string name = "example.org/log";
  const auto log = *sign::NoteVerifier::make(name, key.public_key());
  const std::string text = to_text({name, kSize, root(kSize)});
  const sign::NoteSignature good = *sign::sign_note(text, name, key);
  for (int i = 0; i < kEach; ++i) {
    sign::NoteSignature flipped = good;
    flipped.bytes[below(64)] ^= static_cast<char>(1U << below(8));
    ASSERT_FALSE(open_checkpoint(sign::write_note({text, {flipped}}), log));
    const std::string stale = to_text({name, below(kSize), root(kSize)});
    ASSERT_FALSE(open_checkpoint(sign::write_note({stale, {good}}), log))
        << "the signature of another size";
  }
  const sign::NoteSignature impostor = *sign::sign_note(text, name, other_key);
  EXPECT_FALSE(open_checkpoint(sign::write_note({text, {impostor}}), log));
  EXPECT_FALSE(open_checkpoint(
      sign::write_note({text, {*sign::sign_note(text, "example.org/l0g", key)}}), log));
  const auto twice = open_checkpoint(sign::write_note({text, {good, good}}), log);
  ASSERT_TRUE(twice);
  EXPECT_EQ(twice->signatures.size(), 1U) << "one key counts once";
}

TEST_F(Mutations, OfTiles) {
  const std::uint64_t size = kSize;
  for (int i = 0; i < kEach; ++i) {
    const std::uint64_t index = below(size);
    // A bit of the tile that holds the leaf's own hash changes: its proof no longer leads to the
    // root.
    const TileId changed = tile_of(0, index, size);
    const std::uint64_t at = (index % kTileWidth) ^ 1U;
    if (at >= changed.width) continue;
    const ReadHash read = hashes_of_tiles(size, [&](const TileId& id) -> Result<std::string> {
      KI_TRY(std::string bytes, tree().tiles()(id));
      if (id == changed) bytes[at * 32 + i % 32] ^= static_cast<char>(1U << (i / 32) % 8);
      return bytes;
    });
    const auto proof = *inclusion_proof(index, size, read);
    ASSERT_FALSE(check_inclusion(proof, index, leaf_hash(entry_text(index)), size, root(size)));
  }
}

}  // namespace
}  // namespace ki::tlog
