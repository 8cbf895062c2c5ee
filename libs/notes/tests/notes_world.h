// A desk over a store in memory.
#pragma once

#include "ki/base/clock.h"
#include "ki/json/reader.h"
#include "ki/notes/desk.h"
#include "ki/notes/run_notes.h"
#include "ki/notes/statement.h"
#include "ki/store_memory/memory_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ki::notes::testing {

struct NotesWorld {
  NotesWorld() { trusted({sign::Role::kAttester}); }

  std::unique_ptr<Desk> desk(Takes takes = Takes::kAnything, Quota::Limits limits = {}) {
    return std::make_unique<Desk>(
        Desk::Options{.store = &store,
                      .clock = &clock,
                      .takes = takes,
                      .limits = limits,
                      .seed = 7,
                      .read_trust = [this] { return Result<sign::TrustList>(trust); }});
  }
  void trusted(std::set<sign::Role> roles, std::optional<sign::Revocation> revoked = {}) {
    trust = {};
    EXPECT_TRUE(trust.add(
        {key.public_key(), "bench-lab", "Bench Lab", std::move(roles), std::move(revoked)}));
  }
  RunNotes notes() {
    const auto head = store.head();
    auto read = read_notes(store, head->seq, run.id, run.digest, trust);
    EXPECT_TRUE(read);
    return read ? *std::move(read) : RunNotes{};
  }
  // The rows of a table, oldest first.
  std::vector<std::string> rows(catalog::Table table) {
    std::vector<std::string> out;
    EXPECT_TRUE(store.read_table(table, store.head()->seq,
                                 [&](const catalog::Entry& entry) -> Result<catalog::Step> {
                                   out.emplace_back(entry.body);
                                   return catalog::Step::kGoOn;
                                 }));
    return out;
  }
  std::string envelope(const Attestation& attestation, const sign::PrivateKey& by) const {
    return sign::to_json(sign_attestation({run.digest, attestation, clock.now()}, by));
  }

  store_memory::MemoryStore store{"01990000-0000-7000-8000-0000000000aa"};
  FixedClock clock{Instant{1'796'083'200'000}};  // 2026-12-01
  sign::PrivateKey key = *sign::PrivateKey::from_seed(std::string(32, 'k'));
  sign::TrustList trust;
  RunName run{"01990000-0000-7000-8000-000000000001", Digest::of("run")};
};

inline std::expected<Filed, http::Problem> attest(Desk& desk, const RunName& run,
                                                  const std::string& request,
                                                  std::string_view client = "192.0.2.1") {
  const auto document = json::read_document(request);
  EXPECT_TRUE(document) << request;
  return desk.attest(run, document->root, client);
}
inline std::expected<Filed, http::Problem> report(Desk& desk, const RunName& run,
                                                  const std::string& request,
                                                  std::string_view client = "192.0.2.1") {
  const auto document = json::read_document(request);
  EXPECT_TRUE(document) << request;
  return desk.report(run, document->root, client);
}

}  // namespace ki::notes::testing
