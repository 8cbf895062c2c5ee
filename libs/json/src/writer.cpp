#include "ki/json/writer.h"

#include "ki/base/check.h"
#include "ki/json/canonical.h"
#include "ki/json/number.h"

namespace ki::json {

void Writer::newline() {
  if (style_ == Style::kCompact) return;
  out_ += '\n';
  out_.append(2 * levels_.size(), ' ');
}

void Writer::before_value() {
  if (levels_.empty()) return;
  if (levels_.back().is_object) {
    KI_CHECK(has_key_);
    has_key_ = false;
    return;
  }
  if (levels_.back().has_items) out_ += ',';
  levels_.back().has_items = true;
  newline();
}

Writer& Writer::begin_object() {
  before_value();
  out_ += '{';
  levels_.push_back({true, false});
  return *this;
}

Writer& Writer::begin_array() {
  before_value();
  out_ += '[';
  levels_.push_back({false, false});
  return *this;
}

Writer& Writer::end_object() {
  KI_CHECK(!levels_.empty() && levels_.back().is_object && !has_key_);
  const bool has_items = levels_.back().has_items;
  levels_.pop_back();
  if (has_items) newline();
  out_ += '}';
  return *this;
}

Writer& Writer::end_array() {
  KI_CHECK(!levels_.empty() && !levels_.back().is_object);
  const bool has_items = levels_.back().has_items;
  levels_.pop_back();
  if (has_items) newline();
  out_ += ']';
  return *this;
}

Writer& Writer::key(std::string_view name) {
  KI_CHECK(!levels_.empty() && levels_.back().is_object && !has_key_);
  if (levels_.back().has_items) out_ += ',';
  levels_.back().has_items = true;
  newline();
  append_string(out_, name);
  out_ += style_ == Style::kCompact ? ":" : ": ";
  has_key_ = true;
  return *this;
}

Writer& Writer::null() {
  before_value();
  out_ += "null";
  return *this;
}

Writer& Writer::value(std::string_view text) {
  before_value();
  append_string(out_, text);
  return *this;
}

Writer& Writer::write_bool(bool truth) {
  before_value();
  out_ += truth ? "true" : "false";
  return *this;
}

Writer& Writer::write_integer(std::int64_t number) {
  before_value();
  append_integer(out_, number);
  return *this;
}

Writer& Writer::value(double number) {
  before_value();
  append_number(out_, number);
  return *this;
}

Writer& Writer::raw(std::string_view json) {
  before_value();
  out_ += json;
  return *this;
}

Writer& Writer::value(const Value& tree) {
  switch (tree.kind()) {
    case Kind::kNull:
      return null();
    case Kind::kBool:
      return write_bool(tree.boolean());
    case Kind::kNumber:
      return value(tree.number());
    case Kind::kString:
      return value(tree.string());
    case Kind::kArray:
      begin_array();
      for (const Value& item : tree.items()) value(item);
      return end_array();
    case Kind::kObject:
      begin_object();
      for (const Member& member : tree.members()) key(member.key).value(member.value);
      return end_object();
  }
  return *this;
}

}  // namespace ki::json
