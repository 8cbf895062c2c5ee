#include "machine.h"

#include "ki/display/names.h"
#include "ki/views/lists.h"
#include "lookup.h"
#include "parts.h"

#include <algorithm>
#include <charconv>

namespace ki::web {
namespace {

constexpr std::size_t kPart = 20'000;

void line(std::string& out, const Site& site, const Url& url, std::int64_t last_ms) {
  out += "<url><loc>";
  append_escaped(out, url.absolute(site.origin()).text());
  out += "</loc>";
  if (last_ms != 0) out += "<lastmod>" + Instant{last_ms}.date() + "</lastmod>";
  out += "</url>\n";
}

http::Response xml(std::string body) {
  http::Response response;
  response.content_type = "application/xml; charset=utf-8";
  response.body = std::move(body);
  response.cache = http::Cache::kMedium;
  return response;
}

constexpr std::string_view kXml = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n";
constexpr std::string_view kNamespace = "xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"";

std::size_t parts_of(std::size_t count) { return (count + kPart - 1) / kPart; }

void pages_part(std::string& out, const Site& site) {
  const Snapshot& s = site.snapshot();
  for (const std::string_view path :
       {"search", "records", "gpus", "serving", "models", "projects", "feed", "docs", "sources"}) {
    line(out, site, Url::path({path}), 0);
  }
  line(out, site, Url::path({}), 0);
  line(out, site, Url::path({"docs", "numbers"}), 0);
  line(out, site, Url::path({"docs", "api"}), 0);
  for (const auto& item : views::list_hardware(s, site.catalog.serving)) {
    line(out, site, gpu_url(item.model), item.last_observed_ms);
  }
  for (const auto& model : views::list_models(s).kernel) {
    line(out, site, Url::path({"models", display::model_slug(model.model)}),
         model.last_observed_ms);
  }
  for (const auto& project : s.projects()) line(out, site, project_url(s.text(project.slug)), 0);
  for (const auto& operation : s.operations()) {
    line(out, site, operation_url(s.text(operation.slug)), operation.last_observed_ms);
  }
}

}  // namespace

http::Response robots_text(const Site& site, const http::Request& request) {
  (void)request;
  return http::Response::text(
      "User-agent: *\nDisallow: /account\nDisallow: /admin\nDisallow: /api/\nDisallow: /dev/\n"
      "Disallow: /compare?\n\nSitemap: " +
          Url::path({"sitemap.xml"}).absolute(site.origin()).text() + "\n",
      http::Cache::kMedium);
}

http::Response sitemap_index(const Site& site, const http::Request& request) {
  (void)request;
  const Snapshot& s = site.snapshot();
  std::string out(kXml);
  out += "<sitemapindex " + std::string(kNamespace) + ">\n";
  const auto add = [&](const std::string& name) {
    out += "<sitemap><loc>";
    append_escaped(out, Url::path({"sitemaps", name + ".xml"}).absolute(site.origin()).text());
    out += "</loc></sitemap>\n";
  };
  add("pages");
  for (std::size_t i = 0; i < parts_of(s.implementations().size()); ++i) {
    add("implementations-" + number(static_cast<std::int64_t>(i)));
  }
  for (std::size_t i = 0; i < parts_of(s.runs().size()); ++i) {
    add("runs-" + number(static_cast<std::int64_t>(i)));
  }
  out += "</sitemapindex>\n";
  return xml(std::move(out));
}

http::Response sitemap_part(const Site& site, const http::Request& request) {
  const Snapshot& s = site.snapshot();
  std::string_view name = request.parameter("part");
  if (name.ends_with(".xml")) name.remove_suffix(4);
  std::string out(kXml);
  out += "<urlset " + std::string(kNamespace) + ">\n";
  const std::size_t dash = name.find('-');
  std::size_t part = 0;
  if (dash != name.npos) {
    const auto digits = name.substr(dash + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), part);
    if (error != std::errc() || end != digits.data() + digits.size() || part > 1'000'000) {
      return not_found("NOT_FOUND", "There is no such sitemap.");
    }
  }
  const std::string_view kind = name.substr(0, dash);
  if (name == "pages") {
    pages_part(out, site);
  } else if (kind == "implementations" && dash != name.npos &&
             part < parts_of(s.implementations().size())) {
    const std::size_t end = std::min(s.implementations().size(), (part + 1) * kPart);
    for (std::size_t i = part * kPart; i < end; ++i) {
      const auto& row = s.implementations()[i];
      line(out, site, implementation_url(s.text(row.slug)), row.created_ms);
    }
  } else if (kind == "runs" && dash != name.npos && part < parts_of(s.runs().size())) {
    const std::size_t end = std::min(s.runs().size(), (part + 1) * kPart);
    for (std::size_t i = part * kPart; i < end; ++i) {
      const auto& row = s.runs()[i];
      if (row.published_ms != 0) {
        line(out, site, run_url(s, static_cast<Index>(i)), row.published_ms);
      }
    }
  } else {
    return not_found("NOT_FOUND", "There is no such sitemap.");
  }
  out += "</urlset>\n";
  return xml(std::move(out));
}

