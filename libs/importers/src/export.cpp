#include "ki/importers/export.h"

#include "export_lines.h"
#include "ki/digest/sha256.h"
#include "ki/io/lines.h"
#include "ki/io/zstd.h"
#include "ki/json/reader.h"
#include "ki/json/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace ki::importers {
namespace {

std::vector<std::string_view> table_names() {
  std::vector<std::string_view> names;
  for (const catalog::TableInfo& table : catalog::tables()) names.push_back(table.name);
  names.insert(names.end(), {kMeasurements, kServingMeasurements, kCommits});
  return names;
}

// Counts and digests of tables, in export order.
class TableSums {
 public:
  // False when the table comes after one that must follow it.
  bool add(std::string_view table, std::string_view line) {
    if (tables_.empty() || tables_.back().table != table) {
      const auto at = std::ranges::find(names_, table);
      if (at == names_.end() || at < next_) return false;
      finish_table();
      next_ = at + 1;
      tables_.push_back({std::string(table), 0, Digest::of({})});
    }
    hasher_.update(line);
    ++tables_.back().count;
    ++lines_;
    bytes_ += line.size();
    return true;
  }
  std::vector<ExportTable> finish() {
    finish_table();
    return tables_;
  }
  std::uint64_t lines() const { return lines_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  void finish_table() {
    if (!tables_.empty()) tables_.back().sha256 = hasher_.finish();
  }
  const std::vector<std::string_view> names_ = table_names();
  std::vector<std::string_view>::const_iterator next_ = names_.begin();
  std::vector<ExportTable> tables_;
  Sha256 hasher_;
  std::uint64_t lines_ = 0;
  std::uint64_t bytes_ = 0;
};

std::string header_line(const ExportInfo& info) {
  std::string out;
  json::Writer w(out);
  w.begin_object()
      .member("catalogVersion", info.catalog_version)
      .member("chain", info.chain.to_string());
  w.member("format", kExportFormat).key("tables").begin_object();
  std::vector<const ExportTable*> sorted;
  sorted.reserve(info.tables.size());
  for (const ExportTable& table : info.tables) sorted.push_back(&table);
  std::ranges::sort(sorted, {}, &ExportTable::table);
  for (const ExportTable* table : sorted) {
    w.key(table->table)
        .begin_object()
        .member("count", table->count)
        .member("sha256", table->sha256.hex())
        .end_object();
  }
  w.end_object().member("version", kExportVersion).end_object();
  return out;
}

bool is_cancelled(const ExportOptions& options) {
  return options.cancel != nullptr && *options.cancel;
}

// Header text to info; nothing when the text is no header of ours.
Result<std::optional<ExportInfo>> parse_header(std::string_view line) {
  constexpr std::string_view kStart = "{\"catalogVersion\":";
  if (!line.starts_with(kStart)) return std::nullopt;
  const auto bad = [](std::string_view what) {
    return fail(Code::kCorrupt, fmt::format("line 1 is no export header: {}", what));
  };
  json::Reader reader;
  const auto value = reader.read(line);
  if (!value) return bad(value.error().to_string());
  const json::Value* format = value->find("format");
  const json::Value* version = value->find("version");
  const json::Value* seq = value->find("catalogVersion");
  const json::Value* chain = value->find("chain");
  const json::Value* tables = value->find("tables");
  if (format == nullptr || !format->is_string() || format->string() != kExportFormat)
    return bad("'format' is not kernelindex-catalog");
  if (version == nullptr || !version->integer()) return bad("'version' is missing");
  if (*version->integer() != kExportVersion) {
    return fail(Code::kUnsupported,
                fmt::format("the export has format version {}; this program reads {}",
                            *version->integer(), kExportVersion));
  }
  if (seq == nullptr || !seq->integer() || *seq->integer() < 0 || chain == nullptr ||
      !chain->is_string() || tables == nullptr || !tables->is_object()) {
    return bad("'catalogVersion', 'chain' or 'tables' is missing");
  }
  ExportInfo info;
  info.catalog_version = static_cast<catalog::Seq>(*seq->integer());
  const auto digest = Digest::parse(chain->string());
  if (!digest) return bad("'chain' is no digest");
  info.chain = *digest;
  for (const json::Member& table : tables->members()) {
    const json::Value* count = table.value.find("count");
    const json::Value* sha256 = table.value.find("sha256");
    const auto sum = sha256 != nullptr && sha256->is_string()
                         ? Digest::parse("sha256:" + std::string(sha256->string()))
                         : Result<Digest>(fail(Code::kCorrupt, ""));
    if (count == nullptr || count->integer().value_or(-1) < 0 || !sum)
      return bad(fmt::format("table '{}' has no count or sha256", table.key));
    info.tables.push_back(
        {std::string(table.key), static_cast<std::uint64_t>(*count->integer()), *sum});
  }
  info.header = line;
  return std::optional(std::move(info));
}

// The table that a canonical line states: its end is ,"table":"NAME"} or
// ,"table":"NAME","version":N}.
std::string_view table_of_line(std::string_view line) {
  constexpr std::string_view kMember = ",\"table\":\"";
  const std::size_t from = line.size() > 120 ? line.size() - 120 : 0;
  const std::size_t at = line.substr(from).rfind(kMember);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(from + at + kMember.size());
  return rest.substr(0, rest.find('"'));
}

}  // namespace

Result<ExportInfo> export_catalog(catalog::Store& store, const std::filesystem::path& path,
                                  const ExportOptions& options) {
  ExportInfo info;
  KI_TRY(const catalog::Head head, store.head());
  info.catalog_version = head.seq;
  info.chain = head.chain;
  // The header states what follows, so the lines are made twice: once to sum them, once to write
  // them.
  TableSums sums;
  KI_TRY_VOID(generate_export_lines(
      store, head, [&](std::string_view table, std::string_view line) -> Result<void> {
        if (is_cancelled(options))
          return fail(Code::kCancelled, "the export was cancelled; nothing was written");
        if (!sums.add(table, line)) return fail(Code::kInternal, "tables came out of order");
        return {};
      }));
  info.tables = sums.finish();
  info.header = header_line(info);
  info.lines = sums.lines() + 1;
  info.text_bytes = sums.bytes() + info.header.size() + 1;
  KI_TRY(io::ZstdWriter writer, io::ZstdWriter::create(path, options.level));
  KI_TRY_VOID(writer.write(info.header + "\n"));
  std::uint64_t done = 1;
  KI_TRY_VOID(generate_export_lines(
      store, head, [&](std::string_view, std::string_view line) -> Result<void> {
        if (is_cancelled(options))
          return fail(Code::kCancelled, "the export was cancelled; nothing was written");
        if (options.progress && ++done % 1024 == 0) options.progress(done, info.lines);
        return writer.write(line);
      }));
  KI_TRY_VOID(writer.finish());
  return info;
}

Result<std::optional<ExportInfo>> read_export_header(const std::filesystem::path& path) {
  KI_TRY(io::LineReader lines, io::LineReader::open(path));
  KI_TRY(const auto first, lines.next());
  if (!first) return std::nullopt;
  return parse_header(*first);
}

Result<ExportInfo> verify_export_file(const std::filesystem::path& path,
                                      const ExportOptions& options) {
  KI_TRY(io::LineReader lines, io::LineReader::open(path));
  KI_TRY(const auto first, lines.next());
  std::optional<ExportInfo> header;
  if (first) {
    KI_TRY(header, parse_header(*first));
  }
  if (!header) {
    return fail(
        Code::kInvalidArgument,
        fmt::format("'{}' is no export of ours: line 1 is no header. A public export has none; "
                    "ki import kernelindex FILE --dry-run checks it",
                    path.string()));
  }
  TableSums sums;
  std::string line;
  std::uint64_t expected = 1;
  for (const ExportTable& table : header->tables) expected += table.count;
  for (;;) {
    if (is_cancelled(options)) return fail(Code::kCancelled, "cancelled");
    KI_TRY(const auto next, lines.next());
    if (!next) break;
    line.assign(*next);
    line += '\n';
    const std::string_view table = table_of_line(*next);
    if (!sums.add(table, line)) {
      return fail(Code::kCorrupt, fmt::format("line {}: table '{}' is unknown or out of order",
                                              lines.line_number(), table));
    }
    if (options.progress && sums.lines() % 1024 == 0) options.progress(sums.lines(), expected);
  }
  const std::vector<ExportTable> found = sums.finish();
  for (const ExportTable& table : header->tables) {
    const auto at = std::ranges::find(found, table.table, &ExportTable::table);
    const std::uint64_t count = at == found.end() ? 0 : at->count;
    if (count != table.count) {
      return fail(
          Code::kCorrupt,
          fmt::format("table '{}' has {} lines; the header states {}: the file was cut or altered",
                      table.table, count, table.count));
    }
    if (count != 0 && at->sha256 != table.sha256) {
      return fail(
          Code::kCorrupt,
          fmt::format(
              "table '{}' does not have the sha256 that the header states: the file was altered",
              table.table));
    }
  }
  for (const ExportTable& table : found) {
    if (std::ranges::find(header->tables, table.table, &ExportTable::table) ==
        header->tables.end()) {
      return fail(
          Code::kCorrupt,
          fmt::format("table '{}' is not stated in the header: the file was altered", table.table));
    }
  }
  if (!lines.ended_with_newline())
    return fail(Code::kCorrupt, "the last line has no line feed: the file was cut");
  header->tables = found;
  header->lines = sums.lines() + 1;
  header->text_bytes = sums.bytes() + header->header.size() + 1;
  return *std::move(header);
}

}  // namespace ki::importers
