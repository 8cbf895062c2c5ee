#include "ki/problem/finding.h"

namespace ki::problem {

Error refusal(const Findings& findings, Mode mode, std::string what) {
  std::vector<Issue> issues;
  for (const Finding& finding : findings) {
    if (finding.refuses(mode)) issues.push_back(finding.issue);
  }
  return {Code::kInvalidArgument, std::move(what), std::move(issues)};
}

}  // namespace ki::problem
