// What can only be seen over all rows: successions, leader events, leader sequences.

#include "ki/policy/records.h"
#include "row_checker_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace ki::publish {

using catalog::Table;

Finding RowChecker::State::finding(std::string code, std::uint64_t at, Table table, const Uuid& id,
                                   std::string message) const {
  return {std::move(code), at, table, id.to_string(), std::move(message)};
}

std::vector<std::uint32_t> RowChecker::State::runs_by_group() const {
  std::vector<std::uint32_t> order;
  order.reserve(run_facts.size());
  for (std::uint32_t run = 0; run < run_facts.size(); ++run) {
    if (run_facts[run].has_value) order.push_back(run);
  }
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    const RunFacts& x = run_facts[a];
    const RunFacts& y = run_facts[b];
    if (x.group != y.group) return x.group < y.group;
    if (x.observed_ms != y.observed_ms) return x.observed_ms < y.observed_ms;
    return runs[a] < runs[b];
  });
  return order;
}

namespace {

// Each run has one successor, and following successors ends.
template <class Report>
void check_successions(const std::vector<Succession>& successions, const IdTable& runs,
                       Report&& report) {
  std::unordered_map<std::uint32_t, std::uint32_t> successor_of;
  std::unordered_map<std::uint32_t, const Succession*> original_of;
  for (const Succession& s : successions) {
    const std::uint32_t original = runs.find(s.original);
    if (original == kNoIndex) {
      report(s, "reference", "the run that it supersedes is not there");
      continue;
    }
    if (original == s.successor) {
      report(s, "cycle", "a run supersedes itself");
      continue;
    }
    original_of.emplace(s.successor, &s);
    if (!successor_of.try_emplace(original, s.successor).second) {
      report(s, "reference", fmt::format("run {} has two successors", runs[original].to_string()));
    }
  }
  // Walk from each run towards what it supersedes; a walk longer than the list is a cycle.
  for (const auto& [start, first] : original_of) {
    const Succession* at = first;
    std::size_t steps = 0;
    for (; steps <= successions.size(); ++steps) {
      const auto next = original_of.find(runs.find(at->original));
      if (next == original_of.end()) break;
      at = next->second;
    }
    if (steps > successions.size()) report(*first, "cycle", "its supersessions form a cycle");
  }
}

}  // namespace

void RowChecker::State::finish_successions(std::vector<Finding>& findings) {
  check_successions(run_successions, runs,
                    [&](const Succession& s, std::string code, std::string message) {
                      findings.push_back(finding(std::move(code), s.place, Table::kBenchmarkRuns,
                                                 runs[s.successor], std::move(message)));
                    });
  for (const Succession& s : run_successions) {
    const std::uint32_t original = runs.find(s.original);
    if (original == kNoIndex || original == s.successor) continue;
    if (run_facts[original].operation != run_facts[s.successor].operation) {
      findings.push_back(finding("reference", s.place, Table::kBenchmarkRuns, runs[s.successor],
                                 "it supersedes a run of another operation"));
    }
    if (run_facts[s.successor].published_ms != 0) run_facts[original].is_superseded = true;
  }
  check_successions(serving_successions, serving_runs,
                    [&](const Succession& s, std::string code, std::string message) {
                      findings.push_back(finding(std::move(code), s.place, Table::kServingRuns,
                                                 serving_runs[s.successor], std::move(message)));
                    });
  for (const auto& [operation, at] : operation_supersedes) {
    if (operations.find(operation) == kNoIndex) {
      findings.push_back(finding("reference", at, Table::kOperations, operation,
                                 "an operation supersedes it, but it is not there"));
    }
  }
  for (const LateLink& link : late_links) {
    if (link.table->find(link.entity) == kNoIndex) {
      findings.push_back({"reference", link.place, Table::kSourceLinks, link.key,
                          "column 'entityId' names nothing that is there"});
    }
  }
}

