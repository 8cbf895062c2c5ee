#include "ki/serve/desk.h"

#include "ki/logbook/logged_store.h"
#include "ki/logbook/trust_store.h"
#include "ki/store_sqlite/sqlite_store.h"

#include <chrono>
#include <cstdint>
#include <random>
#include <utility>

namespace ki::serve {
namespace {

struct DeskWithStore {
  DeskWithStore(std::unique_ptr<logbook::LoggedStore> of, notes::Desk::Options options)
      : store(std::move(of)), desk(std::move(options)) {}
  std::unique_ptr<logbook::LoggedStore> store;
  notes::Desk desk;
};

}  // namespace

Result<std::shared_ptr<notes::Desk>> open_desk(const DeskOptions& options) {
  KI_TRY(auto store, store_sqlite::SqliteStore::open(
                         options.catalog, {.busy_timeout = std::chrono::milliseconds(2000)}));
  auto logged = std::make_unique<logbook::LoggedStore>(std::move(store));
  catalog::Store& written = *logged;
  if (options.after_commit) {
    logged->set_after_commit(
        [&written, call = options.after_commit](const catalog::Commit&) { call(written); });
  }
  std::random_device device;
  const auto whole = std::make_shared<DeskWithStore>(
      std::move(logged),
      notes::Desk::Options{.store = &written,
                           .clock = options.clock,
                           .takes = options.takes,
                           .limits = options.limits,
                           .seed = (std::uint64_t{device()} << 32) | device(),
                           .read_trust = [&written] { return logbook::read_trust(written); }});
  return std::shared_ptr<notes::Desk>(whole, &whole->desk);
}

}  // namespace ki::serve
