// The golden files over the public catalog (spec 17: every count there is ranking-v1).
#include "golden.h"

#include "ki/base/uuid.h"
#include "ki/views/lists.h"
#include "ki/views/model_view.h"
#include "ki/views/operation_view.h"
#include "ki/views/project_view.h"
#include "ki/views/run_view.h"
#include "ki/views_testing/public_catalog.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace ki::views::testing {
namespace {

using ki::testing::Divergences;

// The goldens do not say of which day they are. What they call stale bounds it: their day lies
// between 2026-10-27 and 2026-12-04.
constexpr Instant kNow{1'795'996'800'000};

Index find_run(const catalog::Snapshot& s, std::string_view id) {
  const auto uuid = Uuid::parse(id);
  return uuid ? s.find_run(*uuid) : kNone;
}

TEST(GoldenViews, RunPagesShowWhatTheSeedPagesShow) {
  KI_REQUIRE_PUBLIC_CATALOG(world);
  const auto golden = read_golden("run-pages.json");
  ASSERT_TRUE(golden.has_value());
  Divergences divergences("run-pages.json");
  for (const json::Member& page : golden->root.members()) {
    const std::string_view id = page.key.substr(page.key.find('/') + 1);
    const Index run = find_run(*world->snapshot, id);
    ASSERT_NE(run, kNone) << id;
    const auto view = run_view(*world->snapshot, *world->store, run,
                               {.now = kNow, .public_url = "https://example.org"});
    ASSERT_TRUE(view.has_value()) << view.error().to_string();
    const auto ours = written([&](json::Writer& w) { write_json(w, *view); });
    expect_golden(divergences, std::string(view->operation.slug), page.value, &ours.root);
  }
  divergences.expect_all_seen();
}

TEST(GoldenViews, OperationDossiersAgree) {
  KI_REQUIRE_PUBLIC_CATALOG(world);
  struct Page {
    std::string_view file, slug;
  };
  constexpr Page kPages[] = {
      {"operation-gemm-n4096-k4096.json", "gemm-n4096-k4096"},
      {"operation-gpumode-trimul.json", "gpumode-trimul"},
      {"operation-gpumode-amd-fp8-mm.json", "gpumode-amd-fp8-mm"},
  };
  for (const Page& page : kPages) {
    const auto golden = read_golden(page.file);
    ASSERT_TRUE(golden.has_value());
    Divergences divergences(page.file);
    const Index operation = world->snapshot->find_operation(page.slug);
    ASSERT_NE(operation, kNone);
    OperationViewOptions options;
    options.now = kNow;
    options.records_limit = 1000;
    options.workloads_limit = 1000;
    options.implementations_limit = 10'000;
    const auto view = operation_view(*world->snapshot, *world->store, operation, options);
    ASSERT_TRUE(view.has_value()) << view.error().to_string();
    const auto ours = written([&](json::Writer& w) { write_json(w, *world->snapshot, *view); });
    for (const json::Member& part : golden->root.members()) {
      const std::string key(part.key);
      if (key == "workloadCount") {
        divergences.expect(key, json::canonical(part.value), std::to_string(view->workloads_total));
      } else if (key == "workloadsFirst" || key == "implementationsFirst") {
        // The order of these lists is ours; each row of the golden is one of ours.
        const bool is_workload = key == "workloadsFirst";
        const json::Value& list = *ours.root.find(is_workload ? "workloads" : "implementations");
        for (const json::Value& row : part.value.items()) {
          const std::string_view id = row.find(is_workload ? "id" : "slug")->string();
          const json::Value* mine = nullptr;
          for (const json::Value& item : list.items()) {
            if (item.find(is_workload ? "id" : "slug")->string() == id) mine = &item;
          }
          expect_golden(divergences, fmt::format("{}/{}", key, id), row, mine);
        }
      } else if (key == "recordsFirst") {
        for (std::size_t i = 0; i < part.value.items().size(); ++i) {
          const json::Value& row = part.value.items()[i];
          const json::Value& mine = ours.root.find("records")->items()[i];
          for (const std::string_view member :
               {"runId", "implementation", "project", "operation", "workloadSummary", "hardware",
                "primary", "evidence", "rank", "tiedWithPrevious", "cohortSize", "baseline",
                "sourceAvailable", "installable", "license", "lastTestedAt", "indexedAt", "stale",
                "solScore"}) {
            expect_golden(divergences, fmt::format("{}/{}/{}", key, i, member), *row.find(member),
                          mine.find(member));
          }
        }
      } else {
        expect_golden(divergences, key, part.value, ours.root.find(key));
      }
    }
    divergences.expect_all_seen();
  }
}

TEST(GoldenViews, ModelDossiersAgree) {
  KI_REQUIRE_PUBLIC_CATALOG(world);
  const auto golden = read_golden("model-pages.json");
  ASSERT_TRUE(golden.has_value());
  Divergences divergences("model-pages.json");
  for (const json::Member& page : golden->root.members()) {
    const std::string_view slug = page.value.find("model")->find("slug")->string();
    const auto view = model_view(*world->snapshot, slug, {.now = kNow});
    ASSERT_TRUE(view.has_value()) << view.error().to_string();
    const auto ours = written([&](json::Writer& w) { write_json(w, *world->snapshot, *view); });
    for (const json::Member& part : page.value.members()) {
      const std::string key = fmt::format("{}/{}", slug, part.key);
      const json::Value* mine = ours.root.find(part.key);
      ASSERT_NE(mine, nullptr) << key;
      if (part.key != "groups") {
        expect_golden(divergences, key, part.value, mine);
        continue;
      }
      ASSERT_EQ(mine->items().size(), part.value.items().size()) << key;
      for (std::size_t g = 0; g < mine->items().size(); ++g) {
        const json::Value& theirs = part.value.items()[g];
        const json::Value& group = mine->items()[g];
        expect_golden(divergences, fmt::format("{}/{}/family", key, g), *theirs.find("family"),
                      group.find("family"));
        const auto entries = theirs.find("entries")->items();
        const auto own = group.find("entries")->items();
        ASSERT_EQ(own.size(), entries.size()) << key << g;
        for (std::size_t e = 0; e < entries.size(); ++e) {
          const std::string at = fmt::format("{}/{}/{}", key, g, e);
          for (const char* member :
               {"operation", "family", "deployable", "workloadId", "alternatives"}) {
            expect_golden(divergences, at + "/" + member, *entries[e].find(member),
                          own[e].find(member));
          }
          for (const char* member : {"runId", "implementation", "rank", "primary"}) {
            expect_golden(divergences, at + "/fastest/" + member,
                          *entries[e].find("fastest")->find(member),
                          own[e].find("fastest")->find(member));
          }
          expect_golden(divergences, at + "/comparisonKey",
                        *entries[e].find("cohort")->find("comparisonKey"),
                        own[e].find("cohort")->find("comparisonKey"));
        }
      }
    }
  }
  divergences.expect_all_seen();
  EXPECT_EQ(model_view(*world->snapshot, "no-such-model", {}).error().code(), Code::kNotFound);
  const auto other =
      model_view(*world->snapshot, "deepseek-r1", {.gpu = "nvidia-b200", .now = kNow});
  EXPECT_EQ(other->selected_gpu, "NVIDIA B200");
}

TEST(GoldenViews, HardwareListsEveryGpu) {
  KI_REQUIRE_PUBLIC_CATALOG(world);
  const auto golden = read_golden("hardware.json");
  const auto coverage = read_golden("hardware-coverage.json");
  ASSERT_TRUE(golden.has_value() && coverage.has_value());
  Divergences divergences("hardware.json");
  const auto kernel = list_hardware(*world->snapshot, nullptr);
  const auto ours = written([&](json::Writer& w) {
    w.begin_array();
    for (const HardwareItem& item : kernel) write_json(w, item);
    w.end_array();
  });
  ASSERT_EQ(ours.root.items().size(), golden->root.items().size());
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    const json::Value& row = golden->root.items()[i];
    for (const std::string_view key :
         {"slug", "model", "architecture", "operations", "records", "lastObservedAt"}) {
      expect_golden(divergences, fmt::format("{}/{}", kernel[i].slug, key), *row.find(key),
                    ours.root.items()[i].find(key));
    }
    expect_golden(divergences, fmt::format("{}/runs", kernel[i].slug), *row.find("runs"),
                  ours.root.items()[i].find("kernelRuns"));
  }
  divergences.expect_all_seen();

