// Structured requests (spec 06.1): JSON to Intent without a round trip through query text.
#pragma once

#include "ki/base/result.h"
#include "ki/json/value.h"
#include "ki/query/intent.h"

#include <vector>

namespace ki::query {

constexpr std::size_t kMaxBatch = 20;
constexpr int kMaxLimit = 200;

// Members (all optional):
//   query            text, the same grammar as search
//   operation        id, digest, slug, name, family, model, axes {NAME: integer}, shape [integer],
//                    layout, inputs [{name, shape, dtype, layout}], language, framework
//   environment      hardwareProduct, architecture, dtype, dtypes [text], cudaToolkit,
//                    framework {name, version}
//   policy           minimumTrust, sourceRequired, installableRequired, license,
//                    allowedLicenses [text], maxAgeDays
//   objective        metric
//   limit 1..200, cursor, include [text]
// Every problem is found, then refused together: kInvalidArgument with one issue for each, with
// JSON pointer and code. Doubts (Severity::kNotice) stay in Intent::issues. A member that
// contradicts the text of `query`, and an axis named twice, are CONFLICT.
Result<Intent> parse_request(const json::Value& request);

// {"requests": [1 to 20 requests]}. Fails when it is not of that form; else one result for each, in
// order, with pointers that start at /requests/N.
Result<std::vector<Result<Intent>>> parse_batch(const json::Value& batch);

}  // namespace ki::query
