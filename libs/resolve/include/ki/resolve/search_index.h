// SearchIndex: which operations a text means (spec 05.4, 05.13). Built once per snapshot, in
// memory, deterministic: the same snapshot and the same words give the same hits in the same order.
#pragma once

#include "ki/catalog/snapshot.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::resolve {

using catalog::Index;
using catalog::kNone;

// Why an operation is a hit, best first.
enum class Reason : std::uint8_t {
  kId,         // its id or digest
  kSlug,       // its slug, in any spelling: "gemm n4096 k4096"
  kAlias,      // an alias, in any spelling
  kName,       // its name as stored or as shown
  kPhrase,     // the words stand together, in this order, in one of its names
  kAllWords,   // every word is a word of its names
  kPrefix,     // every word is a word or the beginning of one
  kPart,       // every word is at least a part of one
  kTypo,       // every word, if a letter or two are corrected
  kFamily,     // every word, some only through its family or a tag
  kSomeWords,  // some of the words
  kListed,     // no word asked for: it is of the family or model asked for
};
std::string_view to_string(Reason reason);  // "slug", "all words", ...

struct Hit {
  Index operation = kNone;
  Reason reason = Reason::kAllWords;
  float score = 0;          // orders hits of one reason; larger is better
  std::uint32_t words = 0;  // bit i: the i-th word of the query was found
};

enum class WordUse : std::uint8_t {
  kRequired,
  kFacet,  // also a filter ("fp8"): part of the name where that helps, never required
  kStop,   // says nothing ("with", "kernel"), but may stand in a name
};

// One word or quoted phrase that was asked for, lower case.
struct Wanted {
  std::string_view text;
  WordUse use = WordUse::kRequired;
  bool is_phrase = false;  // its words must stand together
};

struct Search {
  std::span<const Wanted> wanted;  // in the order typed; at most 32 words are looked at
  std::string_view family;         // only operations of this family; empty: all
  std::string_view model;          // only operations tagged "model:<model>"; empty: all
  bool only_exact_if_any = false;  // stop at the first operation that is named exactly
  bool only_whole_words = false;   // no beginnings, parts or corrected spellings
  std::size_t sorted = SIZE_MAX;   // how many of the best hits must stand in order
};

// How a word was read when nothing has it as typed.
struct Correction {
  std::string typed;
  std::string read_as;  // the closest word that some operation has
};

struct SearchResult {
  std::vector<Hit> hits;  // best first, as far as asked for; every hit found, none cut
  std::vector<Correction> corrections;
  bool is_dominant = false;  // the first hit is what was meant
  // Bit i: some operation has the i-th word, whether or not it is a hit.
  std::uint32_t known_words = 0;
};

struct Suggestion {
  Index operation = kNone;
  std::uint8_t tier = 0;  // 4 name starts with it · 3 words start with it · 2 contains it · 1 parts
};

// Working memory of searches; one per thread, reused.
class SearchScratch {
 public:
  struct State;  // internal
  SearchScratch();
  ~SearchScratch();
  SearchScratch(SearchScratch&&) noexcept;
  SearchScratch& operator=(SearchScratch&&) noexcept;

 private:
  friend class SearchIndex;
  std::unique_ptr<State> state_;
};

class SearchIndex {
 public:
  struct State;  // internal
  // The snapshot must outlive the index.
  explicit SearchIndex(const catalog::Snapshot& snapshot);
  ~SearchIndex();
  SearchIndex(SearchIndex&&) noexcept;
  SearchIndex& operator=(SearchIndex&&) noexcept;

  // Without words: the operations of the family or model, else nothing.
  void search(const Search& search, SearchScratch& scratch, SearchResult& result) const;

  // Operations for a text that is being typed: tier, then runs, then name; at most `limit`.
  std::vector<Suggestion> suggest(std::string_view text, std::size_t limit = 8) const;

  // Position of an operation in the order (family, name), numbers by value, case ignored.
  std::uint32_t natural_position(Index operation) const;
  // All operations in that order.
  std::span<const Index> natural_order() const;

  // Families by number of eligible runs, then name.
  struct Family {
    catalog::NameId name = 0;
    std::uint32_t operations = 0;
    std::uint32_t runs = 0;
  };
  std::span<const Family> families() const;
  // The operations of a family that were published first, at most seven, in that order.
  std::span<const Index> oldest_of_family(catalog::NameId family) const;

  std::size_t memory_bytes() const;

 private:
  std::unique_ptr<State> state_;
};

// The name that people see, in lower case: without a leading number, '_' as space (spec 13.2).
std::string searchable_name(std::string_view raw);

}  // namespace ki::resolve
