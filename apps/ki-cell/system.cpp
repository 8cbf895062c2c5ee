// What every part of ki-cell needs from the system.
#include "ki_cell.h"

#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ki::cell {
namespace {

// On pages of its own, so that they can be closed.
struct alignas(wire::kPageBytes) LaunchPages {
  wire::Launch launch;
};
LaunchPages g_pages;
wire::Launch& g_launch = g_pages.launch;

}  // namespace

const wire::Launch& launch() { return g_launch; }

void protect_launch() {
  if (mprotect(&g_pages, sizeof g_pages, PROT_READ) != 0) give_up("mprotect");
  // Kernels since 6.10 keep it so; before, a candidate may undo it, to its own harm.
  constexpr long kMseal = 462;
  syscall(kMseal, &g_pages, sizeof g_pages, 0ul);
}

void copy_text(char* target, size_t size, const char* source) {
  size_t i = 0;
  for (; i + 1 < size && source[i] != '\0'; ++i) target[i] = source[i];
  target[i] = '\0';
}

void send_message(const wire::Message& message, int descriptor) {
  iovec part{const_cast<wire::Message*>(&message), sizeof message};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  alignas(cmsghdr) char ancillary[CMSG_SPACE(sizeof(int))] = {};
  if (descriptor >= 0) {
    header.msg_control = ancillary;
    header.msg_controllen = sizeof ancillary;
    cmsghdr* item = CMSG_FIRSTHDR(&header);
    item->cmsg_level = SOL_SOCKET;
    item->cmsg_type = SCM_RIGHTS;
    item->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(item), &descriptor, sizeof descriptor);
  }
  while (sendmsg(wire::kFdSocket, &header, MSG_NOSIGNAL) < 0) {
    if (errno != EINTR) _exit(120);
  }
}

wire::Message receive_message() {
  wire::Message message{};
  for (;;) {
    const ssize_t size = read(wire::kFdSocket, &message, sizeof message);
    if (size == static_cast<ssize_t>(sizeof message)) return message;
    if (size < 0 && errno == EINTR) continue;
    _exit(121);  // the parent is gone
  }
}

void give_up(const char* what) {
  wire::Message message{};
  message.kind = wire::MessageKind::kFailed;
  message.value = errno;
  copy_text(message.text, sizeof message.text, what);
  send_message(message);
  _exit(122);
}

void read_launch() {
  if (pread(wire::kFdLaunch, &g_launch, sizeof g_launch, 0) !=
          static_cast<ssize_t>(sizeof g_launch) ||
      g_launch.magic != wire::kWireMagic) {
    errno = EPROTO;
    give_up("reading the launch description");
  }
}

void set_limit(int resource, uint64_t value) {
  const rlimit limit{value, value};
  if (setrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) give_up("setrlimit");
}

void renounce() {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) give_up("PR_SET_PDEATHSIG");
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) give_up("PR_SET_NO_NEW_PRIVS");
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2] = {};
  if (syscall(SYS_capset, &header, none) != 0) give_up("capset");
  if (prctl(PR_SET_DUMPABLE, 0) != 0) give_up("PR_SET_DUMPABLE");
}

bool write_all(int fd, const void* bytes, size_t size) {
  const char* at = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t done = write(fd, at, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    size -= static_cast<size_t>(done);
  }
  return true;
}

}  // namespace ki::cell
