// A finished run of the evaluation lane into the catalog: published, signed by the catalog's
// runner, logged, and assessed.
#pragma once

#include "command.h"
#include "ki/harness/publication.h"

#include <optional>
#include <string>
#include <vector>

namespace ki::cli {

struct FinishedRun {
  const harness::RunResult& result;
  const problem::Problem& problem;
  const problem::Solution& solution;
  const judge::RunKey& key;
  bool is_seeded = false;
  Instant started, finished;
  std::optional<Digest> job = {};  // that asked for it
};
struct Published {
  bool is_verified = false;          // every run
  std::vector<std::string> run_ids;  // of the cases in their order, then of the suite
};

// Makes the catalog's keys and begins its log where it has none, and says so. A catalog that its
// owner keeps without keys stays so when this is not called.
Result<void> prepare_signing(const Context& context);

// Says what became of each run: its level, or why it is not verified.
Result<Published> publish_run(const Context& context, const FinishedRun& run,
                              const harness::MachineName& name);

}  // namespace ki::cli
