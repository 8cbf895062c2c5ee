// LoggedStore: a store whose transactions append to the catalog's transparency log what they
// publish. Everything that writes through it is logged; nobody has to remember to.
#pragma once

#include "ki/catalog/store.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ki::logbook {

// A transaction of a catalog with a log commits, after its own rows and in the same commit: a leaf
// `audit_head` with the store's chain value before it, a leaf for each row that asks for one, in
// the order of the rows, and the new head. Without a log, or with nothing appended, it is the inner
// transaction. Restored entries bring their own log.
class LoggedStore final : public catalog::Store {
 public:
  // `after_commit` is called when a transaction with a log has become durable and the writer's lock
  // is free again: it writes tiles and checkpoint. What it cannot do then is done the next time.
  using AfterCommit = std::function<void(const catalog::Commit&)>;
  explicit LoggedStore(std::unique_ptr<catalog::Store> inner, AfterCommit after_commit = {})
      : inner_(std::move(inner)), after_commit_(std::move(after_commit)) {}
  // Before the first begin(), for a call that needs this store.
  void set_after_commit(AfterCommit after_commit) { after_commit_ = std::move(after_commit); }

  std::string catalog_id() const override { return inner_->catalog_id(); }
  Result<catalog::Head> head() override { return inner_->head(); }
  Result<std::unique_ptr<catalog::Transaction>> begin() override;
  Result<void> read_since(catalog::Seq after, catalog::Seq upto,
                          const catalog::EntryVisitor& visit) override {
    return inner_->read_since(after, upto, visit);
  }
  Result<void> read_prefix(catalog::Table table, std::string_view prefix, catalog::Seq upto,
                           const catalog::EntryVisitor& visit) override {
    return inner_->read_prefix(table, prefix, upto, visit);
  }
  Result<std::optional<catalog::OwnedEntry>> read(catalog::Seq seq) override {
    return inner_->read(seq);
  }
  Result<std::optional<catalog::OwnedEntry>> find(catalog::Table table, std::string_view key,
                                                  catalog::Seq upto) override {
    return inner_->find(table, key, upto);
  }
  Result<std::optional<catalog::OwnedEntry>> find_digest(catalog::Table table,
                                                         const Digest& digest) override {
    return inner_->find_digest(table, digest);
  }
  Result<std::vector<catalog::Commit>> commits(catalog::Seq after) override {
    return inner_->commits(after);
  }
  Result<void> backup(const std::filesystem::path& to) override { return inner_->backup(to); }
  Result<std::vector<std::string>> check_storage() override { return inner_->check_storage(); }

 private:
  const std::unique_ptr<catalog::Store> inner_;
  AfterCommit after_commit_;
};

}  // namespace ki::logbook
