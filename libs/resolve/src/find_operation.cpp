// Which operation a request is about (spec 05.4), or which list answers it.
#include "ki/base/text.h"
#include "ki/base/uuid.h"
#include "ki/query/vocabulary.h"
#include "resolution.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::resolve {
namespace {

constexpr std::size_t kMaxWanted = 32;  // as SearchIndex

// Filters whose word may as well be part of an operation's name.
bool may_be_name(const query::Facet& facet) {
  return facet.is_bare &&
         (facet.field == "dtype" || facet.field == "gpu" || facet.field == "arch" ||
          facet.field == "language" || facet.field == "framework");
}

}  // namespace

bool Resolution::asks_for_operation() const {
  const query::OperationSelector& operation = intent_->operation;
  return !intent_->terms.empty() || intent_->family || intent_->model || operation.id ||
         operation.digest || operation.slug || operation.name;
}

void Resolution::find_operation() {
  if (!asks_for_operation()) {
    collect_wanted();
    // Only filters were typed; together they may still be a name ("fp8 quant" is all name or none).
    search(true);
    if (scratch_.found.is_dominant) {
      operation_ = scratch_.found.hits.front().operation;
      answer_.operation_reason = scratch_.found.hits.front().reason;
      name_words_ = scratch_.found.hits.front().words;
      return;
    }
    if (intent_->has_constraints()) return list_by_evidence();
    // Words that say nothing, or nothing at all; but what was not understood is not answered by a
    // list.
    return answer_.issues.empty() ? browse() : guide();
  }
  if (find_selected_operation()) return;
  collect_wanted();
  if (search_named_operation()) return;
  search(true);
  answer_.corrections = scratch_.found.corrections;
  const SearchResult& found = scratch_.found;
  const bool has_words = std::ranges::any_of(
      scratch_.wanted, [](const Wanted& w) { return w.use == WordUse::kRequired; });
  if (found.hits.empty()) {
    // Words such as "fastest kernel" ask for nothing.
    if (!has_words && !intent_->family && !intent_->model) {
      return intent_->has_constraints() ? list_by_evidence() : browse();
    }
    report_family_and_model();
    report_unused_words(0);
    return guide();
  }
  if (found.is_dominant && (has_words || !intent_->model)) {
    const Hit& hit = found.hits.front();
    operation_ = hit.operation;
    answer_.operation_reason = hit.reason;
    name_words_ = hit.words;
    return;
  }
  std::uint32_t used = 0;
  for (const Hit& hit : found.hits) used |= hit.words;
  if (has_words) report_unused_words(used);
  list_hits(intent_->model && !has_words ? Mode::kModel : Mode::kChooser);
}

bool Resolution::find_selected_operation() {
  const query::OperationSelector& wanted = intent_->operation;
  Index found = kNone;
  std::string_view token;
  if (wanted.id) {
    token = *wanted.id;
    if (const auto id = Uuid::parse(*wanted.id)) found = snapshot_.find_operation(*id);
  } else if (wanted.digest) {
    token = *wanted.digest;
    if (const auto digest = Digest::parse(*wanted.digest))
      found = snapshot_.find_operation(*digest);
  } else if (wanted.slug) {
    token = *wanted.slug;
    found = snapshot_.find_operation(std::string_view(*wanted.slug));
    answer_.operation_reason = Reason::kSlug;
    if (found == kNone) return false;  // it may still be another spelling
  } else {
    return false;
  }
  if (found == kNone) {
    add_issue(token, "UNKNOWN_OPERATION", fmt::format("no operation {}", quote(token)));
    guide();
    return true;
  }
  operation_ = found;
  return true;
}

