#include "ki/sign/statement.h"

#include "testing.h"

#include <initializer_list>

namespace ki::sign {
namespace {

const Digest kDigest = Digest::of("a run");

TEST(Statement, IsWrittenInOneWayAndReadBack) {
  const Statement statement{
      {{"run.json", kDigest}}, "https://kernelindex.dev/controlled-rerun/v1", R"({"a":1,"b":"x"})"};
  const std::string text = statement.to_json();
  EXPECT_EQ(text, R"({"_type":"https://in-toto.io/Statement/v1","predicate":{"a":1,"b":"x"},)"
                  R"("predicateType":"https://kernelindex.dev/controlled-rerun/v1",)"
                  R"("subject":[{"digest":{"sha256":")" +
                      kDigest.hex() + R"("},"name":"run.json"}]})");
  const Statement read = Statement::parse(text).value();
  EXPECT_EQ(read.subjects, statement.subjects);
  EXPECT_EQ(read.predicate, statement.predicate);
  EXPECT_EQ(read.to_json(), text);
  EXPECT_TRUE(read.is_about(kDigest));
  EXPECT_FALSE(read.is_about(Digest::of("another run")));
}

TEST(Statement, ReadsOnlyItsOwnForm) {
  const auto text = [](std::string_view subject, std::string_view more = "",
                       std::string_view type = "https://in-toto.io/Statement/v1") {
    return R"({"_type":")" + std::string(type) + R"(","predicateType":"https://x/v1",)" +
           R"("predicate":{},"subject":)" + std::string(subject) + std::string(more) + "}";
  };
  const std::string hex = kDigest.hex();
  const std::string good = R"([{"name":"a","digest":{"sha256":")" + hex + R"("}}])";
  EXPECT_TRUE(Statement::parse(text(good)));
  EXPECT_TRUE(Statement::parse(
      text(R"([{"name":"a","digest":{"sha512":"00","sha256":")" + hex + R"("}}])")));
  struct Case {
    const char* why;
    std::string json;
  };
  for (const auto& [why, json] : std::initializer_list<Case>{
           {"an older version", text(good, "", "https://in-toto.io/Statement/v0.1")},
           {"no subject", text("[]")},
           {"a subject without a digest", text(R"([{"name":"a"}])")},
           {"a subject with another digest only",
            text(R"([{"name":"a","digest":{"sha512":"00"}}])")},
           {"a digest with a prefix",
            text(R"([{"name":"a","digest":{"sha256":"sha256:)" + hex + R"("}}])")},
           {"a subject without a name", text(R"([{"digest":{"sha256":")" + hex + R"("}}])")},
           {"an unknown member", text(good, R"(,"more":1)")},
           {"not an object", "1"}}) {
    EXPECT_FALSE(Statement::parse(json)) << why;
  }
}

}  // namespace
}  // namespace ki::sign
