#include "ki/json/writer.h"

#include <gtest/gtest.h>

#include <optional>

namespace ki::json {
namespace {

TEST(Writer, WritesCompactAndIndentedText) {
  for (const auto style : {Writer::Style::kCompact, Writer::Style::kIndented}) {
    std::string out;
    Writer w(out, style);
    w.begin_object()
        .member("a", 1)
        .member("b", "x")
        .key("c")
        .begin_array()
        .value(1.5)
        .value(true)
        .null()
        .end_array();
    w.key("d").begin_object().end_object().nullable("e", std::optional<int>()).end_object();
    EXPECT_EQ(out, style == Writer::Style::kCompact
                       ? R"({"a":1,"b":"x","c":[1.5,true,null],"d":{},"e":null})"
                       : "{\n  \"a\": 1,\n  \"b\": \"x\",\n  \"c\": [\n    1.5,\n    true,\n    "
                         "null\n  ],\n  \"d\": {},\n  \"e\": null\n}");
  }
}

TEST(WriterDeathTest, StopsOnAValueWithoutAName) {
  std::string out;
  Writer w(out);
  w.begin_object();
  EXPECT_DEATH(w.value(1), "has_key_");
}

}  // namespace
}  // namespace ki::json
