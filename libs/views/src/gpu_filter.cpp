#include "gpu_filter.h"

#include "ki/base/text.h"

namespace ki::views {

GpuFilter::GpuFilter(const catalog::Snapshot& snapshot, std::string_view text)
    : snapshot_(snapshot), is_open_(trim(text).empty()), text_(trim(text)) {
  if (!is_open_) gpu_ = query::parse_gpu(text_);
}

bool GpuFilter::passes(catalog::NameId product) {
  if (is_open_) return true;
  for (const auto& [id, answer] : known_) {
    if (id == product) return answer;
  }
  const std::string_view name = snapshot_.name(product);
  const bool answer = equals_ignoring_case(name, text_) ||
                      query::match_gpu(gpu_, query::parse_gpu(name)) == query::GpuMatch::kMatch;
  known_.emplace_back(product, answer);
  return answer;
}

}  // namespace ki::views
