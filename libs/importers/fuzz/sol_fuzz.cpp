// Law: what is read from SOL-ExecBench bytes becomes manifests that are well-formed JSON, the same
// bytes give the same manifests, and a manifest that validates keeps its digest when it is read
// again. The input is one definition, a line feed, then lines of workload entries, submissions or
// traces.

#include "../src/sol_manifests.h"
#include "ki/json/reader.h"
#include "ki/manifest/validator.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace ki::importers;

void require(bool holds) {
  if (!holds) std::abort();
}

// The digest of a valid manifest, or nothing; checked to survive its canonical form.
std::string digest_of(const std::string& manifest) {
  ki::json::Reader reader;
  require(reader.read(manifest).has_value());
  ki::manifest::Validator validator(ki::manifest::Profile::kCompat);
  const auto valid = validator.read(manifest, ki::manifest::TextForm::kJson);
  if (!valid) return {};
  const std::string digest = valid->digest.to_string();
  const std::string canonical(valid->canonical);
  const auto again = validator.read(canonical, ki::manifest::TextForm::kJson);
  require(again.has_value() && again->digest.to_string() == digest &&
          again->canonical == canonical);
  return digest;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 65'536) return 0;  // manifests are at most 1 MiB; a title alone may repeat its input
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto next_line = [&] {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return line;
  };
  std::vector<std::string> drift;
  const auto document = ki::json::read_document(next_line());
  if (!document) return 0;
  const auto definition = read_sol_definition(document->root, drift);
  if (!definition) return 0;
  const auto operation = sol_operation(*definition);
  if (!operation) return 0;
  require(*sol_operation(*definition) == *operation);
  const std::string operation_digest = digest_of(*operation);
  if (operation_digest.empty()) return 0;
  const auto manifest = ki::json::read_document(*operation);
  const ki::json::Value& axes = *manifest->root.find("spec")->find("axes");
  for (int i = 0; i < 16 && !text.empty(); ++i) {
    const auto line = ki::json::read_document(next_line());
    if (!line) continue;
    if (const auto entry = read_sol_entry(line->root)) {
      const auto one = sol_case(*definition, *entry, axes, operation_digest);
      if (one) (void)digest_of(*one);
      (void)digest_of(sol_suite(*definition, std::span(&*entry, 1), operation_digest));
    }
    if (const auto submission = read_sol_submission(line->root, drift)) {
      (void)digest_of(sol_submission_implementation(*submission, *definition, operation_digest));
      const auto ns =
          submission->latency_ms ? nanoseconds_of_ms(*submission->latency_ms) : std::nullopt;
      require(!ns || *ns >= 0);
      (void)digest_of(sol_submission_run(*submission, ns.value_or(0), ki::Instant{0},
                                         operation_digest, operation_digest, operation_digest,
                                         operation_digest));
    }
    if (const auto trace = read_sol_trace(line->root); trace && trace->has_evaluation) {
      (void)digest_of(sol_trace_environment(*trace));
      (void)digest_of(sol_trace_run(*trace, "key", "passed", ki::Instant{0}, std::nullopt,
                                    std::nullopt, operation_digest, operation_digest,
                                    operation_digest, operation_digest));
    }
  }
  return 0;
}
