// Edition: everything that one catalog version serves. A request is answered by one edition from
// beginning to end; a publication makes the next edition, and the old one goes when its last
// request has been answered.
#pragma once

#include "ki/http/problem.h"
#include "ki/http/router.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ki::http {

// Renders a problem for a person (routes that are not API, clients that accept text/html). Only
// content_type and body of what it returns are used.
using ProblemPage = std::function<Response(const Request&, const Problem&)>;

struct Edition {
  // Catalog version, build and UTC day, e.g. "40795-0.1.0-2026-08-16": letters, digits, '.', '-',
  // '_'.
  std::string version;
  Router router;
  std::string api_prefix = "/api/";  // below it, problems are JSON even where no route is
  ProblemPage problem_page = {};     // none: problems are JSON for everyone
};

}  // namespace ki::http
