#include "ki/query/parse.h"

#include "builder.h"
#include "ki/base/text.h"
#include "token.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::query {
namespace {

constexpr std::size_t kMaxGpuWords = 7;  // "NVIDIA RTX PRO 6000 Blackwell Server Edition"

bool is_range(std::string_view value) { return value.starts_with('<') || value.starts_with('>'); }

// "m>=3000".
bool is_range_word(std::string_view text) {
  const std::size_t at = text.find_first_of("<>");
  return at != std::string_view::npos && at > 0 && is_name(text.substr(0, at));
}

// "4096x4096", also "4096x4096x", which is no shape but was meant as one.
bool looks_like_product_of_sizes(std::string_view text) {
  const std::size_t x = text.find_first_of("xX");
  return x != std::string_view::npos && x > 0 && x + 1 < text.size() &&
         std::ranges::all_of(text.substr(0, x), is_ascii_digit) &&
         std::ranges::all_of(text.substr(x + 1),
                             [](char c) { return is_ascii_digit(c) || c == 'x' || c == 'X'; });
}

// "sha256:" and hexadecimal digits: a reference to a record, and so a term.
bool is_digest(const Token& token) {
  constexpr std::size_t kDigits = 64;
  return token.key == "sha256" && !token.has_quoted_value && token.value.size() <= kDigits &&
         std::ranges::all_of(token.value, [](char c) {
           return is_ascii_digit(c) || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'f');
         });
}

// Filters whose value is any text. The others have a closed set of values.
bool is_free(Filter filter) {
  switch (filter) {
    case Filter::kOperation:
    case Filter::kFamily:
    case Filter::kModel:
    case Filter::kGpu:
    case Filter::kFramework:
    case Filter::kLanguage:
    case Filter::kLicense:
      return true;
    case Filter::kArchitecture:
    case Filter::kDtype:
    case Filter::kShape:
    case Filter::kLayout:
    case Filter::kCuda:
    case Filter::kTrust:
    case Filter::kSource:
    case Filter::kInstallable:
    case Filter::kAxis:
    case Filter::kTensor:
      return false;
  }
  return false;
}

std::string_view without_punctuation(std::string_view word) {
  while (!word.empty() && !is_ascii_alnum(word.front())) word.remove_prefix(1);
  while (!word.empty() && !is_ascii_alnum(word.back())) word.remove_suffix(1);
  return word;
}

class QueryReader {
 public:
  explicit QueryReader(std::string_view text) : text_(text), tokens_(tokenize(text)) {}

  Intent read() {
    for (std::size_t i = 0; i < tokens_.size();) {
      switch (tokens_[i].kind) {
        case TokenKind::kQuoted:
          read_quoted(tokens_[i++]);
          break;
        case TokenKind::kKeyed:
          read_keyed(tokens_[i++]);
          break;
        case TokenKind::kPlain:
          i += read_plain(i);
          break;
      }
    }
    return std::move(intent_);
  }

 private:
  static Source source_of(const Token& token, bool is_bare = false) {
    return {.token = std::string(token.text), .span = token.span, .is_bare = is_bare};
  }

  void read_quoted(const Token& token) {
    const std::string_view phrase = trim_spaces(token.value);
    if (!phrase.empty()) builder_.term(phrase, TermKind::kPhrase, token.span);
  }

  void read_keyed(const Token& token) {
    if (is_digest(token)) return builder_.term(token.text, TermKind::kWord, token.span);
    const Source source = source_of(token);
    const std::string_view value = trim_spaces(token.value);
    if (is_range(value)) return refuse_range(source);
    if (const auto filter = find_filter(token.key)) {
      // A key that is also an axis or a tensor: "axis=12", "tensor=[1, 2]".
      if (*filter == Filter::kAxis && !parse_size(value)) return read_axis_filter(value, source);
      if (*filter == Filter::kTensor && !parse_size(value) && !value.starts_with('[')) {
        return read_tensor_filter(value, source);
      }
      if (*filter != Filter::kAxis && *filter != Filter::kTensor) {
        return read_filter(*filter, value, token, source);
      }
    }
    if (is_name(token.key) && value.starts_with('[') && !token.has_quoted_value) {
      if (auto dims = parse_shape(value)) {
        return builder_.tensor_shape(token.key, std::move(*dims), source);
      }
    }
    if (is_name(token.key) && !value.empty() && std::ranges::all_of(value, is_ascii_digit)) {
      return read_axis(token.key, value, source);
    }
    refuse_key(token, source);
  }

  void read_filter(Filter filter, std::string_view value, const Token& token,
                   const Source& source) {
    if (value.empty()) {
      return builder_.issue(source, {.code = "BAD_VALUE",
                                     .message = fmt::format("{} has no value", quote(token.text))});
    }
    if (is_free(filter) && !token.has_quoted_value &&
        value.find_first_of("\"[]") != std::string_view::npos) {
      return builder_.issue(
          source, {.code = "BAD_VALUE",
                   .message = fmt::format("quotes and brackets belong around a value: {}:\"…\"",
                                          token.key)});
    }
    builder_.filter(filter, value, source);
  }

  void read_axis(std::string_view name, std::string_view value, const Source& source) {
    if (const auto size = parse_size(value)) return builder_.axis(name, *size, source);
    builder_.issue(source, {.code = "BAD_AXIS",
                            .message = fmt::format("{} is out of range for axis '{}'; the largest "
                                                   "integer is 9007199254740991",
                                                   quote(value), name)});
  }

