#include "ki/logbook/leaves.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ki::logbook {
namespace {

using catalog::Table;

const Digest kA = Digest::of("a"), kB = Digest::of("b"), kC = Digest::of("c");

std::optional<Leaf> leaf_of(Table table, std::uint32_t version, const std::string& body) {
  LeafReader reader;
  auto leaf =
      reader.read(table, version, body, [](std::string_view key) -> Result<std::optional<Digest>> {
        if (key == "run-a") return kA;
        if (key == "run-b") return kB;
        return std::nullopt;
      });
  EXPECT_TRUE(leaf) << leaf.error().to_string();
  return leaf ? *leaf : std::nullopt;
}

std::vector<Digest> sorted(std::vector<Digest> digests) {
  std::ranges::sort(digests);
  return digests;
}

TEST(Leaf, OfARunNamesItWhenItIsPublished) {
  const auto body = [](const std::string& published) {
    return R"({"publishedAt":)" + published + R"(,"run":{"spec":{"implementationDigest":")" +
           kB.to_string() + R"(","workloadDigest":")" + kC.to_string() + R"("}},"runDigest":")" +
           kA.to_string() + R"("})";
  };
  EXPECT_FALSE(leaf_of(Table::kBenchmarkRuns, 0, body("null")));
  for (const std::uint32_t version : {0U, 3U}) {
    const auto leaf =
        leaf_of(Table::kBenchmarkRuns, version, body(R"("2026-01-01T00:00:00.000Z")"));
    ASSERT_TRUE(leaf);
    EXPECT_EQ(leaf->key(), "run " + kA.to_string());
    EXPECT_EQ(leaf->parents, sorted({kB, kC}));
  }
}

TEST(Leaf, OfAManifestNamesItsFirstVersion) {
  const std::string body =
      R"({"manifest":{"kind":"ImplementationRevision","spec":{"operation":{"specDigest":")" +
      kB.to_string() + R"("}}},"implementationDigest":")" + kA.to_string() + R"("})";
  const auto leaf = leaf_of(Table::kImplementations, 0, body);
  ASSERT_TRUE(leaf);
  EXPECT_EQ(leaf->key(), "implementation " + kA.to_string());
  EXPECT_EQ(leaf->parents, std::vector{kB});
  EXPECT_FALSE(leaf_of(Table::kImplementations, 1, body));
}

TEST(Leaf, TellsSuitesFromCasesAndEnvironmentsFromProtocols) {
  const auto workload = [](const std::string& kind) {
    return R"({"manifest":{"kind":")" + kind + R"(","spec":{"operationSpecDigest":")" +
           kB.to_string() + R"("}},"workloadDigest":")" + kA.to_string() + R"("})";
  };
  EXPECT_EQ(leaf_of(Table::kWorkloads, 0, workload("WorkloadSuite"))->key(),
            "suite " + kA.to_string());
  EXPECT_EQ(leaf_of(Table::kWorkloads, 0, workload("WorkloadCase"))->key(),
            "workload " + kA.to_string());
  const auto document = [](const std::string& kind) {
    return R"({"documentDigest":")" + kB.to_string() + R"(","manifest":{"kind":")" + kind +
           R"(","spec":{}},"specDigest":")" + kA.to_string() + R"("})";
  };
  EXPECT_EQ(leaf_of(Table::kDocuments, 0, document("ExecutionEnvironment"))->key(),
            "environment " + kA.to_string());
  EXPECT_EQ(leaf_of(Table::kDocuments, 0, document("BenchmarkProtocol"))->key(),
            "protocol " + kA.to_string());
}

TEST(Leaf, OfACorrectionNamesItsAuditEventAndTheRuns) {
  const std::string retraction = R"({"action":"retract_run","targetId":"run-a"})";
  auto leaf = leaf_of(Table::kAuditEvents, 0, retraction);
  ASSERT_TRUE(leaf);
  EXPECT_EQ(leaf->key(), "retraction " + Digest::of(retraction).to_string());
  EXPECT_EQ(leaf->parents, std::vector{kA});
  const std::string supersession =
      R"({"action":"supersede_run","priorState":{"successor":"run-b"},"targetId":"run-a"})";
  leaf = leaf_of(Table::kAuditEvents, 0, supersession);
  ASSERT_TRUE(leaf);
  EXPECT_EQ(leaf->key(), "supersession " + Digest::of(supersession).to_string());
  EXPECT_EQ(leaf->parents, sorted({kA, kB}));
  EXPECT_FALSE(leaf_of(Table::kAuditEvents, 0, R"({"action":"import","targetId":"x"})"));
}

TEST(Leaf, OfAnAttestationIsOfItsEnvelopeAndNotesHaveNone) {
  const auto leaf = leaf_of(Table::kAttestations, 0,
                            R"({"envelope":"{}","runDigest":")" + kA.to_string() + R"("})");
  ASSERT_TRUE(leaf);
  EXPECT_EQ(leaf->key(), "attestation " + Digest::of("{}").to_string());
  EXPECT_EQ(leaf->parents, std::vector{kA});
  EXPECT_FALSE(leaf_of(Table::kAttestations, 0, R"({"body":"works here","envelope":null})"));
}

TEST(LogRow, IsTheLeafWithItsIndex) {
  const tlog::Entry entry{tlog::EntryType::kRun, kA, sorted({kB, kC}), Instant{1'790'000'000'000}};
  const std::string row = log_row(entry, 12345);
  const auto read = read_log_row(row);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->index, 12345U);
  EXPECT_EQ(read->text, tlog::to_text(entry));
  for (const std::string& other :
       {std::string(), std::string("{}"), read->text, row.substr(5), row.substr(0, 100)}) {
    EXPECT_FALSE(read_log_row(other)) << other;
  }
}

}  // namespace
}  // namespace ki::logbook
