// What a person sees instead of a page: what happened, what is safe, where to go.
#include "ki/display/labels.h"
#include "pages.h"
#include "parts.h"

#include <string>

namespace ki::web {
namespace {

std::string_view title_of(int status) {
  switch (status) {
    case 400:
      return "This address cannot be read";
    case 404:
      return "Not found";
    case 405:
      return "Not possible here";
    case 410:
      return "Gone";
    case 429:
      return "Too many requests";
    case 503:
      return "Not available right now";
    default:
      return status >= 500 ? "Something failed here" : "This did not work";
  }
}

}  // namespace

http::Response problem_answer(const Site& site, const http::Request& request,
                              const http::Problem& problem) {
  const std::string title(title_of(problem.status));
  const PageHead head{.title = title,
                      .description = "KernelIndex could not show this page.",
                      .canonical = Url::path({"search"}),
                      .has_own_search = true,
                      .is_indexed = false};
  Page page(site, head);
  Html& h = page.html();
  h << "<div class=\"prose\"><h1>" << text(title) << "</h1><p class=\"lead\">";
  if (problem.detail.empty()) {
    h << "There is nothing at <code>" << text(request.path()) << "</code>.";
  } else {
    h << text(problem.detail);
  }
  h << "</p>";
  if (!problem.errors.empty()) {
    h << "<ul>";
    for (const http::ProblemDetail& error : problem.errors) {
      h << "<li><code>" << text(error.pointer) << "</code>: " << text(error.message) << "</li>";
    }
    h << "</ul>";
  }
  h << "<p>Nothing was changed. Search by operation, GPU and shape:</p>";
  search_form(h, "query", "", true);
  h << "<p>Or start at <a href=\"/records\">the records</a>, <a href=\"/gpus\">the GPUs</a> or <a "
       "href=\"/docs\">the documentation</a>.</p><p class=\"hint\">Code <code>"
    << text(problem.code) << "</code></p></div>";
  return std::move(page).finish(problem.status, http::Cache::kNoStore);
}

}  // namespace ki::web
