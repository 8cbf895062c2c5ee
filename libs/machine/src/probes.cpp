#include "probes.h"

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <linux/perf_event.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

extern char** environ;

namespace ki::machine {
namespace {

namespace fs = std::filesystem;
using Value = std::optional<MemberValue>;
constexpr std::string_view kCpu = "/sys/devices/system/cpu/";

std::optional<std::string> read_line(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  if (!std::getline(in, line)) return std::nullopt;
  while (!line.empty() && (line.back() == '\n' || line.back() == ' ')) line.pop_back();
  if (line.empty() || line.size() > 400) return std::nullopt;
  return line;
}

Value text_of(const std::string& path) {
  const auto line = read_line(path);
  return line ? Value(*line) : std::nullopt;
}

Value number_of(const std::string& path) {
  const auto line = read_line(path);
  if (!line) return std::nullopt;
  char* end = nullptr;
  const long long value = std::strtoll(line->c_str(), &end, 10);
  return end == line->c_str() ? std::nullopt : Value(static_cast<std::int64_t>(value));
}

// "[always] madvise never" is "always".
Value chosen_of(const std::string& path) {
  const auto line = read_line(path);
  if (!line) return std::nullopt;
  const auto open = line->find('[');
  const auto close = line->find(']', open);
  if (open == std::string::npos || close == std::string::npos) return Value(*line);
  return Value(line->substr(open + 1, close - open - 1));
}

// The value after "name<tabs>:" of the first processor in /proc/cpuinfo.
std::optional<std::string> cpuinfo(std::string_view name) {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line) && !line.empty();) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::string key = line.substr(0, colon);
    while (!key.empty() && (key.back() == '\t' || key.back() == ' ')) key.pop_back();
    if (key != name) continue;
    return colon + 2 <= line.size() ? line.substr(colon + 2) : std::string();
  }
  return std::nullopt;
}
Value cpuinfo_text(std::string_view name) {
  const auto text = cpuinfo(name);
  return text && !text->empty() ? Value(*text) : std::nullopt;
}
Value cpuinfo_number(std::string_view name) {
  const auto text = cpuinfo(name);
  return text ? Value(static_cast<std::int64_t>(std::strtoll(text->c_str(), nullptr, 0)))
              : std::nullopt;
}
Value flag(std::string_view name) {
  const auto flags = cpuinfo("flags");
  if (!flags) return std::nullopt;
  return Value((" " + *flags + " ").find(" " + std::string(name) + " ") != std::string::npos);
}

// KiB or counts of /proc/meminfo.
std::optional<std::int64_t> meminfo(std::string_view name) {
  std::ifstream in("/proc/meminfo");
  std::string key;
  std::int64_t value = 0;
  for (std::string line; std::getline(in, line);) {
    std::istringstream parts(line);
    if (parts >> key >> value && key == std::string(name) + ":") return value;
  }
  return std::nullopt;
}
Value memory_bytes(std::string_view name) {
  const auto kib = meminfo(name);
  return kib ? Value(*kib * 1024) : std::nullopt;
}

Value os_release(std::string_view name) {
  std::ifstream in("/etc/os-release");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(std::string(name) + "=")) continue;
    std::string value = line.substr(name.size() + 1);
    if (value.size() >= 2 && value.front() == '"') value = value.substr(1, value.size() - 2);
    return Value(value);
  }
  return std::nullopt;
}

Value cache_bytes(int level, std::string_view type) {
  for (int index = 0; index < 8; ++index) {
    const std::string base = fmt::format("{}cpu0/cache/index{}/", kCpu, index);
    const auto found_level = read_line(base + "level");
    const auto found_type = read_line(base + "type");
    const auto size = read_line(base + "size");
    if (!found_level || !found_type || !size) continue;
    if (std::atoi(found_level->c_str()) != level || *found_type != type) continue;
    const std::int64_t value = std::atoll(size->c_str());
    return Value(size->back() == 'M' ? value << 20 : size->back() == 'K' ? value << 10 : value);
  }
  return std::nullopt;
}

// Distinct values of a topology file over all processors.
Value topology_count(const std::vector<const char*>& files) {
  std::set<std::string> seen;
  for (int cpu = 0; cpu < 1024; ++cpu) {
    std::string key;
    for (const char* file : files) {
      const auto line = read_line(fmt::format("{}cpu{}/topology/{}", kCpu, cpu, file));
      if (line) key += *line + "/";
    }
    if (key.empty()) break;
    seen.insert(key);
  }
  return seen.empty() ? std::nullopt : Value(static_cast<std::int64_t>(seen.size()));
}

