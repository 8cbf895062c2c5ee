#include "ki/importers/kernelindex.h"

#include "export_line.h"
#include "export_lines.h"
#include "ki/base/check.h"
#include "ki/base/text.h"
#include "ki/catalog/builder.h"
#include "ki/importers/export.h"
#include "ki/io/lines.h"
#include "ki/policy/records.h"
#include "ki/publish/leader_sync.h"
#include "merger.h"
#include "row_writer.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::importers {
namespace {

using catalog::Table;
using publish::RowForm;

constexpr std::string_view kReason = "import kernelindex";

class Import {
 public:
  Import(const std::filesystem::path& path, catalog::Store& store, const ImportOptions& options,
         std::optional<ExportInfo> header)
      : path_(path),
        store_(store),
        options_(options),
        header_(std::move(header)),
        checker_(header_ ? RowForm::kExported : RowForm::kPublic),
        reader_(kLineLimits),
        now_(options.clock->now()) {
    report_.is_own_format = header_.has_value();
  }

  Result<ImportReport> run() {
    KI_TRY(tx_, store_.begin());
    const catalog::Head head = tx_->head();
    if (head.seq != 0) {
      merger_.emplace(store_, *tx_, checker_, options_, report_, now_);
      KI_TRY_VOID(merger_->prepare());
    } else {
      if (options_.build_snapshot && !header_ && !options_.dry_run) builder_.emplace();
      writer_.emplace(*tx_, builder_ ? &*builder_ : nullptr);
    }
    KI_TRY_VOID(read_lines());
    if (writer_) KI_TRY_VOID(finish_writer());
    KI_TRY_VOID(judge_all_rows());
    report_.facts = checker_.facts();
    if (report_.refused_total != 0) {
      report_.outcome = ImportReport::Outcome::kRefused;
      return std::move(report_);
    }
    if (merger_) {
      KI_TRY_VOID(merger_->report_vanished());
      KI_TRY_VOID(finish_merge());
    } else if (!header_) {
      KI_TRY_VOID(append_leaders());
      KI_TRY_VOID(append_audit());
    }
    if (report_.outcome == ImportReport::Outcome::kUnchanged) return std::move(report_);
    if (options_.dry_run) {
      report_.outcome = ImportReport::Outcome::kDryRun;
      return std::move(report_);
    }
    for (const catalog::Commit& commit : commits_) KI_TRY_VOID(tx_->restore(commit));
    KI_TRY(report_.commit, tx_->commit(now_, kReason));
    tx_.reset();
    if (builder_) {
      progress("indexing");
      // What was remembered for checking is not needed any more.
      checker_ = publish::RowChecker(RowForm::kPublic);
      report_.snapshot = std::move(*builder_).finish({report_.commit->last, report_.commit->chain});
    }
    return std::move(report_);
  }

 private:
  // ---- reading

  Result<void> read_lines() {
    KI_TRY(io::LineReader lines, io::LineReader::open(path_));
    for (;;) {
      KI_TRY(const auto line, lines.next());
      if (!line) break;
      line_ = lines.line_number();
      ++report_.lines;
      report_.bytes += line->size() + 1;
      if (line_ % 256 == 0) {
        if (options_.cancel != nullptr && *options_.cancel) {
          return fail(Code::kCancelled, "the import was cancelled; nothing was stored");
        }
        position_ = lines.source().position();
        size_ = lines.source().size();
        progress("importing");
      }
      if (header_ && line_ == 1) continue;  // checked before
      KI_TRY_VOID(read_line(*line));
    }
    position_ = lines.source().position();
    size_ = lines.source().size();
    KI_TRY_VOID(write_pending());
    KI_TRY_VOID(write_deferred());
    progress("importing");
    return {};
  }

  Result<void> read_line(std::string_view text) {
    const auto value = reader_.read(text);
    if (!value) {
      std::string reason = value.error().message();
      for (const Issue& issue : value.error().issues()) {
        reason = fmt::format("{} at column {}: {}", issue.code, issue.column, issue.message);
        break;
      }
      refuse(line_, {}, {}, reason);
      return {};
    }
    const auto line = read_export_line(*value);
    if (!line) {
      refuse(line_, {}, {}, line.error().message());
      return {};
    }
    TableCount& count = count_of(line->table);
    ++count.lines;
    if (line->table == kMeasurements || line->table == kServingMeasurements) {
      if (const auto checked =
              checker_.check_measurement(*line->row, line->table == kServingMeasurements);
          !checked) {
        refuse_row(*line, checked.error());
      }
      return {};
    }
    if (header_ && line->table == kCommits) return read_commit(*line);
    const auto table = catalog::find_table(line->table);
    if (!table) {
      refuse(line_, line->table, {}, fmt::format("table {} is not known", quote(line->table)));
      return {};
    }
    if (*table != Table::kBenchmarkRuns) KI_TRY_VOID(write_deferred());
    if (header_ && !line->seq) {
      refuse(line_, line->table, {}, "the line has no 'seq'");
      return {};
    }
    if (!header_ && (line->seq || line->version != 0)) {
      refuse(line_, line->table, {},
             "the line has a 'seq' or 'version', but the file has no header");
      return {};
    }
    return read_row(*table, *line, text);
  }

