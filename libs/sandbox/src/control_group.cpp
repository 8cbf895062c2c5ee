#include "control_group.h"

#include "ki/base/text.h"
#include "ki/io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

namespace ki::sandbox {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kPrefix = "ki-cell-";

std::string read_all(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream out;
  out << in.rdbuf();
  return std::move(out).str();
}

bool write_value(const fs::path& path, std::string_view value) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file.is_open() &&
         ::write(file.get(), value.data(), value.size()) == static_cast<ssize_t>(value.size());
}

// Field 22 of /proc/PID/stat: when the process began, in ticks; empty when there is none.
std::string start_time(const std::string& pid) {
  const std::string stat = read_all("/proc/" + pid + "/stat");
  const auto close = stat.rfind(')');
  if (close == std::string::npos) return {};
  std::istringstream fields(stat.substr(close + 1));
  std::string field;
  for (int i = 3; i <= 22; ++i) fields >> field;
  return field;
}

// The cgroup of this process in a hierarchy: "0" of v2, else the controller's name.
std::string own_group(std::string_view controller) {
  std::istringstream lines(read_all("/proc/self/cgroup"));
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool matches = controller.empty()
                             ? names == ",,"
                             : names.find("," + std::string(controller) + ",") != std::string::npos;
    if (matches) return line.substr(second + 1);
  }
  return {};
}

// Mount point of v2 (controller empty) or of a v1 controller.
fs::path mount_point(std::string_view controller) {
  std::istringstream lines(read_all("/proc/self/mounts"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream parts(line);
    std::string device, path, type, options;
    parts >> device >> path >> type >> options;
    if (controller.empty()
            ? type == "cgroup2"
            : type == "cgroup" && ("," + options + ",").find("," + std::string(controller) + ",") !=
                                      std::string::npos) {
      return path;
    }
  }
  return {};
}

bool can_make_group(const fs::path& parent, const std::vector<const char*>& needed) {
  const fs::path trial = parent / fmt::format("{}trial-{}", kPrefix, ::getpid());
  if (::mkdir(trial.c_str(), 0755) != 0) return false;
  bool has_all = true;
  for (const char* file : needed) has_all = has_all && ::access((trial / file).c_str(), W_OK) == 0;
  ::rmdir(trial.c_str());
  return has_all;
}

std::optional<fs::path> find_v1(const char* controller, const char* limit_file) {
  const fs::path mount = mount_point(controller);
  if (mount.empty()) return std::nullopt;
  const std::string own = own_group(controller);
  for (const fs::path& parent : {fs::path(mount.string() + own), mount}) {
    if (can_make_group(parent, {limit_file, "cgroup.procs"})) return parent;
  }
  return std::nullopt;
}

std::optional<fs::path> find_v2() {
  const fs::path mount = mount_point("");
  if (mount.empty()) return std::nullopt;
  const std::string own = own_group("");
  for (const fs::path& parent : {fs::path(mount.string() + own), mount}) {
    // Fails, harmlessly, where the controllers are on already or processes live in the group.
    write_value(parent / "cgroup.subtree_control", "+memory +pids");
    if (can_make_group(parent, {"memory.max", "pids.max", "cgroup.procs"})) return parent;
  }
  return std::nullopt;
}

std::uint64_t counter(const fs::path& path, std::string_view key) {
  std::istringstream lines(read_all(path));
  std::string name;
  std::uint64_t value = 0;
  while (lines >> name >> value) {
    if (name == key) return value;
  }
  return 0;
}

}  // namespace

std::optional<ControlGroupRoot> find_control_groups(std::string& why) {
  if (auto unified = find_v2()) return ControlGroupRoot{2, {*unified}};
  auto memory = find_v1("memory", "memory.limit_in_bytes");
  auto pids = find_v1("pids", "pids.max");
  if (memory && pids) return ControlGroupRoot{1, {*memory, *pids}};
  why = "no writable control group with the memory and pids controllers, v2 or v1";
  return std::nullopt;
}

void sweep_control_groups(const ControlGroupRoot& root) {
  for (const fs::path& folder : root.folders) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with(kPrefix)) continue;
      // ki-cell-PID-START-NUMBER
      std::istringstream parts(name.substr(kPrefix.size()));
      std::string pid, start;
      if (!std::getline(parts, pid, '-') || !std::getline(parts, start, '-')) continue;
      if (start.empty() || start_time(pid) == start) continue;
      for (std::istringstream inside(read_all(entry.path() / "cgroup.procs")); inside;) {
        pid_t process = 0;
        if (inside >> process && process > 1) ::kill(process, SIGKILL);
      }
      ::rmdir(entry.path().c_str());
    }
  }
}

Result<ControlGroup> ControlGroup::create(const ControlGroupRoot& root,
                                          std::uint64_t memory_bytes) {
  static std::atomic<int> number = 0;
  ControlGroup group;
  group.version_ = root.version;
  const std::string pid = std::to_string(::getpid());
  const std::string name = fmt::format("{}{}-{}-{}", kPrefix, pid, start_time(pid), ++number);
  for (const fs::path& folder : root.folders) {
    const fs::path path = folder / name;
    if (::mkdir(path.c_str(), 0755) != 0) {
      return fail(io::system_error(errno, "making a control group", path));
    }
    group.folders_.push_back(path);
    Descriptor file(::open((path / "cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
    if (!file.is_open()) return fail(io::system_error(errno, "opening", path / "cgroup.procs"));
    group.process_files_.push_back(std::move(file));
  }
  const std::string limit = std::to_string(memory_bytes);
  const fs::path& memory = group.folders_.front();
  const bool is_v2 = root.version == 2;
  if (!write_value(memory / (is_v2 ? "memory.max" : "memory.limit_in_bytes"), limit)) {
    return fail(io::system_error(errno, "limiting the memory of", memory));
  }
  // Swap would let the limit be passed; where swap is not accounted these files are absent.
  write_value(memory / (is_v2 ? "memory.swap.max" : "memory.memsw.limit_in_bytes"),
              is_v2 ? "0" : limit);
  if (is_v2) write_value(memory / "memory.oom.group", "1");
  return group;
}

ControlGroup::~ControlGroup() {
  if (!folders_.empty()) remove();
}

Result<void> ControlGroup::limit_processes(int count) {
  const fs::path path = folders_.back() / "pids.max";
  if (!write_value(path, std::to_string(count))) {
    return fail(io::system_error(errno, "limiting the processes of", path));
  }
  return {};
}

int ControlGroup::task_count() const {
  return folders_.empty() ? 0 : std::atoi(read_all(folders_.back() / "pids.current").c_str());
}

std::uint64_t ControlGroup::out_of_memory_kills() const {
  if (folders_.empty()) return 0;
  return version_ == 2 ? counter(folders_.front() / "memory.events", "oom_kill")
                       : counter(folders_.front() / "memory.oom_control", "oom_kill");
}

bool ControlGroup::remove() {
  process_files_.clear();
  bool is_gone = true;
  for (const fs::path& folder : folders_) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (::rmdir(folder.c_str()) != 0) {
      if (errno == ENOENT) break;
      if (std::chrono::steady_clock::now() > end) {
        is_gone = false;
        break;
      }
      for (std::istringstream inside(read_all(folder / "cgroup.procs")); inside;) {
        pid_t process = 0;
        if (inside >> process && process > 1) ::kill(process, SIGKILL);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  folders_.clear();
  return is_gone;
}

}  // namespace ki::sandbox
