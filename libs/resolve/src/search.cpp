// One search: whole names first, then words from the best reading of each to the weakest.
#include "index_state.h"
#include "ki/base/text.h"
#include "ki/base/uuid.h"
#include "ki/resolve/search_index.h"
#include "words.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace ki::resolve {

namespace {

constexpr std::size_t kMaxWords = 32;

// A word of the query. A wanted text such as "fused-add" has several.
struct Token {
  std::string_view text;
  std::uint32_t wanted = 0;  // which of Search::wanted
  WordUse use = WordUse::kRequired;
  float weight = 0;  // inverse frequency: rarer words tell more
};

// What is known of one operation while words are looked up.
struct Found {
  std::uint32_t epoch = 0;
  std::uint32_t tokens = 0;  // bit per token
  float score = 0;
  Reason worst = Reason::kAllWords;
};

}  // namespace

struct SearchScratch::State {
  std::vector<Found> found;  // by operation
  std::uint32_t epoch = 0;
  std::vector<Index> touched;
  std::vector<Token> tokens;
  std::vector<WordId> ids;  // of tokens, kNoWord where no name has the word
  std::string compact, tried;
  std::vector<const WholeName*> whole;
  std::vector<Vocabulary::Near> near;
  std::vector<std::pair<std::uint64_t, Hit>> keyed;
};

SearchScratch::SearchScratch() : state_(std::make_unique<State>()) {}
SearchScratch::~SearchScratch() = default;
SearchScratch::SearchScratch(SearchScratch&&) noexcept = default;
SearchScratch& SearchScratch::operator=(SearchScratch&&) noexcept = default;

class SearchRun {
 public:
  SearchRun(const SearchIndex::State& index, const Search& search, SearchScratch::State& scratch,
            SearchResult& result)
      : index_(index),
        snapshot_(index.snapshot),
        search_(search),
        scratch_(scratch),
        result_(result) {}

  void run() {
    result_.hits.clear();
    result_.corrections.clear();
    result_.is_dominant = false;
    result_.known_words = 0;
    read_tokens();
    find_filters();
    if (!is_possible_) return;
    find_by_id();
    if (result_.hits.empty()) find_whole_names();
    if (!result_.hits.empty() && search_.only_exact_if_any) return finish();
    if (required_ == 0) {
      if (result_.hits.empty()) list_all();
      return finish();
    }
    find_words();
    result_.known_words = words_of(known_);
    collect();
    finish();
  }

 private:
  void read_tokens() {
    auto& tokens = scratch_.tokens;
    tokens.clear();
    scratch_.ids.clear();
    const auto count = static_cast<float>(snapshot_.operations().size());
    for (std::uint32_t w = 0; w < search_.wanted.size() && w < kMaxWords; ++w) {
      for_each_word(search_.wanted[w].text, [&](std::string_view word) {
        if (tokens.size() == kMaxWords) return;
        const WordId id = index_.vocabulary.find(word);
        const float hits = id == kNoWord ? 0 : static_cast<float>(index_.postings_of(id).size());
        const WordUse use = search_.wanted[w].use;
        if (use == WordUse::kRequired) required_ |= std::uint32_t{1} << tokens.size();
        tokens.push_back({word, w, use, std::log1p(count / (hits + 1))});
        scratch_.ids.push_back(id);
      });
    }
  }

  void find_filters() {
    if (!search_.family.empty()) {
      const auto family = snapshot_.find_name(search_.family);
      is_possible_ = family.has_value();
      family_ = family.value_or(0);
      // A source's own word for a family ("normalization") stays a tag.
      is_family_tag_ = family && index_.family_slots[*family] == kNoWord;
    }
    if (search_.model.empty()) return;
    const std::string tag = "model:" + std::string(search_.model);
    model_ = snapshot_.find_name(tag);
    if (model_ && *model_ == 0) model_.reset();
    // Not a tag as it stands: the models that begin with it ("deepseek" for "deepseek-v3").
    if (!model_) model_prefix_ = tag + "-";
  }

