#include "ki/serve/site.h"

#include "ki/resolve/resolver.h"
#include "ki/resolve/search_index.h"
#include "ki/views/lists.h"
#include "ki/views/records.h"
#include "ki/web/site.h"

#include <optional>
#include <utility>

namespace ki::serve {
namespace {

// All that answers are made from, for one catalog version. Made on the thread that follows the
// catalog, so that the first request of an edition waits for nothing.
struct Views {
  Views(std::shared_ptr<const catalog::Snapshot> of, catalog::Store& store)
      : snapshot(std::move(of)), index(*snapshot), resolver(*snapshot, index), ledger(*snapshot) {
    // Without them the pages count kernel runs only.
    if (auto read = views::read_serving_facts(*snapshot, store)) serving = *std::move(read);
  }

  std::shared_ptr<const catalog::Snapshot> snapshot;
  resolve::SearchIndex index;
  resolve::Resolver resolver;
  views::RecordLedger ledger;
  std::optional<views::ServingFacts> serving;
};

Instant start_of_day(Instant at) {
  constexpr std::int64_t kDay = 86'400'000;
  return Instant{at.ms - (at.ms % kDay + kDay) % kDay};
}

Part pages(const Basis& basis) {
  const auto views = std::make_shared<const Views>(basis.snapshot, *basis.store);
  const auto site = web::make_site({.snapshot = views->snapshot.get(),
                                    .store = basis.store,
                                    .resolver = &views->resolver,
                                    .ledger = &views->ledger,
                                    .serving = views->serving ? &*views->serving : nullptr,
                                    .now = start_of_day(basis.now),
                                    .owner = views},
                                   {.origin = basis.public_url, .build = basis.build});
  return {.routes = web::routes(site), .problem_page = web::problem_page(site)};
}

}  // namespace

std::vector<Mount> site_parts() { return {pages}; }

}  // namespace ki::serve
