#include "ki/catalog/builder.h"
#include "ki/publish/row_codec.h"
#include "ki/store_sqlite/sqlite_store.h"
#include "publish_world.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace ki::publish {
namespace {

using catalog::OwnedEntry;
using catalog::Table;
using testing::Contains;
using testing::Not;

class FsckTest : public PublishWorld {
 protected:
  void SetUp() override {
    PublishWorld::SetUp();
    runs_ = must_publish(group_bundle({{"100"}, {"200"}})).run_ids;
    must_publish(group_bundle({{"50", "2026-08-02T00:00:00.000Z"}}, 3));
    ASSERT_TRUE(corrections().retract(runs_[1], "wrong"));
    must_publish(serving_bundle());
  }

  // The codes of what fsck finds in the log as `edit` shows it.
  FsckReport report_of(AlteredStore::Edit edit) {
    AlteredStore altered(store_, std::move(edit));
    auto report = fsck(altered);
    EXPECT_TRUE(report) << (report ? "" : report.error().to_string());
    return report ? *std::move(report) : FsckReport{};
  }
  static std::vector<std::string> codes(const FsckReport& report) {
    std::vector<std::string> out;
    for (const Problem& problem : report.problems) out.push_back(problem.code);
    return out;
  }
  static std::string text(const FsckReport& report) {
    std::string out;
    for (const Problem& problem : report.problems) out += problem.to_string() + "\n";
    return out;
  }

  // The log written again with rows changed, so that its chain holds: only what a row says is
  // wrong.
  FsckReport rewritten(Table table, std::string_view member, std::string_view json) {
    store_memory::MemoryStore copy(store_.catalog_id());
    bool is_changed = false;
    const std::vector<catalog::Commit> commits = *store_.commits(0);
    for (const catalog::Commit& commit : commits) {
      auto tx = *copy.begin();
      const auto read = store_.read_since(
          commit.first - 1, commit.last, [&](const catalog::Entry& entry) -> Result<catalog::Step> {
            std::string body(entry.body);
            if (entry.table == table && !is_changed) {
              const auto row = json::read_document(body);
              const std::pair<std::string_view, std::string> columns[] = {
                  {member, std::string(json)}};
              body = with_columns(row->root, columns);
              is_changed = body != entry.body;
            }
            KI_TRY_VOID(tx->append(entry.table, entry.key, entry.version, entry.digest, body));
            return catalog::Step::kGoOn;
          });
      EXPECT_TRUE(read) << (read ? "" : read.error().to_string());
      EXPECT_TRUE(tx->commit(commit.at, commit.reason));
    }
    EXPECT_TRUE(is_changed) << catalog::info(table).name << " " << member;
    auto report = fsck(copy);
    EXPECT_TRUE(report) << (report ? "" : report.error().to_string());
    return report ? *std::move(report) : FsckReport{};
  }

