#include "ki/api/schema.h"

#include "ki/base/check.h"
#include "ki/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ki::api {

std::string_view answers_text(std::string_view key);  // compiled in from schema/answers.txt

namespace {

// Scalars as JSON Schema.
struct Scalar {
  std::string_view name;
  std::string_view type;
  std::string_view format;
  std::string_view pattern;
};
constexpr std::array kScalars = {
    Scalar{"text", "string", {}, {}},
    Scalar{"count", "integer", {}, {}},
    Scalar{"integer", "integer", {}, {}},
    Scalar{"number", "number", {}, {}},
    Scalar{"boolean", "boolean", {}, {}},
    Scalar{"uuid", "string", "uuid", {}},
    Scalar{"digest", "string", {}, "^sha256:[0-9a-f]{64}$"},
    Scalar{"instant", "string", "date-time", {}},
    Scalar{"date", "string", "date", {}},
    Scalar{"any", {}, {}, {}},
};

const Scalar* find_scalar(std::string_view name) {
  const auto found = std::ranges::find(kScalars, name, &Scalar::name);
  return found == kScalars.end() ? nullptr : &*found;
}

// Reads one TYPE.
class TypeReader {
 public:
  explicit TypeReader(std::string_view text) : rest_(trim(text)) {}

  Result<TypeRef> read() {
    KI_TRY(TypeRef type, one());
    while (take('|')) {
      if (take_word("null")) {
        type.is_nullable = true;
        continue;
      }
      KI_TRY(const TypeRef other, one());
      if (type.kind != TypeRef::Kind::kChoice || other.kind != TypeRef::Kind::kChoice) {
        return fail(Code::kInvalidArgument, "only texts can be alternatives");
      }
      type.choices.push_back(other.choices.front());
    }
    if (!rest_.empty()) return fail(Code::kInvalidArgument, fmt::format("{} is left over", rest_));
    return type;
  }

 private:
  Result<TypeRef> one() {
    TypeRef type;
    rest_ = trim(rest_);
    if (take('"')) {
      const std::size_t end = rest_.find('"');
      if (end == rest_.npos) return fail(Code::kInvalidArgument, "a text has no end");
      type.kind = TypeRef::Kind::kChoice;
      type.choices.emplace_back(rest_.substr(0, end));
      rest_.remove_prefix(end + 1);
      return type;
    }
    for (const auto& [open, close, kind] :
         {std::tuple{'[', ']', TypeRef::Kind::kList}, {'{', '}', TypeRef::Kind::kMap}}) {
      if (!take(open)) continue;
      KI_TRY(type.item.emplace_back(), one());
      type.kind = kind;
      if (!take(close)) return fail(Code::kInvalidArgument, fmt::format("'{}' is missing", close));
      return type;
    }
    std::size_t length = 0;
    while (length < rest_.size() && is_ascii_alnum(rest_[length])) ++length;
    if (length == 0) return fail(Code::kInvalidArgument, "a type is missing");
    type.name = rest_.substr(0, length);
    rest_.remove_prefix(length);
    type.kind = find_scalar(type.name) != nullptr ? TypeRef::Kind::kScalar : TypeRef::Kind::kNamed;
    return type;
  }

  bool take(char c) {
    rest_ = trim(rest_);
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    rest_ = trim(rest_);
    return true;
  }
  bool take_word(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    rest_ = trim(rest_);
    return true;
  }

