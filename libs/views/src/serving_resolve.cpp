#include "ki/base/text.h"
#include "ki/views/serving.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace ki::views {
namespace {

using policy::Direction;
using Run = ServingTable::Run;

constexpr std::array<std::string_view, 9> kMetrics = {"ttft_ms",
                                                      "tpot_ms",
                                                      "itl_ms",
                                                      "e2e_latency_ms",
                                                      "error_rate",
                                                      "request_throughput_rps",
                                                      "output_token_throughput_tps",
                                                      "token_throughput_tps",
                                                      "goodput"};
constexpr std::size_t kMinimised = 5;  // the first of them

// The members of a request, each asked for once.
class Members {
 public:
  Members(const json::Value& object, std::string pointer, std::vector<Issue>& issues)
      : object_(object), pointer_(std::move(pointer)), issues_(issues) {
    if (!object.is_object()) refuse("", "expected an object");
  }

  const json::Value* take(std::string_view name) {
    taken_.push_back(name);
    const json::Value* value = object_.find(name);
    return value != nullptr && value->is_null() ? nullptr : value;
  }
  std::string text(std::string_view name, std::size_t max) {
    const json::Value* value = take(name);
    if (value == nullptr) return {};
    if (!value->is_string() || utf16_length(value->string()) > max) {
      refuse(name, fmt::format("expected a text of at most {} characters", max));
      return {};
    }
    return std::string(value->string());
  }
  std::int64_t count(std::string_view name, std::int64_t otherwise, std::int64_t max) {
    const json::Value* value = take(name);
    if (value == nullptr) return otherwise;
    const auto number = value->is_number() ? value->integer() : std::nullopt;
    if (!number || *number < 1 || *number > max) {
      refuse(name, fmt::format("expected an integer, 1 to {}", max));
      return otherwise;
    }
    return *number;
  }
  std::string metric() {
    std::string name = text("metric", 60);
    if (std::ranges::find(kMetrics, name) == kMetrics.end()) {
      const auto near = did_you_mean(name, kMetrics);
      refuse("metric", fmt::format("{} is no metric of serving-v1{}", quote(name),
                                   near ? fmt::format("; did you mean '{}'?", *near) : ""));
    }
    return name;
  }
  std::string pointer(std::string_view name) const { return fmt::format("{}/{}", pointer_, name); }
  void refuse(std::string_view name, std::string message) {
    issues_.push_back({.code = "INVALID_VALUE",
                       .pointer = name.empty() ? pointer_ : pointer(name),
                       .message = std::move(message),
                       .fix = {}});
  }
  void finish() {
    if (!object_.is_object()) return;
    for (const json::Member& member : object_.members()) {
      if (std::ranges::find(taken_, member.key) == taken_.end()) {
        refuse(member.key, "is no member of this request");
      }
    }
  }

