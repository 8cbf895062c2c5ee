// Comparing a read model with a golden file: every leaf of the golden stands in ours at the same
// place with the same text, or tests/divergences.tsv says how ours differs and why. Ours may say
// more.
#pragma once

#include "ki/base/check.h"
#include "ki/display_testing/vectors.h"
#include "ki/json/canonical.h"
#include "ki/json/reader.h"
#include "ki/json/writer.h"

#include <optional>
#include <string>
#include <string_view>

namespace ki::views::testing {

// The golden file, or nothing when ../shared is absent.
inline std::optional<json::Document> read_golden(std::string_view name) {
  const auto text = ki::testing::read_text(ki::testing::shared("spec/golden/" + std::string(name)));
  if (!text) return std::nullopt;
  auto document = json::read_document(*text, {.max_bytes = std::size_t{16} << 20});
  KI_CHECK(document.has_value());
  return std::move(*document);
}

// What write(json::Writer&) writes, parsed.
template <class Write>
json::Document written(Write write) {
  std::string text;
  json::Writer w(text);
  write(w);
  auto document = json::read_document(text, {.max_bytes = std::size_t{64} << 20});
  KI_CHECK(document.has_value());
  return std::move(*document);
}

inline void expect_golden(ki::testing::Divergences& divergences, const std::string& row,
                          const json::Value& golden, const json::Value* ours) {
  if (ours == nullptr) return divergences.expect(row, json::canonical(golden), "missing");
  if (golden.is_object() && ours->is_object()) {
    for (const json::Member& member : golden.members()) {
      // Free text was taken out of the goldens.
      if (member.value.is_string() && member.value.string() == "<text>") continue;
      expect_golden(divergences, row + "/" + std::string(member.key), member.value,
                    ours->find(member.key));
    }
    return;
  }
  if (golden.is_array() && ours->is_array() && golden.items().size() == ours->items().size()) {
    for (std::size_t i = 0; i < golden.items().size(); ++i) {
      expect_golden(divergences, row + "/" + std::to_string(i), golden.items()[i],
                    &ours->items()[i]);
    }
    return;
  }
  divergences.expect(row, json::canonical(golden), json::canonical(*ours));
}

}  // namespace ki::views::testing
