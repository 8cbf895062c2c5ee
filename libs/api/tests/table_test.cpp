#include "api_world.h"
#include "ki/api/openapi.h"
#include "ki/api/schema.h"

#include <set>

namespace ki::api::testing {
namespace {

TEST(TableTest, EveryOperationIsDeclaredWhole) {
  std::set<std::string_view> ids;
  for (const Operation& operation : operations()) {
    SCOPED_TRACE(operation.id);
    EXPECT_TRUE(ids.insert(operation.id).second);
    EXPECT_TRUE(operation.path.starts_with("/"));
    EXPECT_FALSE(operation.summary.empty());
    EXPECT_NE(operation.run, nullptr);
    EXPECT_FALSE(operation.command.command.empty()) << "the command line has a form of it";
    EXPECT_EQ(operation.method == http::Method::kPost, !operation.body.empty());
    if (!operation.body.empty()) {
      EXPECT_NE(find_schema_type(operation.body), nullptr);
    }
    if (operation.media_type == "application/json") {
      EXPECT_NE(find_schema_type(operation.answer), nullptr) << "the type of its answer";
    }
    std::set<std::string_view> names;
    for (const Parameter& p : operation.parameters) {
      EXPECT_TRUE(names.insert(p.name).second) << p.name;
      EXPECT_FALSE(p.help.empty()) << p.name;
      if (p.type == Parameter::Type::kChoice) {
        EXPECT_GE(p.choices.size(), 2U) << p.name;
      }
      if (p.place == Parameter::Place::kPath) {
        EXPECT_NE(operation.path.find("{" + std::string(p.name) + "}"), operation.path.npos);
      }
    }
    if (!operation.command.operand.empty() && operation.command.operand != "body") {
      EXPECT_TRUE(names.contains(operation.command.operand));
    }
  }
}

TEST(TableTest, OpenApiHasEveryOperationParameterAndType) {
  const auto document = json::read_document(openapi("https://index.test"), {.max_bytes = 1 << 22});
  ASSERT_TRUE(document) << document.error().to_string();
  const json::Value& root = document->root;
  EXPECT_EQ(root.find("openapi")->string(), "3.1.0");
  for (const Operation& operation : operations()) {
    SCOPED_TRACE(operation.id);
    const json::Value* path =
        root.find("paths")->find(std::string(kApiRoot) + std::string(operation.path));
    ASSERT_NE(path, nullptr);
    const json::Value* entry = path->find(operation.method == http::Method::kPost ? "post" : "get");
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(entry->find("operationId")->string(), operation.id);
    const json::Value* parameters = entry->find("parameters");
    EXPECT_EQ(parameters == nullptr ? 0 : parameters->items().size(), operation.parameters.size());
    EXPECT_NE(entry->find("responses")->find(operation.is_write ? "201" : "200"), nullptr);
  }
  for (const SchemaType& type : schema_types()) {
    EXPECT_NE(root.find("components")->find("schemas")->find(type.name), nullptr) << type.name;
  }
}

TEST(TableTest, EveryTypeOfTheSchemaIsUsed) {
  const std::string document = openapi("");
  for (const SchemaType& type : schema_types()) {
    EXPECT_NE(document.find("#/components/schemas/" + type.name + "\""), document.npos)
        << type.name;
  }
}

TEST(SchemaTest, RefusesWhatItCannotRead) {
  struct Case {
    const char* why;
    const char* text;
    const char* message;
  };
  for (const auto& [why, text, message] :
       {Case{"a member before any type", "  a: text", "line 1"},
        Case{"no type", "type A\n  a", "no type"},
        Case{"an unknown type", "type A\n  a: B", "no type is"},
        Case{"twice", "type A\ntype A", "twice"},
        Case{"an open list", "type A\n  a: [text", "']' is missing"},
        Case{"alternatives that are no texts", "type A\n  a: text | count", "only texts"}}) {
    const auto types = parse_schema(text);
    ASSERT_FALSE(types) << why;
    EXPECT_THAT(types.error().to_string(), ::testing::HasSubstr(message)) << why;
  }
}

}  // namespace
}  // namespace ki::api::testing
