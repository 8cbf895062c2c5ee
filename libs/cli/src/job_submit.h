// Jobs of a catalog: where they lie, what pins them, how they are made.
#pragma once

#include "command.h"
#include "ki/digest/digest.h"
#include "ki/problem/directory.h"
#include "ki/queue/file_queue.h"

#include <string>
#include <vector>

namespace ki::cli {

// "<catalog>.queue".
std::filesystem::path queue_path(const std::filesystem::path& catalog);

// Of every case, published or held out: a job whose problem has other cases now is not done.
Result<Digest> workloads_digest(const problem::Problem& problem);

// "90", "90s", "10m", "1h", "7d": seconds, at most a million units.
Result<std::chrono::seconds> parse_time(std::string_view option, const std::string& text);

struct JobRequest {
  std::vector<std::string> cases;  // empty: all
  std::string origin;              // for people
};
// Signs a job by the catalog's runner key, as the command's options say, and queues it.
Result<int> submit_job(const Context& context, const problem::Problem& problem,
                       problem::Solution solution, const JobRequest& request);

}  // namespace ki::cli
