// The manifest formats of spec 01.3 to 01.5 as tables.
#pragma once

#include "ki/manifest/kind.h"
#include "type.h"

namespace ki::manifest {

// The whole manifest of that kind: apiVersion, kind, metadata, spec.
const Type& manifest_type(ManifestKind kind);
// Its spec alone.
const Type& spec_type(ManifestKind kind);
// A manifest whose kind is missing or unknown: everything but the spec is checked.
const Type& unknown_manifest_type();

}  // namespace ki::manifest
