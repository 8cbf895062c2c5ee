// Our own export: what is written, read back, and refused.

#include "import_world.h"
#include "ki/base/text.h"
#include "ki/catalog/live.h"
#include "ki/io/file.h"
#include "ki/publish/corrections.h"

namespace ki::import_tests {
namespace {

using importers::ImportReport;
using testing::HasSubstr;

class ExportRoundtrip : public ImportWorld {
 protected:
  void SetUp() override {
    ImportWorld::SetUp();
    store_ = new_store();
    must_import(*store_, text_of(synthetic_lines(200)));
    // Later versions of rows, audit events and leader changes too.
    const auto live = catalog::LiveCatalog::open(*store_, std::nullopt);
    ASSERT_TRUE(live);
    clock_.set(Instant{clock_.now().ms + 1000});
    publish::Corrections corrections(**live, clock_, ids_, "maintainer:cli");
    const auto before = (*live)->current();
    const auto runs = before->runs();
    for (std::size_t i = 0; i < 5; ++i) {
      ASSERT_TRUE(corrections.retract(Uuid{runs[i * 31].id}.to_string(), "a test"));
    }
    text_ = exported(*store_);
  }
  std::unique_ptr<catalog::Store> store_;
  std::string text_;
};

TEST_F(ExportRoundtrip, ImportingAndExportingAgainGivesTheSameBytes) {
  const auto copy = new_store();
  EXPECT_EQ(must_import(*copy, text_).outcome, ImportReport::Outcome::kImported);
  EXPECT_EQ(copy->head()->chain, store_->head()->chain);
  EXPECT_EQ(exported(*copy), text_);
  EXPECT_EQ(must_import(*copy, text_).outcome, ImportReport::Outcome::kUnchanged);
  expect_sound(*copy);
}

TEST_F(ExportRoundtrip, TheSameCatalogGivesTheSameCompressedBytes) {
  ASSERT_TRUE(importers::export_catalog(*store_, file("a.zst")));
  ASSERT_TRUE(importers::export_catalog(*store_, file("b.zst")));
  EXPECT_EQ(*io::read_file(file("a.zst")), *io::read_file(file("b.zst")));
  const auto verified = importers::verify_export_file(file("a.zst"));
  ASSERT_TRUE(verified) << verified.error().to_string();
  EXPECT_EQ(verified->catalog_version, store_->head()->seq);
  EXPECT_EQ(verified->text_bytes, text_.size());
}

TEST_F(ExportRoundtrip, AnEmptyCatalogCanBeExportedAndImported) {
  const auto empty = new_store();
  const std::string text = exported(*empty);
  const auto copy = new_store();
  EXPECT_EQ(must_import(*copy, text).outcome, ImportReport::Outcome::kUnchanged);
  EXPECT_EQ(exported(*copy), text);
}

TEST_F(ExportRoundtrip, AnAlteredByteInAnyTableIsFoundBeforeAnythingIsStored) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text_, '\n')) lines.emplace_back(line);
  lines.pop_back();
  std::string last_table;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::string table = table_of(lines[i]);
    if (table == last_table) continue;
    last_table = table;
    SCOPED_TRACE(table);
    std::vector<std::string> altered = lines;
    const std::size_t digit = altered[i].find_first_of("123456789", altered[i].find(':', 8));
    ASSERT_NE(digit, std::string::npos);
    altered[i][digit] = altered[i][digit] == '9' ? '8' : static_cast<char>(altered[i][digit] + 1);
    const auto copy = new_store();
    const auto report = import_text(*copy, text_of(altered));
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code(), Code::kCorrupt);
    EXPECT_THAT(report.error().message(), HasSubstr(table));
    EXPECT_EQ(copy->head()->seq, 0U);
  }
}

