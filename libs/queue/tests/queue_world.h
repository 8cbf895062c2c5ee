// What the tests of queues share: keys, jobs and processes that are said to live or not.
#pragma once

#include "ki/queue/queue.h"

#include <map>

namespace ki::queue {

inline constexpr Instant kNow{1'796'083'200'000};
inline constexpr std::chrono::milliseconds kLength{60'000};
inline const std::string kSolution = R"({"name":"s"})";

inline Instant later(std::int64_t seconds) { return Instant{kNow.ms + seconds * 1000}; }

inline sign::PrivateKey key_of(char c) {
  return *sign::PrivateKey::from_seed(std::string(sign::PrivateKey::kBytes, c));
}

inline Job job_of(int number, std::vector<std::string> cases = {"a", "b"}) {
  UuidSource ids(static_cast<std::uint64_t>(number) + 1);
  Job job;
  job.id = ids.next(Instant{kNow.ms + number});
  job.created = kNow;
  job.expires = later(3600);
  job.nonce = std::string(32, '0');
  job.problem = "vec_add";
  job.location = "/problems/vec_add";
  job.definition = Digest::of("definition");
  job.workloads = Digest::of("workloads");
  job.solution = Digest::of(kSolution);
  job.cases = std::move(cases);
  job.origin = "a test";
  return job;
}

inline Holder holder_of(int pid) { return {"boot", pid, 7, "runner"}; }
inline RunnerTraits traits_of(int pid) { return {holder_of(pid), "vm", true}; }

}  // namespace ki::queue