  Result<void> read_row(Table table, const ExportLine& line, std::string_view text) {
    // Of a row's versions only the newest is compared with what the catalog has.
    if (line.version == 0) KI_TRY_VOID(write_pending());
    const std::uint64_t place = header_ ? *line.seq : line_;
    const auto checked = checker_.check(
        table, *line.row, text, place, line.version,
        [&](const publish::CheckedRow& document) -> Result<void> { return write(document, 0, 0); });
    if (!checked) {
      if (checked.error().code() != Code::kInvalidArgument) return fail(checked.error());
      refuse_row(line, checked.error());
      return {};
    }
    if (table == Table::kBenchmarkRuns && !header_ && is_forward_succession(*checked)) {
      defer(*checked, line_);
      return {};
    }
    if (merger_ && header_) {
      pending_ = Pending{table, std::string(checked->key), std::string(checked->body),
                         checked->digest, line_};
      return {};
    }
    return write(*checked, line.version, header_ ? *line.seq : 0);
  }

  Result<void> read_commit(const ExportLine& line) {
    const json::Value& row = *line.row;
    const auto text_of = [&](std::string_view name) {
      const json::Value* v = row.find(name);
      return v != nullptr && v->is_string() ? v->string() : std::string_view();
    };
    const json::Value* first = row.find("first");
    const json::Value* last = row.find("last");
    const auto at = parse_instant(text_of("at"));
    const auto chain = Digest::parse(text_of("chain"));
    if (first == nullptr || last == nullptr || first->integer().value_or(0) < 1 ||
        last->integer().value_or(0) < 1 || !at || !chain || row.find("reason") == nullptr) {
      refuse(line_, line.table, {}, "the commit is not {at, chain, first, last, reason}");
      return {};
    }
    if (merger_) return {};  // the commits of another log
    commits_.push_back({static_cast<catalog::Seq>(*first->integer()),
                        static_cast<catalog::Seq>(*last->integer()), at->instant,
                        std::string(text_of("reason")), *chain});
    return {};
  }

  // ---- writing

  Result<void> write(const publish::CheckedRow& row, std::uint32_t version, std::uint64_t seq) {
    // Nothing will be stored after a refusal, but a merge goes on comparing: every refused line is
    // named.
    if (report_.refused_total != 0 && !merger_) return {};
    const std::uint64_t place = line_;
    TableCount& count = count_of(catalog::info(row.table).name);
    if (writer_) {
      if (!header_ || seq != 0) writer_->write(row, version, seq, place);
      ++count.inserted;
      return {};
    }
    const auto done = merger_->put(row);
    if (!done) {
      if (done.error().code() != Code::kConflict && done.error().code() != Code::kInvalidArgument) {
        return fail(done.error());
      }
      refuse(place, catalog::info(row.table).name, row.key, done.error().message());
      return {};
    }
    switch (*done) {
      case Merger::Done::kInserted:
        ++count.inserted;
        break;
      case Merger::Done::kChanged:
        ++count.changed;
        break;
      case Merger::Done::kUnchanged:
        ++count.unchanged;
        break;
    }
    return {};
  }

  Result<void> write_pending() {
    if (!pending_) return {};
    const Pending pending = *std::exchange(pending_, std::nullopt);
    KI_TRY(const json::Value value, deferred_reader_.read(pending.body));
    publish::CheckedRow row;
    row.table = pending.table;
    row.key = pending.key;
    row.digest = pending.digest;
    row.body = pending.body;
    row.row = &value;
    if (pending.table == Table::kBenchmarkRuns && is_forward_succession(row)) {
      defer(row, pending.line);
      return {};
    }
    const std::uint64_t line = std::exchange(line_, pending.line);
    const auto done = write(row, 0, 0);
    line_ = line;
    return done;
  }

  // A run that supersedes one of a later line is written after it.
  bool is_forward_succession(const publish::CheckedRow& row) const {
    const json::Value* superseded = row.row->find("supersedesId");
    if (superseded == nullptr || !superseded->is_string()) return false;
    if (superseded->string() == row.key)
      return true;  // itself: never written, and reported at the end
    const auto id = Uuid::parse(superseded->string());
    if (!id || !checker_.has_row(Table::kBenchmarkRuns, *id)) return true;
    return std::ranges::any_of(deferred_,
                               [&](const Deferred& d) { return d.key == superseded->string(); });
  }

