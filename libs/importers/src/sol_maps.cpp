#include "sol_maps.h"

#include "ki/base/text.h"
#include "ki/digest/digest.h"
#include "ki/json/canonical.h"
#include "ki/json/number.h"

#include <algorithm>
#include <array>

namespace ki::importers {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

template <std::size_t N>
std::optional<std::string_view> lookup(const std::array<Pair, N>& table, std::string_view key) {
  for (const auto& [from, to] : table) {
    if (from == key) return to;
  }
  return std::nullopt;
}

// Lower case, every other character as '_'.
std::string as_token(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const char lower = ascii_lower(c);
    if ((static_cast<unsigned char>(c) & 0xC0U) == 0x80U) continue;  // one '_' a character
    out += is_ascii_lower(lower) || is_ascii_digit(lower) || lower == '_' ? lower : '_';
  }
  return out;
}

bool is_dropped_tag(std::string_view tag) {
  return tag == "L1" || tag == "L2" || tag == "Quant" || tag == "FlashInfer-Bench";
}

}  // namespace

std::string sol_dtype(std::string_view name) {
  static constexpr std::array<Pair, 17> kDtypes = {{{"bfloat16", "bf16"},
                                                    {"float16", "fp16"},
                                                    {"half", "fp16"},
                                                    {"float32", "fp32"},
                                                    {"float", "fp32"},
                                                    {"float64", "fp64"},
                                                    {"double", "fp64"},
                                                    {"float8_e4m3fn", "fp8_e4m3"},
                                                    {"float8_e4m3", "fp8_e4m3"},
                                                    {"float8_e5m2", "fp8_e5m2"},
                                                    {"nvfp4", "nvfp4"},
                                                    {"float4_e2m1", "fp4_e2m1"},
                                                    {"int8", "int8"},
                                                    {"int16", "int16"},
                                                    {"int32", "int32"},
                                                    {"int64", "int64"},
                                                    {"uint8", "uint8"}}};
  const auto known = lookup(kDtypes, name);
  return known ? std::string(*known) : as_token(name);
}

std::string sol_language(std::string_view name) {
  return name == "cuda_cpp" ? std::string("cuda") : as_token(name);
}

std::string sol_argument(std::string_view name) {
  std::string out = as_token(name);
  if (out.empty() || !is_ascii_lower(out.front())) out.insert(0, "x_");
  return out;
}

SolHardware sol_hardware(std::string_view name) {
  struct Known {
    std::string_view key, product, architecture;
  };
  static constexpr std::array<Known, 7> kKnown = {{{"B200", "NVIDIA B200", "sm_100"},
                                                   {"NVIDIA_B200", "NVIDIA B200", "sm_100"},
                                                   {"GB200", "NVIDIA GB200", "sm_100"},
                                                   {"H200", "NVIDIA H200", "sm_90"},
                                                   {"H100", "NVIDIA H100", "sm_90"},
                                                   {"NVIDIA_H100", "NVIDIA H100", "sm_90"},
                                                   {"A100", "NVIDIA A100", "sm_80"}}};
  for (const Known& known : kKnown) {
    if (known.key == name)
      return {"nvidia", std::string(known.product), std::string(known.architecture)};
  }
  std::string product(name);
  std::ranges::replace(product, '_', ' ');
  return {"nvidia", std::move(product), "unknown"};
}

std::string sol_family(std::string_view op_type, std::span<const std::string_view> tags) {
  if (!op_type.empty()) return kebab(op_type);
  for (const std::string_view tag : tags) {
    if (!is_dropped_tag(tag) && !tag.starts_with("model:")) return kebab(tag);
  }
  return "uncategorized";
}

std::vector<std::string> sol_tags(std::span<const std::string_view> tags) {
  constexpr std::string_view kModel = "model:";
  std::vector<std::string> out;
  for (const std::string_view tag : tags) {
    if (is_dropped_tag(tag)) continue;
    std::string ours =
        tag.starts_with(kModel) ? "model:" + kebab(tag.substr(kModel.size())) : kebab(tag);
    if (std::ranges::find(out, ours) == out.end()) out.push_back(std::move(ours));
  }
  return out;
}

std::optional<std::string_view> sol_trace_status(std::string_view status) {
  static constexpr std::array<Pair, 9> kStatuses = {{{"PASSED", "passed"},
                                                     {"INCORRECT_SHAPE", "incorrect_shape"},
                                                     {"INCORRECT_NUMERICAL", "incorrect_numerical"},
                                                     {"INCORRECT_DTYPE", "incorrect_dtype"},
                                                     {"RUNTIME_ERROR", "runtime_error"},
                                                     {"COMPILE_ERROR", "compile_error"},
                                                     {"TIMEOUT", "timeout"},
                                                     {"REWARD_HACK", "suspected_reward_hack"},
                                                     {"INVALID_REFERENCE", "invalid_reference"}}};
  return lookup(kStatuses, status);
}

