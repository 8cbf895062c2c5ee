// Answers for programs that are not the API: feeds, badges, cards, sitemap, robots, llms.txt (spec
// 12).
#pragma once

#include "ki/http/request.h"
#include "ki/http/response.h"
#include "site_state.h"

namespace ki::web {

http::Response records_atom(const Site& site, const http::Request& request);
http::Response records_json_feed(const Site& site, const http::Request& request);
http::Response operation_atom(const Site& site, const http::Request& request);
http::Response project_atom(const Site& site, const http::Request& request);
http::Response gpu_atom(const Site& site, const http::Request& request);

http::Response implementation_badge(const Site& site, const http::Request& request);
http::Response run_badge(const Site& site, const http::Request& request);

http::Response site_card(const Site& site, const http::Request& request);
http::Response run_card(const Site& site, const http::Request& request);
http::Response operation_card(const Site& site, const http::Request& request);
http::Response implementation_card(const Site& site, const http::Request& request);
http::Response project_card(const Site& site, const http::Request& request);

http::Response robots_text(const Site& site, const http::Request& request);
http::Response llms_text(const Site& site, const http::Request& request);
// The index of sitemaps and its parts; a part holds at most 20,000 addresses.
http::Response sitemap_index(const Site& site, const http::Request& request);
http::Response sitemap_part(const Site& site, const http::Request& request);

// CSV beside the plots of an operation.
http::Response group_runs_csv(const Site& site, const http::Request& request);
http::Response history_csv(const Site& site, const http::Request& request);
http::Response sweep_csv(const Site& site, const http::Request& request);

}  // namespace ki::web
