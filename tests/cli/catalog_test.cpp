// Snapshots: folding, files, and following a store that others write.
#include "cli_world.h"
#include "ki/catalog/builder.h"
#include "ki/catalog/live.h"
#include "ki/catalog/snapshot.h"
#include "ki/io/file.h"
#include "ki/store_sqlite/sqlite_store.h"

#include <gmock/gmock.h>

#include <cstring>
#include <thread>

namespace ki::cli {
namespace {

using catalog::Entry;
using catalog::Snapshot;
using catalog::SnapshotBuilder;
using catalog::Step;

// The name of the first column in which two snapshots differ; empty when they are the same bytes.
std::string first_difference(const Snapshot& a, const Snapshot& b) {
  std::string found;
  catalog::for_each_column(
      [&](std::string_view name, const auto& x, const auto& y) {
        if (!found.empty()) return;
        if (x.size() != y.size() ||
            (!x.empty() && std::memcmp(x.data(), y.data(), x.size_bytes()) != 0))
          found = name;
      },
      a.columns(), b.columns());
  return found;
}

class SnapshotTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    const std::string real =
        std::string(KI_SOURCE_DIR) + "/../shared/data/catalog-2026-08-16.jsonl.zst";
    // The public catalog where it is at hand, the bundled registry with a correction otherwise.
    if (std::filesystem::exists(real)) {
      must({"import", "kernelindex", real});
    } else {
      import_registry();
      must({"retract", "sha256:b9be3851ba01fa36639e1781b1163df1094c0d27057f2f73b30c2c237f6e6423",
            "--reason", "a later version of a row"});
    }
    store_ = store_sqlite::SqliteStore::open(catalog()).value();
  }
  std::unique_ptr<store_sqlite::SqliteStore> store_;
};

TEST_F(SnapshotTest, FoldingInTwoStepsGivesTheSameBytesAsAtOnce) {
  const auto whole = catalog::build_snapshot(*store_).value();
  const catalog::Head head = store_->head().value();
  for (const catalog::Seq split : {catalog::Seq{1}, head.seq / 3, head.seq - 1}) {
    SnapshotBuilder first;
    ASSERT_TRUE(store_->read_since(0, split, [&](const Entry& entry) -> Result<Step> {
      KI_TRY_VOID(first.apply(entry));
      return Step::kGoOn;
    }));
    const auto half = std::move(first).finish({split, catalog::empty_chain()});
    SnapshotBuilder second(*half);
    ASSERT_TRUE(store_->read_since(split, head.seq, [&](const Entry& entry) -> Result<Step> {
      KI_TRY_VOID(second.apply(entry));
      return Step::kGoOn;
    }));
    EXPECT_EQ(first_difference(*whole, *std::move(second).finish(head)), "")
        << "split at " << split;
  }
}

TEST_F(SnapshotTest, AFileIsTheSnapshotAndADamagedOneIsRefused) {
  const auto whole = catalog::build_snapshot(*store_).value();
  const std::string path = file("s.snapshot");
  ASSERT_TRUE(catalog::write_snapshot(*whole, store_->catalog_id(), path));
  const auto mapped = catalog::open_snapshot(path, store_->catalog_id());
  ASSERT_TRUE(mapped) << mapped.error().to_string();
  EXPECT_EQ(first_difference(*whole, **mapped), "");
  EXPECT_EQ((*mapped)->head().chain, whole->head().chain);
  EXPECT_EQ(catalog::open_snapshot(path, "00000000-0000-7000-8000-000000000000").error().code(),
            Code::kConflict);
  const std::string bytes = io::read_file(path).value();
  for (const std::size_t at :
       {std::size_t{0}, std::size_t{40}, bytes.size() / 3, bytes.size() / 2}) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    ASSERT_TRUE(io::write_file_atomically(file("d.snapshot"), damaged));
    const auto opened = catalog::open_snapshot(file("d.snapshot"), store_->catalog_id());
    // A byte between two sections belongs to neither and changes nothing.
    if (opened) {
      EXPECT_EQ(first_difference(*whole, **opened), "");
    }
  }
  ASSERT_TRUE(io::write_file_atomically(file("c.snapshot"),
                                        std::string_view(bytes).substr(0, bytes.size() / 2)));
  EXPECT_EQ(catalog::open_snapshot(file("c.snapshot"), store_->catalog_id()).error().code(),
            Code::kCorrupt);
}

