// Evidence of one run in one folder, checked without the catalog that it came from: the manifests
// in the bytes that are hashed, the leaf of the transparency log, its proof, and signed statements.
#pragma once

#include "ki/base/result.h"
#include "ki/digest/digest.h"
#include "ki/sign/ed25519.h"
#include "ki/sign/note.h"
#include "ki/tlog/checkpoint.h"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::logbook {

// Names of a bundle's files. `sha256sum` of a manifest's file is its digest.
inline constexpr std::string_view kRunFile = "run.json";
inline constexpr std::string_view kEntryFile = "entry.json";  // the leaf
inline constexpr std::string_view kProofFile = "run.tlog-proof";
inline constexpr std::string_view kLogKeyFile = "log.vkey";
inline constexpr std::string_view kEnvelopeFile = "statement.dsse.json";
inline constexpr std::string_view kRunnerKeyFile = "runner.pem";

using BundleFiles = std::map<std::string, std::string, std::less<>>;

// The files of a folder, of at most 64 MiB each; others than plain files are refused.
Result<BundleFiles> read_bundle_folder(const std::filesystem::path& folder);

struct BundleKeys {
  // Keys that the reader had before; without any the folder's own is used, which proves only that
  // the folder agrees with itself.
  std::vector<sign::NoteVerifier> logs = {};
  std::vector<sign::PublicKey> runners = {};
};

struct BundleCheck {
  std::string name;  // "the run's digest is what the log's entry names"
  bool holds = false;
  std::string detail;  // digests, or what is wrong
};

struct BundleReport {
  std::optional<Digest> run;
  std::vector<BundleCheck> checks;
  // What was left unchecked, as sentences: no log proof, no signature, keys from the folder itself.
  std::vector<std::string> notes;
  std::optional<tlog::VerifiedCheckpoint> checkpoint;

  bool holds() const;
};

// Never fails for what the files say: that is in the report.
BundleReport check_bundle(const BundleFiles& files, const BundleKeys& keys);

}  // namespace ki::logbook
