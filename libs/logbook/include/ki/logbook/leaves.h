// Which rows of a catalog its transparency log names, and how: the leaf of a row.
#pragma once

#include "ki/base/result.h"
#include "ki/catalog/store.h"
#include "ki/json/reader.h"
#include "ki/tlog/entry.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ki::logbook {

// A leaf before its log's clock is known.
struct Leaf {
  tlog::EntryType type = tlog::EntryType::kRun;
  Digest digest = Digest::of("");
  std::vector<Digest> parents = {};  // sorted, each once

  std::string key() const;  // of the row of table log_entries: "run sha256:..."
};

// The digest of a run by its row's key, or nothing.
using FindRun = std::function<Result<std::optional<Digest>>(std::string_view key)>;

// The leaf that a version of a row asks for, or nothing. Manifests are named when they are first
// stored, runs when they are published, corrections by their audit event, keys by each version of
// their row, attestations by their envelope. Rows may ask for a leaf that the log has already: it
// names each (type, digest) once.
class LeafReader {
 public:
  LeafReader() : reader_({.max_bytes = std::size_t{64} << 20, .max_depth = 72}) {}
  Result<std::optional<Leaf>> read(catalog::Table table, std::uint32_t version,
                                   std::string_view body, const FindRun& find_run);

 private:
  json::Reader reader_;
};

// The row of table log_entries for a leaf at `index`: the entry's canonical text with one more
// member, index.
std::string log_row(const tlog::Entry& entry, std::uint64_t index);

struct LogRow {
  std::uint64_t index = 0;
  std::string text;  // the leaf: tlog::to_text()
};
// Fails with kCorrupt for a row that log_row() did not write.
Result<LogRow> read_log_row(std::string_view body);

}  // namespace ki::logbook
