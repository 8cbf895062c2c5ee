// What a Cell holds; shared by its start (cell.cpp) and its calls (ring.cpp).
#pragma once

#include "attendant.h"
#include "ki/sandbox/cell.h"
#include "launch.h"
#include "memory_file.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace ki::sandbox {

struct Cell::State {
  CellPlan plan;
  std::unique_ptr<wire::Launch> description;
  double ticks_per_ns = 1;
  bool has_notify = false;
  MemoryFile control_file, inputs, outputs, object;
  std::vector<std::array<std::uint64_t, wire::kMaxTensors>> slot_addresses;  // in the cell
  std::vector<std::vector<std::size_t>> offsets;  // [set][tensor], as placed
  std::array<std::byte, wire::kPageBytes> canary{};
  std::optional<Launched> launched;
  std::unique_ptr<Attendant> attendant;
  std::optional<Ending> ending;
  IsolationReport isolation;
  std::set<std::string> own_objects;  // mapped as code before the candidate was
  std::string last_log;
  bool is_frozen = false;
  std::uint32_t ring_number = 0;
  std::uint32_t ping_number = 0;
  std::uint64_t random = 0;  // xorshift state, for samples of lines

  wire::Control& control() const { return *reinterpret_cast<wire::Control*>(control_file.data()); }
  int input_count() const { return description->input_count; }
  int tensor_count() const { return description->input_count + description->output_count; }
  const wire::Tensor& wire_tensor(int index) const { return description->tensors[index]; }
  std::uint64_t bytes(int index) const;
  std::byte* slot(int set, int index) const;
  std::uint64_t next_random();

  bool freeze();
  void thaw();
  // Collects the end of the process, kills it first where it must, and says why it ended.
  void settle(std::optional<EndCause> known = std::nullopt, std::string text = {});
  FaultPlace place_of(std::uint64_t address) const;
};

std::uint64_t now_ns();

}  // namespace ki::sandbox
