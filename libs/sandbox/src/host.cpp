#include "ki/sandbox/host.h"

#include "filter.h"
#include "host_state.h"
#include "launch.h"
#include "look.h"

#include <fmt/format.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

namespace ki::sandbox {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

std::pair<int, int> kernel_version() {
  utsname name{};
  int major = 0, minor = 0;
  if (::uname(&name) == 0) std::sscanf(name.release, "%d.%d", &major, &minor);
  return {major, minor};
}

// The kernel can ask the parent, and be told to go on (5.5).
bool probe_notify() {
  seccomp_notif_sizes sizes{};
  return ::syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) == 0 &&
         kernel_version() >= std::pair(5, 5);
}

double calibrate_ticks() {
  const auto stamp = [] {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
  };
  const double begin = stamp();
  const std::uint64_t first = __rdtsc();
  while (stamp() - begin < 5e6) {
  }
  const std::uint64_t ticks = __rdtsc() - first;
  return static_cast<double>(ticks) / (stamp() - begin);
}

void put_filter(const FilterRules& rules, bool has_notify, sock_filter* target,
                std::uint32_t& length) {
  const auto program = compile(rules, has_notify);
  length = static_cast<std::uint32_t>(program.size());
  std::ranges::copy(program, target);
}

std::unique_ptr<wire::Launch> probe_description(wire::Mode mode) {
  auto out = std::make_unique<wire::Launch>();
  *out = {};
  out->mode = mode;
  out->tmp_bytes = 1 << 20;
  put_filter(load_rules(), false, out->load_filter, out->load_filter_length);
  put_filter(seal_rules(), false, out->seal_filter, out->seal_filter_length);
  return out;
}

// Exceeds both limits in sandboxes of their own, and says what happened.
IsolationFact probe_limits(const HostState& host, const std::string& why_no_groups) {
  IsolationFact fact{"limits", false, true, why_no_groups};
  if (!host.groups) return fact;
  constexpr std::uint64_t kLimit = 32 << 20;
  auto description = probe_description(wire::Mode::kProbeMemory);
  description->load_filter_length = 0;
  description->probe_bytes = 3 * kLimit;
  auto memory = Launched::start(host, *description, {}, kLimit, {});
  if (!memory) {
    fact.observed = memory.error().to_string();
    return fact;
  }
  if (!memory->send(wire::MessageKind::kSealed)) return fact;
  const auto end = memory->wait_end(milliseconds(10'000));
  const bool is_killed = end && WIFSIGNALED(*end) && WTERMSIG(*end) == SIGKILL &&
                         memory->control_group()->out_of_memory_kills() > 0;

  description = probe_description(wire::Mode::kProbeProcesses);
  description->load_filter_length = 0;
  description->threads = 8;
  auto processes = Launched::start(host, *description, {}, kLimit, {});
  if (!processes || !processes->control_group()->limit_processes(4) ||
      !processes->send(wire::MessageKind::kSealed)) {
    fact.observed = "the probe of the process limit did not start";
    return fact;
  }
  auto report = processes->receive(milliseconds(10'000));
  const bool has_report = report && *report;
  const int forks = has_report ? (*report)->message.value : -1;
  const bool is_refused = has_report && forks <= 2 && (*report)->message.second == EAGAIN;
  fact.holds = is_killed && is_refused;
  fact.observed = fmt::format(
      "cgroup v{}: touching {} MiB under a limit of {} MiB was {}; {} of 8 forks ran under a limit "
      "of 4 processes",
      host.groups->version, 3 * kLimit >> 20, kLimit >> 20, is_killed ? "killed" : "not killed",
      forks);
  return fact;
}

Result<IsolationReport> probe_isolation(const HostState& host) {
  auto description = probe_description(wire::Mode::kProbeIdle);
  KI_TRY(auto idle, Launched::start(host, *description, {}, 64 << 20, {}));
  KI_TRY(auto ready, idle.receive(milliseconds(10'000)));
  if (!ready) return fail(Code::kUnsupported, "the probe of the sandbox ended early");
  IsolationReport report;
  // It closes its descriptors and installs its filters after that message.
  for (int turn = 0; turn < 200; ++turn) {
    report.facts = look_at(idle.pid(), {.uid = idle.uid()});
    const bool is_settled = report.find("fds")->holds && report.find("seccomp")->holds;
    if (is_settled || idle.poll_end()) break;
    std::this_thread::sleep_for(milliseconds(1));
  }
  const auto begin = std::chrono::steady_clock::now();
  const bool is_frozen = idle.freeze();
  const double micros =
      std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
  report.facts.push_back({"freeze", is_frozen, true,
                          is_frozen
                              ? fmt::format("SIGSTOP, all threads stopped after {:.0f} µs", micros)
                              : "SIGSTOP did not stop it"});
  report.facts.push_back(host.limits);
  report.facts.push_back(
      {"seccomp_notify", host.has_notify, false,
       host.has_notify ? "refused calls are counted and killing ones named"
                       : "this kernel cannot ask the parent: refused calls are not counted"});
  const long landlock = ::syscall(444 /* landlock_create_ruleset */, nullptr, 0, 1);
  report.facts.push_back(
      {"landlock", landlock > 0, false,
       landlock > 0 ? fmt::format("ABI {} present, not used", landlock) : "absent"});
  report.level = level_of(report.facts);
  return report;
}

}  // namespace

Host::Host(std::unique_ptr<State> state) : state_(std::move(state)) {}
Host::~Host() = default;
Host::Host(Host&&) noexcept = default;
Host& Host::operator=(Host&&) noexcept = default;

const IsolationReport& Host::isolation() const { return state_->isolation; }

Result<Host> Host::open(const HostOptions& options) {
  auto state = std::make_unique<State>();
  std::error_code error;
  state->cell_program = options.cell_program.empty()
                            ? fs::read_symlink("/proc/self/exe", error).parent_path() / "ki-cell"
                            : options.cell_program;
  if (::access(state->cell_program.c_str(), X_OK) != 0) {
    return fail(Code::kNotFound, fmt::format("{} is missing; it is installed beside ki",
                                             state->cell_program.string()));
  }
  state->first_spare_uid = options.first_spare_uid;
  state->has_notify = probe_notify();
  state->ticks_per_ns = calibrate_ticks();
  std::string why_no_groups;
  state->groups = find_control_groups(why_no_groups);
  if (state->groups) sweep_control_groups(*state->groups);
  state->limits = probe_limits(*state, why_no_groups);
  if (!state->limits.holds) state->groups.reset();
  KI_TRY(state->isolation, probe_isolation(*state));
  return Host(std::move(state));
}

}  // namespace ki::sandbox
