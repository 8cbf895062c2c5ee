#include "ki/importers/kernelindex.h"

#include "export_line.h"
#include "export_lines.h"
#include "ki/base/check.h"
#include "ki/base/text.h"
#include "ki/catalog/builder.h"
#include "ki/importers/export.h"
#include "ki/io/lines.h"
#include "ki/json/canonical.h"
#include "ki/json/writer.h"
#include "ki/policy/records.h"
#include "ki/publish/leader_sync.h"
#include "merge_writer.h"
#include "row_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace ki::importers {
namespace {

using catalog::Table;
using publish::CheckedRow;
using publish::RowChecker;
using publish::RowForm;

// One import: reads and checks lines, hands what passed to a writer.
class Import {
 public:
  Import(const std::filesystem::path& path, catalog::Store& store, const ImportOptions& options)
      : path_(path), store_(store), options_(options) {
    KI_CHECK(options.clock != nullptr && options.ids != nullptr);
  }

  Result<ImportReport> run() {
    KI_TRY(const auto header, read_export_header(path_));
    report_.is_own_format = header.has_value();
    if (header) {
      ExportOptions check;
      check.cancel = options_.cancel;
      check.progress = [&](std::uint64_t done, std::uint64_t total) {
        if (options_.progress)
          options_.progress(
              {.bytes_read = done, .bytes_total = total, .lines = done, .stage = "checking"});
      };
      KI_TRY_VOID(verify_export_file(path_, check));
    }
    KI_TRY(const std::unique_ptr<catalog::Transaction> tx, store_.begin());
    now_ = options_.clock->now();
    const bool is_empty = tx->head().seq == 0;
    if (is_empty) {
      KI_TRY_VOID(fill(*tx));
    } else {
      KI_TRY_VOID(merge(*tx));
    }
    finish_report();
    return std::move(report_);
  }

 private:
  bool is_refused() const { return report_.refused_total != 0; }
  bool will_store() const { return !is_refused() && !options_.dry_run; }
  RowForm form() const { return report_.is_own_format ? RowForm::kExported : RowForm::kPublic; }

  void refuse(std::uint64_t line, std::string_view table, std::string_view id, std::string reason) {
    ++report_.refused_total;
    if (report_.refused.size() < options_.max_listed) {
      report_.refused.push_back({line, std::string(table), std::string(id), std::move(reason)});
    }
    ++counts_[std::string(table)].refused;
  }

  static std::string reasons_of(const Error& error) {
    if (error.issues().empty()) return error.message();
    std::string out;
    for (const Issue& issue : error.issues()) out += (out.empty() ? "" : "; ") + issue.to_string();
    return out;
  }

  static std::string id_of(const json::Value& row) {
    const json::Value* id = row.find("id");
    if (id == nullptr) id = row.find("operationId");
    return id != nullptr && id->is_string() ? std::string(id->string()) : std::string();
  }

  // Reads all lines; row(line, checked-table, export line) for rows of tables, with their text.
  template <class OnRow>
  Result<void> read_lines(RowChecker& checker, OnRow on_row) {
    KI_TRY(io::LineReader lines, io::LineReader::open(path_));
    json::Reader reader(kLineLimits);
    for (;;) {
      KI_TRY(const auto text, lines.next());
      if (!text) break;
      ++report_.lines;
      report_.bytes += text->size() + 1;
      if (options_.cancel != nullptr && *options_.cancel)
        return fail(Code::kCancelled, "the import was cancelled; nothing was stored");
      if (options_.progress && report_.lines % 1024 == 0) {
        options_.progress({.bytes_read = lines.source().position(),
                           .bytes_total = lines.source().size(),
                           .lines = report_.lines,
                           .stage = "importing"});
      }
      if (report_.is_own_format && report_.lines == 1) continue;  // the header, checked before
      read_line(checker, reader, *text, lines.line_number(), on_row);
    }
    if (!lines.ended_with_newline()) {
      refuse(lines.line_number(), "", "", "the last line has no line feed: the file was cut");
    }
    if (report_.lines == 0) refuse(0, "", "", "the file is empty");
    return {};
  }

