#include "ki/logbook/logbook.h"

#include "ki/base/text.h"
#include "ki/logbook/leaves.h"
#include "ki/publish/commit_time.h"
#include "ki/publish/leader_sync.h"
#include "ki/sign/ed25519.h"
#include "ki/sign/note.h"
#include "log_writer.h"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace ki::logbook {
namespace {

using catalog::Entry;
using catalog::Step;
using catalog::Table;

// The leaves that the rows of a store ask for, in the order of its log, each (type, digest) once.
class LeafWalk {
 public:
  // The leaf that this entry asks for, unless an earlier one has.
  Result<std::optional<Leaf>> next(const Entry& entry) {
    const bool is_run = entry.table == Table::kBenchmarkRuns || entry.table == Table::kServingRuns;
    if (is_run && entry.version == 0 && entry.digest) runs_.emplace(entry.key, *entry.digest);
    KI_TRY(std::optional<Leaf> leaf,
           reader_.read(entry.table, entry.version, entry.body,
                        [&](std::string_view key) -> Result<std::optional<Digest>> {
                          const auto run = runs_.find(std::string(key));
                          if (run == runs_.end()) return std::nullopt;
                          return run->second;
                        }));
    if (leaf && !seen_.insert(leaf->key()).second) leaf.reset();
    return leaf;
  }

 private:
  LeafReader reader_;
  std::unordered_map<std::string, Digest> runs_;
  std::unordered_set<std::string> seen_;
};

class Checking {
 public:
  explicit Checking(catalog::Store& store) : store_(store) {}

  Result<std::optional<LogCheck>> run() {
    KI_TRY(const auto head, read_head(store_));
    if (!head) return std::nullopt;
    KI_TRY(const catalog::Head end, store_.head());
    Digest chain = catalog::empty_chain();
    KI_TRY_VOID(store_.read_since(0, end.seq, [&](const Entry& entry) -> Result<Step> {
      if (entry.table == Table::kLogEntries) {
        KI_TRY_VOID(check_leaf(entry, chain));
      } else if (entry.table == Table::kLogHeads) {
        check_head(entry);
      } else {
        auto leaf = walk_.next(entry);
        if (!leaf) {
          add(fmt::format("entry {}: {}", entry.seq, leaf.error().message()));
        } else if (*leaf) {
          expected_.push_back(**std::move(leaf));
        }
      }
      chain = catalog::chain_next(chain, entry);
      return Step::kGoOn;
    }));
    if (named_ < expected_.size()) {
      add(fmt::format("{} of the catalog's rows are not in the log, the first is {}",
                      expected_.size() - named_, expected_[named_].key()));
    }
    if (last_head_size_ != report_.leaves) {
      add(fmt::format("the log has {} leaves, but its head says {}", report_.leaves,
                      last_head_size_));
    }
    return std::move(report_);
  }

 private:
  void add(std::string problem) {
    if (report_.problems.size() < 100) report_.problems.push_back(std::move(problem));
  }

  Result<void> check_leaf(const Entry& row, const Digest& chain) {
    const std::uint64_t index = report_.leaves++;
    const auto read = read_log_row(row.body);
    if (!read) {
      add(fmt::format("entry {}: {}", row.seq, read.error().message()));
      return {};
    }
    tree_.append(tlog::leaf_hash(read->text));
    if (read->index != index) {
      add(fmt::format("leaf {} says that its index is {}", index, read->index));
    }
    const auto entry = tlog::read_entry(read->text);
    if (!entry) {
      add(fmt::format("leaf {}: {}", index, entry.error().message()));
      return {};
    }
    const Leaf leaf{entry->type, entry->digest, entry->parents};
    if (row.key != leaf.key()) {
      add(fmt::format("leaf {} is stored as {}", index, quote(row.key)));
    }
    if (leaf.type == tlog::EntryType::kAuditHead) {
      if (leaf.digest != chain) {
        add(fmt::format("leaf {} names the chain value {}, but the entries before it make {}",
                        index, leaf.digest.to_string(), chain.to_string()));
      }
      return {};
    }
    if (named_ >= expected_.size()) {
      add(fmt::format("leaf {} names {}, which no row asks for", index, leaf.key()));
      return {};
    }
    const Leaf& due = expected_[named_++];
    if (due.key() != leaf.key() || due.parents != leaf.parents) {
      add(fmt::format("leaf {} names {}; due was {}", index, leaf.key(), due.key()));
    }
    return {};
  }

  void check_head(const Entry& row) {
    ++report_.heads;
    const auto head = LogHead::parse(row.body);
    if (!head) return add(fmt::format("entry {}: {}", row.seq, head.error().message()));
    last_head_size_ = head->tree.size();
    if (head->tree.size() != tree_.size() || head->tree.root() != tree_.root()) {
      add(fmt::format("the head of size {} is not that of the {} leaves before it",
                      head->tree.size(), tree_.size()));
    }
    if (!origin_.empty() && head->origin != origin_) {
      add(fmt::format("the log changes its name from {} to {}", origin_, head->origin));
    }
    origin_ = head->origin;
  }

  catalog::Store& store_;
  LeafWalk walk_;
  LogCheck report_;
  tlog::Frontier tree_;
  std::vector<Leaf> expected_;
  std::size_t named_ = 0;  // of expected_
  std::uint64_t last_head_size_ = 0;
  std::string origin_;
};

}  // namespace

std::string default_origin(std::string_view catalog_id) {
  std::string digits;
  for (const char c : catalog_id) {
    if (c != '-' && digits.size() < 16) digits += c;
  }
  return "ki.invalid/" + digits;
}

Result<LogHead> begin_log(catalog::Store& store, std::string_view origin, std::string_view actor,
                          Instant now, UuidSource& ids) {
  // The name must be one that a key can have: a key of the past decides nothing else here.
  KI_TRY(const sign::PrivateKey any, sign::PrivateKey::from_seed(std::string(32, '\0')));
  KI_TRY_VOID(sign::NoteVerifier::make(std::string(origin), any.public_key()));
  KI_TRY(const auto tx, store.begin());
  KI_TRY(const auto existing, tx->find(Table::kLogHeads, LogHead::kKey));
  if (existing) {
    KI_TRY(const LogHead head, LogHead::parse(existing->body));
    return fail(Code::kConflict,
                fmt::format("the catalog has a transparency log already: {}", head.origin));
  }
  KI_TRY(now, publish::commit_time(store, now));
  KI_TRY(const catalog::Head before, store.head());
  const Uuid id = ids.next(now);
  KI_TRY_VOID(
      tx->append(Table::kAuditEvents, id.to_string(), 0, std::nullopt,
                 publish::audit_event_row(id, actor, "begin_log", "catalog", store.catalog_id(),
                                          fmt::format("origin {}", origin), {}, now)));
  LogWriter writer(*tx, LogHead{std::string(origin), {}}, 0, now);
  LeafWalk walk;
  KI_TRY_VOID(writer.append_audit_head());
  KI_TRY_VOID(store.read_since(0, before.seq, [&](const Entry& entry) -> Result<Step> {
    KI_TRY(const std::optional<Leaf> leaf, walk.next(entry));
    if (leaf) KI_TRY_VOID(writer.append(*leaf));
    return Step::kGoOn;
  }));
  KI_TRY(LogHead head, std::move(writer).finish());
  KI_TRY_VOID(tx->commit(now, "begin log"));
  return head;
}

Result<std::optional<LogCheck>> check_log(catalog::Store& store) { return Checking(store).run(); }

}  // namespace ki::logbook
