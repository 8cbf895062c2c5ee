#include "builder.h"

#include "ki/base/check.h"
#include "ki/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace ki::query {
namespace {

constexpr std::int64_t kMaxInteger = (std::int64_t{1} << 53) - 1;  // spec 01.2
constexpr int kMaxCuda = 9999;

std::string model_name(std::string_view typed) {
  std::string name;
  for (const char typed_byte : typed) {
    const char c = ascii_lower(typed_byte);
    if (is_ascii_alnum(c)) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  if (!name.empty() && name.back() == '-') name.pop_back();
  return name;
}

std::optional<bool> parse_boolean(std::string_view value) {
  for (const std::string_view yes : {"true", "yes", "1"}) {
    if (equals_ignoring_case(yes, value)) return true;
  }
  for (const std::string_view no : {"false", "no", "0"}) {
    if (equals_ignoring_case(no, value)) return false;
  }
  return std::nullopt;
}

template <class T>
std::optional<std::string> owned(const std::optional<T>& hint) {
  return hint ? std::optional<std::string>(std::string(*hint)) : std::nullopt;
}

}  // namespace

bool is_name(std::string_view text) {
  return !text.empty() && is_ascii_alpha(text.front()) &&
         std::ranges::all_of(text, [](char c) { return is_ascii_alnum(c) || c == '_'; });
}

std::optional<std::int64_t> parse_size(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  if (text.empty() || !std::ranges::all_of(text, is_ascii_digit)) return std::nullopt;
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value > kMaxInteger) return std::nullopt;
  return value;
}

std::optional<std::vector<std::int64_t>> parse_shape(std::string_view typed) {
  const std::string lower = ascii_lower(typed);
  std::string_view text = lower;
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  const char separator = text.find(',') != std::string_view::npos ? ',' : 'x';
  std::vector<std::int64_t> dims;
  for (const std::string_view part : split(text, separator)) {
    const auto size = parse_size(trim(part));
    if (!size) return std::nullopt;
    dims.push_back(*size);
  }
  if (dims.empty()) return std::nullopt;
  return dims;
}

void Builder::term(std::string_view text, TermKind kind, Span span) {
  intent_.terms.push_back({.text = ascii_lower(text), .kind = kind, .span = span});
}

void Builder::issue(const Source& source, Problem problem) {
  intent_.issues.push_back({.token = source.token,
                            .code = std::move(problem.code),
                            .hint = std::move(problem.hint),
                            .path = source.path,
                            .message = std::move(problem.message),
                            .severity = problem.severity,
                            .span = source.span});
}

void Builder::facet(const Source& source, std::string_view field, std::string display,
                    std::string_view name) {
  intent_.facets.push_back({.token = source.token,
                            .field = std::string(field),
                            .display = std::move(display),
                            .name = std::string(name),
                            .path = source.path,
                            .is_bare = source.is_bare,
                            .span = source.span});
}

void Builder::gpu(std::string_view typed, const Source& source) {
  intent_.gpu = GpuRequest{.typed = std::string(typed), .gpu = parse_gpu(typed)};
  const Gpu& gpu = intent_.gpu->gpu;
  facet(source, "gpu", fmt::format("gpu {}", typed));
  const bool is_vendor_alone =
      gpu.vendor != Vendor::kUnknown && gpu.rest.empty() && gpu.partition.empty();
  if (gpu.is_several) {
    issue(source, {.code = "UNKNOWN_GPU",
                   .message = fmt::format("{} names several products; name one", quote(typed)),
                   .severity = Severity::kNotice});
  } else if (!gpu.is_complete() && !is_vendor_alone) {
    issue(source, {.code = "UNKNOWN_GPU",
                   .message = fmt::format("{} is no known product; only runs recorded under the "
                                          "same name match",
                                          quote(typed)),
                   .hint = owned(gpu_hint(typed)),
                   .severity = Severity::kNotice});
  }
}

void Builder::dtype(std::string_view name, const Source& source) {
  if (std::ranges::find(intent_.dtypes, name) == intent_.dtypes.end()) {
    intent_.dtypes.emplace_back(name);
  }
  facet(source, "dtype", fmt::format("dtype {}", name));
}

void Builder::shape_dims(std::vector<std::int64_t> dims, const Source& source) {
  facet(source, "shape", "shape " + shape_text(dims));
  intent_.shape = ShapeRequest{.dims = std::move(dims), .readings = {}};
}

void Builder::shape(std::string_view value, const Source& source) {
  if (auto dims = parse_shape(value)) return shape_dims(std::move(*dims), source);
  issue(source, {.code = "BAD_SHAPE",
                 .message = fmt::format("{} is no shape; expected integers, as in [2048, 4096] or "
                                        "2048x4096",
                                        quote(value))});
}

