// RowReader: typed members of a stored row. The first member that is missing or of another type
// makes the whole read fail; the values read after that are defaults.
#pragma once

#include "ki/base/instant.h"
#include "ki/base/uuid.h"
#include "ki/catalog/rows.h"
#include "ki/digest/digest.h"
#include "ki/json/value.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <string_view>

namespace ki::catalog {

class RowReader {
 public:
  explicit RowReader(const json::Value& row) : row_(row) {}

  const std::optional<std::string>& problem() const { return problem_; }

  std::string_view text(std::string_view member) {
    const json::Value* v = required(member);
    if (v == nullptr || !v->is_string()) return refuse(member, "text"), std::string_view();
    return v->string();
  }
  // Empty when absent or null.
  std::string_view optional_text(std::string_view member) {
    const json::Value* v = optional(member);
    if (v == nullptr) return {};
    if (!v->is_string()) return refuse(member, "text or null"), std::string_view();
    return v->string();
  }
  Bytes16 id(std::string_view member) {
    const auto uuid = Uuid::parse(text(member));
    if (!uuid) return refuse(member, "a UUID"), Bytes16{};
    return uuid->bytes;
  }
  std::optional<Bytes16> optional_id(std::string_view member) {
    if (optional(member) == nullptr) return std::nullopt;
    return id(member);
  }
  Bytes32 digest(std::string_view member) {
    const auto value = Digest::parse(text(member));
    if (!value) return refuse(member, "a digest"), Bytes32{};
    return value->bytes();
  }
  std::int64_t instant(std::string_view member) {
    const auto parsed = parse_instant(text(member));
    if (!parsed) return refuse(member, "an instant"), 0;
    return parsed->instant.ms;
  }
  // 0 when absent or null.
  std::int64_t optional_instant(std::string_view member) {
    return optional(member) == nullptr ? 0 : instant(member);
  }
  bool boolean(std::string_view member) {
    const json::Value* v = required(member);
    if (v == nullptr || !v->is_bool()) return refuse(member, "true or false"), false;
    return v->boolean();
  }
  bool optional_boolean(std::string_view member) {
    return optional(member) != nullptr && boolean(member);
  }
  std::optional<std::int64_t> optional_integer(std::string_view member) {
    const json::Value* v = optional(member);
    if (v == nullptr) return std::nullopt;
    const auto integer = v->integer();
    if (!integer) refuse(member, "an integer or null");
    return integer;
  }
  const json::Value* object(std::string_view member) {
    const json::Value* v = required(member);
    if (v == nullptr || !v->is_object()) return refuse(member, "an object"), nullptr;
    return v;
  }
  // The members of a manifest that stands in the row: nothing when they are missing.
  const json::Value* spec(std::string_view member) {
    const json::Value* manifest = object(member);
    if (manifest == nullptr) return nullptr;
    const json::Value* body = manifest->find("spec");
    if (body == nullptr || !body->is_object()) return refuse(member, "a manifest"), nullptr;
    return body;
  }

 private:
  const json::Value* optional(std::string_view member) const {
    const json::Value* v = row_.find(member);
    return v == nullptr || v->is_null() ? nullptr : v;
  }
  const json::Value* required(std::string_view member) {
    const json::Value* v = optional(member);
    if (v == nullptr) refuse(member, "a value");
    return v;
  }
  void refuse(std::string_view member, std::string_view expected) {
    if (!problem_) problem_ = fmt::format("member '{}' is not {}", member, expected);
  }

  const json::Value& row_;
  std::optional<std::string> problem_;
};

}  // namespace ki::catalog
