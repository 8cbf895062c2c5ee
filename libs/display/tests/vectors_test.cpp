// spec/vectors/format.json and names.json: the original's answers; tests/divergences.tsv has the
// rest.
#include "ki/display_testing/vectors.h"

#include "ki/display/format.h"
#include "ki/display/labels.h"
#include "ki/display/names.h"
#include "ki/json/number.h"
#include "ki/json/reader.h"

#include <gtest/gtest.h>

namespace ki::display {
namespace {

using json::Value;

class Vectors : public ::testing::Test {
 protected:
  void open(std::string_view file) {
    const auto path = testing::shared("spec/vectors/" + std::string(file));
    const auto text = testing::read_text(path);
    if (!text) GTEST_SKIP() << "skipped: ../shared is absent";
    auto document = json::read_document(*text, {.max_bytes = 64 << 20});
    ASSERT_TRUE(document) << document.error().to_string();
    document_ = *std::move(document);
  }
  std::span<const Value> rows(std::string_view member) const {
    const Value* list = document_.root.find(member);
    EXPECT_NE(list, nullptr) << member;
    return list == nullptr ? std::span<const Value>() : list->items();
  }
  json::Document document_;
};

std::string text_of(const Value& row, std::string_view key) {
  const Value* value = row.find(key);
  return value == nullptr || value->is_null() ? "null" : std::string(value->string());
}
double number_of(const Value& row, std::string_view key) { return row.find(key)->number(); }

TEST_F(Vectors, OfFormattingAgree) {
  open("format.json");
  if (IsSkipped()) return;
  testing::Divergences divergences("format.json");
  ASSERT_EQ(rows("latency").size(), 33u);
  for (const Value& row : rows("latency")) {
    const double ns = number_of(row, "ns");
    divergences.expect("latency/" + json::number_text(ns), text_of(row, "text"), latency_text(ns));
  }
  for (const Value& row : rows("primary")) {
    const double value = number_of(row, "value");
    const std::string unit = text_of(row, "unit");
    const std::string name = "primary/" + json::number_text(value) + " " + unit;
    const Value& parts = *row.find("parts");
    divergences.expect(name, text_of(row, "text"), primary_text(value, unit));
    divergences.expect(name + "/parts", text_of(parts, "value") + "|" + text_of(parts, "unit"),
                       primary(value, unit).value + "|" + primary(value, unit).unit);
  }
  for (const Value& row : rows("spread")) {
    const Value& metric = *row.find("p");
    const Value& interval = *metric.find("uncertainty");
    const Spread values{.value = number_of(metric, "value"),
                        .low = number_of(interval, "low"),
                        .high = number_of(interval, "high")};
    divergences.expect("spread/" + json::number_text(values.value), text_of(row, "text"),
                       spread(values, text_of(metric, "unit")));
  }
  for (const Value& row : rows("relative")) {
    divergences.expect("relative/" + json::number_text(number_of(row, "value")),
                       text_of(row, "text"),
                       relative(number_of(row, "value"), number_of(row, "best")));
  }
  int index = 0;
  for (const Value& row : rows("sourceNative")) {
    divergences.expect("sourceNative/" + std::to_string(index++), text_of(row, "text"),
                       source_native_line(*row.find("metrics")).value_or("null"));
  }
  for (const Value& row : rows("sol")) {
    const double score = number_of(row, "s");
    divergences.expect("sol/" + json::number_text(score), text_of(row, "long"), sol_text(score));
    divergences.expect("sol/" + json::number_text(score), text_of(row, "cell"), sol_cell(score));
  }
  index = 0;
  for (const Value& row : rows("dtypes")) {
    std::vector<std::string_view> dtypes;
    for (const Value& dtype : row.find("dtypes")->items()) dtypes.push_back(dtype.string());
    divergences.expect("dtypes/" + std::to_string(index++), text_of(row, "text"),
                       dtype_label(dtypes));
  }
  for (const Value& row : rows("field")) {
    const std::string field = text_of(row, "field");
    divergences.expect("field/" + field, text_of(row, "text"), mismatch_field(field));
  }
  divergences.expect_all_seen();
}

TEST_F(Vectors, OfNamesAgree) {
  open("names.json");
  if (IsSkipped()) return;
  testing::Divergences divergences("names.json");
  ASSERT_EQ(rows("humanize").size(), 449u);
  ASSERT_EQ(rows("implementation").size(), 107u);
  for (const Value& row : rows("humanize")) {
    divergences.expect("humanize/" + text_of(row, "raw"), text_of(row, "display"),
                       operation_name(text_of(row, "raw")));
  }
  for (const Value& row : rows("implementation")) {
    const std::string title = row.find("title")->is_null() ? "" : text_of(row, "title");
    const std::string slug = text_of(row, "slug");
    const std::string operation = text_of(row, "operationName");
    const std::string operation_slug = text_of(row, "operationSlug");
    divergences.expect("implementation/" + slug + "/" + title, text_of(row, "display"),
                       implementation_name({.title = title,
                                            .slug = slug,
                                            .operation_name = operation,
                                            .operation_slug = operation_slug}));
  }
  for (const Value& row : rows("hardwareSlug")) {
    const std::string model = text_of(row, "model");
    divergences.expect("hardwareSlug/" + model, text_of(row, "slug"), hardware_slug(model));
  }
  divergences.expect_all_seen();
}

}  // namespace
}  // namespace ki::display
