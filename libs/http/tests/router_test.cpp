#include "ki/http/router.h"

#include <gmock/gmock.h>

namespace ki::http {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Route route(Method method, std::string pattern) {
  return {.method = method, .pattern = pattern, .handle = [pattern](const Request&) {
            return Response::text(pattern);
          }};
}

TEST(Router, FindsTheMostSpecialPattern) {
  const Router router({route(Method::kGet, "/"), route(Method::kGet, "/runs/{id}"),
                       route(Method::kGet, "/runs/latest"), route(Method::kGet, "/runs/{id}.svg"),
                       route(Method::kGet, "/{page}"), route(Method::kGet, "/runs/{id}/data")});
  struct Case {
    std::string path, pattern, parameter;
  };
  for (const auto& [path, pattern, parameter] : std::initializer_list<Case>{
           {"/", "/", ""},
           {"/runs", "/{page}", "runs"},
           {"/runs/7", "/runs/{id}", "7"},
           {"/runs/latest", "/runs/latest", ""},
           {"/runs/7.svg", "/runs/{id}.svg", "7"},
           {"/runs/.svg", "/runs/{id}", ".svg"},
           {"/runs/a b", "/runs/{id}", "a b"},
           {"/runs/7/data", "/runs/{id}/data", "7"},
       }) {
    SCOPED_TRACE(path);
    const auto match = router.match(Method::kGet, path);
    ASSERT_NE(match.route, nullptr);
    EXPECT_EQ(match.route->pattern, pattern);
    EXPECT_EQ(match.parameters.empty() ? "" : match.parameters.front().value, parameter);
  }
  for (const std::string path : {"/runs/", "/runs//", "//", "/runs/7/other", "/a/b/c/d"}) {
    SCOPED_TRACE(path);
    const auto match = router.match(Method::kGet, path);
    EXPECT_EQ(match.route, nullptr);
    EXPECT_THAT(match.allowed, IsEmpty());
  }
}

TEST(Router, SaysWhichMethodsAPathHas) {
  const Router router({route(Method::kGet, "/runs/{id}"), route(Method::kPost, "/runs/{id}"),
                       route(Method::kPost, "/runs/new")});
  EXPECT_NE(router.match(Method::kHead, "/runs/1").route, nullptr);
  const auto other = router.match(Method::kDelete, "/runs/1");
  EXPECT_EQ(other.route, nullptr);
  EXPECT_THAT(other.allowed,
              ElementsAre(Method::kGet, Method::kHead, Method::kPost, Method::kOptions));
  const auto special = router.match(Method::kGet, "/runs/new");
  EXPECT_EQ(special.route, nullptr) << "never falls through to a less special pattern";
  EXPECT_THAT(special.allowed, ElementsAre(Method::kPost, Method::kOptions));
}

TEST(Router, RefusesTwoRoutesOfOneMethodAndPattern) {
  EXPECT_DEATH(Router({route(Method::kGet, "/a"), route(Method::kGet, "/a")}), "method");
  EXPECT_DEATH(Router({route(Method::kGet, "/{}")}), "close");
}

}  // namespace
}  // namespace ki::http
