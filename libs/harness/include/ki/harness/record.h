// A run as JSON: complete, so that a run can be resumed from its finished cases and every statistic
// be recomputed from what is stored; and as traces of the original's schema.
#pragma once

#include "ki/harness/run.h"
#include "ki/json/value.h"
#include "ki/json/writer.h"

#include <string>
#include <string_view>
#include <vector>

namespace ki::harness {

// What the machine is called in traces and records.
struct MachineName {
  std::string hardware;  // product text of the processor
  std::string version;   // of this program
};

void write_case(json::Writer& w, const CaseResult& result, const judge::RunKey& key);
// The inverse. Timing is not read but computed anew from the samples; a stored median or interval
// that differs is an error (kCorrupt) that names the case.
Result<CaseResult> read_case(const json::Value& value, const judge::RunKey& key);

std::string result_json(const RunResult& result, const judge::RunKey& key,
                        const MachineName& machine, std::string_view timestamp);

// What a stored record says of the run that it is from, and its cases with their timing computed
// anew. Fails with kCorrupt when it is no record, when the revealed key is not the committed one,
// or when a stored statistic differs from what its samples give.
struct Record {
  Digest definition_digest = Digest::of(""), solution_digest = Digest::of("");
  Digest key_commitment = Digest::of("");
  std::string protocol, version;
  std::uint32_t processes = 0;
  bool is_quick = false, is_built = false, was_cancelled = false;
  sandbox::IsolationLevel isolation = sandbox::IsolationLevel::kNone;
  std::vector<measure::SentinelReading> sentinels_before, sentinels_after;
  Verdict held_out;
  std::vector<CaseResult> cases;
};
Result<Record> read_record(std::string_view json);

problem::Trace trace_of(const RunResult& run, const CaseResult& result,
                        const problem::Problem& problem, const MachineName& machine,
                        std::string_view timestamp);

}  // namespace ki::harness
