#include "ki/resolve/search_index.h"

#include "index_state.h"
#include "ki/base/check.h"
#include "ki/base/text.h"
#include "words.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace ki::resolve {
namespace {

using catalog::OperationRow;

// Collects the names of all operations.
class Builder {
 public:
  explicit Builder(SearchIndex::State& state) : state_(state) {}

  void add_operations() {
    const auto& snapshot = state_.snapshot;
    const auto operations = snapshot.operations();
    state_.operation_fields.reserve(operations.size() + 1);
    for (Index i = 0; i < operations.size(); ++i) {
      const OperationRow& row = operations[i];
      operation_ = i;
      state_.operation_fields.push_back(static_cast<std::uint32_t>(state_.fields.size()));
      compacts_.clear();
      add_name(snapshot.text(row.slug), NameKind::kSlug);
      add_name(snapshot.text(row.name), NameKind::kName);
      for (const catalog::TextRef alias : snapshot.aliases(row))
        add_name(snapshot.text(alias), NameKind::kAlias);
      add_weak(snapshot.name(row.family));
      for (const catalog::NameId tag : snapshot.tags(row)) {
        if (const std::string_view text = snapshot.name(tag); !text.starts_with("model:"))
          add_weak(text);
      }
    }
    state_.operation_fields.push_back(static_cast<std::uint32_t>(state_.fields.size()));
  }

  // Counting sort of the pairs by word; within a word they stay in order of operations.
  void fill_postings() {
    auto& starts = state_.posting_starts;
    starts.assign(state_.vocabulary.size() + 1, 0);
    for (const Pair& pair : pairs_) ++starts[pair.word + 1];
    for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
    std::vector<std::uint32_t> next(starts.begin(), starts.end() - 1);
    state_.postings.resize(pairs_.size());
    for (const Pair& pair : pairs_) state_.postings[next[pair.word]++] = pair.posting;
  }

  void fill_whole_names() {
    state_.whole_slots.assign(
        std::bit_ceil(std::max<std::size_t>(16, 2 * state_.whole_names.size())), kNoWord);
    const std::size_t mask = state_.whole_slots.size() - 1;
    for (std::uint32_t i = 0; i < state_.whole_names.size(); ++i) {
      std::size_t at = state_.whole_names[i].hash & mask;
      while (state_.whole_slots[at] != kNoWord) at = (at + 1) & mask;
      state_.whole_slots[at] = i;
    }
  }

 private:
  struct Pair {
    WordId word;
    Posting posting;
  };

  void add_name(std::string_view text, NameKind kind) {
    lower_.assign(text);
    for (char& c : lower_) c = ascii_lower(c);
    compact_.clear();
    for_each_word(lower_, [&](std::string_view word) { compact_ += word; });
    if (compact_.empty()) return;
    const std::uint64_t hash = hash_bytes(compact_);
    // "013_gqa" and "013-gqa" are one name; of equal ones the first kind counts.
    const bool is_known = std::ranges::find(compacts_, hash) != compacts_.end();
    // A stored name without a space is shown without its leading number (spec 13.2).
    const bool hides_number = kind == NameKind::kName && hides_leading_number(lower_);
    if (is_known && !hides_number) return;
    const auto field = static_cast<std::uint32_t>(state_.fields.size());
    NameField added{.first = static_cast<std::uint32_t>(state_.sequence.size()),
                    .count = 0,
                    .kind = kind,
                    .shown_from = 0};
    if (!is_known) {
      compacts_.push_back(hash);
      state_.whole_names.push_back({hash, operation_, field, 0});
    }
    if (hides_number) {
      added.shown_from = 1;
      const std::string_view shown = std::string_view(compact_).substr(lower_.find('_'));
      state_.whole_names.push_back({hash_bytes(shown), operation_, field, 1});
    }
    for_each_word(lower_, [&](std::string_view word) {
      if (added.count == std::numeric_limits<std::uint16_t>::max()) return;
      const WordId id = state_.vocabulary.add(word);
      state_.sequence.push_back(id);
      ++added.count;
      add_pair(id, false);
    });
    state_.fields.push_back(added);
  }

  static bool hides_leading_number(std::string_view lower) {
    const std::size_t end = lower.find('_');
    return end != std::string_view::npos && lower.find(' ') == std::string_view::npos &&
           is_number(lower.substr(0, end)) && end + 1 < lower.size();
  }

