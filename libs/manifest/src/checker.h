// Checker: one pass over a manifest by the tables of definitions.h. It finds every problem, builds
// the normalised value where normalising changes something, and writes the canonical text.
#pragma once

#include "ki/base/error.h"
#include "ki/json/arena.h"
#include "ki/json/value.h"
#include "ki/manifest/validator.h"
#include "text_buffer.h"
#include "type.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ki::manifest {

// The way from the root to a value, as a chain of steps on the stack.
struct Path {
  const Path* parent = nullptr;
  std::string_view key = {};
  std::size_t index = 0;
  bool is_index = false;

  std::string pointer() const;
};

struct Found {
  std::uint32_t offset = 0;
  Issue issue;
};

class Checker {
 public:
  explicit Checker(Profile profile) : is_strict_(profile == Profile::kStrict) {}

  // Forgets the last manifest. `text` is what offsets point into, or empty.
  void start(std::string_view text);
  // Checks `value` and appends its canonical text. Returns the normalised value.
  json::Value check(const json::Value& value, const Type& type);

  bool is_strict() const { return is_strict_; }
  bool has_issues() const { return !issues_.empty(); }
  // All issues in the order of the text.
  std::vector<Issue> take_issues();
  std::vector<Issue> take_warnings();
  void collect_warnings(bool is_on) { is_collecting_ = is_on; }
  // Semantic rules run where their findings go somewhere.
  bool wants_semantics() const { return is_strict_ || is_collecting_; }

  const TextBuffer& canonical() const { return out_; }
  TextBuffer& canonical() { return out_; }
  // Where the member `spec` of the root began (its comma included).
  std::size_t spec_begin() const { return spec_begin_; }

  void issue(const json::Value& at, const Path* path, std::string_view code, std::string message,
             std::string fix = "");
  // An issue in the strict profile, else a warning.
  void semantic(const json::Value& at, const Path* path, std::string_view code, std::string message,
                std::string fix = "");

 private:
  // Each returns true when the normalised value differs, and then sets `changed`.
  bool run(const json::Value& value, const Type& type, const Path* path, json::Value& changed);
  bool check_object(const json::Value& value, const Type& type, const Path* path,
                    json::Value& changed);
  bool check_map(const json::Value& value, const Type& type, const Path* path,
                 json::Value& changed);
  bool check_list(const json::Value& value, const Type& type, const Path* path,
                  json::Value& changed);
  bool check_set(const json::Value& value, const Type& type, const Path* path,
                 json::Value& changed);
  bool check_duration(const json::Value& value, const Path* path, json::Value& changed);
  void check_text(const json::Value& value, const Type& type, const Path* path);
  void check_choice(const json::Value& value, const Type& type, const Path* path);
  void check_integer(const json::Value& value, Bound bound, const Path* path);
  void check_number(const json::Value& value, Bound bound, const Path* path);
  void check_dimension(const json::Value& value, const Path* path);
  void check_spelling(const json::Value& number, const Path* path);
  void check_ambiguous(const json::Value& value, const Path* path);
  void check_length(const json::Value& value, std::uint32_t limit, const Path* path);
  void unknown_member(const json::Member& member, const Type& type, const Path* path);
  void wrong_type(const json::Value& value, std::string_view expected, const Path* path);
  std::string spelling_at(std::uint32_t offset) const;
  std::string describe(const json::Value& value) const;
  Issue make(std::uint32_t offset, const Path* path, std::string_view code, std::string message,
             std::string fix) const;

  bool is_strict_;
  bool is_collecting_ = false;
  std::string_view text_;
  json::Arena arena_;
  TextBuffer out_;
  std::size_t spec_begin_ = 0;
  std::vector<Found> issues_;
  std::vector<Found> warnings_;
};

// The rules of `type.cross` on the object's members (rules.cpp).
void check_cross_rule(Checker& checker, const json::Value& object, CrossRule rule,
                      const Path* path);

// What is wrong with a text of that format, or nothing; `is_strict` chooses among URL rules.
bool matches(Format format, std::string_view text, bool is_strict);
std::string_view expectation(Format format);

}  // namespace ki::manifest
