// Law: what reads as an envelope reads the same from the text that we write of it.
#include "ki/sign/dsse.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto envelope = ki::sign::read_envelope({reinterpret_cast<const char*>(data), size});
  if (!envelope) return 0;
  const std::string text = to_json(*envelope);
  const auto again = ki::sign::read_envelope(text);
  if (!again || to_json(*again) != text || again->payload != envelope->payload) std::abort();
  return 0;
}
