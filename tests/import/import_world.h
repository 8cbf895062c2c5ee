// Exports as lines that a test may change, and catalogs to import them into.
#pragma once

#include "ki/base/clock.h"
#include "ki/base/uuid.h"
#include "ki/importers/export.h"
#include "ki/importers/kernelindex.h"
#include "ki/store_memory/memory_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ki::import_tests {

// The lines of a synthetic public export, without line feeds.
std::vector<std::string> synthetic_lines(std::uint64_t runs, std::uint64_t seed = 1);
std::string text_of(const std::vector<std::string>& lines);

// The table that a line states, in either format.
std::string table_of(std::string_view line);
// Position of the n-th line of a table (from 0).
std::size_t find_line(const std::vector<std::string>& lines, std::string_view table,
                      std::size_t n = 0);
// The text member of a line's row: the first `"<member>":"…"`.
std::string member_of(std::string_view line, std::string_view member);
// Replaces the one occurrence (checked) of `from`, or the first when `is_first`.
void replace(std::string& line, std::string_view from, std::string_view to, bool is_first = false);

class ImportWorld : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  std::filesystem::path file(std::string_view name) const { return folder_ / name; }
  std::filesystem::path write(std::string_view name, std::string_view bytes) const;
  std::unique_ptr<catalog::Store> new_store() const;

  importers::ImportOptions options() {
    importers::ImportOptions o;
    o.clock = &clock_;
    o.ids = &ids_;
    return o;
  }
  Result<importers::ImportReport> import_text(catalog::Store& store, std::string_view text);
  // Must be stored.
  importers::ImportReport must_import(catalog::Store& store, std::string_view text);
  // The bytes of an export, decompressed.
  std::string exported(catalog::Store& store);
  void expect_sound(catalog::Store& store);

  std::filesystem::path folder_;
  FixedClock clock_{Instant{1'796'083'200'000}};  // 2026-12-01
  UuidSource ids_{7};
};

}  // namespace ki::import_tests
