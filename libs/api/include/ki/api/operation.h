// Operation: one thing that the API can do, declared once. Routes, OpenAPI, the command line's
// `--api` and its options follow from the table of operations, so they cannot drift.
#pragma once

#include "ki/api/arguments.h"
#include "ki/api/site.h"
#include "ki/http/response.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ki::api {

// How the command line says it: `ki COMMAND [VERB] [OPERAND...] [--option VALUE]`.
struct CommandForm {
  std::string_view command;
  std::string_view verb = {};  // of `ki show run ID`
  std::string_view operand =
      {};  // the parameter that the operands give; "body": they make the body
};

struct Operation {
  std::string_view id;       // operationId of OpenAPI: "listRuns"
  std::string_view summary;  // one line
  std::string_view tag;      // of OpenAPI
  http::Method method = http::Method::kGet;
  std::string_view path;  // below /api/v1: "/runs/{run}"
  std::vector<Parameter> parameters = {};
  std::string_view body = {};    // schema type of the body of a POST
  std::string_view answer = {};  // schema type of the answer; empty: not JSON of ours
  std::string_view media_type = "application/json";
  http::Cache cache = http::Cache::kMedium;
  std::vector<std::string_view> problems = {};  // codes of its own, "RUN_NOT_FOUND" first
  bool may_block = false;                       // reads the store
  bool is_write = false;                        // stores something; answered 201
  CommandForm command;
  Result<http::Response> (*run)(const Site&, const Arguments&) = nullptr;
};

// All of them, in the order of the documentation.
std::span<const Operation> operations();
const Operation* find_operation(std::string_view id);

inline constexpr std::string_view kApiRoot = "/api/v1";

// What an error of this operation is to a client.
http::Problem problem_of(const Operation& operation, const Error& error);

}  // namespace ki::api
