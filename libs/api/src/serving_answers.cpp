// resolveServing, listServingRuns, listServingConfigurations, getServingRun (spec 14).
#include "answers.h"
#include "ki/views/serving.h"

#include <algorithm>

namespace ki::api {

using views::ServingTable;

Result<http::Response> resolve_serving(const Site& site, const Arguments& arguments) {
  KI_TRY(const views::ServingRequest request, views::read_serving_request(*arguments.body()));
  KI_TRY(const ServingTable* table, site.catalog->serving_table());
  const auto answer = views::resolve_serving(*table, site.snapshot(), request);
  return json_answer(arguments, [&](json::Writer& w) {
    w.begin_object();
    views::write_members(w, site.snapshot(), *table, request, answer);
    write_version(w, site);
    w.end_object();
  });
}

Result<http::Response> list_serving_runs(const Site& site, const Arguments& arguments) {
  KI_TRY(const ServingTable* table, site.catalog->serving_table());
  KI_API_PAGE(offset, site, arguments);
  std::vector<const ServingTable::Run*> runs;
  for (const ServingTable::Run& run : table->runs) {
    if (run.is_published) runs.push_back(&run);
  }
  const std::size_t begin = std::min(offset, runs.size());
  const std::size_t end = std::min(begin + limit_of(arguments), runs.size());
  return json_answer(arguments, [&](json::Writer& w) {
    w.begin_object().key("runs").begin_array();
    for (std::size_t i = begin; i < end; ++i)
      views::write_item(w, site.snapshot(), *table, *runs[i]);
    w.end_array().member("total", runs.size());
    views::text_or_null(w, "nextCursor",
                        cursor_after(site, arguments, offset, end - begin, runs.size()));
    write_version(w, site);
    w.end_object();
  });
}

Result<http::Response> list_serving_configurations(const Site& site, const Arguments& arguments) {
  KI_TRY(const ServingTable* table, site.catalog->serving_table());
  KI_API_PAGE(offset, site, arguments);
  std::vector<const ServingTable::Configuration*> list;
  for (const auto& one : table->configurations) list.push_back(&one);
  std::ranges::sort(list, [&](const auto* a, const auto* b) {
    const std::string a_name = table->stacks[a->stack].label();
    const std::string b_name = table->stacks[b->stack].label();
    if (a_name != b_name) return a_name < b_name;
    return a->summary != b->summary ? a->summary < b->summary : a->id < b->id;
  });
  const std::size_t begin = std::min(offset, list.size());
  const std::size_t end = std::min(begin + limit_of(arguments), list.size());
  return json_answer(arguments, [&](json::Writer& w) {
    w.begin_object().key("configurations").begin_array();
    for (std::size_t i = begin; i < end; ++i) {
      const auto& one = *list[i];
      w.begin_object()
          .member("id", one.id)
          .member("digest", one.digest)
          .member("stack", table->stacks[one.stack].label())
          .member("summary", one.summary);
      views::text_or_null(w, "dtype", one.dtype);
      w.member("runs", one.runs).end_object();
    }
    w.end_array().member("total", list.size());
    views::text_or_null(w, "nextCursor",
                        cursor_after(site, arguments, offset, end - begin, list.size()));
    write_version(w, site);
    w.end_object();
  });
}

Result<http::Response> show_serving_run(const Site& site, const Arguments& arguments) {
  KI_TRY(const ServingTable* table, site.catalog->serving_table());
  KI_TRY(const ServingTable::Run* run, views::find_serving_run(*table, arguments.text("run")));
  KI_TRY(const auto dossier,
         views::serving_dossier(*table, site.snapshot(), site.catalog->store(), *run));
  return json_answer(
      arguments, [&](json::Writer& w) { views::write_json(w, site.snapshot(), *table, dossier); });
}

}  // namespace ki::api