  template <class OnRow>
  void read_line(RowChecker& checker, json::Reader& reader, std::string_view text,
                 std::uint64_t number, OnRow& on_row) {
    const auto value = reader.read(text);
    if (!value) return refuse(number, "", "", reasons_of(value.error()));
    const auto line = read_export_line(*value);
    if (!line) return refuse(number, "", "", line.error().message());
    if (line->table == kMeasurements || line->table == kServingMeasurements) {
      const bool is_serving = line->table == kServingMeasurements;
      (is_serving ? has_serving_measurements_ : has_measurements_) = true;
      TableCount& count = counts_[std::string(line->table)];
      ++count.lines;
      if (auto done = checker.check_measurement(*line->row, is_serving); !done) {
        return refuse(number, line->table, id_of(*line->row), reasons_of(done.error()));
      }
      ++count.unchanged;  // derived: never stored
      return;
    }
    if (line->table == kCommits && report_.is_own_format) {
      ++counts_[std::string(line->table)].lines;
      return read_commit(*line->row, number);
    }
    const auto table = catalog::find_table(line->table);
    if (!table) {
      std::vector<std::string_view> names;
      for (const catalog::TableInfo& known : catalog::tables()) names.push_back(known.name);
      const auto near = did_you_mean(line->table, names);
      return refuse(number, line->table, id_of(*line->row),
                    fmt::format("table {} is not known{}", quote(line->table),
                                near ? fmt::format("; did you mean '{}'?", *near) : ""));
    }
    if (report_.is_own_format != line->seq.has_value()) {
      return refuse(number, line->table, id_of(*line->row),
                    report_.is_own_format ? "the line has no 'seq'"
                                          : "the line has a 'seq', but the file has no header");
    }
    TableCount& count = counts_[std::string(line->table)];
    ++count.lines;
    on_row(*table, *line, text, number, count);
  }

  void read_commit(const json::Value& row, std::uint64_t number) {
    const auto integer = [&](std::string_view name) {
      const json::Value* v = row.find(name);
      return v == nullptr ? std::int64_t{0} : v->integer().value_or(0);
    };
    const auto text = [&](std::string_view name) {
      const json::Value* v = row.find(name);
      return v != nullptr && v->is_string() ? v->string() : std::string_view();
    };
    const auto at = parse_instant(text("at"));
    const auto chain = Digest::parse(text("chain"));
    if (!at || !chain || integer("first") < 1 || integer("last") < integer("first")) {
      return refuse(number, kCommits, "", "the commit has no at, chain, first or last");
    }
    commits_.push_back({.first = static_cast<catalog::Seq>(integer("first")),
                        .last = static_cast<catalog::Seq>(integer("last")),
                        .at = at->instant,
                        .reason = std::string(text("reason")),
                        .chain = *chain});
  }

  void take_findings(RowChecker& checker) {
    for (const publish::Finding& finding :
         checker.finish(has_measurements_ || has_serving_measurements_)) {
      refuse(finding.place, catalog::info(finding.table).name, finding.key, finding.message);
    }
    report_.facts = checker.facts();
  }

  // ---- into an empty catalog

  Result<void> fill(catalog::Transaction& tx) {
    catalog::SnapshotBuilder builder;
    const bool folds = options_.build_snapshot && !report_.is_own_format;
    RowWriter writer(tx, folds ? &builder : nullptr);
    RowChecker checker(form());
    const bool is_own = report_.is_own_format;
    const auto on_row = [&](Table table, const ExportLine& line, std::string_view text,
                            std::uint64_t number, TableCount& count) {
      const auto on_document = [&](const CheckedRow& row) -> Result<void> {
        TableCount& documents = counts_[std::string(catalog::info(Table::kDocuments).name)];
        ++documents.inserted;
        writer.write(row, 0, 0, number);
        return {};
      };
      auto checked = checker.check(table, *line.row, text, number, line.version, on_document);
      if (!checked) {
        refuse(number, line.table, id_of(*line.row), reasons_of(checked.error()));
        writer.abandon();
        return;
      }
      writer.write(*checked, line.version, is_own ? *line.seq : 0, number);
      ++count.inserted;
    };
    KI_TRY_VOID(read_lines(checker, on_row));
    take_findings(checker);
    if (is_refused()) writer.abandon();
    KI_TRY_VOID(writer.finish());
    for (const RowWriter::Conflict& conflict : writer.conflicts()) {
      refuse(conflict.place, catalog::info(conflict.table).name, conflict.key, conflict.message);
    }
    if (!will_store()) return {};
    if (is_own) {
      for (const catalog::Commit& commit : commits_) KI_TRY_VOID(tx.restore(commit));
    } else {
      KI_TRY_VOID(append_leader_history(tx, checker, folds ? &builder : nullptr));
      KI_TRY_VOID(append_audit(tx, "import", "catalog", store_.catalog_id(), "",
                               folds ? &builder : nullptr));
    }
    KI_TRY(report_.commit, tx.commit(now_, "import kernelindex"));
    if (folds) {
      if (options_.progress)
        options_.progress(
            {.bytes_read = 1, .bytes_total = 1, .lines = report_.lines, .stage = "indexing"});
      KI_TRY(const catalog::Head head, store_.head());
      report_.snapshot = std::move(builder).finish(head);
    }
    return {};
  }

