// Whether an implementation can be put to use (spec 4.4): a filter with reasons, never a rank
// input.
#pragma once

#include <string_view>
#include <vector>

namespace ki::policy {

struct DeployabilityFacts {  // the implementation's live values
  bool source_available = false;
  bool installable = false;
  bool has_concluded_licence = false;
};

// Empty = deployable. In order: NO_PUBLIC_SOURCE, NO_INSTALL_RECIPE, LICENSE_UNKNOWN.
std::vector<std::string_view> deployability_v1(const DeployabilityFacts& facts);

// Source and licence without a package: worth copying into one's own tree.
bool is_vendorable(const DeployabilityFacts& facts);

}  // namespace ki::policy
