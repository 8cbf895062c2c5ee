// Router: method and path to a handler. Patterns are literal segments and parameters:
// "/runs/{id}", "/badges/{id}.svg". A literal segment beats a parameter.
#pragma once

#include "ki/http/request.h"
#include "ki/http/response.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::http {

// A pure function of the request and of what it captured (one catalog version). Called from any
// thread, several at once. It may throw: the answer is then 500.
using Handler = std::function<Response(const Request&)>;

struct Route {
  Method method = Method::kGet;  // kGet answers HEAD too
  std::string pattern;
  Handler handle;
  bool is_api = false;     // CORS for everyone; problems are JSON even for browsers
  bool may_block = false;  // waits for a disk or a lock: runs on a worker, not on an I/O thread
  // Stores something: refused to pages of other sites, also where the API answers them.
  bool is_write = false;
};

class Router {
 public:
  // Patterns must be well formed and differ (checked).
  explicit Router(std::vector<Route> routes);

  struct Match {
    const Route* route = nullptr;  // null: no route for this path, or none for this method
    std::vector<PathParameter> parameters;
    std::vector<Method> allowed;  // when the path is known and the method is not
    bool is_api = false;          // of the routes of this path
  };
  Match match(Method method, std::string_view path) const;
  const std::vector<Route>& routes() const { return routes_; }

 private:
  struct Segment {
    std::string prefix;  // the literal, when there is no parameter
    std::string name;    // of the parameter; empty: none
    std::string suffix;
  };
  struct Pattern {
    std::vector<Segment> segments;
    std::vector<std::size_t> routes;  // indexes: one a method
  };
  static bool matches(const Pattern& pattern, const std::vector<std::string_view>& segments,
                      std::vector<PathParameter>* parameters);

  std::vector<Route> routes_;
  std::vector<Pattern> patterns_;  // most literal first
};

}  // namespace ki::http
