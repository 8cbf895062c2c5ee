#include "ki/display/names.h"

#include "ki/base/text.h"

#include <algorithm>
#include <array>
#include <vector>

namespace ki::display {
namespace {

// How people write these words (spec 13.2). Found ignoring case.
constexpr auto kTokens = std::to_array<std::string_view>({
    "AMD",        "GPU",     "GIT",       "NHWC",      "VAE",       "UNet",  "LM",    "MTP",
    "SAM",        "GRN",     "SSM",       "FFN",       "FFT",       "RFFT",  "FP8",   "FP16",
    "FP32",       "BF16",    "INT8",      "INT4",      "NVFP4",     "MXFP4", "GEMM",  "GEMV",
    "QR",         "PMPP",    "Cholesky",  "Trimul",    "MLP",       "MoE",   "MLA",   "GQA",
    "KV",         "QKV",     "QK",        "RMS",       "IoU",       "GELU",  "GeGLU", "SiLU",
    "SwiGLU",     "RMSNorm", "LayerNorm", "GroupNorm", "RoPE",      "YaRN",  "Mamba", "Mamba2",
    "ConvNeXtV2", "ResNet",  "Whisper",   "Hyena",     "Conformer",
});

std::string_view with_known_casing(std::string_view word) {
  const auto token =
      std::ranges::find_if(kTokens, [&](auto t) { return equals_ignoring_case(t, word); });
  return token == kTokens.end() ? word : *token;
}

std::string_view without_number_prefix(std::string_view raw) {
  std::size_t digits = 0;
  while (digits < raw.size() && is_ascii_digit(raw[digits])) ++digits;
  return digits > 0 && digits < raw.size() && raw[digits] == '_' ? raw.substr(digits + 1) : raw;
}

// Lower case, '_' and ' ' as '-': the form in which titles and slugs are compared.
std::string comparison_form(std::string_view text) {
  std::string form = ascii_lower(trim(text));
  std::ranges::replace_if(form, [](char c) { return c == '_' || c == ' '; }, '-');
  return form;
}

// Lower case, every run of other characters one '-', none at the ends, no cut.
std::string dashed(std::string_view text) {
  std::string slug;
  for (const char c : text) {
    if (is_ascii_alnum(c)) {
      slug += ascii_lower(c);
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  if (slug.ends_with('-')) slug.pop_back();
  return slug;
}

std::vector<std::string_view> split_title(std::string_view title) {
  constexpr std::string_view kSeparator = " · ";
  std::vector<std::string_view> segments;
  while (true) {
    const std::size_t at = title.find(kSeparator);
    segments.push_back(title.substr(0, at));
    if (at == std::string_view::npos) return segments;
    title.remove_prefix(at + kSeparator.size());
  }
}

// The segment only repeats what the operation is called.
bool repeats_operation(const std::string& segment, const std::string& name,
                       const std::string& slug) {
  constexpr std::size_t kLongEnough = 6;  // shorter keys occur inside unrelated words
  if (segment == name || segment == slug) return true;
  if (name.size() >= kLongEnough && segment.contains(name)) return true;
  if (slug.size() >= kLongEnough && segment.contains(slug)) return true;
  return slug.ends_with("-" + segment);
}

}  // namespace

std::string operation_name(std::string_view raw) {
  if (raw.contains(' ')) return std::string(raw);
  std::string name;
  bool is_first = true;
  for (const std::string_view word : split(without_number_prefix(raw), '_')) {
    if (word.empty()) continue;
    std::string text(with_known_casing(word));
    if (is_first && std::ranges::none_of(text, is_ascii_upper)) {
      text[0] = is_ascii_lower(text[0]) ? static_cast<char>(text[0] - 32) : text[0];
    }
    if (!is_first) name += ' ';
    name += text;
    is_first = false;
  }
  return name.empty() ? std::string(raw) : name;
}

std::string implementation_name(const ImplementationTitle& parts) {
  const std::string name = comparison_form(parts.operation_name);
  const std::string slug = comparison_form(parts.operation_slug);
  std::string kept;
  for (const std::string_view part : split_title(parts.title)) {
    const std::string segment = comparison_form(part);
    if (segment.empty() || repeats_operation(segment, name, slug)) continue;
    if (!kept.empty()) kept += " · ";
    kept += trim(part);
  }
  return kept.empty() ? std::string(parts.slug) : kept;
}

std::string hardware_slug(std::string_view model) { return dashed(model); }
std::string model_slug(std::string_view model) { return dashed(model); }

std::string revision(std::string_view text) {
  const auto is_hexadecimal = [](char c) { return is_ascii_digit(c) || (c >= 'a' && c <= 'f'); };
  const bool is_commit = text.size() == 40 && std::ranges::all_of(text, is_hexadecimal);
  return std::string(is_commit ? text.substr(0, 7) : text);
}

}  // namespace ki::display
