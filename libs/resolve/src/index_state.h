// What a SearchIndex holds: names as sequences of words, words to operations, whole names to
// operations, and the natural order.
#pragma once

#include "ki/resolve/search_index.h"
#include "vocabulary.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::resolve {

enum class NameKind : std::uint8_t { kSlug, kAlias, kName };

// One name of an operation as words. `shown_from` words at its start are not shown (a leading
// number of a stored name).
struct NameField {
  std::uint32_t first = 0;  // in State::sequence
  std::uint16_t count = 0;
  NameKind kind = NameKind::kSlug;
  std::uint8_t shown_from = 0;
};

struct Posting {
  std::uint32_t operation : 31;
  std::uint32_t is_weak : 1;  // only in the family or a tag
};

// A whole name without its separators.
struct WholeName {
  std::uint64_t hash = 0;
  Index operation = kNone;
  std::uint32_t field = 0;
  std::uint8_t skipped = 0;  // words left out at the start
};

struct SearchIndex::State {
  explicit State(const catalog::Snapshot& s) : snapshot(s) {}

  const catalog::Snapshot& snapshot;
  Vocabulary vocabulary;
  std::vector<WordId> sequence;
  std::vector<NameField> fields;
  std::vector<std::uint32_t> operation_fields;  // first field of each operation, and the end
  std::vector<std::uint32_t> posting_starts;    // of each word, and the end
  std::vector<Posting> postings;                // by operation within a word
  std::vector<WholeName> whole_names;
  std::vector<std::uint32_t> whole_slots;  // hash -> position in whole_names, open addressing
  std::vector<std::uint32_t> natural_positions;
  std::vector<Index> natural;
  std::vector<Family> families;
  std::vector<std::vector<Index>> oldest;   // by family, in the order of `families`
  std::vector<std::uint32_t> family_slots;  // by NameId: position in `families`, or kNoWord

  std::span<const NameField> fields_of(Index operation) const {
    return std::span(fields).subspan(operation_fields[operation],
                                     operation_fields[operation + 1] - operation_fields[operation]);
  }
  std::span<const WordId> words_of(const NameField& field) const {
    return std::span(sequence).subspan(field.first, field.count);
  }
  std::span<const Posting> postings_of(WordId word) const {
    return std::span(postings).subspan(posting_starts[word],
                                       posting_starts[word + 1] - posting_starts[word]);
  }

  void build();
  void order_naturally();
  void count_families();
  // Appends the operations of which `compact` (letters and digits only) is a whole name.
  void find_whole(std::string_view compact, std::vector<const WholeName*>& found) const;
};

}  // namespace ki::resolve
