#include "ki/logbook/logged_store.h"

#include "ki/logbook/leaves.h"
#include "ki/logbook/log_head.h"
#include "log_writer.h"

#include <unordered_set>
#include <utility>

namespace ki::logbook {
namespace {

using catalog::OwnedEntry;
using catalog::Seq;
using catalog::Table;

class LoggedTransaction final : public catalog::Transaction {
 public:
  LoggedTransaction(std::unique_ptr<catalog::Transaction> inner,
                    const LoggedStore::AfterCommit& after_commit)
      : inner_(std::move(inner)), after_commit_(after_commit) {}

  // Looks for the log as of the transaction's begin.
  Result<void> prepare() {
    KI_TRY(const auto row, inner_->find(Table::kLogHeads, LogHead::kKey));
    if (!row) return {};
    KI_TRY(head_, LogHead::parse(row->body));
    next_version_ = row->version + 1;
    return {};
  }

  catalog::Head head() const override { return inner_->head(); }

  Result<Seq> append(Table table, std::string_view key, std::uint32_t version,
                     const std::optional<Digest>& digest, std::string_view body) override {
    KI_TRY(const Seq seq, inner_->append(table, key, version, digest, body));
    if (!head_) return seq;
    has_rows_ = true;
    KI_TRY(std::optional<Leaf> leaf,
           reader_.read(table, version, body, [&](std::string_view run) { return find_run(run); }));
    if (!leaf) return seq;
    KI_TRY(const bool is_known, is_logged(*leaf, table, version));
    if (!is_known) leaves_.push_back(*std::move(leaf));
    return seq;
  }
  Result<void> restore(const catalog::Entry& entry) override { return inner_->restore(entry); }
  Result<void> restore(const catalog::Commit& commit) override { return inner_->restore(commit); }
  Result<std::optional<OwnedEntry>> find(Table table, std::string_view key) override {
    return inner_->find(table, key);
  }
  Result<std::optional<OwnedEntry>> find_digest(Table table, const Digest& digest) override {
    return inner_->find_digest(table, digest);
  }

  Result<catalog::Commit> commit(Instant at, std::string_view reason) override {
    if (!head_ || !has_rows_) return inner_->commit(at, reason);
    LogWriter writer(*inner_, *std::move(head_), next_version_, at);
    KI_TRY_VOID(writer.append_audit_head());
    for (const Leaf& leaf : leaves_) KI_TRY_VOID(writer.append(leaf));
    KI_TRY_VOID(std::move(writer).finish());
    KI_TRY(catalog::Commit done, inner_->commit(at, reason));
    if (after_commit_) after_commit_(done);
    return done;
  }

 private:
  Result<std::optional<Digest>> find_run(std::string_view key) {
    for (const Table table : {Table::kBenchmarkRuns, Table::kServingRuns}) {
      KI_TRY(const auto row, inner_->find(table, key));
      if (row) return row->digest;
    }
    return std::nullopt;
  }

  // Only rows that may ask for a leaf that an earlier commit logged cost a look: later versions of
  // runs, and documents that differ in their metadata alone.
  Result<bool> is_logged(const Leaf& leaf, Table table, std::uint32_t version) {
    if (!seen_.insert(leaf.key()).second) return true;
    if (version == 0 && table != Table::kDocuments) return false;
    KI_TRY(const auto row, inner_->find(Table::kLogEntries, leaf.key()));
    return row.has_value();
  }

  std::unique_ptr<catalog::Transaction> inner_;
  const LoggedStore::AfterCommit& after_commit_;
  std::optional<LogHead> head_;  // nothing: the catalog has no log
  std::uint32_t next_version_ = 0;
  bool has_rows_ = false;
  LeafReader reader_;
  std::vector<Leaf> leaves_;
  std::unordered_set<std::string> seen_;
};

}  // namespace

Result<std::unique_ptr<catalog::Transaction>> LoggedStore::begin() {
  KI_TRY(auto inner, inner_->begin());
  auto logged = std::make_unique<LoggedTransaction>(std::move(inner), after_commit_);
  KI_TRY_VOID(logged->prepare());
  return std::unique_ptr<catalog::Transaction>(std::move(logged));
}

}  // namespace ki::logbook
