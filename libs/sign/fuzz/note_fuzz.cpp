// Law: a note that reads is the note that is written from it.
#include "ki/sign/note.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto note = ki::sign::read_note(bytes); note && ki::sign::write_note(*note) != bytes)
    std::abort();
  if (const auto key = ki::sign::NoteVerifier::parse(bytes); key && key->vkey() != bytes)
    std::abort();
  return 0;
}
