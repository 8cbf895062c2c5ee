// Laws: every byte of a query that is no white space lies in the span of a term, a facet or an
// issue, except quotes around nothing; the canonical query text asks for the same and is its own
// canonical text; removing a facet's token removes the facet.
#include "ki/base/text.h"
#include "ki/query/parse.h"
#include "ki/query/print.h"
#include "ki/query/rewrite.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace ki::query;

// The bytes that no part of the intent accounts for.
std::string left_over(std::string_view text, const Intent& intent) {
  std::vector<bool> covered(text.size(), false);
  const auto cover = [&](Span span) {
    if (span.begin > span.end || span.end > text.size()) std::abort();
    std::fill(covered.begin() + span.begin, covered.begin() + span.end, true);
  };
  for (const Term& term : intent.terms) cover(term.span);
  for (const Facet& facet : intent.facets) {
    cover(facet.span);
    if (text.substr(facet.span.begin, facet.span.end - facet.span.begin) != facet.token) {
      std::abort();
    }
  }
  for (const Issue& issue : intent.issues) cover(issue.span);
  std::string rest;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!covered[i]) rest += text[i];
  }
  return rest;
}

// White space, or pairs of quotes around it. Bytes outside ASCII belong to wide white space.
bool is_nothing(std::string_view rest) {
  return std::ranges::all_of(rest,
                             [](char c) {
                               return ki::is_ascii_space(c) || c == '"' ||
                                      static_cast<unsigned char>(c) >= 0x80;
                             }) &&
         std::ranges::count(rest, '"') % 2 == 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Intent intent = parse_query(text);
  if (!is_nothing(left_over(text, intent))) std::abort();
  const std::string canonical = to_query_text(intent);
  // A canonical text may be longer than a query may be ("fp8" is "dtype:fp8").
  if (ki::utf16_length(canonical) <= kMaxQueryLength) {
    const Intent again = parse_query(canonical);
    if (!is_same_request(intent, again) || to_query_text(again) != canonical) std::abort();
  }
  for (const Facet& facet : intent.facets) {
    const Intent less = parse_query(remove_facet(text, facet.token));
    // Joining what is left may make new facets, but no more of this one.
    const auto count = [&](const Intent& of) {
      return std::ranges::count(of.facets, facet.token, &Facet::token);
    };
    if (count(less) >= count(intent)) std::abort();
  }
  return 0;
}
