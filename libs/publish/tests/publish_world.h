// A catalog in memory with a fixed clock, and small bundles to publish into it.
#pragma once

#include "ki/base/clock.h"
#include "ki/base/uuid.h"
#include "ki/catalog/live.h"
#include "ki/json/reader.h"
#include "ki/publish/corrections.h"
#include "ki/publish/fsck.h"
#include "ki/publish/publisher.h"
#include "ki/store_memory/memory_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ki::publish {

// Manifest texts. Names differ from specs: a spec decides the digest.
std::string project_manifest(std::string_view name);
std::string operation_manifest(std::string_view name, std::string_view family = "copy");
std::string case_manifest(const Digest& operation, std::int64_t n);
std::string implementation_manifest(const Digest& operation, std::string_view version);
std::string protocol_manifest(std::string_view harness = "example-bench");
std::string environment_manifest(std::string_view product = "NVIDIA H100 SXM");

struct RunFacts {
  Digest implementation, workload;
  std::string value;  // of timing.latencyNs.median, in ns
  std::string observed_at = "2026-08-01T12:00:00.000Z";
  std::string status = "passed";
};
std::string run_manifest(const RunFacts& facts);

// Of a manifest that must be valid.
Digest digest_of(std::string_view manifest);

// One measured time and when it was observed.
struct Timing {
  std::string value;
  std::string observed_at = "2026-08-01T12:00:00.000Z";
};
// One operation "copy", one case of it, one implementation (version "1", "2", ...) and one run for
// each timing, starting with version `first`.
Bundle group_bundle(const std::vector<Timing>& timings, int first = 1);
// The serving examples of the registry.
ServingBundle serving_bundle();

// A store that shows another's log with changes: `edit` may alter an entry; false hides it.
class AlteredStore final : public catalog::Store {
 public:
  using Edit = std::function<bool(catalog::OwnedEntry&)>;
  AlteredStore(catalog::Store& inner, Edit edit) : inner_(inner), edit_(std::move(edit)) {}

  std::string catalog_id() const override { return inner_.catalog_id(); }
  Result<catalog::Head> head() override { return inner_.head(); }
  Result<std::unique_ptr<catalog::Transaction>> begin() override { return inner_.begin(); }
  Result<void> read_since(catalog::Seq after, catalog::Seq upto,
                          const catalog::EntryVisitor& visit) override {
    return inner_.read_since(after, upto, altered(visit));
  }
  Result<void> read_prefix(catalog::Table table, std::string_view prefix, catalog::Seq upto,
                           const catalog::EntryVisitor& visit) override {
    return inner_.read_prefix(table, prefix, upto, altered(visit));
  }
  Result<std::optional<catalog::OwnedEntry>> read(catalog::Seq seq) override {
    return inner_.read(seq);
  }
  Result<std::optional<catalog::OwnedEntry>> find(catalog::Table table, std::string_view key,
                                                  catalog::Seq upto) override {
    return inner_.find(table, key, upto);
  }
  Result<std::optional<catalog::OwnedEntry>> find_digest(catalog::Table table,
                                                         const Digest& digest) override {
    return inner_.find_digest(table, digest);
  }
  Result<std::vector<catalog::Commit>> commits(catalog::Seq after) override {
    return inner_.commits(after);
  }
  Result<void> backup(const std::filesystem::path& to) override { return inner_.backup(to); }
  Result<std::vector<std::string>> check_storage() override { return inner_.check_storage(); }

 private:
  catalog::EntryVisitor altered(const catalog::EntryVisitor& visit) const;

  catalog::Store& inner_;
  Edit edit_;
};

class PublishWorld : public testing::Test {
 protected:
  void SetUp() override;

  Publisher publisher() { return {*live_, clock_, ids_, "maintainer:cli"}; }
  Corrections corrections() { return {*live_, clock_, ids_, "maintainer:cli"}; }
  // Must succeed.
  template <class B>
  PublishReport must_publish(const B& bundle, const PublishOptions& options = {}) {
    auto report = publisher().publish(bundle, options);
    EXPECT_TRUE(report) << (report ? "" : report.error().to_string());
    return report ? *std::move(report) : PublishReport{};
  }
  catalog::Seq head() { return store_.head()->seq; }
  // Newest versions of the rows of a table, in order of key.
  std::vector<json::Document> rows(catalog::Table table);
  // The member of the newest version of a row.
  std::string column(catalog::Table table, std::string_view key, std::string_view member);
  const catalog::RunRow& run(std::string_view id);
  // "new_run 12", "retraction none", ... in order of the log: cause and the new leader's value.
  std::vector<std::string> leader_history();
  // Expects that fsck finds nothing.
  void expect_sound();

  store_memory::MemoryStore store_{"01990000-0000-7000-8000-000000000001",
                                   std::chrono::milliseconds(1)};
  std::unique_ptr<catalog::LiveCatalog> live_;
  FixedClock clock_{Instant{1'796'083'200'000}};  // 2026-12-01
  UuidSource ids_{7};
  std::shared_ptr<const catalog::Snapshot> seen_;  // keeps what run() returned
};

}  // namespace ki::publish
