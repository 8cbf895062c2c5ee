#include "ki/publish/fsck.h"

#include "ki/catalog/builder.h"
#include "ki/catalog/snapshot.h"
#include "ki/json/reader.h"
#include "ki/json/writer.h"
#include "ki/publish/row_checker.h"

#include <fmt/format.h>

#include <cstring>

namespace ki::publish {
namespace {

using catalog::Entry;
using catalog::Step;

class Checking {
 public:
  Checking(catalog::Store& store, const FsckOptions& options)
      : store_(store),
        options_(options),
        reader_(json::Limits{.max_bytes = std::size_t{64} << 20, .max_depth = 72}) {}

  Result<FsckReport> run() {
    KI_TRY(report_.head, store_.head());
    auto storage = store_.check_storage();
    if (!storage) return fail(std::move(storage).error());
    for (std::string& problem : *storage) add({"storage", {}, {}, 0, std::move(problem)});
    KI_TRY_VOID(check_log());
    KI_TRY_VOID(check_rows());
    KI_TRY_VOID(check_snapshot());
    return std::move(report_);
  }

 private:
  void add(Problem problem) {
    if (report_.problems.size() < options_.max_problems) {
      report_.problems.push_back(std::move(problem));
    } else {
      ++report_.problems_left_out;
    }
  }

  Result<void> step() {
    ++done_;
    if (done_ % 1024 != 0) return {};
    if (options_.cancel != nullptr && *options_.cancel)
      return fail(Code::kCancelled, "fsck was cancelled");
    if (options_.progress) options_.progress(done_ / 2, report_.head.seq);
    return {};
  }

  // Entries are numbered without gaps, commits cover them without gaps, and every chain value
  // follows.
  Result<void> check_log() {
    KI_TRY(const auto commits, store_.commits(0));
    report_.commits = commits.size();
    catalog::Seq expected = 1;
    for (const catalog::Commit& commit : commits) {
      if (commit.first != expected || commit.last < commit.first) {
        add({"commit",
             {},
             {},
             commit.last,
             fmt::format("the commit covers entries {} to {}, but entry {} is next", commit.first,
                         commit.last, expected)});
      }
      expected = commit.last + 1;
    }
    if (expected != report_.head.seq + 1) {
      add({"commit",
           {},
           {},
           report_.head.seq,
           fmt::format("the commits end at entry {}, the log at entry {}", expected - 1,
                       report_.head.seq)});
    }
    Digest chain = catalog::empty_chain();
    catalog::Seq next = 1;
    auto commit = commits.begin();
    bool is_broken = false;
    KI_TRY_VOID(store_.read_since(0, report_.head.seq, [&](const Entry& entry) -> Result<Step> {
      KI_TRY_VOID(step());
      ++report_.entries;
      report_.bytes += entry.body.size();
      if (entry.seq != next) {
        add({"chain", std::string(catalog::info(entry.table).name), std::string(entry.key),
             entry.seq, fmt::format("entry {} is missing", next)});
      }
      next = entry.seq + 1;
      chain = catalog::chain_next(chain, entry);
      while (commit != commits.end() && commit->last < entry.seq) ++commit;
      if (commit != commits.end() && commit->last == entry.seq) {
        if (commit->chain != chain && !is_broken) {
          // Later values all differ too: the first commit that does is where to look.
          is_broken = true;
          add({"chain",
               {},
               {},
               entry.seq,
               fmt::format("the chain value after the commit of entries {} to {} is {}, but the "
                           "entries make {}: an "
                           "entry at or before it was changed, added or lost",
                           commit->first, commit->last, commit->chain.to_string(),
                           chain.to_string())});
        }
        ++commit;
      }
      return Step::kGoOn;
    }));
    if (next != report_.head.seq + 1) {
      add({"chain",
           {},
           {},
           report_.head.seq,
           fmt::format("the log ends after entry {}, not {}", next - 1, report_.head.seq)});
    }
    if (!is_broken && chain != report_.head.chain) {
      add({"chain",
           {},
           {},
           report_.head.seq,
           "the head's chain value is not the one that the entries make"});
    }
    return {};
  }

  Result<void> check_rows() {
    RowChecker checker(RowForm::kStored);
    for (const catalog::TableInfo& table : catalog::tables()) {
      KI_TRY_VOID(
          store_.read_table(table.table, report_.head.seq, [&](const Entry& entry) -> Result<Step> {
            KI_TRY_VOID(step());
            if (entry.version == 0) ++report_.rows;
            check_row(checker, entry);
            return Step::kGoOn;
          }));
    }
    for (Finding& finding : checker.finish(false)) {
      add({std::move(finding.code), std::string(catalog::info(finding.table).name),
           std::move(finding.key), finding.place, std::move(finding.message)});
    }
    return {};
  }

