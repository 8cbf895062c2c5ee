#include "stored.h"

#include "ki/json/canonical.h"
#include "ki/json/number.h"

#include <fmt/format.h>

namespace ki::views {

Result<json::Document> read_row(catalog::Store& store, std::uint32_t entry) {
  KI_TRY(const auto found, store.read(entry));
  if (!found) {
    return fail(Code::kCorrupt,
                fmt::format("entry {} is missing from the store; run ki fsck", entry));
  }
  return json::read_document(
      found->body, {.max_bytes = std::size_t{64} << 20, .max_depth = 64, .max_issues = 1});
}

std::string_view text_of(const json::Value* object, std::string_view member) {
  const json::Value* value = object == nullptr ? nullptr : object->find(member);
  return value != nullptr && value->is_string() ? value->string() : std::string_view();
}

const json::Value* at(const json::Value* object, std::string_view first, std::string_view second) {
  const json::Value* inner = object == nullptr ? nullptr : object->find(first);
  return inner == nullptr ? nullptr : inner->find(second);
}

std::string scalar_text(const json::Value& value) {
  switch (value.kind()) {
    case json::Kind::kString:
      return std::string(value.string());
    case json::Kind::kNumber:
      return json::number_text(value.number());
    case json::Kind::kBool:
      return value.boolean() ? "true" : "false";
    case json::Kind::kNull:
      return "null";
    case json::Kind::kArray:
    case json::Kind::kObject:
      break;
  }
  return json::canonical(value);
}

const json::Value* spec_of(const json::Value& row) { return at(&row, "manifest", "spec"); }

}  // namespace ki::views
