// SmallCatalog: a catalog written down by hand, one call a row, in a store of its own, so that each
// rule of the read models has its own rows. Ids count up; leader events follow from the runs.
#pragma once

#include "ki/catalog/snapshot.h"
#include "ki/catalog/store.h"
#include "ki/store_memory/memory_store.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::views::testing {

class SmallCatalog {
 public:
  SmallCatalog();

  struct Operation {
    std::string slug{};
    std::string name = {};  // empty: the slug
    std::string family = "gemm";
    std::vector<std::string> aliases = {};
    std::vector<std::string> tags = {};
  };
  struct Implementation {
    std::string slug{};
    std::string project{};
    std::string operation{};
    std::string revision = {};
    std::string role = {};
    std::string licence = {};  // declared and concluded
    std::string spec = {};     // more members of the manifest's spec, as JSON
    bool has_source = true;
    bool is_installable = false;
  };
  struct Run {
    std::string implementation{};
    std::string workload{};
    double value = 0;  // ns; of a failed run ignored
    std::string observed = "2026-01-01";
    std::string published = "2026-01-02T00:00:00.000Z";  // empty: not published
    std::string gpu = "NVIDIA B200";
    std::string cuda = "12.8";
    std::string source = "bench";
    std::string status = "passed";
    std::string supersedes = {};  // run id
    std::string retracted = {};   // instant
    std::string spec = {};        // more members of the manifest's spec, as JSON
  };

  void source(std::string_view slug, std::string_view kind = "benchmark",
              std::string_view policy = "null");
  void project(std::string_view slug, std::string_view kind = "library");
  void operation(const Operation& operation);
  void relation(std::string_view from, std::string_view to, std::string_view relation);
  std::string workload(std::string_view operation, int m);  // its id
  void implementation(const Implementation& implementation);
  std::string run(const Run& run);  // its id
  // A run row again, as a correction writes it.
  void retract(const std::string& run_id, std::string_view at, std::string_view reason);
  void artifact(const std::string& run_id, std::string_view content, std::string_view role,
                std::string_view storage, std::string_view uri);
  // Stores a source file; the member "source" of an implementation's spec that names it.
  std::string source_file(std::string_view file_name, std::string_view content);
  void audit(std::string_view action, std::string_view run_id, std::string_view reason,
             std::string_view at);
  void serving_run(std::string_view accelerator, std::string_view source,
                   std::string_view status = "valid");

  // Commits, with the v1 leader events of what is eligible now, and folds.
  std::shared_ptr<const catalog::Snapshot> finish();

  catalog::Store& store() { return store_; }

 private:
  std::string next_id();
  void append(catalog::Table table, std::string_view body, std::uint32_t version = 0);
  std::string document(std::string_view kind, std::string_view spec);
  void append_events();

  store_memory::MemoryStore store_;
  std::unique_ptr<catalog::Transaction> transaction_;
  std::uint64_t last_id_ = 0;
  std::map<std::string, std::string, std::less<>> ids_;  // "operation gemm" -> id
  std::map<std::string, std::string, std::less<>> documents_;
  std::map<std::string, std::string, std::less<>> rows_;  // run id -> body
};

}  // namespace ki::views::testing
