// Signing what a run publishes, before it is published.
#pragma once

#include "ki/publish/bundle.h"
#include "ki/rerun/statement.h"

namespace ki::rerun {

struct Signing {
  const sign::PrivateKey& key;
  Runner runner;  // the host class is taken from each run's environment
  Instant started, finished;
  std::optional<Digest> job = {};
};

// Adds a signed statement to every run of a bundle that harness::publication_of() made. Fails with
// kInvalidArgument when a run of it names no record.
Result<void> sign_bundle(publish::Bundle& bundle, const Digest& key_commitment,
                         const Signing& signing);

}  // namespace ki::rerun
