#include "ki/http/target.h"
#include "page_check.h"
#include "web_world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace ki::web::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of(std::string_view target, int status = 200) {
  return visible_text(states_world().web->page(target, status));
}

// Every address that pages link to, from the home page on; each page passes the strict check.
TEST(Pages, EveryLinkedAddressOfTheSiteAnswersAndIsWellFormed) {
  const WebWorld& web = *states_world().web;
  std::set<std::string> seen;
  std::vector<std::string> open = {"/", "/records?source=0&baselines=1&view=history",
                                   "/operations/unmeasured", "/search?q=zzz"};
  for (const std::string& run :
       {states_world().first, states_world().failed, states_world().hostile}) {
    open.push_back("/runs/" + run);
  }
  std::size_t pages = 0;
  while (!open.empty() && seen.size() < 1500) {
    const std::string target = open.back();
    open.pop_back();
    if (!seen.insert(target).second) continue;
    const auto parsed = http::parse_target(target);
    ASSERT_TRUE(parsed.has_value()) << target;
    // Served by the API, beside these pages.
    if (parsed->path.starts_with("/api/")) continue;
    const http::Response response = web.get(target);
    EXPECT_THAT(response.status, AnyOf(200, 301)) << target;
    const std::string body(response.body.bytes());
    if (!response.content_type.starts_with("text/html")) continue;
    ++pages;
    for (const std::string& fault : page_faults(body)) ADD_FAILURE() << target << ": " << fault;
    EXPECT_THAT(body, Not(HasSubstr("<img"))) << target;
    for (std::size_t at = body.find(" href=\"/"); at != body.npos;
         at = body.find(" href=\"/", at + 1)) {
      std::string link = body.substr(at + 7, body.find('"', at + 7) - at - 7);
      for (std::size_t amp = link.find("&amp;"); amp != link.npos; amp = link.find("&amp;")) {
        link.replace(amp, 5, "&");
      }
      open.push_back(link.substr(0, link.find('#')));
    }
  }
  EXPECT_GT(pages, 60U);
}

TEST(Home, AsksTheQuestionAndCountsWhatIsThere) {
  const std::string text = text_of("/");
  EXPECT_THAT(text, HasSubstr("What is the fastest kernel for my exact workload"));
  EXPECT_THAT(text, HasSubstr("3 measured operations"));
  EXPECT_THAT(text, HasSubstr("Latest records"));
  EXPECT_THAT(text, HasSubstr("0 are replicated, 0 verified by the index itself"));
}

TEST(Search, SaysThatAnExactResultExistsAndWhatRanksFirst) {
  const std::string text = text_of("/search?q=op:gemm-n64%20m%3D128%20gpu:B200");
  EXPECT_THAT(text, HasSubstr("Exact: 3 runs of the case asked for"));
  EXPECT_THAT(text, HasSubstr("First by reported value"));
  EXPECT_THAT(squeezed(text), HasSubstr("1.00µsmedianof100"));
  EXPECT_THAT(text, HasSubstr("Installable; licence MIT."));
  EXPECT_THAT(text, HasSubstr("nobody known to the index has reproduced it"));
  EXPECT_THAT(text, HasSubstr("not tested"));
  EXPECT_THAT(text, HasSubstr("GPU NVIDIA B200"));
}

TEST(Search, KeepsFiltersAsChipsThatCanBeRemoved) {
  const std::string page = states_world().web->page("/search?q=op:gemm-n64%20gpu:B200");
  EXPECT_THAT(page, HasSubstr("remove this filter"));
  EXPECT_THAT(page, AnyOf(HasSubstr("href=\"/search?q=op:gemm-n64%20\""),
                          HasSubstr("href=\"/search?q=op:gemm-n64\"")));
}