  const auto serving = read_serving_facts(*world->snapshot, *world->store);
  ASSERT_TRUE(serving.has_value()) << serving.error().to_string();
  const auto all = list_hardware(*world->snapshot, &*serving);
  ASSERT_EQ(all.size(), coverage->root.items().size());
  Divergences serving_divergences("hardware-coverage.json");
  for (const json::Value& row : coverage->root.items()) {
    const std::string_view slug = row.find("slug")->string();
    const auto mine = std::ranges::find(all, slug, &HardwareItem::slug);
    ASSERT_NE(mine, all.end()) << slug;
    const auto text = written([&](json::Writer& w) { write_json(w, *mine); });
    expect_golden(serving_divergences, std::string(slug), row, &text.root);
  }
  serving_divergences.expect_all_seen();
}

TEST(GoldenViews, ModelsAreListedWithTheirOperations) {
  KI_REQUIRE_PUBLIC_CATALOG(world);
  const auto golden = read_golden("models.json");
  ASSERT_TRUE(golden.has_value());
  Divergences divergences("models.json");
  const ModelList list = list_models(*world->snapshot);
  EXPECT_EQ(static_cast<std::int64_t>(list.kernel.size()),
            golden->root.find("kernelCount")->integer());
  const auto ours = written([&](json::Writer& w) { write_json(w, list); });
  const auto first = golden->root.find("kernel")->items();
  for (std::size_t i = 0; i < first.size(); ++i) {
    expect_golden(divergences, fmt::format("kernel/{}", i), first[i],
                  &ours.root.find("kernel")->items()[i]);
  }
  expect_golden(divergences, "serving", *golden->root.find("serving"), ours.root.find("serving"));
  divergences.expect_all_seen();
}

