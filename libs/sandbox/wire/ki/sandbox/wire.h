// What `ki` and `ki-cell` share: the launch description, the control page and the start messages.
// Both programs come from one build, so there is no versioning beyond kWireMagic. No standard
// library here: ki-cell is built without one.
#pragma once

#include <linux/filter.h>
#include <stdint.h>

namespace ki::sandbox::wire {

inline constexpr uint32_t kWireMagic = 0x6b690003;
inline constexpr int kMaxTensors = 64;
inline constexpr int kMaxDimensions = 16;
inline constexpr int kMaxSets = 256;     // argument sets that one ring may run through
inline constexpr int kMaxFilter = 512;   // instructions of one seccomp filter
inline constexpr int kMaxCpuWords = 16;  // 1024 processors
inline constexpr uint64_t kGuardBytes = 65536;
inline constexpr uint64_t kPageBytes = 4096;
inline constexpr uint32_t kDefaultMxcsr = 0x1f80;  // all exceptions masked, nearest, no FTZ or DAZ

// Descriptors of the launcher. Those that a mode does not need are /dev/null.
enum Fd : int {
  kFdStderr = 2,
  kFdSocket = 3,     // SOCK_SEQPACKET to the parent; closed before the candidate is mapped
  kFdLaunch = 4,     // a Launch
  kFdControl = 5,    // a Control
  kFdInputs = 6,     // the arena of the inputs; build: the source files
  kFdOutputs = 7,    // the arena of the outputs; build: where the object goes
  kFdObject = 8,     // the shared object
  kFdCgroupA = 9,    // cgroup.procs, or /dev/null
  kFdCgroupB = 10,   // the same of a second v1 hierarchy
  kFdLifeline = 11,  // its other end closes when the parent ends
  kFdSelf = 12,      // the ki-cell program
  kFdFirstFree = 13,
};

enum class Mode : uint32_t {
  kCell = 1,
  kBuild = 2,
  kProbeMemory = 3,     // touches more than the limit: must be killed
  kProbeProcesses = 4,  // forks until refused; reports how many ran
  kProbeIdle = 5,       // enters, reports, and waits to be looked at
};

struct Tensor {
  int32_t dtype;
  int32_t ndim;
  int64_t shape[kMaxDimensions];
  int64_t numel;
  uint64_t slot_bytes;   // pages that hold it, a multiple of kPageBytes
  uint64_t slot_offset;  // in its arena, of set 0
};

struct Launch {
  uint32_t magic;
  Mode mode;
  uint32_t drop_to_uid;  // 0: the parent is not root, nothing to drop
  uint32_t parent_uid;
  uint32_t has_cgroup;
  uint64_t cpu_mask[kMaxCpuWords];  // all zero: as the parent
  uint64_t tmp_bytes;
  uint64_t work_bytes;   // build: size of /work
  uint64_t data_bytes;   // RLIMIT_DATA; 0: none (a cgroup limits)
  uint64_t probe_bytes;  // kProbeMemory: how much to touch
  uint64_t object_bytes;
  uint64_t cpu_seconds;  // RLIMIT_CPU of the cell, or of each command of a build
  int32_t threads;
  int32_t input_count;
  int32_t output_count;
  int32_t set_count;
  uint64_t input_set_stride;  // bytes between two sets in the arena
  uint64_t output_set_stride;
  uint64_t input_arena_bytes;
  uint64_t output_arena_bytes;
  char hostname[32];
  char entry[256];
  uint32_t has_notify;  // the load filter hands its decisions to the parent
  uint32_t load_filter_length;
  uint32_t seal_filter_length;
  sock_filter load_filter[kMaxFilter];
  sock_filter seal_filter[kMaxFilter];
  Tensor tensors[kMaxTensors];  // inputs, then outputs
};

// What the shim is doing. Written by the cell, so only a hint to the parent.
enum State : uint32_t {
  kStarting = 0,
  kLoading = 1,
  kLoadFailed = 2,
  kIdle = 3,      // waits in futex on `arm`
  kSpinning = 4,  // waits for `bell`, at most `spin_ticks`
  kRunning = 5,
};

enum Opcode : uint32_t { kCall = 1, kEmpty = 2 };

struct CallRecord {
  uint64_t tsc_begin;
  uint64_t tsc_end;
  int32_t result;
  uint32_t mxcsr;  // after the call
};

// The shared page of a cell. The candidate can write all of it: what the parent reads from it is
// checked or advisory.
struct Control {
  // Parent to cell.
  alignas(64) uint32_t arm;   // futex: changes to wake the shim
  alignas(64) uint32_t ping;  // changes when arguments are ready
  alignas(64) uint32_t bell;  // the number of the ring to run
  uint32_t opcode;
  uint32_t count;  // sets to run through, from first_set
  uint32_t first_set;
  uint32_t wake_parent;  // 1: the parent sleeps on `done`
  uint64_t spin_ticks;
  // Cell to parent.
  alignas(64) uint32_t state;  // State; futex while loading
  alignas(64) uint32_t pong;
  alignas(64) uint32_t done;  // futex: the number of the ring that ended last
  uint64_t spin_total_ticks;  // time spent spinning, ever
  int32_t fault_signal;
  uint64_t fault_address;
  uint64_t fault_instruction;
  char error[512];  // why loading failed
  alignas(64) CallRecord records[kMaxSets];
  uint64_t data_offset[kMaxSets][kMaxTensors];   // of the tensor in its slot, by the parent
  uint64_t slot_address[kMaxSets][kMaxTensors];  // in the cell; read by the parent before loading
};

enum class MessageKind : uint32_t {
  kFailed = 1,    // cell to parent: text and value (errno)
  kPids = 2,      // launcher: value = init, second = cell, in the parent's namespace
  kMapped = 3,    // cell: arenas are mapped
  kSealed = 4,    // parent: go on
  kListener = 5,  // cell: with the seccomp listener
  kReport = 6,    // probes and builds: value, second, text
};

struct Message {
  MessageKind kind;
  int32_t value;
  int32_t second;
  uint64_t ticks;
  char text[256];
};

// The files and commands of a build: a sequence of records in kFdInputs.
//   'F' path\0 u64 size, bytes          a source file below /work
//   'C' u32 argument count, each \0-terminated   a command; its log goes to stderr
//   'E'                                 the end
}  // namespace ki::sandbox::wire
