// Signed notes (C2SP signed-note): a text with signature lines, as logs and their witnesses write
// them.
#pragma once

#include "ki/base/result.h"
#include "ki/sign/ed25519.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::sign {

// What a key signs under a name: a note's text, or (witnesses) a text with the time (C2SP
// tlog-cosignature).
enum class NoteKeyType : std::uint8_t { kEd25519 = 0x01, kCosignature = 0x04 };

// A key with its name: "<name>+<key id in hex>+<base64>".
class NoteVerifier {
 public:
  // kInvalidArgument: an empty name, white space or '+' in it.
  static Result<NoteVerifier> make(std::string name, PublicKey key,
                                   NoteKeyType type = NoteKeyType::kEd25519);
  static Result<NoteVerifier> parse(std::string_view vkey);

  const std::string& name() const { return name_; }
  const PublicKey& key() const { return key_; }
  NoteKeyType type() const { return type_; }
  std::uint32_t id() const;  // the first four bytes of SHA-256 of name, line end, type and key
  std::string vkey() const;  // inverse of parse
  bool operator==(const NoteVerifier&) const = default;

 private:
  NoteVerifier(std::string name, PublicKey key, NoteKeyType type)
      : name_(std::move(name)), key_(key), type_(type) {}
  std::string name_;
  PublicKey key_;
  NoteKeyType type_;
};

struct NoteSignature {
  std::string name;
  std::uint32_t id = 0;
  std::string bytes;  // after the id
};
struct Note {
  std::string text;  // ends in a line end
  std::vector<NoteSignature> signatures;
};
// `text` must end in a line end and hold no other control character (checked).
std::string write_note(const Note& note);
// The form alone: nothing is verified. At most 1 MiB and 100 signatures.
Result<Note> read_note(std::string_view bytes);

// The signature line's content by a key under its name.
Result<NoteSignature> sign_note(std::string_view text, const std::string& name,
                                const PrivateKey& key);
// A cosignature at a time in whole seconds since 1970.
Result<NoteSignature> cosign_note(std::string_view text, const std::string& name,
                                  const PrivateKey& key, std::uint64_t seconds);

struct Verification {
  std::string name;
  std::uint32_t id = 0;
  std::uint64_t cosigned_at = 0;  // seconds since 1970; 0: a plain signature
};
// Which known keys signed, each once. Unknown keys are passed over; a known key whose signature
// fails, or none that verifies, is an error.
Result<std::vector<Verification>> verify_note(const Note& note,
                                              std::span<const NoteVerifier> known);

}  // namespace ki::sign