  void defer(const publish::CheckedRow& row, std::uint64_t line) {
    deferred_.push_back({std::string(row.key), std::string(row.body), row.digest, line,
                         std::string(row.row->find("supersedesId")->string())});
  }

  Result<void> write_deferred() {
    while (!deferred_.empty()) {
      const std::size_t before = deferred_.size();
      for (std::size_t i = 0; i < deferred_.size();) {
        const bool must_wait = std::ranges::any_of(
            deferred_, [&](const Deferred& d) { return d.key == deferred_[i].superseded; });
        if (must_wait) {
          ++i;
          continue;
        }
        const Deferred run = std::move(deferred_[i]);
        deferred_.erase(deferred_.begin() + static_cast<std::ptrdiff_t>(i));
        publish::CheckedRow row;
        row.table = Table::kBenchmarkRuns;
        row.key = run.key;
        row.digest = run.digest;
        row.body = run.body;
        KI_TRY(const json::Value value, deferred_reader_.read(run.body));
        row.row = &value;
        const std::uint64_t line = std::exchange(line_, run.line);
        KI_TRY_VOID(write(row, 0, 0));
        line_ = line;
      }
      if (deferred_.size() == before) {
        // A cycle: the checker reports it.
        deferred_.clear();
      }
    }
    return {};
  }

  Result<void> finish_writer() {
    if (report_.refused_total != 0) writer_->abandon();
    KI_TRY_VOID(writer_->finish());
    for (const RowWriter::Conflict& conflict : writer_->conflicts()) {
      refuse(conflict.place, catalog::info(conflict.table).name, conflict.key, conflict.message);
    }
    return {};
  }

  // ---- over all rows

  Result<void> judge_all_rows() {
    const bool is_complete = report_.refused_total == 0;
    for (const publish::Finding& finding : checker_.finish(true)) {
      // After a refused line, what follows from it would only be noise.
      if (!is_complete &&
          (finding.code == "event" || finding.code == "measurement" || finding.code == "leader"))
        continue;
      const std::string_view table = catalog::info(finding.table).name;
      if (header_) {
        refuse(0, table, finding.key,
               finding.place == 0 ? finding.message
                                  : fmt::format("entry {}: {}", finding.place, finding.message));
      } else {
        refuse(finding.place, table, finding.key, finding.message);
      }
    }
    return {};
  }

  Result<void> append(Table table, const Uuid& id, std::string_view body) {
    const std::string key = id.to_string();
    KI_TRY(const catalog::Seq seq, tx_->append(table, key, 0, std::nullopt, body));
    if (builder_) KI_TRY_VOID(builder_->apply({seq, table, key, 0, std::nullopt, body}));
    return {};
  }

  Result<void> append_leaders() {
    Result<void> failed;
    std::vector<std::string> ids;
    std::vector<policy::RecordRun> runs;
    checker_.for_each_group(
        [&](const Digest& key, std::span<const publish::RowChecker::LeaderRun> group) {
          if (!failed) return;
          ids.clear();
          runs.clear();
          for (const auto& run : group) ids.push_back(run.id.to_string());
          for (std::size_t i = 0; i < group.size(); ++i)
            runs.push_back({ids[i], group[i].value, Instant{group[i].observed_ms}});
          for (const policy::LeaderChange& change :
               policy::leader_changes_of_publication(std::nullopt, runs, now_)) {
            const Uuid id = options_.ids->next(now_);
            failed = append(Table::kLeaderChanges, id, publish::leader_change_row(id, key, change));
            if (!failed) return;
            ++report_.leader_changes;
          }
        });
    return failed;
  }

  Result<void> append_audit() {
    const Uuid id = options_.ids->next(now_);
    return append(
        Table::kAuditEvents, id,
        publish::audit_event_row(id, options_.actor, "import", "catalog", store_.catalog_id(),
                                 fmt::format("{}: {} lines", kReason, report_.lines), {}, now_));
  }

  Result<void> finish_merge() {
    if (merger_->inserted() + merger_->changed() == 0) {
      report_.outcome = ImportReport::Outcome::kUnchanged;
      return {};
    }
    // Leaders: the groups of new and corrected runs, from the snapshots before and after.
    std::shared_ptr<const catalog::Snapshot> before = options_.base;
    KI_TRY(const catalog::Head head, store_.head());
    if (!before || before->seq() != head.seq) {
      KI_TRY(before, catalog::build_snapshot(store_));
    }
    catalog::SnapshotBuilder builder(*before);
    for (const catalog::OwnedEntry& entry : merger_->entries()) {
      KI_TRY_VOID(builder.apply(
          {entry.seq, entry.table, entry.key, entry.version, entry.digest, entry.body}));
    }
    const auto after = std::move(builder).finish(tx_->head());
    KI_TRY(const publish::LeaderSync synced,
           publish::sync_leaders(*tx_, *before, *after, now_, *options_.ids));
    report_.leader_changes = synced.leader_changes;
    return append_audit();
  }

