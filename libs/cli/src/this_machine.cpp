#include "this_machine.h"

#include "ki/machine/snapshot.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::cli {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

}  // namespace

harness::Machine this_machine() {
  const machine::Snapshot snapshot = machine::take_snapshot();
  const auto text = [&](std::string_view name) { return snapshot.text(name).value_or("unknown"); };
  const auto number = [&](std::string_view name) { return snapshot.number(name).value_or(0); };
  harness::Machine out;
  const std::string vendor = text("cpu_vendor");
  out.vendor = vendor == "AuthenticAMD" ? "amd" : vendor == "GenuineIntel" ? "intel" : "unknown";
  out.product = fmt::format("{} (family {}, model {}, stepping {})", text("cpu_product"),
                            number("cpu_family"), number("cpu_model"), number("cpu_stepping"));
  out.architecture = text("kernel_architecture");
  out.kernel = "Linux " + text("kernel_release");
  out.form_factor = machine::to_string(machine::host_class_of(snapshot));
  // In whole GiB: what the kernel keeps for itself differs from boot to boot.
  out.memory_bytes = std::max<std::int64_t>(1, (number("memory_total") + kGiB / 2) / kGiB) * kGiB;
  out.cpu_count = std::max<std::int64_t>(1, number("cpu_online"));
  out.operating_system = text("os_name");
  out.libc = text("libc_version");
  out.thp = text("thp_mode");
  out.smt = text("cpu_smt");
  out.governor = text("cpu_frequency_governor");
  return out;
}

std::string processor_name() {
  return machine::take_snapshot().text("cpu_product").value_or("unknown CPU");
}

}  // namespace ki::cli