void Builder::axis(std::string_view typed, std::int64_t value, const Source& source) {
  const std::string name = ascii_lower(typed);
  facet(source, "axis", fmt::format("{} = {}", name, value), name);
  const auto at = std::ranges::find(intent_.axes, name, &AxisBinding::name);
  if (at != intent_.axes.end()) {
    at->value = value;
  } else {
    intent_.axes.push_back({name, value});
  }
}

TensorRequest& Builder::tensor(std::string_view typed) {
  const std::string name = ascii_lower(typed);
  const auto at = std::ranges::find(intent_.tensors, name, &TensorRequest::name);
  if (at != intent_.tensors.end()) return *at;
  intent_.tensors.push_back({.name = name, .shape = {}, .dtype = {}, .layout = {}});
  return intent_.tensors.back();
}

void Builder::tensor_shape(std::string_view name, std::vector<std::int64_t> dims,
                           const Source& source) {
  const std::string lower = ascii_lower(name);
  facet(source, "tensor", fmt::format("{} {}", lower, shape_text(dims)), lower);
  tensor(name).shape = std::move(dims);
}

void Builder::flag(std::string_view value, const Source& source, bool Intent::* member,
                   std::string_view field, std::string_view on, std::string_view off) {
  const auto truth = parse_boolean(value);
  if (!truth) {
    issue(source, {.code = "BAD_BOOLEAN",
                   .message = fmt::format("{} is neither true nor false", quote(value))});
    return;
  }
  intent_.*member = *truth;
  facet(source, field, std::string(*truth ? on : off));
}

void Builder::cuda(std::string_view value, const Source& source) {
  int major = 0;
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, major);
  const bool is_number = error == std::errc() && is_ascii_digit(value.front()) &&
                         major <= kMaxCuda && (stop == end || *stop == '.');
  if (!is_number) {
    issue(source, {.code = "BAD_CUDA",
                   .message = fmt::format("{} is no CUDA version; expected one such as 13 or 12.8",
                                          quote(value))});
    return;
  }
  intent_.cuda_major = major;
  facet(source, "cuda", fmt::format("cuda {}", value));
}

void Builder::filter(Filter filter, std::string_view value, const Source& source) {
  KI_CHECK(filter != Filter::kAxis && filter != Filter::kTensor);
  const std::string lower = ascii_lower(value);
  switch (filter) {
    case Filter::kOperation:
      term(lower, TermKind::kOperation, source.span);
      return facet(source, "op", "operation " + lower);
    case Filter::kFamily:
      intent_.family = lower;
      return facet(source, "family", "family " + lower);
    case Filter::kModel:
      intent_.model = model_name(value);
      return facet(source, "model", "model " + *intent_.model);
    case Filter::kGpu:
      return gpu(value, source);
    case Filter::kArchitecture:
      if (auto architecture = find_architecture(value)) {
        intent_.architecture = std::move(architecture);
        return facet(source, "arch", "arch " + *intent_.architecture);
      }
      return issue(source, {.code = "BAD_ARCH",
                            .message = fmt::format("{} is no architecture; expected one such as "
                                                   "sm_90, sm_100a or gfx942",
                                                   quote(value))});
    case Filter::kDtype:
      if (const auto name = find_dtype(value)) return dtype(*name, source);
      return issue(source,
                   {.code = "BAD_DTYPE",
                    .message = fmt::format("{} is no known dtype; name one a filter", quote(value)),
                    .hint = owned(dtype_hint(value))});
    case Filter::kShape:
      return shape(value, source);
    case Filter::kLayout:
      if (const auto layout = find_layout(value)) {
        intent_.layout = std::string(*layout);
        return facet(source, "layout", "layout " + *intent_.layout);
      }
      return issue(source, {.code = "BAD_LAYOUT",
                            .message = fmt::format("{} is no layout; expected row_major, "
                                                   "col_major, contiguous or strided",
                                                   quote(value))});
    case Filter::kFramework:
      intent_.framework = framework_name(value);
      return facet(source, "framework", "framework " + *intent_.framework);
    case Filter::kLanguage:
      intent_.language = lower;
      return facet(source, "language", "language " + lower);
    case Filter::kCuda:
      return cuda(value, source);
    case Filter::kTrust:
      if (const auto trust = find_trust(value)) {
        intent_.minimum_trust = trust;
        return facet(source, "trust", fmt::format("trust ≥ {}", to_string(*trust)));
      }
      return issue(source, {.code = "BAD_TRUST",
                            .message = fmt::format("{} is no evidence level; expected verified, "
                                                   "replicated, reproducible or reported",
                                                   quote(value))});
    case Filter::kLicense:
      intent_.license = lower;
      return facet(source, "license", "license " + lower);
    case Filter::kSource:
      return flag(value, source, &Intent::require_source, "source", "source required",
                  "source optional");
    case Filter::kInstallable:
      return flag(value, source, &Intent::require_installable, "installable", "installable",
                  "any install state");
    case Filter::kAxis:
    case Filter::kTensor:
      break;
  }
}

}  // namespace ki::query
