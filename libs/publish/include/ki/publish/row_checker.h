// RowChecker: proves rows, one at a time, in table order. It recomputes every digest, key and
// derived column of a row from its manifest and checks every reference against the rows that came
// before (spec 03.2, 03.4). Imports feed it the lines of an export, fsck the entries of a store.
#pragma once

#include "ki/base/result.h"
#include "ki/base/uuid.h"
#include "ki/catalog/table.h"
#include "ki/digest/digest.h"
#include "ki/json/value.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::publish {

enum class RowForm : std::uint8_t {
  kPublic,    // of a source's export: old columns may be missing and are back-filled (spec 03.5)
  kExported,  // of our export: complete rows
  kStored,    // of a store: benchmark_runs in their stored form
};

// A row that passed. Views are valid until the next check().
struct CheckedRow {
  catalog::Table table = catalog::Table::kSources;
  std::string_view key;
  std::optional<Digest> digest;
  std::string_view body;             // canonical stored form
  const json::Value* row = nullptr;  // as it was given
};

// Counts that people compare with the source's own (issue 2, "Must show").
struct CatalogFacts {
  std::uint64_t runs = 0;
  std::uint64_t groups = 0;  // comparison groups with an eligible run
  std::uint64_t eligible_runs = 0;
  std::vector<std::pair<std::string, std::uint64_t>> ineligible;  // by first code, sorted by code
  std::uint64_t operation_mismatches = 0;
  std::uint64_t leader_events = 0;  // record_events rows
  std::uint64_t measurements = 0;   // expanded from run manifests
  std::uint64_t measured_operations = 0;
  std::uint64_t gpus = 0;  // distinct (vendor, model) of runs
  std::uint64_t serving_runs = 0;
};

// A reason why something that spans rows does not hold.
struct Finding {
  std::string code;         // reference, cycle, event, measurement
  std::uint64_t place = 0;  // as given to check()
  catalog::Table table = catalog::Table::kSources;
  std::string key;
  std::string message;
};

class RowChecker {
 public:
  explicit RowChecker(RowForm form);
  ~RowChecker();
  RowChecker(RowChecker&&) noexcept;
  RowChecker& operator=(RowChecker&&) noexcept;

  // Checks one row. `text` is what the row was read from (for positions); `place` is a line or
  // sequence number that findings about the row carry later; `version` is above 0 for a later
  // version of a row that was seen. All reasons of a refused row are issues of the error.
  // A run's documents come as rows of their own before it: when a kPublic row brings one that was
  // not seen, `document` is called with its row first.
  using DocumentSink = std::function<Result<void>(const CheckedRow&)>;
  Result<CheckedRow> check(catalog::Table table, const json::Value& row, std::string_view text,
                           std::uint64_t place, std::uint32_t version,
                           const DocumentSink& document);

  // A row of "measurements" (or "serving_measurements"): must be one that its run's manifest makes.
  Result<void> check_measurement(const json::Value& row, bool is_serving);

  // After the last row: what can only be seen over all of them. Measurements that were expected and
  // not seen are findings only when `with_measurements`.
  std::vector<Finding> finish(bool with_measurements);

  CatalogFacts facts() const;

  // Ids of another catalog that stand for rows of this one: references to `foreign` are written as
  // `local` in bodies from then on.
  void alias_id(const Uuid& foreign, const Uuid& local);
  // Whether a row of the table with this id was checked.
  bool has_row(catalog::Table table, const Uuid& id) const;

  // The eligible runs of every comparison group with a value, for leader sequences: key, then runs
  // in order of (observedAt, id).
  struct LeaderRun {
    Uuid id;
    double value = 0;
    std::int64_t observed_ms = 0;
  };
  void for_each_group(
      const std::function<void(const Digest& key, std::span<const LeaderRun> runs)>& visit) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ki::publish
