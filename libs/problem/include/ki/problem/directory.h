// A problem's folder: problems/<problem>/definition.json, workload.jsonl, bounds.json, README.md
// and solutions/<solution>/solution.json with its sources (harness 14 section 7).
#pragma once

#include "ki/problem/solution.h"
#include "ki/problem/workload.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::problem {

struct Problem {
  std::filesystem::path folder;
  Definition definition;
  std::vector<Workload> workloads;
};

// What was found in one file of the folder.
struct FileFindings {
  std::string file;  // relative to the folder
  Findings findings;
};

struct FolderReading {
  std::optional<Problem> problem;   // absent when definition or workloads could not be read
  std::vector<FileFindings> files;  // every file that was read, also those without findings
  bool is_accepted(Mode mode) const;
};
// Reads definition and workloads, checks them against each other, and reads every solution below
// solutions/. Fails when there is no definition.json.
Result<FolderReading> read_folder(const std::filesystem::path& folder);

// Definition and workloads, or every reason in that mode.
Result<Problem> load_problem(const std::filesystem::path& folder, Mode mode);
// solution.json with its sources from beside it.
Result<Solution> load_solution(const std::filesystem::path& file, const Definition& definition,
                               Mode mode);

// The axis values of bounds.json's `heldOut`, which strict runs use beside the published ones;
// empty without the file or the member.
Result<std::vector<std::vector<AxisValue>>> held_out_axes(const std::filesystem::path& folder);

// Writes the smallest problem that validates, to start from. Fails when the folder is not empty.
Result<void> write_new_problem(const std::filesystem::path& folder, std::string_view name);

}  // namespace ki::problem
