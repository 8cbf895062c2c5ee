// The types that the API sends and takes. They are written once, in schema/answers.txt, one type a
// paragraph:
//
//   type NAME -- what it is
//     member: TYPE -- what it is       (a '?' after the name: may be left out)
//
// TYPE is text, count (an integer, 0 or more), integer, number, boolean, uuid, digest, instant,
// date, any, the name of a type, "a" | "b" for one of some texts, [TYPE] for a list, {TYPE} for an
// object with any names, each followed by `| null` where null is possible.
#pragma once

#include "ki/base/result.h"
#include "ki/json/writer.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ki::api {

struct TypeRef {
  enum class Kind : std::uint8_t { kScalar, kNamed, kChoice, kList, kMap };
  Kind kind = Kind::kScalar;
  std::string name;                    // of a scalar or a type
  std::vector<std::string> choices{};  // kChoice
  std::vector<TypeRef> item{};         // kList, kMap: exactly one
  bool is_nullable = false;
};

struct MemberType {
  std::string name;
  TypeRef type;
  std::string help;
  bool is_optional = false;
};

struct SchemaType {
  std::string name;
  std::string help;
  std::vector<MemberType> members;
};

// kInvalidArgument names the line: bad syntax, a type that is defined twice or not at all.
Result<std::vector<SchemaType>> parse_schema(std::string_view text);

// The API's own types, in order of the file.
const std::vector<SchemaType>& schema_types();
const SchemaType* find_schema_type(std::string_view name);

// As JSON Schema 2020-12 with references to #/components/schemas.
void write_schema(json::Writer& w, const SchemaType& type);
void write_schema(json::Writer& w, const TypeRef& type);

}  // namespace ki::api
