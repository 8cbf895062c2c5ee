// Suggestions while a text is being typed (spec 05.13).
#include "index_state.h"
#include "ki/base/text.h"
#include "ki/resolve/search_index.h"
#include "words.h"

#include <algorithm>

namespace ki::resolve {
namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool has_word_prefix(std::string_view text, std::string_view prefix) {
  for (std::size_t at = text.find(prefix); at != std::string_view::npos;
       at = text.find(prefix, at + 1)) {
    if (at == 0 || text[at - 1] == ' ') return true;
  }
  return false;
}

class Tiers {
 public:
  Tiers(const catalog::Snapshot& snapshot, std::string_view phrase,
        std::span<const std::string_view> terms)
      : snapshot_(snapshot), phrase_(phrase), terms_(terms) {}

  // 0: no match.
  std::uint8_t of(Index operation) {
    const catalog::OperationRow& row = snapshot_.operations()[operation];
    shown_ = searchable_name(snapshot_.text(row.name));
    if (shown_.starts_with(phrase_)) return 4;
    if (all([&](std::string_view term) { return has_word_prefix(shown_, term); })) return 3;
    const auto in_alias = [&](std::string_view text) {
      return std::ranges::any_of(snapshot_.aliases(row), [&](catalog::TextRef alias) {
        return has(snapshot_.text(alias), text);
      });
    };
    if (has(shown_, phrase_) || in_alias(phrase_)) return 2;
    const bool is_part = all([&](std::string_view term) {
      return has(shown_, term) || has(snapshot_.text(row.slug), term) ||
             has(snapshot_.name(row.family), term) || in_alias(term);
    });
    return is_part ? 1 : 0;
  }

 private:
  template <class Holds>
  bool all(const Holds& holds) const {
    return std::ranges::all_of(terms_, holds);
  }

  const catalog::Snapshot& snapshot_;
  std::string_view phrase_;
  std::span<const std::string_view> terms_;
  std::string shown_;
};

}  // namespace

std::vector<Suggestion> SearchIndex::suggest(std::string_view text, std::size_t limit) const {
  const std::string lower = ascii_lower(trim(text));
  std::vector<std::string_view> terms;
  for (const std::string_view term : split(lower, ' ')) {
    if (!term.empty()) terms.push_back(term);
  }
  if (terms.empty() || limit == 0) return {};
  std::string phrase;
  for (const std::string_view term : terms)
    phrase += (phrase.empty() ? "" : " ") + std::string(term);

  // Each term stands in a name, so its longest word is part of a word there.
  std::string_view longest;
  for (const std::string_view term : terms) {
    for_each_word(term, [&](std::string_view word) {
      if (word.size() > longest.size()) longest = word;
    });
  }
  if (longest.empty()) return {};
  const State& state = *state_;
  Tiers tiers(state.snapshot, phrase, terms);
  std::vector<bool> is_seen(state.snapshot.operations().size());
  std::vector<Suggestion> found;
  std::size_t good = 0;  // of tier 3 and 4
  const auto look_at = [&](WordId id) {
    for (const Posting& posting : state.postings_of(id)) {
      if (is_seen[posting.operation]) continue;
      is_seen[posting.operation] = true;
      const std::uint8_t tier = tiers.of(posting.operation);
      if (tier == 0) continue;
      found.push_back({posting.operation, tier});
      if (tier >= 3) ++good;
    }
  };
  // The upper tiers need a word that begins with it; where they fill the list, no other is looked
  // at.
  for (const WordId id : state.vocabulary.with_prefix(longest)) look_at(id);
  if (good < limit) state.vocabulary.containing(longest, look_at);

  const auto operations = state.snapshot.operations();
  const auto better = [&](const Suggestion& a, const Suggestion& b) {
    if (a.tier != b.tier) return a.tier > b.tier;
    const auto x = operations[a.operation].eligible_runs, y = operations[b.operation].eligible_runs;
    return x != y ? x > y
                  : state.natural_positions[a.operation] < state.natural_positions[b.operation];
  };
  const std::size_t count = std::min(limit, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count), found.end(),
                    better);
  found.resize(count);
  return found;
}

}  // namespace ki::resolve