  bool passes(Index operation) const {
    const catalog::OperationRow& row = snapshot_.operations()[operation];
    if (!search_.family.empty() && row.family != family_ &&
        !(is_family_tag_ &&
          std::ranges::find(snapshot_.tags(row), family_) != snapshot_.tags(row).end())) {
      return false;
    }
    if (search_.model.empty()) return true;
    return std::ranges::any_of(snapshot_.tags(row), [&](catalog::NameId tag) {
      return model_ ? tag == *model_ : snapshot_.name(tag).starts_with(model_prefix_);
    });
  }

  void find_by_id() {
    if (search_.wanted.size() != 1) return;
    const std::string_view text = search_.wanted.front().text;
    Index found = kNone;
    if (const auto id = Uuid::parse(text)) {
      found = snapshot_.find_operation(*id);
    } else if (const auto digest = Digest::parse(text)) {
      found = snapshot_.find_operation(*digest);
    }
    if (found != kNone && passes(found)) result_.hits.push_back({found, Reason::kId, 1, 1});
  }

  // The whole text as a name: everything typed, then without the words that may mean something
  // else.
  void find_whole_names() {
    scratch_.tried.clear();
    for (const auto& [keeps_stop, keeps_facets] :
         {std::pair{true, true}, std::pair{false, true}, std::pair{true, false},
          std::pair{false, false}}) {
      const auto is_kept = [&](const Token& token) {
        return (keeps_stop || token.use != WordUse::kStop) &&
               (keeps_facets || token.use != WordUse::kFacet);
      };
      scratch_.compact.clear();
      std::uint32_t words = 0;
      for (const Token& token : scratch_.tokens) {
        if (!is_kept(token)) continue;
        scratch_.compact += token.text;
        words |= std::uint32_t{1} << token.wanted;
      }
      if (scratch_.compact.empty() || scratch_.compact == scratch_.tried) continue;
      scratch_.tried = scratch_.compact;
      scratch_.whole.clear();
      index_.find_whole(scratch_.compact, scratch_.whole);
      for (const WholeName* name : scratch_.whole) add_whole(*name, words, is_kept);
      if (!result_.hits.empty()) return;
    }
  }

  template <class IsKept>
  void add_whole(const WholeName& name, std::uint32_t words, const IsKept& is_kept) {
    if (!passes(name.operation)) return;
    const NameField& field = index_.fields[name.field];
    const auto names = index_.words_of(field).subspan(name.skipped);
    // Split into words as it was typed, or only the same letters ("11-2" typed "1-12").
    std::size_t at = 0;
    bool is_same_split = true;
    for (std::size_t t = 0; t < scratch_.tokens.size(); ++t) {
      if (!is_kept(scratch_.tokens[t])) continue;
      is_same_split = is_same_split && at < names.size() && names[at] == scratch_.ids[t];
      ++at;
    }
    is_same_split = is_same_split && at == names.size();
    const Reason reason = field.kind == NameKind::kSlug    ? Reason::kSlug
                          : field.kind == NameKind::kAlias ? Reason::kAlias
                                                           : Reason::kName;
    // What people read as words is not one word: "rmsnorm" is not the name "RMS norm".
    if (reason == Reason::kName && !is_same_split) return;
    const Hit hit{name.operation, reason, is_same_split ? 2.F : 1.F, words};
    const auto known = std::ranges::find(result_.hits, name.operation, &Hit::operation);
    if (known == result_.hits.end()) {
      result_.hits.push_back(hit);
    } else if (hit.reason < known->reason) {
      *known = hit;
    }
  }

  void list_all() {
    if (search_.family.empty() && search_.model.empty()) return;
    for (Index i = 0; i < snapshot_.operations().size(); ++i) {
      if (passes(i)) result_.hits.push_back({i, Reason::kListed, 0, 0});
    }
  }

  void find_words() {
    if (scratch_.found.size() < snapshot_.operations().size())
      scratch_.found.resize(snapshot_.operations().size());
    if (++scratch_.epoch == 0) {
      std::ranges::fill(scratch_.found, Found{});
      scratch_.epoch = 1;
    }
    scratch_.touched.clear();
    for (std::size_t t = 0; t < scratch_.tokens.size(); ++t) {
      if (scratch_.tokens[t].use == WordUse::kStop) continue;
      find_token(t);
    }
  }

