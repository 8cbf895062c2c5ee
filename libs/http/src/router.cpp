#include "ki/http/router.h"

#include "ki/base/check.h"
#include "ki/base/text.h"

#include <algorithm>

namespace ki::http {
namespace {

std::vector<std::string_view> segments_of(std::string_view path) {
  KI_CHECK(!path.empty() && path.front() == '/');
  return split(path.substr(1), '/');
}

}  // namespace

Router::Router(std::vector<Route> routes) : routes_(std::move(routes)) {
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    const Route& route = routes_[i];
    KI_CHECK(route.handle != nullptr);
    const auto same = std::ranges::find_if(patterns_, [&](const Pattern& pattern) {
      return routes_[pattern.routes.front()].pattern == route.pattern;
    });
    if (same != patterns_.end()) {
      for (const std::size_t other : same->routes) KI_CHECK(routes_[other].method != route.method);
      same->routes.push_back(i);
      continue;
    }
    Pattern pattern;
    for (const std::string_view text : segments_of(route.pattern)) {
      const std::size_t open = text.find('{');
      Segment segment;
      segment.prefix = text.substr(0, open);
      if (open != std::string_view::npos) {
        const std::size_t close = text.find('}', open);
        KI_CHECK(close != std::string_view::npos && close > open + 1);
        segment.name = text.substr(open + 1, close - open - 1);
        segment.suffix = text.substr(close + 1);
      }
      pattern.segments.push_back(std::move(segment));
    }
    pattern.routes.push_back(i);
    patterns_.push_back(std::move(pattern));
  }
  // A literal beats a parameter, a parameter with more literal text beats one with less, from left
  // to right; so the first pattern that matches is the most special one.
  std::ranges::stable_sort(patterns_, [](const Pattern& a, const Pattern& b) {
    const std::size_t common = std::min(a.segments.size(), b.segments.size());
    for (std::size_t i = 0; i < common; ++i) {
      const Segment& left = a.segments[i];
      const Segment& right = b.segments[i];
      if (left.name.empty() != right.name.empty()) return left.name.empty();
      if (left.name.empty()) continue;
      const std::size_t left_literal = left.prefix.size() + left.suffix.size();
      const std::size_t right_literal = right.prefix.size() + right.suffix.size();
      if (left_literal != right_literal) return left_literal > right_literal;
    }
    return false;
  });
}

bool Router::matches(const Pattern& pattern, const std::vector<std::string_view>& segments,
                     std::vector<PathParameter>* parameters) {
  if (pattern.segments.size() != segments.size()) return false;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Segment& wanted = pattern.segments[i];
    const std::string_view given = segments[i];
    if (wanted.name.empty()) {
      if (given != wanted.prefix) return false;
      continue;
    }
    // A parameter has at least one character.
    if (given.size() <= wanted.prefix.size() + wanted.suffix.size() ||
        !given.starts_with(wanted.prefix) || !given.ends_with(wanted.suffix))
      return false;
  }
  if (parameters != nullptr) {
    for (std::size_t i = 0; i < segments.size(); ++i) {
      const Segment& wanted = pattern.segments[i];
      if (wanted.name.empty()) continue;
      const std::size_t length = segments[i].size() - wanted.prefix.size() - wanted.suffix.size();
      parameters->push_back(
          {wanted.name, std::string(segments[i].substr(wanted.prefix.size(), length))});
    }
  }
  return true;
}

Router::Match Router::match(Method method, std::string_view path) const {
  const Method asked = method == Method::kHead ? Method::kGet : method;
  const auto segments = segments_of(path);
  Match match;
  for (const Pattern& pattern : patterns_) {
    if (!matches(pattern, segments, nullptr)) continue;
    for (const std::size_t i : pattern.routes) {
      const Route& route = routes_[i];
      match.is_api = match.is_api || route.is_api;
      match.allowed.push_back(route.method);
      if (route.method == Method::kGet) match.allowed.push_back(Method::kHead);
      if (route.method != asked) continue;
      match.route = &route;
      matches(pattern, segments, &match.parameters);
      return match;
    }
    // The most special pattern decides, so that "/runs/new" never falls through to "/runs/{id}".
    match.allowed.push_back(Method::kOptions);
    return match;
  }
  return match;
}

}  // namespace ki::http
