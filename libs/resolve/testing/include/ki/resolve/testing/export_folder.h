// Snapshots for tests: rows as a catalog export shows them, folded through the SnapshotBuilder
// without a store. Values that an older export lacks are filled in as an import would (spec 03.5).
#pragma once

#include "ki/base/result.h"
#include "ki/catalog/builder.h"
#include "ki/catalog/snapshot.h"
#include "ki/json/value.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace ki::resolve::testing {

class ExportFolder {
 public:
  // A row of `table`. Tables that a snapshot does not hold are skipped.
  Result<void> add(std::string_view table, const json::Value& row);
  // The same from JSON text.
  Result<void> add(std::string_view table, std::string_view row);
  std::shared_ptr<const catalog::Snapshot> finish() &&;

 private:
  Result<void> add_run(const json::Value& row);
  Result<void> apply(catalog::Table table, const json::Value& row);
  // Digest of the document's canonical text, which is added at its first use.
  Result<std::string> document(const json::Value& manifest);

  catalog::SnapshotBuilder builder_;
  catalog::Seq seq_ = 0;
  std::map<std::string, std::string, std::less<>> documents_;      // canonical text -> digest
  std::map<std::string, std::string, std::less<>> project_slugs_;  // by id
};

// The public catalog beside the checkout, folded once per process; null when it is not there.
std::shared_ptr<const catalog::Snapshot> real_catalog();
std::filesystem::path shared_folder();  // <source>/../shared

}  // namespace ki::resolve::testing