TEST(GoldenViews, SourcesSayHowMuchTheyHold) {
  KI_REQUIRE_PUBLIC_CATALOG(world);
  const auto golden = read_golden("coverage.json");
  ASSERT_TRUE(golden.has_value());
  Divergences divergences("coverage.json");
  const auto serving = read_serving_facts(*world->snapshot, *world->store);
  ASSERT_TRUE(serving.has_value());
  const auto list = list_sources(*world->snapshot, world->store.get(), &*serving);
  ASSERT_TRUE(list.has_value());
  const auto ours = written([&](json::Writer& w) {
    w.begin_array();
    for (const SourceItem& item : *list) write_json(w, item);
    w.end_array();
  });
  expect_golden(divergences, "sources", *golden->root.find("sources"), &ours.root);
  const auto grid = written([&](json::Writer& w) { write_json(w, coverage(*world->snapshot)); });
  expect_golden(divergences, "hero", *golden->root.find("hero"), &grid.root);
  divergences.expect_all_seen();
}

TEST(GoldenViews, HomeCountsAgree) {
  KI_REQUIRE_PUBLIC_CATALOG(world);
  const auto golden = read_golden("home.json");
  ASSERT_TRUE(golden.has_value());
  Divergences divergences("home.json");
  const Stats counts = stats(*world->ledger);
  const auto ours = written([&](json::Writer& w) { write_json(w, counts); });
  expect_golden(divergences, "stats", *golden->root.find("stats"), &ours.root);
  divergences.expect_all_seen();
  EXPECT_EQ(counts.groups, 1828u);
  EXPECT_EQ(counts.contested_groups, 402u);
  EXPECT_EQ(counts.record_events, 2948u);
  // 1,120 changes of leader: 569 by the holder's own project, 73 within 0.5 %.
  EXPECT_EQ(counts.breaks, 478u);
}

TEST(GoldenViews, ProjectsAgree) {
  KI_REQUIRE_PUBLIC_CATALOG(world);
  const auto golden = read_golden("projects.json");
  ASSERT_TRUE(golden.has_value());
  Divergences divergences("projects.json");
  ProjectListOptions options;
  options.policy = RecordPolicy::kRankingV1;
  options.now = kNow;
  options.limit = 1000;
  const ProjectList list = list_projects(*world->ledger, options);
  divergences.expect("count", json::canonical(*golden->root.find("count")),
                     std::to_string(list.total));
  const auto first = golden->root.find("first")->items();
  for (const json::Value& row : first) {
    const std::string_view slug = row.find("slug")->string();
    const auto mine = std::ranges::find(list.items, slug, &ProjectItem::slug);
    ASSERT_NE(mine, list.items.end()) << slug;
    const auto text = written([&](json::Writer& w) { write_json(w, *mine); });
    expect_golden(divergences, std::string(slug), row, &text.root);
    const ProjectView view = project_view(*world->ledger, mine->project, {.now = kNow});
    EXPECT_EQ(view.runs, mine->runs) << slug;
    EXPECT_EQ(view.records_total, mine->records) << slug;
  }
  for (std::size_t i = 0; i < first.size(); ++i) {
    divergences.expect(fmt::format("order/{}", i), first[i].find("slug")->string(),
                       list.items[i].slug);
  }
  divergences.expect_all_seen();
}

