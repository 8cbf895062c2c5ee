#include "ki/query/vocabulary.h"

#include "ki/base/text.h"

#include <algorithm>
#include <array>
#include <vector>

namespace ki::query {
namespace {

constexpr std::array kFilterKeys = {
    FilterKey{"op", Filter::kOperation},
    FilterKey{"operation", Filter::kOperation},
    FilterKey{"family", Filter::kFamily},
    FilterKey{"model", Filter::kModel},
    FilterKey{"gpu", Filter::kGpu},
    FilterKey{"hardware", Filter::kGpu},
    FilterKey{"arch", Filter::kArchitecture},
    FilterKey{"dtype", Filter::kDtype},
    FilterKey{"shape", Filter::kShape},
    FilterKey{"layout", Filter::kLayout},
    FilterKey{"framework", Filter::kFramework},
    FilterKey{"language", Filter::kLanguage},
    FilterKey{"lang", Filter::kLanguage},
    FilterKey{"cuda", Filter::kCuda},
    FilterKey{"trust", Filter::kTrust},
    FilterKey{"evidence", Filter::kTrust},
    FilterKey{"license", Filter::kLicense},
    FilterKey{"source", Filter::kSource},
    FilterKey{"source_available", Filter::kSource},
    FilterKey{"installable", Filter::kInstallable},
    FilterKey{"axis", Filter::kAxis},
    FilterKey{"tensor", Filter::kTensor},
};

struct Dtype {
  std::string_view spelling;
  std::string_view name;
  bool is_bare;  // also recognised as a word of its own
};
constexpr std::array kDtypes = {
    Dtype{"bf16", "bf16", true},
    Dtype{"bfloat16", "bf16", true},
    Dtype{"fp16", "fp16", true},
    Dtype{"f16", "fp16", true},
    Dtype{"half", "fp16", true},
    Dtype{"float16", "fp16", true},
    Dtype{"fp32", "fp32", true},
    Dtype{"f32", "fp32", true},
    Dtype{"float32", "fp32", true},
    Dtype{"float", "fp32", false},
    Dtype{"tf32", "tf32", true},
    Dtype{"fp64", "fp64", true},
    Dtype{"f64", "fp64", true},
    Dtype{"float64", "fp64", true},
    Dtype{"double", "fp64", false},
    Dtype{"fp8", "fp8", true},
    Dtype{"float8", "fp8", true},
    Dtype{"e4m3", "e4m3", true},
    Dtype{"e5m2", "e5m2", true},
    Dtype{"fp8_e4m3", "fp8_e4m3", true},
    Dtype{"fp8_e4m3fn", "fp8_e4m3", true},
    Dtype{"float8_e4m3", "fp8_e4m3", true},
    Dtype{"float8_e4m3fn", "fp8_e4m3", true},
    Dtype{"fp8_e4m3fnuz", "fp8_e4m3fnuz", true},
    Dtype{"float8_e4m3fnuz", "fp8_e4m3fnuz", true},
    Dtype{"fp8_e5m2", "fp8_e5m2", true},
    Dtype{"float8_e5m2", "fp8_e5m2", true},
    Dtype{"fp8_e8m0", "fp8_e8m0", true},
    Dtype{"fp4", "fp4", true},
    Dtype{"float4", "fp4", true},
    Dtype{"fp4_e2m1", "fp4_e2m1", true},
    Dtype{"float4_e2m1", "fp4_e2m1", true},
    Dtype{"float4_e2m1fn_x2", "float4_e2m1fn_x2", true},
    Dtype{"nvfp4", "nvfp4", true},
    Dtype{"mxfp4", "mxfp4", true},
    Dtype{"int4", "int4", true},
    Dtype{"int8", "int8", true},
    Dtype{"int16", "int16", true},
    Dtype{"int32", "int32", true},
    Dtype{"int64", "int64", true},
    Dtype{"uint8", "uint8", true},
    Dtype{"bool", "bool", false},
};

struct DtypeMember {
  std::string_view family;
  std::string_view member;
};
// e8m0 is the format of block scales, not of values, and so no member of fp8. The fnuz formats have
// another bias and other special values than e4m3 and e5m2.
constexpr std::array kDtypeMembers = {
    DtypeMember{"fp8", "fp8_e4m3"},
    DtypeMember{"fp8", "fp8_e4m3fnuz"},
    DtypeMember{"fp8", "fp8_e5m2"},
    DtypeMember{"fp8", "e4m3"},
    DtypeMember{"fp8", "e5m2"},
    DtypeMember{"e4m3", "fp8_e4m3"},
    DtypeMember{"e5m2", "fp8_e5m2"},
    DtypeMember{"fp4", "nvfp4"},
    DtypeMember{"fp4", "mxfp4"},
    DtypeMember{"fp4", "fp4_e2m1"},
    DtypeMember{"fp4", "float4_e2m1fn_x2"},
};

struct Spelling {
  std::string_view spelling;
  std::string_view name;
};
constexpr std::array kLayouts = {
    Spelling{"row_major", "row_major"},   Spelling{"row-major", "row_major"},
    Spelling{"col_major", "col_major"},   Spelling{"col-major", "col_major"},
    Spelling{"contiguous", "contiguous"}, Spelling{"strided", "strided"},
};
constexpr std::array kFrameworks = {Spelling{"pytorch", "pytorch"}, Spelling{"torch", "pytorch"}};
constexpr std::array<std::string_view, 5> kLanguages = {"triton", "cuda", "cutlass", "ptx",
                                                        "tilelang"};
constexpr std::array<std::string_view, 4> kTrust = {"reported", "reproducible", "replicated",
                                                    "verified"};
constexpr std::array kStopWords = std::to_array<std::string_view>(
    {"the",      "and",     "for",  "with",   "kernel",   "kernels",
     "gpu",      "fastest", "best", "a",      "an",       "of",
     "in",       "on",      "at",   "to",     "from",     "by",
     "or",       "using",   "my",   "what",   "which",    "is",
     "are",      "how",     "fast", "faster", "quickest", "implementation",
     "operation"});

template <class Table>
std::optional<std::string_view> find_spelling(const Table& table, std::string_view word) {
  for (const auto& entry : table) {
    if (equals_ignoring_case(entry.spelling, word)) return entry.name;
  }
  return std::nullopt;
}

bool is_packed_row_major(std::string_view layout) {
  return layout == "contiguous" || layout == "row_major";
}

}  // namespace

std::span<const FilterKey> filter_keys() { return kFilterKeys; }

std::optional<Filter> find_filter(std::string_view key) {
  for (const FilterKey& entry : kFilterKeys) {
    if (equals_ignoring_case(entry.key, key)) return entry.filter;
  }
  return std::nullopt;
}

std::optional<std::string_view> filter_hint(std::string_view key) {
  const std::string typed = ascii_lower(key);
  const std::string start = typed.substr(0, 3);
  for (const FilterKey& entry : kFilterKeys) {
    if (entry.key.starts_with(start) || typed.starts_with(entry.key)) return entry.key;
  }
  std::vector<std::string_view> keys;
  keys.reserve(std::size(kFilterKeys));
  for (const FilterKey& entry : kFilterKeys) keys.push_back(entry.key);
  return typed.size() < 3 ? std::nullopt : did_you_mean(typed, keys);
}

std::optional<std::string_view> find_dtype(std::string_view spelling) {
  return find_spelling(kDtypes, spelling);
}

std::optional<std::string_view> find_bare_dtype(std::string_view word) {
  for (const Dtype& entry : kDtypes) {
    if (entry.is_bare && equals_ignoring_case(entry.spelling, word)) return entry.name;
  }
  return std::nullopt;
}

std::optional<std::string_view> dtype_hint(std::string_view spelling) {
  std::vector<std::string_view> spellings;
  spellings.reserve(std::size(kDtypes));
  for (const Dtype& entry : kDtypes) spellings.push_back(entry.spelling);
  return did_you_mean(ascii_lower(spelling), spellings);
}

bool dtype_covers(std::string_view requested, std::string_view observed) {
  return requested == observed || std::ranges::any_of(kDtypeMembers, [&](const DtypeMember& entry) {
           return entry.family == requested && entry.member == observed;
         });
}

std::optional<std::string_view> find_layout(std::string_view spelling) {
  return find_spelling(kLayouts, spelling);
}

bool layout_covers(std::string_view requested, std::string_view observed) {
  return requested == observed || (is_packed_row_major(requested) && is_packed_row_major(observed));
}

std::optional<Trust> find_trust(std::string_view word) {
  for (std::size_t i = 0; i < kTrust.size(); ++i) {
    if (equals_ignoring_case(kTrust[i], word)) return static_cast<Trust>(i);
  }
  return std::nullopt;
}

std::string_view to_string(Trust trust) { return kTrust[static_cast<std::size_t>(trust)]; }

std::optional<std::string_view> find_bare_language(std::string_view word) {
  for (const std::string_view language : kLanguages) {
    if (equals_ignoring_case(language, word)) return language;
  }
  return std::nullopt;
}

std::optional<std::string_view> find_bare_framework(std::string_view word) {
  return find_spelling(kFrameworks, word);
}

std::string framework_name(std::string_view typed) {
  if (const auto known = find_bare_framework(typed)) return std::string(*known);
  return ascii_lower(typed);
}

std::optional<std::string> find_architecture(std::string_view spelling) {
  std::string lower = ascii_lower(spelling);
  const std::string_view text = lower;
  const auto is_hex = [](char c) { return is_ascii_digit(c) || (c >= 'a' && c <= 'f'); };
  if (text.starts_with("sm")) {
    std::string_view number = text.substr(2);
    if (number.starts_with('_')) number.remove_prefix(1);
    std::string_view digits = number;
    if (!digits.empty() && (digits.back() == 'a' || digits.back() == 'f')) digits.remove_suffix(1);
    if (digits.empty() || !std::ranges::all_of(digits, is_ascii_digit)) return std::nullopt;
    return "sm_" + std::string(number);
  }
  if (text.starts_with("gfx")) {
    const std::string_view rest = text.substr(3);
    if (rest.size() < 3 || rest.size() > 5 || !std::ranges::all_of(rest, is_hex) ||
        !is_ascii_digit(rest.front())) {
      return std::nullopt;
    }
    return lower;
  }
  return std::nullopt;
}

bool is_stop_word(std::string_view word) {
  return std::ranges::find(kStopWords, word) != kStopWords.end();
}

}  // namespace ki::query
