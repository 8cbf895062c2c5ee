// Validator: from manifest text (JSON or YAML) to a manifest whose every rule holds, its canonical
// text and its digest. All problems of a manifest are reported at once (spec 01.6, "Order of
// work").
#pragma once

#include "ki/base/result.h"
#include "ki/digest/digest.h"
#include "ki/json/value.h"
#include "ki/manifest/kind.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace ki::manifest {

// Spec 17, "Two reader profiles".
enum class Profile : std::uint8_t {
  kCompat,  // importers, vectors, stored records: spec 01 as it stands
  kStrict,  // new submissions and our own files: one spelling per number and instant, and the
            // semantic rules of spec 01 that are marked better
};

enum class TextForm : std::uint8_t {
  kAuto,  // JSON when the first character is '{' or '[', YAML otherwise
  kJson,
  kYaml,
};

// A manifest that passed. `canonical` is valid until the next call of the Validator that made it;
// the values also point into the text or value that was given.
struct ValidManifest {
  ManifestKind kind = ManifestKind::kOperationSpec;
  json::Value root;      // normalised: durations are integers, sets are sorted without duplicates
  json::Value metadata;  // of root
  json::Value spec;      // of root
  // The RFC 8785 text of the whole normalised manifest with its metadata: what a store keeps.
  std::string_view canonical;
  // SHA-256 of the RFC 8785 text of {apiVersion, kind, spec} (spec 02).
  Digest digest;
};

// Codes of issues beside those of json::Reader and yaml::read: wrong_type, unknown_member,
// missing_member, unknown_kind, unknown_version, bad_format, too_long, too_short, too_few,
// too_many, out_of_range, not_an_integer, number_too_large, unknown_choice, bad_duration,
// bad_instant, bad_axis, bad_argument, missing_statistic, and in the strict profile
// noncanonical_number, noncanonical_instant, ambiguous_scalar, bad_url, bad_expression,
// unknown_axis, duplicate_name, duplicate_measurement, bad_range, bad_interval,
// missing_measurement, unreported_statistic.
//
// Reuses its memory from call to call; not safe for concurrent use.
class Validator {
 public:
  explicit Validator(Profile profile);
  ~Validator();
  Validator(Validator&&) noexcept;
  Validator& operator=(Validator&&) noexcept;

  // Reads text (size limit 1 MiB, depth limit 64, one byte order mark allowed) and validates it.
  Result<ValidManifest> read(std::string_view text, TextForm form = TextForm::kAuto);

  // Validates a value that was read already. `text` is what its offsets point into, for line and
  // column; without it issues carry pointers only.
  Result<ValidManifest> validate(const json::Value& manifest, std::string_view text = {});

  // Validates a bare spec as the spec of a manifest of that kind without metadata. `canonical` is
  // then the digested text itself.
  Result<ValidManifest> validate_spec(ManifestKind kind, const json::Value& spec,
                                      std::string_view text = {});

  // Keeps the strict profile's semantic findings of the last compat manifest (spec 01.4: "as
  // warnings for already imported data"), and texts that are not in Unicode normal form C in either
  // profile. Off by default: nothing is collected.
  void collect_warnings(bool is_on);
  std::span<const Issue> warnings() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ki::manifest
