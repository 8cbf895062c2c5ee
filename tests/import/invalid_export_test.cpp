// Exports that must be refused whole, with the line and the reason.

#include "import_world.h"

namespace ki::import_tests {
namespace {

using importers::ImportReport;
using testing::HasSubstr;
using Lines = std::vector<std::string>;

class InvalidExport : public ImportWorld {
 protected:
  // Refused, nothing stored, and some refused line has the reason.
  void expect_refused(const std::string& text, std::string_view reason) {
    const auto store = new_store();
    const auto report = import_text(*store, text);
    ASSERT_TRUE(report) << report.error().to_string();
    EXPECT_EQ(report->outcome, ImportReport::Outcome::kRefused);
    EXPECT_GT(report->refused_total, 0U);
    EXPECT_EQ(store->head()->seq, 0U);
    std::string reasons;
    for (const auto& refused : report->refused) reasons += refused.reason + "\n";
    EXPECT_THAT(reasons, HasSubstr(std::string(reason)));
  }
  const Lines lines_ = synthetic_lines(120);
};

TEST_F(InvalidExport, OneWrongColumnInAnyTableIsNamedWithItsLine) {
  struct Case {
    const char* why;
    const char* table;
    const char* from;
    const char* to;
    const char* reason;
  };
  for (const auto& [why, table, from, to, reason] : std::initializer_list<Case>{
           {"normal form of a name", "projects", "\"normalizedName\":\"amber",
            "\"normalizedName\":\"Amber", "normalizedName"},
           {"a project's manifest no longer has its name", "projects", "\"canonicalUrl\":null",
            "\"canonicalUrl\":\"https://a.example/\"", "canonicalUrl"},
           {"operation digest", "operations",
            "\"semanticDigest\":\"sha256:", "\"semanticDigest\":\"sha256:0", "semanticDigest"},
           {"operation manifest", "operations", "\"batch_size\":{\"role\":\"variable\"",
            "\"batch_size\":{\"minimum\":1,\"role\":\"variable\"", "hashes to"},
           {"schema version", "operations", "\"schemaVersion\":\"kernelindex.dev/v1alpha1\"",
            "\"schemaVersion\":\"kernelindex.dev/v2\"", "schemaVersion"},
           {"an alias in upper case", "operation_aliases", "\"alias\":\"0", "\"alias\":\"A0",
            "lower case"},
           {"shape", "workloads", "\"shapeSummary\":\"", "\"shapeSummary\":\"x", "shapeSummary"},
           {"dtypes", "workloads", "\"layoutKeys\":[", "\"layoutKeys\":[\"strided\",",
            "layoutKeys"},
           {"another operation", "workloads", "\"operationId\":\"01977420",
            "\"operationId\":\"01977421", "operationId"},
           {"language", "implementations", "\"framework\":null", "\"framework\":\"torch\"",
            "framework"},
           {"licence", "implementations", "\"licenseExpression\":null",
            "\"licenseExpression\":\"MIT\"", "licenseExpression"},
           {"status", "benchmark_runs", "\"sourceNative\":true", "\"sourceNative\":false",
            "sourceNative"},
           {"evidence", "benchmark_runs", "\"hasRawEvidence\":false", "\"hasRawEvidence\":true",
            "hasRawEvidence"},
           {"comparison key", "benchmark_runs",
            "\"comparisonKey\":\"sha256:", "\"comparisonKey\":\"sha256:0", "comparisonKey"},
           {"value", "benchmark_runs", "\"primaryValue\":", "\"primaryValue\":1", "primaryValue"},
           {"samples", "benchmark_runs", "\"sampleCount\":null", "\"sampleCount\":3",
            "sampleCount"},
           {"a column nobody knows", "benchmark_runs", "\"sampleCount\":null",
            "\"sampleCount\":null,\"secret\":1", "secret"},
           {"a column that is missing", "benchmark_runs", "\"reported\":true,", "", "reported"},
           {"run manifest", "benchmark_runs",
            "\"workloadDigest\":\"sha256:", "\"workloadDigest\":\"sha256:0", "workloadDigest"},
           {"environment", "benchmark_runs", "\"kind\":\"ExecutionEnvironment\"",
            "\"kind\":\"BenchmarkProtocol\"", "/manifest/environment"},
           {"measured value", "measurements", "\"value\":", "\"value\":1", "makes no measurement"},
           {"measured unit", "measurements", "\"unit\":\"", "\"unit\":\"m", "makes no measurement"},
           {"measured run", "measurements", "\"runId\":\"01977420", "\"runId\":\"01977421",
            "which is not there"},
           {"event time", "record_events", "\"at\":\"2", "\"at\":\"3", "'at'"},
           {"event policy", "record_events", "ranking-v1", "ranking-v9", "policyVersion"},
           {"event cause", "record_events", "new_run", "new_leader", "cause"},
           {"event group", "record_events",
            "\"comparisonKey\":\"sha256:", "\"comparisonKey\":\"sha256:0", "comparisonKey"},
           {"artifact storage", "artifacts", "\"storage\":\"upstream\"", "\"storage\":\"moon\"",
            "storage"},
           {"time", "artifacts", ".000Z\"", "Z\"", "instant"},
       }) {
    SCOPED_TRACE(why);
    Lines lines = lines_;
    const std::size_t at = find_line(lines, table);
    std::string& line = lines[at];
    if (std::string_view(to).starts_with(from) && std::string_view(to).ends_with('0') &&
        std::string_view(from).ends_with("sha256:")) {
      // Same length: the first digit becomes another.
      const std::size_t digit = line.find(from) + std::string_view(from).size();
      line[digit] = line[digit] == '0' ? '1' : '0';
    } else {
      replace(line, from, to, true);
    }
    const auto store = new_store();
    const auto report = import_text(*store, text_of(lines));
    ASSERT_TRUE(report) << report.error().to_string();
    EXPECT_EQ(report->outcome, ImportReport::Outcome::kRefused);
    EXPECT_EQ(store->head()->seq, 0U);
    ASSERT_FALSE(report->refused.empty());
    EXPECT_EQ(report->refused.front().line, at + 1);
    EXPECT_EQ(report->refused.front().table, table);
    EXPECT_THAT(report->refused.front().reason, HasSubstr(reason));
  }
}

TEST_F(InvalidExport, LinesThatAreNotRowsAreRefused) {
  struct Case {
    const char* why;
    std::string line;
    const char* reason;
  };
  for (const auto& [why, line, reason] : std::initializer_list<Case>{
           {"not JSON", "{\"table\":", "syntax"},
           {"no object", "[]", "not a JSON object"},
           {"empty", "", "empty"},
           {"no table", "{\"row\":{}}", "no text member 'table'"},
           {"a table nobody knows", R"({"table":"secrets","row":{}})", "not known"},
           {"something beside the row", R"({"table":"sources","row":{},"note":1})", "note"},
           {"a sequence number without a header", R"({"table":"sources","row":{},"seq":1})",
            "no header"},
           {"a repeated name", R"({"table":"sources","table":"sources","row":{}})", "duplicate"},
           {"a bare NaN", R"({"table":"measurements","row":{"value":NaN}})", "syntax"},
           {"a bare infinity", R"({"table":"measurements","row":{"value":-inf}})", "syntax"},
           {"a lone surrogate", R"({"table":"sources","row":{"slug":"\ud800"}})", "surrogate"},
           {"invalid UTF-8", "{\"table\":\"sources\",\"row\":{\"slug\":\"\xff\"}}", "UTF-8"},
           {"no row of its own id", R"({"table":"sources","row":{"slug":"a"}})", "'id'"},
       }) {
    SCOPED_TRACE(why);
    Lines lines = lines_;
    lines.insert(lines.begin() + 1, line);
    expect_refused(text_of(lines), reason);
  }
}

TEST_F(InvalidExport, AByteOrderMarkIsNamed) {
  expect_refused("\xEF\xBB\xBF" + text_of(lines_), "byte order mark");
}

TEST_F(InvalidExport, SentinelsOfMissingNumbersAreNoNumbers) {
  Lines lines = lines_;
  const std::size_t at = find_line(lines, "measurements");
  for (const std::string_view sentinel : {"\"NaN\"", "null", "9223372036854776000", "true"}) {
    SCOPED_TRACE(sentinel);
    Lines changed = lines;
    const std::size_t value = changed[at].find("\"value\":") + 8;
    changed[at].replace(value, changed[at].find(',', value) - value, sentinel);
    expect_refused(text_of(changed), "");
  }
}

TEST_F(InvalidExport, RowsThatRepeatAreRefused) {
  for (const std::string_view table :
       {"sources", "projects", "operations", "workloads", "implementations", "benchmark_runs",
        "measurements", "record_events", "artifacts"}) {
    SCOPED_TRACE(table);
    Lines lines = lines_;
    const std::size_t at = find_line(lines, table);
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), lines[at]);
    expect_refused(text_of(lines), table == "measurements" ? "stated before" : "twice");
  }
}

