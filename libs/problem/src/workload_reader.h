// Workloads inside other documents: traces hold one.
#pragma once

#include "ki/json/writer.h"
#include "ki/problem/workload.h"
#include "source.h"

#include <optional>
#include <string>

namespace ki::problem {

std::optional<Workload> read_workload_value(const Source& source, Findings& findings,
                                            const json::Value& value, const std::string& pointer);
// Its numbers must be finite.
void write_workload(json::Writer& w, const Workload& workload);

}  // namespace ki::problem
