#include "ki/publish/leader_sync.h"

#include "ki/json/writer.h"

#include <algorithm>
#include <set>

namespace ki::publish {

using catalog::Index;
using catalog::kNone;
using catalog::Snapshot;
using catalog::Table;

std::string leader_change_row(const Uuid& id, const Digest& group,
                              const policy::LeaderChange& change) {
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.member("at", change.at.to_string());
  w.member("cause", policy::to_string(change.cause));
  w.member("comparisonKey", group.to_string());
  w.member("id", id.to_string());
  w.member("indexedAt", change.indexed_at.to_string());
  w.key("leaderRunId");
  change.leader ? w.value(change.leader->run_id) : w.null();
  w.member("policyVersion", "ranking-v1");
  w.key("previousLeaderRunId");
  change.previous ? w.value(change.previous->run_id) : w.null();
  w.key("previousValue");
  change.previous ? w.value(change.previous->value) : w.null();
  w.key("value");
  change.leader ? w.value(change.leader->value) : w.null();
  w.end_object();
  return out;
}

std::string record_event_row(const Uuid& id, const Digest& group, std::string_view run,
                             std::optional<std::string_view> previous, std::string_view cause,
                             Instant at, Instant created) {
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.member("at", at.to_string());
  w.member("cause", cause);
  w.member("comparisonKey", group.to_string());
  w.member("createdAt", created.to_string());
  w.member("id", id.to_string());
  w.member("policyVersion", "ranking-v1");
  w.nullable("previousRunId", previous);
  w.member("runId", run);
  w.end_object();
  return out;
}

std::string audit_event_row(const Uuid& id, std::string_view actor, std::string_view action,
                            std::string_view target_kind, std::string_view target_id,
                            std::optional<std::string_view> reason, std::string_view prior_state,
                            Instant at) {
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.member("action", action);
  w.member("actor", actor);
  w.member("at", at.to_string());
  w.member("id", id.to_string());
  w.key("priorState");
  prior_state.empty() ? w.null() : w.raw(prior_state);
  w.nullable("reason", reason);
  w.member("targetId", target_id);
  w.member("targetKind", target_kind);
  w.end_object();
  return out;
}

namespace {

bool is_eligible(const catalog::RunRow& run) {
  return (run.flags & catalog::run_flags::kEligible) != 0;
}

struct Member {
  Index run;
  std::string id;
  double value;
  Instant observed_at;
};

std::vector<policy::RecordRun> record_runs(const std::vector<Member>& members) {
  std::vector<policy::RecordRun> out;
  out.reserve(members.size());
  for (const Member& m : members) out.push_back({m.id, m.value, m.observed_at});
  return out;
}

std::optional<policy::Leader> leader_of(const std::vector<Member>& members) {
  const auto at = policy::find_leader(record_runs(members));
  if (!at) return std::nullopt;
  const Member& m = members[*at];
  return policy::Leader{m.id, m.value, m.observed_at};
}

class GroupSync {
 public:
  GroupSync(catalog::Transaction& tx, const Snapshot& before, const Snapshot& after, Instant now,
            UuidSource& ids, LeaderSync& done)
      : tx_(tx), before_(before), after_(after), now_(now), ids_(ids), done_(done) {}