  std::string_view rest_;
};

// "text -- help" in two.
std::pair<std::string_view, std::string_view> split_help(std::string_view line) {
  const std::size_t at = line.find(" -- ");
  if (at == line.npos) return {trim(line), {}};
  return {trim(line.substr(0, at)), trim(line.substr(at + 4))};
}

Result<MemberType> read_member(std::string_view line) {
  const auto [declaration, help] = split_help(line);
  const std::size_t colon = declaration.find(':');
  if (colon == declaration.npos) return fail(Code::kInvalidArgument, "a member has no type");
  MemberType member;
  member.help = help;
  std::string_view name = declaration.substr(0, colon);
  member.is_optional = name.ends_with('?');
  if (member.is_optional) name.remove_suffix(1);
  member.name = name;
  KI_TRY(member.type, TypeReader(declaration.substr(colon + 1)).read());
  return member;
}

Result<void> check_named(const TypeRef& type, const std::vector<SchemaType>& types) {
  if (type.kind == TypeRef::Kind::kNamed &&
      std::ranges::find(types, type.name, &SchemaType::name) == types.end()) {
    return fail(Code::kInvalidArgument, fmt::format("no type is {}", quote(type.name)));
  }
  for (const TypeRef& item : type.item) KI_TRY_VOID(check_named(item, types));
  return {};
}

// The members of a type's schema.
void write_members(json::Writer& w, const TypeRef& type) {
  const auto write_type = [&](std::string_view name) {
    w.key("type");
    if (type.is_nullable) {
      w.begin_array().value(name).value("null").end_array();
    } else {
      w.value(name);
    }
  };
  switch (type.kind) {
    case TypeRef::Kind::kScalar: {
      const Scalar& scalar = *find_scalar(type.name);
      if (!scalar.type.empty()) write_type(scalar.type);
      if (!scalar.format.empty()) w.member("format", scalar.format);
      if (!scalar.pattern.empty()) w.member("pattern", scalar.pattern);
      if (type.name == "count") w.member("minimum", 0);
      break;
    }
    case TypeRef::Kind::kNamed: {
      const std::string reference = "#/components/schemas/" + type.name;
      if (type.is_nullable) {
        w.key("anyOf").begin_array();
        w.begin_object().member("$ref", reference).end_object();
        w.begin_object().member("type", "null").end_object().end_array();
      } else {
        w.member("$ref", reference);
      }
      break;
    }
    case TypeRef::Kind::kChoice:
      write_type("string");
      w.key("enum").begin_array();
      for (const std::string& choice : type.choices) w.value(choice);
      if (type.is_nullable) w.null();
      w.end_array();
      break;
    case TypeRef::Kind::kList:
      write_type("array");
      w.key("items");
      write_schema(w, type.item.front());
      break;
    case TypeRef::Kind::kMap:
      write_type("object");
      w.key("additionalProperties");
      write_schema(w, type.item.front());
      break;
  }
}

}  // namespace

Result<std::vector<SchemaType>> parse_schema(std::string_view text) {
  std::vector<SchemaType> types;
  std::size_t number = 0;
  const auto at_line = [&](Error error) {
    return fail(std::move(error).within(fmt::format("line {}", number)));
  };
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (trim(line).empty() || line.starts_with("--")) continue;
    if (line.starts_with("type ")) {
      const auto [name, help] = split_help(line.substr(5));
      if (std::ranges::find(types, name, &SchemaType::name) != types.end()) {
        return at_line({Code::kInvalidArgument, fmt::format("{} is defined twice", name)});
      }
      types.push_back({.name = std::string(name), .help = std::string(help), .members = {}});
      continue;
    }
    if (!line.starts_with("  ") || types.empty()) {
      return at_line({Code::kInvalidArgument, "neither a type nor a member"});
    }
    auto member = read_member(line);
    if (!member) return at_line(std::move(member).error());
    types.back().members.push_back(*std::move(member));
  }
  for (const SchemaType& type : types) {
    for (const MemberType& member : type.members) {
      if (auto checked = check_named(member.type, types); !checked) {
        return fail(
            std::move(checked).error().within(fmt::format("{}.{}", type.name, member.name)));
      }
    }
  }
  return types;
}

const std::vector<SchemaType>& schema_types() {
  static const std::vector<SchemaType> kTypes = [] {
    auto types = parse_schema(answers_text("answers"));
    KI_CHECK(types.has_value());
    return *std::move(types);
  }();
  return kTypes;
}

const SchemaType* find_schema_type(std::string_view name) {
  const auto found = std::ranges::find(schema_types(), name, &SchemaType::name);
  return found == schema_types().end() ? nullptr : &*found;
}

void write_schema(json::Writer& w, const TypeRef& type) {
  w.begin_object();
  write_members(w, type);
  w.end_object();
}

void write_schema(json::Writer& w, const SchemaType& type) {
  w.begin_object().member("type", "object");
  if (!type.help.empty()) w.member("description", type.help);
  w.key("properties").begin_object();
  for (const MemberType& member : type.members) {
    w.key(member.name).begin_object();
    write_members(w, member.type);
    if (!member.help.empty()) w.member("description", member.help);
    w.end_object();
  }
  w.end_object().key("required").begin_array();
  for (const MemberType& member : type.members) {
    if (!member.is_optional) w.value(member.name);
  }
  w.end_array().end_object();
}

}  // namespace ki::api
