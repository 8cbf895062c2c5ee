#include "ki/json/canonical.h"
#include "publish_world.h"

namespace ki::publish {
namespace {

using catalog::Table;
using testing::ElementsAre;

class CorrectionsTest : public PublishWorld {
 protected:
  // Runs of 100, 200 and 300 ns in one group, in that order.
  void publish_three() { runs_ = must_publish(group_bundle({{"100"}, {"200"}, {"300"}})).run_ids; }
  Correction must(Result<Correction> done) {
    EXPECT_TRUE(done) << (done ? "" : done.error().to_string());
    if (done) return *std::move(done);
    return {{}, false, {}, {0, 0, {}, {}, catalog::empty_chain()}};
  }
  std::vector<std::uint32_t> ranks() {
    std::vector<std::uint32_t> out;
    for (const std::string& id : runs_) out.push_back(run(id).rank);
    return out;
  }
  std::size_t event_count() { return rows(Table::kRecordEvents).size(); }
  // Audit events of the action, as "target reason priorState".
  std::vector<std::string> audited(std::string_view action) {
    std::vector<std::string> out;
    for (const json::Document& row : rows(Table::kAuditEvents)) {
      if (row.root.find("action")->string() != action) continue;
      out.push_back(std::string(row.root.find("targetId")->string()) + " " +
                    std::string(row.root.find("reason")->string()) + " " +
                    json::canonical(*row.root.find("priorState")));
    }
    return out;
  }
  // Expects a refusal that leaves the log as it is.
  void expect_refused(const Result<Correction>& done, Code code, catalog::Seq before,
                      std::string_view why) {
    ASSERT_FALSE(done) << why;
    EXPECT_EQ(done.error().code(), code) << why << ": " << done.error().to_string();
    EXPECT_EQ(head(), before) << why;
  }

