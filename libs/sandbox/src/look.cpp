#include "look.h"

#include <dirent.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

namespace ki::sandbox {
namespace {

std::string read_text(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream out;
  out << in.rdbuf();
  return std::move(out).str();
}

// "Uid:" of /proc/PID/status, without the name and outer blanks; empty when absent.
std::string field(const std::string& status, const std::string& name) {
  const auto at = status.find("\n" + name + ":");
  if (at == std::string::npos) return {};
  auto begin = at + name.size() + 2;
  while (begin < status.size() && (status[begin] == '\t' || status[begin] == ' ')) ++begin;
  return status.substr(begin, status.find('\n', begin) - begin);
}

std::string link_of(const std::string& path) {
  char buffer[256];
  const ssize_t size = ::readlink(path.c_str(), buffer, sizeof buffer);
  return size > 0 ? std::string(buffer, static_cast<std::size_t>(size)) : std::string();
}

IsolationFact uid_fact(const std::string& status, const Expectation& expected) {
  const std::string seen = field(status, "Uid");
  std::istringstream parts(seen);
  std::uint32_t uid = 0;
  int matching = 0;
  bool has_root_or_parent = false;
  while (parts >> uid) {
    matching += uid == expected.uid ? 1 : 0;
    has_root_or_parent = has_root_or_parent || uid == 0 || uid == ::geteuid();
  }
  return {"uid", expected.uid != 0 && matching == 4 && !has_root_or_parent, true,
          expected.uid == 0
              ? fmt::format(
                    "uids {} from outside: the parent is not root, so there is no spare uid", seen)
              : fmt::format("uids {} from outside, spare uid {}", seen, expected.uid)};
}

IsolationFact namespace_fact(int pid) {
  std::vector<std::string> shared;
  for (const char* kind : {"user", "mnt", "pid", "net", "ipc", "uts", "cgroup"}) {
    const std::string theirs = link_of(fmt::format("/proc/{}/ns/{}", pid, kind));
    if (theirs.empty() || theirs == link_of(fmt::format("/proc/self/ns/{}", kind))) {
      shared.emplace_back(theirs.empty() ? fmt::format("{} (not readable)", kind) : kind);
    }
  }
  return {"namespaces", shared.empty(), true,
          shared.empty() ? "own user, mount, pid, net, ipc, uts and cgroup namespaces"
                         : fmt::format("not its own: {}", fmt::join(shared, ", "))};
}

// Everything mounted is read-only but /tmp and /work; nothing of homes, /sys or /proc is there.
IsolationFact root_fact(int pid) {
  std::istringstream lines(read_text(fmt::format("/proc/{}/mountinfo", pid)));
  int count = 0;
  std::vector<std::string> faults;
  for (std::string line; std::getline(lines, line); ++count) {
    std::istringstream parts(line);
    std::string id, parent, device, root, point, options;
    parts >> id >> parent >> device >> root >> point >> options;
    const std::string flags = "," + options + ",";
    const bool is_scratch = point == "/tmp" || point == "/work";
    const bool is_writable = flags.find(",ro,") == std::string::npos;
    if (is_writable && !is_scratch) faults.push_back(point + " is writable");
    if (is_scratch && flags.find(",noexec,") == std::string::npos) {
      faults.push_back(point + " allows execution");
    }
    const auto slash = point.find('/', 1);
    const std::string top = point.substr(0, slash);
    constexpr std::string_view kNamed[] = {"/",    "/usr", "/lib", "/lib64", "/lib32", "/bin",
                                           "/etc", "/dev", "/tmp", "/ki",    "/work"};
    if (std::ranges::find(kNamed, top) == std::end(kNamed)) faults.push_back(point + " is visible");
  }
  if (count == 0) faults.emplace_back("its mounts cannot be read");
  return {"root", faults.empty(), true,
          faults.empty()
              ? fmt::format("{} mounts of named system paths, read-only; /tmp noexec", count)
              : fmt::format("{}", fmt::join(faults, "; "))};
}

IsolationFact seccomp_fact(const std::string& status, int wanted) {
  const std::string mode = field(status, "Seccomp");
  const std::string filters = field(status, "Seccomp_filters");
  // Kernels before 5.9 do not count filters.
  const bool is_counted = filters.empty() || std::atoi(filters.c_str()) >= wanted;
  return {"seccomp", mode == "2" && is_counted, true,
          fmt::format("mode {}, {} filters", mode, filters.empty() ? "?" : filters)};
}

IsolationFact privilege_fact(const std::string& status) {
  const std::string effective = field(status, "CapEff");
  const std::string permitted = field(status, "CapPrm");
  const std::string bounding = field(status, "CapBnd");
  const std::string no_new = field(status, "NoNewPrivs");
  const auto is_zero = [](const std::string& text) {
    return !text.empty() && text.find_first_not_of('0') == std::string::npos;
  };
  return {"privileges",
          is_zero(effective) && is_zero(permitted) && is_zero(bounding) && no_new == "1", true,
          fmt::format("CapEff {}, CapPrm {}, CapBnd {}, NoNewPrivs {}", effective, permitted,
                      bounding, no_new)};
}

IsolationFact descriptor_fact(int pid, std::vector<int> expected) {
  std::vector<int> open;
  DIR* folder = ::opendir(fmt::format("/proc/{}/fd", pid).c_str());
  if (folder == nullptr) return {"fds", false, true, "its descriptors cannot be read"};
  while (const dirent* entry = ::readdir(folder)) {
    if (entry->d_name[0] != '.') open.push_back(std::atoi(entry->d_name));
  }
  ::closedir(folder);
  std::ranges::sort(open);
  std::ranges::sort(expected);
  return {"fds", open == expected, true, fmt::format("open: {}", fmt::join(open, ", "))};
}

}  // namespace

std::vector<IsolationFact> look_at(int pid, const Expectation& expected) {
  const std::string status = read_text(fmt::format("/proc/{}/status", pid));
  std::vector<IsolationFact> facts = {uid_fact(status, expected), namespace_fact(pid),
                                      root_fact(pid), privilege_fact(status)};
  if (expected.seccomp_filters > 0) {
    facts.push_back(seccomp_fact(status, expected.seccomp_filters));
    facts.push_back(descriptor_fact(pid, expected.descriptors));
  }
  return facts;
}

}  // namespace ki::sandbox
