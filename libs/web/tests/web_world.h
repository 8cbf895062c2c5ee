// A site over a catalog in memory, asked without a socket.
#pragma once

#include "ki/catalog/live.h"
#include "ki/catalog/snapshot.h"
#include "ki/catalog/store.h"
#include "ki/http/request.h"
#include "ki/http/response.h"
#include "ki/resolve/resolver.h"
#include "ki/resolve/search_index.h"
#include "ki/views/records.h"
#include "ki/views_testing/small_catalog.h"
#include "ki/web/site.h"

#include <memory>
#include <string>
#include <string_view>

namespace ki::web::testing {

// What a site needs to take notes.
struct NotesParts {
  std::shared_ptr<const sign::TrustList> trust = {};
  std::shared_ptr<notes::Desk> desk = {};
};

class WebWorld {
 public:
  // The store must outlive the world.
  WebWorld(std::shared_ptr<const catalog::Snapshot> snapshot, catalog::Store& store, Instant now,
           NotesParts notes = {});

  // The answer to POST as the handler gives it; a problem stays one.
  http::Response post(std::string_view target, std::string body, std::string content_type) const;
  // The answer to GET of a target such as "/runs/x?y=z"; as the server would, a problem becomes the
  // site's page.
  http::Response get(std::string_view target) const;
  // Its body; the status must be `status`. HTML also passes the strict check.
  std::string page(std::string_view target, int status = 200) const;

  const catalog::Snapshot& snapshot() const { return *snapshot_; }
  const http::Router& router() const { return router_; }

 private:
  std::shared_ptr<const catalog::Snapshot> snapshot_;
  resolve::SearchIndex index_;
  resolve::Resolver resolver_;
  views::RecordLedger ledger_;
  views::ServingTable serving_;
  std::shared_ptr<const Site> site_;
  http::Router router_;
  http::ProblemPage problem_page_;
};

// The two groups of the seed documents, published on 2026-08-24.
struct SeedWorld {
  SeedWorld();
  std::unique_ptr<catalog::Store> store;
  std::unique_ptr<catalog::LiveCatalog> live;
  std::unique_ptr<WebWorld> web;
};
const SeedWorld& seed_world();

// A small catalog in which every state of evidence occurs once: long names, missing values, ties,
// stale, failed, retracted and superseded runs, names that try to be markup.
struct StatesWorld {
  StatesWorld();
  views::testing::SmallCatalog catalog;
  std::unique_ptr<WebWorld> web;
  std::string first, second, tied, stale, retracted, superseded, correction, failed, long_name,
      missing, hostile;  // run ids
};
const StatesWorld& states_world();

inline constexpr std::string_view kHostile = "<img src=x onerror=alert(1)>'&<script>";

}  // namespace ki::web::testing
