// Columns that exports lack because they were made before the columns existed (spec 03.5). The
// stored manifests stay as they are.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ki::publish {

// Rule 3: "normalization" -> "rmsnorm", and so on; other families as they are.
std::string_view backfilled_family(std::string_view family);

// Rule 4: individual, vendor or library, of a project's slug and name.
std::string_view backfilled_project_kind(std::string_view slug, std::string_view name);

// Rule 5: the label when there is one, else "baseline" for baseline projects, else nothing.
std::optional<std::string_view> backfilled_role(std::optional<std::string_view> label,
                                                std::string_view project_slug,
                                                std::string_view title);

// Rule 6: the stated version, or "<submitter> submission (software not stated)" when it is filler;
// nothing when no version is stated.
std::optional<std::string> backfilled_stack_name(std::optional<std::string_view> version,
                                                 std::string_view project_name);

}  // namespace ki::publish