  std::vector<std::string> runs_;
};

TEST_F(FsckTest, finds_nothing_in_a_sound_catalog) {
  const FsckReport report = report_of([](OwnedEntry&) { return true; });
  EXPECT_TRUE(report.is_clean()) << text(report);
  EXPECT_EQ(report.entries, head());
  EXPECT_EQ(report.commits, 4U);
  EXPECT_GT(report.rows, 0U);
  EXPECT_LT(report.rows, report.entries) << "the retracted run has two versions";
  EXPECT_FALSE(report.is_snapshot_checked);
}

TEST_F(FsckTest, finds_one_flipped_bit_in_any_entry) {
  for (catalog::Seq seq = 1; seq <= head(); ++seq) {
    // In the middle of the body; what stands there differs from row to row.
    const FsckReport report = report_of([&](OwnedEntry& entry) {
      if (entry.seq == seq) entry.body[entry.body.size() / 2] ^= 1;
      return true;
    });
    EXPECT_THAT(codes(report), Contains("chain")) << "entry " << seq;
  }
}

TEST_F(FsckTest, finds_a_lost_entry) {
  for (catalog::Seq seq = 1; seq <= head(); ++seq) {
    const FsckReport report = report_of([&](OwnedEntry& entry) { return entry.seq != seq; });
    EXPECT_THAT(codes(report), Contains("chain")) << "entry " << seq;
    EXPECT_EQ(report.entries, head() - 1);
  }
}

TEST_F(FsckTest, finds_a_key_or_digest_that_is_not_the_rows_own) {
  const std::string key(rows(Table::kWorkloads)[0].root.find("id")->string());
  const FsckReport other_digest = report_of([&](OwnedEntry& entry) {
    if (entry.table == Table::kWorkloads) entry.digest = Digest::of("other");
    return true;
  });
  EXPECT_THAT(codes(other_digest), Contains("row")) << text(other_digest);
  const FsckReport other_key = report_of([&](OwnedEntry& entry) {
    if (entry.key == key) entry.key = "01990000-0000-7000-8000-0000000000ff";
    return true;
  });
  EXPECT_THAT(codes(other_key), Contains("row")) << text(other_key);
}

TEST_F(FsckTest, finds_rows_whose_columns_do_not_follow_from_their_manifests) {
  // Of a run that did not lead before the first one did.
  const std::string other_run = "\"" + runs_[1] + "\"";
  struct Case {
    Table table;
    const char* member;
    const char* json;
    const char* code;
  };
  for (const Case& c :
       std::vector<Case>{{Table::kOperations, "schemaVersion", "\"kernelindex.dev/v2\"", "row"},
                         {Table::kWorkloads, "shapeSummary", "\"[8192]\"", "row"},
                         {Table::kWorkloads, "dtypes", "[\"fp32\"]", "row"},
                         {Table::kWorkloads, "layoutKeys", "[\"strided\"]", "row"},
                         {Table::kImplementations, "language", "\"triton\"", "row"},
                         {Table::kImplementations, "licenseExpression", "\"MIT\"", "row"},
                         {Table::kImplementations, "installable", "true", "row"},
                         {Table::kProjects, "normalizedName", "\"other\"", "row"},
                         {Table::kServingRuns, "acceleratorCount", "7", "row"},
                         {Table::kBenchmarkRuns, "implementationId",
                          "\"01990000-0000-7000-8000-0000000000ff\"", "reference"},
                         {Table::kRecordEvents, "at", "\"2026-08-09T00:00:00.000Z\"", "row"},
                         {Table::kRecordEvents, "previousRunId", other_run.c_str(), "row"},
                         {Table::kLeaderChanges, "value", "99", "leader"}}) {
    const FsckReport report = rewritten(c.table, c.member, c.json);
    const std::vector<std::string> found = codes(report);
    EXPECT_THAT(found, Contains(c.code)) << c.member << "\n" << text(report);
    EXPECT_THAT(found, Not(Contains("chain"))) << c.member;
    EXPECT_THAT(found, Not(Contains("commit"))) << c.member;
  }
}

TEST_F(PublishWorld, fsck_finds_a_leader_event_that_is_missing_or_names_the_wrong_run) {
  const auto ids = must_publish(group_bundle({{"300", "2026-08-01T00:00:00.000Z"},
                                              {"200", "2026-08-02T00:00:00.000Z"},
                                              {"100", "2026-08-03T00:00:00.000Z"}}))
                       .run_ids;
  expect_sound();
  const auto codes_of = [&](AlteredStore::Edit edit) {
    AlteredStore altered(store_, std::move(edit));
    std::vector<std::string> out;
    const auto report = fsck(altered);
    EXPECT_TRUE(report);
    for (const Problem& problem : report->problems) out.push_back(problem.code);
    return out;
  };
  EXPECT_THAT(codes_of([](OwnedEntry& entry) { return entry.table != Table::kRecordEvents; }),
              Contains("event"));
  EXPECT_THAT(codes_of([](OwnedEntry& entry) { return entry.table != Table::kLeaderChanges; }),
              Contains("leader"));
  // The last event skips the record before it: plausible by itself, wrong in its group.
  EXPECT_THAT(codes_of([&](OwnedEntry& entry) {
                const std::string previous = "\"previousRunId\":\"" + ids[1] + "\"";
                const auto at = entry.body.find(previous);
                if (entry.table == Table::kRecordEvents && at != std::string::npos) {
                  entry.body.replace(at, previous.size(), "\"previousRunId\":\"" + ids[0] + "\"");
                }
                return true;
              }),
              Contains("event"));
}

TEST_F(FsckTest, finds_a_body_that_is_not_canonical) {
  const FsckReport report = report_of([](OwnedEntry& entry) {
    if (entry.table == Table::kSources) entry.body.insert(1, " ");
    return true;
  });
  EXPECT_THAT(codes(report), Contains("row")) << text(report);
}

TEST_F(FsckTest, lists_as_many_problems_as_asked_and_counts_the_rest) {
  AlteredStore altered(store_, [](OwnedEntry& entry) {
    entry.body = "{}";
    return true;
  });
  const auto report = fsck(altered, {.snapshot_file = std::nullopt, .max_problems = 3});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->problems.size(), 3U);
  EXPECT_GT(report->problems_left_out, 10U);
  const auto document = json::read_document(report->to_json());
  ASSERT_TRUE(document);
  EXPECT_EQ(document->root.find("problems")->items().size(), 3U);
}

