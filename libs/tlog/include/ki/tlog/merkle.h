// The Merkle tree of an append-only log (RFC 6962 section 2.1, SHA-256): hashes and proofs.
#pragma once

#include "ki/base/result.h"
#include "ki/digest/digest.h"

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace ki::tlog {

Digest leaf_hash(std::string_view entry);
Digest node_hash(const Digest& left, const Digest& right);
Digest empty_root();  // of a tree without leaves

// The root of the complete subtree of 2^level leaves that begins at leaf index * 2^level.
using ReadHash = std::function<Result<Digest>(unsigned level, std::uint64_t index)>;

// The root of the first `size` leaves.
Result<Digest> tree_root(std::uint64_t size, const ReadHash& read);
// From the leaf's level up. kInvalidArgument unless index < size.
Result<std::vector<Digest>> inclusion_proof(std::uint64_t index, std::uint64_t size,
                                            const ReadHash& read);
// From old_size to size. kInvalidArgument unless 0 < old_size <= size; empty for equal sizes.
Result<std::vector<Digest>> consistency_proof(std::uint64_t old_size, std::uint64_t size,
                                              const ReadHash& read);

// An error says what does not hold; a proof longer or shorter than the exact length is refused.
Result<void> check_inclusion(const std::vector<Digest>& proof, std::uint64_t index,
                             const Digest& leaf, std::uint64_t size, const Digest& root);
Result<void> check_consistency(const std::vector<Digest>& proof, std::uint64_t old_size,
                               const Digest& old_root, std::uint64_t size, const Digest& root);

// A tree that grows: the roots of its complete subtrees, one for each one bit of its size.
class Frontier {
 public:
  Frontier() = default;
  // Of a tree of which the complete subtrees can be read.
  static Result<Frontier> read(std::uint64_t size, const ReadHash& read);

  // Calls emit(level, index, hash) for the leaf and for each subtree that it completes.
  void append(const Digest& leaf,
              const std::function<void(unsigned, std::uint64_t, const Digest&)>& emit = {});
  std::uint64_t size() const { return size_; }
  Digest root() const;
  // Of the complete subtrees, the largest first: what read() asks for, in its order.
  const std::vector<Digest>& roots() const { return roots_; }

 private:
  std::uint64_t size_ = 0;
  std::vector<Digest> roots_;  // of the largest subtree first
};

}  // namespace ki::tlog
