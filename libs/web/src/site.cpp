#include "ki/web/site.h"

#include "ki/base/check.h"
#include "ki/catalog/snapshot.h"
#include "lookup.h"
#include "machine.h"
#include "pages.h"
#include "parts.h"
#include "run_notes.h"
#include "site_state.h"

#include <algorithm>
#include <utility>

namespace ki::web {
namespace {

using PageFunction = http::Response (*)(const Site&, const http::Request&);

// An address with "version" answers as of that catalog version, or says that it is gone.
http::Handler page(const std::shared_ptr<const Site>& site, PageFunction make) {
  return [site, make](const http::Request& request) {
    const auto version = request.query("version");
    if (!version) return make(*site, request);
    if (*version == site->version) return make(*site->pinned, request);
    return http::Response::of(http::Problem{
        .status = 410,
        .code = "CATALOG_VERSION_GONE",
        .detail = "This index answers as of catalog version " + site->version +
                  ". The version asked for is not kept; without “version” in the address the page "
                  "shows the current state."});
  };
}

http::Response asset(const Site& site, const http::Request& request) {
  const Asset* found = site.assets.find(request.parameter("file"));
  if (found == nullptr) return not_found("NOT_FOUND", "There is no such file.");
  http::Response response;
  response.content_type = found->content_type;
  response.body = http::Body(std::string_view(found->body), nullptr);
  response.cache = http::Cache::kImmutable;
  response.etag = found->file;
  return response;
}

// Where a pinned page stands in time: the last publication, so that its bytes never change.
Instant pinned_now(const Snapshot& s) {
  std::int64_t latest = 0;
  for (const auto& run : s.runs()) latest = std::max(latest, run.published_ms);
  constexpr std::int64_t kDay = 24LL * 3600 * 1000;
  return Instant{latest / kDay * kDay};
}

}  // namespace

std::shared_ptr<const Site> make_site(SiteCatalog catalog, SiteOptions options) {
  KI_CHECK(catalog.snapshot != nullptr && catalog.store != nullptr);
  KI_CHECK(catalog.resolver != nullptr && catalog.ledger != nullptr);
  while (options.origin.ends_with('/')) options.origin.pop_back();
  auto site = std::make_shared<Site>();
  site->catalog = std::move(catalog);
  site->options = std::move(options);
  site->version = number(static_cast<std::int64_t>(site->catalog.snapshot->seq()));
  auto pinned = std::make_shared<Site>(*site);
  pinned->catalog.now = pinned_now(site->snapshot());
  pinned->options.build.clear();
  site->pinned = std::move(pinned);
  return site;
}

std::vector<http::Route> routes(const std::shared_ptr<const Site>& site) {
  struct Entry {
    const char* pattern;
    PageFunction make;
  };
  const Entry entries[] = {
      {"/", home_page},
      {"/search", search_page},
      {"/suggest", suggest_answer},
      {"/operations/{slug}", operation_page},
      {"/operations/{slug}/runs.csv", group_runs_csv},
      {"/operations/{slug}/history.csv", history_csv},
      {"/operations/{slug}/sweep.csv", sweep_csv},
      {"/operations/{slug}/feed.xml", operation_atom},
      {"/implementations/{slug}", implementation_page},
      {"/runs/{id}", run_page},
      {"/runs/{id}/cite", cite_answer},
      {"/serving", serving_page},
      {"/serving-runs/{id}", serving_run_page},
      {"/compare", compare_page},
      {"/records", records_page},
      {"/records/feed.xml", records_atom},
      {"/records/feed.json", records_json_feed},
      {"/gpus", gpus_page},
      {"/gpus/{slug}", gpu_page},
      {"/gpus/{slug}/feed.xml", gpu_atom},
      {"/models", models_page},
      {"/models/{slug}", model_page},
      {"/projects", projects_page},
      {"/projects/{slug}", project_page},
      {"/projects/{slug}/feed.xml", project_atom},
      {"/feed", feed_page},
      {"/sources", sources_page},
      {"/docs", docs_page},
      {"/docs/numbers", numbers_page},
      {"/docs/api", api_docs_page},
      {"/badges/implementations/{slug}", implementation_badge},
      {"/badges/runs/{id}", run_badge},
      {"/cards/site.svg", site_card},
      {"/cards/runs/{id}", run_card},
      {"/cards/operations/{slug}", operation_card},
      {"/cards/implementations/{slug}", implementation_card},
      {"/cards/projects/{slug}", project_card},
      {"/robots.txt", robots_text},
      {"/llms.txt", llms_text},
      {"/sitemap.xml", sitemap_index},
      {"/sitemaps/{part}", sitemap_part},
  };
  std::vector<http::Route> list;
  for (const Entry& entry : entries) {
    list.push_back(
        {.method = http::Method::kGet, .pattern = entry.pattern, .handle = page(site, entry.make)});
  }
  list.push_back(
      {.method = http::Method::kGet,
       .pattern = "/assets/{file}",
       .handle = [site](const http::Request& request) { return asset(*site, request); }});
  for (const auto& [pattern, file] :
       {std::pair<const char*, PageFunction>{"/runs/{id}/attestations", file_attestation},
        {"/runs/{id}/reports", file_report}}) {
    list.push_back(
        {.method = http::Method::kPost,
         .pattern = pattern,
         .handle = [site, file](const http::Request& request) { return file(*site, request); },
         .may_block = true,
         .is_write = true});
  }
  return list;
}

http::ProblemPage problem_page(const std::shared_ptr<const Site>& site) {
  return [site](const http::Request& request, const http::Problem& problem) {
    return problem_answer(*site, request, problem);
  };
}

}  // namespace ki::web
