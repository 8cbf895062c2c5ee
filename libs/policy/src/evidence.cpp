#include "ki/policy/evidence.h"

#include <algorithm>
#include <array>

namespace ki::policy {

std::string_view to_string(EvidenceLevel level) {
  switch (level) {
    case EvidenceLevel::kReported:
      return "reported";
    case EvidenceLevel::kReproducible:
      return "reproducible";
    case EvidenceLevel::kVerified:
      return "verified";
    case EvidenceLevel::kReplicated:
      return "replicated";
  }
  return "";
}

std::optional<EvidenceLevel> parse_evidence_level(std::string_view text) {
  for (const EvidenceLevel level : {EvidenceLevel::kReported, EvidenceLevel::kReproducible,
                                    EvidenceLevel::kVerified, EvidenceLevel::kReplicated}) {
    if (to_string(level) == text) return level;
  }
  return std::nullopt;
}

EvidenceLevel evidence_level(const EvidenceFacts& facts) {
  if (facts.independent_replications >= 2) return EvidenceLevel::kReplicated;
  if (facts.reproduced_by_kernelindex) return EvidenceLevel::kVerified;
  if (facts.source_available && facts.has_raw_evidence && facts.identity_complete) {
    return EvidenceLevel::kReproducible;
  }
  return EvidenceLevel::kReported;
}

std::optional<EvidenceLevel> strongest(std::span<const EvidenceLevel> levels) {
  if (levels.empty()) return std::nullopt;
  return *std::ranges::max_element(levels);
}

TrustTier trust_tier(std::optional<EvidenceLevel> level, bool source_available, bool has_licence) {
  if (level >= EvidenceLevel::kVerified) return TrustTier::kVerified;
  if (level == EvidenceLevel::kReproducible) return TrustTier::kReproducible;
  if (!source_available) return TrustTier::kNoSource;
  return has_licence ? TrustTier::kLicensedSource : TrustTier::kSource;
}

std::string_view to_string(TrustTier tier) {
  switch (tier) {
    case TrustTier::kVerified:
      return "Verified";
    case TrustTier::kReproducible:
      return "Reproducible";
    case TrustTier::kLicensedSource:
      return "License + source";
    case TrustTier::kSource:
      return "Source available";
    case TrustTier::kNoSource:
      return "No source";
  }
  return "";
}

bool is_stale(Instant observed_at, Instant now) { return now.ms - observed_at.ms > kStaleAfterMs; }

}  // namespace ki::policy
