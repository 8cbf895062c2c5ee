// The answer to a search or a resolve request as JSON (spec 06.2, 06.3): one shape for the command
// line, REST and tools.
#pragma once

#include "ki/base/instant.h"
#include "ki/catalog/snapshot.h"
#include "ki/json/writer.h"
#include "ki/resolve/answer.h"

#include <span>
#include <string>
#include <string_view>

namespace ki::views {

struct AnswerContext {
  std::string_view query;  // as asked; empty for a structured request
  Instant generated_at;
  std::string_view next_cursor = {};  // leads to the page after this one; empty on the last
  // Parts to write beside the answer itself (spec 06.1 "include"): facets, issues, policy,
  // selected, excluded, related, nearest, sources, matches, cohortOptions; empty: all.
  std::span<const std::string> include = {};
};

// One object: query, interpretation, mode, operation, policyVersion, catalogVersion, policy,
// facets, issues, corrections, selected, cohort, cohortOptions, bestVerified, bestDeployable,
// groups, totals, overflow, nextCursor, matches, nearest, families, related, excluded, sources,
// generatedAt.
void write_answer(json::Writer& w, const catalog::Snapshot& snapshot, const resolve::Answer& answer,
                  const AnswerContext& context);

// One result row (spec 06.3).
void write_row(json::Writer& w, const catalog::Snapshot& snapshot, const resolve::Row& row);

}  // namespace ki::views