TEST_F(ExportRoundtrip, ACutFileIsRefusedWhereverItIsCut) {
  for (std::size_t keep = 1; keep < text_.size(); keep += text_.size() / 23 + 1) {
    SCOPED_TRACE(keep);
    const auto copy = new_store();
    const auto report = import_text(*copy, text_.substr(0, keep));
    // A cut header leaves no export of ours: then the lines are refused one by one.
    EXPECT_TRUE(!report || report->outcome == ImportReport::Outcome::kRefused);
    EXPECT_EQ(copy->head()->seq, 0U);
  }
  ASSERT_TRUE(importers::export_catalog(*store_, file("whole.zst")));
  const std::string frame = *io::read_file(file("whole.zst"));
  for (const std::size_t keep : {frame.size() - 1, frame.size() / 2, std::size_t{10}}) {
    SCOPED_TRACE(keep);
    const auto copy = new_store();
    const auto report =
        importers::import_kernelindex(write("cut.zst", frame.substr(0, keep)), *copy, options());
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code(), Code::kCorrupt);
    EXPECT_EQ(copy->head()->seq, 0U);
  }
}

// Whoever alters a row and its sums still has to forge what follows from the manifests and the
// chain.
TEST_F(ExportRoundtrip, AnAlteredFileWithFittingSumsIsRefusedByItsRows) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text_, '\n')) lines.emplace_back(line);
  lines.pop_back();
  struct Case {
    const char* table;
    const char* from;
    const char* to;
  };
  for (const auto& [table, from, to] : std::initializer_list<Case>{
           {"benchmark_runs", "\"sourceNative\":true", "\"sourceNative\":false"},
           {"projects", "\"kind\":\"", "\"kind\":\"x"},
           // Nothing follows from an artifact's media type: the chain finds it.
           {"artifacts", "text/x-python", "text/x-pYthon"},
           {"commits", "\"reason\":\"", "\"chain2\":1,\"reason\":\""}}) {
    SCOPED_TRACE(table);
    std::vector<std::string> altered = lines;
    replace(altered[find_line(altered, table)], from, to, true);
    // New sums for the header.
    std::string part;
    for (std::size_t i = 1; i < altered.size(); ++i) {
      if (table_of(altered[i]) == table) part += altered[i] + "\n";
    }
    const std::string start = std::string("\"") + table + "\":{\"count\":";
    const std::size_t sum = altered[0].find("\"sha256\":\"", altered[0].find(start)) + 10;
    altered[0].replace(sum, 64, Digest::of(part).hex());
    const auto copy = new_store();
    const auto report = import_text(*copy, text_of(altered));
    const bool is_refused = !report || report->outcome == ImportReport::Outcome::kRefused;
    EXPECT_EQ(is_refused,
              std::string_view(table) != "commits");  // an unknown member of a commit adds nothing
    if (is_refused) {
      EXPECT_EQ(copy->head()->seq, 0U);
    }
  }
}

TEST_F(ExportRoundtrip, ANewerFormatIsRefusedByName) {
  std::string text = text_;
  replace(text, ",\"version\":1}\n", ",\"version\":2}\n", true);
  const auto copy = new_store();
  const auto report = import_text(*copy, text);
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().to_string(), HasSubstr("version"));
}

TEST_F(ExportRoundtrip, ANewerExportOfOursIsMergedIntoAnOlderCopy) {
  const auto copy = new_store();
  must_import(*copy, text_);
  const auto live = catalog::LiveCatalog::open(*store_, std::nullopt);
  ASSERT_TRUE(live);
  clock_.set(Instant{clock_.now().ms + 1000});
  publish::Corrections corrections(**live, clock_, ids_, "maintainer:cli");
  const auto before = (*live)->current();
  const std::string run = Uuid{before->runs()[40].id}.to_string();
  ASSERT_TRUE(corrections.retract(run, "found later"));
  const ImportReport report = must_import(*copy, exported(*store_));
  EXPECT_EQ(report.retractions, 1U);
  expect_sound(*copy);
}

}  // namespace
}  // namespace ki::import_tests
