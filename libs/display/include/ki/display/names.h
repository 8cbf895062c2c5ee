// Names of operations, implementations and hardware as people read them (spec 13.2).
#pragma once

#include <string>
#include <string_view>

namespace ki::display {

// "062_kv_cache_update_with_rope_backward" -> "KV cache update with RoPE backward". A text with a
// space is kept as it is; so is one of which nothing would be left.
std::string operation_name(std::string_view raw);

// The parts of an implementation's title that do not repeat its operation; the slug when none is
// left.
struct ImplementationTitle {
  std::string_view title{};  // may be empty
  std::string_view slug{};
  std::string_view operation_name{};  // raw or humanised, as stored
  std::string_view operation_slug{};
};
std::string implementation_name(const ImplementationTitle& parts);

// "NVIDIA H100 80GB" -> "nvidia-h100-80gb": lower case, other characters '-', no cut.
std::string hardware_slug(std::string_view model);
// The same rule for `model:` tags and facets: "DeepSeek-V3" -> "deepseek-v3".
std::string model_slug(std::string_view model);

// A commit of 40 hexadecimal digits is cut to 7; "submission-3483" and the like are kept.
std::string revision(std::string_view revision);

}  // namespace ki::display
