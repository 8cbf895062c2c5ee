#include "ki/query/rewrite.h"

#include "ki/query/parse.h"
#include "token.h"

#include <algorithm>

namespace ki::query {
namespace {

// The tokens of the query that lie outside every facet for which `is_removed` holds.
template <class Predicate>
std::string without(std::string_view query, const Intent& intent, Predicate is_removed) {
  std::string kept;
  for (const Token& token : tokenize(query)) {
    const bool is_gone = std::ranges::any_of(intent.facets, [&](const Facet& facet) {
      return facet.span.begin <= token.span.begin && token.span.end <= facet.span.end &&
             is_removed(facet);
    });
    if (is_gone) continue;
    if (!kept.empty()) kept += ' ';
    kept += token.text;
  }
  return kept;
}

}  // namespace

std::string remove_facet(std::string_view query, std::string_view facet_token) {
  return remove_facet(query, parse_query(query), facet_token);
}

std::string remove_facet(std::string_view query, const Intent& parsed,
                         std::string_view facet_token) {
  return without(query, parsed, [&](const Facet& facet) { return facet.token == facet_token; });
}

std::string with_facet(std::string_view query, std::string_view facet_token) {
  const Intent added = parse_query(facet_token);
  std::string text = without(query, parse_query(query), [&](const Facet& facet) {
    return std::ranges::any_of(added.facets, [&](const Facet& fresh) {
      const bool adds_up = fresh.field == "dtype" && facet.display != fresh.display;
      return facet.field == fresh.field && facet.name == fresh.name && !adds_up;
    });
  });
  if (!text.empty()) text += ' ';
  return text.append(facet_token);
}

}  // namespace ki::query
