// Workload: one case of a problem (a line of workload.jsonl, harness 01 section 2).
#pragma once

#include "ki/problem/definition.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ki::problem {

struct RandomInput {};
struct ScalarInput {
  std::variant<std::int64_t, double, bool> value;  // the kind of the JSON value is kept
};
struct SafetensorsInput {
  std::string path, tensor_key;
};
struct CustomInput {};
using InputSource = std::variant<RandomInput, ScalarInput, SafetensorsInput, CustomInput>;

struct Tolerance {
  double max_atol = 1e-2;
  double max_rtol = 1e-2;
  double required_matched_ratio = 0.99;
  std::optional<double> max_error_cap;
  bool allow_negative_inf = false;
};

struct Workload {
  std::string uuid;
  std::vector<AxisValue> axes;
  std::vector<std::pair<std::string, InputSource>> inputs;
  Tolerance tolerance;

  // An input that is not named is random.
  const InputSource& input(std::string_view name) const;
};

// One object. `first_line` is the line of the file, for messages.
Reading<Workload> read_workload(std::string_view json, std::uint32_t first_line = 1);
// A JSONL file; blank lines are skipped. Pointers begin with the index of the workload.
Reading<std::vector<Workload>> read_workloads(std::string_view jsonl);

// What only the two together show: axes that are missing, not declared or constant, inputs that the
// definition does not have, `custom` without entry point, constraints, sizes that do not resolve.
Findings check_workload(const Definition& definition, const Workload& workload,
                        std::string_view pointer = "");

// The JSON object with its tolerance written out, as traces hold it.
std::string write_workload(const Workload& workload);

}  // namespace ki::problem
