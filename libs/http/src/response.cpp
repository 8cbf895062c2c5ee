#include "ki/http/response.h"

namespace ki::http {

Response Response::html(std::string text, Cache cache) {
  return {.content_type = "text/html; charset=utf-8", .body = std::move(text), .cache = cache};
}

Response Response::json(std::string text, Cache cache) {
  return {.content_type = "application/json", .body = std::move(text), .cache = cache};
}

Response Response::text(std::string text, Cache cache) {
  return {.content_type = "text/plain; charset=utf-8", .body = std::move(text), .cache = cache};
}

Response Response::redirect(int status, std::string location, Cache cache) {
  return {.status = status, .cache = cache, .headers = {{"Location", std::move(location)}}};
}

Response Response::of(Problem problem) {
  return {.status = problem.status, .problem = std::move(problem)};
}

}  // namespace ki::http
