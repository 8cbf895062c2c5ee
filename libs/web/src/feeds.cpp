// Atom and JSON feeds of records: announced breaks, newest first, in words that people read.
#include "ki/display/names.h"
#include "ki/json/writer.h"
#include "ki/resolve/describe.h"
#include "ki/views/lists.h"
#include "ki/views/records.h"
#include "lookup.h"
#include "machine.h"
#include "parts.h"

#include <algorithm>

namespace ki::web {
namespace {

constexpr std::size_t kEntries = 50;

struct Entry {
  std::string id;       // stable
  std::string title;    // "Gemm: record taken by x"
  std::string summary;  // "1.16 ms on NVIDIA B200, −3.1%, was 1.20 ms"
  std::string url;
  Instant updated;
};

struct Feed {
  std::string id, title, home, self;
  std::vector<Entry> entries;
  Instant updated;
};

struct Filter {
  Index operation = kNone;
  Index project = kNone;  // the new leader's or the old one's
  std::string hardware = {};
};

std::string host_of(std::string_view origin) {
  const std::size_t at = origin.find("//");
  std::string_view host = at == origin.npos ? origin : origin.substr(at + 2);
  host = host.substr(0, host.find('/'));
  return std::string(host.substr(0, host.find(':')));
}

Entry entry_of(const Site& site, const views::RecordStep& step, Index previous) {
  const Snapshot& s = site.snapshot();
  const auto& run = s.runs()[step.run];
  const auto& cohort = s.cohorts()[run.cohort];
  Entry entry;
  const std::string id = views::id_text(run.id);
  entry.id = "tag:" + host_of(site.origin()) + ",2026:record/" + id;
  entry.title = resolve::operation_name(s, cohort.operation) + ": record taken by " +
                resolve::implementation_name(s, run.implementation);
  entry.summary = value_text(s, step.run) + " on " +
                  std::string(product_of(s, cohort.environment)) + ", " +
                  resolve::workload_label(s, cohort.workload);
  if (previous != kNone) {
    entry.summary += "; −" + display::improvement(step.break_improvement * 100.0) + ", was " +
                     value_text(s, previous) + " by " +
                     resolve::implementation_name(s, s.runs()[previous].implementation);
  }
  entry.url = run_url(s, step.run).absolute(site.origin()).text();
  entry.updated = Instant{run.published_ms};
  return entry;
}

Feed collect(const Site& site, const Filter& filter) {
  const Snapshot& s = site.snapshot();
  const views::RecordLedger& ledger = *site.catalog.ledger;
  Feed feed;
  for (const std::uint32_t at : ledger.changes()) {
    if (feed.entries.size() == kEntries) break;
    const views::RecordStep& step = ledger.steps()[at];
    if (step.kind != policy::StepKind::kBreak) continue;
    const auto& run = s.runs()[step.run];
    const auto& cohort = s.cohorts()[run.cohort];
    const Index previous = ledger.steps()[step.standing].run;
    if (filter.operation != kNone && cohort.operation != filter.operation) continue;
    if (!filter.hardware.empty() && product_of(s, cohort.environment) != filter.hardware) continue;
    if (filter.project != kNone) {
      const auto project_of = [&](Index r) {
        return s.implementations()[s.runs()[r].implementation].project;
      };
      if (project_of(step.run) != filter.project && project_of(previous) != filter.project) {
        continue;
      }
    }
    feed.entries.push_back(entry_of(site, step, previous));
  }
  // Never the clock: the newest entry, else the newest publication of the catalog.
  feed.updated = feed.entries.empty() ? site.pinned_day() : feed.entries.front().updated;
  return feed;
}

void element(std::string& out, std::string_view name, std::string_view value) {
  out += "<";
  out += name;
  out += ">";
  append_escaped(out, value);
  out += "</";
  out += name;
  out += ">";
}

http::Response atom(const Feed& feed) {
  std::string out =
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed "
      "xmlns=\"http://www.w3.org/2005/Atom\">";
  element(out, "id", feed.id);
  element(out, "title", feed.title);
  element(out, "updated", feed.updated.to_string());
  out +=
      "<author><name>KernelIndex</name></author><link rel=\"self\" "
      "type=\"application/atom+xml\" href=\"";
  append_escaped(out, feed.self);
  out += "\"/><link rel=\"alternate\" type=\"text/html\" href=\"";
  append_escaped(out, feed.home);
  out += "\"/>\n";
  for (const Entry& entry : feed.entries) {
    out += "<entry>";
    element(out, "id", entry.id);
    element(out, "title", entry.title);
    element(out, "updated", entry.updated.to_string());
    element(out, "published", entry.updated.to_string());
    out += "<link rel=\"alternate\" type=\"text/html\" href=\"";
    append_escaped(out, entry.url);
    out += "\"/>";
    element(out, "summary", entry.summary);
    out += "</entry>\n";
  }
  out += "</feed>\n";
  http::Response response;
  response.content_type = "application/atom+xml; charset=utf-8";
  response.body = std::move(out);
  response.cache = http::Cache::kMedium;
  return response;
}

void describe(const Site& site, Feed& feed, std::string title, const Url& home, const Url& self) {
  feed.title = std::move(title);
  feed.home = home.absolute(site.origin()).text();
  feed.self = self.absolute(site.origin()).text();
  feed.id = feed.self;
}

}  // namespace

http::Response records_atom(const Site& site, const http::Request& request) {
  (void)request;
  Feed feed = collect(site, {});
  describe(site, feed, "KernelIndex records", Url::path({"records"}),
           Url::path({"records", "feed.xml"}));
  return atom(feed);
}

http::Response operation_atom(const Site& site, const http::Request& request) {
  const Snapshot& s = site.snapshot();
  const Index operation = find_operation(s, request.parameter("slug"));
  if (operation == kNone) return not_found("OPERATION_NOT_FOUND", "No operation has this name.");
  Feed feed = collect(site, {.operation = operation});
  const Url home = operation_url(s.text(s.operations()[operation].slug));
  describe(site, feed, "Records of " + resolve::operation_name(s, operation), home,
           Url(home).below({"feed.xml"}));
  return atom(feed);
}

http::Response project_atom(const Site& site, const http::Request& request) {
  const Snapshot& s = site.snapshot();
  const Index project = s.find_project(request.parameter("slug"));
  if (project == kNone) return not_found("PROJECT_NOT_FOUND", "No project has this name.");
  Feed feed = collect(site, {.project = project});
  const Url home = project_url(s.text(s.projects()[project].slug));
  describe(site, feed, "Records won and lost by " + std::string(s.text(s.projects()[project].name)),
           home, Url(home).below({"feed.xml"}));
  return atom(feed);
}

http::Response gpu_atom(const Site& site, const http::Request& request) {
  const auto items = views::list_hardware(site.snapshot(), nullptr);
  const auto found =
      std::ranges::find(items, request.parameter("slug"), &views::HardwareItem::slug);
  if (found == items.end()) return not_found("GPU_NOT_FOUND", "No GPU here has this name.");
  Feed feed = collect(site, {.hardware = found->model});
  const Url home = gpu_url(found->model);
  describe(site, feed, "Records on " + found->model, home, Url(home).below({"feed.xml"}));
  return atom(feed);
}

// JSON Feed 1.1.
http::Response records_json_feed(const Site& site, const http::Request& request) {
  (void)request;
  Feed feed = collect(site, {});
  describe(site, feed, "KernelIndex records", Url::path({"records"}),
           Url::path({"records", "feed.json"}));
  std::string out;
  json::Writer w(out);
  w.begin_object()
      .member("version", "https://jsonfeed.org/version/1.1")
      .member("title", feed.title)
      .member("home_page_url", feed.home)
      .member("feed_url", feed.self)
      .key("items")
      .begin_array();
  for (const Entry& entry : feed.entries) {
    w.begin_object()
        .member("id", entry.id)
        .member("url", entry.url)
        .member("title", entry.title)
        .member("content_text", entry.summary)
        .member("date_published", entry.updated.to_string())
        .end_object();
  }
  w.end_array().end_object();
  http::Response response;
  response.content_type = "application/feed+json; charset=utf-8";
  response.body = std::move(out);
  response.cache = http::Cache::kMedium;
  return response;
}

}  // namespace ki::web
