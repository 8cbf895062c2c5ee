#include "ki/manifest/schema.h"

#include "definitions.h"
#include "ki/json/writer.h"

#include <fmt/format.h>

namespace ki::manifest {
namespace {

// Patterns of spec 01.2 as ECMAScript regular expressions. They are at most as narrow as the
// checks in scalar.cpp: what these refuse, those refuse too.
std::string_view pattern(Format format) {
  switch (format) {
    case Format::kFree:
      return "";
    case Format::kToken:
      return "^[a-z][a-z0-9_]*$";
    case Format::kSlug:
      return "^[a-z0-9][a-z0-9-]*$";
    case Format::kName:
      return "^[a-z0-9][a-z0-9._-]*$";
    case Format::kUrl:
      return "^[Hh][Tt][Tt][Pp][Ss]://";
    case Format::kCommit:
      return "^[0-9a-f]{40}$";
    case Format::kDigest:
      return "^sha256:[0-9a-f]{64}$";
    case Format::kInstant:
      return "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]"
             "(:[0-5][0-9](\\.[0-9]+)?)?Z$";
    case Format::kExpression:
      return "^[a-z0-9_+\\-*%/() ]+$";
  }
  return "";
}

constexpr std::string_view kDurationPattern = "^[0-9]+(\\.[0-9]+)?\\s?(ns|us|µs|ms|s)$";
constexpr std::int64_t kMaxInteger = 9007199254740991;  // 2^53 − 1

class SchemaWriter {
 public:
  explicit SchemaWriter(std::string& out) : writer_(out, json::Writer::Style::kIndented) {}

  void run(ManifestKind kind) {
    writer_.begin_object();
    writer_.member("$schema", "https://json-schema.org/draft/2020-12/schema");
    writer_.member("$id", fmt::format("https://kernelindex.dev/schemas/v1alpha1/{}.schema.json",
                                      kind_slug(kind)));
    writer_.member("title", to_string(kind));
    members(manifest_type(kind));
    writer_.end_object();
  }

 private:
  void schema(const Type& type, std::string_view meaning = "") {
    writer_.begin_object();
    if (!meaning.empty()) writer_.member("description", meaning);
    members(type);
    writer_.end_object();
  }

  void members(const Type& type) {
    switch (type.rule) {
      case Rule::kObject:
        object(type);
        return;
      case Rule::kMap:
        writer_.member("type", "object");
        names(type);
        writer_.key("additionalProperties");
        schema(*type.item);
        return;
      case Rule::kList:
      case Rule::kSet:
        writer_.member("type", "array");
        if (type.min_items != 0) writer_.member("minItems", type.min_items);
        if (type.max_items != 0) writer_.member("maxItems", type.max_items);
        writer_.key("items");
        schema(*type.item);
        return;
      case Rule::kText:
        writer_.member("type", "string");
        text(type);
        return;
      case Rule::kChoice:
        if (type.choices.size() == 1) {
          writer_.member("const", type.choices[0]);
          return;
        }
        writer_.key("enum").begin_array();
        for (const std::string_view choice : type.choices) writer_.value(choice);
        writer_.end_array();
        return;
      case Rule::kInteger:
        integer(type.bound);
        return;
      case Rule::kNumber:
        writer_.member("type", "number");
        bounds(type.bound);
        return;
      case Rule::kBool:
        writer_.member("type", "boolean");
        return;
      case Rule::kDuration:
        alternatives([this] { integer(Bound::kAtLeastZero); },
                     [this] {
                       writer_.member("type", "string");
                       writer_.member("pattern", kDurationPattern);
                     });
        return;
      case Rule::kDimension:
        alternatives([this] { integer(Bound::kAtLeastZero); },
                     [this] {
                       writer_.member("type", "string");
                       writer_.member("pattern", pattern(Format::kToken));
                     });
        return;
      case Rule::kTextOrNumber:
        alternatives(
            [this] {
              writer_.member("type", "number");
              bounds(Bound::kNone);
            },
            [&] {
              writer_.member("type", "string");
              text(type);
            });
        return;
      case Rule::kAny:
        return;
    }
  }

  template <class First, class Second>
  void alternatives(const First& first, const Second& second) {
    writer_.key("anyOf").begin_array();
    writer_.begin_object();
    first();
    writer_.end_object();
    writer_.begin_object();
    second();
    writer_.end_object();
    writer_.end_array();
  }

  void object(const Type& type) {
    writer_.member("type", "object");
    writer_.member("additionalProperties", false);
    writer_.key("required").begin_array();
    for (const Field& field : type.fields) {
      if (field.is_required) writer_.value(field.name);
    }
    writer_.end_array();
    writer_.key("properties").begin_object();
    for (const Field& field : type.fields) {
      writer_.key(field.name);
      schema(*field.type, field.meaning);
    }
    writer_.end_object();
  }

  void names(const Type& type) {
    if (type.key_format == Format::kFree && type.max_length == 0) return;
    writer_.key("propertyNames").begin_object();
    text({.rule = Rule::kText, .format = type.key_format, .max_length = type.max_length});
    writer_.end_object();
  }

  void text(const Type& type) {
    // JSON Schema counts code points, we count UTF-16 code units: never fewer.
    if (type.max_length != 0) writer_.member("maxLength", type.max_length);
    if (type.format != Format::kFree) writer_.member("pattern", pattern(type.format));
  }

  void integer(Bound bound) {
    writer_.member("type", "integer");
    writer_.member("minimum", bound == Bound::kNone          ? -kMaxInteger
                              : bound == Bound::kAtLeastZero ? 0
                                                             : 1);
    writer_.member("maximum", kMaxInteger);
  }

  // Numbers from 2^53 on are refused in every spelling (spec 17); the double before it is 2^53−1.
  void bounds(Bound bound) {
    switch (bound) {
      case Bound::kNone:
        writer_.member("minimum", -kMaxInteger);
        break;
      case Bound::kAtLeastZero:
        writer_.member("minimum", 0);
        break;
      case Bound::kAboveZero:
        writer_.member("exclusiveMinimum", 0);
        break;
      case Bound::kUnitInterval:
        writer_.member("minimum", 0);
        writer_.member("maximum", 1);
        return;
    }
    writer_.member("maximum", kMaxInteger);
  }

  json::Writer writer_;
};

}  // namespace

std::string schema_file_name(ManifestKind kind) {
  return fmt::format("{}.v1alpha1.schema.json", kind_slug(kind));
}

std::string json_schema(ManifestKind kind) {
  std::string out;
  SchemaWriter(out).run(kind);
  out += '\n';
  return out;
}

}  // namespace ki::manifest
