#include "this_machine.h"

#include "ki/base/text.h"

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <sstream>

namespace ki::cli {
namespace {

// "name : value" lines of the first processor.
std::map<std::string, std::string> first_processor() {
  std::map<std::string, std::string> out;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line) && !line.empty();) {
    const std::size_t colon = line.find(':');
    if (colon == line.npos) continue;
    const std::string_view text = line;
    out[std::string(trim(text.substr(0, colon)))] = trim(text.substr(colon + 1));
  }
  return out;
}

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return std::string(trim(line));
}

// The word in brackets of "always [madvise] never".
std::string chosen(const std::string& line) {
  const std::size_t open = line.find('['), close = line.find(']');
  return open == line.npos || close == line.npos ? "unknown"
                                                 : line.substr(open + 1, close - open - 1);
}

std::string or_unknown(std::string text) { return text.empty() ? "unknown" : text; }

std::string system_name() {
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("PRETTY_NAME=")) continue;
    std::string name = line.substr(12);
    std::erase(name, '"');
    return name;
  }
  return "unknown";
}

}  // namespace

std::string processor_name() {
  auto facts = first_processor();
  return or_unknown(facts["model name"]);
}

harness::Machine this_machine() {
  auto facts = first_processor();
  harness::Machine out;
  const std::string& vendor = facts["vendor_id"];
  out.vendor = vendor == "AuthenticAMD" ? "amd" : vendor == "GenuineIntel" ? "intel" : "unknown";
  out.product = fmt::format("{} (family {}, model {}, stepping {})",
                            or_unknown(facts["model name"]), or_unknown(facts["cpu family"]),
                            or_unknown(facts["model"]), or_unknown(facts["stepping"]));
  utsname system{};
  ::uname(&system);
  out.architecture = system.machine;
  out.kernel = fmt::format("{} {}", system.sysname, system.release);
  // The hypervisor bit of CPUID, as the kernel shows it. Locked clocks are never claimed from here.
  const bool is_virtual = (" " + facts["flags"] + " ").find(" hypervisor ") != std::string::npos;
  out.form_factor = is_virtual ? "vm" : "bare";
  // In whole GiB: what the kernel keeps for itself differs from boot to boot.
  const auto pages = static_cast<double>(::sysconf(_SC_PHYS_PAGES));
  const auto page = static_cast<double>(::sysconf(_SC_PAGESIZE));
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  out.memory_bytes = static_cast<std::int64_t>(std::max(1.0, pages * page / kGiB + 0.5)) *
                     static_cast<std::int64_t>(kGiB);
  out.cpu_count = ::sysconf(_SC_NPROCESSORS_ONLN);
  out.operating_system = system_name();
  out.libc = fmt::format("glibc {}", ::gnu_get_libc_version());
  out.thp = chosen(first_line("/sys/kernel/mm/transparent_hugepage/enabled"));
  out.smt = or_unknown(first_line("/sys/devices/system/cpu/smt/control"));
  out.governor = or_unknown(first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
  return out;
}

}  // namespace ki::cli
