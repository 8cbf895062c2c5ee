// The answer to a search or a resolve request as a person reads it on a terminal: what was
// understood, the comparison group once, one table, what else there is, and a next command.
#pragma once

#include "ki/catalog/snapshot.h"
#include "ki/resolve/answer.h"

#include <string>
#include <string_view>

namespace ki::views {

struct AnswerTextOptions {
  std::string_view query;  // as asked; empty for a structured request
  // Which group's rows are shown as the table; the first with rows when it is empty.
  std::optional<resolve::GroupKind> group;
};

std::string answer_text(const catalog::Snapshot& snapshot, const resolve::Answer& answer,
                        const AnswerTextOptions& options);

}  // namespace ki::views
