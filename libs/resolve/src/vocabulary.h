// Vocabulary: the distinct words of all names, found as typed, by prefix, by suffix, or with a
// letter or two corrected.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ki::resolve {

using WordId = std::uint32_t;
inline constexpr WordId kNoWord = 0xFFFFFFFF;

class Vocabulary {
 public:
  Vocabulary();

  WordId add(std::string_view word);         // the word's id, new or old
  WordId find(std::string_view word) const;  // kNoWord when there is none
  // Sorts; call once, after the last add().
  void finish();

  std::size_t size() const { return words_.size(); }
  std::string_view text(WordId id) const {
    return {text_.data() + words_[id].offset, words_[id].length};
  }

  // Words that begin with `prefix`, in byte order. The word itself is one of them.
  std::span<const WordId> with_prefix(std::string_view prefix) const;

  struct Near {
    WordId word = kNoWord;
    std::uint32_t distance = 0;
  };
  // Replaces `found` by the words at the smallest distance from `word` (optimal string alignment),
  // at most 1 for words under eight letters and 2 above; none for words under four letters.
  void near(std::string_view word, std::vector<Near>& found) const;

  // Calls visit(id) for each word of which `part` is a proper suffix.
  template <class Visit>
  void with_suffix(std::string_view part, Visit&& visit) const {
    for (WordId id = 0; id < words_.size(); ++id) {
      if (words_[id].length > part.size() && text(id).ends_with(part)) visit(id);
    }
  }
  // Calls visit(id) for each word that contains `part`.
  template <class Visit>
  void containing(std::string_view part, Visit&& visit) const {
    for (WordId id = 0; id < words_.size(); ++id) {
      if (words_[id].length >= part.size() && text(id).find(part) != std::string_view::npos)
        visit(id);
    }
  }

  std::size_t memory_bytes() const;

 private:
  struct Word {
    std::uint32_t offset = 0;
    std::uint32_t length = 0;
  };
  void grow();

  std::vector<char> text_;
  std::vector<Word> words_;
  std::vector<std::uint64_t> letters_;  // bit per letter and digit of the word
  std::vector<WordId> slots_;           // open addressing
  std::vector<WordId> sorted_;
};

}  // namespace ki::resolve
