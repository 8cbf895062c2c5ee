#include "ki/tlog/merkle.h"

#include "ki/digest/sha256.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace ki::tlog {
namespace {

std::unexpected<Error> refuse(std::string message) {
  return fail(Code::kInvalidArgument, std::move(message));
}

// The largest power of two below n (n > 1).
std::uint64_t split_of(std::uint64_t n) { return std::bit_floor(n - 1); }

// The root of leaves [begin, end), which is a subtree of an RFC 6962 tree: begin is a multiple of
// the smallest power of two that holds it.
Result<Digest> range_root(std::uint64_t begin, std::uint64_t end, const ReadHash& read) {
  const std::uint64_t count = end - begin;
  if (std::has_single_bit(count)) {
    const auto level = static_cast<unsigned>(std::countr_zero(count));
    return read(level, begin >> level);
  }
  const std::uint64_t split = split_of(count);
  KI_TRY(const Digest left, range_root(begin, begin + split, read));
  KI_TRY(const Digest right, range_root(begin + split, end, read));
  return node_hash(left, right);
}

}  // namespace

Digest leaf_hash(std::string_view entry) {
  Sha256 hasher;
  hasher.update(std::string_view("\0", 1));
  hasher.update(entry);
  return hasher.finish();
}

Digest node_hash(const Digest& left, const Digest& right) {
  thread_local Sha256 hasher;
  hasher.update("\1");
  hasher.update(left.view());
  hasher.update(right.view());
  return hasher.finish();
}

Digest empty_root() { return Digest::of(""); }

Result<Digest> tree_root(std::uint64_t size, const ReadHash& read) {
  if (size == 0) return empty_root();
  return range_root(0, size, read);
}

Result<std::vector<Digest>> inclusion_proof(std::uint64_t index, std::uint64_t size,
                                            const ReadHash& read) {
  if (index >= size)
    return refuse(fmt::format("entry {} is not in a log of {} entries", index, size));
  std::vector<Digest> proof;
  std::uint64_t begin = 0;
  std::uint64_t end = size;
  while (end - begin > 1) {
    const std::uint64_t middle = begin + split_of(end - begin);
    const bool is_left = index < middle;
    KI_TRY(Digest sibling,
           is_left ? range_root(middle, end, read) : range_root(begin, middle, read));
    proof.push_back(sibling);
    (is_left ? end : begin) = middle;
  }
  std::ranges::reverse(proof);
  return proof;
}

Result<std::vector<Digest>> consistency_proof(std::uint64_t old_size, std::uint64_t size,
                                              const ReadHash& read) {
  if (old_size == 0 || old_size > size) {
    return refuse(
        fmt::format("a consistency proof leads from 1 to {} entries, not {}", size, old_size));
  }
  std::vector<Digest> proof;
  std::uint64_t begin = 0;
  std::uint64_t end = size;
  std::uint64_t old_end = old_size;
  bool is_whole = true;  // the old tree is all of what is looked at so far
  while (old_end != end) {
    const std::uint64_t middle = begin + split_of(end - begin);
    if (old_end <= middle) {
      KI_TRY(Digest right, range_root(middle, end, read));
      proof.push_back(right);
      end = middle;
    } else {
      KI_TRY(Digest left, range_root(begin, middle, read));
      proof.push_back(left);
      begin = middle;
      is_whole = false;
    }
  }
  if (!is_whole) {
    KI_TRY(Digest last, range_root(begin, end, read));
    proof.push_back(last);
  }
  std::ranges::reverse(proof);
  return proof;
}

Result<void> check_inclusion(const std::vector<Digest>& proof, std::uint64_t index,
                             const Digest& leaf, std::uint64_t size, const Digest& root) {
  if (index >= size)
    return refuse(fmt::format("entry {} is not in a log of {} entries", index, size));
  std::uint64_t at = index;
  std::uint64_t last = size - 1;
  Digest hash = leaf;
  for (const Digest& sibling : proof) {
    if (last == 0) return refuse("the inclusion proof is too long");
    if ((at & 1U) != 0 || at == last) {
      hash = node_hash(sibling, hash);
      // Levels at which the entry stands alone at the right edge have no sibling.
      while ((at & 1U) == 0) {
        at >>= 1U;
        last >>= 1U;
      }
    } else {
      hash = node_hash(hash, sibling);
    }
    at >>= 1U;
    last >>= 1U;
  }
  if (last != 0) return refuse("the inclusion proof is too short");
  if (hash != root) return refuse("the inclusion proof leads to another root");
  return {};
}

Result<void> check_consistency(const std::vector<Digest>& proof, std::uint64_t old_size,
                               const Digest& old_root, std::uint64_t size, const Digest& root) {
  if (old_size == 0 || old_size > size) {
    return refuse(
        fmt::format("a consistency proof leads from 1 to {} entries, not {}", size, old_size));
  }
  if (old_size == size) {
    if (!proof.empty()) return refuse("the consistency proof is too long");
    if (old_root != root) return refuse("two roots of one size differ: the log was forked");
    return {};
  }
  // A complete old tree is the first hash itself.
  const bool is_complete = std::has_single_bit(old_size);
  if (!is_complete && proof.empty()) return refuse("the consistency proof is too short");
  std::uint64_t at = old_size - 1;
  std::uint64_t last = size - 1;
  while ((at & 1U) != 0) {
    at >>= 1U;
    last >>= 1U;
  }
  Digest old_hash = is_complete ? old_root : proof.front();
  Digest hash = old_hash;
  for (std::size_t i = is_complete ? 0 : 1; i < proof.size(); ++i) {
    if (last == 0) return refuse("the consistency proof is too long");
    if ((at & 1U) != 0 || at == last) {
      old_hash = node_hash(proof[i], old_hash);
      hash = node_hash(proof[i], hash);
      while ((at & 1U) == 0 && at != 0) {
        at >>= 1U;
        last >>= 1U;
      }
    } else {
      hash = node_hash(hash, proof[i]);
    }
    at >>= 1U;
    last >>= 1U;
  }
  if (last != 0) return refuse("the consistency proof is too short");
  if (old_hash != old_root) return refuse("the consistency proof leads to another old root");
  if (hash != root) return refuse("the consistency proof leads to another root");
  return {};
}

Result<Frontier> Frontier::read(std::uint64_t size, const ReadHash& read) {
  Frontier frontier;
  frontier.size_ = size;
  std::uint64_t begin = 0;
  for (int bit = 63; bit >= 0; --bit) {
    if ((size >> bit & 1U) == 0) continue;
    const auto level = static_cast<unsigned>(bit);
    KI_TRY(Digest root, read(level, begin >> level));
    frontier.roots_.push_back(root);
    begin += std::uint64_t{1} << level;
  }
  return frontier;
}

void Frontier::append(const Digest& leaf,
                      const std::function<void(unsigned, std::uint64_t, const Digest&)>& emit) {
  Digest hash = leaf;
  std::uint64_t index = size_;
  unsigned level = 0;
  if (emit) emit(level, index, hash);
  while ((index & 1U) != 0) {
    hash = node_hash(roots_.back(), hash);
    roots_.pop_back();
    index >>= 1U;
    ++level;
    if (emit) emit(level, index, hash);
  }
  roots_.push_back(hash);
  ++size_;
}

Digest Frontier::root() const {
  if (roots_.empty()) return empty_root();
  Digest hash = roots_.back();
  for (std::size_t i = roots_.size() - 1; i-- > 0;) hash = node_hash(roots_[i], hash);
  return hash;
}

}  // namespace ki::tlog