TEST_F(FsckTest, compares_the_snapshot_file_with_what_the_log_makes) {
  const auto file = std::filesystem::temp_directory_path() /
                    fmt::format("ki-fsck-{}.snapshot", static_cast<long>(::getpid()));
  const auto check = [&] {
    auto report = fsck(store_, {.snapshot_file = file});
    EXPECT_TRUE(report);
    return *std::move(report);
  };
  EXPECT_FALSE(check().is_snapshot_checked) << "there is no file";
  ASSERT_TRUE(catalog::write_snapshot(*live_->current(), store_.catalog_id(), file));
  const FsckReport sound = check();
  EXPECT_TRUE(sound.is_snapshot_checked);
  EXPECT_TRUE(sound.is_clean()) << text(sound);

  // A sound file of another content: the snapshot of a log without its last commits.
  store_memory::MemoryStore small(store_.catalog_id());
  auto live = *catalog::LiveCatalog::open(small, std::nullopt);
  UuidSource ids(9);
  ASSERT_TRUE(Publisher(*live, clock_, ids, "maintainer:cli").publish(group_bundle({{"77"}})));
  ASSERT_TRUE(catalog::write_snapshot(*live->current(), store_.catalog_id(), file));
  EXPECT_THAT(codes(check()), Contains("snapshot"));

  // Damaged bytes.
  ASSERT_TRUE(catalog::write_snapshot(*live_->current(), store_.catalog_id(), file));
  {
    // Sections are padded: more bytes than that.
    std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
    out.seekp(static_cast<std::streamoff>(std::filesystem::file_size(file) / 2));
    out << std::string(256, '\x55');
  }
  EXPECT_THAT(codes(check()), Contains("snapshot"));
  std::filesystem::remove(file);
}

TEST_F(FsckTest, stops_when_asked) {
  std::atomic<bool> cancel = true;
  // Enough entries that the flag is looked at.
  std::vector<Timing> many;
  for (int i = 0; i < 600; ++i) many.push_back({fmt::format("{}", 1000 + i)});
  must_publish(group_bundle(many, 100));
  const auto report =
      fsck(store_,
           {.snapshot_file = std::nullopt, .max_problems = 10, .progress = {}, .cancel = &cancel});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code(), Code::kCancelled);
}

TEST_F(FsckTest, a_catalog_on_sqlite_is_sound_after_publications_and_corrections) {
  const auto folder = std::filesystem::temp_directory_path() /
                      fmt::format("ki-fsck-sqlite-{}", static_cast<long>(::getpid()));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  {
    auto store = *store_sqlite::SqliteStore::open(folder / "catalog.db", {.create = true});
    auto live = *catalog::LiveCatalog::open(*store, std::nullopt);
    UuidSource ids(11);
    Publisher publisher(*live, clock_, ids, "maintainer:cli");
    const auto first = publisher.publish(group_bundle({{"100"}, {"200"}}));
    ASSERT_TRUE(first) << first.error().to_string();
    ASSERT_TRUE(publisher.publish(serving_bundle()));
    ASSERT_TRUE(
        Corrections(*live, clock_, ids, "maintainer:cli").retract(first->run_ids[0], "wrong"));
    EXPECT_FALSE(publisher.publish(group_bundle({{"100"}, {"200"}}))->commit);
  }
  auto store = *store_sqlite::SqliteStore::open(folder / "catalog.db");
  const auto report = fsck(*store);
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_TRUE(report->is_clean()) << text(*report);
  EXPECT_EQ(report->commits, 3U);
  store.reset();
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ki::publish
