// The process that holds the candidate. Before any of the candidate's code is mapped: arenas are
// mapped and sealed, every descriptor but stderr is closed, the load filter is in force. Before its
// first call: the seal filter too. It makes no system call between the bell and the end of a ring.
#include "ki/kernel_abi.h"
#include "ki_cell.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <x86intrin.h>

#include <initializer_list>

namespace ki::cell {
namespace {

using wire::kMaxDimensions;
using wire::kMaxTensors;

wire::Control* g_control;
ki_tensor g_arguments[wire::kMaxSets][kMaxTensors];
int64_t g_shapes[kMaxTensors][kMaxDimensions];
int64_t g_strides[kMaxTensors][kMaxDimensions];

int tensor_count() { return launch().input_count + launch().output_count; }

template <class T>
T load(const T& word) {
  return __atomic_load_n(&word, __ATOMIC_SEQ_CST);
}
template <class T>
void store(T& word, T value) {
  __atomic_store_n(&word, value, __ATOMIC_SEQ_CST);
}

void futex_wait(const uint32_t& word, uint32_t expected) {
  syscall(SYS_futex, &word, FUTEX_WAIT, expected, nullptr, nullptr, 0);
}
void futex_wake(const uint32_t& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void* map_shared(int fd, uint64_t offset, uint64_t size, int protection, void* at) {
  const int fixed = at == nullptr ? 0 : MAP_FIXED;
  void* address =
      mmap(at, size, protection, MAP_SHARED | MAP_POPULATE | fixed, fd, static_cast<off_t>(offset));
  if (address == MAP_FAILED) give_up("mapping an arena");
  return address;
}

// One slot between two guards.
void map_slot(int set, int index) {
  const bool is_input = index < launch().input_count;
  const wire::Tensor& tensor = launch().tensors[index];
  const uint64_t stride = is_input ? launch().input_set_stride : launch().output_set_stride;
  const uint64_t total = tensor.slot_bytes + 2 * wire::kGuardBytes;
  void* room = mmap(nullptr, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) give_up("reserving a slot");
  char* slot = static_cast<char*>(room) + wire::kGuardBytes;
  map_shared(is_input ? wire::kFdInputs : wire::kFdOutputs,
             tensor.slot_offset + stride * static_cast<uint64_t>(set), tensor.slot_bytes,
             is_input ? PROT_READ : PROT_READ | PROT_WRITE, slot);
  g_control->slot_address[set][index] = reinterpret_cast<uint64_t>(slot);
}

void map_arenas() {
  g_control = static_cast<wire::Control*>(
      map_shared(wire::kFdControl, 0, sizeof(wire::Control), PROT_READ | PROT_WRITE, nullptr));
  for (int set = 0; set < launch().set_count; ++set) {
    for (int i = 0; i < tensor_count(); ++i) map_slot(set, i);
  }
}

void make_arguments() {
  for (int i = 0; i < tensor_count(); ++i) {
    const wire::Tensor& tensor = launch().tensors[i];
    int64_t stride = 1;
    for (int d = tensor.ndim - 1; d >= 0; --d) {
      g_shapes[i][d] = tensor.shape[d];
      g_strides[i][d] = stride;
      stride *= tensor.shape[d];
    }
    for (int set = 0; set < launch().set_count; ++set) {
      g_arguments[set][i] = ki_tensor{.data = nullptr,
                                      .shape = tensor.ndim == 0 ? nullptr : g_shapes[i],
                                      .stride = tensor.ndim == 0 ? nullptr : g_strides[i],
                                      .numel = tensor.numel,
                                      .ndim = tensor.ndim,
                                      .dtype = tensor.dtype};
    }
  }
}

// Notes where it happened; the handler is gone after its first run, so the fault then kills.
void on_fault(int number, siginfo_t* info, void* context) {
  const auto* state = static_cast<const ucontext_t*>(context);
  g_control->fault_address = reinterpret_cast<uint64_t>(info->si_addr);
  g_control->fault_instruction = static_cast<uint64_t>(state->uc_mcontext.gregs[REG_RIP]);
  store(g_control->fault_signal, static_cast<int32_t>(number));
}

void watch_faults() {
  static char stack[1 << 14];
  const stack_t alternative{stack, 0, sizeof stack};
  if (sigaltstack(&alternative, nullptr) != 0) give_up("sigaltstack");
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | static_cast<int>(SA_RESETHAND);
  for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) {
    if (sigaction(number, &action, nullptr) != 0) give_up("sigaction");
  }
}

void limit_resources() {
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_FSIZE, launch().tmp_bytes);
  set_limit(RLIMIT_NOFILE, 32);
  set_limit(RLIMIT_MEMLOCK, 0);
  if (launch().data_bytes != 0) set_limit(RLIMIT_DATA, launch().data_bytes);
  if (launch().cpu_seconds != 0) set_limit(RLIMIT_CPU, launch().cpu_seconds);
}

int install_filter(const sock_filter* filter, uint32_t length, unsigned flags) {
  const sock_fprog program{static_cast<unsigned short>(length), const_cast<sock_filter*>(filter)};
  return static_cast<int>(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program));
}

[[noreturn]] void fail_loading(const char* text) {
  copy_text(g_control->error, sizeof g_control->error, text);
  store(g_control->state, static_cast<uint32_t>(wire::kLoadFailed));
  futex_wake(g_control->state);
  _exit(123);
}