  void check_row(RowChecker& checker, const Entry& entry) {
    const auto problem = [&](std::string code, std::string message) {
      add({std::move(code), std::string(catalog::info(entry.table).name), std::string(entry.key),
           entry.seq, std::move(message)});
    };
    const auto row = reader_.read(entry.body);
    if (!row)
      return problem("row", fmt::format("the body is not JSON: {}", row.error().to_string()));
    const auto checked =
        checker.check(entry.table, *row, entry.body, entry.seq, entry.version, nullptr);
    if (!checked) {
      if (checked.error().issues().empty()) return problem("row", checked.error().message());
      for (const Issue& issue : checked.error().issues()) {
        const bool is_reference =
            issue.code == "dangling_reference" || issue.code == "wrong_reference";
        problem(is_reference ? "reference" : "row",
                issue.pointer.empty() ? issue.message
                                      : fmt::format("{}: {}", issue.pointer, issue.message));
      }
      return;
    }
    if (checked->key != entry.key) problem("row", fmt::format("the row's key is {}", checked->key));
    if (checked->digest != entry.digest) problem("row", "the entry's digest is not the row's");
    if (checked->body != entry.body)
      problem("row", "the body is not the canonical text of its row");
  }

  Result<void> check_snapshot() {
    if (!options_.snapshot_file || !std::filesystem::exists(*options_.snapshot_file)) return {};
    const auto file = catalog::open_snapshot(*options_.snapshot_file, store_.catalog_id());
    report_.is_snapshot_checked = true;
    if (!file) {
      add({"snapshot",
           {},
           {},
           0,
           fmt::format("{} (it is only a cache: delete it)", file.error().to_string())});
      return {};
    }
    const catalog::Seq seq = (*file)->seq();
    if (seq > report_.head.seq) {
      add({"snapshot",
           {},
           {},
           seq,
           fmt::format("the snapshot file is of entry {}, but the log ends at {}", seq,
                       report_.head.seq)});
      return {};
    }
    catalog::SnapshotBuilder builder;
    std::optional<std::string> failure;
    KI_TRY_VOID(store_.read_since(0, seq, [&](const Entry& entry) -> Result<Step> {
      if (const auto applied = builder.apply(entry); !applied) {
        failure = applied.error().to_string();
        return Step::kStop;
      }
      return Step::kGoOn;
    }));
    if (failure) {
      add({"snapshot", {}, {}, seq, fmt::format("no snapshot can be built: {}", *failure)});
      return {};
    }
    const auto rebuilt = std::move(builder).finish((*file)->head());
    catalog::for_each_column(
        [&](std::string_view name, const auto& stated, const auto& made) {
          const auto stated_bytes = std::as_bytes(stated);
          const auto made_bytes = std::as_bytes(made);
          if (stated_bytes.size() == made_bytes.size() &&
              (made_bytes.empty() ||
               std::memcmp(stated_bytes.data(), made_bytes.data(), made_bytes.size()) == 0)) {
            return;
          }
          add({"snapshot",
               {},
               {},
               seq,
               fmt::format("array '{}' of the snapshot file is not what the log makes (it is only "
                           "a cache: delete it)",
                           name)});
        },
        (*file)->columns(), rebuilt->columns());
    return {};
  }

  catalog::Store& store_;
  const FsckOptions& options_;
  json::Reader reader_;
  FsckReport report_;
  std::uint64_t done_ = 0;
};

}  // namespace

std::string Problem::to_string() const {
  std::string out;
  if (seq != 0) out += fmt::format("entry {}, ", seq);
  if (!table.empty()) out += fmt::format("{} {}: ", table, key);
  return fmt::format("{}{}: {}", out, code, message);
}

std::string FsckReport::to_json() const {
  std::string out;
  json::Writer w(out, json::Writer::Style::kIndented);
  w.begin_object();
  w.key("head")
      .begin_object()
      .member("seq", head.seq)
      .member("chain", head.chain.to_string())
      .end_object();
  w.member("entries", entries)
      .member("rows", rows)
      .member("commits", commits)
      .member("bytes", bytes);
  w.member("snapshotChecked", is_snapshot_checked).key("problems").begin_array();
  for (const Problem& p : problems) {
    w.begin_object().member("code", p.code).member("table", p.table).member("key", p.key);
    w.member("seq", p.seq).member("message", p.message).end_object();
  }
  w.end_array().member("problemsLeftOut", problems_left_out).end_object();
  out += '\n';
  return out;
}

Result<FsckReport> fsck(catalog::Store& store, const FsckOptions& options) {
  return Checking(store, options).run();
}

}  // namespace ki::publish
