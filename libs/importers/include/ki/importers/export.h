// Our catalog export: one Zstandard file of JSON Lines, complete, ordered and reproducible.
//
// Line 1   {"catalogVersion":N,"chain":"sha256:…","format":"kernelindex-catalog","tables":
//           {"<table>":{"count":N,"sha256":"…"}},"version":1}
// then     {"row":{…},"seq":N,"table":"<table>","version":V}   ("version" only above 0)
//          for each table of catalog::tables(), rows in order of (key, version);
// then     {"row":{…},"table":"measurements"}, then "serving_measurements": derived, no seq;
// last     {"row":{"at","chain","first","last","reason"},"table":"commits"}.
// Every line is canonical JSON and ends with a line feed. A table's sha256 is over its lines with
// their line feeds. The same log gives the same bytes.
#pragma once

#include "ki/base/result.h"
#include "ki/catalog/store.h"
#include "ki/digest/digest.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ki::importers {

inline constexpr std::string_view kExportFormat = "kernelindex-catalog";
inline constexpr int kExportVersion = 1;

struct ExportOptions {
  int level = 9;  // Zstandard
  std::function<void(std::uint64_t lines_done, std::uint64_t lines_total)> progress;
  const std::atomic<bool>* cancel = nullptr;
};

struct ExportTable {
  std::string table;
  std::uint64_t count = 0;
  Digest sha256 = Digest::of({});
};

struct ExportInfo {
  catalog::Seq catalog_version = 0;
  Digest chain = catalog::empty_chain();
  std::vector<ExportTable> tables;
  std::uint64_t lines = 0;       // with the header
  std::uint64_t text_bytes = 0;  // before compression
  std::string header;            // line 1
};

Result<ExportInfo> export_catalog(catalog::Store& store, const std::filesystem::path& path,
                                  const ExportOptions& options = {});

// The header of a file, or nothing when it is not in our format.
Result<std::optional<ExportInfo>> read_export_header(const std::filesystem::path& path);

// Counts and digests of every table against the header, the order of lines, and the end of the
// file. kCorrupt says which table differs.
Result<ExportInfo> verify_export_file(const std::filesystem::path& path,
                                      const ExportOptions& options = {});

}  // namespace ki::importers
