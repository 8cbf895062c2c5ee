#include "ki/catalog/store.h"

#include "ki/digest/sha256.h"

namespace ki::catalog {
namespace {

void append_u64(std::string& out, std::uint64_t value) {
  for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift);
}

}  // namespace

Digest empty_chain() { return Digest::of("kernelindex catalog log v1"); }

Digest chain_next(const Digest& previous, const Entry& entry) {
  std::string text;
  text.reserve(160 + entry.key.size());
  text += previous.view();
  append_u64(text, entry.seq);
  append_u64(text, static_cast<std::uint64_t>(entry.table));
  append_u64(text, entry.version);
  append_u64(text, entry.key.size());
  text += entry.key;
  text += Digest::of(entry.body).view();
  return Digest::of(text);
}

}  // namespace ki::catalog
