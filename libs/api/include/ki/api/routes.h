// The API as routes of a server, and as calls without one.
#pragma once

#include "ki/api/operation.h"
#include "ki/http/router.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ki::api {

// Every operation below /api/v1, and /openapi.json. They share the site.
std::vector<http::Route> routes(const std::shared_ptr<const Site>& site);

// What the route of this operation does; `request` has the path parameters.
http::Response call(const Operation& operation, const Site& site, const http::Request& request);

// A call by names and values of parameters: what a client sends. Parameters that are not declared
// are sent too, for the server to refuse.
http::Request compose(const Operation& operation,
                      const std::vector<std::pair<std::string, std::string>>& values,
                      std::string body);

}  // namespace ki::api