  // Appends a row of ours and folds it.
  Result<void> append(catalog::Transaction& tx, Table table, const std::string& body,
                      catalog::SnapshotBuilder* builder) {
    json::Reader reader;
    KI_TRY(const json::Value row, reader.read(body));
    KI_TRY(const std::string key, catalog::key_of(table, row));
    KI_TRY(const catalog::Seq seq, tx.append(table, key, 0, std::nullopt, body));
    ++counts_[std::string(catalog::info(table).name)].inserted;
    if (builder != nullptr)
      KI_TRY_VOID(builder->apply(
          {.seq = seq, .table = table, .key = key, .version = 0, .digest = {}, .body = body}, row));
    return {};
  }

  Result<void> append_audit(catalog::Transaction& tx, std::string_view action,
                            std::string_view kind, std::string_view target, std::string_view prior,
                            catalog::SnapshotBuilder* builder) {
    return append(tx, Table::kAuditEvents,
                  publish::audit_event_row(options_.ids->next(now_), options_.actor, action, kind,
                                           target, path_.filename().string(), prior, now_),
                  builder);
  }

  // The sequence of leaders that the imported runs make, group by group (spec 03.6).
  Result<void> append_leader_history(catalog::Transaction& tx, const RowChecker& checker,
                                     catalog::SnapshotBuilder* builder) {
    std::optional<Error> error;
    checker.for_each_group([&](const Digest& key, std::span<const RowChecker::LeaderRun> runs) {
      if (error) return;
      std::vector<std::string> ids;
      std::vector<policy::RecordRun> records;
      ids.reserve(runs.size());
      for (const auto& run : runs) ids.push_back(run.id.to_string());
      for (std::size_t i = 0; i < runs.size(); ++i)
        records.push_back({ids[i], runs[i].value, Instant{runs[i].observed_ms}});
      for (const policy::LeaderChange& change :
           policy::leader_changes_of_publication(std::nullopt, records, now_)) {
        auto done =
            append(tx, Table::kLeaderChanges,
                   publish::leader_change_row(options_.ids->next(now_), key, change), builder);
        if (!done) {
          error = std::move(done).error();
          return;
        }
        ++report_.leader_changes;
      }
    });
    if (error) return fail(*error);
    return {};
  }

  // ---- into a catalog that has rows

  Result<void> merge(catalog::Transaction& tx) {
    RowChecker checker(form());
    MergeWriter writer(store_, tx, checker, options_, now_, report_);
    const auto on_row = [&](Table table, const ExportLine& line, std::string_view text,
                            std::uint64_t number, TableCount& count) {
      if (MergeWriter::is_own_history(table)) {  // each catalog keeps its own
        ++count.unchanged;
        return;
      }
      writer.see_ids(table, *line.row);
      const auto on_document = [&](const CheckedRow& row) -> Result<void> {
        return writer.write(row, counts_[std::string(catalog::info(Table::kDocuments).name)]);
      };
      auto checked = checker.check(table, *line.row, text, number, line.version, on_document);
      if (!checked)
        return refuse(number, line.table, id_of(*line.row), reasons_of(checked.error()));
      if (auto done = writer.write(*checked, count); !done) {
        refuse(number, line.table, std::string(checked->key), done.error().message());
      }
    };
    KI_TRY_VOID(read_lines(checker, on_row));
    take_findings(checker);
    if (is_refused()) return {};
    KI_TRY_VOID(writer.find_vanished());
    if (options_.dry_run || !writer.has_appended()) return {};
    KI_TRY_VOID(writer.sync_leaders());
    KI_TRY_VOID(append_audit(tx, "import", "catalog", store_.catalog_id(), "", nullptr));
    KI_TRY(report_.commit, tx.commit(now_, "import kernelindex"));
    return {};
  }

  void finish_report() {
    for (auto& [name, count] : counts_) {
      count.table = name;
      if (!name.empty()) report_.tables.push_back(count);
    }
    if (is_refused())
      report_.outcome = ImportReport::Outcome::kRefused;
    else if (options_.dry_run)
      report_.outcome = ImportReport::Outcome::kDryRun;
    else if (!report_.commit)
      report_.outcome = ImportReport::Outcome::kUnchanged;
  }

  const std::filesystem::path& path_;
  catalog::Store& store_;
  const ImportOptions& options_;
  Instant now_;
  ImportReport report_;
  std::map<std::string, TableCount> counts_;
  std::vector<catalog::Commit> commits_;
  bool has_measurements_ = false;
  bool has_serving_measurements_ = false;
};

}  // namespace

Result<ImportReport> import_kernelindex(const std::filesystem::path& path, catalog::Store& store,
                                        const ImportOptions& options) {
  return Import(path, store, options).run();
}

}  // namespace ki::importers
