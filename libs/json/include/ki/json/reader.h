// The strict JSON reader (RFC 8259 with I-JSON's refusals, RFC 7493). It refuses what two readers
// could understand differently: duplicate names in any spelling, lone surrogates, invalid UTF-8,
// NUL, numbers that a double does not hold exactly, a byte order mark, anything after the value.
#pragma once

#include "ki/base/result.h"
#include "ki/json/value.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ki::json {

struct Limits {
  std::size_t max_bytes = 1'048'576;  // refused before reading (spec 01.6)
  std::size_t max_depth = 64;         // nested arrays and objects
  std::size_t max_issues = 100;       // reading stops when so many were found
};

// Codes of the issues: syntax, duplicate_key, lone_surrogate, invalid_utf8, nul_character,
// control_character, byte_order_mark, number_too_large, number_overflow, number_underflow,
// too_deep, too_large, trailing_data, empty.
//
// A Reader reuses its memory: values of one read() are valid until the next.
// Not safe for concurrent use.
class Reader {
 public:
  explicit Reader(Limits limits = {}) : limits_(limits) {}

  // The value, or every problem found (all but syntax problems are collected). The returned value
  // points into `text`, which must outlive it.
  Result<Value> read(std::string_view text);

 private:
  friend class ReaderRun;
  friend Result<Document> read_document(std::string_view, Limits);
  struct Open {  // a container that is being read
    bool is_object;
    std::uint32_t offset;
    std::size_t base;      // where its items or members begin on the shared stack
    std::string_view key;  // objects: of the member being read
    std::uint32_t key_offset = 0;
  };
  Limits limits_;
  Arena arena_;
  std::vector<Open> open_;
  std::string scratch_;
  std::vector<Value> values_;  // open arrays' items, then objects' members move to the arena
  std::vector<Member> members_;
};

// Reads one document that owns copies of all its text.
Result<Document> read_document(std::string_view text, Limits limits = {});

}  // namespace ki::json
