#include "ki/stats/rule.h"

#include "ki/base/check.h"

#include <cmath>

namespace ki::stats {

void check_rule(const DecisionRule& rule) {
  KI_CHECK(std::isfinite(rule.minimum_effect) && rule.minimum_effect >= 0);
  KI_CHECK(rule.alpha > 0 && rule.alpha < 1);
  KI_CHECK(rule.equivalence_alpha > 0 && rule.equivalence_alpha < 1);
  KI_CHECK(rule.level > 0 && rule.level < 1);
  KI_CHECK(std::isfinite(rule.resolution) && rule.resolution >= 0);
}

}  // namespace ki::stats
