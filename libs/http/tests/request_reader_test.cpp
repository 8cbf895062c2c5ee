#include "request_reader.h"

#include <gmock/gmock.h>

namespace ki::http {
namespace {

using namespace std::string_literals;

using testing::HasSubstr;
using State = RequestReader::State;

TEST(RequestReader, ReadsHeadAndBody) {
  RequestReader reader({});
  const std::string text =
      "POST /a?b=c HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nX-Two:  v w \r\n\r\nhelloGET ";
  EXPECT_EQ(reader.feed(text), text.size() - 4) << "the next request stays";
  ASSERT_EQ(reader.state(), State::kDone);
  EXPECT_EQ(reader.request().method, "POST");
  EXPECT_EQ(reader.request().target, "/a?b=c");
  EXPECT_EQ(reader.request().body, "hello");
  EXPECT_EQ(reader.request().header("x-two"), "v w");
  EXPECT_TRUE(reader.request().keep_alive);
}

TEST(RequestReader, ReadsChunksAndLeavesTrailersOut) {
  RequestReader reader({});
  reader.feed(
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "4;a=b\r\nwiki\r\n5\r\npedia\r\n0\r\nX-Forwarded-For: 6.6.6.6\r\n\r\n");
  ASSERT_EQ(reader.state(), State::kDone) << reader.problem().detail;
  EXPECT_EQ(reader.request().body, "wikipedia");
  EXPECT_EQ(reader.request().header("x-forwarded-for"), std::nullopt);
}

TEST(RequestReader, GivesTheSameForEveryWayToCutTheBytes) {
  const std::string text =
      "\r\nPOST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nA: b\r\n\r\n"
      "4\r\nwiki\r\n0\r\nT: u\r\n\r\n";
  RequestReader whole({});
  EXPECT_EQ(whole.feed(text), text.size());
  ASSERT_EQ(whole.state(), State::kDone);
  for (std::size_t step = 1; step < text.size(); ++step) {
    SCOPED_TRACE(step);
    RequestReader reader({});
    std::size_t begin = 0;
    for (std::size_t end = step; begin < text.size(); end = std::min(end + step, text.size())) {
      begin += reader.feed(std::string_view(text).substr(begin, end - begin));
      if (end == text.size() && reader.state() != State::kDone) break;
    }
    ASSERT_EQ(reader.state(), State::kDone) << reader.problem().detail;
    EXPECT_EQ(reader.request(), whole.request());
  }
}

TEST(RequestReader, KnowsWhenTheConnectionEnds) {
  struct Case {
    std::string text;
    bool keep_alive;
  };
  for (const auto& [text, keep_alive] : std::initializer_list<Case>{
           {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", true},
           {"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", false},
           {"GET / HTTP/1.1\r\nHost: x\r\nConnection: foo, Close\r\n\r\n", false},
           {"GET / HTTP/1.0\r\n\r\n", false},
           {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true},
       }) {
    SCOPED_TRACE(text);
    RequestReader reader({});
    reader.feed(text);
    ASSERT_EQ(reader.state(), State::kDone);
    EXPECT_EQ(reader.request().keep_alive, keep_alive);
  }
}

TEST(RequestReader, RefusesWithAStatusThatSaysWhy) {
  const std::string host = "Host: x\r\n";
  struct Case {
    const char* why;
    std::string text;
    int status;
    std::string detail;
  };
  for (const auto& [why, text, status, detail] : std::initializer_list<Case>{
           {"no Host", "GET / HTTP/1.1\r\n\r\n", 400, "Host field is missing"},
           {"two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, "several Host"},
           {"a Host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400, "not a host"},
           {"a Host with user information", "GET / HTTP/1.1\r\nHost: u@h\r\n\r\n", 400,
            "not a host"},
           {"length and coding",
            "POST / HTTP/1.1\r\n" + host +
                "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
            400, "not HTTP/1.1"},
           {"coding and length",
            "POST / HTTP/1.1\r\n" + host +
                "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n",
            400, "not HTTP/1.1"},
           {"two lengths",
            "POST / HTTP/1.1\r\n" + host + "Content-Length: 3\r\nContent-Length: 4\r\n\r\n", 400,
            "not HTTP/1.1"},
           {"a negative length", "POST / HTTP/1.1\r\n" + host + "Content-Length: -1\r\n\r\n", 400,
            "not HTTP/1.1"},
           {"a signed length", "POST / HTTP/1.1\r\n" + host + "Content-Length: +1\r\n\r\n", 400,
            "not HTTP/1.1"},
           {"a length beyond 64 bits",
            "POST / HTTP/1.1\r\n" + host + "Content-Length: 99999999999999999999\r\n\r\n", 400,
            "not HTTP/1.1"},
           {"a coding that is not here",
            "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip\r\n\r\n", 501, "chunked"},
           {"two codings",
            "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501,
            "chunked"},
           {"a coding in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400,
            "HTTP/1.0"},
           {"a chunk size that is none",
            "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400,
            "not HTTP/1.1"},
           {"bare line feeds", "GET / HTTP/1.1\nHost: x\n\n", 400, "not HTTP/1.1"},
           {"a space before the colon", "GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400, "not HTTP/1.1"},
           {"a folded field", "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n", 400, "folded"},
           {"a control byte in the target", "GET /\x01 HTTP/1.1\r\n\r\n", 400, "not HTTP/1.1"},
           {"a control byte in a field", "GET / HTTP/1.1\r\nHost: x\r\nA: \x01\r\n\r\n", 400,
            "not HTTP/1.1"},
           {"NUL in a field", "GET / HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n"s, 400, "not HTTP/1.1"},
           {"no version", "GET /\r\n\r\n", 400, ""},
           {"another version", "GET / HTTP/2.0\r\n\r\n", 505, "HTTP/1.1"},
           {"an expectation that is not here",
            "GET / HTTP/1.1\r\n" + host + "Expect: magic\r\n\r\n", 417, "100-continue"},
           {"a body that is too large",
            "POST / HTTP/1.1\r\n" + host + "Content-Length: 1048577\r\n\r\n", 413, "1048576 bytes"},
           {"a chunk that is too large",
            "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n100001\r\n", 413,
            "1048576"},
           {"a chunk extension without end",
            "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n1;" +
                std::string(20'000, 'x'),
            400, "no end"},
           {"a head that is too large",
            "GET / HTTP/1.1\r\n" + host + "A: " + std::string(20'000, 'x') + "\r\n\r\n", 431,
            "16384 bytes"},
           {"a target that is too large", "GET /" + std::string(20'000, 'x') + " HTTP/1.1\r\n", 414,
            "16384 bytes"},
           {"too many fields",
            [&] {
              std::string text = "GET / HTTP/1.1\r\n" + host;
              for (int i = 0; i < 101; ++i) text += "A: b\r\n";
              return text + "\r\n";
            }(),
            431, "100 fields"},
           {"TLS", std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11), 400,
            "not HTTP/1.1"},
       }) {
    SCOPED_TRACE(why);
    RequestReader reader({});
    std::size_t begin = 0;
    for (std::size_t end = std::min<std::size_t>(4000, text.size());
         reader.state() != State::kFailed; end = std::min(end + 4000, text.size())) {
      begin += reader.feed(std::string_view(text).substr(begin, end - begin));
      if (end == text.size()) break;
    }
    ASSERT_EQ(reader.state(), State::kFailed);
    EXPECT_EQ(reader.problem().status, status) << reader.problem().detail;
    EXPECT_THAT(reader.problem().detail, HasSubstr(detail));
  }
}

}  // namespace
}  // namespace ki::http
