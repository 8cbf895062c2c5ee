#include "ki/problem/python_outline.h"

#include "ki/base/text.h"

#include <fmt/format.h>

namespace ki::problem {
namespace {

enum class Kind : std::uint8_t { kName, kNumber, kString, kMark };

struct Token {
  Kind kind;
  std::string_view text;
  std::uint32_t line;
};

bool is_name_start(char c) {
  return is_ascii_alpha(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_name_char(char c) { return is_name_start(c) || is_ascii_digit(c); }

bool is_string_prefix(std::string_view word) {
  const std::string lower = ascii_lower(word);
  for (const std::string_view prefix :
       {"r", "b", "u", "f", "t", "br", "rb", "fr", "rf", "tr", "rt"}) {
    if (lower == prefix) return true;
  }
  return false;
}

// Splits a source into logical lines, each a list of tokens with its indentation.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  struct Line {
    std::size_t indent = 0;
    std::vector<Token> tokens;
  };

  // Nothing at the end.
  Result<bool> next(Line& line) {
    line.tokens.clear();
    while (line.tokens.empty()) {
      if (at_ >= text_.size()) return false;
      line.indent = 0;
      while (peek() == ' ' || peek() == '\t' || peek() == '\f') {
        line.indent = peek() == '\t' ? (line.indent / 8 + 1) * 8 : line.indent + 1;
        ++at_;
      }
      KI_TRY_VOID(tokens_of_line(line.tokens));
    }
    return true;
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  std::unexpected<Error> error(std::string_view what) const {
    return fail(Code::kInvalidArgument, fmt::format("line {}: {}", line_, what));
  }

  Result<void> tokens_of_line(std::vector<Token>& out) {
    while (at_ < text_.size()) {
      const char c = peek();
      if (c == '\n' || c == '\r') {
        at_ += c == '\r' && peek(1) == '\n' ? 2 : 1;
        ++line_;
        if (brackets_.empty()) return {};
      } else if (c == '#') {
        while (at_ < text_.size() && peek() != '\n' && peek() != '\r') ++at_;
      } else if (c == '\\' && (peek(1) == '\n' || peek(1) == '\r')) {
        at_ += peek(1) == '\r' && peek(2) == '\n' ? 3 : 2;
        ++line_;
      } else if (c == ' ' || c == '\t' || c == '\f') {
        ++at_;
      } else if (c == '"' || c == '\'') {
        KI_TRY_VOID(string(out));
      } else if (is_name_start(c)) {
        const std::size_t start = at_;
        while (is_name_char(peek())) ++at_;
        const std::string_view word = text_.substr(start, at_ - start);
        if ((peek() == '"' || peek() == '\'') && is_string_prefix(word)) {
          KI_TRY_VOID(string(out));
        } else {
          out.push_back({Kind::kName, word, line_});
        }
      } else if (is_ascii_digit(c) || (c == '.' && is_ascii_digit(peek(1)))) {
        const std::size_t start = at_;
        while (is_name_char(peek()) || peek() == '.' ||
               ((peek() == '+' || peek() == '-') && ascii_lower(text_[at_ - 1]) == 'e' &&
                at_ > start && text_[start + 1] != 'x'))
          ++at_;
        out.push_back({Kind::kNumber, text_.substr(start, at_ - start), line_});
      } else {
        KI_TRY_VOID(mark(out));
      }
    }
    if (!brackets_.empty()) {
      return error(fmt::format("'{}' of line {} is never closed", brackets_.back().first,
                               brackets_.back().second));
    }
    return {};
  }

  Result<void> mark(std::vector<Token>& out) {
    const char c = peek();
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return error("a control character");
    if (c == '$' || c == '?' || c == '`' || c == '\\')
      return error(fmt::format("'{}' is not Python", c));
    if (c == '(' || c == '[' || c == '{') {
      if (brackets_.size() == 200) return error("more than 200 open brackets");
      brackets_.emplace_back(c, line_);
    }
    if (c == ')' || c == ']' || c == '}') {
      const char open = c == ')' ? '(' : c == ']' ? '[' : '{';
      if (brackets_.empty()) return error(fmt::format("'{}' closes nothing", c));
      if (brackets_.back().first != open) {
        return error(fmt::format("'{}' closes '{}' of line {}", c, brackets_.back().first,
                                 brackets_.back().second));
      }
      brackets_.pop_back();
    }
    const std::size_t length =
        text_.substr(at_).starts_with("**") || text_.substr(at_).starts_with("->") ? 2 : 1;
    out.push_back({Kind::kMark, text_.substr(at_, length), line_});
    at_ += length;
    return {};
  }

  // From an opening quote to its close. Escapes are skipped in raw strings too, as Python does.
  Result<void> string(std::vector<Token>& out) {
    const std::size_t start = at_;
    const std::uint32_t first_line = line_;
    const char quote_mark = peek();
    const bool is_long = peek(1) == quote_mark && peek(2) == quote_mark;
    at_ += is_long ? 3 : 1;
    while (true) {
      if (at_ >= text_.size()) {
        line_ = first_line;
        return error("a string is never closed");
      }
      const char c = peek();
      if (c == '\\') {
        if (peek(1) == '\n') ++line_;
        at_ += 2;
      } else if (c == '\n') {
        if (!is_long) return error("a string is not closed on its line");
        ++line_;
        ++at_;
      } else if (c == quote_mark && (!is_long || (peek(1) == c && peek(2) == c))) {
        at_ += is_long ? 3 : 1;
        break;
      } else {
        ++at_;
      }
    }
    out.push_back(
        {Kind::kString, text_.substr(start, std::min(at_, text_.size()) - start), first_line});
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::vector<std::pair<char, std::uint32_t>> brackets_;
};

std::unexpected<Error> header_error(std::uint32_t line, std::string_view what) {
  return fail(Code::kInvalidArgument, fmt::format("line {}: {}", line, what));
}

// Reads `def NAME [types] ( parameters ) [-> type] :` from the tokens of a logical line.
Result<PythonFunction> read_header(const std::vector<Token>& tokens, std::size_t at) {
  PythonFunction function;
  function.line = tokens[at].line;
  const auto is = [&](std::string_view text) {
    return at < tokens.size() && tokens[at].kind == Kind::kMark && tokens[at].text == text;
  };
  const std::uint32_t line = function.line;
  ++at;
  if (at >= tokens.size() || tokens[at].kind != Kind::kName)
    return header_error(line, "'def' is not followed by a name");
  function.name = tokens[at++].text;
  const auto skip_brackets = [&] {  // at an opening one; leaves it behind its closing one
    int depth = 0;
    do {
      if (is("(") || is("[") || is("{")) ++depth;
      if (is(")") || is("]") || is("}")) --depth;
      ++at;
    } while (at < tokens.size() && depth > 0);
  };
  if (is("[")) skip_brackets();
  if (!is("(")) return header_error(line, "the name of a function is not followed by '('");
  ++at;
  bool is_after_star = false;
  while (at < tokens.size() && !is(")")) {
    if (is("/")) {
      ++at;
    } else if (is("*") || is("**")) {
      is_after_star = true;
      ++at;
      if (at < tokens.size() && tokens[at].kind == Kind::kName) ++at;
    } else if (tokens[at].kind == Kind::kName) {
      if (!is_after_star) function.positional.emplace_back(tokens[at].text);
      ++at;
    } else {
      return header_error(tokens[at].line,
                          fmt::format("{} is not a parameter", quote(tokens[at].text)));
    }
    // An annotation and a default, up to the next comma of this level.
    while (at < tokens.size() && !is(",") && !is(")")) {
      if (is("(") || is("[") || is("{")) {
        skip_brackets();
      } else if (tokens[at].kind == Kind::kName && tokens[at].text == "lambda") {
        // The commas of a lambda's parameters end at its ':'.
        while (at < tokens.size() && !is(":") && !is(")")) ++at;
      } else {
        ++at;
      }
    }
    if (is(",")) ++at;
  }
  if (!is(")")) return header_error(line, "the parameters are not closed");
  ++at;
  while (at < tokens.size() && !is(":")) {
    if (is("(") || is("[") || is("{")) {
      skip_brackets();
    } else {
      ++at;
    }
  }
  if (!is(":")) return header_error(line, "':' is missing after the function's header");
  return function;
}

}  // namespace

Result<std::vector<PythonFunction>> outline_python(std::string_view source) {
  std::vector<PythonFunction> functions;
  Lexer lexer(source);
  Lexer::Line line;
  std::vector<std::size_t> indents = {0};
  bool must_indent = false;
  std::uint32_t opener = 0;
  while (true) {
    KI_TRY(const bool is_there, lexer.next(line));
    if (!is_there) break;
    const std::uint32_t number = line.tokens.front().line;
    if (must_indent && line.indent <= indents.back()) {
      return header_error(opener, "an indented block is missing after ':'");
    }
    if (!must_indent && line.indent > indents.back()) {
      return header_error(number, "the line is indented further than its block");
    }
    if (must_indent) {
      indents.push_back(line.indent);
    } else {
      while (line.indent < indents.back()) indents.pop_back();
      if (line.indent != indents.back())
        return header_error(number, "the indentation returns to no level");
    }
    const auto word = [&](std::size_t i) {
      return i < line.tokens.size() && line.tokens[i].kind == Kind::kName ? line.tokens[i].text
                                                                          : std::string_view();
    };
    const bool is_async = word(0) == "async" && word(1) == "def";
    if (word(0) == "def" || is_async) {
      KI_TRY(PythonFunction function, read_header(line.tokens, is_async ? 1 : 0));
      function.is_async = is_async;
      if (line.indent == 0) functions.push_back(std::move(function));
    }
    const Token& last = line.tokens.back();
    must_indent = last.kind == Kind::kMark && last.text == ":";
    opener = last.line;
  }
  if (must_indent) return header_error(opener, "an indented block is missing after ':'");
  return functions;
}

}  // namespace ki::problem
