// Whether a JSON value is what the schema says: for tests that hold answers against it.
#pragma once

#include "ki/api/schema.h"
#include "ki/json/value.h"

#include <string>
#include <string_view>
#include <vector>

namespace ki::api::testing {

// One line a problem: a member that is missing, of another type or not declared.
std::vector<std::string> problems_with(const json::Value& value, std::string_view type);

}  // namespace ki::api::testing
