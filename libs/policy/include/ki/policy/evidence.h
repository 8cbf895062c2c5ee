// How much stands behind a run (spec 4.3): derived from facts, never submitted.
#pragma once

#include "ki/base/instant.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace ki::policy {

// In rising order of trust; the numbers are the trust weights of ranking-v1.
enum class EvidenceLevel : std::uint8_t {
  kReported = 1,
  kReproducible = 2,
  kVerified = 3,
  kReplicated = 4
};

// "reported", "reproducible", "verified", "replicated".
std::string_view to_string(EvidenceLevel level);
std::optional<EvidenceLevel> parse_evidence_level(std::string_view text);

struct EvidenceFacts {
  bool reproduced_by_kernelindex = false;
  std::uint32_t independent_replications = 0;
  bool source_available = false;  // as frozen at publication
  bool has_raw_evidence = false;
  bool identity_complete = true;  // true of every published run
};
EvidenceLevel evidence_level(const EvidenceFacts& facts);

// The level of an implementation or project: the strongest of its eligible runs, nothing without
// any.
std::optional<EvidenceLevel> strongest(std::span<const EvidenceLevel> levels);

// Order of the "recommended" sort: 0 first.
enum class TrustTier : std::uint8_t {
  kVerified = 0,  // verified or replicated
  kReproducible = 1,
  kLicensedSource = 2,
  kSource = 3,
  kNoSource = 4,
};
// `has_licence`: a concluded licence, else a declared one.
TrustTier trust_tier(std::optional<EvidenceLevel> level, bool source_available, bool has_licence);
// "Verified", "Reproducible", "License + source", "Source available", "No source".
std::string_view to_string(TrustTier tier);

inline constexpr std::int64_t kStaleAfterMs = 180LL * 24 * 3600 * 1000;
// Observed more than 180 days before `now`. Display only: staleness never changes a rank.
bool is_stale(Instant observed_at, Instant now);

}  // namespace ki::policy