// Terms and filter words in the order typed.
void Resolution::collect_wanted() {
  auto& wanted = scratch_.wanted;
  auto& facets = scratch_.wanted_facets;
  wanted.clear();
  facets.clear();
  scratch_.order.clear();
  const auto terms = static_cast<std::uint32_t>(intent_->terms.size());
  for (std::uint32_t i = 0; i < terms; ++i) {
    scratch_.order.emplace_back(intent_->terms[i].span.begin, i);
  }
  for (std::uint32_t i = 0; i < intent_->facets.size(); ++i) {
    if (may_be_name(intent_->facets[i]))
      scratch_.order.emplace_back(intent_->facets[i].span.begin, terms + i);
  }
  std::ranges::sort(scratch_.order);
  for (const auto& [begin, which] : scratch_.order) {
    if (which >= terms) {
      const std::string& token = intent_->facets[which - terms].token;
      wanted.push_back({answer_.texts.copy(ascii_lower(token)), WordUse::kFacet, false});
      facets.push_back(which - terms);
      continue;
    }
    const query::Term& term = intent_->terms[which];
    const bool is_stop = term.kind == query::TermKind::kWord && query::is_stop_word(term.text);
    wanted.push_back({term.text, is_stop ? WordUse::kStop : WordUse::kRequired,
                      term.kind == query::TermKind::kPhrase});
    facets.push_back(kNone);
  }
  if (wanted.size() > kMaxWanted) {
    add_issue(wanted[kMaxWanted].text, "TOO_MANY_WORDS",
              fmt::format("only the first {} words are looked at", kMaxWanted));
  }
  if (intent_->terms.empty() && intent_->operation.name) {
    wanted.push_back(
        {answer_.texts.copy(ascii_lower(*intent_->operation.name)), WordUse::kRequired, false});
    facets.push_back(kNone);
  } else if (intent_->terms.empty() && intent_->operation.slug) {
    wanted.push_back(
        {answer_.texts.copy(ascii_lower(*intent_->operation.slug)), WordUse::kRequired, false});
    facets.push_back(kNone);
  }
}

void Resolution::search(bool only_exact) {
  const Search search{
      .wanted = scratch_.wanted,
      .family = intent_->family ? std::string_view(*intent_->family) : std::string_view(),
      .model = intent_->model ? std::string_view(*intent_->model) : std::string_view(),
      .only_exact_if_any = only_exact};
  index_.search(search, scratch_.search, scratch_.found);
}

// op:NAME names one operation by itself, whatever else was typed.
bool Resolution::search_named_operation() {
  const auto term =
      std::ranges::find(intent_->terms, query::TermKind::kOperation, &query::Term::kind);
  if (term == intent_->terms.end()) return false;
  Index found = snapshot_.find_operation(std::string_view(term->text));
  Reason reason = Reason::kSlug;
  if (found == kNone) {
    const Wanted named{term->text, WordUse::kRequired, false};
    index_.search({.wanted = {&named, 1}, .family = {}, .model = {}, .only_exact_if_any = true},
                  scratch_.search, scratch_.found);
    if (!scratch_.found.is_dominant || scratch_.found.hits.front().reason > Reason::kName)
      return false;
    found = scratch_.found.hits.front().operation;
    reason = scratch_.found.hits.front().reason;
  }
  operation_ = found;
  answer_.operation_reason = reason;
  if (intent_->terms.size() == 1) return true;
  // Other words: those that are not in its names are reported.
  search(false);
  const auto hit = std::ranges::find(scratch_.found.hits, found, &Hit::operation);
  std::uint32_t used = hit == scratch_.found.hits.end() ? 0 : hit->words;
  for (std::size_t w = 0; w < scratch_.wanted.size() && w < 32; ++w) {
    if (scratch_.wanted[w].text == term->text) used |= std::uint32_t{1} << w;
  }
  name_words_ = used;
  report_unused_words(used);
  return true;
}

void Resolution::report_unused_words(std::uint32_t used) {
  for (std::size_t w = 0; w < scratch_.wanted.size() && w < 32; ++w) {
    const Wanted& wanted = scratch_.wanted[w];
    if (wanted.use != WordUse::kRequired || (used >> w & 1U) != 0) continue;
    const bool is_known = (scratch_.found.known_words >> w & 1U) != 0;
    const std::string word = quote(wanted.text);
    add_issue(wanted.text, "UNKNOWN_WORD",
              is_known ? fmt::format("{} was left out: no operation has it with the rest", word)
                       : fmt::format("no operation found by {}", word));
  }
}

void Resolution::report_family_and_model() {
  if (intent_->family) {
    std::vector<std::string_view> names;
    for (const SearchIndex::Family& family : index_.families())
      names.push_back(snapshot_.name(family.name));
    Search search{
        .wanted = {}, .family = *intent_->family, .model = {}, .only_exact_if_any = false};
    index_.search(search, scratch_.search, scratch_.others);
    if (scratch_.others.hits.empty()) {
      add_issue(*intent_->family, "UNKNOWN_FAMILY",
                fmt::format("no operation is of the family {}", quote(*intent_->family)));
      if (const auto hint = did_you_mean(*intent_->family, names))
        answer_.issues.back().hint = std::string(*hint);
    }
  }
  if (intent_->model) {
    Search search{.wanted = {}, .family = {}, .model = *intent_->model, .only_exact_if_any = false};
    index_.search(search, scratch_.search, scratch_.others);
    if (scratch_.others.hits.empty()) {
      add_issue(*intent_->model, "UNKNOWN_MODEL",
                fmt::format("no operation is tagged with the model {}", quote(*intent_->model)));
    }
  }
}

}  // namespace ki::resolve
