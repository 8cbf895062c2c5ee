#include "ki/http/problem.h"

#include "ki/http/response.h"

#include <gtest/gtest.h>

namespace ki::http {
namespace {

TEST(Problem, IsWrittenAsRfc9457) {
  const Problem problem{.status = 400,
                        .code = "INVALID_PARAMETER",
                        .detail = "limit is 0",
                        .errors = {{"?limit", "too_small", "at least 1"}}};
  EXPECT_EQ(problem_json(problem, "id-1", "https://ki.example"),
            R"({"type":"https://ki.example/errors/invalid_parameter","title":"invalid parameter",)"
            R"("status":400,"code":"INVALID_PARAMETER","detail":"limit is 0","requestId":"id-1",)"
            R"("errors":[{"pointer":"?limit","code":"too_small","message":"at least 1"}]})");
}

TEST(Problem, OfAnErrorTellsWhatTheCallerCanDo) {
  struct Case {
    Code code;
    int status;
    std::string_view name, detail;
  };
  for (const auto& [code, status, name, detail] : std::initializer_list<Case>{
           {Code::kInvalidArgument, 400, "INVALID_PARAMETER", "secret path"},
           {Code::kNotFound, 404, "NOT_FOUND", "secret path"},
           {Code::kConflict, 409, "CONFLICT", "secret path"},
           {Code::kUnavailable, 503, "UNAVAILABLE", "secret path"},
           {Code::kUnsupported, 501, "UNSUPPORTED", "secret path"},
           {Code::kCorrupt, 500, "INTERNAL",
            "something went wrong here; the request id finds it in the log"},
           {Code::kInternal, 500, "INTERNAL",
            "something went wrong here; the request id finds it in the log"},
       }) {
    SCOPED_TRACE(name);
    const Problem problem = problem_of(Error(code, "secret path"));
    EXPECT_EQ(problem.status, status);
    EXPECT_EQ(problem.code, name);
    EXPECT_EQ(problem.detail, detail);
  }
  EXPECT_EQ(problem_of(Error(Code::kUnavailable, "x")).retry_after_seconds, 1u);
  const Problem issues =
      problem_of(Error(Code::kInvalidArgument, "x",
                       {{.code = "bad", .pointer = "/a", .message = "not a number", .fix = ""}}));
  ASSERT_EQ(issues.errors.size(), 1u);
  EXPECT_EQ(issues.errors[0].pointer, "/a");
}

TEST(Problem, OfBytesThatAreNotUtf8IsStillJson) {
  const std::string text = problem_json({.status = 400, .code = "X", .detail = "a\xff"}, "i", "");
  EXPECT_EQ(text.find('\xff'), std::string::npos);
}

TEST(Response, OfAProblemHasItsStatus) {
  const Response response = Response::of(Problem{.status = 410, .code = "GONE"});
  EXPECT_EQ(response.status, 410);
  EXPECT_EQ(response.cache, Cache::kNoStore);
}

}  // namespace
}  // namespace ki::http
