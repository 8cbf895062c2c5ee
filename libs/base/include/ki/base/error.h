// Error: what a caller needs in order to decide (code), what a person needs in order to act
// (message, frames), and, for structured input, every problem found (issues).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ki {

// Few codes, chosen by what the caller does next. exit_code() and the HTTP layer map them.
enum class Code : std::uint8_t {
  kInvalidArgument,  // fix the input
  kNotFound,         // look elsewhere
  kConflict,         // the stored state does not allow it
  kUnavailable,      // retry later (locked, busy, out of space)
  kCorrupt,          // stored bytes do not match their digest: stop and run `ki fsck`
  kUnsupported,      // this build or machine cannot do it
  kCancelled,
  kInternal,
};

std::string_view to_string(Code code);

// The process exit code of an error: 1 failed, 2 usage or invalid input, 3 not found, 70 internal.
int exit_code(Code code);

// One problem of a structured input.
struct Issue {
  std::string code;          // stable, e.g. "duplicate_key"
  std::string pointer;       // RFC 6901 JSON pointer; empty for the whole document
  std::uint32_t line = 0;    // 1-based; 0 when the input has no text positions
  std::uint32_t column = 0;  // 1-based, in bytes
  std::string message;       // what is wrong and what was expected
  std::string fix;           // how to fix it; may be empty

  // "12:5 /spec/axes/m: duplicate_key: ... (fix)"; parts that are missing are left out.
  std::string to_string() const;
  bool operator==(const Issue&) const = default;
};

class Error {
 public:
  Error(Code code, std::string message) : code_(code), message_(std::move(message)) {}
  Error(Code code, std::string message, std::vector<Issue> issues)
      : code_(code), message_(std::move(message)), issues_(std::move(issues)) {}

  Code code() const { return code_; }
  const std::string& message() const { return message_; }
  const std::vector<Issue>& issues() const { return issues_; }

  // Adds a frame of knowledge on the way up: which file, which run.
  Error within(std::string frame) &&;

  // "importing a.jsonl: line 17: no such row"; issues follow, one a line, indented by two spaces.
  std::string to_string() const;

 private:
  Code code_;
  std::string message_;
  std::vector<std::string> frames_;  // innermost first
  std::vector<Issue> issues_;
};

}  // namespace ki
