// Counting distinct things, for lists that are made in one pass over the runs.
#pragma once

#include "ki/catalog/rows.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ki::views {

// A set of few ids: sorted and made unique at the end, bounded while it grows.
class SmallSet {
 public:
  void add(std::uint32_t id) {
    if (!ids_.empty() && ids_.back() == id) return;  // runs come in stretches
    ids_.push_back(id);
    if (ids_.size() > 2 * kept_ + 64) tidy();
  }
  const std::vector<std::uint32_t>& ids() {
    tidy();
    return ids_;
  }
  std::uint32_t size() { return static_cast<std::uint32_t>(ids().size()); }

 private:
  void tidy() {
    std::ranges::sort(ids_);
    const auto rest = std::ranges::unique(ids_);
    ids_.erase(rest.begin(), rest.end());
    kept_ = ids_.size();
  }

  std::vector<std::uint32_t> ids_;
  std::size_t kept_ = 0;
};

}  // namespace ki::views
