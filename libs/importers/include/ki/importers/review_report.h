// The review report that every source's importer fills in (importers 00 section 7).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ki::importers {

struct ReviewIssue {
  std::string locator;
  std::string item;
  std::string problem;
};

struct Ambiguity {
  std::string code;  // stable: slug_conflict, unknown_solution, implausible_latency, ...
  std::string text;
};

struct Proposed {
  std::string entity;  // operation, workload, implementation, run
  std::string name;
  std::string digest;
  bool exists = false;
};

struct ReviewReport {
  std::string source;
  std::string parser_version;
  std::vector<std::pair<std::string, std::uint64_t>> discovered;
  std::vector<std::pair<std::string, std::uint64_t>> operations_by_family;
  std::vector<Proposed> proposed;  // operations, workloads, implementations, runs
  std::vector<Ambiguity> ambiguities;
  std::vector<ReviewIssue> issues;
  std::vector<std::string> drift_warnings;  // each once
  std::vector<std::string> license_warnings;
  std::string plan;  // one sentence
  std::uint64_t selected_submissions = 0;
  std::vector<std::pair<std::string, std::uint64_t>> skipped_submissions;

  std::string to_json() const;
};

}  // namespace ki::importers
