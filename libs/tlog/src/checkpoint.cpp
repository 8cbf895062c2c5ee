#include "ki/tlog/checkpoint.h"

#include "decimal.h"
#include "ki/base/base64.h"
#include "ki/tlog/merkle.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace ki::tlog {
namespace {

constexpr std::string_view kProofHeader = "c2sp.org/tlog-proof@v1";
constexpr std::size_t kMaxProofHashes = 63;

std::unexpected<Error> refuse(std::string message) {
  return fail(Code::kInvalidArgument, std::move(message));
}

// Takes a line without its end; nothing when the text has no further line end.
std::optional<std::string_view> take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == text.npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

std::optional<Digest> parse_hash(std::string_view text) {
  const auto bytes = parse_base64(text);
  if (!bytes || bytes->size() != Digest::kBytes) return std::nullopt;
  return Digest::from_bytes(*bytes);
}

}  // namespace

std::string to_text(const Checkpoint& checkpoint) {
  return fmt::format("{}\n{}\n{}\n", checkpoint.origin, checkpoint.size,
                     base64(checkpoint.root.view()));
}

Result<Checkpoint> read_checkpoint_text(std::string_view text) {
  const auto origin = take_line(text);
  const auto size_line = take_line(text);
  const auto root_line = take_line(text);
  if (!origin || !size_line || !root_line) return refuse("a checkpoint has three lines");
  if (!text.empty()) return refuse("a checkpoint has three lines and no extension");
  const auto size = parse_decimal(*size_line);
  if (!size) return refuse("the second line of a checkpoint is its size in decimal");
  const auto root = parse_hash(*root_line);
  if (!root) return refuse("the third line of a checkpoint is its root in base64");
  if (origin->empty() || origin->contains('+') || origin->contains(' '))
    return refuse("the first line of a checkpoint is its origin, without spaces and '+'");
  return Checkpoint{.origin = std::string(*origin), .size = *size, .root = *root};
}

Result<std::string> sign_checkpoint(const Checkpoint& checkpoint, const sign::PrivateKey& key) {
  const std::string text = to_text(checkpoint);
  KI_TRY(sign::NoteSignature signature, sign::sign_note(text, checkpoint.origin, key));
  return sign::write_note({.text = text, .signatures = {std::move(signature)}});
}

Result<VerifiedCheckpoint> open_checkpoint(std::string_view note, const sign::NoteVerifier& log,
                                           std::span<const sign::NoteVerifier> witnesses) {
  KI_TRY(const sign::Note read, sign::read_note(note));
  std::vector<sign::NoteVerifier> known{log};
  known.insert(known.end(), witnesses.begin(), witnesses.end());
  KI_TRY(std::vector<sign::Verification> signatures, sign::verify_note(read, known));
  const auto own = std::ranges::find_if(signatures, [&](const sign::Verification& one) {
    return one.name == log.name() && one.id == log.id();
  });
  if (own == signatures.end()) return refuse("the log itself did not sign the checkpoint");
  std::rotate(signatures.begin(), own, own + 1);
  KI_TRY(Checkpoint checkpoint, read_checkpoint_text(read.text));
  if (checkpoint.origin != log.name()) {
    return refuse(fmt::format("the checkpoint is of {}, not of {}", checkpoint.origin, log.name()));
  }
  return VerifiedCheckpoint{std::move(checkpoint), std::move(signatures)};
}

std::string write_proof(const EntryProof& proof) {
  std::string out(kProofHeader);
  out += '\n';
  if (!proof.extra.empty()) out += fmt::format("extra {}\n", base64(proof.extra));
  out += fmt::format("index {}\n", proof.index);
  for (const Digest& hash : proof.hashes) out += base64(hash.view()) + "\n";
  return out + "\n" + proof.note;
}

Result<EntryProof> read_proof(std::string_view text) {
  if (take_line(text) != kProofHeader)
    return refuse(fmt::format("a proof starts with the line {}", kProofHeader));
  EntryProof proof;
  auto line = take_line(text);
  if (line && line->starts_with("extra ")) {
    const auto extra = parse_base64(line->substr(6));
    if (!extra || extra->empty()) return refuse("the extra data of a proof is base64");
    proof.extra = *extra;
    line = take_line(text);
  }
  if (!line || !line->starts_with("index ")) return refuse("a proof has a line 'index N'");
  const auto index = parse_decimal(line->substr(6));
  if (!index) return refuse("the index of a proof is a decimal number");
  proof.index = *index;
  for (line = take_line(text); line && !line->empty(); line = take_line(text)) {
    const auto hash = parse_hash(*line);
    if (!hash) return refuse("a hash of a proof is 32 bytes in base64");
    if (proof.hashes.size() == kMaxProofHashes) return refuse("a proof has at most 63 hashes");
    proof.hashes.push_back(*hash);
  }
  if (!line || text.empty()) return refuse("a proof ends with an empty line and a checkpoint");
  proof.note = text;
  return proof;
}

Result<VerifiedCheckpoint> verify_proof(const EntryProof& proof, std::string_view entry,
                                        const sign::NoteVerifier& log,
                                        std::span<const sign::NoteVerifier> witnesses) {
  KI_TRY(VerifiedCheckpoint opened, open_checkpoint(proof.note, log, witnesses));
  const Checkpoint& checkpoint = opened.checkpoint;
  KI_TRY_VOID(check_inclusion(proof.hashes, proof.index, leaf_hash(entry), checkpoint.size,
                              checkpoint.root));
  return opened;
}

}  // namespace ki::tlog