  void find_token(std::size_t t) {
    const Token& token = scratch_.tokens[t];
    bool is_found = false;
    if (scratch_.ids[t] != kNoWord) {
      is_found = true;
      credit(t, scratch_.ids[t], Reason::kAllWords, 1.F);
    }
    if (token.use == WordUse::kFacet || search_.wanted[token.wanted].is_phrase ||
        search_.only_whole_words) {
      return;
    }
    if (token.text.size() >= 2 && !is_number(token.text)) {
      for (const WordId id : index_.vocabulary.with_prefix(token.text)) {
        if (id == scratch_.ids[t]) continue;
        is_found = true;
        credit(t, id, Reason::kPrefix, 0.7F);
      }
    }
    if (token.text.size() >= 3 && !is_number(token.text)) {
      index_.vocabulary.with_suffix(token.text, [&](WordId id) {
        is_found = true;
        credit(t, id, Reason::kPart, 0.5F);
      });
    }
    is_found |= find_joined(t);
    is_found |= find_split(t);
    if (is_found) return;
    index_.vocabulary.near(token.text, scratch_.near);
    for (const Vocabulary::Near& near : scratch_.near) {
      credit(t, near.word, Reason::kTypo, 0.4F);
    }
    if (!scratch_.near.empty()) correct(token);
  }

  // Remembers the closest word, the most frequent of equally close ones.
  void correct(const Token& token) {
    const auto best = std::ranges::max_element(scratch_.near, [&](const auto& a, const auto& b) {
      const std::size_t x = index_.postings_of(a.word).size();
      const std::size_t y = index_.postings_of(b.word).size();
      return x != y ? x < y : index_.vocabulary.text(a.word) > index_.vocabulary.text(b.word);
    });
    result_.corrections.push_back(
        {std::string(token.text), std::string(index_.vocabulary.text(best->word))});
  }

  // "vector add" where a name says "vectoradd": both words are found.
  bool find_joined(std::size_t t) {
    bool is_found = false;
    for (const std::size_t first : {t, t - 1}) {  // as the first and as the second of a pair
      if (first >= scratch_.tokens.size() || first + 1 >= scratch_.tokens.size()) continue;
      scratch_.compact.assign(scratch_.tokens[first].text);
      scratch_.compact += scratch_.tokens[first + 1].text;
      const WordId id = index_.vocabulary.find(scratch_.compact);
      if (id == kNoWord) continue;
      is_found = true;
      credit(t, id, Reason::kPart, 0.8F);
    }
    return is_found;
  }

  // "rmsnorm" where a name says "rms norm".
  bool find_split(std::size_t t) {
    const std::string_view text = scratch_.tokens[t].text;
    bool is_found = false;
    for (std::size_t cut = 2; cut + 2 <= text.size(); ++cut) {
      const WordId head = index_.vocabulary.find(text.substr(0, cut));
      if (head == kNoWord) continue;
      const WordId tail = index_.vocabulary.find(text.substr(cut));
      if (tail == kNoWord) continue;
      const std::array pair{head, tail};
      for (const Posting& posting : index_.postings_of(head)) {
        if (posting.is_weak != 0 || !has_sequence(posting.operation, pair)) continue;
        is_found = true;
        credit_operation(t, posting.operation, Reason::kPart, 0.8F);
      }
    }
    return is_found;
  }

  void credit(std::size_t t, WordId word, Reason reason, float quality) {
    for (const Posting& posting : index_.postings_of(word)) {
      if (posting.is_weak != 0) {
        credit_operation(t, posting.operation, Reason::kFamily, 0.3F * quality);
      } else {
        credit_operation(t, posting.operation, reason, quality);
      }
    }
  }

  // The first reading of a word counts, except that a name is better than a family.
  void credit_operation(std::size_t t, Index operation, Reason reason, float quality) {
    Found& found = scratch_.found[operation];
    if (found.epoch != scratch_.epoch) {
      found = {scratch_.epoch, 0, 0, Reason::kAllWords};
      scratch_.touched.push_back(operation);
    }
    const std::uint32_t bit = std::uint32_t{1} << t;
    known_ |= bit;
    if ((found.tokens & bit) != 0) return;
    found.tokens |= bit;
    const Token& token = scratch_.tokens[t];
    const bool is_required = token.use == WordUse::kRequired;
    found.score += token.weight * quality * (is_required ? 1.F : 0.5F);
    if (is_required) found.worst = std::max(found.worst, reason);
  }

