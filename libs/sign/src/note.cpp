#include "ki/sign/note.h"

#include "ki/base/base64.h"
#include "ki/base/check.h"
#include "ki/base/text.h"
#include "ki/digest/digest.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace ki::sign {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxSignatures = 100;
constexpr std::string_view kDash = "\u2014 ";

// White space beyond ASCII that Unicode has (White_Space, UCD PropList).
constexpr std::string_view kSpaces[] = {"\u0085", "\u00a0", "\u1680", "\u2000", "\u2001",
                                        "\u2002", "\u2003", "\u2004", "\u2005", "\u2006",
                                        "\u2007", "\u2008", "\u2009", "\u200a", "\u2028",
                                        "\u2029", "\u202f", "\u205f", "\u3000"};

bool is_key_name(std::string_view name) {
  if (name.empty() || find_invalid_utf8(name)) return false;
  if (std::ranges::any_of(name, [](char c) {
        return c == '+' || static_cast<std::uint8_t>(c) <= 0x20 || c == 0x7F;
      })) {
    return false;
  }
  return std::ranges::none_of(kSpaces,
                              [&](std::string_view space) { return name.contains(space); });
}

std::unexpected<Error> refuse(std::string message) {
  return fail(Code::kInvalidArgument, std::move(message));
}

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char c : bytes.substr(0, 4)) value = value << 8 | static_cast<std::uint8_t>(c);
  return value;
}
template <class T>
std::string to_big_endian(T value) {
  std::string out(sizeof(T), '\0');
  for (std::size_t i = sizeof(T); i-- > 0; value = static_cast<T>(value >> 8))
    out[i] = static_cast<char>(value & 0xFF);
  return out;
}

bool is_note_text(std::string_view text) {
  return text.ends_with('\n') && !find_invalid_utf8(text) && std::ranges::none_of(text, [](char c) {
           return static_cast<std::uint8_t>(c) < 0x20 && c != '\n';
         });
}

std::string cosigned_message(std::string_view text, std::uint64_t seconds) {
  return fmt::format("cosignature/v1\ntime {}\n{}", seconds, text);
}

Result<NoteSignature> read_signature_line(std::string_view line) {
  if (!line.starts_with(kDash)) return refuse("a signature line starts with a dash and a space");
  line.remove_prefix(kDash.size());
  const std::size_t space = line.find(' ');
  if (space == line.npos) return refuse("a signature line has a name and a signature");
  NoteSignature one{.name = std::string(line.substr(0, space)), .id = 0, .bytes = {}};
  if (!is_key_name(one.name)) return refuse("a signature line has no valid key name");
  auto bytes = parse_base64(line.substr(space + 1));
  if (!bytes || bytes->size() < 5) return refuse("a signature is base64 of four bytes and more");
  one.id = big_endian(*bytes);
  one.bytes = bytes->substr(4);
  return one;
}

}  // namespace

Result<NoteVerifier> NoteVerifier::make(std::string name, PublicKey key, NoteKeyType type) {
  if (!is_key_name(name))
    return refuse(quote(name) + " is no key name: it has white space or '+', or is empty");
  return NoteVerifier(std::move(name), key, type);
}

Result<NoteVerifier> NoteVerifier::parse(std::string_view vkey) {
  const auto bad = [&] {
    return refuse(quote(vkey) + " is no verifier key; expected NAME+ID+KEY");
  };
  const std::size_t first = vkey.find('+');
  if (first == vkey.npos) return bad();
  const std::size_t second = vkey.find('+', first + 1);
  if (second == vkey.npos) return bad();
  const auto bytes = parse_base64(vkey.substr(second + 1));
  if (!bytes || bytes->size() != 33) return bad();
  const auto type = static_cast<std::uint8_t>(bytes->front());
  if (type != 0x01 && type != 0x04) return refuse("a verifier key of a kind that is not known");
  KI_TRY(const PublicKey key, PublicKey::from_bytes(std::string_view(*bytes).substr(1)));
  KI_TRY(NoteVerifier verifier,
         make(std::string(vkey.substr(0, first)), key, static_cast<NoteKeyType>(type)));
  if (verifier.vkey() != vkey) return refuse("the id of a verifier key is not that of its key");
  return verifier;
}

