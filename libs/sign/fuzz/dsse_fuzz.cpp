// Law: what reads as an envelope, a statement or a trusted key reads the same from the text that we
// write of it.
#include "ki/sign/dsse.h"
#include "ki/sign/statement.h"
#include "ki/sign/trust.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (const auto statement = ki::sign::Statement::parse(input)) {
    const std::string written = statement->to_json();
    const auto again = ki::sign::Statement::parse(written);
    if (!again || again->to_json() != written) std::abort();
  }
  if (const auto key = ki::sign::TrustedKey::parse(input); key && key->to_json() != input)
    std::abort();
  const auto envelope = ki::sign::read_envelope(input);
  if (!envelope) return 0;
  const std::string text = to_json(*envelope);
  const auto again = ki::sign::read_envelope(text);
  if (!again || to_json(*again) != text || again->payload != envelope->payload) std::abort();
  return 0;
}
