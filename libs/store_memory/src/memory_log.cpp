#include "memory_log.h"

#include "ki/base/check.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::store_memory {

void Entries::add(SharedEntry entry) {
  KI_CHECK(entry->seq == by_seq.size() + 1);
  auto& versions = rows[{entry->table, entry->key}];
  KI_CHECK(entry->version == versions.size());
  if (entry->version == 0 && entry->digest) {
    owners.emplace(RowDigest{entry->table, *entry->digest}, entry->key);
  }
  versions.push_back(entry);
  by_seq.push_back(std::move(entry));
}

const std::vector<SharedEntry>* Entries::find(catalog::Table table, std::string_view key) const {
  const auto found = rows.find({table, std::string(key)});
  return found == rows.end() ? nullptr : &found->second;
}

catalog::Entry view(const catalog::OwnedEntry& entry) {
  return {entry.seq, entry.table, entry.key, entry.version, entry.digest, entry.body};
}

Result<void> MemoryLog::take_turn() {
  std::unique_lock lock(mutex_);
  if (!freed_.wait_for(lock, busy_timeout_, [&] { return !taken_; })) {
    return fail(Code::kUnavailable,
                fmt::format("the catalog in memory is locked by another transaction of this "
                            "process; waited {} ms for it",
                            busy_timeout_.count()));
  }
  taken_ = true;
  return {};
}

void MemoryLog::end_turn() {
  {
    const std::lock_guard lock(mutex_);
    taken_ = false;
  }
  freed_.notify_one();
}

catalog::Head MemoryLog::head() const {
  const std::lock_guard lock(mutex_);
  if (commits_.empty()) return {};
  return {commits_.back().last, commits_.back().chain};
}

std::vector<catalog::Commit> MemoryLog::commits(catalog::Seq after) const {
  const std::lock_guard lock(mutex_);
  std::vector<catalog::Commit> later;
  std::ranges::copy_if(commits_, std::back_inserter(later),
                       [&](const catalog::Commit& commit) { return commit.last > after; });
  return later;
}

SharedEntry MemoryLog::read(catalog::Seq seq) const {
  const std::lock_guard lock(mutex_);
  if (seq == 0 || seq > entries_.by_seq.size()) return nullptr;
  return entries_.by_seq[seq - 1];
}

SharedEntry MemoryLog::find(catalog::Table table, std::string_view key, catalog::Seq upto) const {
  const std::lock_guard lock(mutex_);
  const std::vector<SharedEntry>* versions = entries_.find(table, key);
  SharedEntry newest;
  if (versions == nullptr) return newest;
  for (const SharedEntry& entry : *versions) {
    if (entry->seq <= upto) newest = entry;
  }
  return newest;
}

std::optional<std::string> MemoryLog::owner(catalog::Table table, const Digest& digest) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.owners.find({table, digest});
  if (found == entries_.owners.end()) return std::nullopt;
  return found->second;
}

SharedEntry MemoryLog::find_digest(catalog::Table table, const Digest& digest) const {
  const std::optional<std::string> key = owner(table, digest);
  return key ? find(table, *key, ~catalog::Seq{0}) : nullptr;
}

std::vector<SharedEntry> MemoryLog::rows(catalog::Table table, std::string_view prefix,
                                         catalog::Seq upto) const {
  const std::lock_guard lock(mutex_);
  std::vector<SharedEntry> found;
  for (auto row = entries_.rows.lower_bound({table, std::string(prefix)});
       row != entries_.rows.end() && row->first.first == table &&
       row->first.second.starts_with(prefix);
       ++row) {
    std::ranges::copy_if(row->second, std::back_inserter(found),
                         [&](const SharedEntry& entry) { return entry->seq <= upto; });
  }
  return found;
}

void MemoryLog::publish(const std::vector<SharedEntry>& entries,
                        const std::vector<catalog::Commit>& commits) {
  const std::lock_guard lock(mutex_);
  for (const SharedEntry& entry : entries) entries_.add(entry);
  commits_.insert(commits_.end(), commits.begin(), commits.end());
}

}  // namespace ki::store_memory