bool collates_before(std::string_view a, std::string_view b) {
  const auto weight = [](char c) {
    if (c == '_') return 0;
    if (is_ascii_digit(c)) return 1 + (c - '0');
    return 100 + static_cast<int>(static_cast<unsigned char>(ascii_lower(c)));
  };
  const std::size_t shared = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < shared; ++i) {
    if (weight(a[i]) != weight(b[i])) return weight(a[i]) < weight(b[i]);
  }
  if (a.size() != b.size()) return a.size() < b.size();
  for (std::size_t i = 0; i < shared; ++i) {
    if (a[i] != b[i]) return is_ascii_lower(a[i]);
  }
  return false;
}

std::string sol_case_key(std::span<const std::pair<std::string_view, std::int64_t>> axes) {
  std::vector<std::pair<std::string_view, std::int64_t>> sorted(axes.begin(), axes.end());
  std::ranges::stable_sort(sorted, collates_before,
                           &std::pair<std::string_view, std::int64_t>::first);
  std::string text = "{";
  for (const auto& [name, value] : sorted) {
    if (text.size() > 1) text += ',';
    json::append_string(text, name);
    text += ':';
    json::append_integer(text, value);
  }
  text += '}';
  return Digest::of(text).hex().substr(0, 12);
}

std::string sol_case_title(std::string_view name,
                           std::span<const std::pair<std::string_view, std::int64_t>> axes) {
  std::string title(name);
  title += " · ";
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (i != 0) title += ", ";
    title += axes[i].first;
    title += '=';
    json::append_integer(title, axes[i].second);
  }
  if (utf16_length(title) <= 200) return title;
  while (utf16_length(title) > 199) {
    bool is_continuation;
    do {
      is_continuation = (static_cast<unsigned char>(title.back()) & 0xC0U) == 0x80U;
      title.pop_back();
    } while (is_continuation);
  }
  return title + "…";
}

std::optional<std::int64_t> nanoseconds_of_ms(double ms) {
  if (!(ms >= 0) || ms > 9e9) return std::nullopt;
  // Shortest text: digits, a point, or an exponent below 1e-6.
  std::string digits;
  std::int64_t point = -1;  // digits before the point
  std::int64_t exponent = 0;
  const std::string text = json::number_text(ms);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '.') {
      point = static_cast<std::int64_t>(digits.size());
    } else if (text[i] == 'e') {
      const bool is_negative = text[i + 1] == '-';
      for (const char c : std::string_view(text).substr(i + 1)) {
        if (is_ascii_digit(c)) exponent = exponent * 10 + (c - '0');
      }
      if (is_negative) exponent = -exponent;
      break;
    } else {
      digits += text[i];
    }
  }
  if (point < 0) point = static_cast<std::int64_t>(digits.size());
  point += exponent + 6;
  std::int64_t ns = 0;
  for (std::int64_t i = 0; i < point; ++i) {
    ns = ns * 10 + (i < static_cast<std::int64_t>(digits.size())
                        ? digits[static_cast<std::size_t>(i)] - '0'
                        : 0);
  }
  // The first digit that is cut decides.
  if (point >= 0 && point < static_cast<std::int64_t>(digits.size()) &&
      digits[static_cast<std::size_t>(point)] >= '5')
    ++ns;
  return ns;
}

std::optional<Instant> to_utc_instant(std::string_view text) {
  std::int64_t offset_ms = 0;
  std::string plain(text);
  if (text.size() > 6 && (text[text.size() - 6] == '+' || text[text.size() - 6] == '-') &&
      text[text.size() - 3] == ':') {
    const std::string_view offset = text.substr(text.size() - 6);
    for (const std::size_t i : {1U, 2U, 4U, 5U}) {
      if (!is_ascii_digit(offset[i])) return std::nullopt;
    }
    const int hours = (offset[1] - '0') * 10 + (offset[2] - '0');
    const int minutes = (offset[4] - '0') * 10 + (offset[5] - '0');
    if (hours > 23 || minutes > 59) return std::nullopt;
    offset_ms = (hours * 60 + minutes) * 60'000LL * (offset[0] == '-' ? -1 : 1);
    plain.resize(plain.size() - 6);
    plain += 'Z';
  } else if (!text.ends_with('Z')) {
    plain += 'Z';
  }
  const auto parsed = parse_instant(plain);
  if (!parsed) return std::nullopt;
  return Instant{parsed->instant.ms - offset_ms};
}

}  // namespace ki::importers
