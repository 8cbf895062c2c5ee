#include "ki/machine/lock.h"

#include "ki/io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

namespace ki::machine {
namespace {

namespace fs = std::filesystem;

fs::path lock_path(const fs::path& path) {
  return path.empty() ? fs::path("/tmp/ki-measuring.lock") : path;
}

// /tmp is everybody's and sticky: a file that another user made may be opened for reading only,
// which is enough to lock it.
int open_lock(const fs::path& path) {
  int fd = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd < 0 && (errno == EACCES || errno == EPERM)) {
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  }
  return fd;
}

std::string read_holder(int fd) {
  std::array<char, 200> text{};
  const ssize_t size = ::pread(fd, text.data(), text.size() - 1, 0);
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : std::string();
}

// Names of the processes that run at this moment, most threads first.
std::string busy_processes() {
  std::map<std::string, int> running;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const std::string pid = entry.path().filename().string();
    if (pid.find_first_not_of("0123456789") != std::string::npos ||
        pid == std::to_string(::getpid())) {
      continue;
    }
    std::ifstream in(entry.path() / "stat");
    std::string line;
    std::getline(in, line);
    const auto open = line.find('(');
    const auto close = line.rfind(')');
    if (close == std::string::npos || close + 2 >= line.size() || line[close + 2] != 'R') continue;
    ++running[line.substr(open + 1, close - open - 1)];
  }
  std::vector<std::pair<int, std::string>> order;
  for (const auto& [name, count] : running) order.emplace_back(-count, name);
  std::ranges::sort(order);
  std::string out;
  for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 4); ++i) {
    out += fmt::format("{}{} ({})", i == 0 ? "" : ", ", order[i].second, -order[i].first);
  }
  return out.empty() ? "nothing at this very moment" : out;
}

}  // namespace

Result<MeasuringLock> MeasuringLock::acquire(const std::string& what, const fs::path& path) {
  const fs::path file = lock_path(path);
  MeasuringLock lock(open_lock(file));
  if (lock.fd_ < 0) return fail(io::system_error(errno, "opening the lock", file));
  ::fchmod(lock.fd_, 0666);  // another user may measure next
  if (::flock(lock.fd_, LOCK_EX | LOCK_NB) != 0) {
    const std::string who = read_holder(lock.fd_);
    return fail(Code::kUnavailable,
                fmt::format("another measurement runs on this machine: {}; two at once would "
                            "measure each other",
                            who.empty() ? "it does not say which" : who));
  }
  const std::string text = fmt::format("{} (process {})", what, ::getpid());
  if (::ftruncate(lock.fd_, 0) == 0) (void)!::pwrite(lock.fd_, text.data(), text.size(), 0);
  return lock;
}

std::string MeasuringLock::holder(const fs::path& path) {
  const MeasuringLock lock(::open(lock_path(path).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (lock.fd_ < 0 || ::flock(lock.fd_, LOCK_SH | LOCK_NB) == 0) return {};
  const std::string who = read_holder(lock.fd_);
  return who.empty() ? "another process" : who;
}

MeasuringLock::~MeasuringLock() {
  if (fd_ >= 0) ::close(fd_);
}
MeasuringLock::MeasuringLock(MeasuringLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
MeasuringLock& MeasuringLock::operator=(MeasuringLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

Result<void> refuse_when_busy() {
  std::array<double, 1> load{};
  const long processors = ::sysconf(_SC_NPROCESSORS_ONLN);
  if (::getloadavg(load.data(), 1) != 1) return {};
  const double limit = 0.75 * static_cast<double>(processors);
  if (load[0] <= limit) return {};
  return fail(Code::kUnavailable,
              fmt::format("this machine is busy: {:.1f} runnable processes over the last minute on "
                          "{} processors; the limit is {:.1f}. Running now: {}",
                          load[0], processors, limit, busy_processes()));
}

}  // namespace ki::machine
