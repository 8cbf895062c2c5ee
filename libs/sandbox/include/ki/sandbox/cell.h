// Cell: one candidate in one sandbox. The parent holds the only clock, owns the memory that the
// tensors lie in, and decides everything; the cell runs the candidate's entry point when rung.
//
//   auto cell = Cell::start(host, {.object = built.object, .entry = "vec_add", .inputs = {...}});
//   cell->place(0, 0, 64);                      // tensor 0 of set 0 starts 64 bytes into its slot
//   std::ranges::copy(bytes, cell->tensor(0, 0).begin());
//   auto report = cell->ring({});               // thaw, call, stop the clock, freeze
//   check(cell->tensor(0, 2));                  // the output, while the candidate cannot run
//
// Between calls the cell is stopped, so the content of the next call does not exist while the
// candidate can run. A cell belongs to one thread; that thread must outlive it, as the kernel ends
// the cell when the thread that started it ends.
#pragma once

#include "ki/base/result.h"
#include "ki/sandbox/ending.h"
#include "ki/sandbox/host.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ki::sandbox {

struct TensorPlan {
  std::int32_t dtype = 0;                // as in ki/kernel_abi.h
  std::vector<std::int64_t> shape = {};  // empty: a scalar
  std::uint64_t bytes = 0;               // of the data
};

struct CellPlan {
  std::string object = {};  // the bytes of the shared object
  std::string entry = {};
  std::vector<TensorPlan> inputs = {};
  std::vector<TensorPlan> outputs = {};
  int sets = 1;  // argument sets that one ring may run through, at most 256
  int threads = 1;
  std::vector<int> cpus = {};                           // empty: as the parent
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;  // beside the tensors
  std::uint64_t tmp_bytes = std::uint64_t{64} << 20;
  std::chrono::milliseconds load_deadline{10'000};
  std::size_t log_bytes = std::size_t{1} << 20;  // of stderr that are kept
};

enum class Waiting : std::uint8_t {
  kSpin,   // the parent spins on another core than the cell's
  kSleep,  // the parent sleeps in futex: the kernel uses every core
};

struct RingOptions {
  int first_set = 0;
  int count = 1;          // calls of this ring, one a set
  bool is_empty = false;  // no call: the cost of the doorbell itself
  Waiting waiting = Waiting::kSpin;
  std::chrono::milliseconds deadline{2'000};
  // Runs last before the cell is thawed: flushing caches.
  std::function<void()> before_thaw = {};
};

// Read from outside, of all threads of the cell.
struct ThreadAccount {
  std::uint64_t run_ns = 0;   // schedstat field 1
  std::uint64_t wait_ns = 0;  // schedstat field 2: runnable, but not running
  std::uint64_t major_faults = 0;
  std::uint64_t minor_faults = 0;
  std::uint64_t migrations = 0;  // changes of processor, where the kernel tells; else 0
  std::uint64_t involuntary_switches = 0;
  std::uint32_t threads = 0;
};

struct InsideStamp {
  std::uint64_t ticks;  // between the shim's two time stamps: advisory
  std::int32_t result;  // what the entry point returned
  std::uint32_t mxcsr;  // after the call
  bool mxcsr_changed;   // a control bit differs from the default
};

struct CallReport {
  std::uint64_t elapsed_ns = 0;    // the parent's clock, bell to answer, all calls of the ring
  std::vector<InsideStamp> calls;  // one a set; empty for an empty ring
  ThreadAccount before;            // while frozen, before the ring
  ThreadAccount after;             // while frozen, after it
  std::uint64_t spin_ns = 0;       // the shim's waiting inside after.run_ns - before.run_ns
  std::uint64_t freeze_ns = 0;     // stop clock to verified stop
  bool was_rearmed = false;        // the shim had gone to sleep: elapsed_ns has its waking in it
  bool late_write = false;         // an output changed between the stop clock and the stop
  std::vector<int>
      broken_canaries;              // tensors (inputs, then outputs) with bytes changed around them
  std::vector<std::string> denied;  // system calls refused since the last report
  std::optional<Ending> ending;     // the cell is gone; nothing above is of use then
};

class Cell {
 public:
  // Returns when the candidate is loaded, sealed and frozen. A candidate that cannot be loaded, or
  // that breaks a rule while loading, gives a cell with ending() set; an Error is the machine's or
  // the caller's fault.
  static Result<Cell> start(const Host& host, const CellPlan& plan);
  ~Cell();
  Cell(Cell&&) noexcept;
  Cell& operator=(Cell&&) noexcept;

  // Room for a tensor's data to start anywhere in [0, slack].
  std::size_t slack(int tensor) const;
  // Where the data of a tensor (inputs, then outputs) start in their slot. slack() puts its end at
  // the guard. Fills the rest of the slot with canaries. Precondition: frozen.
  void place(int set, int tensor, std::size_t offset);
  // The parent's view of the data. Precondition: frozen (or ended).
  std::span<std::byte> tensor(int set, int index) const;
  int tensor_count() const;

  CallReport ring(const RingOptions& options);

  const std::optional<Ending>& ending() const;
  // What the candidate wrote to stderr so far, cut at the plan's cap with a last line that says so.
  std::string log() const;
  // Of this very cell, looked at from outside after its start.
  const IsolationReport& isolation() const;
  // In the parent's namespace; for tests and telemetry.
  int pid() const;
  std::uint64_t private_bytes() const;  // anonymous memory that no flush of the parent reaches
  // Paths (inside the cell) of the files mapped as code by now, without the shim's own. Empty where
  // the parent may not read the map.
  std::vector<std::string> loaded_objects() const;
  // Kills whatever lives and removes everything; also done by the destructor.
  void stop();

  struct State;  // private to the module

 private:
  explicit Cell(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ki::sandbox