http::Response llms_text(const Site& site, const http::Request& request) {
  (void)request;
  const views::Stats stats = views::stats(*site.catalog.ledger);
  const std::string origin(site.origin());
  std::string out =
      "# KernelIndex\n\n> An index of measured GPU kernels. It answers: what is the "
      "fastest kernel for my exact workload, and why should I believe the "
      "number?\n\n";
  out += "Catalog version " + site.version + ": " +
         display::count_noun(static_cast<std::int64_t>(stats.measured_operations),
                             "measured operation") +
         ", " + display::count_noun(static_cast<std::int64_t>(stats.eligible_runs), "ranked run") +
         ", " + display::count_noun(static_cast<std::int64_t>(stats.gpus), "GPU") + ".\n\n";
  out +=
      "## Rules for claims\n\n"
      "- Name workload and comparison group with any \"fastest\"; a group of one has none.\n"
      "- Never compare, divide or rank values of different comparison groups.\n"
      "- Never mix serving results with kernel results.\n"
      "- State the evidence level: reported, reproducible, verified, replicated.\n"
      "- A case that nobody measured has no number here; neighbours are not a substitute.\n"
      "- Cite the digest of the run and the catalog version.\n\n";
  out += "## API (JSON, no key)\n\n";
  for (const std::string_view address :
       {"/api/v1/search?q=QUERY", "/api/v1/operations", "/api/v1/operations/SLUG",
        "/api/v1/implementations/SLUG", "/api/v1/projects/SLUG", "/api/v1/runs",
        "/api/v1/runs/ID_OR_DIGEST", "/api/v1/records", "/api/v1/ranks", "/api/v1/feed",
        "/api/v1/hardware", "/api/v1/models", "/api/v1/stats", "/api/v1/sources",
        "/api/v1/openapi.json", "/exports/latest.json"}) {
    out += "- GET " + origin + std::string(address) + "\n";
  }
  out += "- POST " + origin + "/api/v1/resolve/kernel\n- POST " + origin +
         "/api/v1/resolve/kernel/batch\n- POST " + origin + "/api/v1/compare\n\n";
  out +=
      "## Query syntax\n\nWords name an operation; `gpu:B200`, `m=120`, `dtype:bf16`, "
      "`op:SLUG`, `family:NAME`, `model:NAME` narrow it. " +
      origin +
      "/docs\n\n## Command line\n\n- ki search 'op:SLUG gpu:B200 m=120'\n- ki show run "
      "ID\n- ki verify ID\n- ki compare ID ID\n";
  return http::Response::text(std::move(out), http::Cache::kMedium);
}

}  // namespace ki::web
