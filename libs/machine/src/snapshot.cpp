#include "ki/machine/snapshot.h"

#include "ki/base/text.h"
#include "ki/digest/digest.h"
#include "ki/io/file.h"
#include "ki/json/writer.h"
#include "probes.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::machine {

std::string_view to_string(HostClass host_class) {
  switch (host_class) {
    case HostClass::kVm:
      return "vm";
    case HostClass::kBare:
      return "bare";
    case HostClass::kBareLocked:
      return "bare_locked";
  }
  return "";
}

const Member* Snapshot::find(std::string_view name) const {
  const auto found = std::ranges::find(members, name, &Member::name);
  return found == members.end() ? nullptr : &*found;
}

std::optional<std::string> Snapshot::text(std::string_view name) const {
  const Member* member = find(name);
  if (member == nullptr || !member->value) return std::nullopt;
  const auto* value = std::get_if<std::string>(&*member->value);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::optional<std::int64_t> Snapshot::number(std::string_view name) const {
  const Member* member = find(name);
  if (member == nullptr || !member->value) return std::nullopt;
  const auto* value = std::get_if<std::int64_t>(&*member->value);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::size_t Snapshot::known() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      members, [](const Member& member) { return member.value.has_value(); }));
}

std::span<const Member> all_members() {
  static const std::vector<Member> members = [] {
    std::vector<Member> out;
    for (const Probe& probe : probes()) out.push_back({probe.name, probe.unit, probe.source});
    return out;
  }();
  return members;
}

std::string machine_identity() {
  const auto id = io::read_file("/etc/machine-id", 4096);
  const std::string_view text = id ? trim(*id) : std::string_view();
  if (text.empty() || text == "uninitialized") return "unknown";
  return Digest::of(fmt::format("kernelindex machine v1\n{}\n", text)).hex();
}

Snapshot take_snapshot() {
  Snapshot out;
  for (const Probe& probe : probes()) {
    out.members.push_back({probe.name, probe.unit, probe.source, probe.read()});
  }
  out.environment_variables = allowed_variables();
  return out;
}

std::string to_json(const Snapshot& snapshot) {
  std::string out;
  json::Writer writer(out, json::Writer::Style::kIndented);
  writer.begin_object().member("kind", "EnvironmentSnapshot").member("version", 1);
  writer.key("members").begin_object();
  for (const Member& member : snapshot.members) {
    writer.key(member.name);
    if (!member.value) {
      writer.null();
      continue;
    }
    std::visit([&](const auto& value) { writer.value(value); }, *member.value);
  }
  writer.end_object();
  writer.key("environmentVariables").begin_object();
  for (const auto& [name, value] : snapshot.environment_variables) writer.member(name, value);
  writer.end_object().end_object();
  return out;
}

HostClass host_class_of(const Snapshot& snapshot) {
  const auto is = [&](std::string_view name, bool wanted) {
    const Member* member = snapshot.find(name);
    const bool* value =
        member == nullptr || !member->value ? nullptr : std::get_if<bool>(&*member->value);
    return value != nullptr && *value == wanted;
  };
  // What does not deny a hypervisor has one.
  if (!is("cpu_hypervisor", false)) return HostClass::kVm;
  return is("cpu_frequency_fixed", true) && is("perf_hardware_counters", true)
             ? HostClass::kBareLocked
             : HostClass::kBare;
}

}  // namespace ki::machine