  Result<void> sync(Index cohort) {
    const Digest key(after_.cohorts()[cohort].key);
    std::vector<Member> kept;   // eligible before and after
    std::vector<Member> lost;   // eligible before only
    std::vector<Member> added;  // eligible after only
    bool is_retraction = false;
    for (const Index run : after_.runs_of_cohort(cohort)) {
      const catalog::RunRow& row = after_.runs()[run];
      const Uuid id{row.id};
      const Index old = before_.find_run(id);
      const bool was = old != kNone && is_eligible(before_.runs()[old]);
      if (!was && !is_eligible(row)) continue;
      Member member{run, id.to_string(), row.value, Instant{row.observed_ms}};
      if (was && is_eligible(row)) {
        kept.push_back(std::move(member));
      } else if (was) {
        is_retraction = is_retraction || (row.flags & catalog::run_flags::kRetracted) != 0;
        lost.push_back(std::move(member));
      } else {
        added.push_back(std::move(member));
      }
    }
    std::vector<Member> all_before = kept;
    all_before.insert(all_before.end(), lost.begin(), lost.end());
    std::optional<policy::Leader> leader = leader_of(all_before);
    const std::optional<policy::Leader> first = leader;

    // Without the runs that were lost.
    const std::optional<policy::Leader> remaining = leader_of(kept);
    const auto trigger =
        is_retraction ? policy::LeaderTrigger::kRetraction : policy::LeaderTrigger::kSupersession;
    if (const auto change = policy::leader_change(leader, remaining, trigger, now_)) {
      KI_TRY_VOID(append(key, *change));
      if (is_retraction && remaining) {
        KI_TRY_VOID(
            append_event(key, cohort, remaining->run_id, leader->run_id, "retraction", now_));
      }
      leader = remaining;
    }
    // With the new ones.
    for (const policy::LeaderChange& change :
         policy::leader_changes_of_publication(leader, record_runs(added), now_)) {
      KI_TRY_VOID(append(key, change));
      leader = change.leader;
    }
    // Equal values: the one that was observed first leads, also when it came later.
    std::vector<Member> all_after = kept;
    all_after.insert(all_after.end(), added.begin(), added.end());
    const std::optional<policy::Leader> current = leader_of(all_after);
    if (const auto change =
            policy::leader_change(leader, current, policy::LeaderTrigger::kPublication, now_)) {
      policy::LeaderChange late = *change;
      late.cause = policy::LeaderCause::kLateObservation;
      KI_TRY_VOID(append(key, late));
    }
    const auto id_of = [](const std::optional<policy::Leader>& l) {
      return l ? l->run_id : std::string();
    };
    if (id_of(first) != id_of(current)) {
      done_.changed.emplace_back(key, current ? std::optional(current->run_id) : std::nullopt);
    }
    return append_new_events(key, cohort, all_after);
  }

 private:
  // ranking-v1's own events: strict improvements in order of observation, those stored already left
  // alone (insert-ignore on group, run and cause).
  Result<void> append_new_events(const Digest& key, Index cohort,
                                 const std::vector<Member>& members) {
    for (const policy::RecordEvent& event : policy::record_events_v1(record_runs(members))) {
      const Member& run = members[event.run];
      std::optional<std::string_view> previous;
      if (event.previous) previous = members[*event.previous].id;
      KI_TRY_VOID(append_event(key, cohort, run.id, previous, "new_run", run.observed_at));
    }
    return {};
  }

  Result<void> append_event(const Digest& key, Index cohort, std::string_view run,
                            std::optional<std::string_view> previous, std::string_view cause,
                            Instant at) {
    const auto wanted =
        cause == "new_run" ? catalog::EventCause::kNewRun : catalog::EventCause::kRetraction;
    for (const Index event : after_.events_of_cohort(cohort)) {
      const catalog::EventRow& row = after_.events()[event];
      if (row.cause == wanted && Uuid{after_.runs()[row.run].id}.to_string() == run) return {};
    }
    const Uuid id = ids_.next(now_);
    KI_TRY_VOID(tx_.append(Table::kRecordEvents, id.to_string(), 0, std::nullopt,
                           record_event_row(id, key, run, previous, cause, at, now_)));
    ++done_.record_events;
    return {};
  }

  Result<void> append(const Digest& key, const policy::LeaderChange& change) {
    const Uuid id = ids_.next(now_);
    KI_TRY_VOID(tx_.append(Table::kLeaderChanges, id.to_string(), 0, std::nullopt,
                           leader_change_row(id, key, change)));
    ++done_.leader_changes;
    return {};
  }

  catalog::Transaction& tx_;
  const Snapshot& before_;
  const Snapshot& after_;
  Instant now_;
  UuidSource& ids_;
  LeaderSync& done_;
};

}  // namespace

Result<LeaderSync> sync_leaders(catalog::Transaction& tx, const Snapshot& before,
                                const Snapshot& after, Instant now, UuidSource& ids) {
  std::set<Index> touched;
  for (const catalog::RunRow& run : after.runs()) {
    if (run.entry <= before.seq()) continue;
    touched.insert(run.cohort);
    if (run.supersedes != kNone) touched.insert(after.runs()[run.supersedes].cohort);
  }
  // By key, so that the sequence does not depend on the order of rows.
  std::vector<Index> order(touched.begin(), touched.end());
  std::ranges::sort(order, {}, [&](Index cohort) { return after.cohorts()[cohort].key; });
  LeaderSync done;
  GroupSync sync(tx, before, after, now, ids, done);
  for (const Index cohort : order) KI_TRY_VOID(sync.sync(cohort));
  return done;
}

}  // namespace ki::publish