// Spec 03.6. In a group whose runs were never corrected, the new_run events are the strict
// improvements in order of observation. A group may also hold events that were right when they were
// written: of a run that an older observation, published later, took the place of.
void RowChecker::State::finish_events(std::vector<Finding>& findings) {
  std::vector<std::uint32_t> by_group(events.size());
  std::iota(by_group.begin(), by_group.end(), 0U);
  std::ranges::sort(by_group, [&](std::uint32_t a, std::uint32_t b) {
    const EventFacts& x = events[a];
    const EventFacts& y = events[b];
    if (x.group != y.group) return x.group < y.group;
    if (x.run != y.run) return x.run < y.run;
    return x.is_retraction < y.is_retraction;
  });
  const auto report = [&](const EventFacts& event, std::string message) {
    findings.push_back(
        finding("event", event.place, Table::kRecordEvents, event.id, std::move(message)));
  };
  for (std::size_t i = 1; i < by_group.size(); ++i) {
    const EventFacts& a = events[by_group[i - 1]];
    const EventFacts& b = events[by_group[i]];
    if (a.group == b.group && a.run == b.run && a.is_retraction == b.is_retraction) {
      report(b, "the group has two events of this run and cause");
    }
  }

  const std::vector<std::uint32_t> order = runs_by_group();
  std::size_t event_at = 0;
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < order.size();) {
    const std::uint32_t group_at = run_facts[order[i]].group;
    std::size_t end = i;
    bool is_corrected = false;
    while (end < order.size() && run_facts[order[end]].group == group_at) {
      is_corrected =
          is_corrected || run_facts[order[end]].is_retracted || run_facts[order[end]].is_superseded;
      ++end;
    }
    std::vector<std::uint32_t> eligible;
    for (std::size_t k = i; k < end; ++k) {
      if (is_eligible(order[k])) eligible.push_back(order[k]);
    }
    ids.clear();
    std::vector<policy::RecordRun> record_runs;
    for (const std::uint32_t run : eligible) ids.push_back(runs[run].to_string());
    for (std::size_t k = 0; k < eligible.size(); ++k) {
      const RunFacts& facts = run_facts[eligible[k]];
      record_runs.push_back({ids[k], facts.value, Instant{facts.observed_ms}});
    }
    const std::vector<policy::RecordEvent> expected = policy::record_events_v1(record_runs);

    // This group's new_run events by run.
    std::unordered_map<std::uint32_t, const EventFacts*> stated;
    bool has_retraction = false;
    while (event_at < by_group.size() && events[by_group[event_at]].group < group_at) ++event_at;
    for (; event_at < by_group.size() && events[by_group[event_at]].group == group_at; ++event_at) {
      const EventFacts& event = events[by_group[event_at]];
      if (event.is_retraction) {
        has_retraction = true;
        if (event.previous == kNoIndex || !run_facts[event.previous].is_retracted) {
          report(event, "a retraction event must name the retracted run as the previous one");
        }
      } else {
        stated.emplace(event.run, &event);
      }
    }
    if (!is_corrected && has_retraction) {
      findings.push_back(finding("event", run_facts.size(), Table::kRecordEvents, runs[order[i]],
                                 "a group without corrections has a retraction event"));
    }
    const auto is_late = [&](std::uint32_t other, std::uint32_t run) {
      return run_facts[other].published_ms > run_facts[run].published_ms;
    };
    std::unordered_map<std::uint32_t, std::uint32_t> expected_previous;
    for (const policy::RecordEvent& e : expected) {
      const std::uint32_t run = eligible[e.run];
      expected_previous.emplace(run, e.previous ? eligible[*e.previous] : kNoIndex);
      if (!stated.contains(run) && !is_corrected) {
        findings.push_back(
            finding("event", 0, Table::kRecordEvents, runs[run],
                    fmt::format("run {} is a strict improvement, but has no leader event",
                                runs[run].to_string())));
      }
    }
    for (const auto& [run, event] : stated) {
      if (is_corrected) continue;  // the rules of one event were checked with its row
      const auto known = expected_previous.find(run);
      if (known != expected_previous.end() && known->second == event->previous) continue;
      // Right when it was written: an observation that came later, but is older, explains it.
      const bool is_explained = std::any_of(
          order.begin() + static_cast<std::ptrdiff_t>(i),
          order.begin() + static_cast<std::ptrdiff_t>(end), [&](std::uint32_t other) {
            const RunFacts& o = run_facts[other];
            const RunFacts& r = run_facts[run];
            return other != run && is_late(other, run) && o.observed_ms <= r.observed_ms &&
                   (known == expected_previous.end() ? o.value <= r.value : other == known->second);
          });
      if (is_explained) continue;
      report(
          *event,
          known == expected_previous.end()
              ? std::string("its run is not a strict improvement of the group's best before it")
              : fmt::format("the previous run should be {}",
                            known->second == kNoIndex ? "null" : runs[known->second].to_string()));
    }
    i = end;
  }
}