  void add_weak(std::string_view text) {
    lower_.assign(text);
    for (char& c : lower_) c = ascii_lower(c);
    for_each_word(lower_,
                  [&](std::string_view word) { add_pair(state_.vocabulary.add(word), true); });
  }

  void add_pair(WordId word, bool is_weak) {
    if (word >= last_operation_.size()) last_operation_.resize(word + 1 + word / 2, kNone);
    if (last_operation_[word] == operation_) return;
    last_operation_[word] = operation_;
    pairs_.push_back({word, {operation_ & 0x7FFFFFFF, is_weak}});
  }

  SearchIndex::State& state_;
  Index operation_ = 0;
  std::string lower_, compact_;
  std::vector<std::uint64_t> compacts_;  // of this operation
  std::vector<Index> last_operation_;    // by word: so that a pair is made once
  std::vector<Pair> pairs_;
};

// Appends bytes that order like the words' natural order: letters as they are, a number by its
// length without leading zeros, then its digits.
void append_natural(std::string& key, std::string_view lower) {
  std::size_t at = 0;
  while (at < lower.size()) {
    if (!is_ascii_digit(lower[at])) {
      key += is_word_byte(lower[at]) ? lower[at] : ' ';
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < lower.size() && is_ascii_digit(lower[end])) ++end;
    while (at + 1 < end && lower[at] == '0') ++at;
    key += '0';
    key += static_cast<char>(std::min<std::size_t>(end - at, 127));
    key += lower.substr(at, end - at);
    at = end;
  }
}

}  // namespace

std::string_view to_string(Reason reason) {
  switch (reason) {
    case Reason::kId:
      return "id";
    case Reason::kSlug:
      return "slug";
    case Reason::kAlias:
      return "alias";
    case Reason::kName:
      return "name";
    case Reason::kPhrase:
      return "phrase";
    case Reason::kAllWords:
      return "all words";
    case Reason::kPrefix:
      return "beginning of words";
    case Reason::kPart:
      return "part of words";
    case Reason::kTypo:
      return "corrected spelling";
    case Reason::kFamily:
      return "family";
    case Reason::kSomeWords:
      return "some words";
    case Reason::kListed:
      return "listed";
  }
  return {};
}

std::string searchable_name(std::string_view raw) {
  std::string lower = ascii_lower(raw);
  if (lower.find(' ') != std::string::npos) return lower;
  std::string_view rest = lower;
  const std::size_t end = rest.find('_');
  if (end != std::string_view::npos && is_number(rest.substr(0, end))) rest.remove_prefix(end + 1);
  std::string shown;
  shown.reserve(rest.size());
  for (const char c : rest) {
    if (c != '_') {
      shown += c;
    } else if (!shown.empty() && shown.back() != ' ') {
      shown += ' ';
    }
  }
  if (!shown.empty() && shown.back() == ' ') shown.pop_back();
  return shown.empty() ? lower : shown;
}

SearchIndex::SearchIndex(const catalog::Snapshot& snapshot)
    : state_(std::make_unique<State>(snapshot)) {
  state_->build();
}
SearchIndex::~SearchIndex() = default;
SearchIndex::SearchIndex(SearchIndex&&) noexcept = default;
SearchIndex& SearchIndex::operator=(SearchIndex&&) noexcept = default;

void SearchIndex::State::build() {
  Builder builder(*this);
  builder.add_operations();
  vocabulary.finish();
  builder.fill_postings();
  builder.fill_whole_names();
  order_naturally();
  count_families();
}

