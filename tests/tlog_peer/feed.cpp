// Writes what a log of `size` entries gives to strangers, for an independent reader (check.go):
//   ki_tlog_feed FOLDER SIZE
// FOLDER/vkey, FOLDER/checkpoint (of SIZE), FOLDER/old (checkpoint of each smaller size that is
// asked for in `sizes`), FOLDER/inclusion and FOLDER/consistency: one proof a line.
#include "ki/base/base64.h"
#include "ki/tlog/checkpoint.h"
#include "ki/tlog/entry.h"
#include "ki/tlog/merkle.h"

#include <charconv>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

using namespace ki;

namespace {

std::string entry_text(std::uint64_t index) {
  return tlog::to_text({.type = tlog::EntryType::kRun,
                        .digest = Digest::of(std::to_string(index)),
                        .parents = {},
                        .at = Instant{static_cast<std::int64_t>(index) * 1000}});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string folder = argv[1];
  std::uint64_t size = 0;
  const std::string_view text = argv[2];
  std::from_chars(text.data(), text.data() + text.size(), size);

  const std::string name = "example.org/ki-log";
  const sign::PrivateKey key = sign::PrivateKey::generate();
  std::map<std::pair<unsigned, std::uint64_t>, Digest> hashes;
  const tlog::ReadHash read = [&](unsigned level, std::uint64_t index) -> Result<Digest> {
    return hashes.at({level, index});
  };
  tlog::Frontier frontier;
  std::ofstream entries(folder + "/entries");
  std::ofstream roots(folder + "/roots");  // of each size from 1
  for (std::uint64_t i = 0; i < size; ++i) {
    entries << entry_text(i) << "\n";
    frontier.append(tlog::leaf_hash(entry_text(i)),
                    [&](unsigned level, std::uint64_t index, const Digest& hash) {
                      hashes.insert_or_assign({level, index}, hash);
                    });
    roots << base64(frontier.root().view()) << "\n";
  }
  std::ofstream(folder + "/vkey") << sign::NoteVerifier::make(name, key.public_key())->vkey();
  std::ofstream(folder + "/checkpoint")
      << *tlog::sign_checkpoint({name, size, frontier.root()}, key);
  const auto write = [](std::ofstream& out, std::uint64_t at, const std::vector<Digest>& proof) {
    out << at;
    for (const Digest& hash : proof) out << " " << base64(hash.view());
    out << "\n";
  };
  std::ofstream inclusion(folder + "/inclusion");
  std::ofstream consistency(folder + "/consistency");
  for (std::uint64_t i = 0; i < size; ++i) {
    write(inclusion, i, *tlog::inclusion_proof(i, size, read));
    write(consistency, i + 1, *tlog::consistency_proof(i + 1, size, read));
  }
}
