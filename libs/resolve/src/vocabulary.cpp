#include "vocabulary.h"

#include "ki/base/text.h"
#include "words.h"

#include <algorithm>
#include <bit>

namespace ki::resolve {
namespace {

constexpr std::size_t kFirstSlots = 1024;

// Which letters and digits occur. One edit changes at most two bits of it.
std::uint64_t letters_of(std::string_view word) {
  std::uint64_t letters = 0;
  for (const char c : word) {
    const unsigned bit = is_ascii_digit(c)   ? static_cast<unsigned>(c - '0')
                         : is_ascii_lower(c) ? static_cast<unsigned>(c - 'a') + 10
                                             : 36;
    letters |= std::uint64_t{1} << bit;
  }
  return letters;
}

// The first eight bytes as a number that orders like the text.
std::uint64_t prefix_of(std::string_view text) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    value = value << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0);
  }
  return value;
}

}  // namespace

Vocabulary::Vocabulary() : slots_(kFirstSlots, kNoWord) {}

WordId Vocabulary::find(std::string_view word) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash_bytes(word) & mask; slots_[at] != kNoWord; at = (at + 1) & mask) {
    if (text(slots_[at]) == word) return slots_[at];
  }
  return kNoWord;
}

WordId Vocabulary::add(std::string_view word) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash_bytes(word) & mask;
  for (; slots_[at] != kNoWord; at = (at + 1) & mask) {
    if (text(slots_[at]) == word) return slots_[at];
  }
  const auto id = static_cast<WordId>(words_.size());
  words_.push_back(
      {static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(word.size())});
  text_.insert(text_.end(), word.begin(), word.end());
  letters_.push_back(letters_of(word));
  slots_[at] = id;
  if (2 * words_.size() > slots_.size()) grow();
  return id;
}

void Vocabulary::grow() {
  slots_.assign(slots_.size() * 2, kNoWord);
  const std::size_t mask = slots_.size() - 1;
  for (WordId id = 0; id < words_.size(); ++id) {
    std::size_t at = hash_bytes(text(id)) & mask;
    while (slots_[at] != kNoWord) at = (at + 1) & mask;
    slots_[at] = id;
  }
}

void Vocabulary::finish() {
  struct Key {
    std::uint64_t prefix;
    WordId id;
  };
  std::vector<Key> keys;
  keys.reserve(words_.size());
  for (WordId id = 0; id < words_.size(); ++id) keys.push_back({prefix_of(text(id)), id});
  std::sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) {
    return a.prefix != b.prefix ? a.prefix < b.prefix : text(a.id) < text(b.id);
  });
  sorted_.clear();
  sorted_.reserve(keys.size());
  for (const Key& key : keys) sorted_.push_back(key.id);
}

std::span<const WordId> Vocabulary::with_prefix(std::string_view prefix) const {
  const auto begins_before = [&](WordId id, std::string_view p) {
    return text(id).substr(0, p.size()) < p;
  };
  const auto begins_after = [&](std::string_view p, WordId id) {
    return p < text(id).substr(0, p.size());
  };
  const auto first = std::lower_bound(sorted_.begin(), sorted_.end(), prefix, begins_before);
  const auto last = std::upper_bound(first, sorted_.end(), prefix, begins_after);
  return {first, last};
}

void Vocabulary::near(std::string_view word, std::vector<Near>& found) const {
  found.clear();
  if (word.size() < 4 || is_number(word)) return;
  std::size_t limit = word.size() < 8 ? 1 : 2;
  const std::uint64_t letters = letters_of(word);
  for (WordId id = 0; id < words_.size(); ++id) {
    if (static_cast<std::size_t>(std::popcount(letters ^ letters_[id])) > 2 * limit) continue;
    const std::size_t length = words_[id].length;
    if (length + limit < word.size() || word.size() + limit < length) continue;
    const std::size_t distance = edit_distance(word, text(id), limit);
    if (distance > limit) continue;
    if (distance < limit) {
      limit = distance;
      found.clear();
    }
    found.push_back({id, static_cast<std::uint32_t>(distance)});
  }
}

std::size_t Vocabulary::memory_bytes() const {
  return text_.capacity() + words_.capacity() * sizeof(Word) + letters_.capacity() * 8 +
         (slots_.capacity() + sorted_.capacity()) * sizeof(WordId);
}

}  // namespace ki::resolve
