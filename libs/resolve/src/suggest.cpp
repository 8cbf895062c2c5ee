// Suggestions while a text is being typed (spec 05.13).
#include "index_state.h"
#include "ki/base/text.h"
#include "ki/resolve/search_index.h"
#include "words.h"

#include <algorithm>

namespace ki::resolve {
namespace {

// The names of one operation as a reader sees them, in lower case.
struct Names {
  std::string shown, slug, family;
  std::vector<std::string> aliases;
};

Names names_of(const catalog::Snapshot& snapshot, Index operation) {
  const catalog::OperationRow& row = snapshot.operations()[operation];
  Names names{searchable_name(snapshot.text(row.name)),
              ascii_lower(snapshot.text(row.slug)),
              ascii_lower(snapshot.name(row.family)),
              {}};
  for (const catalog::TextRef alias : snapshot.aliases(row))
    names.aliases.push_back(ascii_lower(snapshot.text(alias)));
  return names;
}

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

std::uint8_t tier_of(const Names& names, std::string_view phrase,
                     std::span<const std::string_view> terms) {
  if (names.shown.starts_with(phrase)) return 4;
  const auto all = [&](const auto& holds) { return std::ranges::all_of(terms, holds); };
  if (all([&](std::string_view term) { return has_word_prefix(names.shown, term); })) return 3;
  const auto in_alias = [&](std::string_view text) {
    return std::ranges::any_of(names.aliases,
                               [&](const std::string& alias) { return has(alias, text); });
  };
  if (has(names.shown, phrase) || in_alias(phrase)) return 2;
  const bool is_part = all([&](std::string_view term) {
    return has(names.shown, term) || has(names.slug, term) || has(names.family, term) ||
           in_alias(term);
  });
  return is_part ? 1 : 0;
}

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
  std::vector<bool> is_candidate(state.snapshot.operations().size());
  state.vocabulary.containing(longest, [&](WordId id) {
    for (const Posting& posting : state.postings_of(id)) is_candidate[posting.operation] = true;
  });

  std::vector<Suggestion> found;
  for (Index i = 0; i < is_candidate.size(); ++i) {
    if (!is_candidate[i]) continue;
    if (const std::uint8_t tier = tier_of(names_of(state.snapshot, i), phrase, terms))
      found.push_back({i, tier});
  }
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
