#include "ki/serve/site.h"

#include "ki/api/routes.h"
#include "ki/logbook/trust_store.h"
#include "ki/views/catalog_version.h"
#include "ki/web/site.h"

#include <cstdint>
#include <random>
#include <string>
#include <utility>

namespace ki::serve {
namespace {

Instant start_of_day(Instant at) {
  constexpr std::int64_t kDay = 86'400'000;
  return Instant{at.ms - (at.ms % kDay + kDay) % kDay};
}

// Cursors are signed for the life of the process.
const std::string& cursor_key() {
  static const std::string kKey = [] {
    std::random_device device;
    std::string key;
    for (int i = 0; i < 8; ++i) {
      const std::uint32_t word = device();
      key.append(reinterpret_cast<const char*>(&word), sizeof word);
    }
    return key;
  }();
  return kKey;
}

// Pages and API answer from one catalog version. It is made ready on the thread that follows the
// catalog, so that the first request of an edition waits for nothing.
Part site(const Basis& basis, const std::shared_ptr<notes::Desk>& desk) {
  const auto version = std::make_shared<const views::CatalogVersion>(basis.snapshot, *basis.store);
  version->prepare();
  // Without them the pages count kernel runs only.
  const auto serving = version->serving();
  const auto table = version->serving_table();
  // Without a list nobody's signature is believed.
  const auto trust = std::make_shared<const sign::TrustList>(
      logbook::read_trust(*basis.store).value_or(sign::TrustList()));
  const auto pages =
      web::make_site({.snapshot = &version->snapshot(),
                      .store = basis.store,
                      .resolver = &version->resolver(),
                      .ledger = &version->ledger(),
                      .serving = serving ? *serving : nullptr,
                      .now = start_of_day(basis.now),
                      .owner = version,
                      .serving_table = table ? *table : nullptr,
                      .trust = trust},
                     {.origin = basis.public_url, .build = basis.build, .desk = desk});
  const auto answers = std::make_shared<const api::Site>(
      api::Site{.catalog = version,
                .now = api::edition_time(*version, basis.now).value_or(start_of_day(basis.now)),
                .public_url = basis.public_url,
                .version = basis.build,
                .cursor_key = cursor_key(),
                .trust = trust,
                .desk = desk});
  Part part{.routes = web::routes(pages), .problem_page = web::problem_page(pages)};
  for (http::Route& route : api::routes(answers)) part.routes.push_back(std::move(route));
  return part;
}

}  // namespace

std::vector<Mount> site_parts(const std::shared_ptr<notes::Desk>& desk) {
  return {[desk](const Basis& basis) { return site(basis, desk); }};
}

}  // namespace ki::serve
