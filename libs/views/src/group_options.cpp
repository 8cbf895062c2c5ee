#include "group_options.h"

#include "ki/digest/digest.h"
#include "ki/resolve/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace ki::views {
namespace {

using catalog::Snapshot;
using Option = OperationView::GroupOption;

const std::string* find_fact(const std::vector<KeyValue>& facts, std::string_view key) {
  const auto found = std::ranges::find(facts, key, &KeyValue::key);
  return found == facts.end() ? nullptr : &found->value;
}

// The facts in which some of the options differ, as "key" or nothing known.
void tell_apart(const Snapshot& s, std::vector<Option*>& options) {
  std::vector<std::vector<KeyValue>> facts;
  std::vector<std::string> keys;
  for (const Option* option : options) {
    facts.push_back(group_facts(s, option->cohort));
    for (const KeyValue& fact : facts.back()) {
      if (std::ranges::find(keys, fact.key) == keys.end()) keys.push_back(fact.key);
    }
  }
  for (const std::string& key : keys) {
    const auto value_of = [&](std::size_t i) {
      const std::string* value = find_fact(facts[i], key);
      return value == nullptr ? std::string() : *value;
    };
    bool differs = false;
    for (std::size_t i = 1; i < options.size(); ++i) differs |= value_of(i) != value_of(0);
    if (!differs) continue;
    for (std::size_t i = 0; i < options.size(); ++i) {
      const std::string value = value_of(i);
      options[i]->differs.push_back({key, value.empty() ? "not stated" : value});
    }
  }
  // Groups that differ in nothing that people are shown are told apart by their keys.
  for (Option* option : options) {
    const auto is_same = [&](const Option* other) { return other->differs == option->differs; };
    if (std::ranges::count_if(options, is_same) == 1) continue;
    const auto& cohort = s.cohorts()[option->cohort];
    option->label +=
        fmt::format(" · environment {}",
                    Digest(s.environments()[cohort.environment].digest).hex().substr(0, 8));
  }
  for (Option* option : options) {
    for (const KeyValue& fact : option->differs) {
      const bool is_plain = fact.key == "Framework" || fact.key == "Protocol";
      option->label += fmt::format(" · {}{}", is_plain ? "" : fact.key + " ", fact.value);
    }
  }
}

}  // namespace

std::vector<KeyValue> group_facts(const Snapshot& snapshot, Index cohort) {
  std::vector<KeyValue> facts;
  for (resolve::CohortFact& fact : resolve::cohort_facts(snapshot, cohort)) {
    facts.push_back({std::move(fact.key), std::move(fact.value)});
  }
  return facts;
}

std::vector<Option> group_options(const Snapshot& snapshot, Index workload) {
  std::vector<Option> options;
  for (const Index cohort : snapshot.cohorts_of_workload(workload)) {
    const auto& row = snapshot.cohorts()[cohort];
    if (row.ranked == 0) break;
    Option& option = options.emplace_back();
    option.cohort = cohort;
    option.comparison_key = digest_text(row.key);
    option.label = snapshot.name(snapshot.environments()[row.environment].product);
    option.runs = row.ranked;
    option.head = snapshot.runs_of_cohort(cohort).front();
  }
  std::map<std::string, std::vector<Option*>> by_gpu;
  for (Option& option : options) by_gpu[option.label].push_back(&option);
  for (auto& [gpu, shared] : by_gpu) {
    if (shared.size() > 1) tell_apart(snapshot, shared);
  }
  return options;
}

OperationView::Group describe_group(const Snapshot& snapshot, Index cohort) {
  const auto& row = snapshot.cohorts()[cohort];
  return {.cohort = cohort,
          .comparison_key = digest_text(row.key),
          .profile = row.is_source_native != 0 ? "source_native" : "strict_exact",
          .facts = group_facts(snapshot, cohort)};
}

}  // namespace ki::views
