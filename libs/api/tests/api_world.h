// Calls to the API on catalogs made for tests.
#pragma once

#include "ki/api/routes.h"
#include "ki/json/reader.h"
#include "ki/views_testing/public_catalog.h"
#include "ki/views_testing/small_catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ki::api::testing {

inline constexpr Instant kNow{1'788'000'000'000};  // 2026-08-29

inline std::shared_ptr<const Site> site_of(std::shared_ptr<const catalog::Snapshot> snapshot,
                                           catalog::Store& store) {
  return std::make_shared<const Site>(
      Site{.catalog = std::make_shared<const views::CatalogVersion>(std::move(snapshot), store),
           .now = kNow,
           .public_url = "https://index.test",
           .version = "0.1.0",
           .cursor_key = "a key of tests"});
}

// Null when ../shared is absent.
inline std::shared_ptr<const Site> public_site() {
  static const auto kSite = [] {
    const auto* world = views::testing::public_catalog();
    return world == nullptr ? nullptr : site_of(world->snapshot, *world->store);
  }();
  return kSite;
}

struct Outcome {
  http::Response response;
  int status() const { return response.status; }
  std::string_view body() const { return response.body.bytes(); }
  std::string code() const { return response.problem ? response.problem->code : ""; }
  json::Document json() const {
    auto document = json::read_document(body(), {.max_bytes = 64U << 20});
    EXPECT_TRUE(document) << body().substr(0, 200);
    return document ? *std::move(document) : json::Document{};
  }
};

using Values = std::vector<std::pair<std::string, std::string>>;

// Sent through the routes, as a server does.
inline Outcome send(const std::shared_ptr<const Site>& site, http::Request request) {
  const http::Router router(routes(site));
  const auto match = router.match(request.method, request.path());
  if (match.route == nullptr) return {http::Response::of(http::Problem{.status = 404})};
  request.parameters = match.parameters;
  return {match.route->handle(request)};
}

inline Outcome ask(const std::shared_ptr<const Site>& site, std::string_view operation,
                   const Values& values = {}, std::string body = "") {
  const Operation* found = find_operation(operation);
  EXPECT_NE(found, nullptr) << operation;
  return send(site, compose(*found, values, std::move(body)));
}

}  // namespace ki::api::testing
