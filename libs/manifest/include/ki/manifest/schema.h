// JSON Schema (draft 2020-12) of each manifest kind, made from the same definitions that validate.
// A schema describes the authoring form (durations may be texts) and cannot say every rule: it
// accepts everything that Validator accepts, and some manifests that Validator refuses.
#pragma once

#include "ki/manifest/kind.h"

#include <string>

namespace ki::manifest {

// "operation-spec.v1alpha1.schema.json".
std::string schema_file_name(ManifestKind kind);
// The schema as indented JSON with a final newline.
std::string json_schema(ManifestKind kind);

}  // namespace ki::manifest