// Each group's leader changes link up, and the last one names the leader of now.
void RowChecker::State::finish_leaders(std::vector<Finding>& findings) {
  if (form == RowForm::kPublic) return;
  std::ranges::sort(leaders, [](const LeaderFacts& a, const LeaderFacts& b) {
    return a.group != b.group ? a.group < b.group : a.place < b.place;
  });
  std::unordered_map<std::uint32_t, std::uint32_t> last;  // group -> leader
  for (std::size_t i = 0; i < leaders.size(); ++i) {
    const LeaderFacts& change = leaders[i];
    const bool is_first = i == 0 || leaders[i - 1].group != change.group;
    const std::uint32_t before = is_first ? kNoIndex : leaders[i - 1].leader;
    if (change.previous != before) {
      findings.push_back(finding("leader", change.place, Table::kLeaderChanges, change.id,
                                 "the previous leader is not the leader of the change before it"));
    }
    if (change.leader == change.previous) {
      findings.push_back(finding("leader", change.place, Table::kLeaderChanges, change.id,
                                 "the leader did not change"));
    }
    last[change.group] = change.leader;
  }
  const std::vector<std::uint32_t> order = runs_by_group();
  for (std::size_t i = 0; i < order.size();) {
    const std::uint32_t group_at = run_facts[order[i]].group;
    std::uint32_t leader = kNoIndex;
    const std::uint32_t any = order[i];
    for (; i < order.size() && run_facts[order[i]].group == group_at; ++i) {
      if (is_eligible(order[i]) &&
          (leader == kNoIndex || run_facts[order[i]].value < run_facts[leader].value)) {
        leader = order[i];
      }
    }
    const auto known = last.find(group_at);
    const std::uint32_t stated = known == last.end() ? kNoIndex : known->second;
    if (stated != leader) {
      findings.push_back(finding(
          "leader", 0, Table::kLeaderChanges, leader == kNoIndex ? runs[any] : runs[leader],
          fmt::format("the leader of comparison group {} is {}, but its sequence ends with {}",
                      groups[group_at].to_string(),
                      leader == kNoIndex ? "nobody" : runs[leader].to_string(),
                      stated == kNoIndex ? "nobody" : runs[stated].to_string())));
    }
  }
}

void RowChecker::State::finish_measurements(std::vector<Finding>& findings) {
  const auto check = [&](std::span<const std::uint64_t> hashes, Table table, const Uuid& run) {
    const auto missing =
        std::ranges::count_if(hashes, [](std::uint64_t hash) { return hash != 0; });
    if (missing == 0) return;
    findings.push_back(finding(
        "measurement", 0, table, run,
        fmt::format("{} of the run's {} measurements have no line", missing, hashes.size())));
  };
  for (std::uint32_t run = 0; run < run_facts.size(); ++run) {
    check(std::span(measurement_hashes)
              .subspan(run_facts[run].first_measurement, run_facts[run].measurements),
          Table::kBenchmarkRuns, runs[run]);
  }
  for (std::uint32_t run = 0; run < serving_run_facts.size(); ++run) {
    const ServingRunFacts& facts = serving_run_facts[run];
    check(
        std::span(serving_measurement_hashes).subspan(facts.first_measurement, facts.measurements),
        Table::kServingRuns, serving_runs[run]);
  }
}

std::vector<Finding> RowChecker::finish(bool with_measurements) {
  std::vector<Finding> findings;
  state_->finish_successions(findings);
  state_->finish_events(findings);
  state_->finish_leaders(findings);
  if (with_measurements) state_->finish_measurements(findings);
  return findings;
}

}  // namespace ki::publish
