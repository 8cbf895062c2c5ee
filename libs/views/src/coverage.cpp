#include "ki/views/lists.h"

#include <algorithm>
#include <array>

namespace ki::views {
namespace {

constexpr std::array<std::string_view, 2> kGpus = {"NVIDIA H100", "NVIDIA B200"};
constexpr std::array<std::string_view, 10> kFamilies = {"gqa-paged-attention",
                                                        "gqa-ragged-attention",
                                                        "mla-paged-attention",
                                                        "gemm",
                                                        "moe",
                                                        "rmsnorm",
                                                        "layernorm",
                                                        "softmax",
                                                        "rope",
                                                        "mlp"};

}  // namespace

Coverage coverage(const catalog::Snapshot& s) {
  Coverage coverage;
  coverage.gpus.assign(kGpus.begin(), kGpus.end());
  for (const std::string_view family : kFamilies) {
    coverage.rows.push_back({.family = family, .runs = std::vector<std::uint32_t>(kGpus.size())});
  }
  for (const auto& cohort : s.cohorts()) {
    if (cohort.ranked == 0) continue;
    const std::string_view family = s.name(s.operations()[cohort.operation].family);
    const auto row = std::ranges::find(coverage.rows, family, &Coverage::Row::family);
    if (row == coverage.rows.end()) continue;
    row->total += cohort.ranked;
    const std::string_view product = s.name(s.environments()[cohort.environment].product);
    const auto gpu = std::ranges::find(kGpus, product);
    if (gpu != kGpus.end()) {
      row->runs[static_cast<std::size_t>(gpu - kGpus.begin())] += cohort.ranked;
    }
  }
  const auto sources = s.sources();
  coverage.is_illustrative =
      !sources.empty() && std::ranges::all_of(sources, [&](const auto& source) {
        return s.text(source.kind) == "illustrative";
      });
  return coverage;
}

void write_json(json::Writer& w, const Coverage& coverage) {
  w.begin_object().key("gpus").begin_array();
  for (const std::string_view gpu : coverage.gpus) w.value(gpu);
  w.end_array().key("rows").begin_array();
  for (const Coverage::Row& row : coverage.rows) {
    w.begin_object().member("family", row.family).key("runs").begin_array();
    for (const std::uint32_t runs : row.runs) w.value(runs);
    w.end_array().member("total", row.total).end_object();
  }
  w.end_array().end_object();
}

}  // namespace ki::views
