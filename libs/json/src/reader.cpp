#include "ki/json/reader.h"

#include "ki/base/text.h"
#include "ki/json/canonical.h"
#include "ki/json/number.h"
#include "ki/json/pointer.h"

#include <fmt/format.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string>

namespace ki::json {

// One pass over one text. The open containers are kept on a stack of our own, so that depth costs
// no stack memory of the process.
class ReaderRun {
 public:
  ReaderRun(Reader& reader, std::string_view text)
      : limits_(reader.limits_),
        arena_(reader.arena_),
        values_(reader.values_),
        members_(reader.members_),
        open_(reader.open_),
        scratch_(reader.scratch_),
        text_(text),
        at_(text.data()),
        end_(text.data() + text.size()) {}

  Result<Value> run() {
    if (text_.size() > limits_.max_bytes) {
      issues_.push_back({"too_large", "", 0, 0,
                         fmt::format("the text has {} bytes; at most {} are read", text_.size(),
                                     limits_.max_bytes),
                         "split it"});
      return finish(std::nullopt);
    }
    if (text_.starts_with("\xEF\xBB\xBF")) {
      issue("byte_order_mark", 0, "the text starts with a byte order mark",
            "save it as UTF-8 without BOM");
      return finish(std::nullopt);
    }
    skip_space();
    if (at_ == end_) {
      issue("empty", text_.size(), "the text holds no value; expected one JSON value", "");
      return finish(std::nullopt);
    }
    if (!read_root()) return finish(std::nullopt);
    skip_space();
    if (at_ != end_) {
      issue("trailing_data", here(), "the text goes on after the value",
            "keep one value per document");
    }
    return finish(root_);
  }

 private:
  using Open = Reader::Open;

  std::size_t here() const { return static_cast<std::size_t>(at_ - text_.data()); }

  Result<Value> finish(std::optional<Value> root) {
    values_.clear();
    members_.clear();
    open_.clear();
    if (root && issues_.empty()) return *root;
    std::string message = issues_.size() == 1
                              ? "the JSON text is not accepted"
                              : fmt::format("the JSON text has {} problems", issues_.size());
    return fail(Error(Code::kInvalidArgument, std::move(message), std::move(issues_)));
  }

  void issue(std::string code, std::size_t offset, std::string message, std::string fix) {
    std::string pointer;
    for (const Open& open : open_) {
      if (&open != &open_.back() || is_inside_) {
        if (open.is_object)
          append_pointer(pointer, open.key);
        else
          append_pointer(pointer, values_index(open));
      }
    }
    const Position position = position_of(text_, offset);
    issues_.push_back({std::move(code), std::move(pointer), position.line, position.column,
                       std::move(message), std::move(fix)});
  }

  // Items already complete in an open array: those up to the next open array's base, or the top.
  std::size_t values_index(const Open& open) const {
    std::size_t top = values_.size();
    for (const Open* next = &open + 1; next < open_.data() + open_.size(); ++next) {
      if (!next->is_object) {
        top = next->base;
        break;
      }
    }
    return top - open.base;
  }

  bool syntax(std::string message, std::string fix = "") {
    issue("syntax", here(), std::move(message), std::move(fix));
    return false;
  }

  bool too_many() const { return issues_.size() >= limits_.max_issues; }

  void skip_space() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  }

  std::string found() const {
    if (at_ == end_) return "the end of the text";
    const auto c = static_cast<unsigned char>(*at_);
    if (c < 0x20 || c >= 0x7F) return fmt::format("byte 0x{:02x}", c);
    return fmt::format("'{}'", *at_);
  }

  enum class Step : std::uint8_t { kFailed, kComplete, kOpened };

  bool read_root() {
    for (;;) {
      // At the start of a value.
      skip_space();
      const Step step = read_value();
      if (step == Step::kFailed || too_many()) return false;
      if (step == Step::kOpened) {
        const bool is_object = open_.back().is_object;
        skip_space();
        if (at_ != end_ && *at_ == (is_object ? '}' : ']')) {
          ++at_;
          close();
        } else {
          if (is_object && !read_key()) return false;
          is_inside_ = true;
          continue;
        }
      }
      // A value is complete: go on to the next, and close what closes.
      for (;;) {
        if (open_.empty()) return true;
        const bool is_object = open_.back().is_object;
        is_inside_ = true;
        skip_space();
        if (at_ != end_ && *at_ == ',') {
          ++at_;
          is_inside_ = false;
          if (is_object) {
            skip_space();
            if (!read_key()) return false;
          }
          is_inside_ = true;
          break;
        }
        const char closing = is_object ? '}' : ']';
        if (at_ == end_ || *at_ != closing) {
          is_inside_ = false;
          return syntax(fmt::format("expected ',' or '{}' and found {}", closing, found()));
        }
        ++at_;
        close();
        if (too_many()) return false;
      }
    }
  }