Value numa_nodes() {
  std::error_code error;
  std::int64_t count = 0;
  for (const auto& entry : fs::directory_iterator("/sys/devices/system/node", error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("node") && name.size() > 4 && name[4] >= '0' && name[4] <= '9') ++count;
  }
  return count == 0 ? std::nullopt : Value(count);
}

struct Registers {
  unsigned a, b, c, d;
};
Registers cpuid(unsigned leaf) {
  Registers out{leaf, 0, 0, 0};
  __asm__("cpuid" : "+a"(out.a), "=b"(out.b), "+c"(out.c), "=d"(out.d));
  return out;
}
bool has_hypervisor() { return (cpuid(1).c >> 31 & 1) != 0; }
Value hypervisor_name() {
  if (!has_hypervisor()) return std::nullopt;
  const Registers leaf = cpuid(0x40000000);
  std::string name(12, '\0');
  std::memcpy(name.data(), &leaf.b, 4);
  std::memcpy(name.data() + 4, &leaf.c, 4);
  std::memcpy(name.data() + 8, &leaf.d, 4);
  name.resize(std::strlen(name.c_str()));
  const bool is_text =
      !name.empty() && std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~'; });
  return is_text ? Value(name) : std::nullopt;
}

// Opens a counter of cycles and sees whether it counts.
Value hardware_counters() {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof attributes;
  attributes.config = PERF_COUNT_HW_CPU_CYCLES;
  attributes.exclude_kernel = 1;
  const long fd = ::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
  if (fd < 0) return Value(false);
  std::uint64_t count = 0;
  const bool is_read = ::read(static_cast<int>(fd), &count, sizeof count) == sizeof count;
  ::close(static_cast<int>(fd));
  return Value(is_read && count > 0);
}

// Fixed: governor performance or equal limits, and turbo off.
Value frequency_fixed() {
  const std::string base = fmt::format("{}cpu0/cpufreq/", kCpu);
  const auto low = read_line(base + "scaling_min_freq");
  const auto high = read_line(base + "scaling_max_freq");
  if (!low || !high) return std::nullopt;
  const auto no_turbo = read_line(fmt::format("{}intel_pstate/no_turbo", kCpu));
  const auto boost = read_line(fmt::format("{}cpufreq/boost", kCpu));
  const bool is_turbo_off = (no_turbo && *no_turbo == "1") || (boost && *boost == "0");
  return Value(*low == *high && is_turbo_off);
}

Value kilohertz_as_megahertz(const std::string& path) {
  const auto line = read_line(path);
  return line ? Value(std::atof(line->c_str()) / 1000) : std::nullopt;
}

// A field of /proc/pressure, average over ten seconds of "some".
Value pressure(const char* resource) {
  const auto line = read_line(fmt::format("/proc/pressure/{}", resource));
  if (!line) return std::nullopt;
  const auto at = line->find("avg10=");
  return at == std::string::npos ? std::nullopt : Value(std::atof(line->c_str() + at + 6));
}

Value load(int index) {
  std::array<double, 3> values{};
  return ::getloadavg(values.data(), 3) == 3 ? Value(values[static_cast<std::size_t>(index)])
                                             : std::nullopt;
}

Value processor_seconds(int field) {
  std::ifstream in("/proc/stat");
  std::string name;
  in >> name;
  double value = 0;
  for (int i = 0; i <= field; ++i) {
    if (!(in >> value)) return std::nullopt;
  }
  return Value(value / static_cast<double>(::sysconf(_SC_CLK_TCK)));
}

Value clock_step() {
  timespec step{};
  if (::clock_getres(CLOCK_MONOTONIC_RAW, &step) != 0) return std::nullopt;
  return Value(static_cast<std::int64_t>(step.tv_sec * 1'000'000'000 + step.tv_nsec));
}

// Against CLOCK_MONOTONIC_RAW over 10 ms.
Value tsc_megahertz() {
  const auto now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) * 1e-3;
  };
  const double begin = now();
  const std::uint64_t first = __builtin_ia32_rdtsc();
  while (now() - begin < 10'000) {
  }
  const std::uint64_t ticks = __builtin_ia32_rdtsc() - first;
  return Value(static_cast<double>(ticks) / (now() - begin));
}

Value uname_field(int which) {
  utsname name{};
  if (::uname(&name) != 0) return std::nullopt;
  return Value(std::string(which == 0 ? name.release : which == 1 ? name.version : name.machine));
}

Value limit_of(int resource) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) return std::nullopt;
  if (limit.rlim_cur == RLIM_INFINITY) return Value(std::string("unlimited"));
  return Value(std::to_string(limit.rlim_cur));
}

