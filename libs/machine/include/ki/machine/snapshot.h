// EnvironmentSnapshot: what a measured number was measured on, as far as the machine tells. Every
// member has a name, a unit and a source (docs/reference/environment.md); one that cannot be read
// is null, never guessed. Never in it: host and user names, serial numbers, addresses, environment
// variables outside a short list (harness 14 section 4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ki::machine {

using MemberValue = std::variant<bool, std::int64_t, double, std::string>;

struct Member {
  std::string_view name;    // "cpu_product": snake_case, the family first
  std::string_view unit;    // "bytes", "MHz", "text", "bool", "count", ...
  std::string_view source;  // where it is read
  std::optional<MemberValue> value = std::nullopt;
};

struct Snapshot {
  std::vector<Member> members;
  // Of OMP_*, MKL_*, OPENBLAS_*, CUDA_* and LANG only, by name.
  std::vector<std::pair<std::string, std::string>> environment_variables;

  const Member* find(std::string_view name) const;
  std::optional<std::string> text(std::string_view name) const;
  std::optional<std::int64_t> number(std::string_view name) const;
  std::size_t known() const;
};

Snapshot take_snapshot();

// Names, units and sources without values: what the reference page lists.
std::span<const Member> all_members();

// The evidence object of schemas/environment-snapshot.v1.schema.json, indented JSON.
std::string to_json(const Snapshot& snapshot);

enum class HostClass : std::uint8_t { kVm, kBare, kBareLocked };
std::string_view to_string(HostClass host_class);  // "vm", "bare", "bare_locked"
// From probes only: a hypervisor bit; else a frequency that is fixed and hardware counters that
// count; else bare.
HostClass host_class_of(const Snapshot& snapshot);

// 64 hex digits that tell this installation from others and say nothing else about it: SHA-256 of
// the system's own random machine-id with a word of ours before it. "unknown" without one.
std::string machine_identity();

}  // namespace ki::machine
