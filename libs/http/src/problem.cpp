#include "ki/http/problem.h"

#include "ki/base/text.h"
#include "ki/json/writer.h"

namespace ki::http {
namespace {

Problem coded(int status, std::string_view code, const Error& error) {
  return {.status = status, .code = std::string(code), .detail = error.message()};
}

// "RUN_NOT_FOUND" -> "run not found".
std::string title_of(std::string_view code) {
  std::string title = ascii_lower(code);
  for (char& c : title) {
    if (c == '_') c = ' ';
  }
  return title;
}

// A detail may quote what a client sent: bytes that are not UTF-8 become U+FFFD.
std::string as_utf8(std::string_view text) {
  std::string out;
  while (const auto bad = find_invalid_utf8(text)) {
    out += text.substr(0, *bad);
    out += "\xef\xbf\xbd";
    text.remove_prefix(*bad + 1);
  }
  return out += text;
}

}  // namespace

Problem problem_of(const Error& error) {
  switch (error.code()) {
    case Code::kInvalidArgument: {
      Problem problem = coded(400, "INVALID_PARAMETER", error);
      for (const Issue& issue : error.issues())
        problem.errors.push_back({issue.pointer, issue.code, issue.message});
      return problem;
    }
    case Code::kNotFound:
      return coded(404, "NOT_FOUND", error);
    case Code::kConflict:
      return coded(409, "CONFLICT", error);
    case Code::kUnsupported:
      return coded(501, "UNSUPPORTED", error);
    case Code::kUnavailable: {
      Problem problem = coded(503, "UNAVAILABLE", error);
      problem.retry_after_seconds = 1;
      return problem;
    }
    case Code::kCorrupt:
    case Code::kCancelled:
    case Code::kInternal:
      break;
  }
  return {.status = 500,
          .code = "INTERNAL",
          .detail = "something went wrong here; the request id finds it in the log"};
}

std::string problem_json(const Problem& problem, std::string_view request_id,
                         std::string_view origin) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  writer.member("type", std::string(origin) + "/errors/" + ascii_lower(problem.code));
  writer.member("title", title_of(problem.code));
  writer.member("status", problem.status);
  writer.member("code", problem.code);
  writer.member("detail", as_utf8(problem.detail));
  writer.member("requestId", request_id);
  if (!problem.errors.empty()) {
    writer.key("errors").begin_array();
    for (const ProblemDetail& error : problem.errors) {
      writer.begin_object();
      writer.member("pointer", as_utf8(error.pointer));
      writer.member("code", error.code);
      if (!error.message.empty()) writer.member("message", as_utf8(error.message));
      writer.end_object();
    }
    writer.end_array();
  }
  writer.end_object();
  return out;
}

std::string_view reason_phrase(int status) {
  switch (status) {  // RFC 9110 section 15, RFC 6585
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "";
  }
}

}  // namespace ki::http
