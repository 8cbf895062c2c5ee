// What the operations of the table run, one function each (table.cpp), and what they share.
#pragma once

#include "ki/api/arguments.h"
#include "ki/api/cursor.h"
#include "ki/api/operation.h"
#include "ki/api/site.h"
#include "ki/json/writer.h"

#include <string>
#include <utility>

namespace ki::api {

// An answer of JSON, written by write(json::Writer&). The text is made in memory that the thread
// keeps, so that long answers do not grow step by step.
template <class Write>
http::Response json_answer(const Arguments& arguments, Write write) {
  thread_local std::string text;
  text.clear();
  json::Writer writer(text);
  write(writer);
  return http::Response::json(std::string(text), arguments.operation().cache);
}

// Rows to show.
inline std::size_t limit_of(const Arguments& arguments) {
  return static_cast<std::size_t>(arguments.integer("limit"));
}

// catalogVersion and generatedAt, the last members of a list.
inline void write_version(json::Writer& w, const Site& site) {
  w.member("catalogVersion", site.snapshot().seq()).member("generatedAt", site.now.to_string());
}

// KI_API_PAGE(offset, site, arguments): rows before the page of the parameter "cursor"; returns the
// problem from this function when the cursor does not hold.
#define KI_API_PAGE(name, site, arguments)                                     \
  const auto name##_or = offset_of(site, arguments, arguments.text("cursor")); \
  if (!name##_or) return http::Response::of(name##_or.error());                \
  const std::size_t name = *name##_or

Result<http::Response> search(const Site& site, const Arguments& arguments);
Result<http::Response> resolve_kernel(const Site& site, const Arguments& arguments);
Result<http::Response> resolve_batch(const Site& site, const Arguments& arguments);
Result<http::Response> compare_runs(const Site& site, const Arguments& arguments);

Result<http::Response> show_operation(const Site& site, const Arguments& arguments);
Result<http::Response> show_implementation(const Site& site, const Arguments& arguments);
Result<http::Response> show_project(const Site& site, const Arguments& arguments);
Result<http::Response> show_model(const Site& site, const Arguments& arguments);
Result<http::Response> show_run(const Site& site, const Arguments& arguments);
Result<http::Response> cite_run(const Site& site, const Arguments& arguments);
Result<http::Response> show_manifest(const Site& site, const Arguments& arguments);
Result<http::Response> resolve_serving(const Site& site, const Arguments& arguments);
Result<http::Response> list_serving_runs(const Site& site, const Arguments& arguments);
Result<http::Response> list_serving_configurations(const Site& site, const Arguments& arguments);
Result<http::Response> show_serving_run(const Site& site, const Arguments& arguments);
Result<http::Response> attest_run(const Site& site, const Arguments& arguments);
Result<http::Response> report_run(const Site& site, const Arguments& arguments);

Result<http::Response> list_operations(const Site& site, const Arguments& arguments);
Result<http::Response> list_projects(const Site& site, const Arguments& arguments);
Result<http::Response> list_runs(const Site& site, const Arguments& arguments);
Result<http::Response> list_records(const Site& site, const Arguments& arguments);
Result<http::Response> list_ranks(const Site& site, const Arguments& arguments);
Result<http::Response> list_changes(const Site& site, const Arguments& arguments);
Result<http::Response> list_hardware(const Site& site, const Arguments& arguments);
Result<http::Response> list_models(const Site& site, const Arguments& arguments);
Result<http::Response> list_sources(const Site& site, const Arguments& arguments);
Result<http::Response> show_coverage(const Site& site, const Arguments& arguments);
Result<http::Response> show_stats(const Site& site, const Arguments& arguments);

}  // namespace ki::api