TEST(Search, ShowsNeighboursOfACaseThatNobodyMeasuredAndNoNumberForIt) {
  const std::string text = text_of("/search?q=op:gemm-n64%20m%3D300");
  EXPECT_THAT(text, HasSubstr("No exact result"));
  EXPECT_THAT(text, HasSubstr("nothing is interpolated"));
  EXPECT_THAT(text, HasSubstr("m = 256"));
  EXPECT_THAT(text, HasSubstr("m = 512"));
}

TEST(Search, StatesWhatAFilterHidesWithTheLowerValue) {
  const std::string text = text_of("/search?q=op:gemm-n64%20m%3D128&verified=1");
  EXPECT_THAT(text, HasSubstr("The filters hide 3 runs of this group, among them #1"));
}

TEST(Search, ListsOperationsToChooseFrom) {
  EXPECT_THAT(text_of("/search?q="), HasSubstr("4 operations"));
  EXPECT_THAT(text_of("/search?q=qqqqqq"), HasSubstr("Nothing found"));
  EXPECT_THAT(text_of("/search?q=model:llama"), HasSubstr("GEMM n64"));
}

TEST(Search, ShowsWhatItDidNotUnderstand) {
  EXPECT_THAT(text_of("/search?q=op:gemm-n64%20dtype:nonsense"), HasSubstr("nonsense"));
  text_of("/search?cohort=sha256:00", 404);
}

TEST(Search, HostileQueriesStayText) {
  const std::string page =
      states_world().web->page("/search?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E");
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, HasSubstr("&quot;&gt;&lt;script&gt;"));
}

TEST(Operation, PlotsTheSweepAndTheHistoryEachWithItsTable) {
  const std::string page = states_world().web->page("/operations/gemm-n64");
  const std::string text = visible_text(page);
  EXPECT_THAT(page, HasSubstr("aria-labelledby=\"sweep-plot-title\""));
  EXPECT_THAT(text, HasSubstr("Over m"));
  EXPECT_THAT(text, HasSubstr("The same as a table"));
  EXPECT_THAT(page, HasSubstr("/operations/gemm-n64/sweep.csv?cohort=sha256:"));
}

TEST(Operation, NamesTheGpuThatNobodyMeasured) {
  EXPECT_THAT(text_of("/operations/gemm-n64"), HasSubstr("Not measured here\nH100"));
}

TEST(Operation, SaysThatNothingWasMeasured) {
  EXPECT_THAT(text_of("/operations/unmeasured"),
              HasSubstr("Nothing of this operation was measured."));
  text_of("/operations/none", 404);
  text_of("/operations/gemm-n64?cohort=sha256:00", 404);
  text_of("/operations/gemm-n64?workload=nothing", 404);
}

TEST(Operation, GivesItsPlotsAsCsv) {
  const WebWorld& web = *states_world().web;
  EXPECT_THAT(web.page("/operations/gemm-n64/runs.csv"),
              HasSubstr("rank,run,implementation,revision,value,unit,statistic,evidence,observed"));
  EXPECT_THAT(web.page("/operations/gemm-n64/sweep.csv"),
              HasSubstr("m,implementation,run,value,unit"));
  EXPECT_THAT(web.page("/operations/gemm-n64/history.csv"), HasSubstr("observed,run,"));
}

TEST(Implementation, SaysWhetherItCanBeUsedAndHow) {
  const std::string text = text_of("/implementations/a1");
  EXPECT_THAT(text, HasSubstr("Can be installed."));
  EXPECT_THAT(text, HasSubstr("pip install it"));
  EXPECT_THAT(text_of("/implementations/b1"), HasSubstr("its source is not public"));
  text_of("/implementations/none", 404);
}