TEST_F(InvalidExport, TwoOperationsCannotShareASlug) {
  Lines lines = lines_;
  const std::size_t first = find_line(lines, "operations");
  const std::string slug = member_of(lines[first], "slug");
  replace(lines[first + 1], "\"slug\":\"" + member_of(lines[first + 1], "slug") + "\"",
          "\"slug\":\"" + slug + "\"");
  expect_refused(text_of(lines), "has the slug");
}

TEST_F(InvalidExport, TwoRowsCannotShareADigest) {
  Lines lines = lines_;
  const std::size_t at = find_line(lines, "artifacts");
  std::string copy = lines[at];
  replace(copy, member_of(copy, "id"), "01990000-0000-7000-8000-00000000abcd");
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), copy);
  expect_refused(text_of(lines), "digest");
}

TEST_F(InvalidExport, AMissingRowIsMissedByEveryRowThatNamesIt) {
  struct Case {
    const char* table;
    const char* reason;
  };
  for (const auto& [table, reason] :
       std::initializer_list<Case>{{"operations", "which is not there"},
                                   {"workloads", "which is not there"},
                                   {"implementations", "which is not there"},
                                   {"benchmark_runs", "not there"},
                                   {"measurements", "have no line"},
                                   {"record_events", "has no leader event"}}) {
    SCOPED_TRACE(table);
    Lines lines = lines_;
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(find_line(lines, table)));
    expect_refused(text_of(lines), reason);
  }
}

