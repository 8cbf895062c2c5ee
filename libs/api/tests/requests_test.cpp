// What a call may not say, and how it is told.
#include "api_world.h"

namespace ki::api::testing {
namespace {

std::shared_ptr<const Site> small_site() {
  static views::testing::SmallCatalog* const kCatalog = [] {
    auto* catalog = new views::testing::SmallCatalog;
    catalog->source("bench");
    catalog->project("team");
    catalog->operation({.slug = "gemm"});
    catalog->implementation({.slug = "a", .project = "team", .operation = "gemm"});
    catalog->run({.implementation = "a", .workload = catalog->workload("gemm", 8), .value = 9});
    return catalog;
  }();
  static const auto kSite = site_of(kCatalog->finish(), kCatalog->store());
  return kSite;
}

TEST(RequestsTest, WrongParametersAreNamed) {
  struct Case {
    const char* why;
    const char* operation;
    Values values;
    const char* code;
    const char* pointer;
  };
  for (const auto& [why, operation, values, code, pointer] : {
           Case{"an unknown parameter",
                "listRuns",
                {{"hardwear", "x"}},
                "UNKNOWN_PARAMETER",
                "?hardwear"},
           Case{"a parameter twice",
                "listRuns",
                {{"limit", "1"}, {"limit", "2"}},
                "REPEATED_PARAMETER",
                "?limit"},
           Case{"no integer", "listRuns", {{"limit", "ten"}}, "INVALID_VALUE", "?limit"},
           Case{"too many rows", "listRuns", {{"limit", "201"}}, "INVALID_VALUE", "?limit"},
           Case{"none", "listRuns", {{"limit", "0"}}, "INVALID_VALUE", "?limit"},
           Case{"no date", "listRuns", {{"since", "yesterday"}}, "INVALID_VALUE", "?since"},
           Case{"no flag", "listRecords", {{"all", "yes"}}, "INVALID_VALUE", "?all"},
           Case{"no choice", "listRecords", {{"sort", "best"}}, "INVALID_VALUE", "?sort"},
           Case{"too long", "search", {{"q", std::string(501, 'x')}}, "INVALID_VALUE", "?q"},
           Case{"a workload of nobody",
                "getOperation",
                {{"operation", "gemm"}, {"workload", "01990000-0000-7000-8000-000000000009"}},
                "INVALID_VALUE",
                "?workload"},
       }) {
    SCOPED_TRACE(why);
    const Outcome outcome = ask(small_site(), operation, values);
    EXPECT_EQ(outcome.status(), 400);
    EXPECT_EQ(outcome.code(), "INVALID_PARAMETER");
    ASSERT_TRUE(outcome.response.problem);
    ASSERT_EQ(outcome.response.problem->errors.size(), 1U);
    EXPECT_EQ(outcome.response.problem->errors[0].code, code);
    EXPECT_EQ(outcome.response.problem->errors[0].pointer, pointer);
    EXPECT_EQ(outcome.response.cache, http::Cache::kNoStore);
  }
  const Outcome both = ask(small_site(), "listRuns", {{"limit", "0"}, {"x", "1"}});
  EXPECT_EQ(both.response.problem->errors.size(), 2U) << "all problems at once";
}

TEST(RequestsTest, MomentsHaveAnyOffset) {
  const Instant noon{1'786'795'200'000};  // 2026-08-15T12:00Z
  for (const char* text : {"2026-08-15T12:00:00Z", "2026-08-15T14:00:00+02:00",
                           "2026-08-15T14:00:00 02:00", "2026-08-15T06:30:00.000-05:30"}) {
    EXPECT_EQ(parse_moment(text), noon) << text;
  }
  EXPECT_EQ(parse_moment("2026-08-15"), Instant{noon.ms - 12 * 3'600'000});
  for (const char* text : {"2026-02-30", "2026-08-15T14:00:00+2:00", "2026-08-15T14:00:00+24:00",
                           "2026-08-15T14:00:00+02:61", "15.8.2026", ""}) {
    EXPECT_FALSE(parse_moment(text)) << text;
  }
}

TEST(RequestsTest, WrongBodiesAreNamedByPointer) {
  struct Case {
    const char* why;
    const char* operation;
    const char* body;
    int status;
    const char* code;
    const char* pointer;
  };
  for (const auto& [why, operation, body, status, code, pointer] : {
           Case{"no JSON", "resolveKernel", "{", 400, "INVALID_JSON", ""},
           Case{"a name twice", "resolveKernel", R"({"query":"a","query":"b"})", 400,
                "INVALID_JSON", ""},
           Case{"an unknown member", "resolveKernel", R"({"colour":"red"})", 422, "INVALID_REQUEST",
                "/colour"},
           Case{"a dtype of nobody", "resolveKernel",
                R"({"operation":{"name":"gemm"},"environment":{"dtype":"nonsense"}})", 422,
                "INVALID_REQUEST", "/environment/dtype"},
           Case{"an axis that the operation lacks", "resolveKernel",
                R"({"operation":{"slug":"gemm","axes":{"zz":3}}})", 422, "INVALID_REQUEST",
                "/operation/axes/zz"},
           Case{"a word beside an operation", "resolveKernel", R"({"query":"op:gemm zebra"})", 422,
                "INVALID_REQUEST", "/query"},
           Case{"an axis that the operation of the second lacks", "resolveKernelBatch",
                R"({"requests":[{"query":"op:gemm"},{"query":"op:gemm zz=3"}]})", 422,
                "INVALID_REQUEST", "/requests/1/query"},
           Case{"too many requests", "resolveKernelBatch", R"({"requests":[]})", 422,
                "INVALID_REQUEST", "/requests"},
           Case{"the second request", "resolveKernelBatch", R"({"requests":[{},{"limit":1000}]})",
                422, "INVALID_REQUEST", "/requests/1/limit"},
           Case{"one run", "compareRuns", R"({"runs":["a"]})", 422, "INVALID_REQUEST", "/runs"},
           Case{"no text", "compareRuns", R"({"runs":["01990000-0000-7000-8000-0000000000ff",1]})",
                422, "INVALID_REQUEST", "/runs/1"},
       }) {
    SCOPED_TRACE(why);
    const Outcome outcome = ask(small_site(), operation, {}, body);
    EXPECT_EQ(outcome.status(), status);
    EXPECT_EQ(outcome.code(), code);
    ASSERT_TRUE(outcome.response.problem && !outcome.response.problem->errors.empty());
    EXPECT_EQ(outcome.response.problem->errors[0].pointer, pointer);
  }
  http::Request request = compose(*find_operation("compareRuns"), {}, "{}");
  request.headers.clear();
  EXPECT_EQ(send(small_site(), request).code(), "UNSUPPORTED_MEDIA_TYPE");
  request.headers = {{"content-type", "text/plain"}};
  EXPECT_EQ(send(small_site(), request).status(), 415);
}

TEST(RequestsTest, WhatIsNotThereIs404WithItsOwnCode) {
  struct Case {
    const char* operation;
    Values values;
    const char* code;
  };
  for (const auto& [operation, values, code] :
       {Case{"getRun", {{"run", "01990000-0000-7000-8000-0000000000ff"}}, "RUN_NOT_FOUND"},
        Case{"getOperation", {{"operation", "gem"}}, "OPERATION_NOT_FOUND"},
        Case{"getImplementation", {{"implementation", "none"}}, "IMPLEMENTATION_NOT_FOUND"},
        Case{"getProject", {{"project", "none"}}, "PROJECT_NOT_FOUND"},
        Case{"listRuns", {{"operation", "none"}}, "OPERATION_NOT_FOUND"}}) {
    const Outcome outcome = ask(small_site(), operation, values);
    EXPECT_EQ(outcome.status(), 404) << operation;
    EXPECT_EQ(outcome.code(), code);
  }
  EXPECT_THAT(ask(small_site(), "getOperation", {{"operation", "gem"}}).response.problem->detail,
              ::testing::HasSubstr("did you mean 'gemm'?"));
}

}  // namespace
}  // namespace ki::api::testing
