// The original's answers to 31 queries over the public catalog (spec 06.4). Each field that differs
// is a line of tests/divergences.tsv, and each such line is tested.
#include "ki/base/uuid.h"
#include "ki/display_testing/vectors.h"
#include "ki/json/canonical.h"
#include "ki/json/number.h"
#include "ki/json/reader.h"
#include "ki/query/parse.h"
#include "ki/resolve/describe.h"
#include "ki/resolve/resolver.h"
#include "ki/resolve/testing/export_folder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace ki::resolve {
namespace {

using json::Value;

// The last digits tell ids apart; the first ones are a time.
std::string short_id(std::string_view id) {
  return std::string(id.size() < 12 ? id : id.substr(id.size() - 12));
}

std::string text_of(const Value* value) {
  if (value == nullptr || value->is_null()) return "-";
  if (value->is_string()) return std::string(value->string());
  if (value->is_bool()) return value->boolean() ? "true" : "false";
  if (value->is_number()) return json::number_text(value->number());
  return json::canonical(*value);
}

std::string text_of(const Value& object, std::string_view member) {
  return text_of(object.find(member));
}

// The same texts from the golden file and from our answer.
class GoldenText {
 public:
  static std::string option(const Value& o) {
    return fmt::format("{} {} {}", text_of(o, "label"), text_of(o, "runs"),
                       text_of(o, "key").substr(7, 8));
  }
  static std::string row(const Value& r) {
    return fmt::format("{} {} | {} | {} | {} {} | {} | {} | baseline {} | rank {} tied {}",
                       text_of(r, "impl"), text_of(r, "name"), text_of(r, "hw"),
                       text_of(r, "workloadSummary"), text_of(r, "value"), text_of(r, "unit"),
                       text_of(r, "evidence"), text_of(r, "match"), text_of(r, "baseline"),
                       text_of(r, "rank"), text_of(r, "tied"));
  }
  static std::string mismatches(const Value& r) {
    std::string text;
    for (const Value& m : r.find("mismatches")->items()) {
      text += fmt::format("{}{}: {} -> {}", text.empty() ? "" : "; ", text_of(m, "field"),
                          text_of(m, "requested"), text_of(m, "observed"));
    }
    return text;
  }
  static std::string side(const Value* s) {
    if (s == nullptr || s->is_null()) return "-";
    const Value& head = *s->find("head");
    const Value& primary = *head.find("primary");
    return fmt::format("{} | {} | {} runs | {} {} {} {} {} | {} | {}", text_of(*s, "label"),
                       text_of(*s, "value"), text_of(*s, "runs"), short_id(text_of(head, "runId")),
                       text_of(*head.find("implementation"), "name"), text_of(primary, "value"),
                       text_of(primary, "unit"), text_of(primary, "statistic"),
                       text_of(*s, "cohortKey").substr(7, 8), text_of(*s, "query"));
  }
  static std::string match(const Value& m) {
    std::string text = fmt::format("{} | {} | {} | {} runs", text_of(m, "slug"), text_of(m, "name"),
                                   text_of(m, "family"), text_of(m, "runs"));
    const Value* match = m.find("match");
    if (match == nullptr || match->is_null()) return text;
    const Value* best = match->find("best");
    return text + fmt::format(" | {} matching, {} with source, best {} | {}",
                              text_of(*match, "matching"), text_of(*match, "withSource"),
                              best->is_null()
                                  ? "-"
                                  : text_of(*best, "value") + " " + text_of(*best, "unit"),
                              text_of(*match, "facetLabel"));
  }
};

class OurText {
 public:
  OurText(const catalog::Snapshot& snapshot, const Answer& answer)
      : s_(snapshot), answer_(answer) {}

  std::string run_id(Index run) const { return Uuid{s_.runs()[run].id}.to_string(); }
  std::string key(Index cohort) const {
    return Digest(s_.cohorts()[cohort].key).hex().substr(0, 8);
  }
  std::string unit(Index metric) const { return std::string(s_.name(s_.metrics()[metric].unit)); }

