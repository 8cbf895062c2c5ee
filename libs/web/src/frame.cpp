#include "frame.h"

#include "ki/base/text.h"
#include "ki/display/format.h"
#include "parts.h"

#include <array>

namespace ki::web {
namespace {

struct NavItem {
  Section section;
  Markup label;
  std::string_view segment;
};
constexpr std::array<NavItem, 8> kNav = {{{Section::kSearch, "Search", "search"},
                                          {Section::kRecords, "Records", "records"},
                                          {Section::kGpus, "GPUs", "gpus"},
                                          {Section::kServing, "Serving", "serving"},
                                          {Section::kModels, "Models", "models"},
                                          {Section::kProjects, "Projects", "projects"},
                                          {Section::kFeed, "Feed", "feed"},
                                          {Section::kDocs, "Docs", "docs"}}};

void meta(Html& h, const Site& site, const PageHead& head) {
  const std::string title = head.title + " · KernelIndex";
  h << "<title>" << text(title) << "</title><meta name=\"description\""
    << attr("content", head.description) << ">";
  if (!head.is_indexed) h << "<meta name=\"robots\" content=\"noindex\">";
  const Url canonical = head.canonical.absolute(site.options.origin);
  h << "<link rel=\"canonical\"" << href(canonical) << ">";
  if (head.json) {
    h << "<link rel=\"alternate\" type=\"application/json\" title=\"This page as JSON\""
      << href(*head.json) << ">";
  }
  if (head.feed) {
    h << "<link rel=\"alternate\" type=\"application/atom+xml\" title=\"Atom\"" << href(*head.feed)
      << ">";
  }
  h << "<meta property=\"og:site_name\" content=\"KernelIndex\"><meta property=\"og:type\" "
       "content=\"website\"><meta property=\"og:title\""
    << attr("content", head.title) << "><meta property=\"og:description\""
    << attr("content", head.description) << "><meta property=\"og:url\""
    << link("content", canonical) << ">";
  if (head.card) {
    Url card = head.card->absolute(site.options.origin);
    if (site.options.has_png) card = std::move(card).as_png();
    h << "<meta property=\"og:image\"" << link("content", card);
    if (site.options.has_png) {
      h << "><meta property=\"og:image:type\" content=\"image/png\"><meta "
           "property=\"og:image:width\" "
           "content=\"1200\"><meta property=\"og:image:height\" content=\"630\"";
    }
    h << "><meta name=\"twitter:card\" content=\"summary_large_image\">";
  }
  h << "<link rel=\"icon\" type=\"image/svg+xml\"" << href(site.assets.icon())
    << "><link rel=\"stylesheet\"" << href(site.assets.stylesheet()) << "><script defer"
    << link("src", site.assets.script()) << "></script>";
}

void header(Html& h, const PageHead& head) {
  h << "<a class=\"skip\" href=\"#main\">Skip to the content</a>\n<header class=\"top\"><div "
       "class=\"bar\"><a class=\"brand\" href=\"/\">KernelIndex</a>";
  if (!head.has_own_search) search_form(h, "find", head.query, false);
  h << "<nav aria-label=\"Main\"><ul>";
  for (const NavItem& item : kNav) {
    h << "<li><a" << href(Url::path({item.segment}));
    if (item.section == head.section) h << " aria-current=\"page\"";
    h << ">" << item.label << "</a></li>";
  }
  h << "</ul></nav></div></header>\n<main id=\"main\" tabindex=\"-1\">";
  if (head.is_illustrative) {
    h << "<p class=\"banner warn\" role=\"note\">Illustrative: every number on this page was made "
         "up to show how the index works. Nothing here was measured.</p>";
  }
}

void machine_lines(Html& h, const Site& site, const PageHead& head) {
  if (!head.json && head.command.empty()) return;
  h << "<section class=\"machine\" aria-labelledby=\"machine\"><h2 id=\"machine\">This view for "
       "programs</h2><dl class=\"pairs\">";
  if (head.json) {
    std::string line = "curl -s " + shell_quoted(head.json->absolute(site.origin()).text());
    if (!head.json_body.empty()) {
      line += " -H 'content-type: application/json' -d " + shell_quoted(head.json_body);
    }
    h << "<div><dt>curl</dt><dd>";
    copy_line(h, line, "Copy the curl line");
    h << "</dd></div>";
  }
  if (!head.command.empty()) {
    h << "<div><dt>command line</dt><dd>";
    copy_line(h, head.command, "Copy the ki line");
    h << "</dd></div>";
  }
  h << "</dl></section>";
}

}  // namespace

void search_form(Html& h, std::string_view id, std::string_view query, bool is_large) {
  h << "<form role=\"search\" action=\"/search\" method=\"get\"";
  if (is_large) {
    h << " class=\"find large\"";
  } else {
    h << " class=\"find\"";
  }
  h << "><label class=\"sr\"" << attr("for", id) << ">Search kernels</label><input type=\"search\" "
    << "name=\"q\"" << attr("id", id)
    << " maxlength=\"500\" autocomplete=\"off\" autocapitalize=\"off\" spellcheck=\"false\" "
       "enterkeyhint=\"search\" placeholder=\"operation, GPU, shape: rmsnorm B200 "
       "n=4096\" data-suggest"
    << attr("value", query) << "><button type=\"submit\">Search</button></form>";
}

Page::Page(const Site& site, const PageHead& head) : site_(site), head_(head) {
  html_ << "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
           "name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
           "<meta name=\"color-scheme\" content=\"light dark\">";
  meta(html_, site, head);
  html_ << "</head>\n<body>";
  header(html_, head);
}

http::Response Page::finish(int status, http::Cache cache) && {
  Html& h = html_;
  machine_lines(h, site_, head_);
  h << "</main>\n<footer class=\"foot\"><nav aria-label=\"Footer\"><ul>"
       "<li><a href=\"/sources\">Sources</a></li>"
       "<li><a href=\"/docs/numbers\">About the numbers</a></li>"
       "<li><a href=\"/docs/api\">API</a></li>"
       "<li><a href=\"/records/feed.xml\">Atom</a></li>"
       "<li><a href=\"/llms.txt\">llms.txt</a></li>";
  if (head_.json) h << "<li><a" << href(*head_.json) << ">JSON of this page</a></li>";
  h << "</ul></nav><p>Catalog version " << text(site_.version) << " · as of "
    << text(display::date(site_.catalog.now)) << " UTC";
  if (!site_.options.build.empty()) h << " · KernelIndex " << text(site_.options.build);
  h << "</p></footer></body></html>\n";
  http::Response response = http::Response::html(std::move(h).take(), cache);
  response.status = status;
  return response;
}

}  // namespace ki::web
