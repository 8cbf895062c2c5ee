#include "ki/policy/deployability.h"

namespace ki::policy {

std::vector<std::string_view> deployability_v1(const DeployabilityFacts& facts) {
  std::vector<std::string_view> reasons;
  if (!facts.source_available) reasons.emplace_back("NO_PUBLIC_SOURCE");
  if (!facts.installable) reasons.emplace_back("NO_INSTALL_RECIPE");
  if (!facts.has_concluded_licence) reasons.emplace_back("LICENSE_UNKNOWN");
  return reasons;
}

bool is_vendorable(const DeployabilityFacts& facts) {
  return facts.source_available && facts.has_concluded_licence;
}

}  // namespace ki::policy