ki_entry load_candidate() {
  void* object = dlopen("/ki/object.so", RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) fail_loading(dlerror());
  const void* abi = dlsym(object, "ki_kernel_abi");
  if (abi == nullptr) fail_loading("the object exports no ki_kernel_abi (see ki/kernel_abi.h)");
  uint32_t number;
  memcpy(&number, abi, sizeof number);
  if (number != KI_KERNEL_ABI) fail_loading("ki_kernel_abi is not 1, the only ABI of this program");
  void* entry = dlsym(object, launch().entry);
  if (entry == nullptr) fail_loading(dlerror());
  ki_entry function;
  memcpy(&function, &entry, sizeof function);
  return function;
}

// The arguments of the next ring, whose numbers the parent has written before it changed `ping`.
void point_arguments() {
  const uint32_t first = g_control->first_set;
  const uint32_t count = g_control->count;
  const auto sets = static_cast<uint32_t>(launch().set_count);
  for (uint32_t set = first; set < first + count && set < sets; ++set) {
    for (int i = 0; i < tensor_count(); ++i) {
      g_arguments[set][i].data =
          reinterpret_cast<void*>(g_control->slot_address[set][i] + g_control->data_offset[set][i]);
    }
  }
}

void run_ring(ki_entry entry, const ki_exec& exec) {
  if (g_control->opcode == wire::kEmpty) return;
  const uint32_t first = g_control->first_set;
  const uint32_t count = g_control->count;
  const int32_t inputs = launch().input_count;
  const int32_t outputs = launch().output_count;
  for (uint32_t k = 0; k < count; ++k) {
    ki_tensor* arguments = g_arguments[first + k];
    wire::CallRecord& record = g_control->records[k];
    _mm_setcsr(wire::kDefaultMxcsr);
    unsigned processor;
    _mm_lfence();
    const uint64_t begin = __rdtsc();
    const int32_t result = entry(arguments, inputs, arguments + inputs, outputs, &exec);
    const uint64_t end = __rdtscp(&processor);
    _mm_lfence();
    record.tsc_begin = begin;
    record.tsc_end = end;
    record.result = result;
    record.mxcsr = _mm_getcsr();
  }
}

[[noreturn]] void answer(ki_entry entry) {
  const ki_exec exec{.size = sizeof(ki_exec),
                     .abi = KI_KERNEL_ABI,
                     .threads = launch().threads,
                     .flags = 0,
                     .stream = nullptr,
                     .reserved = {}};
  wire::Control& control = *g_control;
  uint32_t armed = load(control.arm);
  uint32_t rung = load(control.bell);
  store(control.state, static_cast<uint32_t>(wire::kIdle));
  futex_wake(control.state);
  for (;;) {
    // Idle: asleep. Checked in this order, a ring cannot be missed: the parent writes `bell`, then
    // looks at `state`.
    store(control.state, static_cast<uint32_t>(wire::kIdle));
    while (load(control.arm) == armed && load(control.bell) == rung) futex_wait(control.arm, armed);
    armed = load(control.arm);
    store(control.state, static_cast<uint32_t>(wire::kSpinning));
    const uint64_t begin = __rdtsc();
    bool has_rung = false;
    for (uint32_t turn = 1;; ++turn) {
      if (load(control.bell) != rung) {
        has_rung = true;
        break;
      }
      const uint32_t ping = load(control.ping);
      if (ping != control.pong) {
        point_arguments();
        store(control.pong, ping);
      }
      _mm_pause();
      if (turn % 64 == 0 && __rdtsc() - begin > control.spin_ticks) break;
    }
    control.spin_total_ticks += __rdtsc() - begin;
    if (!has_rung) continue;
    rung = load(control.bell);
    if (load(control.ping) != control.pong) {
      point_arguments();
      control.pong = load(control.ping);
    }
    store(control.state, static_cast<uint32_t>(wire::kRunning));
    run_ring(entry, exec);
    store(control.done, rung);
    if (control.wake_parent != 0) futex_wake(control.done);
  }
}

}  // namespace

void serve() {
  renounce();
  limit_resources();
  map_arenas();
  make_arguments();
  watch_faults();
  wire::Message message{};
  message.kind = wire::MessageKind::kMapped;
  message.ticks = __rdtsc();
  send_message(message);
  if (receive_message().kind != wire::MessageKind::kSealed) _exit(124);
  for (int fd = 0; fd < wire::kFdFirstFree; ++fd) {
    if (fd != wire::kFdStderr && fd != wire::kFdSocket) close(fd);
  }
  protect_launch();
  const unsigned flags = launch().has_notify != 0 ? SECCOMP_FILTER_FLAG_NEW_LISTENER : 0u;
  const int listener = install_filter(launch().load_filter, launch().load_filter_length, flags);
  if (listener < 0) give_up("installing the load filter");
  message.kind = wire::MessageKind::kListener;
  send_message(message, launch().has_notify != 0 ? listener : -1);
  if (launch().has_notify != 0) close(listener);
  close(wire::kFdSocket);
  store(g_control->state, static_cast<uint32_t>(wire::kLoading));
  const ki_entry entry = load_candidate();
  if (install_filter(launch().seal_filter, launch().seal_filter_length,
                     SECCOMP_FILTER_FLAG_TSYNC) != 0) {
    fail_loading("the seal filter was refused");
  }
  answer(entry);
}

}  // namespace ki::cell
