// The stored rows of attestations and reports.
#pragma once

#include "ki/base/instant.h"
#include "ki/base/uuid.h"
#include "ki/json/value.h"
#include "ki/notes/desk.h"
#include "ki/notes/draft.h"

#include <string>
#include <string_view>

namespace ki::notes {

// The row's own kind of attestations that others than this module write.
inline constexpr std::string_view kControlledRerun = "controlled_rerun";

// A text member; empty when it is absent or no text.
std::string_view text_of(const json::Value& row, std::string_view member);

// {body, createdAt, envelope: null, environmentSummary, evidenceUrl, hidden: null, id, keyId: null,
// kind, observedNs, runDigest, runId}.
std::string attestation_row(const Uuid& id, const RunName& run, const Attestation& attestation,
                            Instant now);
// {createdAt, envelope, hidden: null, id, keyId, kind, runDigest, runId}: what it says is in the
// envelope alone.
std::string signed_row(const Uuid& id, const RunName& run, std::string_view type,
                       std::string_view envelope, std::string_view key_id, Instant now);
// {createdAt, detail, evidenceUrl, id, reason, resolution: null, state: "open", targetDigest,
// targetId, targetKind: "run"}.
std::string report_row(const Uuid& id, const RunName& run, const Report& report, Instant now);

}  // namespace ki::notes
