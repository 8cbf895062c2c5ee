// The public catalog with its index and resolver, made once for all tests of the binary.
#pragma once

#include "ki/query/parse.h"
#include "ki/resolve/resolver.h"
#include "ki/resolve/testing/export_folder.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

namespace ki::resolve {

class PublicCatalog : public ::testing::Test {
 protected:
  void SetUp() override {
    snapshot_ = testing::real_catalog();
    if (!snapshot_) GTEST_SKIP() << "skipped: ../shared is absent";
    static const SearchIndex kIndex(*snapshot_);
    static const Resolver kResolver(*snapshot_, kIndex);
    index_ = &kIndex;
    resolver_ = &kResolver;
  }

  Answer ask(std::string_view query) const {
    const query::Intent intent = query::parse_query(query);
    return resolver_->resolve({.intent = &intent, .query = query, .cohort = {}, .now = {}});
  }
  std::string slug(Index operation) const {
    return operation == kNone
               ? "-"
               : std::string(snapshot_->text(snapshot_->operations()[operation].slug));
  }

  std::shared_ptr<const catalog::Snapshot> snapshot_;
  const SearchIndex* index_ = nullptr;
  const Resolver* resolver_ = nullptr;
};

}  // namespace ki::resolve