  // Puts a complete value into the innermost open container, or makes it the root. Inlined where
  // the value is made: copying it through memory costs more than making it.
  [[gnu::always_inline]] void attach(const Value value) {
    if (open_.empty()) {
      root_ = value;
      return;
    }
    const Open& open = open_.back();
    if (open.is_object) {
      Member& member = members_.emplace_back();
      member.key = open.key;
      member.key_offset = open.key_offset;
      member.value = value;
    } else {
      values_.push_back(value);
    }
  }

  static Step step_of(bool is_complete) { return is_complete ? Step::kComplete : Step::kFailed; }

  // Reads and attaches a scalar, or opens a container.
  Step read_value() {
    if (at_ == end_) return step_of(syntax("expected a value and found the end of the text"));
    const auto offset = static_cast<std::uint32_t>(here());
    switch (*at_) {
      case '{':
      case '[': {
        if (open_.size() == limits_.max_depth) {
          issue("too_deep", offset, fmt::format("more than {} nested levels", limits_.max_depth),
                "");
          return Step::kFailed;
        }
        const bool is_object = *at_ == '{';
        open_.push_back({is_object, offset, is_object ? members_.size() : values_.size(), {}, 0});
        ++at_;
        is_inside_ = false;
        return Step::kOpened;
      }
      case '"': {
        std::string_view text;
        if (!read_string(text)) return Step::kFailed;
        attach(Value::string(text, offset));
        return Step::kComplete;
      }
      case 't':
        return step_of(read_word("true", Value::boolean(true, offset)));
      case 'f':
        return step_of(read_word("false", Value::boolean(false, offset)));
      case 'n':
        return step_of(read_word("null", Value::null(offset)));
      default:
        return step_of(read_number());
    }
  }

  bool read_word(std::string_view word, Value meaning) {
    if (!std::string_view(at_, end_).starts_with(word)) {
      return syntax(fmt::format("expected a value and found {}", found()),
                    "text must be in double quotes");
    }
    at_ += word.size();
    attach(meaning);
    return true;
  }

  bool read_number() {
    if (read_short_integer()) return true;
    const char* const begin = at_;
    const auto is_number_char = [](char c) {
      return is_ascii_digit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
    };
    while (at_ != end_ && is_number_char(*at_)) ++at_;
    const std::string_view spelling(begin, at_);
    at_ = begin;
    if (spelling.empty() || (spelling[0] != '-' && !is_ascii_digit(spelling[0]))) {
      return syntax(fmt::format("expected a value and found {}", found()),
                    "text must be in double quotes");
    }
    const auto offset = static_cast<std::uint32_t>(here());
    const ParsedNumber number = parse_number(spelling);
    switch (number.error) {
      case NumberError::kNone:
        break;
      case NumberError::kSyntax:
        return syntax(fmt::format("{} is not a JSON number", quote(spelling)),
                      "no leading zeros or plus sign, digits on both sides of the point");
      case NumberError::kOverflow:
        issue("number_overflow", offset,
              fmt::format("{} is larger than any double", quote(spelling)), "");
        break;
      case NumberError::kUnderflow:
        issue("number_underflow", offset, fmt::format("{} rounds to zero", quote(spelling)), "");
        break;
      case NumberError::kTooLarge:
        issue("number_too_large", offset,
              fmt::format("{} is outside ±(2^53−1), where numbers are not exact", quote(spelling)),
              "use a string field for a large id");
        break;
    }
    at_ = begin + spelling.size();
    attach(Value::number(number.value, is_canonical(spelling, number.value), offset));
    return true;
  }

  // Most numbers: up to 15 digits without sign, fraction, exponent or leading zero.
  bool read_short_integer() {
    const char* at = at_;
    std::int64_t integer = 0;
    while (at != end_ && is_ascii_digit(*at) && at - at_ < 16)
      integer = integer * 10 + (*at++ - '0');
    const auto count = at - at_;
    if (count == 0 || count > 15 || (count > 1 && *at_ == '0')) return false;
    if (at != end_ && (*at == '.' || *at == 'e' || *at == 'E' || *at == '+' || *at == '-'))
      return false;
    const auto offset = static_cast<std::uint32_t>(here());
    at_ = at;
    attach(Value::number(static_cast<double>(integer), true, offset));
    return true;
  }

  bool is_canonical(std::string_view spelling, double value) {
    scratch_.clear();
    append_number(scratch_, value);
    return scratch_ == spelling;
  }