  // axis:NAME=VALUE
  void read_axis_filter(std::string_view value, const Source& source) {
    const std::size_t at = value.find_first_of("=:");
    if (at != std::string_view::npos && is_name(value.substr(0, at))) {
      const std::string_view number = value.substr(at + 1);
      if (!number.empty() && std::ranges::all_of(number, is_ascii_digit)) {
        return read_axis(value.substr(0, at), number, source);
      }
    }
    builder_.issue(source, {.code = "BAD_AXIS",
                            .message = fmt::format("{} binds no axis; expected axis:NAME=INTEGER",
                                                   quote(value))});
  }

  // tensor:NAME=[SHAPE]
  void read_tensor_filter(std::string_view value, const Source& source) {
    const std::size_t at = value.find_first_of("=:");
    if (at != std::string_view::npos && is_name(value.substr(0, at))) {
      if (auto dims = parse_shape(value.substr(at + 1))) {
        return builder_.tensor_shape(value.substr(0, at), std::move(*dims), source);
      }
    }
    builder_.issue(source, {.code = "BAD_SHAPE",
                            .message = fmt::format("{} gives no shape; expected "
                                                   "tensor:NAME=[2048,4096]",
                                                   quote(value))});
  }

  void refuse_range(const Source& source) {
    builder_.issue(source, {.code = "RANGE_UNSUPPORTED",
                            .message = "ranges are not supported; name one value, the nearest "
                                       "measured ones are shown where it has no result"});
  }

  void refuse_key(const Token& token, const Source& source) {
    const auto hint = filter_hint(token.key);
    builder_.issue(
        source,
        {.code = "UNKNOWN_FILTER",
         .message = fmt::format("'{}' is no filter, and {} binds no axis (an integer from 0) and "
                                "no tensor (a shape)",
                                token.key, quote(token.value)),
         .hint = hint ? std::optional<std::string>(std::string(*hint)) : std::nullopt});
  }

  // Returns how many tokens it used.
  std::size_t read_plain(std::size_t i) {
    const Token& token = tokens_[i];
    const std::string_view text = token.text;
    const Source source = source_of(token, true);
    if ((text.starts_with('[') && text.ends_with(']')) || looks_like_product_of_sizes(text)) {
      builder_.shape(text, source);
    } else if (const auto dtype = find_bare_dtype(text)) {
      builder_.dtype(*dtype, source);
    } else if (const std::size_t used = read_gpu(i); used > 0) {
      return used;
    } else if (find_architecture(text)) {
      builder_.filter(Filter::kArchitecture, text, source);
    } else if (find_bare_framework(text)) {
      builder_.filter(Filter::kFramework, text, source);
    } else if (find_bare_language(text)) {
      builder_.filter(Filter::kLanguage, text, source);
    } else if (find_trust(text)) {
      builder_.filter(Filter::kTrust, text, source);
    } else if (is_range_word(text)) {
      refuse_range(source);
    } else {
      if (text.starts_with('"')) has_open_quote_ = true;
      builder_.term(text, TermKind::kWord, token.span);
    }
    return 1;
  }

  // The most words from tokens_[i] on that name exactly one GPU; 0 when it does not start one.
  std::size_t read_gpu(std::size_t i) {
    const std::size_t last = has_open_quote_ ? i + 1 : std::min(tokens_.size(), i + kMaxGpuWords);
    std::vector<std::string> names;  // names[n]: the first n + 1 words
    std::size_t used = 0;
    for (std::size_t k = i; k < last; ++k) {
      const Token& token = tokens_[k];
      const bool is_word = token.kind == TokenKind::kPlain &&
                           token.text.find_first_of("\"[]") == std::string_view::npos;
      const GpuWord role = is_word ? gpu_word(token.text) : GpuWord::kNone;
      if (role == GpuWord::kNone || (k == i && role == GpuWord::kFiller)) break;
      if (used > 0 && parse_gpu(token.text).product != nullptr) break;  // the next GPU
      names.push_back(k == i ? std::string(token.text)
                             : names.back() + " " + std::string(token.text));
      if (role == GpuWord::kFiller) continue;
      const Gpu gpu = parse_gpu(names.back());
      if (gpu.is_complete() && (k > i || gpu.product->is_word)) used = k - i + 1;
    }
    if (used == 0) return 0;
    const Span span{tokens_[i].span.begin, tokens_[i + used - 1].span.end};
    const Source source{.token = std::string(text_.substr(span.begin, span.end - span.begin)),
                        .span = span,
                        .is_bare = true};
    if (used > 1) {
      builder_.gpu(names[used - 1], source);
    } else {
      std::string word(without_punctuation(tokens_[i].text));
      for (char& c : word) c = is_ascii_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
      builder_.gpu(word, source);
    }
    return used;
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  bool has_open_quote_ = false;  // no joining after it: see to_query_text
  Intent intent_;
  Builder builder_{intent_};
};

}  // namespace

Intent parse_query(std::string_view text) {
  const auto refuse = [&](std::string code, std::string message) {
    Intent intent;
    const Span span{0, static_cast<std::uint32_t>(text.size())};
    Builder(intent).issue({.span = span}, {.code = std::move(code), .message = std::move(message)});
    return intent;
  };
  if (const auto at = find_invalid_utf8(text)) {
    return refuse("INVALID_UTF8", fmt::format("the query is not UTF-8 at byte {}", *at));
  }
  if (const std::size_t length = utf16_length(text); length > kMaxQueryLength) {
    return refuse("QUERY_TOO_LONG", fmt::format("the query has {} characters; at most {} are read",
                                                length, kMaxQueryLength));
  }
  return QueryReader(text).read();
}

}  // namespace ki::query
