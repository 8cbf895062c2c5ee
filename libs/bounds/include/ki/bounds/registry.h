// The bounds that are declared for operations of the public catalog:
// registry/bounds/operations.json, compiled in.
#pragma once

#include "ki/bounds/declaration.h"
#include "ki/digest/digest.h"

#include <string>
#include <vector>

namespace ki::bounds {

struct DeclaredOperation {
  Digest operation;  // semantic digest of its manifest
  std::string name;  // as the catalog's slug; only for people
  Declaration declaration;
};

// In the order of the file.
Result<std::vector<DeclaredOperation>> declared_operations();

// bounds.json of a problem: the operation that it names and its bound.
struct ProblemBound {
  Digest operation;
  Declaration declaration;
};
Result<ProblemBound> read_problem_bound(std::string_view bounds_json);

}  // namespace ki::bounds
