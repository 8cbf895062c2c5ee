// A hand-made catalog under test: write rows with `catalog`, then ask().
#pragma once

#include "ki/base/uuid.h"
#include "ki/query/parse.h"
#include "ki/resolve/resolver.h"
#include "ki/resolve/testing/sketch_catalog.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::resolve {

class Sketch : public ::testing::Test {
 protected:
  using Operation = testing::SketchCatalog::Operation;
  using Implementation = testing::SketchCatalog::Implementation;
  using Run = testing::SketchCatalog::Run;

  // No rows may be added after the first question.
  const catalog::Snapshot& snapshot() {
    if (!snapshot_) {
      snapshot_ = std::move(catalog).finish();
      index_.emplace(*snapshot_);
      resolver_.emplace(*snapshot_, *index_);
    }
    return *snapshot_;
  }
  const SearchIndex& index() { return snapshot(), *index_; }
  const Resolver& resolver() { return snapshot(), *resolver_; }

  Answer ask(std::string_view query, Instant now = {}) {
    const query::Intent intent = query::parse_query(query);
    return resolver().resolve({.intent = &intent, .query = query, .cohort = {}, .now = now});
  }
  std::string slug(Index operation) {
    return operation == kNone
               ? "-"
               : std::string(snapshot().text(snapshot().operations()[operation].slug));
  }
  // Slugs of the implementations of a group's rows.
  std::vector<std::string> code(const Answer& answer, GroupKind kind) {
    std::vector<std::string> slugs;
    for (const Row& row : answer.group(kind).rows) {
      slugs.emplace_back(snapshot().text(snapshot().implementations()[row.implementation].slug));
    }
    return slugs;
  }
  std::vector<std::string> hits(const Answer& answer) {
    std::vector<std::string> slugs;
    if (answer.operation != kNone) slugs.push_back(slug(answer.operation));
    if (answer.chooser) {
      for (const ChooserRow& row : answer.chooser->rows) slugs.push_back(slug(row.operation));
    }
    return slugs;
  }

  testing::SketchCatalog catalog;

 private:
  std::shared_ptr<const catalog::Snapshot> snapshot_;
  std::optional<SearchIndex> index_;
  std::optional<Resolver> resolver_;
};

}  // namespace ki::resolve
