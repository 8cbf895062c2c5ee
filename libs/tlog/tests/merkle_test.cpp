#include "ki/tlog/merkle.h"

#include "ki/base/base64.h"
#include "tree.h"

#include <gtest/gtest.h>

namespace ki::tlog {
namespace {

using testing::entry_text;
using testing::plain_root;
using testing::Tree;

std::string text(const Digest& digest) { return base64(digest.view()); }

TEST(Merkle, RootsAreThoseOfTheVectors) {
  const Tree tree(300);
  EXPECT_EQ(leaf_hash("leaf 0").hex(),
            "1bb97dcc21635d47e2663efdfd0a174686d98dd701352dd2cd06e8b43fd3d305");
  struct Case {
    std::uint64_t size;
    const char* root;
  };
  for (const auto& [size, root] : {Case{0, "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="},
                                   Case{1, "G7l9zCFjXUfiZj79/QoXRobZjdcBNS3SzQbotD/T0wU="},
                                   Case{2, "/F9riP+FVPdbsvnm85wxsZNtRLaSdu33sSBalVuXYeM="},
                                   Case{3, "1Pksj7uJcg6ztVZ3x9fvrd/rENEaGoSguo8aIzN/qpU="},
                                   Case{5, "NBUVmC1lDiNSDb1U1/zwr6G3DMOhakEdRk3JwayWwwE="},
                                   Case{256, "z17/2xHQknou31Ow5zx4N/ZZQU4AU32l2Q61xMSf8nQ="},
                                   Case{300, "56/ILTiUT8eTBUUygJHUWCMojB9zTL2sBjlnE+vUtdU="}}) {
    EXPECT_EQ(text(*tree_root(size, tree.reader())), root) << size;
  }
  EXPECT_EQ(text(tree.frontier().root()), "56/ILTiUT8eTBUUygJHUWCMojB9zTL2sBjlnE+vUtdU=");
}

TEST(Merkle, ProofsAreThoseOfTheVectors) {
  const Tree tree(300);
  const auto proof = *inclusion_proof(257, 300, tree.reader());
  ASSERT_EQ(proof.size(), 7U);
  EXPECT_EQ(text(proof.front()), "lVXli2LZ+J1czWRiKj189v2hRXNHNjyaTObWIuUek9k=");
  EXPECT_EQ(text(proof.back()), "z17/2xHQknou31Ow5zx4N/ZZQU4AU32l2Q61xMSf8nQ=");
  EXPECT_EQ(consistency_proof(256, 300, tree.reader())->size(), 1U);
  EXPECT_EQ(consistency_proof(200, 300, tree.reader())->size(), 7U);
}

TEST(Merkle, EveryProofOfEverySmallTreeHoldsAndNoOtherLength) {
  const Tree tree(70);
  std::vector<Digest> roots;
  for (std::uint64_t size = 0; size <= 70; ++size) {
    roots.push_back(plain_root(0, size));
    EXPECT_EQ(*tree_root(size, tree.reader()), roots.back()) << size;
  }
  for (std::uint64_t size = 1; size <= 70; ++size) {
    for (std::uint64_t index = 0; index < size; ++index) {
      auto proof = *inclusion_proof(index, size, tree.reader());
      const Digest leaf = leaf_hash(entry_text(index));
      const auto good = check_inclusion(proof, index, leaf, size, roots[size]);
      EXPECT_TRUE(good) << index << " in " << size << ": " << good.error().to_string();
      proof.push_back(roots[size]);
      EXPECT_FALSE(check_inclusion(proof, index, leaf, size, roots[size]));
      proof.pop_back();
      if (!proof.empty()) {
        proof.pop_back();
        EXPECT_FALSE(check_inclusion(proof, index, leaf, size, roots[size]));
      }
    }
    for (std::uint64_t old = 1; old <= size; ++old) {
      auto proof = *consistency_proof(old, size, tree.reader());
      const auto good = check_consistency(proof, old, roots[old], size, roots[size]);
      EXPECT_TRUE(good) << old << " to " << size << ": " << good.error().to_string();
      proof.push_back(roots[old]);
      EXPECT_FALSE(check_consistency(proof, old, roots[old], size, roots[size]));
      proof.pop_back();
      if (!proof.empty()) {
        proof.pop_back();
        EXPECT_FALSE(check_consistency(proof, old, roots[old], size, roots[size]));
      }
    }
  }
}

TEST(Merkle, WhatIsOutsideTheLogHasNoProof) {
  const Tree tree(5);
  EXPECT_FALSE(inclusion_proof(5, 5, tree.reader()));
  EXPECT_FALSE(inclusion_proof(0, 0, tree.reader()));
  EXPECT_FALSE(consistency_proof(0, 5, tree.reader()));
  EXPECT_FALSE(consistency_proof(6, 5, tree.reader()));
  EXPECT_FALSE(check_consistency({}, 3, plain_root(0, 3), 3, plain_root(0, 2))) << "a fork";
}

TEST(Merkle, AFrontierReadBackGrowsAsTheOneThatWasKept) {
  for (std::uint64_t size : {0, 1, 2, 3, 7, 8, 64, 69}) {
    const Tree tree(size);
    Frontier kept = tree.frontier();
    auto read = *Frontier::read(size, tree.reader());
    EXPECT_EQ(read.root(), kept.root());
    for (std::uint64_t i = size; i < size + 5; ++i) {
      kept.append(leaf_hash(entry_text(i)));
      read.append(leaf_hash(entry_text(i)));
    }
    EXPECT_EQ(read.root(), kept.root());
    EXPECT_EQ(read.root(), plain_root(0, size + 5));
  }
}

}  // namespace
}  // namespace ki::tlog
