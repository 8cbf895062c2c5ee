#include "ki/logbook/bundle.h"

#include "ki/base/text.h"
#include "ki/io/file.h"
#include "ki/json/canonical.h"
#include "ki/json/reader.h"
#include "ki/sign/dsse.h"
#include "ki/sign/statement.h"
#include "ki/tlog/entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace ki::logbook {
namespace {

constexpr std::size_t kMaxFile = std::size_t{64} << 20;
constexpr std::size_t kMaxFiles = 64;
constexpr json::Limits kManifestLimits{.max_bytes = std::size_t{1} << 20};

// A manifest's file, and the member of another's spec that names it.
struct Part {
  std::string_view file;
  std::string_view kind;  // one, or the beginning of several
  std::string_view named_by_file;
  std::string_view named_by_member;
};
constexpr std::array kParts = {
    Part{"run.json", "BenchmarkRun", "", ""},
    Part{"implementation.json", "ImplementationRevision", "run.json", "implementationDigest"},
    Part{"workload.json", "Workload", "run.json", "workloadDigest"},
    Part{"protocol.json", "BenchmarkProtocol", "run.json", "protocolDigest"},
    Part{"environment.json", "ExecutionEnvironment", "run.json", "environmentDigest"},
    Part{"operation.json", "OperationSpec", "workload.json", "operationSpecDigest"},
};

class Checking {
 public:
  Checking(const BundleFiles& files, const BundleKeys& keys) : files_(files), keys_(keys) {}

  BundleReport run() {
    for (const Part& part : kParts) check_manifest(part);
    check_log();
    check_statement();
    return std::move(report_);
  }

 private:
  void add(std::string name, bool holds, std::string detail = {}) {
    report_.checks.push_back({std::move(name), holds, std::move(detail)});
  }
  const std::string* find(std::string_view name) const {
    const auto file = files_.find(name);
    return file == files_.end() ? nullptr : &file->second;
  }

  // Canonical bytes of {apiVersion, kind, spec}: only then is the file's hash the manifest's
  // digest.
  void check_manifest(const Part& part) {
    const std::string* text = find(part.file);
    const std::string name = fmt::format("{} is a manifest's canonical identity", part.file);
    if (text == nullptr) return add(name, false, "the file is missing");
    auto document = json::read_document(*text, kManifestLimits);
    if (!document) return add(name, false, document.error().to_string());
    const json::Value& root = document->root;
    const json::Value* kind = root.find("kind");
    const json::Value* spec = root.find("spec");
    if (!root.is_object() || root.members().size() != 3 || root.find("apiVersion") == nullptr ||
        kind == nullptr || !kind->is_string() || spec == nullptr || !spec->is_object()) {
      return add(name, false, "expected exactly apiVersion, kind and spec");
    }
    if (!kind->string().starts_with(part.kind)) {
      return add(name, false, fmt::format("it is of kind {}", quote(kind->string())));
    }
    if (json::canonical(root) != *text) {
      return add(name, false, "the bytes are not the RFC 8785 text of their value");
    }
    const Digest digest = Digest::of(*text);
    add(name, true, digest.to_string());
    if (part.file == kRunFile) report_.run = digest;
    if (!part.named_by_file.empty()) check_reference(part, digest);
    specs_.emplace(part.file, *std::move(document));
  }

  void check_reference(const Part& part, const Digest& digest) {
    const auto namer = specs_.find(part.named_by_file);
    const json::Value* member = namer == specs_.end()
                                    ? nullptr
                                    : namer->second.root.find("spec")->find(part.named_by_member);
    const bool holds =
        member != nullptr && member->is_string() && member->string() == digest.to_string();
    add(fmt::format("{} names {}", part.named_by_file, part.file), holds,
        holds ? "" : fmt::format("{} is another digest", part.named_by_member));
  }

  void check_log() {
    const std::string* text = find(kEntryFile);
    const std::string* proof_text = find(kProofFile);
    if (text == nullptr && proof_text == nullptr) {
      report_.notes.emplace_back("no proof of a transparency log is in the folder");
      return;
    }
    const std::string name = "the log's entry names the run and what it refers to";
    if (text == nullptr || proof_text == nullptr) {
      return add(name, false, fmt::format("{} and {} belong together", kEntryFile, kProofFile));
    }
    const auto entry = tlog::read_entry(*text);
    if (!entry) return add(name, false, entry.error().to_string());
    const bool is_named = entry->type == tlog::EntryType::kRun && report_.run &&
                          entry->digest == *report_.run && entry->parents == parents();
    add(name, is_named, is_named ? "" : "it is the entry of something else");
    check_proof(*text, *proof_text);
  }

