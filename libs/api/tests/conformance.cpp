#include "conformance.h"

#include "ki/base/instant.h"
#include "ki/base/uuid.h"
#include "ki/digest/digest.h"

#include <algorithm>

namespace ki::api::testing {
namespace {

using json::Kind;
using json::Value;

class Checker {
 public:
  std::vector<std::string> problems;

  void check(const Value& value, const SchemaType& type, const std::string& path) {
    if (!value.is_object()) return report(path, "is no object");
    for (const MemberType& member : type.members) {
      const Value* found = value.find(member.name);
      if (found != nullptr) {
        check(*found, member.type, path + "/" + member.name);
      } else if (!member.is_optional) {
        report(path + "/" + member.name, "is missing");
      }
    }
    for (const json::Member& member : value.members()) {
      if (std::ranges::find(type.members, member.key, &MemberType::name) == type.members.end()) {
        report(path + "/" + std::string(member.key), "is not declared in " + type.name);
      }
    }
  }

 private:
  void report(const std::string& path, const std::string& what) {
    if (problems.size() < 20) problems.push_back(path + " " + what);
  }

  void check(const Value& value, const TypeRef& type, const std::string& path) {
    if (value.is_null() && type.is_nullable) return;
    switch (type.kind) {
      case TypeRef::Kind::kScalar:
        if (!is_scalar(value, type.name)) report(path, "is no " + type.name);
        return;
      case TypeRef::Kind::kNamed:
        return check(value, *find_schema_type(type.name), path);
      case TypeRef::Kind::kChoice:
        if (!value.is_string() ||
            std::ranges::find(type.choices, value.string()) == type.choices.end()) {
          report(path, "is none of the texts");
        }
        return;
      case TypeRef::Kind::kList:
        if (!value.is_array()) return report(path, "is no list");
        for (std::size_t i = 0; i < value.items().size(); ++i) {
          check(value.items()[i], type.item.front(), path + "/" + std::to_string(i));
        }
        return;
      case TypeRef::Kind::kMap:
        if (!value.is_object()) return report(path, "is no object");
        for (const json::Member& member : value.members()) {
          check(member.value, type.item.front(), path + "/" + std::string(member.key));
        }
        return;
    }
  }

  static bool is_scalar(const Value& value, std::string_view name) {
    if (name == "any") return true;
    if (name == "boolean") return value.is_bool();
    if (name == "number") return value.is_number();
    if (name == "integer") return value.is_number() && value.integer();
    if (name == "count") return value.is_number() && value.integer() && *value.integer() >= 0;
    if (!value.is_string()) return false;
    const std::string_view text = value.string();
    if (name == "uuid") return Uuid::parse(text).has_value();
    if (name == "digest") return Digest::parse(text).has_value();
    if (name == "instant") return parse_instant(text).has_value();
    if (name == "date") return parse_instant(std::string(text) + "T00:00Z").has_value();
    return name == "text";
  }
};

}  // namespace

std::vector<std::string> problems_with(const Value& value, std::string_view type) {
  Checker checker;
  const SchemaType* declared = find_schema_type(type);
  if (declared == nullptr) return {"no type is " + std::string(type)};
  checker.check(value, *declared, "");
  return checker.problems;
}

}  // namespace ki::api::testing
