#include "ki/json/canonical.h"
#include "publish_world.h"

#include <fmt/format.h>

namespace ki::publish {
namespace {

using catalog::Table;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

class PublisherTest : public PublishWorld {};

EntityCount count_of(const PublishReport& report, std::string_view entity) {
  for (const auto& [name, counts] : report.counts) {
    if (name == entity) return counts;
  }
  return {};
}

TEST_F(PublisherTest, stores_every_entity_and_ranks_the_runs) {
  const PublishReport report = must_publish(group_bundle({{"300"}, {"100"}, {"200"}}));

  std::vector<std::pair<std::string, std::uint64_t>> inserted;
  for (const auto& [name, counts] : report.counts) {
    inserted.emplace_back(name, counts.inserted);
    EXPECT_EQ(counts.existing, name == "documents" ? 4U : 0U) << name;
  }
  EXPECT_THAT(inserted, UnorderedElementsAre(Pair("sources", 1U), Pair("projects", 1U),
                                             Pair("operations", 1U), Pair("operation_aliases", 1U),
                                             Pair("workloads", 1U), Pair("implementations", 3U),
                                             Pair("documents", 2U), Pair("benchmark_runs", 3U),
                                             Pair("source_links", 9U)));
  EXPECT_EQ(report.runs_published, 3U);
  ASSERT_EQ(report.run_ids.size(), 3U);
  EXPECT_EQ(run(report.run_ids[0]).rank, 3U);
  EXPECT_EQ(run(report.run_ids[1]).rank, 1U);
  EXPECT_EQ(run(report.run_ids[2]).rank, 2U);
  ASSERT_TRUE(report.commit);
  EXPECT_EQ(report.commit->last, head());
  EXPECT_EQ(report.commit->reason, "publish");
  EXPECT_EQ(report.commit->at, clock_.now());
  EXPECT_EQ(column(Table::kBenchmarkRuns, report.run_ids[0], "publishedAt"),
            "\"2026-12-01T00:00:00.000Z\"");
  expect_sound();
}

TEST_F(PublisherTest, writes_the_derived_columns_of_its_rows) {
  must_publish(group_bundle({{"300"}}));
  const auto workload = rows(Table::kWorkloads);
  ASSERT_EQ(workload.size(), 1U);
  EXPECT_EQ(workload[0].root.find("shapeSummary")->string(), "[4096]");
  EXPECT_EQ(json::canonical(*workload[0].root.find("dtypes")), R"(["bf16"])");
  EXPECT_EQ(json::canonical(*workload[0].root.find("layoutKeys")), R"(["contiguous"])");
  const auto implementation = rows(Table::kImplementations);
  ASSERT_EQ(implementation.size(), 1U);
  EXPECT_EQ(implementation[0].root.find("sourceRevision")->string(), "1");
  EXPECT_EQ(implementation[0].root.find("language")->string(), "cuda");
  EXPECT_EQ(implementation[0].root.find("licenseExpression")->string(), "Apache-2.0");
  EXPECT_FALSE(implementation[0].root.find("installable")->boolean());
  const auto alias = rows(Table::kOperationAliases);
  ASSERT_EQ(alias.size(), 1U);
  EXPECT_EQ(alias[0].root.find("alias")->string(), "copy_1d") << "aliases are stored in lower case";
}

TEST_F(PublisherTest, the_same_bundle_twice_inserts_nothing) {
  const Bundle bundle = group_bundle({{"300"}, {"100"}});
  const PublishReport first = must_publish(bundle);
  const catalog::Seq before = head();
  clock_.set(Instant{1'796'083'260'000});
  const PublishReport second = must_publish(bundle);
  EXPECT_EQ(head(), before);
  EXPECT_FALSE(second.commit);
  EXPECT_EQ(second.run_ids, first.run_ids);
  EXPECT_EQ(second.source_id, first.source_id);
  EXPECT_EQ(second.runs_published, 0U);
  for (const auto& [name, counts] : second.counts) EXPECT_EQ(counts.inserted, 0U) << name;
  EXPECT_EQ(count_of(second, "benchmark_runs").existing, 2U);
  EXPECT_EQ(count_of(second, "source_links").existing, 7U);
}

TEST_F(PublisherTest, a_duplicate_inside_the_bundle_counts_as_existing) {
  Bundle bundle = group_bundle({{"300"}});
  bundle.operations.push_back(bundle.operations[0]);
  bundle.workloads.push_back(bundle.workloads[0]);
  bundle.implementations.push_back(bundle.implementations[0]);
  bundle.runs.push_back(bundle.runs[0]);
  const PublishReport report = must_publish(bundle);
  for (const std::string_view entity :
       {"operations", "workloads", "implementations", "benchmark_runs"}) {
    EXPECT_EQ(count_of(report, entity).inserted, 1U) << entity;
    EXPECT_EQ(count_of(report, entity).existing, 1U) << entity;
  }
  ASSERT_EQ(report.run_ids.size(), 2U);
  EXPECT_EQ(report.run_ids[0], report.run_ids[1]);
  expect_sound();
}

TEST_F(PublisherTest, a_run_stored_unpublished_is_published_once_later) {
  const Bundle bundle = group_bundle({{"300"}});
  const PublishReport stored = must_publish(bundle, {.publish = false});
  ASSERT_EQ(stored.run_ids.size(), 1U);
  EXPECT_EQ(stored.runs_published, 0U);
  EXPECT_EQ(run(stored.run_ids[0]).rank, 0U);
  EXPECT_EQ(column(Table::kBenchmarkRuns, stored.run_ids[0], "publishedAt"), "null");
  EXPECT_THAT(leader_history(), ElementsAre());

  clock_.set(Instant{1'796'083'260'000});
  const PublishReport published = must_publish(bundle);
  EXPECT_EQ(published.run_ids, stored.run_ids);
  EXPECT_EQ(published.runs_published, 1U);
  EXPECT_EQ(count_of(published, "benchmark_runs").inserted, 0U);
  EXPECT_EQ(run(stored.run_ids[0]).rank, 1U);
  const std::string at = column(Table::kBenchmarkRuns, stored.run_ids[0], "publishedAt");
  EXPECT_EQ(at, "\"2026-12-01T00:01:00.000Z\"");
  EXPECT_THAT(leader_history(), ElementsAre("new_run 300"));

  clock_.set(Instant{1'796'083'320'000});
  EXPECT_FALSE(must_publish(bundle).commit);
  EXPECT_EQ(column(Table::kBenchmarkRuns, stored.run_ids[0], "publishedAt"), at);
  EXPECT_FALSE(must_publish(bundle, {.publish = false}).commit)
      << "storing a published run again changes nothing";
  expect_sound();
}

TEST_F(PublisherTest, a_stored_serving_run_is_published_once_later) {
  const ServingBundle bundle = serving_bundle();
  const PublishReport stored = must_publish(bundle, {.publish = false});
  ASSERT_EQ(stored.run_ids.size(), 1U);
  EXPECT_EQ(column(Table::kServingRuns, stored.run_ids[0], "publishedAt"), "null");
  EXPECT_EQ(must_publish(bundle).runs_published, 1U);
  EXPECT_EQ(column(Table::kServingRuns, stored.run_ids[0], "publishedAt"),
            "\"2026-12-01T00:00:00.001Z\"")
      << "after the commit that stored it, though the clock stands still";
  EXPECT_FALSE(must_publish(bundle).commit);
  expect_sound();
}

TEST_F(PublisherTest, manifests_are_not_bound_to_one_spelling) {
  const PublishReport first = must_publish(group_bundle({{"300"}}));
  Bundle bundle = group_bundle({{"300"}});
  // The same run with its members in another order, as indented YAML and with another name.
  const auto& run = bundle.runs[0];
  const auto document = json::read_document(run.manifest);
  const json::Value* spec = document->root.find("spec");
  bundle.runs[0].manifest = fmt::format(
      "kind: BenchmarkRun\nspec:\n  workloadDigest: {}\n  timing:\n    primaryStatistic: median\n"
      "    latencyNs: {{median: 0.3 us}}\n  status: passed\n  protocolDigest: {}\n"
      "  observedAt: {}\n  implementationDigest: {}\n  environmentDigest: {}\n"
      "metadata: {{name: another-name}}\napiVersion: kernelindex.dev/v1alpha1\n",
      spec->find("workloadDigest")->string(), spec->find("protocolDigest")->string(),
      spec->find("observedAt")->string(), spec->find("implementationDigest")->string(),
      spec->find("environmentDigest")->string());
  const PublishReport second = must_publish(bundle);
  EXPECT_EQ(second.run_ids, first.run_ids);
  EXPECT_FALSE(second.commit);
}

struct Refusal {
  const char* why;
  std::function<void(Bundle&)> spoil;
  const char* code;
  const char* pointer;
};

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  if (at != std::string::npos) text.replace(at, what.size(), by);
  return text;
}

BundleArtifact log_artifact(std::string content) {
  const Digest digest = Digest::of(content);
  return {digest,         "logs",   "log",        "text/plain",
          content.size(), "inline", std::nullopt, std::move(content),
          std::nullopt};
}

TEST_F(PublisherTest, refuses_what_does_not_hold_and_stores_nothing) {
  const Digest other_operation = digest_of(operation_manifest("other", "other"));
  const std::vector<Refusal> refusals = {
      {"a member that the kind does not have",
       [](Bundle& b) {
         b.runs[0].manifest = replaced(b.runs[0].manifest, "\"status\"", "\"statuz\":1,\"status\"");
       },
       "unknown_member", "/runs/0/manifest/spec/statuz"},
      {"a manifest of another kind",
       [](Bundle& b) { b.projects[0].manifest = environment_manifest(); }, "wrong_kind",
       "/projects/0/manifest"},
      {"a protocol that the run does not name",
       [](Bundle& b) { b.runs[0].protocol = protocol_manifest("another-bench"); },
       "wrong_reference", "/runs/0/manifest/spec/protocolDigest"},
      {"an environment that the run does not name",
       [](Bundle& b) { b.runs[0].environment = environment_manifest("NVIDIA A100"); },
       "wrong_reference", "/runs/0/manifest/spec/environmentDigest"},
      {"a case of an operation that nobody has",
       [](Bundle& b) {
         b.workloads.push_back({case_manifest(Digest::of("nothing"), 1), std::nullopt});
       },
       "dangling_reference", "/workloads/1/manifest/spec/operationSpecDigest"},
      {"an implementation of an operation that nobody has",
       [](Bundle& b) {
         b.implementations.push_back({implementation_manifest(Digest::of("nothing"), "9"),
                                      "copy-9",
                                      "example-project",
                                      std::nullopt,
                                      {}});
       },
       "dangling_reference", "/implementations/1/manifest/spec/operation/specDigest"},
      {"an implementation of a project outside the bundle",
       [](Bundle& b) { b.implementations[0].project_slug = "elsewhere"; }, "dangling_reference",
       "/implementations/0/projectSlug"},
      {"a run of an implementation that nobody has", [](Bundle& b) { b.implementations.clear(); },
       "dangling_reference", "/runs/0/manifest/spec/implementationDigest"},
      {"a run of a workload that nobody has", [](Bundle& b) { b.workloads.clear(); },
       "dangling_reference", "/runs/0/manifest/spec/workloadDigest"},
      {"a passed run without a number",
       [](Bundle& b) {
         const Digest operation = digest_of(b.operations[0].manifest);
         b.runs[0].manifest = run_manifest({digest_of(b.implementations[0].manifest),
                                            digest_of(case_manifest(operation, 4096)), ""});
       },
       "missing_measurement", "/runs/0/manifest/spec"},
      {"a run of one operation on a workload of another",
       [&](Bundle& b) {
         b.operations.push_back({operation_manifest("other", "other"), "other", {}, {}, {}});
         b.workloads.push_back({case_manifest(other_operation, 8), std::nullopt});
         b.runs[0].manifest = run_manifest(
             {digest_of(b.implementations[0].manifest), digest_of(b.workloads[1].manifest), "300"});
       },
       "operation_mismatch", "/runs/0/manifest/spec/implementationDigest"},
      {"a slug with a capital letter", [](Bundle& b) { b.operations[0].slug = "Copy"; }, "bad_slug",
       "/operations/0/slug"},
      {"a source without a name", [](Bundle& b) { b.source.name.clear(); }, "missing_member",
       "/source/name"},
      {"a policy that is not an object", [](Bundle& b) { b.source.policy = "[]"; }, "wrong_type",
       "/source/policy"},
      {"content that is not what its digest says",
       [](Bundle& b) {
         b.runs[0].artifacts.push_back(log_artifact("passed"));
         b.runs[0].artifacts[0].content = "failed";
       },
       "wrong_digest", "/runs/0/artifacts/0/contentDigest"},
      {"an unknown kind of storage",
       [](Bundle& b) {
         b.implementations[0].artifacts.push_back(log_artifact("text"));
         b.implementations[0].artifacts[0].storage = "cloud";
       },
       "unknown_choice", "/implementations/0/artifacts/0/storage"},
      {"an instant that is not in its canonical spelling",
       [](Bundle& b) {
         b.runs[0].manifest =
             replaced(b.runs[0].manifest, "2026-08-01T12:00:00.000Z", "2026-08-01T12:00:00Z");
       },
       "noncanonical_instant", "/runs/0/manifest/spec/observedAt"},
  };
  must_publish(group_bundle({{"500"}}, 50));
  const catalog::Head before = *store_.head();
  for (const Refusal& refusal : refusals) {
    Bundle bundle = group_bundle({{"300"}});
    // What the catalog has does not help here: another operation of its own.
    const std::string operation = operation_manifest("copy", "copy-2");
    const Digest own = digest_of(operation);
    bundle.operations[0] = {operation, "copy-2", {}, {}, {}};
    bundle.workloads[0] = {case_manifest(own, 4096), std::nullopt};
    bundle.implementations[0].manifest = implementation_manifest(own, "1");
    bundle.runs[0].manifest = run_manifest({digest_of(bundle.implementations[0].manifest),
                                            digest_of(bundle.workloads[0].manifest), "300"});
    ASSERT_TRUE(publisher().check(bundle)) << "the bundle holds before it is spoiled";
    refusal.spoil(bundle);
    const auto published = publisher().publish(bundle);
    ASSERT_FALSE(published) << refusal.why;
    EXPECT_EQ(published.error().code(), Code::kInvalidArgument) << refusal.why;
    std::string said = published.error().to_string();
    EXPECT_TRUE(std::ranges::any_of(published.error().issues(),
                                    [&](const Issue& issue) {
                                      return issue.code == refusal.code &&
                                             issue.pointer == refusal.pointer;
                                    }))
        << refusal.why << ": " << said;
    const auto checked = publisher().check(bundle);
    ASSERT_FALSE(checked) << refusal.why;
    EXPECT_EQ(checked.error().to_string(), said) << refusal.why;
    EXPECT_EQ(store_.head()->chain, before.chain) << refusal.why;
    EXPECT_EQ(live_->current()->seq(), before.seq) << refusal.why;
  }
  expect_sound();
}

TEST_F(PublisherTest, reports_the_problems_of_all_manifests_at_once) {
  Bundle bundle = group_bundle({{"300"}, {"200"}});
  bundle.projects[0].manifest = "{}";
  bundle.operations[0].slug = "no slug";
  bundle.runs[1].manifest = replaced(bundle.runs[1].manifest, "passed", "perfect");
  const auto published = publisher().publish(bundle);
  ASSERT_FALSE(published);
  std::vector<std::string> lists;
  for (const Issue& issue : published.error().issues()) {
    lists.push_back(issue.pointer.substr(0, issue.pointer.find('/', 1)));
  }
  EXPECT_THAT(lists, testing::AllOf(testing::Contains("/projects"),
                                    testing::Contains("/operations"), testing::Contains("/runs")));
}

TEST_F(PublisherTest, a_slug_of_an_operation_never_changes_its_meaning) {
  must_publish(group_bundle({{"300"}}));
  Bundle bundle;
  bundle.source = {"example-source", "benchmark", "Example source", std::nullopt};
  bundle.operations.push_back({operation_manifest("copy", "other"), "copy", {}, {}, {}});
  auto published = publisher().publish(bundle);
  ASSERT_FALSE(published);
  EXPECT_EQ(published.error().code(), Code::kConflict);
  ASSERT_EQ(published.error().issues().size(), 1U);
  EXPECT_EQ(published.error().issues()[0].code, "slug_taken");
  EXPECT_EQ(published.error().issues()[0].pointer, "/operations/0/slug");

  bundle.operations[0].slug = "fresh";
  bundle.operations.push_back({operation_manifest("copy", "third"), "fresh", {}, {}, {}});
  published = publisher().publish(bundle);
  ASSERT_FALSE(published) << "two meanings of one slug inside a bundle";
  EXPECT_EQ(published.error().issues()[0].code, "slug_taken");
}

TEST_F(PublisherTest, imports_keep_a_run_of_another_operation_and_flag_it) {
  Bundle bundle = group_bundle({{"300"}});
  bundle.operations.push_back({operation_manifest("other", "other"), "other", {}, {}, {}});
  bundle.workloads.push_back(
      {case_manifest(digest_of(bundle.operations[1].manifest), 8), std::nullopt});
  bundle.runs[0].manifest = run_manifest({digest_of(bundle.implementations[0].manifest),
                                          digest_of(bundle.workloads[1].manifest), "300"});
  const PublishReport report = must_publish(bundle, {.allow_operation_mismatch = true});
  ASSERT_EQ(report.run_ids.size(), 1U);
  EXPECT_NE(run(report.run_ids[0]).flags & catalog::run_flags::kOperationMismatch, 0U);
}

TEST_F(PublisherTest, the_compat_profile_takes_spellings_that_the_strict_one_refuses) {
  Bundle bundle = group_bundle({{"300"}});
  bundle.runs[0].manifest =
      replaced(bundle.runs[0].manifest, "2026-08-01T12:00:00.000Z", "2026-08-01T12:00:00Z");
  EXPECT_FALSE(publisher().publish(bundle));
  const PublishReport report = must_publish(bundle, {.profile = manifest::Profile::kCompat});
  EXPECT_EQ(report.runs_published, 1U);
}

TEST_F(PublisherTest, a_failed_run_is_stored_and_never_ranked) {
  Bundle bundle = group_bundle({{"300"}, {"100"}});
  bundle.runs[1].manifest = run_manifest({digest_of(bundle.implementations[1].manifest),
                                          digest_of(bundle.workloads[0].manifest), "",
                                          "2026-08-01T12:00:00.000Z", "runtime_error"});
  const PublishReport report = must_publish(bundle);
  ASSERT_EQ(report.run_ids.size(), 2U);
  EXPECT_EQ(run(report.run_ids[0]).rank, 1U);
  EXPECT_EQ(run(report.run_ids[1]).rank, 0U);
}

TEST_F(PublisherTest, new_tags_and_a_new_policy_replace_the_stored_ones_and_are_audited) {
  Bundle bundle = group_bundle({{"300"}});
  bundle.source.policy = R"({"license":"A"})";
  const PublishReport first = must_publish(bundle);
  const std::string operation(rows(Table::kOperations)[0].root.find("id")->string());

  bundle.source.policy = R"({ "terms": "t", "license": "B" })";
  bundle.operations[0].tags = {"memory", "bandwidth"};
  const PublishReport second = must_publish(bundle);
  EXPECT_THAT(second.updates,
              ElementsAre("policy of source example-source", "tags of operation copy"));
  EXPECT_EQ(column(Table::kSources, first.source_id, "policy"), R"({"license":"B","terms":"t"})");
  EXPECT_EQ(column(Table::kOperations, operation, "tags"), R"(["memory","bandwidth"])");
  std::map<std::string, std::string> prior;
  for (const json::Document& event : rows(Table::kAuditEvents)) {
    prior[std::string(event.root.find("action")->string())] =
        json::canonical(*event.root.find("priorState"));
  }
  EXPECT_EQ(prior["update_source_policy"], R"({"policy":{"license":"A"}})");
  EXPECT_EQ(prior["update_operation_tags"], R"({"tags":["memory"]})");

  EXPECT_FALSE(must_publish(bundle).commit) << "the same again";
  bundle.operations[0].tags = {};
  bundle.source.policy = std::nullopt;
  EXPECT_FALSE(must_publish(bundle).commit) << "nothing said is nothing changed";
  expect_sound();
}

TEST_F(PublisherTest, a_project_that_exists_wins_unchanged) {
  must_publish(group_bundle({{"300"}}));
  Bundle bundle = group_bundle({{"300"}});
  bundle.projects[0].manifest = project_manifest("renamed-project");
  EXPECT_FALSE(must_publish(bundle).commit);
  EXPECT_EQ(rows(Table::kProjects)[0].root.find("name")->string(), "example-project");
}

TEST_F(PublisherTest, artifacts_are_stored_once_and_linked_to_their_runs) {
  Bundle bundle = group_bundle({{"300"}, {"200"}});
  bundle.runs[0].artifacts.push_back(log_artifact("same log"));
  bundle.runs[1].artifacts.push_back(log_artifact("same log"));
  const PublishReport report = must_publish(bundle);
  EXPECT_EQ(count_of(report, "artifacts").inserted, 1U);
  EXPECT_EQ(count_of(report, "artifacts").existing, 1U);
  EXPECT_EQ(count_of(report, "run_artifacts").inserted, 2U);
  EXPECT_FALSE(must_publish(bundle).commit);
  expect_sound();
}

TEST_F(PublisherTest, snapshots_are_stored_once_for_each_content_and_place) {
  Bundle bundle = group_bundle({{"300"}});
  const BundleSnapshot snapshot{"https://example.invalid/a",
                                std::nullopt,
                                Digest::of("body"),
                                "application/json",
                                4,
                                "body",
                                "example",
                                "1",
                                clock_.now(),
                                clock_.now()};
  bundle.snapshots = {snapshot, snapshot};
  const PublishReport report = must_publish(bundle);
  EXPECT_EQ(count_of(report, "source_snapshots").inserted, 1U);
  EXPECT_FALSE(must_publish(bundle).commit);
  bundle.snapshots[0].locator = "https://example.invalid/b";
  EXPECT_TRUE(must_publish(bundle).commit);
  expect_sound();
}

TEST_F(PublisherTest, check_says_what_publish_would_do_and_stores_nothing) {
  const Bundle bundle = group_bundle({{"300"}, {"100"}});
  const auto checked = publisher().check(bundle);
  ASSERT_TRUE(checked) << checked.error().to_string();
  EXPECT_EQ(head(), 0U);
  EXPECT_FALSE(checked->commit);
  EXPECT_EQ(count_of(*checked, "benchmark_runs").inserted, 2U);
  EXPECT_EQ(checked->leader_changes, must_publish(bundle).leader_changes);
}

TEST_F(PublisherTest, leader_changes_tell_new_runs_from_late_observations) {
  const auto publish = [&](Timing timing, int version) {
    clock_.set(Instant{clock_.now().ms + 1000});
    must_publish(group_bundle({std::move(timing)}, version));
  };
  publish({"300", "2026-08-02T00:00:00.000Z"}, 1);
  publish({"400", "2026-08-03T00:00:00.000Z"}, 2);
  EXPECT_THAT(leader_history(), ElementsAre("new_run 300")) << "400 does not lead";
  publish({"200", "2026-08-04T00:00:00.000Z"}, 3);
  publish({"100", "2026-08-01T00:00:00.000Z"}, 4);
  EXPECT_THAT(leader_history(), ElementsAre("new_run 300", "new_run 200", "late_observation 100"));
  expect_sound();
}

TEST_F(PublisherTest,
       a_clock_that_stands_still_or_goes_back_never_makes_two_publications_simultaneous) {
  const std::int64_t start = clock_.now().ms;
  must_publish(group_bundle({{"300", "2026-08-02T00:00:00.000Z"}}, 1));
  must_publish(group_bundle({{"100", "2026-08-01T00:00:00.000Z"}}, 2));
  clock_.set(Instant{start - 60'000});
  must_publish(group_bundle({{"50", "2026-07-31T00:00:00.000Z"}}, 3));
  const auto commits = store_.commits(0).value();
  ASSERT_EQ(commits.size(), 3U);
  for (std::size_t i = 0; i < commits.size(); ++i) {
    EXPECT_EQ(commits[i].at.ms, start + static_cast<std::int64_t>(i));
  }
  EXPECT_THAT(leader_history(),
              ElementsAre("new_run 300", "late_observation 100", "late_observation 50"));
  expect_sound();
}

TEST_F(PublisherTest, every_publication_is_audited_with_its_actor) {
  const PublishReport report = must_publish(group_bundle({{"300"}}));
  const auto events = rows(Table::kAuditEvents);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].root.find("action")->string(), "publish");
  EXPECT_EQ(events[0].root.find("actor")->string(), "maintainer:cli");
  EXPECT_EQ(events[0].root.find("targetId")->string(), report.source_id);
  EXPECT_THAT(std::string(events[0].root.find("reason")->string()), HasSubstr("1 benchmark_runs"));
}

TEST_F(PublisherTest, says_so_when_another_writer_holds_the_catalog) {
  const auto other = store_.begin();
  ASSERT_TRUE(other);
  const auto published = publisher().publish(group_bundle({{"300"}}));
  ASSERT_FALSE(published);
  EXPECT_EQ(published.error().code(), Code::kUnavailable);
}

TEST_F(PublisherTest, publishes_serving_bundles_once) {
  const PublishReport report = must_publish(serving_bundle());
  for (const std::string_view entity :
       {"model_revisions", "serving_stack_revisions", "serving_configurations", "serving_workloads",
        "serving_runs"}) {
    EXPECT_EQ(count_of(report, entity).inserted, 1U) << entity;
  }
  EXPECT_EQ(report.runs_published, 1U);
  const PublishReport again = must_publish(serving_bundle());
  EXPECT_FALSE(again.commit);
  EXPECT_EQ(again.run_ids, report.run_ids);
  expect_sound();
}

TEST_F(PublisherTest, a_serving_bundle_must_hold_everything_that_its_runs_name) {
  must_publish(serving_bundle());  // that the catalog has what is named does not count
  struct Case {
    const char* why;
    std::function<void(ServingBundle&)> spoil;
    const char* pointer;
  };
  for (const Case& c : std::vector<Case>{
           {"no model", [](ServingBundle& b) { b.models.clear(); },
            "/runs/0/manifest/spec/modelDigest"},
           {"no workload", [](ServingBundle& b) { b.workloads.clear(); },
            "/runs/0/manifest/spec/workloadDigest"},
           {"no configuration", [](ServingBundle& b) { b.configurations.clear(); },
            "/runs/0/manifest/spec/configurationDigest"},
           {"no stack",
            [](ServingBundle& b) {
              b.stacks.clear();
              b.configurations[0].manifest =
                  replaced(b.configurations[0].manifest, "tensor: 2", "tensor: 4");
            },
            "/configurations/0/manifest/spec/stackDigest"},
           {"no project", [](ServingBundle& b) { b.projects.clear(); }, "/stacks/0/projectSlug"}}) {
    ServingBundle bundle = serving_bundle();
    bundle.runs[0].manifest = replaced(bundle.runs[0].manifest, "3120.25", "3125.75");
    ASSERT_TRUE(publisher().check(bundle)) << "a new run, before the bundle is spoiled";
    c.spoil(bundle);
    const auto published = publisher().publish(bundle);
    ASSERT_FALSE(published) << c.why;
    EXPECT_TRUE(std::ranges::any_of(published.error().issues(),
                                    [&](const Issue& issue) {
                                      return issue.code == "dangling_reference" &&
                                             issue.pointer == c.pointer;
                                    }))
        << c.why << ": " << published.error().to_string();
  }
}

}  // namespace
}  // namespace ki::publish
