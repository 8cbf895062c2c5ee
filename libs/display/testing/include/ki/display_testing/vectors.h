// Vectors of ../shared and the list of rows in which we differ on purpose (tests/divergences.tsv:
// file, row, original, ours, rule). Every row that is not in the list must agree; every row in it
// is asserted as it stands there.
#pragma once

#include "ki/base/text.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

namespace ki::testing {

// The file's text, or nothing when it is not there.
inline std::optional<std::string> read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

inline std::filesystem::path shared(std::string_view path) {
  return std::filesystem::path(KI_SOURCE_DIR).parent_path() / "shared" / path;
}

// The rows of one vector file.
class Divergences {
 public:
  explicit Divergences(std::string_view file) : file_(file) {
    const auto text = read_text(std::filesystem::path(KI_SOURCE_DIR) / "tests" / "divergences.tsv");
    if (!text) {
      ADD_FAILURE() << "tests/divergences.tsv is missing";
      return;
    }
    for (const std::string_view line : split(*text, '\n')) {
      const auto cells = split(line, '\t');
      if (line.empty() || line.starts_with('#') || cells[0] != file_) continue;
      if (cells.size() != 5) {
        ADD_FAILURE() << "five columns expected: " << line;
        continue;
      }
      rows_[std::string(cells[1])] = {std::string(cells[2]), std::string(cells[3])};
    }
  }

  // `ours` equals `original`, or both equal what the list says.
  void expect(const std::string& row, std::string_view original, std::string_view ours) {
    const auto listed = rows_.find(row);
    if (listed == rows_.end()) {
      EXPECT_EQ(ours, original) << file_ << " " << row;
      return;
    }
    EXPECT_EQ(original, listed->second.original)
        << file_ << " " << row << ": the original has changed";
    EXPECT_EQ(ours, listed->second.ours) << file_ << " " << row;
    seen_.insert(row);
  }

  // No row of the list was left untested.
  void expect_all_seen() const {
    for (const auto& [row, values] : rows_) {
      EXPECT_TRUE(seen_.contains(row)) << file_ << " " << row << " is listed but was not tested";
    }
  }

 private:
  struct Values {
    std::string original;
    std::string ours;
  };
  std::string file_;
  std::map<std::string, Values> rows_;
  std::set<std::string> seen_;
};

}  // namespace ki::testing
