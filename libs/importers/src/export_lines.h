// The lines of our export, generated from a store's log in export order.
#pragma once

#include "ki/base/result.h"
#include "ki/catalog/store.h"

#include <cstdint>
#include <functional>
#include <string_view>

namespace ki::importers {

inline constexpr std::string_view kMeasurements = "measurements";
inline constexpr std::string_view kServingMeasurements = "serving_measurements";
inline constexpr std::string_view kCommits = "commits";

// Receives each line with its line feed, and the table that it belongs to.
using LineSink = std::function<Result<void>(std::string_view table, std::string_view line)>;

// All lines but the header, as of `head`.
Result<void> generate_export_lines(catalog::Store& store, const catalog::Head& head,
                                   const LineSink& sink);

}  // namespace ki::importers