 private:
  const json::Value& object_;
  std::string pointer_;
  std::vector<Issue>& issues_;
  std::vector<std::string_view> taken_;
};

void read_objective(const json::Value& value, ServingRequest& request, std::vector<Issue>& issues) {
  Members members(value, "/objective", issues);
  ServingRequest::Objective objective;
  objective.metric = members.metric();
  objective.statistic = members.text("statistic", 30);
  const auto place = std::ranges::find(kMetrics, objective.metric) - kMetrics.begin();
  const bool is_minimised = place < static_cast<std::ptrdiff_t>(kMinimised);
  objective.direction = is_minimised ? Direction::kLowerIsBetter : Direction::kHigherIsBetter;
  if (const std::string said = members.text("direction", 20);
      !said.empty() && said != (is_minimised ? "minimize" : "maximize")) {
    members.refuse("direction", fmt::format("of {} serving-v1 knows one: {}", objective.metric,
                                            is_minimised ? "minimize" : "maximize"));
  }
  members.finish();
  request.objective = std::move(objective);
}

void read_constraint(const json::Value& value, std::size_t i, ServingRequest& request,
                     std::vector<Issue>& issues) {
  Members members(value, fmt::format("/constraints/{}", i), issues);
  ServingRequest::Constraint constraint;
  constraint.metric = members.metric();
  if (std::string statistic = members.text("statistic", 30); !statistic.empty())
    constraint.statistic = std::move(statistic);
  const std::string op = members.text("operator", 2);
  if (!op.empty() && op != "<=" && op != "<") members.refuse("operator", "expected <= or <");
  constraint.is_strict = op == "<";
  const json::Value* bound = members.take("value");
  if (bound == nullptr || !bound->is_number() || !(bound->number() > 0)) {
    members.refuse("value", "expected a number above 0");
  } else {
    constraint.value = bound->number();
  }
  members.finish();
  request.constraints.push_back(std::move(constraint));
}

bool contains_ignoring_case(std::string_view text, std::string_view part) {
  return ascii_lower(text).find(ascii_lower(part)) != std::string::npos;
}

struct Candidates {
  std::vector<std::vector<policy::ServingMeasurement>> measured, declared;
  std::vector<policy::ServingCandidate> list;
};

// The lists point into the table.
Candidates candidates_of(const ServingTable& table, std::span<const Run* const> runs) {
  Candidates out;
  out.measured.reserve(runs.size());
  out.declared.reserve(runs.size());
  for (const Run* run : runs) {
    auto& measured = out.measured.emplace_back();
    for (const auto& m : run->measurements) measured.push_back({m.metric, m.statistic, m.value});
    auto& declared = out.declared.emplace_back();
    for (const auto& bound : table.workloads[run->workload].slo) {
      declared.push_back({bound.metric, bound.statistic, bound.value});
    }
    out.list.push_back({.run_id = run->id, .measurements = measured, .declared_slo = declared});
  }
  return out;
}

ServingAnswer::Group resolve_group(const ServingTable& table, const ServingRequest& request,
                                   std::span<const Run* const> runs) {
  ServingAnswer::Group group;
  group.any = runs.front();
  const Candidates all = candidates_of(table, runs);
  std::vector<const Run*> feasible;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    ServingAnswer::Row row{.run = runs[i]};
    std::vector<std::string> reasons;
    for (const auto& constraint : request.constraints) {
      auto checked = policy::check_constraint(all.list[i], {.metric = constraint.metric,
                                                            .statistic = constraint.statistic,
                                                            .is_strict = constraint.is_strict,
                                                            .bound = constraint.value});
      if (!checked.reason.empty()) reasons.push_back(checked.reason);
      row.constraints.push_back(std::move(checked));
    }
    if (reasons.empty()) {
      group.rows.push_back(std::move(row));
      feasible.push_back(runs[i]);
    } else {
      group.excluded.push_back({runs[i], std::move(reasons)});
    }
  }
  if (feasible.empty()) return group;
  const Candidates left = candidates_of(table, feasible);
  if (request.objective) {
    const auto ranks =
        policy::rank_objective(left.list, {.direction = request.objective->direction,
                                           .metric = request.objective->metric,
                                           .statistic = request.objective->statistic});
    for (std::size_t i = 0; i < ranks.size(); ++i) group.rows[i].rank = ranks[i].rank;
  }
  policy::ParetoAnswer front = policy::pareto(left.list);
  for (const std::uint32_t i : front.frontier) group.rows[i].is_on_frontier = true;
  group.shared_axes = std::move(front.axes);
  std::ranges::stable_sort(group.rows, [](const auto& a, const auto& b) {
    const auto place = [](const auto& row) { return row.rank.value_or(UINT32_MAX); };
    if (place(a) != place(b)) return place(a) < place(b);
    return a.is_on_frontier && !b.is_on_frontier;
  });
  return group;
}

}  // namespace

std::string ServingRequest::Constraint::text() const {
  return fmt::format("{} {} {} {}", metric, statistic, is_strict ? "<" : "<=", value);
}

