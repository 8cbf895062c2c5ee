#include "run_log.h"

#include "ki/base/base64.h"
#include "ki/base/text.h"
#include "ki/display/format.h"
#include "ki/json/reader.h"
#include "ki/logbook/log_head.h"
#include "ki/logbook/trust_store.h"
#include "ki/tlog/entry.h"
#include "parts.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::web {

Result<void> log_section(Html& h, const Site& site, const views::RunView& view) {
  catalog::Store& store = *site.catalog.store;
  const catalog::Seq version = site.snapshot().seq();
  KI_TRY(const auto head_row,
         store.find(catalog::Table::kLogHeads, logbook::LogHead::kKey, version));
  if (!head_row) return {};
  KI_TRY(const logbook::LogHead head, logbook::LogHead::parse(head_row->body));
  KI_TRY(const auto leaf,
         store.find(catalog::Table::kLogEntries,
                    fmt::format("{} {}", tlog::to_string(tlog::EntryType::kRun), view.digest),
                    version));
  if (!leaf) return {};
  KI_TRY(const json::Document entry, json::read_document(leaf->body));
  const json::Value* index = entry.root.find("index");
  const auto number = index != nullptr && index->is_number() ? index->integer() : std::nullopt;
  if (!number) return fail(Code::kCorrupt, "a log entry has no index; run ki fsck");
  const std::string root = base64(head.tree.root().view());
  std::string key;
  if (site.catalog.trust) {
    const auto keys = logbook::log_verifiers(*site.catalog.trust);
    const auto own = std::ranges::find(keys, head.origin, &sign::NoteVerifier::name);
    if (own != keys.end()) key = own->vkey();
  }
  h << "<section aria-labelledby=\"log\"><h2 id=\"log\">Transparency log</h2><p>The log names this "
       "run: it cannot be changed or taken back unseen. That it is there says nothing about how it "
       "was measured.</p>";
  {
    Pairs pairs(h);
    pairs.add("log", head.origin);
    pairs.add("entry", fmt::format("{} (counted from 0), of a log of {}", display::count(*number),
                                   display::count(static_cast<std::int64_t>(head.tree.size()))));
    pairs.add_copy("root of these entries", root.substr(0, 16) + "…", root, "Copy the root");
    if (!key.empty()) {
      pairs.add_copy("the log's key", key.substr(0, 40) + "…", key, "Copy the verifier key");
    }
    pairs.add_with("proof", [&](Html& out) {
      out << "<a" << href(api({"runs", view.id, "proof"}))
          << ">inclusion proof (JSON)</a> · <a href=\"/log/checkpoint\">signed checkpoint</a>";
    });
    std::string line =
        fmt::format("ki export evidence {} --output evidence && ki verify evidence", view.id);
    if (!key.empty()) line += " --key " + shell_quoted(key);
    pairs.add_with("check it offline",
                   [&](Html& out) { copy_line(out, line, "Copy the command"); });
  }
  h << "</section>\n";
  return {};
}

}  // namespace ki::web