TEST(Implementation, ShowsWhatChangedSinceThePreviousSubmission) {
  views::testing::SmallCatalog catalog;
  catalog.source("bench");
  catalog.project("beta");
  catalog.operation({.slug = "gemm"});
  const auto add = [&](const std::string& number, const std::string& last_line) {
    catalog.implementation(
        {.slug = "sent-" + number,
         .project = "beta",
         .operation = "gemm",
         .revision = "submission-" + number,
         .spec = catalog.source_file("k.py", "a\nb\nc\nd\ne\n" + last_line + "\n")});
  };
  add("3", "old");
  add("12", std::string(kHostile));
  const auto snapshot = catalog.finish();
  const WebWorld web(snapshot, catalog.store(), Instant{1'769'817'600'000});
  const std::string page = web.page("/implementations/sent-12");
  const std::string text = visible_text(page);
  EXPECT_THAT(text, HasSubstr("Changed since the previous submission"));
  EXPECT_THAT(text, HasSubstr("(submission-3): 1 line added, 1 line deleted."));
  EXPECT_THAT(text, HasSubstr("2 unchanged lines"));
  EXPECT_THAT(page, HasSubstr("<del>-old</del>\n<ins>+&lt;img"));
  EXPECT_THAT(page, Not(HasSubstr("<script>")));
  EXPECT_THAT(web.page("/implementations/sent-3"), Not(HasSubstr("Changed since")));
}

TEST(Compare, RanksComparableRunsAndDrawsThem) {
  const StatesWorld& world = states_world();
  const std::string page = world.web->page("/compare?run=" + world.first + "&run=" + world.second);
  const std::string text = visible_text(page);
  EXPECT_THAT(text, HasSubstr("Comparable"));
  EXPECT_THAT(text, HasSubstr("1.25×"));
  EXPECT_THAT(page, HasSubstr("intervals-title"));
  EXPECT_THAT(page, HasSubstr("ki compare " + world.first));
}

TEST(Compare, NamesWhatDiffersFirst) {
  const StatesWorld& world = states_world();
  const std::string text =
      text_of("/compare?run=" + world.first + "&run=" + world.stale + "&run=bogus");
  EXPECT_THAT(text, HasSubstr("Not comparable"));
  EXPECT_THAT(text, HasSubstr("workload differs"));
  EXPECT_THAT(text, HasSubstr("No published run has the id bogus"));
}

TEST(Compare, TakesIdsFromOneFieldAndGivesCsvAndMarkdown) {
  const StatesWorld& world = states_world();
  const std::string both = "/compare?run=" + world.first + "+" + world.second;
  EXPECT_THAT(world.web->page(both + "&format=csv"),
              HasSubstr("\"primary\",\"1.00 µs\",\"1.25 µs\""));
  EXPECT_THAT(world.web->page(both + "&format=md"), HasSubstr("| value | 1.00 µs | 1.25 µs |"));
  EXPECT_THAT(text_of("/compare"), HasSubstr("Mark two to eight rows"));
}

TEST(Records, ListsLeadersAndSaysWhatItLeavesOut) {
  EXPECT_THAT(text_of("/records"), HasSubstr("GEMM n64"));
  EXPECT_THAT(text_of("/records?f=nothinglikethis"), HasSubstr("No record fits."));
  EXPECT_THAT(text_of("/records?f=matmul-64"), HasSubstr("GEMM n64"));
  EXPECT_THAT(text_of("/records?view=history&source=0"), HasSubstr("first"));
}

TEST(Gpus, ListFamiliesWithTheirGaps) {
  const std::string text = text_of("/gpus");
  EXPECT_THAT(text, HasSubstr("AMD Instinct MI300X"));
  EXPECT_THAT(text, HasSubstr("none"));
  EXPECT_THAT(text_of("/gpus/nvidia-b200"), HasSubstr("NVIDIA B200"));
  text_of("/gpus/none", 404);
}

TEST(Models, ShowWhatLeadsEachOperation) {
  EXPECT_THAT(text_of("/models"), HasSubstr("llama"));
  EXPECT_THAT(text_of("/models/llama"), HasSubstr("GEMM n64"));
  text_of("/models/none", 404);
}

TEST(Projects, ShowWhatTheyLead) {
  EXPECT_THAT(text_of("/projects"), HasSubstr("Project alpha"));
  EXPECT_THAT(text_of("/projects/alpha"), HasSubstr("Groups led"));
  text_of("/projects/none", 404);
}