  bool read_key() {
    if (at_ == end_ || *at_ != '"') {
      return syntax(fmt::format("expected a member name in double quotes and found {}", found()));
    }
    Open& open = open_.back();
    open.key_offset = static_cast<std::uint32_t>(here());
    if (!read_string(open.key)) return false;
    skip_space();
    if (at_ == end_ || *at_ != ':')
      return syntax(fmt::format("expected ':' and found {}", found()));
    ++at_;
    is_inside_ = true;
    return true;
  }

  // Closes the innermost container and attaches it.
  void close() {
    const std::size_t base = open_.back().base;
    const std::uint32_t offset = open_.back().offset;
    if (open_.back().is_object) {
      const std::span<const Member> members(members_.data() + base, members_.size() - base);
      is_inside_ = false;
      find_duplicates(members);
      const std::span<const Member> kept = arena_.copy(members);
      members_.resize(base);
      open_.pop_back();
      attach(Value::object(kept, offset));
      return;
    }
    const std::span<const Value> items(values_.data() + base, values_.size() - base);
    const std::span<const Value> kept = arena_.copy(items);
    values_.resize(base);
    open_.pop_back();
    attach(Value::array(kept, offset));
  }

  void find_duplicates(std::span<const Member> members) {
    if (have_distinct_marks(members)) return;
    if (members.size() <= 16) {
      for (std::size_t i = 1; i < members.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          if (members[i].key == members[j].key) {
            duplicate(members[j], members[i]);
            break;
          }
        }
      }
      return;
    }
    sorted_.clear();
    for (const Member& member : members) sorted_.push_back(&member);
    std::ranges::stable_sort(sorted_, {}, &Member::key);
    for (std::size_t i = 1; i < sorted_.size(); ++i) {
      if (sorted_[i]->key == sorted_[i - 1]->key) duplicate(*sorted_[i - 1], *sorted_[i]);
    }
  }

  // True when no two names can be equal: each falls on a bit of its own.
  static bool have_distinct_marks(std::span<const Member> members) {
    if (members.size() > 24) return false;
    std::array<std::uint64_t, 4> marks{};
    for (const Member& member : members) {
      const std::string_view key = member.key;
      std::size_t mark = key.size();
      if (!key.empty()) {
        mark += static_cast<unsigned char>(key.front()) * 5U +
                static_cast<unsigned char>(key.back()) * 11U +
                static_cast<unsigned char>(key[key.size() / 2]) * 23U;
      }
      const std::uint64_t bit = std::uint64_t{1} << (mark % 64);
      std::uint64_t& word = marks[mark / 64 % 4];
      if ((word & bit) != 0) return false;
      word |= bit;
    }
    return true;
  }

  void duplicate(const Member& first, const Member& second) {
    const Position before = position_of(text_, first.key_offset);
    issue("duplicate_key", second.key_offset,
          fmt::format("the name {} appears twice; first at {}:{}", quote(second.key), before.line,
                      before.column),
          "keep one of the two");
  }

  // Reads a string at '"'. Text without escapes stays where it is; other text goes to the arena.
  bool read_string(std::string_view& out) {
    const std::size_t start = here();
    ++at_;
    const char* const begin = at_;
    bool has_high_bytes = false;
    at_ = skip_plain(at_, has_high_bytes);
    if (at_ != end_ && *at_ == '"') {
      out = {begin, at_};
      ++at_;
      return !has_high_bytes || check_utf8(out, start + 1);
    }
    scratch_.assign(begin, at_);
    while (at_ != end_ && *at_ != '"') {
      if (*at_ == '\\') {
        if (!read_escape()) return false;
      } else if (static_cast<unsigned char>(*at_) < 0x20) {
        const auto byte = static_cast<unsigned char>(*at_);
        issue(byte == 0 ? "nul_character" : "control_character", here(),
              fmt::format("control character 0x{:02x} in a string", byte),
              "write it as an escape or leave it out");
        ++at_;
      } else {
        const char* const from = at_;
        at_ = skip_plain(at_, has_high_bytes);
        scratch_.append(from, at_);
      }
    }
    if (at_ == end_) {
      issue("syntax", start, "the string is not closed", "add '\"'");
      return false;
    }
    ++at_;
    out = arena_.copy(std::string_view(scratch_));
    return !has_high_bytes ||
           check_utf8(std::string_view(text_).substr(start + 1, here() - start - 2), start + 1);
  }

  // The first quote, backslash or control character from `at` on, or the end.
  const char* skip_plain(const char* at, bool& has_high_bytes) const {
#ifdef __SSE2__
    while (end_ - at >= 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
      const __m128i quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
      const __m128i slashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
      // Unsigned bytes below 0x20 are those that min() with 0x1F leaves alone.
      const __m128i controls = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes);
      const auto stops = static_cast<unsigned>(
          _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quotes, slashes), controls)));
      const auto high = static_cast<unsigned>(_mm_movemask_epi8(bytes));
      if (stops != 0) {
        const int first = std::countr_zero(stops);
        has_high_bytes |= (high & ((1U << first) - 1)) != 0;
        return at + first;
      }
      has_high_bytes |= high != 0;
      at += 16;
    }