  std::string option(const CohortOption& o) const {
    return fmt::format("{} {} {}", o.label, o.runs, key(o.cohort));
  }
  std::string row(const Row& r) const {
    const bool has_run = r.run != kNone;
    const auto number = [](std::uint32_t n) {
      return n == 0 ? std::string("-") : std::to_string(n);
    };
    return fmt::format(
        "{} {} | {} | {} | {} {} | {} | {} | baseline {} | rank {} tied {}",
        s_.text(s_.implementations()[r.implementation].slug),
        implementation_name(s_, r.implementation),
        has_run ? s_.name(s_.environments()[r.environment].product) : "-",
        has_run ? workload_summary(s_, r.workload) : operation_dtype_label(s_, r.operation),
        has_run ? json::number_text(r.value) : "-", has_run ? unit(r.metric) : "-",
        r.evidence ? policy::to_string(*r.evidence) : "-", to_string(r.match), r.is_baseline,
        number(r.rank), r.is_tied_with_previous);
  }
  static std::string mismatches(const Row& r) {
    std::string text;
    for (const Mismatch& m : r.mismatches)
      text +=
          fmt::format("{}{}: {} -> {}", text.empty() ? "" : "; ", m.field, m.requested, m.observed);
    return text;
  }
  std::string side(const std::optional<NearestSide>& s) const {
    if (!s) return "-";
    const catalog::RunRow& head = s_.runs()[s->head];
    const catalog::MetricRow& metric = s_.metrics()[s_.cohorts()[head.cohort].metric];
    return fmt::format("{} | {} | {} runs | {} {} {} {} {} | {} | {}",
                       workload_label(s_, s->workload), s->value, s->runs,
                       short_id(run_id(s->head)), implementation_name(s_, head.implementation),
                       json::number_text(head.value), s_.name(metric.unit),
                       s_.name(metric.statistic), key(s->cohort), s->query);
  }
  std::string match(const ChooserRow& m) const {
    const catalog::OperationRow& row = s_.operations()[m.operation];
    std::string text =
        fmt::format("{} | {} | {} | {} runs", s_.text(row.slug), operation_name(s_, m.operation),
                    s_.name(row.family), row.eligible_runs);
    if (!answer_.chooser->has_facets) return text;
    std::string best = "-";
    if (m.best != kNone) {
      const catalog::RunRow& run = s_.runs()[m.best];
      best = json::number_text(run.value) + " " + unit(s_.cohorts()[run.cohort].metric);
    }
    return text + fmt::format(" | {} matching, {} with source, best {} | {}", m.matching,
                              m.with_source, best, answer_.chooser->facet_label);
  }

 private:
  const catalog::Snapshot& s_;
  const Answer& answer_;
};

template <class Items, class Text>
std::string joined(const Items& items, const Text& text) {
  std::string all;
  for (const auto& item : items) all += (all.empty() ? "" : ", ") + text(item);
  return all.empty() ? "-" : all;
}

class GoldenSearch : public ::testing::Test {
 protected:
  void SetUp() override {
    snapshot_ = testing::real_catalog();
    const auto text = ki::testing::read_text(ki::testing::shared("spec/golden/search.json"));
    if (!snapshot_ || !text) GTEST_SKIP() << "skipped: ../shared is absent";
    auto document = json::read_document(*text);
    ASSERT_TRUE(document.has_value());
    golden_ = std::move(*document);
  }

