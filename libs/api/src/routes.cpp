#include "ki/api/routes.h"

#include "ki/api/openapi.h"
#include "ki/base/check.h"
#include "ki/base/text.h"
#include "ki/json/reader.h"
#include "ki/notes/draft.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::api {
namespace {

http::Response refused(http::Problem problem) { return http::Response::of(std::move(problem)); }

// application/json, with or without parameters.
bool is_json(std::string_view content_type) {
  const std::string_view type = trim(content_type.substr(0, content_type.find(';')));
  return equals_ignoring_case(type, "application/json");
}

http::Response call_with_body(const Operation& operation, const Site& site, Arguments& arguments,
                              const http::Request& request) {
  const auto type = request.header("content-type");
  if (!type || !is_json(*type)) {
    return refused({.status = 415,
                    .code = "UNSUPPORTED_MEDIA_TYPE",
                    .detail = "send the body as application/json"});
  }
  if (operation.is_write && request.body.size() > notes::kMaxRequestBytes) {
    return refused({.status = 413,
                    .code = "PAYLOAD_TOO_LARGE",
                    .detail = fmt::format("at most {} bytes are taken", notes::kMaxRequestBytes)});
  }
  thread_local json::Reader reader;
  const auto body = reader.read(request.body);
  if (!body) {
    http::Problem problem{.status = 400, .code = "INVALID_JSON", .detail = body.error().message()};
    for (const Issue& issue : body.error().issues()) {
      problem.errors.push_back({issue.pointer, issue.code,
                                fmt::format("{}:{}: {}", issue.line, issue.column, issue.message)});
    }
    return refused(std::move(problem));
  }
  arguments.set_body(&*body);
  auto response = operation.run(site, arguments);
  return response ? *std::move(response) : refused(problem_of(operation, response.error()));
}

}  // namespace

http::Problem problem_of(const Operation& operation, const Error& error) {
  http::Problem problem = http::problem_of(error);
  if (error.code() == Code::kNotFound && !operation.problems.empty()) {
    problem.code = operation.problems.front();
  }
  // The request was read, but cannot be understood (spec 06.1).
  if (error.code() == Code::kInvalidArgument && !operation.body.empty()) {
    problem.status = 422;
    problem.code = "INVALID_REQUEST";
  }
  return problem;
}

http::Response call(const Operation& operation, const Site& site, const http::Request& request) {
  auto arguments = Arguments::read(operation, request);
  if (!arguments) return refused(std::move(arguments).error());
  if (!operation.body.empty()) return call_with_body(operation, site, *arguments, request);
  auto response = operation.run(site, *arguments);
  return response ? *std::move(response) : refused(problem_of(operation, response.error()));
}

std::vector<http::Route> routes(const std::shared_ptr<const Site>& site) {
  std::vector<http::Route> routes;
  for (const Operation& operation : operations()) {
    routes.push_back(
        {.method = operation.method,
         .pattern = std::string(kApiRoot) + std::string(operation.path),
         .handle = [&operation,
                    site](const http::Request& request) { return call(operation, *site, request); },
         .is_api = true,
         .may_block = operation.may_block,
         .is_write = operation.is_write});
  }
  const http::Body document(openapi(site->public_url));
  for (const std::string_view path :
       {std::string_view("/openapi.json"), std::string_view("/api/v1/openapi.json")}) {
    routes.push_back({.method = http::Method::kGet,
                      .pattern = std::string(path),
                      .handle =
                          [document](const http::Request&) {
                            http::Response response;
                            response.content_type = "application/json";
                            response.body = document;
                            response.cache = http::Cache::kMedium;
                            return response;
                          },
                      .is_api = true});
  }
  return routes;
}

http::Request compose(const Operation& operation,
                      const std::vector<std::pair<std::string, std::string>>& values,
                      std::string body) {
  http::Request request;
  request.method = operation.method;
  std::string path(kApiRoot);
  std::string_view rest = operation.path;
  const auto value_of = [&](std::string_view name) -> std::string_view {
    const auto found = std::ranges::find(values, name, &std::pair<std::string, std::string>::first);
    KI_CHECK(found != values.end());
    return found->second;
  };
  while (!rest.empty()) {
    const std::size_t open = std::min(rest.find('{'), rest.size());
    path += rest.substr(0, open);
    rest.remove_prefix(open);
    if (rest.empty()) break;
    const std::size_t close = rest.find('}');
    path += value_of(rest.substr(1, close - 1));
    rest.remove_prefix(close + 1);
  }
  request.target.path = std::move(path);
  for (const auto& [name, value] : values) {
    const auto found = std::ranges::find(operation.parameters, name, &Parameter::name);
    if (found != operation.parameters.end() && found->place == Parameter::Place::kPath) {
      request.parameters.push_back({found->name, value});
    } else {
      request.target.query.push_back({name, value});
    }
  }
  if (!operation.body.empty()) {
    request.headers.push_back({"content-type", "application/json"});
    request.body = std::move(body);
  }
  return request;
}

}  // namespace ki::api
