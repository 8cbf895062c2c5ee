// spec/vectors/resolve-scores.json: which operation 51 texts mean. The mode must agree everywhere
// and the operation wherever one is meant, except as listed; the order of fuzzy hits is ours (spec
// 05.4).
#include "catalog_fixture.h"
#include "ki/display_testing/vectors.h"
#include "ki/json/reader.h"

#include <string>

namespace ki::resolve {
namespace {

TEST_F(PublicCatalog, AgreesWithTheOriginalOnWhatATextMeans) {
  const auto text = ki::testing::read_text(ki::testing::shared("spec/vectors/resolve-scores.json"));
  ASSERT_TRUE(text);
  const auto document = json::read_document(*text);
  ASSERT_TRUE(document);
  ki::testing::Divergences divergences("resolve-scores.json");
  std::size_t rows = 0;
  for (const json::Value& row : document->root.items()) {
    const std::string query(row.find("query")->string());
    const std::string mode(row.find("mode")->string());
    const Answer answer = ask(query);
    const bool is_operation = answer.operation != kNone;
    divergences.expect(query + "/mode", mode, is_operation ? "exact" : to_string(answer.mode));
    if (mode == "exact") {
      divergences.expect(query + "/operation",
                         row.find("hits")->items().front().find("slug")->string(),
                         slug(answer.operation));
    }
    ++rows;
  }
  EXPECT_EQ(rows, 51U);
  divergences.expect_all_seen();
}

}  // namespace
}  // namespace ki::resolve