  bool has_sequence(Index operation, std::span<const WordId> words) const {
    return std::ranges::any_of(index_.fields_of(operation), [&](const NameField& field) {
      return !std::ranges::search(index_.words_of(field), words).empty();
    });
  }

  // Every quoted phrase stands in one of the names.
  bool has_phrases(Index operation) const {
    for (std::uint32_t w = 0; w < search_.wanted.size() && w < kMaxWords; ++w) {
      if (!search_.wanted[w].is_phrase) continue;
      std::array<WordId, kMaxWords> phrase;
      std::size_t count = 0;
      for (std::size_t t = 0; t < scratch_.tokens.size(); ++t) {
        if (scratch_.tokens[t].wanted == w) phrase[count++] = scratch_.ids[t];
      }
      if (!has_sequence(operation, std::span(phrase).first(count))) return false;
    }
    return true;
  }

  // What was typed stands together in one of the names: all of it, or only the required words.
  bool has_everything_in_order(Index operation) const {
    std::array<WordId, kMaxWords> all, required;
    std::size_t all_count = 0, required_count = 0;
    for (std::size_t t = 0; t < scratch_.tokens.size(); ++t) {
      all[all_count++] = scratch_.ids[t];
      if (scratch_.tokens[t].use == WordUse::kRequired)
        required[required_count++] = scratch_.ids[t];
    }
    return (all_count > 1 && has_sequence(operation, std::span(all).first(all_count))) ||
           (required_count > 1 &&
            has_sequence(operation, std::span(required).first(required_count)));
  }

  bool is_complete(Index operation) const {
    return (scratch_.found[operation].tokens & required_) == required_;
  }

  // Where no operation has all words, those with half of them and more, rare words weighing more;
  // else those with most. A word that no operation has at all then counts for nothing.
  void collect() {
    const bool has_whole = !result_.hits.empty();
    std::erase_if(scratch_.touched, [&](Index operation) {
      return (scratch_.found[operation].tokens & required_) == 0 || !passes(operation) ||
             !has_phrases(operation) ||
             (has_whole &&
              std::ranges::find(result_.hits, operation, &Hit::operation) != result_.hits.end());
    });
    const bool any_complete =
        has_whole || std::ranges::any_of(scratch_.touched,
                                         [&](Index operation) { return is_complete(operation); });
    float least = 0;
    if (!any_complete) {
      float most = 0;
      for (const Index operation : scratch_.touched) {
        if (has_a_word(operation)) most = std::max(most, matched_weight(operation));
      }
      if (most == 0) return;
      least = std::min(0.5F * known_weight(), most);
    }
    for (const Index operation : scratch_.touched) {
      const Found& found = scratch_.found[operation];
      Hit hit{operation, found.worst, found.score, words_of(found.tokens)};
      if (!is_complete(operation)) {
        if (any_complete || matched_weight(operation) < least || !has_a_word(operation)) continue;
        hit.reason = Reason::kSomeWords;
      } else if (found.worst == Reason::kAllWords && has_everything_in_order(operation)) {
        hit.reason = Reason::kPhrase;
      }
      hit.score += 3 * share_of_name(operation);
      result_.hits.push_back(hit);
    }
  }

  // A required text is there whole: "nonexistent-operation" is not, where only "operation" is.
  bool has_a_word(Index operation) const {
    const std::uint32_t tokens = scratch_.found[operation].tokens;
    std::uint32_t complete = ~std::uint32_t{0};
    std::uint32_t asked = 0;
    for (std::size_t t = 0; t < scratch_.tokens.size(); ++t) {
      const Token& token = scratch_.tokens[t];
      if (token.use != WordUse::kRequired) continue;
      asked |= std::uint32_t{1} << token.wanted;
      if ((tokens >> t & 1U) == 0) complete &= ~(std::uint32_t{1} << token.wanted);
    }
    return (asked & complete) != 0;
  }

