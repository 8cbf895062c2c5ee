// Law: a form that is taken is JSON whose texts are UTF-8, and reading it as a note never fails
// otherwise than with issues.
#include "ki/json/reader.h"
#include "ki/notes/draft.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view form(reinterpret_cast<const char*>(data), size);
  const auto text = ki::notes::json_of_form(form);
  if (!text) return 0;
  const auto document = ki::json::read_document(*text);
  if (!document) std::abort();
  const auto attestation = ki::notes::read_attestation(document->root);
  const auto report = ki::notes::read_report(document->root);
  if (attestation && report) std::abort();  // no form is both
  if (!attestation && attestation.error().issues().empty()) std::abort();
  if (!report && report.error().issues().empty()) std::abort();
  return 0;
}
