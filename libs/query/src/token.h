// Splitting a query text into tokens (spec 05.1), shared by the parser and the rewriter.
#pragma once

#include "ki/query/intent.h"

#include <string_view>
#include <vector>

namespace ki::query {

enum class TokenKind : std::uint8_t {
  kQuoted,  // "…"
  kKeyed,   // key:value or key=value
  kPlain,
};
struct Token {
  TokenKind kind = TokenKind::kPlain;
  std::string_view text;   // the whole token
  std::string_view key;    // of a keyed one
  std::string_view value;  // of a keyed one, without the quotes; the inside of a quoted one
  bool has_quoted_value = false;
  Span span;
};

std::vector<Token> tokenize(std::string_view text);

// Bytes of the white space character at text[at] (ECMAScript's \s), 0 when it is none.
std::size_t space_length(std::string_view text, std::size_t at);
bool has_space(std::string_view text);
std::string_view trim_spaces(std::string_view text);

}  // namespace ki::query