std::uint32_t NoteVerifier::id() const {
  std::string text = name_ + "\n";
  text += static_cast<char>(type_);
  return big_endian(Digest::of(text.append(key_.view())).view());
}

std::string NoteVerifier::vkey() const {
  return fmt::format("{}+{:08x}+{}", name_, id(),
                     base64(std::string(1, static_cast<char>(type_)).append(key_.view())));
}

std::string write_note(const Note& note) {
  KI_CHECK(is_note_text(note.text));
  std::string out = note.text + "\n";
  for (const NoteSignature& one : note.signatures) {
    KI_CHECK(is_key_name(one.name));
    out.append(kDash).append(one.name).append(" ");
    out.append(base64(to_big_endian(one.id) + one.bytes)).append("\n");
  }
  return out;
}

Result<Note> read_note(std::string_view bytes) {
  if (bytes.size() > kMaxBytes) return refuse("a note has at most 1 MiB");
  const std::size_t split = bytes.rfind("\n\n");
  if (split == bytes.npos) return refuse("a note has an empty line before its signatures");
  Note note{.text = std::string(bytes.substr(0, split + 1)), .signatures = {}};
  if (!is_note_text(note.text))
    return refuse("the text of a note is UTF-8 without control characters");
  std::string_view rest = bytes.substr(split + 2);
  if (rest.empty()) return refuse("a note has a signature");
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    if (end == rest.npos) return refuse("the last line of a note ends in a line end");
    if (note.signatures.size() == kMaxSignatures)
      return refuse(fmt::format("a note has at most {} signatures", kMaxSignatures));
    KI_TRY(NoteSignature one, read_signature_line(rest.substr(0, end)));
    note.signatures.push_back(std::move(one));
    rest.remove_prefix(end + 1);
  }
  return note;
}

Result<NoteSignature> sign_note(std::string_view text, const std::string& name,
                                const PrivateKey& key) {
  KI_CHECK(is_note_text(text));
  KI_TRY(const NoteVerifier verifier, NoteVerifier::make(name, key.public_key()));
  return NoteSignature{name, verifier.id(), std::string(view(key.sign(text)))};
}

Result<NoteSignature> cosign_note(std::string_view text, const std::string& name,
                                  const PrivateKey& key, std::uint64_t seconds) {
  KI_CHECK(is_note_text(text));
  KI_TRY(const NoteVerifier verifier,
         NoteVerifier::make(name, key.public_key(), NoteKeyType::kCosignature));
  std::string bytes = to_big_endian(seconds);
  bytes += view(key.sign(cosigned_message(text, seconds)));
  return NoteSignature{name, verifier.id(), std::move(bytes)};
}

Result<std::vector<Verification>> verify_note(const Note& note,
                                              std::span<const NoteVerifier> known) {
  std::vector<Verification> verified;
  for (const NoteSignature& one : note.signatures) {
    const auto key = std::ranges::find_if(known, [&](const NoteVerifier& verifier) {
      return verifier.name() == one.name && verifier.id() == one.id;
    });
    if (key == known.end()) continue;
    std::uint64_t at = 0;
    std::string_view signature = one.bytes;
    bool is_good = false;
    if (key->type() == NoteKeyType::kCosignature && signature.size() > 8) {
      for (const char c : signature.substr(0, 8)) at = at << 8 | static_cast<std::uint8_t>(c);
      is_good = key->key().verify(cosigned_message(note.text, at), signature.substr(8));
    } else if (key->type() == NoteKeyType::kEd25519) {
      is_good = key->key().verify(note.text, signature);
    }
    if (!is_good) return refuse("the signature of " + one.name + " is not of this text");
    const auto is_same = [&](const Verification& other) {
      return other.name == one.name && other.id == one.id;
    };
    if (std::ranges::none_of(verified, is_same))
      verified.push_back({.name = one.name, .id = one.id, .cosigned_at = at});
  }
  if (verified.empty()) return refuse("no known key signed the note");
  return verified;
}

}  // namespace ki::sign
