#include "members.h"

#include <fmt/format.h>

namespace ki::queue {

Result<Members> Members::of(const json::Value& value, std::string where) {
  if (!value.is_object())
    return fail(Code::kInvalidArgument, fmt::format("{} is not an object", where));
  return Members(value, std::move(where));
}
Result<const json::Value*> Members::take(std::string_view name) {
  const json::Value* value = object_->find(name);
  if (value == nullptr) return wrong(name, "is missing");
  ++taken_;
  return value;
}
Result<std::string> Members::text(std::string_view name) {
  KI_TRY(const json::Value* value, take(name));
  if (!value->is_string()) return wrong(name, "is not a text");
  return std::string(value->string());
}
Result<Digest> Members::digest(std::string_view name) {
  KI_TRY(const std::string text, this->text(name));
  const auto parsed = Digest::parse(text);
  if (!parsed) {
    return wrong(name, "is not a digest sha256:...; what can change its meaning is refused");
  }
  return *parsed;
}
Result<std::optional<Digest>> Members::optional_digest(std::string_view name) {
  const json::Value* value = object_->find(name);
  if (value == nullptr || !value->is_null()) {
    KI_TRY(const Digest digest, this->digest(name));
    return digest;
  }
  ++taken_;
  return std::nullopt;
}
Result<Instant> Members::instant(std::string_view name) {
  KI_TRY(const std::string text, this->text(name));
  const auto parsed = parse_instant(text);
  if (!parsed || !parsed->is_canonical) return wrong(name, "is not an instant");
  return parsed->instant;
}
Result<Uuid> Members::uuid(std::string_view name) {
  KI_TRY(const std::string text, this->text(name));
  const auto parsed = Uuid::parse(text);
  if (!parsed) return wrong(name, "is not an id");
  return *parsed;
}
Result<std::int64_t> Members::integer(std::string_view name, std::int64_t low, std::int64_t high) {
  KI_TRY(const json::Value* value, take(name));
  const auto integer = value->is_number() ? value->integer() : std::nullopt;
  if (!integer || *integer < low || *integer > high)
    return wrong(name, fmt::format("is not a whole number from {} to {}", low, high));
  return *integer;
}
Result<bool> Members::boolean(std::string_view name) {
  KI_TRY(const json::Value* value, take(name));
  if (!value->is_bool()) return wrong(name, "is neither true nor false");
  return value->boolean();
}
Result<const json::Value*> Members::array(std::string_view name) {
  KI_TRY(const json::Value* value, take(name));
  if (!value->is_array()) return wrong(name, "is not a list");
  return value;
}
Result<Members> Members::object(std::string_view name) {
  KI_TRY(const json::Value* value, take(name));
  return of(*value, fmt::format("{}/{}", where_, name));
}
Result<void> Members::finish() const {
  if (taken_ == object_->members().size()) return {};
  return fail(Code::kInvalidArgument, fmt::format("{} has unknown members", where_));
}
std::unexpected<Error> Members::wrong(std::string_view name, std::string_view what) const {
  return fail(Code::kInvalidArgument, fmt::format("{}/{} {}", where_, name, what));
}

}  // namespace ki::queue