  float matched_weight(Index operation) const {
    return weight([&](std::size_t t) { return (scratch_.found[operation].tokens >> t & 1U) != 0; });
  }
  // Of the words that some operation has, at least in part.
  float known_weight() const {
    return weight([&](std::size_t t) {
      return (result_.known_words >> scratch_.tokens[t].wanted & 1U) != 0;
    });
  }
  // Of the required tokens for which is_counted(t).
  template <class IsCounted>
  float weight(IsCounted is_counted) const {
    float sum = 0;
    for (std::size_t t = 0; t < scratch_.tokens.size(); ++t) {
      if (scratch_.tokens[t].use == WordUse::kRequired && is_counted(t))
        sum += scratch_.tokens[t].weight;
    }
    return sum;
  }

  std::uint32_t words_of(std::uint32_t tokens) const {
    std::uint32_t words = 0;
    for (std::size_t t = 0; t < scratch_.tokens.size(); ++t) {
      if ((tokens >> t & 1U) != 0) words |= std::uint32_t{1} << scratch_.tokens[t].wanted;
    }
    return words;
  }

  // How much of the shortest name was asked for: "sort" is all of "Sort".
  float share_of_name(Index operation) const {
    std::uint32_t shortest = std::numeric_limits<std::uint16_t>::max();
    for (const NameField& field : index_.fields_of(operation)) {
      shortest = std::min<std::uint32_t>(shortest, field.count);
    }
    const auto asked = static_cast<float>(std::popcount(required_));
    return std::min(1.F, asked / static_cast<float>(std::max<std::uint32_t>(shortest, 1)));
  }

  void finish() {
    sort_hits();
    result_.is_dominant = is_dominant();
  }

  // One integer orders hits: reason, score, runs, natural order.
  std::uint64_t key_of(const Hit& hit) const {
    const auto score = static_cast<std::uint64_t>(std::clamp(hit.score * 64.F, 0.F, 16383.F));
    const std::uint64_t runs =
        std::min<std::uint64_t>(snapshot_.operations()[hit.operation].eligible_runs, 0x3FFFF);
    return static_cast<std::uint64_t>(hit.reason) << 60 | (16383 - score) << 46 |
           (0x3FFFF - runs) << 28 | (index_.natural_positions[hit.operation] & 0xFFFFFFF);
  }

  void sort_hits() {
    auto& keyed = scratch_.keyed;
    keyed.clear();
    for (const Hit& hit : result_.hits) keyed.emplace_back(key_of(hit), hit);
    // Two more than none, so that what is meant can be told.
    const std::size_t count = std::min(keyed.size(), std::max<std::size_t>(search_.sorted, 2));
    const auto middle = keyed.begin() + static_cast<std::ptrdiff_t>(count);
    const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
    if (middle != keyed.end()) std::nth_element(keyed.begin(), middle, keyed.end(), less);
    std::sort(keyed.begin(), middle, less);
    for (std::size_t i = 0; i < keyed.size(); ++i) result_.hits[i] = keyed[i].second;
  }

  // One operation named exactly, or the only one whose names have all the words.
  bool is_dominant() const {
    const auto& hits = result_.hits;
    if (hits.empty()) return false;
    const Hit& first = hits.front();
    if (first.reason <= Reason::kName) {
      return hits.size() == 1 || hits[1].reason != first.reason || hits[1].score < first.score;
    }
    const auto has_words = [](const Hit& hit) { return hit.reason <= Reason::kAllWords; };
    if (has_words(first)) return hits.size() == 1 || !has_words(hits[1]);
    return hits.size() == 1 && first.reason <= Reason::kPart;
  }

  const SearchIndex::State& index_;
  const catalog::Snapshot& snapshot_;
  const Search& search_;
  SearchScratch::State& scratch_;
  SearchResult& result_;
  std::uint32_t required_ = 0;  // bit per token
  std::uint32_t known_ = 0;     // bit per token: some operation has it
  bool is_possible_ = true;
  catalog::NameId family_ = 0;
  bool is_family_tag_ = false;
  std::optional<catalog::NameId> model_;
  std::string model_prefix_;
};

void SearchIndex::search(const Search& search, SearchScratch& scratch, SearchResult& result) const {
  SearchRun(*state_, search, *scratch.state_, result).run();
}

}  // namespace ki::resolve
