#include "ki/rerun/check_records.h"

#include "ki/json/reader.h"
#include "ki/rerun/facts.h"
#include "ki/rerun/statement.h"

#include <fmt/format.h>

namespace ki::rerun {
namespace {

Result<ControlledRerun> rerun_of(const std::string& envelope_text) {
  KI_TRY(const sign::Envelope envelope, sign::read_envelope(envelope_text));
  KI_TRY(const sign::Statement statement, sign::Statement::parse(envelope.payload));
  return ControlledRerun::read(statement);
}

}  // namespace

std::string record_file(const Digest& record) {
  return fmt::format("record-{}.json", record.hex().substr(0, 16));
}

void check_records(const logbook::BundleFiles& files, logbook::BundleReport& report) {
  const auto envelope = files.find(logbook::kEnvelopeFile);
  if (envelope == files.end()) return;
  const auto add = [&](std::string name, bool holds, std::string detail) {
    report.checks.push_back({std::move(name), holds, std::move(detail)});
  };
  const auto rerun = rerun_of(envelope->second);
  if (!rerun) {
    return add("the statement is one of a controlled rerun", false, rerun.error().message());
  }
  std::vector<harness::Record> records;
  for (const Digest& digest : rerun->evidence) {
    const std::string name = record_file(digest);
    const auto file = files.find(name);
    if (file == files.end()) {
      return add("the records that the statement names are in the folder", false,
                 fmt::format("{} is missing", name));
    }
    if (Digest::of(file->second) != digest) {
      return add(fmt::format("{} is the record that the statement names", name), false,
                 fmt::format("it hashes to {}", Digest::of(file->second).to_string()));
    }
    auto record = harness::read_record(file->second);
    if (record && record->cases.size() != 1) record = fail(Code::kCorrupt, "it is not of one case");
    if (record && record->key_commitment != rerun->key_commitment)
      record = fail(Code::kCorrupt, "its inputs were not drawn from the committed key");
    if (!record) {
      return add(fmt::format("every statistic of {} comes out of its samples", name), false,
                 record.error().message());
    }
    records.push_back(*std::move(record));
  }
  std::size_t samples = 0, timed = 0, right = 0;
  for (const harness::Record& record : records) {
    const policy::VerifiedCpuFacts facts = facts_of(record, policy::HostClass::kVm);
    samples += facts.samples;
    timed += facts.timed_calls;
    right += facts.timed_calls_checked;
  }
  add("every statistic of the records comes out of their samples", true,
      fmt::format("{} record{}, {} samples", records.size(), records.size() == 1 ? "" : "s",
                  samples));
  add("every timed call was checked and right", timed > 0 && timed == right,
      fmt::format("{} of {}", right, timed));
  const auto run = files.find(logbook::kRunFile);
  const auto workload = files.find("workload.json");
  if (run == files.end() || workload == files.end()) return;
  const auto run_document = json::read_document(run->second);
  const auto workload_document = json::read_document(workload->second);
  if (!run_document || !workload_document) return;
  const json::Value* spec = run_document->root.find("spec");
  if (spec == nullptr) return;
  const std::string why = difference(*spec, workload_document->root, records);
  add("the published numbers are those of the records", why.empty(), why);
  report.notes.emplace_back(
      "that outputs were right is attested by their digests; only a rerun with the key that the "
      "records reveal checks it again");
}

}  // namespace ki::rerun
