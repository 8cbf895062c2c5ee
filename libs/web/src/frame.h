// The frame of every page: head, header with search, footer with the catalog version and the lines
// that fetch the same view for a machine.
#pragma once

#include "ki/http/response.h"
#include "ki/web/html.h"
#include "site_state.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ki::web {

enum class Section : std::uint8_t {
  kElsewhere,
  kSearch,
  kRecords,
  kGpus,
  kServing,
  kModels,
  kProjects,
  kFeed,
  kDocs
};

struct PageHead {
  std::string title;        // without the site's name
  std::string description;  // one sentence
  Url canonical;
  std::optional<Url> json = {};  // the same content as JSON
  std::string json_body = {};    // of a twin that is asked by POST
  std::optional<Url> card = {};  // picture for link previews
  std::optional<Url> feed = {};  // Atom
  std::string command = {};      // the `ki` line for this view
  Section section = Section::kElsewhere;
  std::string_view query = {};       // in the search field of the header
  bool has_own_search = false;       // the page has the search field; the header shows none
  bool is_indexed = true;            // for crawlers
  bool is_illustrative = false;      // all evidence here is made up for illustration
  std::string structured_data = {};  // JSON-LD as an attribute-free data block; empty: none
};

class Page {
 public:
  Page(const Site& site, const PageHead& head);
  Html& html() { return html_; }
  // Closes the page.
  http::Response finish(int status = 200, http::Cache cache = http::Cache::kRevalidate) &&;

 private:
  const Site& site_;
  const PageHead& head_;
  Html html_;
};

// The search form; `id` of its field must be unique on the page.
void search_form(Html& html, std::string_view id, std::string_view query, bool is_large);

}  // namespace ki::web
