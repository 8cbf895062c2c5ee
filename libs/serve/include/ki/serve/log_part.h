// The transparency log over HTTP: its static files, and the proof of a run.
#pragma once

#include "ki/serve/service.h"

#include <filesystem>

namespace ki::serve {

// GET /log/checkpoint           the signed checkpoint (C2SP tlog-tiles: /log is the log's prefix)
// GET /log/tile/...             tiles and entry bundles, immutable
// GET /api/v1/runs/{run}/proof  {runDigest, index, entry, proof, origin, size, root, checkpoint,
//                                witnesses, verifierKeys}
// GET /api/v1/log/consistency?from=SIZE  {from, hashes, origin, size, ...}: that the log only grew
// Files come from `folder`, where `ki log` and publications write them. 404 LOG_NOT_AVAILABLE
// without a checkpoint there; 404 NOT_LOGGED for a run that the log does not name; 503 while the
// checkpoint is behind, or the files are damaged. Every inclusion proof has been verified before it
// is answered.
Mount log_part(std::filesystem::path folder);

}  // namespace ki::serve