  std::vector<Digest> parents() const {
    std::vector<Digest> all;
    for (const Part& part : kParts) {
      const std::string* text = part.named_by_file == kRunFile ? find(part.file) : nullptr;
      if (text != nullptr) all.push_back(Digest::of(*text));
    }
    std::ranges::sort(all);
    const auto repeated = std::ranges::unique(all);
    all.erase(repeated.begin(), repeated.end());
    return all;
  }

  void check_proof(std::string_view entry, std::string_view proof_text) {
    const std::string name = "the entry is in the log at its signed checkpoint";
    std::vector<sign::NoteVerifier> logs = keys_.logs;
    if (logs.empty()) {
      const std::string* own = find(kLogKeyFile);
      if (own == nullptr) return add(name, false, "no log key was given and none is in the folder");
      auto key = sign::NoteVerifier::parse(trim(*own));
      if (!key) return add(name, false, key.error().to_string());
      logs.push_back(*std::move(key));
      report_.notes.push_back(
          fmt::format("the log's key is the folder's own; compare it with one from elsewhere, or "
                      "give --key: {}",
                      logs.front().vkey()));
    }
    const auto proof = tlog::read_proof(proof_text);
    if (!proof) return add(name, false, proof.error().to_string());
    std::string problem;
    for (const sign::NoteVerifier& log : logs) {
      if (log.type() != sign::NoteKeyType::kEd25519) continue;
      auto verified = tlog::verify_proof(*proof, entry, log, logs);
      if (!verified) {
        problem = verified.error().to_string();
        continue;
      }
      report_.checkpoint = *std::move(verified);
      const tlog::Checkpoint& checkpoint = report_.checkpoint->checkpoint;
      const bool is_witnessed = std::ranges::any_of(
          report_.checkpoint->signatures, [](const auto& one) { return one.cosigned_at != 0; });
      if (!is_witnessed) report_.notes.emplace_back("the log's checkpoint is not witnessed");
      return add(
          name, true,
          fmt::format("entry {} of {} in {}", proof->index, checkpoint.size, checkpoint.origin));
    }
    add(name, false, problem.empty() ? "none of the keys is a log's" : problem);
  }

  void check_statement() {
    const std::string* text = find(kEnvelopeFile);
    if (text == nullptr) {
      report_.notes.emplace_back(
          "no signed statement of a rerun is in the folder: the numbers are as reported");
      return;
    }
    const std::string name = "a runner signed a statement about the run";
    const auto envelope = sign::read_envelope(*text);
    if (!envelope) return add(name, false, envelope.error().to_string());
    std::vector<sign::PublicKey> runners = keys_.runners;
    if (runners.empty()) {
      const std::string* own = find(kRunnerKeyFile);
      if (own == nullptr)
        return add(name, false, "no runner key was given and none is in the folder");
      auto key = sign::PublicKey::from_pem(*own);
      if (!key) return add(name, false, key.error().to_string());
      runners.push_back(*key);
      report_.notes.push_back(fmt::format(
          "the runner's key is the folder's own, {}; whether it is trusted is for you to say",
          key->key_id().substr(0, 16)));
    }
    const auto signers = sign::verified_keys(*envelope, runners);
    if (signers.empty()) return add(name, false, "no known key signed it");
    if (envelope->payload_type != sign::kInTotoType) {
      return add(name, false, "it is not an in-toto statement");
    }
    const auto statement = sign::Statement::parse(envelope->payload);
    if (!statement) return add(name, false, statement.error().to_string());
    const bool is_about = report_.run && statement->is_about(*report_.run);
    add(name, is_about,
        is_about ? fmt::format("{}, by key {}", statement->predicate_type,
                               signers.front().key_id().substr(0, 16))
                 : "the statement is about something else");
  }

  const BundleFiles& files_;
  const BundleKeys& keys_;
  BundleReport report_;
  std::map<std::string_view, json::Document> specs_;
};

}  // namespace

bool BundleReport::holds() const {
  return !checks.empty() && std::ranges::all_of(checks, &BundleCheck::holds);
}

Result<BundleFiles> read_bundle_folder(const std::filesystem::path& folder) {
  BundleFiles files;
  std::error_code error;
  for (const auto& item : std::filesystem::directory_iterator(folder, error)) {
    if (files.size() == kMaxFiles) {
      return fail(Code::kInvalidArgument,
                  fmt::format("'{}' holds more than {} files", folder.string(), kMaxFiles));
    }
    if (!item.is_regular_file() || item.is_symlink()) {
      return fail(Code::kInvalidArgument,
                  fmt::format("'{}' is not a plain file", item.path().string()));
    }
    KI_TRY(files[item.path().filename().string()], io::read_file(item.path(), kMaxFile));
  }
  if (error) return fail(io::system_error(error.value(), "cannot read the folder", folder));
  return files;
}

BundleReport check_bundle(const BundleFiles& files, const BundleKeys& keys) {
  return Checking(files, keys).run();
}

}  // namespace ki::logbook