Result<ServingRequest> read_serving_request(const json::Value& request) {
  ServingRequest out;
  std::vector<Issue> issues;
  Members members(request, "", issues);
  out.model = members.text("model", 200);
  out.workload = members.text("workload", 200);
  if (const json::Value* hardware = members.take("hardware")) {
    Members inside(*hardware, "/hardware", issues);
    out.hardware = inside.text("model", 200);
    out.count_maximum = inside.count("countMaximum", 0, 1'000'000'000);
    inside.finish();
  }
  if (const json::Value* objective = members.take("objective"))
    read_objective(*objective, out, issues);
  if (const json::Value* constraints = members.take("constraints")) {
    if (!constraints->is_array() || constraints->items().size() > 8) {
      members.refuse("constraints", "expected a list of at most 8");
    } else {
      for (std::size_t i = 0; i < constraints->items().size(); ++i)
        read_constraint(constraints->items()[i], i, out, issues);
    }
  }
  out.limit = static_cast<std::size_t>(members.count("limit", 100, 400));
  members.finish();
  if (issues.empty()) return out;
  std::string message = fmt::format("{} {}", issues.front().pointer, issues.front().message);
  return fail(Error(Code::kInvalidArgument, std::move(message), std::move(issues)));
}

ServingAnswer resolve_serving(const ServingTable& table, const catalog::Snapshot& snapshot,
                              const ServingRequest& request) {
  std::map<std::string_view, std::vector<const Run*>> groups;
  ServingAnswer answer;
  for (const Run& run : table.runs) {
    if (!run.is_eligible) continue;
    if (!request.model.empty() &&
        snapshot.text(snapshot.columns().models[run.model].slug) != request.model) {
      continue;
    }
    if (!request.workload.empty() && table.workloads[run.workload].slug != request.workload)
      continue;
    if (!request.hardware.empty() && !contains_ignoring_case(run.accelerator, request.hardware))
      continue;
    if (request.count_maximum != 0 && run.total > request.count_maximum) continue;
    groups[run.cohort_key].push_back(&run);
    ++answer.runs_total;
  }
  for (const auto& [key, runs] : groups) {
    answer.groups.push_back(resolve_group(table, request, runs));
  }
  // The map has them by key.
  std::ranges::stable_sort(
      answer.groups, [](const auto& a, const auto& b) { return a.rows.size() > b.rows.size(); });
  answer.groups_total = answer.groups.size();
  if (answer.groups.size() > request.limit) answer.groups.resize(request.limit);
  return answer;
}

std::vector<ServingOverview> serving_overview(const ServingTable& table,
                                              const catalog::Snapshot& snapshot) {
  struct Line {
    ServingOverview overview;
    std::set<std::uint32_t> configurations;
  };
  std::map<std::pair<Index, std::uint32_t>, Line> lines;
  for (const Run& run : table.runs) {
    if (!run.is_eligible) continue;
    Line& line = lines[{run.model, run.workload}];
    line.overview.model = run.model;
    line.overview.workload = run.workload;
    line.overview.scenario = run.scenario;
    ++line.overview.runs;
    line.configurations.insert(run.configuration);
    for (const auto& m : run.measurements) {
      if (m.metric != "output_token_throughput_tps") continue;
      const Run* best = line.overview.best;
      if (best != nullptr && m.value < line.overview.throughput) continue;
      // Of equal values the run that was published first.
      if (best != nullptr && m.value == line.overview.throughput && run.id > best->id) continue;
      line.overview.best = &run;
      line.overview.throughput = m.value;
    }
  }
  std::vector<ServingOverview> out;
  for (auto& [key, line] : lines) {
    line.overview.configurations = static_cast<std::uint32_t>(line.configurations.size());
    out.push_back(line.overview);
  }
  const auto& models = snapshot.columns().models;
  std::ranges::sort(out, [&](const ServingOverview& a, const ServingOverview& b) {
    if (table.model_runs[a.model] != table.model_runs[b.model])
      return table.model_runs[a.model] > table.model_runs[b.model];
    const auto a_name = snapshot.text(models[a.model].name);
    const auto b_name = snapshot.text(models[b.model].name);
    if (a_name != b_name) return a_name < b_name;
    return table.workloads[a.workload].name < table.workloads[b.workload].name;
  });
  return out;
}

}  // namespace ki::views
