#include "account.h"

#include "descriptor.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace ki::sandbox {
namespace {

// The first bytes of a small /proc file; the length read.
std::size_t read_small(const std::string& path, std::array<char, 4096>& buffer) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return 0;
  const ssize_t size = ::read(file.get(), buffer.data(), buffer.size() - 1);
  const std::size_t length = size > 0 ? static_cast<std::size_t>(size) : 0;
  buffer[length] = '\0';
  return length;
}

std::uint64_t number_after(const char* text, const char* key) {
  const char* at = std::strstr(text, key);
  return at == nullptr ? 0 : std::strtoull(at + std::strlen(key), nullptr, 10);
}

}  // namespace

int stopped_threads(int pid) {
  const std::string folder = fmt::format("/proc/{}/task", pid);
  DIR* threads = ::opendir(folder.c_str());
  if (threads == nullptr) return 0;
  int count = 0;
  std::array<char, 4096> buffer;
  while (const dirent* entry = ::readdir(threads)) {
    const int thread = std::atoi(entry->d_name);
    if (thread <= 0 || read_small(fmt::format("{}/{}/stat", folder, thread), buffer) <= 0) continue;
    const char* at = std::strrchr(buffer.data(), ')');
    if (at != nullptr && at[1] == ' ' && at[2] == 'T') ++count;
  }
  ::closedir(threads);
  return count;
}

AccountReading read_account(int pid) {
  AccountReading out;
  const std::string folder = fmt::format("/proc/{}/task", pid);
  DIR* threads = ::opendir(folder.c_str());
  if (threads == nullptr) return out;
  std::array<char, 4096> buffer;
  while (const dirent* entry = ::readdir(threads)) {
    const int thread = std::atoi(entry->d_name);
    if (thread <= 0) continue;
    const std::string base = fmt::format("{}/{}/", folder, thread);
    ++out.total.threads;
    if (read_small(base + "schedstat", buffer) > 0) {
      char* rest = nullptr;
      out.total.run_ns += std::strtoull(buffer.data(), &rest, 10);
      out.total.wait_ns += std::strtoull(rest, nullptr, 10);
    }
    if (read_small(base + "stat", buffer) > 0) {
      // Fields are counted from the end of the name, which may hold anything: 3 is the state.
      const char* at = std::strrchr(buffer.data(), ')');
      std::uint64_t values[40] = {};
      if (at != nullptr) {
        at += 2;
        for (int field = 3; field < 40 && *at != '\0'; ++field) {
          values[field] = std::strtoull(at, nullptr, 10);
          at = std::strchr(at, ' ');
          if (at == nullptr) break;
          ++at;
        }
      }
      out.total.minor_faults += values[10];
      out.total.major_faults += values[12];
      out.processor_of[thread] = static_cast<int>(values[39]);
    }
    if (read_small(base + "status", buffer) > 0) {
      out.total.involuntary_switches += number_after(buffer.data(), "nonvoluntary_ctxt_switches:");
    }
  }
  ::closedir(threads);
  return out;
}

}  // namespace ki::sandbox
