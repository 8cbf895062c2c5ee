#include "ki/sandbox/cell.h"

#include "cell_state.h"
#include "filter.h"
#include "host_state.h"
#include "ki/base/check.h"
#include "layout.h"
#include "look.h"

#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <fstream>
#include <sstream>

namespace ki::sandbox {
namespace {

using std::chrono::milliseconds;

std::vector<std::string> environment_of(const CellPlan& plan, std::uint64_t random) {
  const std::string threads = std::to_string(plan.threads);
  return {"LANG=C", "OMP_NUM_THREADS=" + threads, "OPENBLAS_NUM_THREADS=" + threads,
          "MKL_NUM_THREADS=" + threads,
          // The size of the environment moves the stack; a different one each time makes that noise
          // between processes instead of a constant bias.
          "KI_PADDING=" + std::string(random % 4096, 'x')};
}

// The files mapped as code. Empty where the map cannot be read.
std::set<std::string> code_files(int pid) {
  std::set<std::string> out;
  std::ifstream in(fmt::format("/proc/{}/maps", pid));
  for (std::string line; std::getline(in, line);) {
    std::istringstream parts(line);
    std::string range, mode, offset, device, inode, path;
    parts >> range >> mode >> offset >> device >> inode >> path;
    if (mode.find('x') != std::string::npos && path.starts_with('/')) out.insert(path);
  }
  return out;
}

void put(const FilterRules& rules, bool has_notify, sock_filter* target, std::uint32_t& length) {
  const auto program = compile(rules, has_notify);
  KI_CHECK(program.size() <= static_cast<std::size_t>(wire::kMaxFilter));
  length = static_cast<std::uint32_t>(program.size());
  std::ranges::copy(program, target);
}

}  // namespace

std::uint64_t now_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC_RAW, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

std::uint64_t Cell::State::bytes(int index) const {
  const auto i = static_cast<std::size_t>(index);
  return i < plan.inputs.size() ? plan.inputs[i].bytes : plan.outputs[i - plan.inputs.size()].bytes;
}

std::byte* Cell::State::slot(int set, int index) const {
  const bool is_input = index < input_count();
  const std::uint64_t stride =
      is_input ? description->input_set_stride : description->output_set_stride;
  return (is_input ? inputs : outputs).data() + wire_tensor(index).slot_offset +
         stride * static_cast<std::uint64_t>(set);
}

std::uint64_t Cell::State::next_random() {
  random ^= random << 13;
  random ^= random >> 7;
  random ^= random << 17;
  return random;
}

bool Cell::State::freeze() {
  is_frozen = launched->freeze();
  if (is_frozen && plan.threads > 1) launched->await_ended_threads();
  return is_frozen;
}

void Cell::State::thaw() {
  launched->thaw();
  is_frozen = false;
}

FaultPlace Cell::State::place_of(std::uint64_t address) const {
  for (const auto& addresses : slot_addresses) {
    for (int i = 0; i < tensor_count(); ++i) {
      const std::uint64_t begin = addresses[static_cast<std::size_t>(i)];
      const std::uint64_t end = begin + wire_tensor(i).slot_bytes;
      if (address >= begin && address < end) {
        return i < input_count() ? FaultPlace::kInput : FaultPlace::kElsewhere;
      }
      if (address >= begin - wire::kGuardBytes && address < end + wire::kGuardBytes) {
        return FaultPlace::kGuard;
      }
    }
  }
  return FaultPlace::kElsewhere;
}

void Cell::State::settle(std::optional<EndCause> known, std::string text) {
  if (ending) return;
  if (known) launched->kill_inside();
  const std::optional<int> status = launched->wait_end(milliseconds(10'000));
  const std::uint64_t kills =
      launched->control_group() != nullptr ? launched->control_group()->out_of_memory_kills() : 0;
  attendant->finish();
  last_log = attendant->log();
  const std::string call = attendant->killed_for();
  Ending out;
  if (!call.empty()) {
    out = {EndCause::kPolicyViolation, SIGKILL, call};
    out.text = fmt::format("killed for the forbidden system call {}", call);
  } else if (known) {
    out.cause = *known;
    out.code = SIGKILL;
    out.text = std::move(text);
  } else if (!status) {
    out.cause = EndCause::kTimeout;
    out.text = "could not be killed in 10 s";
  } else if (WIFSIGNALED(*status)) {
    const int number = WTERMSIG(*status);
    out.cause = EndCause::kSignal;
    out.code = number;
    if (number == SIGKILL && kills > 0) {
      out.cause = EndCause::kOutOfMemory;
      out.text = fmt::format("killed by the kernel over its memory limit of {} MiB",
                             plan.memory_bytes >> 20);
    } else if (number == SIGXCPU) {
      out.cause = EndCause::kCpuLimit;
      out.text = "over its limit of processor time";
    } else if (number == SIGSYS) {
      // Only the seal filter kills by itself, and only for code from files.
      out.cause = EndCause::kPolicyViolation;
      out.system_call = has_notify ? "mmap" : "";
      out.text = has_notify ? "killed for mapping code after it was sealed"
                            : "killed for a forbidden system call";
    } else {
      const char* name = ::sigabbrev_np(number);
      out.text = fmt::format("died of SIG{}", name == nullptr ? "?" : name);
      if (control().fault_signal == number) {
        out.fault_address = control().fault_address;
        out.fault_place = place_of(*out.fault_address);
        constexpr const char* kWhere[] = {"", ", in the guard around a tensor",
                                          ", in a read-only input"};
        out.text += fmt::format(" at 0x{:x}{}", *out.fault_address,
                                kWhere[static_cast<std::size_t>(out.fault_place)]);
      }
    }
  } else {
    out.code = WEXITSTATUS(*status);
    if (out.code == 123 && control().state == wire::kLoadFailed) {
      control().error[sizeof control().error - 1] = '\0';
      out.cause = EndCause::kLoadFailed;
      out.text = control().error;
    } else {
      out.text = fmt::format("ended by itself with code {}", out.code);
    }
  }
  ending = std::move(out);
  is_frozen = false;
  launched->clean_up();
}

Cell::Cell(std::unique_ptr<State> state) : state_(std::move(state)) {}
Cell::~Cell() {
  if (state_) stop();
}
Cell::Cell(Cell&&) noexcept = default;
Cell& Cell::operator=(Cell&& other) noexcept {
  if (this != &other) {
    if (state_) stop();
    state_ = std::move(other.state_);
  }
  return *this;
}

Result<Cell> Cell::start(const Host& host, const CellPlan& plan) {
  auto owned = std::make_unique<State>();
  State& state = *owned;
  state.plan = plan;
  state.plan.object.clear();
  state.ticks_per_ns = host.state().ticks_per_ns;
  state.has_notify = host.state().has_notify;
  (void)!::getrandom(&state.random, sizeof state.random, 0);
  state.random |= 1;
  (void)!::getrandom(state.canary.data(), state.canary.size(), 0);

  state.description = std::make_unique<wire::Launch>();
  wire::Launch& description = *state.description;
  description = {};
  KI_TRY_VOID(lay_out(plan, description));
  description.mode = wire::Mode::kCell;
  description.tmp_bytes = plan.tmp_bytes;
  description.object_bytes = plan.object.size();
  std::memcpy(description.entry, plan.entry.c_str(), plan.entry.size() + 1);
  for (const int cpu : plan.cpus) {
    if (cpu < 0 || cpu >= wire::kMaxCpuWords * 64) {
      return fail(Code::kInvalidArgument, fmt::format("there is no processor {}", cpu));
    }
    description.cpu_mask[cpu / 64] |= std::uint64_t{1} << (cpu % 64);
  }
  put(load_rules(), state.has_notify, description.load_filter, description.load_filter_length);
  put(seal_rules(), false, description.seal_filter, description.seal_filter_length);

  KI_TRY(state.control_file, MemoryFile::create("ki-control", sizeof(wire::Control)));
  KI_TRY(state.inputs, MemoryFile::create("ki-inputs", description.input_arena_bytes));
  KI_TRY(state.outputs, MemoryFile::create("ki-outputs", description.output_arena_bytes));
  KI_TRY(state.object,
         MemoryFile::create("ki-object", std::max<std::size_t>(plan.object.size(), 1)));
  std::memcpy(state.object.data(), plan.object.data(), plan.object.size());
  KI_TRY_VOID(state.inputs.seal());
  KI_TRY_VOID(state.object.seal());
  state.control().spin_ticks = static_cast<std::uint64_t>(2e6 * state.ticks_per_ns);
  state.offsets.assign(static_cast<std::size_t>(plan.sets),
                       std::vector<std::size_t>(static_cast<std::size_t>(state.tensor_count())));

  KI_TRY(auto launched,
         Launched::start(host.state(), description,
                         {.control = state.control_file.fd(),
                          .inputs = state.inputs.fd(),
                          .outputs = state.outputs.fd(),
                          .object = state.object.fd()},
                         plan.memory_bytes, environment_of(plan, state.next_random())));
  state.launched.emplace(std::move(launched));
  state.attendant = std::make_unique<Attendant>(state.launched->stderr_fd(),
                                                state.launched->pidfd(), plan.log_bytes);
  for (const auto wanted : {wire::MessageKind::kMapped, wire::MessageKind::kListener}) {
    KI_TRY(auto received, state.launched->receive(milliseconds(10'000)));
    if (!received || received->message.kind != wanted) {
      return fail(Code::kInternal, "ki-cell ended before the candidate was loaded");
    }
    if (wanted == wire::MessageKind::kListener) {
      if (state.has_notify) state.attendant->attend_calls(std::move(received->descriptor));
      continue;
    }
    // Still only our code runs there, so what the page says is true.
    for (int set = 0; set < plan.sets; ++set) {
      auto& addresses = state.slot_addresses.emplace_back();
      std::ranges::copy(state.control().slot_address[set], addresses.begin());
    }
    state.own_objects = code_files(state.launched->pid());
    KI_TRY_VOID(state.outputs.seal());
    KI_TRY_VOID(state.control_file.seal());
    if (ControlGroup* group = state.launched->control_group()) {
      KI_TRY_VOID(group->limit_processes(plan.threads + 1));  // and process 1 of the namespace
    }
    KI_TRY_VOID(state.launched->send(wire::MessageKind::kSealed));
  }

  const std::uint64_t begin = now_ns();
  const auto deadline = static_cast<std::uint64_t>(plan.load_deadline.count()) * 1'000'000;
  for (;;) {
    const std::uint32_t seen = std::atomic_ref(state.control().state).load();
    if (seen == wire::kIdle || seen == wire::kSpinning) break;
    if (state.attendant->has_ended() || seen == wire::kLoadFailed) {
      state.settle();
      return Cell(std::move(owned));
    }
    if (now_ns() - begin > deadline) {
      state.settle(EndCause::kTimeout,
                   fmt::format("did not load in {} ms", plan.load_deadline.count()));
      return Cell(std::move(owned));
    }
    const timespec slice{0, 2'000'000};
    ::syscall(SYS_futex, &state.control().state, FUTEX_WAIT, seen, &slice, nullptr, 0);
  }
  state.attendant->seal();
  if (state.has_notify && !state.attendant->has_installed_seal()) {
    state.settle(EndCause::kPolicyViolation, "claimed to be loaded before it was sealed");
    return Cell(std::move(owned));
  }
  const std::uint64_t before = now_ns();
  if (!state.freeze()) {
    state.settle();
    return Cell(std::move(owned));
  }
  const double freeze_us = static_cast<double>(now_ns() - before) * 1e-3;
  state.isolation.facts = look_at(state.launched->pid(), {.uid = state.launched->uid()});
  state.isolation.facts.push_back(
      {"freeze", true, true,
       fmt::format("SIGSTOP, all threads stopped after {:.0f} µs", freeze_us)});
  state.isolation.facts.push_back(host.state().limits);
  for (const IsolationFact& fact : host.isolation().facts) {
    if (!fact.is_required) state.isolation.facts.push_back(fact);
  }
  state.isolation.level = level_of(state.isolation.facts);
  Cell cell(std::move(owned));
  for (int set = 0; set < plan.sets; ++set) {
    for (int i = 0; i < cell.tensor_count(); ++i) cell.place(set, i, 0);
  }
  return cell;
}

std::size_t Cell::slack(int tensor) const {
  return state_->wire_tensor(tensor).slot_bytes - state_->bytes(tensor);
}

void Cell::place(int set, int tensor, std::size_t offset) {
  KI_CHECK(state_->is_frozen || state_->ending);
  KI_CHECK(set >= 0 && set < state_->plan.sets && tensor >= 0 && tensor < tensor_count());
  KI_CHECK(offset <= slack(tensor));
  state_->offsets[static_cast<std::size_t>(set)][static_cast<std::size_t>(tensor)] = offset;
  state_->control().data_offset[set][tensor] = offset;
  std::byte* slot = state_->slot(set, tensor);
  const std::size_t end = state_->wire_tensor(tensor).slot_bytes;
  const auto fill = [&](std::size_t from, std::size_t to) {
    while (from < to) {
      const std::size_t in_page = from % wire::kPageBytes;
      const std::size_t size = std::min(to - from, wire::kPageBytes - in_page);
      std::memcpy(slot + from, state_->canary.data() + in_page, size);
      from += size;
    }
  };
  fill(0, offset);
  fill(offset + state_->bytes(tensor), end);
}

std::span<std::byte> Cell::tensor(int set, int index) const {
  KI_CHECK(state_->is_frozen || state_->ending);
  KI_CHECK(set >= 0 && set < state_->plan.sets && index >= 0 && index < tensor_count());
  const std::size_t offset =
      state_->offsets[static_cast<std::size_t>(set)][static_cast<std::size_t>(index)];
  return {state_->slot(set, index) + offset, state_->bytes(index)};
}

int Cell::tensor_count() const { return state_->tensor_count(); }
const std::optional<Ending>& Cell::ending() const { return state_->ending; }
const IsolationReport& Cell::isolation() const { return state_->isolation; }
int Cell::pid() const { return state_->launched->pid(); }

std::string Cell::log() const {
  return state_->ending ? state_->last_log : state_->attendant->log();
}

std::uint64_t Cell::private_bytes() const {
  std::ifstream in(fmt::format("/proc/{}/status", pid()));
  for (std::string line; std::getline(in, line);) {
    std::uint64_t kib = 0;
    if (std::sscanf(line.c_str(), "RssAnon: %lu", &kib) == 1) return kib * 1024;
  }
  return 0;
}

std::vector<std::string> Cell::loaded_objects() const {
  std::vector<std::string> out;
  for (const std::string& path : code_files(pid())) {
    if (!state_->own_objects.contains(path)) out.push_back(path);
  }
  return out;
}

void Cell::stop() {
  if (!state_->launched) return;
  state_->settle(EndCause::kStopped, "stopped by the parent");
}

}  // namespace ki::sandbox