RecordOptions ledger_options(const json::Value& filters) {
  RecordOptions options;
  options.policy = RecordPolicy::kRankingV1;
  options.limit = 5;
  if (const auto* v = filters.find("source")) options.with_sourceless = !v->boolean();
  if (const auto* v = filters.find("baselines")) options.with_baselines = v->boolean();
  if (const auto* v = filters.find("hardware")) options.hardware = v->string();
  if (const auto* v = filters.find("filter")) options.text = v->string();
  if (const auto* v = filters.find("sort")) options.sort = *parse_record_sort(v->string());
  if (const auto* v = filters.find("view")) options.view = *parse_record_view(v->string());
  return options;
}

TEST(GoldenViews, TheLedgerAgreesUnderRankingV1) {
  KI_REQUIRE_PUBLIC_CATALOG(world);
  const auto golden = read_golden("ledger.json");
  ASSERT_TRUE(golden.has_value());
  Divergences divergences("ledger.json");
  for (const json::Member& view : golden->root.members()) {
    const std::string name(view.key);
    const RecordOptions options = ledger_options(*view.value.find("filters"));
    const RecordPage page = list_records(*world->ledger, options, kNow);
    const auto expect = [&](std::string_view key, const json::Value& golden_value,
                            std::size_t ours) {
      divergences.expect(fmt::format("{}/{}", name, key), json::canonical(golden_value),
                         std::to_string(ours));
    };
    expect("total", *view.value.find("total"), page.total);
    expect("counts/current", *view.value.find("counts")->find("current"), page.holders);
    expect("counts/history", *view.value.find("counts")->find("history"), page.events);
    expect("baselineCount", *view.value.find("baselineCount"), page.baselines);
    expect("verifiedCount", *view.value.find("verifiedCount"), page.verified);
    divergences.expect(name + "/context", view.value.find("context")->string(),
                       fmt::format("{} records across {} operations · {} GPUs", page.holders,
                                   world->ledger->operations(), world->ledger->hardware().size()));
    const auto first = view.value.find("first")->items();
    for (std::size_t i = 0; i < first.size(); ++i) {
      ASSERT_LT(i, page.items.size()) << name;
      const RecordItem& item = page.items[i];
      const auto ours = written([&](json::Writer& w) {
        w.begin_array()
            .value(item.operation.slug)
            .value(item.hardware)
            .value(world->snapshot->runs()[item.holder->run].value)
            .value(item.history_total)
            .value(std::string_view(item.comparison_key).substr(7, 16))
            .end_array();
      });
      divergences.expect(fmt::format("{}/first/{}", name, i), json::canonical(first[i]),
                         json::canonical(ours.root));
    }
  }
  divergences.expect_all_seen();
}

TEST(GoldenViews, TheFirstHoldersAgreeInFull) {
  KI_REQUIRE_PUBLIC_CATALOG(world);
  const auto golden = read_golden("records-first20.json");
  ASSERT_TRUE(golden.has_value());
  Divergences divergences("records-first20.json");
  RecordOptions options;
  options.policy = RecordPolicy::kRankingV1;
  options.sort = RecordSort::kDate;
  options.with_baselines = options.with_sourceless = true;
  options.limit = 20;
  const RecordPage page = list_records(*world->ledger, options, kNow);
  const auto rows = golden->root.items();
  ASSERT_EQ(page.items.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto ours = written([&](json::Writer& w) { write_json(w, page, page.items[i]); });
    for (const json::Member& member : rows[i].members()) {
      const std::string row = fmt::format("{}/{}", i, member.key);
      const json::Value* mine = ours.root.find(member.key);
      if (member.key != "current") {
        expect_golden(divergences, row, member.value, mine);
        continue;
      }
      for (const json::Member& part : member.value.members()) {
        // A holder is shown with its rank; the ledger of the original had none. Attestations and
        // disputes come with the pages.
        if (part.key == "rank" || part.key == "cohortSize" || part.key == "caveats" ||
            part.key == "disputed" || part.key == "attestations") {
          continue;
        }
        expect_golden(divergences, fmt::format("{}/{}", row, part.key), part.value,
                      mine->find(part.key));
      }
    }
  }
  divergences.expect_all_seen();
}

}  // namespace
}  // namespace ki::views::testing