Value cgroup_version() {
  const bool is_v2 = fs::exists("/sys/fs/cgroup/cgroup.controllers");
  if (is_v2) return Value(std::string("2"));
  std::error_code error;
  return fs::exists("/sys/fs/cgroup/memory", error) ? Value(std::string("1")) : std::nullopt;
}

Value hottest_zone() {
  std::optional<double> hottest;
  for (int zone = 0; zone < 64; ++zone) {
    const auto line = read_line(fmt::format("/sys/class/thermal/thermal_zone{}/temp", zone));
    if (!line) break;
    hottest = std::max(hottest.value_or(-300), std::atof(line->c_str()) / 1000);
  }
  return hottest ? Value(*hottest) : std::nullopt;
}

Value affinity_count() {
  const long count = ::sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? Value(static_cast<std::int64_t>(count)) : std::nullopt;
}

Value vulnerability(const char* name) {
  return text_of(fmt::format("{}vulnerabilities/{}", kCpu, name));
}

std::string cpu_path(std::string_view rest) { return std::string(kCpu) + std::string(rest); }

std::vector<Probe> make_probes() {
  const auto sysctl = [](const char* path) { return std::string("/proc/sys/") + path; };
  return {
      {"cpu_vendor", "text", "/proc/cpuinfo vendor_id", [] { return cpuinfo_text("vendor_id"); }},
      {"cpu_product", "text", "/proc/cpuinfo model name",
       [] { return cpuinfo_text("model name"); }},
      {"cpu_family", "number", "/proc/cpuinfo cpu family",
       [] { return cpuinfo_number("cpu family"); }},
      {"cpu_model", "number", "/proc/cpuinfo model", [] { return cpuinfo_number("model"); }},
      {"cpu_stepping", "number", "/proc/cpuinfo stepping",
       [] { return cpuinfo_number("stepping"); }},
      {"cpu_microcode", "text", "/proc/cpuinfo microcode",
       [] { return cpuinfo_text("microcode"); }},
      {"cpu_address_sizes", "text", "/proc/cpuinfo address sizes",
       [] { return cpuinfo_text("address sizes"); }},
      {"cpu_online", "count", "sysconf _SC_NPROCESSORS_ONLN", affinity_count},
      {"cpu_online_list", "text", "/sys/devices/system/cpu/online",
       [] { return text_of(cpu_path("online")); }},
      {"cpu_cores", "count", "topology physical_package_id, core_id",
       [] { return topology_count({"physical_package_id", "core_id"}); }},
      {"cpu_packages", "count", "topology physical_package_id",
       [] { return topology_count({"physical_package_id"}); }},
      {"cpu_isolated", "text", "/sys/devices/system/cpu/isolated",
       [] { return text_of(cpu_path("isolated")); }},
      {"cpu_nohz_full", "text", "/sys/devices/system/cpu/nohz_full",
       [] { return text_of(cpu_path("nohz_full")); }},
      {"cpu_smt", "text", "/sys/devices/system/cpu/smt/control",
       [] { return text_of(cpu_path("smt/control")); }},
      {"cpu_hypervisor", "bool", "CPUID leaf 1, ECX bit 31",
       [] { return Value(has_hypervisor()); }},
      {"cpu_hypervisor_name", "text", "CPUID leaf 0x40000000", hypervisor_name},
      {"cpu_has_fma", "bool", "/proc/cpuinfo flags", [] { return flag("fma"); }},
      {"cpu_has_avx2", "bool", "/proc/cpuinfo flags", [] { return flag("avx2"); }},
      {"cpu_has_avx512f", "bool", "/proc/cpuinfo flags", [] { return flag("avx512f"); }},
      {"cpu_has_avx512_bf16", "bool", "/proc/cpuinfo flags", [] { return flag("avx512_bf16"); }},
      {"cpu_has_avx512_vnni", "bool", "/proc/cpuinfo flags", [] { return flag("avx512_vnni"); }},
      {"cpu_has_avx512_fp16", "bool", "/proc/cpuinfo flags", [] { return flag("avx512_fp16"); }},
      {"cpu_has_amx_tile", "bool", "/proc/cpuinfo flags", [] { return flag("amx_tile"); }},
      {"cpu_has_clflushopt", "bool", "/proc/cpuinfo flags", [] { return flag("clflushopt"); }},
      {"tsc_constant", "bool", "/proc/cpuinfo flags", [] { return flag("constant_tsc"); }},
      {"tsc_nonstop", "bool", "/proc/cpuinfo flags", [] { return flag("nonstop_tsc"); }},
      {"tsc_frequency", "MHz", "rdtsc against CLOCK_MONOTONIC_RAW over 10 ms", tsc_megahertz},
      {"cache_l1d", "bytes", "cpu0 cache index", [] { return cache_bytes(1, "Data"); }},
      {"cache_l1i", "bytes", "cpu0 cache index", [] { return cache_bytes(1, "Instruction"); }},
      {"cache_l2", "bytes", "cpu0 cache index", [] { return cache_bytes(2, "Unified"); }},
      {"cache_l3", "bytes", "cpu0 cache index", [] { return cache_bytes(3, "Unified"); }},
      {"cache_line", "bytes", "cpu0 cache index0 coherency_line_size",
       [] { return number_of(cpu_path("cpu0/cache/index0/coherency_line_size")); }},
      {"cpu_frequency_driver", "text", "cpufreq scaling_driver",
       [] { return text_of(cpu_path("cpu0/cpufreq/scaling_driver")); }},
      {"cpu_frequency_governor", "text", "cpufreq scaling_governor",
       [] { return text_of(cpu_path("cpu0/cpufreq/scaling_governor")); }},
      {"cpu_frequency_current", "MHz", "cpufreq scaling_cur_freq",
       [] { return kilohertz_as_megahertz(cpu_path("cpu0/cpufreq/scaling_cur_freq")); }},
      {"cpu_frequency_lowest", "MHz", "cpufreq scaling_min_freq",
       [] { return kilohertz_as_megahertz(cpu_path("cpu0/cpufreq/scaling_min_freq")); }},
      {"cpu_frequency_highest", "MHz", "cpufreq scaling_max_freq",
       [] { return kilohertz_as_megahertz(cpu_path("cpu0/cpufreq/scaling_max_freq")); }},
      {"cpu_frequency_fixed", "bool", "equal cpufreq limits and turbo off", frequency_fixed},
      {"cpu_turbo_off", "bool", "intel_pstate/no_turbo",
       [] {
         const auto line = read_line(cpu_path("intel_pstate/no_turbo"));
         return line ? Value(*line == "1") : std::nullopt;
       }},
      {"cpu_idle_driver", "text", "cpuidle/current_driver",
       [] { return text_of(cpu_path("cpuidle/current_driver")); }},
      {"cpu_temperature", "°C", "hottest /sys/class/thermal zone", hottest_zone},
      {"cpu_throttle_count", "count", "cpu0 thermal_throttle/core_throttle_count",
       [] { return number_of(cpu_path("cpu0/thermal_throttle/core_throttle_count")); }},
      {"numa_nodes", "count", "/sys/devices/system/node", numa_nodes},
      {"numa_balancing", "number", "/proc/sys/kernel/numa_balancing",
       [sysctl] { return number_of(sysctl("kernel/numa_balancing")); }},
      {"memory_total", "bytes", "/proc/meminfo MemTotal", [] { return memory_bytes("MemTotal"); }},
      {"memory_available", "bytes", "/proc/meminfo MemAvailable",
       [] { return memory_bytes("MemAvailable"); }},
      {"memory_swap_total", "bytes", "/proc/meminfo SwapTotal",
       [] { return memory_bytes("SwapTotal"); }},
      {"memory_swap_free", "bytes", "/proc/meminfo SwapFree",
       [] { return memory_bytes("SwapFree"); }},
      {"memory_page", "bytes", "sysconf _SC_PAGESIZE",
       [] { return Value(static_cast<std::int64_t>(::sysconf(_SC_PAGESIZE))); }},
      {"memory_huge_pages", "count", "/proc/meminfo HugePages_Total",
       [] {
         const auto count = meminfo("HugePages_Total");
         return count ? Value(*count) : std::nullopt;
       }},
      {"memory_huge_page", "bytes", "/proc/meminfo Hugepagesize",
       [] { return memory_bytes("Hugepagesize"); }},
      {"thp_mode", "text", "transparent_hugepage/enabled",
       [] { return chosen_of("/sys/kernel/mm/transparent_hugepage/enabled"); }},
      {"thp_defrag", "text", "transparent_hugepage/defrag",
       [] { return chosen_of("/sys/kernel/mm/transparent_hugepage/defrag"); }},
      {"thp_shared_memory", "text", "transparent_hugepage/shmem_enabled",
       [] { return chosen_of("/sys/kernel/mm/transparent_hugepage/shmem_enabled"); }},
      {"ksm_running", "number", "/sys/kernel/mm/ksm/run",
       [] { return number_of("/sys/kernel/mm/ksm/run"); }},
      {"os_name", "text", "/etc/os-release PRETTY_NAME", [] { return os_release("PRETTY_NAME"); }},
      {"os_id", "text", "/etc/os-release ID", [] { return os_release("ID"); }},
      {"os_version", "text", "/etc/os-release VERSION_ID", [] { return os_release("VERSION_ID"); }},
      {"kernel_release", "text", "uname -r", [] { return uname_field(0); }},
      {"kernel_version", "text", "uname -v", [] { return uname_field(1); }},
      {"kernel_architecture", "text", "uname -m", [] { return uname_field(2); }},
      {"kernel_clock_source", "text", "clocksource0/current_clocksource",
       [] { return text_of("/sys/devices/system/clocksource/clocksource0/current_clocksource"); }},
      {"kernel_clock_step", "ns", "clock_getres CLOCK_MONOTONIC_RAW", clock_step},
      {"kernel_address_randomisation", "number", "/proc/sys/kernel/randomize_va_space",
       [sysctl] { return number_of(sysctl("kernel/randomize_va_space")); }},
      {"kernel_perf_paranoid", "number", "/proc/sys/kernel/perf_event_paranoid",
       [sysctl] { return number_of(sysctl("kernel/perf_event_paranoid")); }},
      {"kernel_autogroup", "number", "/proc/sys/kernel/sched_autogroup_enabled",
       [sysctl] { return number_of(sysctl("kernel/sched_autogroup_enabled")); }},
      {"kernel_overcommit", "number", "/proc/sys/vm/overcommit_memory",
       [sysctl] { return number_of(sysctl("vm/overcommit_memory")); }},
      {"kernel_swappiness", "number", "/proc/sys/vm/swappiness",
       [sysctl] { return number_of(sysctl("vm/swappiness")); }},
      {"kernel_user_namespaces", "count", "/proc/sys/user/max_user_namespaces",
       [sysctl] { return number_of(sysctl("user/max_user_namespaces")); }},
      {"kernel_cgroup_version", "text", "/sys/fs/cgroup", cgroup_version},
      {"kernel_mitigation_spectre_v1", "text", "vulnerabilities/spectre_v1",
       [] { return vulnerability("spectre_v1"); }},
      {"kernel_mitigation_spectre_v2", "text", "vulnerabilities/spectre_v2",
       [] { return vulnerability("spectre_v2"); }},
      {"kernel_mitigation_meltdown", "text", "vulnerabilities/meltdown",
       [] { return vulnerability("meltdown"); }},
      {"perf_hardware_counters", "bool", "perf_event_open of cycles, read", hardware_counters},
      {"libc_version", "text", "gnu_get_libc_version",
       [] { return Value(std::string("glibc ") + ::gnu_get_libc_version()); }},
      {"libc_allocator", "text", "the C library's, as nothing is preloaded into a cell",
       [] { return Value(std::string("glibc malloc")); }},
      {"limit_locked_memory", "bytes or unlimited", "getrlimit RLIMIT_MEMLOCK",
       [] { return limit_of(RLIMIT_MEMLOCK); }},
      {"limit_stack", "bytes or unlimited", "getrlimit RLIMIT_STACK",
       [] { return limit_of(RLIMIT_STACK); }},
      {"load_1_minute", "processes", "getloadavg", [] { return load(0); }},
      {"load_5_minutes", "processes", "getloadavg", [] { return load(1); }},
      {"load_15_minutes", "processes", "getloadavg", [] { return load(2); }},
      {"pressure_cpu", "%", "/proc/pressure/cpu some avg10", [] { return pressure("cpu"); }},
      {"pressure_memory", "%", "/proc/pressure/memory some avg10",
       [] { return pressure("memory"); }},
      {"pressure_io", "%", "/proc/pressure/io some avg10", [] { return pressure("io"); }},
      {"time_idle", "s", "/proc/stat idle since start", [] { return processor_seconds(3); }},
      {"time_stolen", "s", "/proc/stat steal since start", [] { return processor_seconds(7); }},
      {"tenancy", "text", "not knowable from inside",
       [] { return has_hypervisor() ? Value(std::string("unknown")) : std::nullopt; }},
  };
}

}  // namespace

std::span<const Probe> probes() {
  static const std::vector<Probe> all = make_probes();
  return all;
}

std::vector<std::pair<std::string, std::string>> allowed_variables() {
  std::vector<std::pair<std::string, std::string>> out;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view variable = *at;
    const auto equals = variable.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = variable.substr(0, equals);
    const bool is_allowed = name == "LANG" || name.starts_with("OMP_") ||
                            name.starts_with("MKL_") || name.starts_with("OPENBLAS_") ||
                            name.starts_with("CUDA_");
    if (is_allowed) out.emplace_back(name, variable.substr(equals + 1));
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace ki::machine
