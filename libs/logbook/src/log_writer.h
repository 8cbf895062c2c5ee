// LogWriter: leaves on their way into a transaction.
#pragma once

#include "ki/base/instant.h"
#include "ki/catalog/store.h"
#include "ki/logbook/leaves.h"
#include "ki/logbook/log_head.h"

#include <cstdint>

namespace ki::logbook {

class LogWriter {
 public:
  // `version`: of the head's row that finish() appends.
  LogWriter(catalog::Transaction& tx, LogHead head, std::uint32_t version, Instant at)
      : tx_(tx), head_(std::move(head)), version_(version), at_{at.ms - at.ms % 1000} {}

  // Names the store's chain value: everything that the transaction appended so far.
  Result<void> append_audit_head() {
    return append(Leaf{tlog::EntryType::kAuditHead, tx_.head().chain});
  }
  Result<void> append(const Leaf& leaf) {
    const tlog::Entry entry{leaf.type, leaf.digest, leaf.parents, at_};
    KI_TRY_VOID(tx_.append(catalog::Table::kLogEntries, leaf.key(), 0, std::nullopt,
                           log_row(entry, head_.tree.size())));
    head_.tree.append(tlog::leaf_hash(tlog::to_text(entry)));
    return {};
  }
  // Appends the head's row.
  Result<LogHead> finish() && {
    KI_TRY_VOID(tx_.append(catalog::Table::kLogHeads, LogHead::kKey, version_, std::nullopt,
                           head_.to_json()));
    return std::move(head_);
  }

 private:
  catalog::Transaction& tx_;
  LogHead head_;
  const std::uint32_t version_;
  const Instant at_;  // in whole seconds
};

}  // namespace ki::logbook
