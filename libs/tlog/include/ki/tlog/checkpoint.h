// Checkpoints: what a log signs, a name, a size and a root (C2SP tlog-checkpoint); and the proof of
// one entry as a file (C2SP tlog-proof).
#pragma once

#include "ki/base/result.h"
#include "ki/digest/digest.h"
#include "ki/sign/note.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::tlog {

struct Checkpoint {
  std::string origin;  // the log's name, which is its key's name
  std::uint64_t size = 0;
  Digest root = Digest::of("");
  bool operator==(const Checkpoint&) const = default;
};

std::string to_text(const Checkpoint& checkpoint);  // three lines
// The three lines and nothing else: extension lines are refused.
Result<Checkpoint> read_checkpoint_text(std::string_view text);

// The signed note.
Result<std::string> sign_checkpoint(const Checkpoint& checkpoint, const sign::PrivateKey& key);

struct VerifiedCheckpoint {
  Checkpoint checkpoint;
  std::vector<sign::Verification> signatures;  // the log's first, then known witnesses'
};
// The note must be signed by `log`, whose name is the origin; witnesses are counted where they are
// known.
Result<VerifiedCheckpoint> open_checkpoint(std::string_view note, const sign::NoteVerifier& log,
                                           std::span<const sign::NoteVerifier> witnesses = {});

// "c2sp.org/tlog-proof@v1".
struct EntryProof {
  std::string extra;  // never trusted; may be empty
  std::uint64_t index = 0;
  std::vector<Digest> hashes;  // of the inclusion proof
  std::string note;            // the checkpoint, as signed
  bool operator==(const EntryProof&) const = default;
};
std::string write_proof(const EntryProof& proof);
Result<EntryProof> read_proof(std::string_view text);
// That the entry is in the log that signed, at the checkpoint that is returned.
Result<VerifiedCheckpoint> verify_proof(const EntryProof& proof, std::string_view entry,
                                        const sign::NoteVerifier& log,
                                        std::span<const sign::NoteVerifier> witnesses = {});

}  // namespace ki::tlog