  std::shared_ptr<const catalog::Snapshot> snapshot_;
  json::Document golden_;
};

void compare_groups(const std::string& query, const Value& golden, const Answer& answer,
                    const OurText& ours, ki::testing::Divergences& divergences) {
  const Value& groups = *golden.find("groups");
  const Value& overflow = *golden.find("overflow");
  for (std::size_t kind = 0; kind < kGroupKinds; ++kind) {
    const std::string name(to_string(static_cast<GroupKind>(kind)));
    const Value& theirs = *groups.find(name);
    const Group& group = answer.groups[kind];
    const double total = theirs.find("total")->number() + overflow.find(name)->number();
    divergences.expect(query + "/" + name + "/total", json::number_text(total),
                       std::to_string(group.total));
    const auto rows = theirs.find("first")->items();
    const auto shown = std::span(group.rows).first(std::min(rows.size(), group.rows.size()));
    divergences.expect(query + "/" + name + "/runs",
                       joined(rows, [](const Value& r) { return short_id(text_of(r, "runId")); }),
                       joined(shown, [&](const Row& r) {
                         return r.run == kNone ? std::string("-") : short_id(ours.run_id(r.run));
                       }));
    if (!rows.empty() && !group.rows.empty()) {
      const std::uint32_t size = group.rows.front().cohort_size;
      divergences.expect(query + "/" + name + "/cohortSize", text_of(rows.front(), "cohortSize"),
                         size == 0 ? "-" : std::to_string(size));
    }
    for (const Value& row : rows) {
      if (row.find("runId")->is_null()) continue;
      const auto same = std::ranges::find_if(group.rows, [&](const Row& r) {
        return r.run != kNone && ours.run_id(r.run) == row.find("runId")->string();
      });
      if (same == group.rows.end()) continue;  // the list of runs says it
      const std::string key = query + "/" + name + "/" + short_id(row.find("runId")->string());
      divergences.expect(key, GoldenText::row(row), ours.row(*same));
      divergences.expect(key + "/mismatches", GoldenText::mismatches(row),
                         OurText::mismatches(*same));
    }
  }
}

TEST_F(GoldenSearch, AgreesExceptWhereListed) {
  const SearchIndex index(*snapshot_);
  const Resolver resolver(*snapshot_, index);
  ki::testing::Divergences divergences("search.json");
  for (const json::Member& member : golden_.root.members()) {
    const std::string query(member.key);
    const Value& golden = member.value;
    const query::Intent intent = query::parse_query(query);
    const Answer answer =
        resolver.resolve({.intent = &intent, .query = query, .cohort = {}, .now = {}});
    const OurText ours(*snapshot_, answer);
    const std::string row = query.empty() ? "(empty)" : query;

    divergences.expect(row + "/interpreted", text_of(golden, "interpreted"),
                       interpretation(*snapshot_, answer));
    const Value& operation = *golden.find("operation");
    divergences.expect(
        row + "/operation",
        operation.is_null() ? "-" : text_of(operation, "slug") + " " + text_of(operation, "name"),
        answer.operation == kNone
            ? "-"
            : fmt::format("{} {}", snapshot_->text(snapshot_->operations()[answer.operation].slug),
                          operation_name(*snapshot_, answer.operation)));
    const Value& none = *golden.find("noResult");
    divergences.expect(
        row + "/guidance",
        none.is_null() ? "-"
                       : joined(none.items(), [](const Value& f) { return text_of(f, "query"); }),
        joined(answer.families,
               [&](const FamilyHint& f) { return std::string(snapshot_->name(f.family)); }));
    const Value& cohort = *golden.find("cohort");
    const bool has_cohort = answer.selected.cohort != kNone;
    divergences.expect(
        row + "/cohort",
        cohort.is_null() ? "-"
                         : text_of(cohort, "key").substr(7, 8) + " " + text_of(cohort, "profile"),
        !has_cohort ? "-"
                    : ours.key(answer.selected.cohort) +
                          (snapshot_->cohorts()[answer.selected.cohort].is_source_native != 0
                               ? " source_native"
                               : " strict_exact"));
    const auto facts =
        has_cohort ? cohort_facts(*snapshot_, answer.selected.cohort) : std::vector<CohortFact>();
    divergences.expect(
        row + "/facts",
        cohort.is_null()
            ? "-"
            : joined(cohort.find("facts")->items(),
                     [](const Value& f) { return text_of(f, "key") + " " + text_of(f, "value"); }),
        joined(facts, [](const CohortFact& f) { return f.key + " " + f.value; }));
    divergences.expect(
        row + "/cohortOptions", joined(golden.find("cohortOptions")->items(), GoldenText::option),
        joined(answer.cohort_options, [&](const CohortOption& o) { return ours.option(o); }));
    divergences.expect(row + "/related",
                       joined(golden.find("related")->items(),
                              [](const Value& slug) { return std::string(slug.string()); }),
                       joined(answer.related, [&](Index o) {
                         return std::string(snapshot_->text(snapshot_->operations()[o].slug));
                       }));
    const Value& nearest = *golden.find("nearest");
    divergences.expect(
        row + "/nearest",
        nearest.is_null()
            ? "-"
            : fmt::format("{} {}: {} // {}", text_of(nearest, "axis"),
                          text_of(nearest, "requested"), GoldenText::side(nearest.find("below")),
                          GoldenText::side(nearest.find("above"))),
        !answer.nearest
            ? "-"
            : fmt::format("{} {}: {} // {}", answer.nearest->axis, answer.nearest->requested,
                          ours.side(answer.nearest->below), ours.side(answer.nearest->above)));
    divergences.expect(row + "/issues", text_of(golden, "issues"),
                       std::to_string(answer.issues.size()));
    compare_groups(row, golden, answer, ours, divergences);

    const bool is_browse = answer.mode == Mode::kBrowse;
    divergences.expect(row + "/browse", text_of(golden, "browse"),
                       is_browse ? std::to_string(answer.chooser->total) : "-");
    const Value& matches = *golden.find("matches");
    const bool is_chooser = answer.chooser && !is_browse;
    divergences.expect(row + "/matches/total", matches.is_null() ? "-" : text_of(matches, "total"),
                       is_chooser ? std::to_string(answer.chooser->total) : "-");
    if (matches.is_null() || !is_chooser) continue;
    // Their list was cut before evidence was looked at, so only what both know of a row is
    // compared.
    for (const Value& match : matches.find("first")->items()) {
      const Index operation_index = snapshot_->find_operation(match.find("slug")->string());
      const auto same =
          std::ranges::find(answer.chooser->rows, operation_index, &ChooserRow::operation);
      ASSERT_NE(same, answer.chooser->rows.end()) << query << " " << text_of(match, "slug");
      divergences.expect(row + "/matches/" + text_of(match, "slug"), GoldenText::match(match),
                         ours.match(*same));
    }
  }
  divergences.expect_all_seen();
}

}  // namespace
}  // namespace ki::resolve