  // ---- the report

  TableCount& count_of(std::string_view table) {
    if (last_count_ < report_.tables.size() && report_.tables[last_count_].table == table)
      return report_.tables[last_count_];
    for (last_count_ = 0; last_count_ < report_.tables.size(); ++last_count_) {
      if (report_.tables[last_count_].table == table) return report_.tables[last_count_];
    }
    report_.tables.push_back({std::string(table), 0, 0, 0, 0, 0});
    return report_.tables.back();
  }

  void refuse(std::uint64_t line, std::string_view table, std::string_view id, std::string reason) {
    ++report_.refused_total;
    if (!table.empty()) ++count_of(table).refused;
    if (writer_) writer_->abandon();
    if (report_.refused.size() < options_.max_listed) {
      report_.refused.push_back({line, std::string(table), std::string(id), std::move(reason)});
    }
  }

  void refuse_row(const ExportLine& line, const Error& error) {
    std::string reason;
    for (const Issue& issue : error.issues()) {
      if (!reason.empty()) reason += "; ";
      reason += issue.pointer.empty() ? issue.message
                                      : fmt::format("{}: {}", issue.pointer, issue.message);
    }
    if (reason.empty()) reason = error.message();
    const json::Value* id = line.row->find("id");
    refuse(line_, line.table, id != nullptr && id->is_string() ? id->string() : std::string_view(),
           std::move(reason));
  }

  void progress(std::string_view stage) const {
    if (options_.progress) options_.progress({position_, size_, report_.lines, stage});
  }

  // The newest version so far of a row of our format, in a merge.
  struct Pending {
    Table table;
    std::string key, body;
    std::optional<Digest> digest;
    std::uint64_t line;
  };
  struct Deferred {
    std::string key, body;
    std::optional<Digest> digest;
    std::uint64_t line;
    std::string superseded;
  };

  const std::filesystem::path& path_;
  catalog::Store& store_;
  const ImportOptions& options_;
  std::optional<ExportInfo> header_;
  publish::RowChecker checker_;
  json::Reader reader_;
  json::Reader deferred_reader_{kLineLimits};
  Instant now_;
  ImportReport report_;
  // The transaction is used by the writer's thread and outlives it.
  std::unique_ptr<catalog::Transaction> tx_;
  std::optional<catalog::SnapshotBuilder> builder_;
  std::optional<Merger> merger_;
  std::optional<RowWriter> writer_;
  std::optional<Pending> pending_;
  std::vector<Deferred> deferred_;
  std::vector<catalog::Commit> commits_;
  std::uint64_t line_ = 0, position_ = 0, size_ = 0;
  std::size_t last_count_ = 0;
};

// Whether the store's log holds exactly what the export holds, or goes on from it.
Result<bool> has_log_of(catalog::Store& store, const ExportInfo& header) {
  KI_TRY(const catalog::Head head, store.head());
  if (header.catalog_version == 0) return true;
  if (head.seq < header.catalog_version) return false;
  KI_TRY(const auto commits, store.commits(header.catalog_version - 1));
  return std::ranges::any_of(commits, [&](const catalog::Commit& commit) {
    return commit.last == header.catalog_version && commit.chain == header.chain;
  });
}

}  // namespace

Result<ImportReport> import_kernelindex(const std::filesystem::path& path, catalog::Store& store,
                                        const ImportOptions& options) {
  KI_CHECK(options.clock != nullptr && options.ids != nullptr);
  KI_TRY(std::optional<ExportInfo> header, read_export_header(path));
  if (header) {
    ExportOptions check;
    check.cancel = options.cancel;
    if (options.progress) {
      check.progress = [&](std::uint64_t done, std::uint64_t total) {
        options.progress({done, total, done, "checking"});
      };
    }
    KI_TRY(header, verify_export_file(path, check));
    KI_TRY(const bool is_known, has_log_of(store, *header));
    if (is_known) {
      ImportReport report;
      report.outcome = ImportReport::Outcome::kUnchanged;
      report.is_own_format = true;
      report.lines = header->lines;
      report.bytes = header->text_bytes;
      for (const ExportTable& table : header->tables) {
        report.tables.push_back({table.table, table.count, 0, 0, table.count, 0});
      }
      return report;
    }
  }
  return Import(path, store, options, std::move(header)).run();
}

}  // namespace ki::importers
