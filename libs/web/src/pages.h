// One function a page: a request to an answer.
#pragma once

#include "frame.h"
#include "ki/http/request.h"
#include "ki/http/response.h"
#include "site_state.h"

namespace ki::web {

http::Response home_page(const Site& site, const http::Request& request);
http::Response search_page(const Site& site, const http::Request& request);
http::Response operation_page(const Site& site, const http::Request& request);
http::Response implementation_page(const Site& site, const http::Request& request);
http::Response run_page(const Site& site, const http::Request& request);
http::Response cite_answer(const Site& site, const http::Request& request);
http::Response serving_page(const Site& site, const http::Request& request);
http::Response serving_run_page(const Site& site, const http::Request& request);
http::Response compare_page(const Site& site, const http::Request& request);
http::Response records_page(const Site& site, const http::Request& request);
http::Response gpus_page(const Site& site, const http::Request& request);
http::Response gpu_page(const Site& site, const http::Request& request);
http::Response models_page(const Site& site, const http::Request& request);
http::Response model_page(const Site& site, const http::Request& request);
http::Response projects_page(const Site& site, const http::Request& request);
http::Response project_page(const Site& site, const http::Request& request);
http::Response feed_page(const Site& site, const http::Request& request);
http::Response sources_page(const Site& site, const http::Request& request);
http::Response docs_page(const Site& site, const http::Request& request);
http::Response numbers_page(const Site& site, const http::Request& request);
http::Response api_docs_page(const Site& site, const http::Request& request);
http::Response suggest_answer(const Site& site, const http::Request& request);
http::Response problem_answer(const Site& site, const http::Request& request,
                              const http::Problem& problem);

}  // namespace ki::web