#endif
    for (; at != end_; ++at) {
      const auto byte = static_cast<unsigned char>(*at);
      if (byte == '"' || byte == '\\' || byte < 0x20) break;
      has_high_bytes |= byte >= 0x80;
    }
    return at;
  }

  bool check_utf8(std::string_view raw, std::size_t offset) {
    if (const auto bad = find_invalid_utf8(raw)) {
      issue("invalid_utf8", offset + *bad,
            fmt::format("byte 0x{:02x} is not UTF-8", static_cast<unsigned char>(raw[*bad])),
            "save the text as UTF-8");
      return false;
    }
    return true;
  }

  int read_hex4(const char* at) const {
    if (end_ - at < 4) return -1;
    int value = 0;
    for (int i = 0; i < 4; ++i) {
      const char c = ascii_lower(at[i]);
      if (is_ascii_digit(c))
        value = value * 16 + (c - '0');
      else if (c >= 'a' && c <= 'f')
        value = value * 16 + (c - 'a' + 10);
      else
        return -1;
    }
    return value;
  }

  void append_code_point(std::uint32_t c) {
    const auto add = [&](std::uint32_t byte) { scratch_ += static_cast<char>(byte); };
    if (c < 0x80) {
      add(c);
    } else if (c < 0x800) {
      add(0xC0 | (c >> 6));
      add(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
      add(0xE0 | (c >> 12));
      add(0x80 | ((c >> 6) & 0x3F));
      add(0x80 | (c & 0x3F));
    } else {
      add(0xF0 | (c >> 18));
      add(0x80 | ((c >> 12) & 0x3F));
      add(0x80 | ((c >> 6) & 0x3F));
      add(0x80 | (c & 0x3F));
    }
  }

  bool read_escape() {
    const std::size_t start = here();
    if (end_ - at_ < 2) return syntax("the string is not closed", "add '\"'");
    const char c = at_[1];
    switch (c) {
      case '"':
        scratch_ += '"';
        break;
      case '\\':
        scratch_ += '\\';
        break;
      case '/':
        scratch_ += '/';
        break;
      case 'b':
        scratch_ += '\b';
        break;
      case 'f':
        scratch_ += '\f';
        break;
      case 'n':
        scratch_ += '\n';
        break;
      case 'r':
        scratch_ += '\r';
        break;
      case 't':
        scratch_ += '\t';
        break;
      case 'u': {
        const int unit = read_hex4(at_ + 2);
        if (unit < 0) return syntax("'\\u' needs four hexadecimal digits");
        at_ += 6;
        if (unit == 0) {
          issue("nul_character", start, "'\\u0000' is refused: NUL ends text in too many programs",
                "leave it out");
        } else if (unit >= 0xD800 && unit <= 0xDFFF) {
          const int low = unit < 0xDC00 && end_ - at_ >= 6 && at_[0] == '\\' && at_[1] == 'u'
                              ? read_hex4(at_ + 2)
                              : -1;
          if (low < 0xDC00 || low > 0xDFFF) {
            issue("lone_surrogate", start,
                  fmt::format("'\\u{:04x}' is half of a surrogate pair", unit),
                  "write the character itself");
            return true;
          }
          at_ += 6;
          append_code_point(0x10000 + ((static_cast<std::uint32_t>(unit) - 0xD800) << 10) +
                            (static_cast<std::uint32_t>(low) - 0xDC00));
        } else {
          append_code_point(static_cast<std::uint32_t>(unit));
        }
        return true;
      }
      default:
        return syntax(fmt::format("'\\{}' is not a JSON escape", is_ascii_alnum(c) ? c : '?'));
    }
    at_ += 2;
    return true;
  }

  const Limits& limits_;
  Arena& arena_;
  std::vector<Value>& values_;
  std::vector<Member>& members_;
  std::vector<Open>& open_;
  std::string& scratch_;
  std::string_view text_;
  const char* at_;
  const char* end_;
  Value root_;
  bool is_inside_ = false;  // the innermost container's current key or index belongs to the pointer
  std::vector<const Member*> sorted_;
  std::vector<Issue> issues_;
};

Result<Value> Reader::read(std::string_view text) {
  arena_.reset();
  return ReaderRun(*this, text).run();
}

Result<Document> read_document(std::string_view text, Limits limits) {
  Document document;
  Reader reader(limits);
  KI_TRY(document.root, reader.read(document.text.copy(text)));
  document.nodes = std::move(reader.arena_);
  return document;
}

}  // namespace ki::json
