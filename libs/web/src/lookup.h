// What an address names: published rows only.
#pragma once

#include "ki/http/response.h"
#include "site_state.h"

#include <string_view>

namespace ki::web {

// A published run by id or digest; kNone.
Index find_run(const Snapshot& s, std::string_view id_or_digest);
Index find_operation(const Snapshot& s, std::string_view slug_or_id);
Index find_implementation(const Snapshot& s, std::string_view slug_or_id);
Index find_cohort(const Snapshot& s, std::string_view key);
Index find_workload(const Snapshot& s, std::string_view id_or_digest);

http::Response not_found(std::string_view code, std::string_view detail);

// A caveat of a run (spec 17) as a sentence.
std::string_view caveat_sentence(std::string_view code);

}  // namespace ki::web
