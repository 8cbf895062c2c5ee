#include "ki/serve/rasterizer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

namespace ki::serve {
namespace {

using http::Problem;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

bool fill(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return ::lseek(fd, 0, SEEK_SET) == 0;
}

std::string read_back(int fd, std::uint64_t most) {
  struct stat status{};
  std::string out;
  if (::fstat(fd, &status) != 0 || status.st_size <= 0 ||
      static_cast<std::uint64_t>(status.st_size) > most) {
    return out;
  }
  out.resize(static_cast<std::size_t>(status.st_size));
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t count =
        ::pread(fd, out.data() + done, out.size() - done, static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return {};
    done += static_cast<std::size_t>(count);
  }
  return out;
}

void limit(pid_t pid, __rlimit_resource resource, std::uint64_t value) {
  const rlimit both{value, value};
  (void)::prlimit(pid, resource, &both, nullptr);
}

// True when the process ended by itself with 0 within the time; it is ended and reaped either way.
bool await(pid_t pid, std::chrono::milliseconds time) {
  const Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  const auto deadline = Clock::now() + time;
  bool has_ended = false;
  while (handle.get() >= 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd one = {handle.get(), POLLIN, 0};
    const int ready = ::poll(&one, 1, left > 0 ? static_cast<int>(left) : 0);
    if (ready < 0 && errno == EINTR) continue;
    has_ended = ready > 0;
    break;
  }
  if (!has_ended) ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return has_ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::unexpected<Problem> failed(std::string_view why) {
  return std::unexpected(Problem{.status = 500,
                                 .code = "PICTURE_FAILED",
                                 .detail = fmt::format("the picture could not be made: {}", why)});
}

}  // namespace

Rasterizer::Rasterizer(std::filesystem::path program, const Limits& limits)
    : program_(std::move(program)), limits_(limits) {}

bool Rasterizer::is_available() const { return ::access(program_.c_str(), X_OK) == 0; }

std::uint64_t Rasterizer::processes() const {
  const std::scoped_lock lock(mutex_);
  return started_;
}

std::expected<std::string, Problem> Rasterizer::convert(std::string_view svg) const {
  const Descriptor input(::memfd_create("svg", MFD_CLOEXEC));
  const Descriptor output(::memfd_create("png", MFD_CLOEXEC));
  if (input.get() < 0 || output.get() < 0 || !fill(input.get(), svg))
    return failed("there is no memory");
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input.get(), 0);
  ::posix_spawn_file_actions_adddup2(&actions, output.get(), 1);
  ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  std::string name = program_.string();
  std::string option = "--format=png";
  std::array<char*, 3> arguments = {name.data(), option.data(), nullptr};
  // Nothing of the server's environment.
  std::string home = "HOME=/nonexistent", locale = "LC_ALL=C.UTF-8", path = "PATH=/usr/bin:/bin";
  std::array<char*, 4> environment = {home.data(), locale.data(), path.data(), nullptr};
  pid_t pid = -1;
  const int error =
      ::posix_spawn(&pid, name.c_str(), &actions, nullptr, arguments.data(), environment.data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return failed("its program does not start");
  limit(pid, RLIMIT_AS, limits_.memory_bytes);
  limit(pid, RLIMIT_CPU, static_cast<std::uint64_t>(limits_.time.count() / 1000 + 1));
  limit(pid, RLIMIT_FSIZE, limits_.output_bytes);
  limit(pid, RLIMIT_CORE, 0);
  limit(pid, RLIMIT_NOFILE, 64);
  if (!await(pid, limits_.time)) return failed("its program failed or reached a limit");
  std::string picture = read_back(output.get(), limits_.output_bytes);
  if (!picture.starts_with(kSignature)) return failed("what came is no PNG");
  return picture;
}

void Rasterizer::keep(const Digest& key, std::shared_ptr<const std::string> picture) {
  if (picture->size() > limits_.cache_bytes || kept_.contains(key)) return;
  kept_bytes_ += picture->size();
  order_.push_front(key);
  kept_.emplace(key, Kept{std::move(picture), order_.begin()});
  while (kept_bytes_ > limits_.cache_bytes) {
    const auto oldest = kept_.find(order_.back());
    kept_bytes_ -= oldest->second.picture->size();
    kept_.erase(oldest);
    order_.pop_back();
  }
}

std::expected<std::shared_ptr<const std::string>, Problem> Rasterizer::png(std::string_view svg) {
  if (svg.size() > limits_.svg_bytes) return failed("the SVG is too large");
  const Digest key = Digest::of(svg);
  {
    std::unique_lock lock(mutex_);
    const auto find = [&]() -> std::shared_ptr<const std::string> {
      const auto found = kept_.find(key);
      if (found == kept_.end()) return nullptr;
      order_.splice(order_.begin(), order_, found->second.place);
      return found->second.picture;
    };
    if (auto known = find()) return known;
    if (!is_available()) {
      return std::unexpected(
          Problem{.status = 501,
                  .code = "PNG_NOT_AVAILABLE",
                  .detail = fmt::format("this index makes no PNG: {} is missing. Its operator "
                                        "installs it with: apt-get install librsvg2-bin. The same "
                                        "picture is there as .svg",
                                        program_.string())});
    }
    if (!ended_.wait_for(lock, limits_.wait, [&] { return running_ < limits_.concurrent; })) {
      return std::unexpected(Problem{.status = 503,
                                     .code = "UNAVAILABLE",
                                     .detail = "too many pictures are being made",
                                     .retry_after_seconds = 2});
    }
    if (auto known = find()) return known;
    ++running_;
    ++started_;
  }
  auto made = convert(svg);
  const std::scoped_lock lock(mutex_);
  --running_;
  ended_.notify_one();
  if (!made) return std::unexpected(std::move(made).error());
  auto picture = std::make_shared<const std::string>(*std::move(made));
  keep(key, picture);
  return picture;
}

}  // namespace ki::serve