  std::vector<std::string> runs_;
};

TEST_F(CorrectionsTest, retracting_the_leader_hands_the_lead_to_the_next_run) {
  publish_three();
  const std::size_t events = event_count();
  clock_.set(Instant{1'796'083'260'000});
  const Correction done = must(corrections().retract(runs_[0], "measured the wrong kernel"));
  EXPECT_EQ(done.run_id, runs_[0]);
  EXPECT_TRUE(done.is_leader_changed);
  EXPECT_EQ(done.leader_run_id, runs_[1]);
  EXPECT_EQ(done.commit.reason, "retract");
  EXPECT_THAT(ranks(), ElementsAre(0U, 1U, 2U));
  EXPECT_THAT(leader_history(), ElementsAre("new_run 100", "retraction 200"));
  EXPECT_EQ(event_count(), events + 2) << "the retraction, and 200 as a record of its own";
  EXPECT_EQ(column(Table::kBenchmarkRuns, runs_[0], "retractedAt"), "\"2026-12-01T00:01:00.000Z\"");
  EXPECT_EQ(column(Table::kBenchmarkRuns, runs_[0], "retractionReason"),
            R"({"actor":"maintainer:cli","reason":"measured the wrong kernel"})");
  EXPECT_THAT(
      audited("retract_run"),
      ElementsAre(runs_[0] +
                  R"( measured the wrong kernel {"retractedAt":null,"retractionReason":null})"));
  expect_sound();
}

TEST_F(CorrectionsTest, retracting_another_run_announces_no_new_leader) {
  publish_three();
  const std::size_t events = event_count();
  const Correction done = must(corrections().retract(runs_[2], "duplicate"));
  EXPECT_FALSE(done.is_leader_changed);
  EXPECT_EQ(done.leader_run_id, runs_[0]);
  EXPECT_THAT(ranks(), ElementsAre(1U, 2U, 0U));
  EXPECT_THAT(leader_history(), ElementsAre("new_run 100"));
  EXPECT_EQ(event_count(), events);
  expect_sound();
}

TEST_F(CorrectionsTest, a_group_whose_only_run_is_retracted_has_no_leader) {
  runs_ = must_publish(group_bundle({{"100"}})).run_ids;
  const Correction done = must(corrections().retract(runs_[0], "wrong"));
  EXPECT_TRUE(done.is_leader_changed);
  EXPECT_FALSE(done.leader_run_id);
  EXPECT_THAT(leader_history(), ElementsAre("new_run 100", "retraction none"));
  expect_sound();
}

TEST_F(CorrectionsTest, a_run_may_be_named_by_its_digest) {
  publish_three();
  const Digest digest{run(runs_[0]).digest};
  EXPECT_EQ(must(corrections().retract(digest.to_string(), "wrong")).run_id, runs_[0]);
}

TEST_F(CorrectionsTest, refuses_retractions_that_make_no_sense) {
  publish_three();
  const std::string unpublished =
      must_publish(group_bundle({{"50"}}, 9), {.publish = false}).run_ids.at(0);
  must(corrections().retract(runs_[1], "wrong"));
  const catalog::Seq before = head();
  Corrections work = corrections();
  expect_refused(work.retract(runs_[1], "again"), Code::kConflict, before, "retracted already");
  expect_refused(work.retract(unpublished, "x"), Code::kConflict, before, "not published");
  expect_refused(work.retract("01990000-0000-7000-8000-0000000000ff", "x"), Code::kNotFound, before,
                 "no such run");
  expect_refused(work.retract(Digest::of("none").to_string(), "x"), Code::kNotFound, before,
                 "no such digest");
  expect_refused(work.retract(runs_[0], "  "), Code::kInvalidArgument, before, "no reason");
}

TEST_F(CorrectionsTest, a_successor_takes_the_place_of_the_leader) {
  publish_three();
  const Correction done = must(corrections().supersede(runs_[0], runs_[2], "measured again"));
  EXPECT_EQ(done.run_id, runs_[0]);
  EXPECT_TRUE(done.is_leader_changed);
  EXPECT_EQ(done.leader_run_id, runs_[1]);
  EXPECT_THAT(ranks(), ElementsAre(0U, 1U, 2U));
  EXPECT_THAT(leader_history(), ElementsAre("new_run 100", "supersession 200"));
  EXPECT_EQ(column(Table::kBenchmarkRuns, runs_[2], "supersedesId"), "\"" + runs_[0] + "\"");
  ASSERT_EQ(audited("supersede_run").size(), 1U);
  EXPECT_TRUE(audited("supersede_run")[0].starts_with(runs_[0] + " measured again"));
  expect_sound();
}

TEST_F(CorrectionsTest, superseding_another_run_announces_no_new_leader) {
  publish_three();
  const Correction done = must(corrections().supersede(runs_[1], runs_[2], "measured again"));
  EXPECT_FALSE(done.is_leader_changed);
  EXPECT_EQ(done.leader_run_id, runs_[0]);
  EXPECT_THAT(ranks(), ElementsAre(1U, 0U, 2U));
  EXPECT_THAT(leader_history(), ElementsAre("new_run 100"));
  expect_sound();
}

TEST_F(CorrectionsTest, refuses_supersessions_that_make_no_sense) {
  runs_ = must_publish(group_bundle({{"100"}, {"200"}, {"300"}, {"400"}, {"500"}})).run_ids;
  const std::string unpublished =
      must_publish(group_bundle({{"50"}}, 9), {.publish = false}).run_ids.at(0);
  // A run of another case of the same operation.
  Bundle other = group_bundle({{"70"}}, 20);
  const Digest operation = digest_of(other.operations[0].manifest);
  other.workloads = {{case_manifest(operation, 8), std::nullopt}};
  other.runs[0].manifest = run_manifest(
      {digest_of(other.implementations[0].manifest), digest_of(other.workloads[0].manifest), "70"});
  const std::string elsewhere = must_publish(other).run_ids.at(0);
  // 0 <- 1 <- 2: run 1 supersedes run 0, run 2 supersedes run 1.
  must(corrections().supersede(runs_[0], runs_[1], "again"));
  must(corrections().supersede(runs_[1], runs_[2], "again"));
  must(corrections().retract(runs_[4], "wrong"));

  struct Case {
    const char* why;
    std::string original, successor;
    Code code;
  };
  const catalog::Seq before = head();
  for (const Case& c : std::vector<Case>{
           {"itself", runs_[3], runs_[3], Code::kInvalidArgument},
           {"a run of another workload", runs_[3], elsewhere, Code::kInvalidArgument},
           {"a cycle of three", runs_[2], runs_[0], Code::kConflict},
           {"a cycle of two", runs_[1], runs_[0], Code::kConflict},
           {"the original has a successor", runs_[0], runs_[3], Code::kConflict},
           {"the successor supersedes another", runs_[3], runs_[2], Code::kConflict},
           {"the successor is not published", runs_[3], unpublished, Code::kConflict},
           {"the original is not published", unpublished, runs_[3], Code::kConflict},
           {"the successor is retracted", runs_[3], runs_[4], Code::kConflict},
           {"no original", Digest::of("none").to_string(), runs_[3], Code::kNotFound},
           {"no successor", runs_[3], Digest::of("none").to_string(), Code::kNotFound}}) {
    expect_refused(corrections().supersede(c.original, c.successor, "again"), c.code, before,
                   c.why);
  }
  expect_refused(corrections().supersede(runs_[2], runs_[3], ""), Code::kInvalidArgument, before,
                 "no reason");
  EXPECT_THAT(ranks(), ElementsAre(0U, 0U, 1U, 2U, 0U));
  expect_sound();
}

TEST_F(CorrectionsTest, a_retracted_run_is_not_published_again) {
  publish_three();
  must(corrections().retract(runs_[0], "wrong"));
  EXPECT_FALSE(must_publish(group_bundle({{"100"}, {"200"}, {"300"}})).commit);
  EXPECT_THAT(ranks(), ElementsAre(0U, 1U, 2U));
}

TEST_F(CorrectionsTest, the_same_leader_can_lose_and_regain_its_place) {
  publish_three();
  must(corrections().retract(runs_[0], "wrong"));
  must_publish(group_bundle({{"150", "2026-08-02T00:00:00.000Z"}}, 10));
  must(corrections().retract(runs_[1], "wrong"));
  EXPECT_THAT(leader_history(), ElementsAre("new_run 100", "retraction 200", "new_run 150"));
  expect_sound();
}

TEST_F(CorrectionsTest, serving_runs_can_be_retracted_and_superseded) {
  ServingBundle bundle = serving_bundle();
  const std::string first = must_publish(bundle).run_ids.at(0);
  std::string& manifest = bundle.runs[0].manifest;
  manifest.replace(manifest.find("3120.25"), 7, "3125.75");
  bundle.runs[0].external_id = "serving/2";
  const std::string second = must_publish(bundle).run_ids.at(0);
  ASSERT_NE(first, second);
  EXPECT_FALSE(must(corrections().supersede(first, second, "measured again")).is_leader_changed);
  EXPECT_EQ(column(Table::kServingRuns, second, "supersedesId"), "\"" + first + "\"");
  const catalog::Seq before = head();
  expect_refused(corrections().supersede(second, first, "x"), Code::kConflict, before, "a cycle");
  must(corrections().retract(second, "wrong"));
  EXPECT_NE(column(Table::kServingRuns, second, "retractedAt"), "null");
  publish_three();
  expect_refused(corrections().supersede(first, runs_[0], "x"), Code::kInvalidArgument, head(),
                 "a run of the other kind");
  expect_sound();
}

}  // namespace
}  // namespace ki::publish
