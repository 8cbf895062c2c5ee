// Parts of a run's dossier that follow from its manifests alone.
#pragma once

#include "ki/json/value.h"
#include "ki/views/run_view.h"

#include <string>
#include <string_view>
#include <vector>

namespace ki::views {

// The protocol as keys and values in the order of the run page (spec 10); absent ones are left out.
std::vector<KeyValue> protocol_list(const json::Value& spec);
// `architecture`: with the back-fill of spec 03.5 rule 2; may be empty.
std::vector<KeyValue> environment_list(const json::Value& spec, std::string_view architecture);

// What is known about the correctness of a run, as one sentence. `correctness` may be null.
std::string correctness_text(std::string_view status, const json::Value* correctness);

// The id of the run at its source. SOL manifests hold the bare number (spec 03.5 rule 7).
std::string external_id(std::string_view source_slug, const json::Value* source_native);

// What a source's words mean where they are easily misread (harness 07). The record itself stays
// as it is.
std::vector<std::string> source_native_notes(std::string_view source_slug,
                                             const json::Value* metrics);

// 0 contiguous, 1 row_major, 2 strided.
std::string_view layout_text(std::uint8_t layout);

// "<public url>/runs/sha256:…".
std::string permalink(std::string_view public_url, std::string_view digest);

// The artifacts linked to a run. Reads the links' table, which is in order of run id, when there
// are any.
Result<std::vector<RunView::Verification>> read_verifications(const catalog::Snapshot& snapshot,
                                                              catalog::Store& store,
                                                              std::string_view run_id);
Result<std::vector<RunView::Artifact>> read_artifacts(const catalog::Snapshot& snapshot,
                                                      catalog::Store& store,
                                                      std::string_view run_id);

}  // namespace ki::views