void SearchIndex::State::order_naturally() {
  struct Key {
    std::uint64_t prefix;
    std::uint32_t offset, length;
    Index operation;
  };
  const auto operations = snapshot.operations();
  std::string keys;
  keys.reserve(operations.size() * 64);
  std::vector<Key> order;
  order.reserve(operations.size());
  for (Index i = 0; i < operations.size(); ++i) {
    const std::size_t offset = keys.size();
    append_natural(keys, searchable_name(snapshot.text(operations[i].name)));
    keys += '\0';
    append_natural(keys, snapshot.text(operations[i].slug));
    std::uint64_t prefix = 0;
    for (std::size_t b = 0; b < 8; ++b) {
      prefix = prefix << 8 |
               (offset + b < keys.size() ? static_cast<unsigned char>(keys[offset + b]) : 0);
    }
    order.push_back({prefix, static_cast<std::uint32_t>(offset),
                     static_cast<std::uint32_t>(keys.size() - offset), i});
  }
  // Families by text; few of them, so each name is ranked once.
  std::vector<catalog::NameId> names;
  for (const OperationRow& row : operations) names.push_back(row.family);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::ranges::sort(names, [&](auto a, auto b) { return snapshot.name(a) < snapshot.name(b); });
  std::vector<std::uint32_t> rank_of(snapshot.columns().names.size(), 0);
  for (std::uint32_t r = 0; r < names.size(); ++r) rank_of[names[r]] = r;

  const auto text = [&](const Key& key) {
    return std::string_view(keys).substr(key.offset, key.length);
  };
  std::sort(order.begin(), order.end(), [&](const Key& a, const Key& b) {
    const std::uint32_t x = rank_of[operations[a.operation].family];
    const std::uint32_t y = rank_of[operations[b.operation].family];
    if (x != y) return x < y;
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    const int order_of_text = text(a).compare(text(b));
    return order_of_text != 0 ? order_of_text < 0 : a.operation < b.operation;
  });
  natural.clear();
  natural_positions.resize(operations.size());
  for (const Key& key : order) {
    natural_positions[key.operation] = static_cast<std::uint32_t>(natural.size());
    natural.push_back(key.operation);
  }
}

void SearchIndex::State::count_families() {
  constexpr std::size_t kOldest = 7;
  const auto operations = snapshot.operations();
  std::vector<std::uint32_t>& slots = family_slots;
  slots.assign(snapshot.columns().names.size(), kNoWord);
  for (const OperationRow& row : operations) {
    if (slots[row.family] == kNoWord) {
      slots[row.family] = static_cast<std::uint32_t>(families.size());
      families.push_back({row.family, 0, 0});
    }
    Family& family = families[slots[row.family]];
    ++family.operations;
    family.runs += row.eligible_runs;
  }
  std::ranges::sort(families, [&](const Family& a, const Family& b) {
    return a.runs != b.runs ? a.runs > b.runs : snapshot.name(a.name) < snapshot.name(b.name);
  });
  for (std::uint32_t f = 0; f < families.size(); ++f) slots[families[f].name] = f;

  oldest.resize(families.size());
  for (Index i = 0; i < operations.size(); ++i) {
    std::vector<Index>& list = oldest[slots[operations[i].family]];
    if (list.size() < kOldest) list.push_back(i);
  }
}

void SearchIndex::State::find_whole(std::string_view compact,
                                    std::vector<const WholeName*>& found) const {
  const std::uint64_t hash = hash_bytes(compact);
  const std::size_t mask = whole_slots.size() - 1;
  for (std::size_t at = hash & mask; whole_slots[at] != kNoWord; at = (at + 1) & mask) {
    const WholeName& name = whole_names[whole_slots[at]];
    if (name.hash != hash) continue;
    std::string_view rest = compact;
    bool is_equal = true;
    for (const WordId word : words_of(fields[name.field]).subspan(name.skipped)) {
      const std::string_view text = vocabulary.text(word);
      is_equal = rest.starts_with(text);
      if (!is_equal) break;
      rest.remove_prefix(text.size());
    }
    if (is_equal && rest.empty()) found.push_back(&name);
  }
}

std::uint32_t SearchIndex::natural_position(Index operation) const {
  return state_->natural_positions[operation];
}
std::span<const Index> SearchIndex::natural_order() const { return state_->natural; }
std::span<const SearchIndex::Family> SearchIndex::families() const { return state_->families; }

std::span<const Index> SearchIndex::oldest_of_family(catalog::NameId family) const {
  const std::uint32_t slot = state_->family_slots[family];
  if (slot == kNoWord) return {};
  return state_->oldest[slot];
}

std::size_t SearchIndex::memory_bytes() const {
  const State& s = *state_;
  return s.vocabulary.memory_bytes() + s.sequence.capacity() * sizeof(WordId) +
         s.fields.capacity() * sizeof(NameField) +
         (s.operation_fields.capacity() + s.posting_starts.capacity() + s.whole_slots.capacity() +
          s.natural_positions.capacity() + s.natural.capacity()) *
             4 +
         s.postings.capacity() * sizeof(Posting) + s.whole_names.capacity() * sizeof(WholeName);
}

}  // namespace ki::resolve
