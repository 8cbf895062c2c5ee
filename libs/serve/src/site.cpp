#include "ki/serve/site.h"

#include "ki/api/routes.h"
#include "ki/base/check.h"
#include "ki/logbook/trust_store.h"
#include "ki/serve/rasterizer.h"
#include "ki/views/catalog_version.h"
#include "ki/web/site.h"

#include <algorithm>
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

const std::shared_ptr<Rasterizer>& rasterizer() {
  static const auto kRasterizer = std::make_shared<Rasterizer>();
  return kRasterizer;
}

// The cards of link previews and the badges: under the same address with ".png" as PNG.
std::vector<http::Route> with_png(std::vector<http::Route> routes) {
  constexpr std::string_view kSiteCard = "/cards/site.svg";
  const auto site_card = std::ranges::find(routes, kSiteCard, &http::Route::pattern);
  KI_CHECK(site_card != routes.end());
  http::Route as_png = *site_card;
  as_png.pattern = "/cards/site.png";
  routes.push_back(std::move(as_png));
  for (http::Route& route : routes) {
    if (!route.pattern.starts_with("/cards/") && !route.pattern.starts_with("/badges/")) continue;
    route.may_block = true;
    route.handle = [svg = std::move(route.handle)](const http::Request& request) {
      http::Response response = svg(request);
      if (response.problem || !request.path().ends_with(".png")) return response;
      const auto picture = rasterizer()->png(response.body.bytes());
      if (!picture) return http::Response::of(picture.error());
      response.content_type = "image/png";
      response.body = http::Body(*picture);
      return response;
    };
  }
  return routes;
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
  const auto pages = web::make_site({.snapshot = &version->snapshot(),
                                     .store = basis.store,
                                     .resolver = &version->resolver(),
                                     .ledger = &version->ledger(),
                                     .serving = serving ? *serving : nullptr,
                                     .now = start_of_day(basis.now),
                                     .owner = version,
                                     .serving_table = table ? *table : nullptr,
                                     .trust = trust},
                                    {.origin = basis.public_url,
                                     .build = basis.build,
                                     .has_png = rasterizer()->is_available(),
                                     .desk = desk});
  const auto answers = std::make_shared<const api::Site>(
      api::Site{.catalog = version,
                .now = api::edition_time(*version, basis.now).value_or(start_of_day(basis.now)),
                .public_url = basis.public_url,
                .version = basis.build,
                .cursor_key = cursor_key(),
                .trust = trust,
                .desk = desk});
  Part part{.routes = with_png(web::routes(pages)), .problem_page = web::problem_page(pages)};
  for (http::Route& route : api::routes(answers)) part.routes.push_back(std::move(route));
  return part;
}

}  // namespace

std::vector<Mount> site_parts(const std::shared_ptr<notes::Desk>& desk) {
  return {[desk](const Basis& basis) { return site(basis, desk); }};
}

}  // namespace ki::serve
