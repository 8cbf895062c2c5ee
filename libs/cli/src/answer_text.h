// The answer to a search or a resolve request as a person reads it on a terminal: what was
// understood, the comparison group once, one table, what else there is, and a next command.
#pragma once

#include "ki/json/value.h"

#include <string>
#include <string_view>

namespace ki::cli {

// Groups of an Answer of the API, by the names that --view takes.
struct AnswerGroup {
  std::string_view view;    // "supported"
  std::string_view member;  // "supportedUnmeasured"
  std::string_view title;   // of the table
  std::string_view noun;    // in counts
};
// Null for a name that is none.
const AnswerGroup* find_answer_group(std::string_view view);

// `group` is shown as the table; the first with rows when it is null.
std::string answer_text(const json::Value& answer, const AnswerGroup* group);
// The rows of one group as TSV.
std::string answer_tsv(const json::Value& answer, const AnswerGroup& group, bool has_headings);

}  // namespace ki::cli
