#include "ki/api/openapi.h"

#include "ki/api/operation.h"
#include "ki/api/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace ki::api {
namespace {

using json::Writer;

struct Tag {
  std::string_view name;
  std::string_view description;
};
constexpr std::array kTags = {
    Tag{"resolve", "Questions and their ranked answers. Ranks exist inside one comparison group."},
    Tag{"catalog", "Operations, implementations, projects and runs, one dossier each, and lists."},
    Tag{"records", "Who leads each comparison group, and what changed."},
    Tag{"serving",
        "Results of serving systems, a surface of their own: never ranked with kernels, and no "
        "universal score."},
    Tag{"notes",
        "What people say about a run, signed or not. It never changes a rank or evidence level; "
        "the operator decides whether an index takes notes."},
    Tag{"sources", "Where the numbers come from: hardware, models, sources, counts, exports."},
};

void write_parameter_schema(Writer& w, const Parameter& p) {
  w.key("schema").begin_object();
  switch (p.type) {
    case Parameter::Type::kText:
      w.member("type", "string").member("maxLength", p.max_length);
      break;
    case Parameter::Type::kInteger:
      w.member("type", "integer")
          .member("minimum", p.low)
          .member("maximum", p.high)
          .member("default", p.otherwise);
      break;
    case Parameter::Type::kFlag:
      w.member("type", "boolean").member("default", false);
      break;
    case Parameter::Type::kInstant:
      w.member("type", "string");
      break;
    case Parameter::Type::kChoice:
      w.member("type", "string").key("enum").begin_array();
      for (const std::string_view choice : p.choices) w.value(choice);
      w.end_array().member("default", p.choices.front());
      break;
  }
  w.end_object();
}

void write_parameters(Writer& w, const Operation& operation) {
  if (operation.parameters.empty()) return;
  w.key("parameters").begin_array();
  for (const Parameter& p : operation.parameters) {
    const bool is_path = p.place == Parameter::Place::kPath;
    w.begin_object()
        .member("name", p.name)
        .member("in", is_path ? "path" : "query")
        .member("description", p.help);
    if (is_path) w.member("required", true);
    write_parameter_schema(w, p);
    w.end_object();
  }
  w.end_array();
}

void write_content(Writer& w, std::string_view media_type, std::string_view schema) {
  w.key("content").begin_object().key(media_type).begin_object().key("schema").begin_object();
  if (schema.empty()) {
    w.member("type", "string");
  } else {
    w.member("$ref", fmt::format("#/components/schemas/{}", schema));
  }
  w.end_object().end_object().end_object();
}

// Statuses of the problems that an operation has, each with its codes.
std::map<int, std::vector<std::string_view>> problems_of(const Operation& operation) {
  std::map<int, std::vector<std::string_view>> problems;
  const auto add = [&](int status, std::string_view code) { problems[status].push_back(code); };
  add(400, "INVALID_PARAMETER");
  if (!operation.body.empty()) {
    add(400, "INVALID_JSON");
    add(413, "PAYLOAD_TOO_LARGE");
    add(415, "UNSUPPORTED_MEDIA_TYPE");
    add(422, "INVALID_REQUEST");
  }
  for (const std::string_view code : operation.problems) {
    if (code == "INVALID_CURSOR") {
      add(400, code);
    } else if (code == "CURSOR_EXPIRED") {
      add(410, code);
    } else if (code == "NOTES_NOT_TAKEN" || code == "UNTRUSTED_KEY") {
      add(403, code);
    } else if (code.starts_with("INVALID_")) {
      add(422, code);
    } else if (code == "QUOTA_EXCEEDED") {
      add(429, code);
    } else {
      add(404, code);
    }
  }
  if (operation.is_write) {
    add(403, "FORBIDDEN");
    add(503, "UNAVAILABLE");
  }
  add(429, "RATE_LIMITED");
  return problems;
}

std::string words_for(int status) {
  switch (status) {
    case 400:
      return "The request is not acceptable";
    case 403:
      return "It is not allowed";
    case 404:
      return "There is no such thing";
    case 410:
      return "The cursor is of an older catalog version";
    case 413:
      return "The body is too long";
    case 415:
      return "The body is not JSON";
    case 422:
      return "The request is not understood";
    case 429:
      return "Too many requests";
    case 503:
      return "Not now; try again";
    default:
      return "A problem";
  }
}

void write_responses(Writer& w, const Operation& operation) {
  w.key("responses").begin_object().key(operation.is_write ? "201" : "200").begin_object();
  w.member("description", operation.summary);
  write_content(w, operation.media_type, operation.answer);
  w.end_object();
  for (const auto& [status, codes] : problems_of(operation)) {
    std::string description = words_for(status) + ":";
    for (const std::string_view code : codes) {
      description += fmt::format("{}{}", &code == &codes.front() ? " " : ", ", code);
    }
    w.key(std::to_string(status)).begin_object().member("description", description);
    write_content(w, "application/problem+json", "Problem");
    w.end_object();
  }
  w.end_object();
}

void write_operation(Writer& w, const Operation& operation) {
  w.key(operation.method == http::Method::kPost ? "post" : "get")
      .begin_object()
      .member("operationId", operation.id)
      .member("summary", operation.summary)
      .key("tags")
      .begin_array()
      .value(operation.tag)
      .end_array();
  write_parameters(w, operation);
  if (!operation.body.empty()) {
    w.key("requestBody").begin_object().member("required", true);
    write_content(w, "application/json", operation.body);
    w.end_object();
  }
  write_responses(w, operation);
  w.end_object();
}

void write_paths(Writer& w) {
  std::vector<std::string_view> paths;
  for (const Operation& operation : operations()) {
    if (std::ranges::find(paths, operation.path) == paths.end()) paths.push_back(operation.path);
  }
  w.key("paths").begin_object();
  for (const std::string_view path : paths) {
    w.key(fmt::format("{}{}", kApiRoot, path)).begin_object();
    for (const Operation& operation : operations()) {
      if (operation.path == path) write_operation(w, operation);
    }
    w.end_object();
  }
  w.end_object();
}

}  // namespace

std::string openapi(std::string_view public_url) {
  std::string out;
  Writer w(out);
  w.begin_object()
      .member("openapi", "3.1.0")
      .key("info")
      .begin_object()
      .member("title", "KernelIndex")
      .member("version", "v1")
      .member("description",
              "Measured GPU kernels, found and compared honestly. Ranks hold inside one comparison "
              "group and under one policy version; a number comes with its metric, unit and "
              "statistic. Name the workload and the group with any \"fastest\".")
      .key("license")
      .begin_object()
      .member("name", "Apache-2.0")
      .member("identifier", "Apache-2.0")
      .end_object()
      .end_object()
      .key("servers")
      .begin_array()
      .begin_object()
      .member("url", public_url.empty() ? std::string_view("/") : public_url)
      .end_object()
      .end_array()
      // Reads need no key.
      .key("security")
      .begin_array()
      .end_array()
      .key("tags")
      .begin_array();
  for (const Tag& tag : kTags) {
    w.begin_object().member("name", tag.name).member("description", tag.description).end_object();
  }
  w.end_array();
  write_paths(w);
  w.key("components").begin_object().key("schemas").begin_object();
  for (const SchemaType& type : schema_types()) {
    w.key(type.name);
    write_schema(w, type);
  }
  w.end_object().end_object().end_object();
  return out;
}

}  // namespace ki::api
