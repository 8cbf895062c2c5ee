// Site: the pages of the index as a list of routes over one catalog version. Every handler is a
// function of the request's target and of what the site holds: no clock, no header, no client.
#pragma once

#include "ki/base/instant.h"
#include "ki/catalog/snapshot.h"
#include "ki/catalog/store.h"
#include "ki/http/edition.h"
#include "ki/http/router.h"
#include "ki/notes/desk.h"
#include "ki/resolve/resolver.h"
#include "ki/sign/trust.h"
#include "ki/views/lists.h"
#include "ki/views/records.h"
#include "ki/views/serving.h"

#include <memory>
#include <string>
#include <vector>

namespace ki::web {

// What pages are made from: all of one snapshot.
struct SiteCatalog {
  const catalog::Snapshot* snapshot = nullptr;   // never null
  catalog::Store* store = nullptr;               // never null; read from any thread
  const resolve::Resolver* resolver = nullptr;   // never null
  const views::RecordLedger* ledger = nullptr;   // never null
  const views::ServingFacts* serving = nullptr;  // null: serving results are not counted
  Instant now;                                   // start of the UTC day that the edition is of
  std::shared_ptr<const void> owner;             // keeps the above alive
  const views::ServingTable* serving_table = nullptr;  // null: no serving results are shown
  // Whose signatures are believed; null: nobody's.
  std::shared_ptr<const sign::TrustList> trust = {};
};

struct SiteOptions {
  std::string origin;  // public address without a final slash; empty: addresses are paths
  std::string build;   // shown in the footer
  // The cards are there as PNG too: what link previews can show.
  bool has_png = false;
  // Takes what the forms of the run page send; null: the pages have no forms.
  std::shared_ptr<notes::Desk> desk = {};
};

struct Site;  // internal

// Checks and copies what it is given; finds what every page needs.
std::shared_ptr<const Site> make_site(SiteCatalog catalog, SiteOptions options);

// All routes of the site: pages, assets, feeds, badges, plots, citations.
std::vector<http::Route> routes(const std::shared_ptr<const Site>& site);

// The site's own page for an error, for http::Edition.
http::ProblemPage problem_page(const std::shared_ptr<const Site>& site);

}  // namespace ki::web