TEST_F(SnapshotTest, ADamagedSnapshotFileIsRebuiltFromTheStore) {
  const std::string before = must({"stats", "--json"});
  std::string bytes = io::read_file(catalog() + ".snapshot").value();
  for (std::size_t i = 4096; i < bytes.size(); i += 4096)
    bytes[i] = static_cast<char>(bytes[i] + 1);
  ASSERT_TRUE(io::write_file_atomically(catalog() + ".snapshot", bytes));
  EXPECT_EQ(must({"stats", "--json"}), before);
  EXPECT_EQ(must({"stats", "--json"}), before) << "from the file that was written again";
}

TEST_F(SnapshotTest, EveryLookupFindsItsRow) {
  const auto s = catalog::build_snapshot(*store_).value();
  for (catalog::Index i = 0; i < s->runs().size(); ++i) {
    ASSERT_EQ(s->find_run(Uuid{s->runs()[i].id}), i);
    ASSERT_EQ(s->find_run(Digest(s->runs()[i].digest)), i);
  }
  for (catalog::Index i = 0; i < s->operations().size(); ++i)
    ASSERT_EQ(s->find_operation(s->text(s->operations()[i].slug)), i);
  for (catalog::Index i = 0; i < s->cohorts().size(); ++i)
    ASSERT_EQ(s->find_cohort(Digest(s->cohorts()[i].key)), i);
  for (catalog::NameId i = 0; i < s->columns().names.size(); ++i)
    ASSERT_EQ(s->find_name(s->name(i)), i);
  EXPECT_EQ(s->find_operation("no-such-operation"), catalog::kNone);
  EXPECT_FALSE(s->find_name("no such name"));
}

TEST_F(SnapshotTest, RanksAreDenseAndFollowTheValues) {
  const auto s = catalog::build_snapshot(*store_).value();
  for (catalog::Index k = 0; k < s->cohorts().size(); ++k) {
    const auto runs = s->runs_of_cohort(k).first(s->cohorts()[k].ranked);
    std::uint32_t rank = 0;
    double value = 0;
    for (const catalog::Index run : runs) {
      const auto& row = s->runs()[run];
      ASSERT_TRUE(row.rank == rank || row.rank == rank + 1);
      ASSERT_GE(row.value, value);
      rank = row.rank;
      value = row.value;
    }
  }
}

TEST_F(SnapshotTest, AReaderFollowsAnotherWriterWhileManyRead) {
  auto live = catalog::LiveCatalog::open(*store_, std::nullopt).value();
  const auto before = live->current();
  std::atomic<bool> stop = false;
  std::vector<std::thread> readers;
  std::atomic<std::uint64_t> torn = 0;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!stop) {
        const auto snapshot = live->current();
        // Every cohort's runs belong to it, in whichever version is current.
        for (catalog::Index k = 0; k < std::min<std::size_t>(snapshot->cohorts().size(), 50); ++k) {
          for (const catalog::Index run : snapshot->runs_of_cohort(k))
            torn += snapshot->runs()[run].cohort == k ? 0 : 1;
        }
      }
    });
  }
  const std::string run = Uuid{before->runs()[0].id}.to_string();
  must({"retract", run, "--reason", "seen by a reader"});
  EXPECT_TRUE(live->refresh().value());
  EXPECT_FALSE(live->refresh().value()) << "nothing newer";
  stop = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(torn, 0U);
  EXPECT_GT(live->current()->seq(), before->seq());
  EXPECT_EQ(before->runs()[0].flags & catalog::run_flags::kRetracted, 0U)
      << "the old snapshot stays as it was";
  EXPECT_NE(live->current()->runs()[0].flags & catalog::run_flags::kRetracted, 0U);
  EXPECT_EQ(first_difference(*live->current(), *catalog::build_snapshot(*store_).value()), "");
}

}  // namespace
}  // namespace ki::cli
