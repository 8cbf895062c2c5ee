#include "ki/logbook/log_head.h"

#include "ki/base/base64.h"
#include "ki/json/reader.h"
#include "ki/json/writer.h"

#include <fmt/format.h>

namespace ki::logbook {

using catalog::Table;

std::string LogHead::to_json() const {
  std::string out;
  json::Writer w(out);
  w.begin_object().member("log", kKey).member("origin", origin);
  w.member("root", base64(tree.root().view())).key("roots").begin_array();
  for (const Digest& root : tree.roots()) w.value(base64(root.view()));
  w.end_array().member("size", tree.size()).end_object();
  return out;
}

Result<LogHead> LogHead::parse(std::string_view body) {
  const auto wrong = [](std::string_view what) {
    return fail(Code::kCorrupt, fmt::format("the head of the transparency log: {}", what));
  };
  KI_TRY(const json::Document document, json::read_document(body));
  const json::Value* origin = document.root.find("origin");
  const json::Value* size = document.root.find("size");
  const json::Value* list = document.root.find("roots");
  if (origin == nullptr || !origin->is_string() || size == nullptr || !size->is_number() ||
      size->integer().value_or(-1) < 0 || list == nullptr || !list->is_array()) {
    return wrong("a member is missing");
  }
  std::vector<Digest> roots;
  for (const json::Value& item : list->items()) {
    const auto bytes = item.is_string() ? parse_base64(item.string()) : std::nullopt;
    if (!bytes || bytes->size() != Digest::kBytes) return wrong("a root is not 32 bytes");
    roots.push_back(Digest::from_bytes(*bytes));
  }
  LogHead head{std::string(origin->string()), {}};
  std::size_t next = 0;
  auto tree = tlog::Frontier::read(static_cast<std::uint64_t>(*size->integer()),
                                   [&](unsigned, std::uint64_t) -> Result<Digest> {
                                     if (next == roots.size()) return wrong("a root is missing");
                                     return roots[next++];
                                   });
  if (!tree) return fail(std::move(tree).error());
  head.tree = *std::move(tree);
  if (next != roots.size() || head.to_json() != body) return wrong("its members do not agree");
  return head;
}

Result<std::optional<StoredHead>> read_head(catalog::Store& store) {
  KI_TRY(const catalog::Head head, store.head());
  KI_TRY(const auto entry, store.find(Table::kLogHeads, LogHead::kKey, head.seq));
  if (!entry) return std::nullopt;
  KI_TRY(LogHead parsed, LogHead::parse(entry->body));
  return StoredHead{std::move(parsed), entry->seq, entry->version};
}

Result<std::optional<StoredHead>> read_head_of(catalog::Store& store, std::uint64_t size) {
  KI_TRY(const catalog::Head head, store.head());
  std::optional<StoredHead> found;
  KI_TRY_VOID(store.read_table(Table::kLogHeads, head.seq,
                               [&](const catalog::Entry& entry) -> Result<catalog::Step> {
                                 KI_TRY(LogHead parsed, LogHead::parse(entry.body));
                                 if (parsed.tree.size() < size) return catalog::Step::kGoOn;
                                 if (parsed.tree.size() == size)
                                   found = StoredHead{std::move(parsed), entry.seq, entry.version};
                                 return catalog::Step::kStop;
                               }));
  return found;
}

}  // namespace ki::logbook
