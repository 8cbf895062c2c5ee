// Builds and probes: what else may run in a sandbox.
#include "ki_cell.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

#include <initializer_list>

namespace ki::cell {
namespace {

constexpr int kMaxArguments = 256;

// The records of the source archive, written by the parent.
struct Archive {
  const char* at;
  const char* end;

  void need(size_t size) const {
    if (static_cast<size_t>(end - at) < size) {
      errno = EPROTO;
      give_up("the archive of sources is cut");
    }
  }
  template <class T>
  T number() {
    need(sizeof(T));
    T value;
    memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
  }
  char* text() {
    const void* stop = memchr(at, '\0', static_cast<size_t>(end - at));
    if (stop == nullptr) need(~size_t{0});
    char* begin = const_cast<char*>(at);
    at = static_cast<const char*>(stop) + 1;
    return begin;
  }
};

Archive open_archive() {
  struct stat info;
  if (fstat(wire::kFdInputs, &info) != 0) give_up("the archive of sources");
  const auto size = static_cast<size_t>(info.st_size);
  void* bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, wire::kFdInputs, 0);
  if (bytes == MAP_FAILED) give_up("mapping the archive of sources");
  return {static_cast<const char*>(bytes), static_cast<const char*>(bytes) + size};
}

void unpack_file(Archive& archive) {
  char* path = archive.text();
  const auto size = archive.number<uint64_t>();
  archive.need(size);
  for (char* slash = strchr(path, '/'); slash != nullptr; slash = strchr(slash + 1, '/')) {
    char folder[1024];
    const auto length = static_cast<size_t>(slash - path);
    if (length >= sizeof folder) give_up("a path is too long");
    memcpy(folder, path, length);
    folder[length] = '\0';
    if (mkdir(folder, 0755) != 0 && errno != EEXIST) give_up(path);
  }
  const int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
  if (fd < 0 || !write_all(fd, archive.at, size)) give_up(path);
  close(fd);
  archive.at += size;
}

// Runs one command; the wait status.
int run_command(Archive& archive) {
  char* arguments[kMaxArguments + 1];
  const auto count = archive.number<uint32_t>();
  if (count == 0 || count > kMaxArguments) give_up("a command has too many words");
  for (uint32_t i = 0; i < count; ++i) arguments[i] = archive.text();
  arguments[count] = nullptr;
  const pid_t child = fork();
  if (child < 0) give_up("fork");
  if (child == 0) {
    set_limit(RLIMIT_CPU, launch().cpu_seconds);
    for (const int fd : {0, 1}) {
      close(fd);
      open("/dev/null", O_RDWR);
    }
    dup2(wire::kFdStderr, 1);
    syscall(SYS_close_range, 3u, ~0u, 0u);
    execv(arguments[0], arguments);
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// The object, into the parent's memory file. False when there is none.
bool hand_over_object() {
  const int fd = open("/work/out.so", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return false;
  static char buffer[1 << 16];
  for (;;) {
    const ssize_t size = read(fd, buffer, sizeof buffer);
    if (size < 0) give_up("reading the object");
    if (size == 0) break;
    if (!write_all(wire::kFdOutputs, buffer, static_cast<size_t>(size))) give_up("handing over");
  }
  close(fd);
  return true;
}

bool install_filter(const sock_filter* filter, uint32_t length) {
  const sock_fprog program{static_cast<unsigned short>(length), const_cast<sock_filter*>(filter)};
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

void filter_and_limit() {
  renounce();
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_MEMLOCK, 0);
  if (launch().data_bytes != 0) set_limit(RLIMIT_DATA, launch().data_bytes);
  if (launch().load_filter_length != 0 &&
      !install_filter(launch().load_filter, launch().load_filter_length)) {
    give_up("seccomp");
  }
}

void report(int32_t value, int32_t second, const char* text) {
  wire::Message message{};
  message.kind = wire::MessageKind::kReport;
  message.value = value;
  message.second = second;
  copy_text(message.text, sizeof message.text, text);
  send_message(message);
}

}  // namespace

void build() {
  filter_and_limit();
  if (chdir("/work") != 0) give_up("/work");
  Archive archive = open_archive();
  for (int32_t command = 0;; ++command) {
    archive.need(1);
    const char kind = *archive.at++;
    if (kind == 'E') break;
    if (kind == 'F') {
      unpack_file(archive);
      --command;
      continue;
    }
    if (const int status = run_command(archive); status != 0) {
      report(status, command, "command");
      _exit(1);
    }
  }
  if (!hand_over_object()) {
    errno = ENOENT;
    give_up("the commands made no object");
  }
  report(0, 0, "built");
  _exit(0);
}

void probe() {
  if (launch().mode == wire::Mode::kProbeIdle) {
    // As a cell is when its candidate runs: to be looked at.
    renounce();
    report(0, 0, "idle");
    for (int fd = 0; fd < wire::kFdFirstFree; ++fd) {
      if (fd != wire::kFdStderr) close(fd);
    }
    if (!install_filter(launch().load_filter, launch().load_filter_length) ||
        !install_filter(launch().seal_filter, launch().seal_filter_length)) {
      _exit(1);
    }
    for (;;) pause();
  }
  filter_and_limit();
  receive_message();  // the limit is set
  switch (launch().mode) {
    case wire::Mode::kProbeMemory: {
      // Touched page by page: over the limit the kernel must kill.
      char* room = static_cast<char*>(mmap(nullptr, launch().probe_bytes, PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
      if (room == MAP_FAILED) give_up("mmap");
      for (uint64_t at = 0; at < launch().probe_bytes; at += wire::kPageBytes) room[at] = 1;
      report(0, 0, "survived");
      _exit(0);
    }
    case wire::Mode::kProbeProcesses: {
      int32_t started = 0;
      int32_t error = 0;
      for (; started < launch().threads; ++started) {
        const pid_t child = fork();
        if (child < 0) {
          error = errno;
          break;
        }
        if (child == 0) {
          pause();
          _exit(0);
        }
      }
      report(started, error, "forks");
      _exit(0);
    }
    default:
      _exit(1);
  }
}

}  // namespace ki::cell
