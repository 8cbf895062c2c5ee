// Lists: operations, projects, runs, records, changes, hardware, models, sources, stats.
#include "answers.h"
#include "ki/base/text.h"
#include "ki/policy/ranking.h"
#include "ki/views/changes.h"
#include "ki/views/find.h"
#include "ki/views/lists.h"
#include "ki/views/ranks.h"
#include "ki/views/records.h"

namespace ki::api {
namespace {

using catalog::Index;

// Of a parameter whose declared choices are the names that `parse` knows.
template <class Parse>
auto choice(const Arguments& arguments, std::string_view name, Parse parse) {
  const auto value = parse(arguments.text(name));
  KI_CHECK(value.has_value());
  return *value;
}

template <class Items>
void write_items(json::Writer& w, std::string_view key, const Items& items) {
  w.key(key).begin_array();
  for (const auto& item : items) views::write_json(w, item);
  w.end_array();
}

}  // namespace

Result<http::Response> list_operations(const Site& site, const Arguments& arguments) {
  KI_API_PAGE(offset, site, arguments);
  const std::string family = ascii_lower(arguments.text("family"));
  views::OperationListOptions options;
  options.family = family;
  options.tag = arguments.text("tag");
  options.sort = choice(arguments, "sort", views::parse_operation_sort);
  options.offset = offset;
  options.limit = limit_of(arguments);
  const views::OperationList list = views::list_operations(site.snapshot(), options);
  return json_answer(arguments, [&](json::Writer& w) {
    w.begin_object();
    write_items(w, "operations", list.items);
    w.member("total", list.total);
    views::text_or_null(w, "nextCursor",
                        cursor_after(site, arguments, offset, list.items.size(), list.total));
    write_version(w, site);
    w.end_object();
  });
}

Result<http::Response> list_projects(const Site& site, const Arguments& arguments) {
  KI_API_PAGE(offset, site, arguments);
  views::ProjectListOptions options;
  options.kind = arguments.text("kind");
  options.only_measured = !arguments.flag("all");
  options.sort = choice(arguments, "sort", views::parse_project_sort);
  options.policy = choice(arguments, "policy", views::parse_record_policy);
  options.offset = offset;
  options.limit = limit_of(arguments);
  options.now = site.now;
  const views::ProjectList list = views::list_projects(site.catalog->ledger(), options);
  return json_answer(arguments, [&](json::Writer& w) {
    w.begin_object();
    write_items(w, "projects", list.items);
    w.member("total", list.total);
    views::text_or_null(w, "nextCursor",
                        cursor_after(site, arguments, offset, list.items.size(), list.total));
    w.member("policy", views::to_string(options.policy));
    write_version(w, site);
    w.end_object();
  });
}

Result<http::Response> list_runs(const Site& site, const Arguments& arguments) {
  const catalog::Snapshot& s = site.snapshot();
  views::RunListOptions options;
  if (const auto id = arguments.text("operation"); !id.empty()) {
    KI_TRY(options.operation, views::find_operation(s, id));
  }
  options.hardware = arguments.text("hardware");
  options.source = arguments.text("source");
  options.status = arguments.text("status");
  if (const auto since = arguments.instant("since")) options.since_ms = since->ms;
  options.limit = limit_of(arguments);
  if (const auto cursor = arguments.text("cursor"); !cursor.empty()) {
    const auto position = read_cursor(site, arguments, cursor);
    if (!position) return http::Response::of(position.error());
    options.after = views::RunPlace{.observed_ms = position->number, .id = position->id};
  }
  KI_TRY(const views::RunList list, views::list_runs(s, options));
  return json_answer(arguments, [&](json::Writer& w) {
    w.begin_object();
    write_items(w, "runs", list.items);
    views::text_or_null(
        w, "nextCursor",
        list.next ? write_cursor(
                        site, arguments,
                        {.version = s.seq(), .number = list.next->observed_ms, .id = list.next->id})
                  : std::string());
    w.member("policyVersion", policy::kRankingV1);
    write_version(w, site);
    w.end_object();
  });
}

Result<http::Response> list_records(const Site& site, const Arguments& arguments) {
  KI_API_PAGE(offset, site, arguments);
  const catalog::Snapshot& s = site.snapshot();
  views::RecordOptions options;
  options.policy = choice(arguments, "policy", views::parse_record_policy);
  options.view = choice(arguments, "view", views::parse_record_view);
  options.sort = choice(arguments, "sort", views::parse_record_sort);
  options.hardware = arguments.text("hardware");
  options.text = arguments.text("q");
  if (const auto id = arguments.text("operation"); !id.empty()) {
    KI_TRY(options.operation, views::find_operation(s, id));
  }
  if (const auto slug = arguments.text("project"); !slug.empty()) {
    KI_TRY(options.project, views::find_project(s, slug));
  }
  options.only_verified = arguments.flag("verified");
  options.with_sourceless = arguments.flag("all");
  options.with_baselines = arguments.flag("all");
  if (const auto since = arguments.instant("since")) options.since_ms = since->ms;
  options.offset = offset;
  options.limit = limit_of(arguments);
  const auto page = views::list_records(site.catalog->ledger(), options, site.now);
  const std::string next = cursor_after(site, arguments, offset, page.items.size(), page.total);
  return json_answer(arguments, [&](json::Writer& w) { views::write_json(w, page, next); });
}

// A cursor's number: groups before the page, then rows of the group that it begins in.
Result<http::Response> list_ranks(const Site& site, const Arguments& arguments) {
  constexpr unsigned kRowBits = 32;
  const catalog::Snapshot& s = site.snapshot();
  views::RankListOptions options;
  options.is_v2 = arguments.text("policy") == "ranking-v2";
  options.limit = limit_of(arguments);
  if (const auto key = arguments.text("cohort"); !key.empty()) {
    KI_TRY(options.cohort, views::find_cohort(s, key));
  } else {
    options.order = site.catalog->cohorts_by_key();
  }
  KI_API_PAGE(place, site, arguments);
  options.from = {.group = static_cast<std::uint32_t>(place >> kRowBits),
                  .row = static_cast<std::uint32_t>(place)};
  const views::RankList list = views::list_ranks(s, options);
  std::string next;
  if (list.next) {
    next = write_cursor(
        site, arguments,
        {.version = s.seq(),
         .number = static_cast<std::int64_t>(list.next->group) << kRowBits | list.next->row});
  }
  return json_answer(arguments, [&](json::Writer& w) {
    w.begin_object().key("ranks").begin_array();
    for (const auto& row : list.v1) views::write_json(w, s, row);
    for (const auto& row : list.v2) views::write_json(w, s, row);
    w.end_array().nullable("total", list.total);
    views::text_or_null(w, "nextCursor", next);
    w.member("policyVersion", options.is_v2 ? "ranking-v2" : "ranking-v1");
    write_version(w, site);
    w.end_object();
  });
}

Result<http::Response> list_changes(const Site& site, const Arguments& arguments) {
  KI_API_PAGE(offset, site, arguments);
  views::ChangeOptions options;
  options.policy = choice(arguments, "policy", views::parse_record_policy);
  options.since = arguments.instant("since");
  options.offset = offset;
  options.limit = limit_of(arguments);
  options.now = site.now;
  KI_TRY(const auto page,
         views::list_changes(site.catalog->ledger(), &site.catalog->store(), options));
  const std::string next = cursor_after(site, arguments, offset, page.entries.size(), page.total);
  return json_answer(arguments, [&](json::Writer& w) { views::write_json(w, page, next); });
}

Result<http::Response> list_hardware(const Site& site, const Arguments& arguments) {
  KI_TRY(const auto serving, site.catalog->serving());
  const auto items = views::list_hardware(site.snapshot(), serving);
  return json_answer(arguments, [&](json::Writer& w) {
    w.begin_object();
    write_items(w, "hardware", items);
    write_version(w, site);
    w.end_object();
  });
}

Result<http::Response> list_models(const Site& site, const Arguments& arguments) {
  const views::ModelList list = views::list_models(site.snapshot());
  return json_answer(arguments, [&](json::Writer& w) {
    w.begin_object();
    write_items(w, "serving", list.serving);
    write_items(w, "kernel", list.kernel);
    write_version(w, site);
    w.end_object();
  });
}

Result<http::Response> list_sources(const Site& site, const Arguments& arguments) {
  KI_TRY(const auto serving, site.catalog->serving());
  KI_TRY(const auto items, views::list_sources(site.snapshot(), &site.catalog->store(), serving));
  return json_answer(arguments, [&](json::Writer& w) {
    w.begin_object();
    write_items(w, "sources", items);
    write_version(w, site);
    w.end_object();
  });
}

Result<http::Response> show_coverage(const Site& site, const Arguments& arguments) {
  KI_TRY(const auto serving, site.catalog->serving());
  KI_TRY(const auto items, views::list_sources(site.snapshot(), &site.catalog->store(), serving));
  const views::Coverage coverage = views::coverage(site.snapshot());
  return json_answer(arguments, [&](json::Writer& w) {
    w.begin_object().member("illustrative", coverage.is_illustrative);
    write_items(w, "sources", items);
    w.key("hero");
    views::write_json(w, coverage);
    write_version(w, site);
    w.end_object();
  });
}

Result<http::Response> show_stats(const Site& site, const Arguments& arguments) {
  const views::Stats stats = views::stats(site.catalog->ledger());
  return json_answer(arguments, [&](json::Writer& w) { views::write_json(w, stats); });
}

}  // namespace ki::api
