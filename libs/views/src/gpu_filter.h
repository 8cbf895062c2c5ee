// Which GPUs of a snapshot answer a hardware filter: whole products, never parts of names (spec
// 15 A5).
#pragma once

#include "ki/catalog/snapshot.h"
#include "ki/query/hardware.h"

#include <string_view>
#include <vector>

namespace ki::views {

// Remembers the answer for each product name. `text` empty: every GPU passes.
class GpuFilter {
 public:
  GpuFilter(const catalog::Snapshot& snapshot, std::string_view text);
  bool passes(catalog::NameId product);
  bool passes_cohort(catalog::Index cohort) {
    if (is_open_) return true;
    return passes(snapshot_.environments()[snapshot_.cohorts()[cohort].environment].product);
  }
  bool is_open() const { return is_open_; }

 private:
  const catalog::Snapshot& snapshot_;
  bool is_open_;
  std::string_view text_;
  query::Gpu gpu_;
  std::vector<std::pair<catalog::NameId, bool>> known_;
};

}  // namespace ki::views