TEST_F(InvalidExport, AFileThatIsCutIsRefusedWhereverTheCutLeavesRowsWithoutOthers) {
  const std::size_t last = find_line(lines_, "record_events");
  for (std::size_t keep = last; keep > last / 2; keep -= 37) {
    SCOPED_TRACE(keep);
    expect_refused(
        text_of(Lines(lines_.begin(), lines_.begin() + static_cast<std::ptrdiff_t>(keep))), "");
  }
  const std::string text = text_of(lines_);
  expect_refused(text.substr(0, text.size() - 20), "syntax");
}

TEST_F(InvalidExport, RowsBeforeTheRowsThatTheyNameAreRefused) {
  Lines lines = lines_;
  std::swap(lines[find_line(lines, "operations")], lines[find_line(lines, "workloads")]);
  expect_refused(text_of(lines), "which is not there");
}

TEST_F(InvalidExport, EveryRefusedLineIsListedUpToTheLimit) {
  Lines lines = lines_;
  std::size_t changed = 0;
  for (std::string& line : lines) {
    if (table_of(line) == "artifacts")
      replace(line, "\"storage\":\"upstream\"", "\"storage\":\"moon\""), ++changed;
  }
  const auto store = new_store();
  auto limited = options();
  limited.max_listed = 5;
  const auto report =
      importers::import_kernelindex(write("in.jsonl", text_of(lines)), *store, limited);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->refused_total, changed);
  EXPECT_EQ(report->refused.size(), 5U);
  EXPECT_THAT(report->to_json(), HasSubstr("\"refusedTotal\": " + std::to_string(changed)));
}

}  // namespace
}  // namespace ki::import_tests