TEST(Feed, TellsRecordsImportsAndCorrections) {
  const std::string text = text_of("/feed");
  EXPECT_THAT(text, HasSubstr("Import"));
  EXPECT_THAT(text, HasSubstr("wrong clock"));
}

TEST(Problems, SayWhatHappenedAndWhereToGo) {
  const std::string text = text_of("/nowhere/at/all", 404);
  EXPECT_THAT(text, HasSubstr("Not found"));
  EXPECT_THAT(text, HasSubstr("Nothing was changed."));
  EXPECT_THAT(states_world().web->page("/%3Cscript%3E", 404), Not(HasSubstr("<script>")));
}

TEST(Assets, AreServedUnderTheirContentForEver) {
  const WebWorld& web = *states_world().web;
  const std::string page = web.page("/");
  std::size_t script_bytes = 0;
  for (const std::string_view before : {" rel=\"stylesheet\" href=\"", "<script defer src=\""}) {
    const std::size_t at = page.find(before);
    ASSERT_NE(at, page.npos);
    const std::size_t from = at + before.size();
    const http::Response asset = web.get(page.substr(from, page.find('"', from) - from));
    EXPECT_EQ(asset.status, 200);
    EXPECT_EQ(asset.cache, http::Cache::kImmutable);
    EXPECT_FALSE(asset.etag.empty());
    script_bytes = asset.body.size();
  }
  EXPECT_LE(script_bytes, 15U * 1024);
  EXPECT_EQ(web.get("/assets/app.0000000000000000.css").status, 404);
}

TEST(Feeds, AreWellFormedAndSayWhatFell) {
  const WebWorld& web = *states_world().web;
  const std::string atom = web.page("/records/feed.xml");
  EXPECT_THAT(atom, HasSubstr("<feed xmlns=\"http://www.w3.org/2005/Atom\">"));
  EXPECT_THAT(atom, HasSubstr("<id>https://ki.example/records/feed.xml</id>"));
  EXPECT_THAT(web.page("/records/feed.json"), HasSubstr("https://jsonfeed.org/version/1.1"));
}

TEST(Machine, ListsItselfForCrawlersAndAgents) {
  const WebWorld& web = *states_world().web;
  EXPECT_THAT(web.page("/robots.txt"), HasSubstr("Sitemap: https://ki.example/sitemap.xml"));
  EXPECT_THAT(web.page("/sitemap.xml"), HasSubstr("/sitemaps/runs-0.xml"));
  EXPECT_THAT(web.page("/sitemaps/runs-0.xml"), HasSubstr(states_world().first));
  EXPECT_THAT(web.page("/sitemaps/pages.xml"), HasSubstr("/operations/gemm-n64"));
  EXPECT_EQ(web.get("/sitemaps/runs-9.xml").status, 404);
  EXPECT_THAT(web.page("/llms.txt"), HasSubstr("Name workload and comparison group"));
}

TEST(Badges, SayRecordsAndRanks) {
  const WebWorld& web = *states_world().web;
  EXPECT_THAT(web.page("/badges/implementations/a1.svg"), HasSubstr(">3 records</text>"));
  EXPECT_THAT(web.page("/badges/implementations/a1"), HasSubstr("kernelindex"));
  EXPECT_THAT(web.page("/badges/runs/" + states_world().first + ".svg"), HasSubstr("#1 of 3"));
  EXPECT_EQ(web.get("/badges/implementations/none.svg").status, 404);
}

TEST(Cards, EscapeWhatTheyShow) {
  const std::string card =
      states_world().web->page("/cards/runs/" + states_world().hostile + ".svg");
  EXPECT_THAT(card, Not(HasSubstr("<img")));
  EXPECT_THAT(card, HasSubstr("&lt;img"));
}

TEST(Suggest, AnswersWhileTyping) {
  EXPECT_THAT(states_world().web->page("/suggest?q=gem"), HasSubstr("/operations/gemm-n64"));
}

}  // namespace
}  // namespace ki::web::testing
