// The launcher: control groups, the spare uid, own namespaces, a read-only root of named system
// paths. Order matters: everything that needs the parent's rights comes before they are dropped.
#include "ki_cell.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/mount.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <initializer_list>

#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif

extern char** environ;

namespace ki::cell {
namespace {

constexpr unsigned kInsideId = 65534;  // the uid and gid that the cell sees as its own

void write_file(const char* path, const char* text) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) give_up(path);
  if (!write_all(fd, text, strlen(text))) give_up(path);
  close(fd);
}

void join_cgroups() {
  if (launch().has_cgroup == 0) return;
  // v2 has one file for both controllers; the second descriptor is /dev/null then.
  for (const int fd : {wire::kFdCgroupA, wire::kFdCgroupB}) {
    if (!write_all(fd, "0", 1)) give_up("joining the control group");
  }
}

void set_affinity() {
  bool is_set = false;
  for (const uint64_t word : launch().cpu_mask) is_set = is_set || word != 0;
  if (!is_set) return;
  if (syscall(SYS_sched_setaffinity, 0, sizeof launch().cpu_mask, launch().cpu_mask) != 0) {
    give_up("sched_setaffinity");
  }
}

void drop_identity() {
  const uid_t uid = launch().drop_to_uid;
  if (uid != 0) {
    if (setgroups(0, nullptr) != 0) give_up("setgroups");
    if (setresgid(uid, uid, uid) != 0) give_up("setresgid");
    if (setresuid(uid, uid, uid) != 0) give_up("setresuid");
  }
  // The change of uid made the process undumpable, and its /proc files root's.
  if (prctl(PR_SET_DUMPABLE, 1) != 0) give_up("PR_SET_DUMPABLE");
}

void unshare_all() {
  const unsigned uid = geteuid();
  const unsigned gid = getegid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |
              CLONE_NEWUTS | CLONE_NEWCGROUP) != 0) {
    give_up("unshare (are user namespaces allowed?)");
  }
  char map[64];
  write_file("/proc/self/setgroups", "deny");
  snprintf(map, sizeof map, "%u %u 1", kInsideId, uid);
  write_file("/proc/self/uid_map", map);
  snprintf(map, sizeof map, "%u %u 1", kInsideId, gid);
  write_file("/proc/self/gid_map", map);
  if (sethostname(launch().hostname, strlen(launch().hostname)) != 0) give_up("sethostname");
}

// `target` and all below it: no writing, no set-uid, no devices unless `devices`.
void make_read_only(const char* target, bool is_recursive, bool devices) {
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID;
  if (!devices) attributes.attr_set |= MOUNT_ATTR_NODEV;
  if (syscall(SYS_mount_setattr, AT_FDCWD, target, is_recursive ? AT_RECURSIVE : 0, &attributes,
              sizeof attributes) == 0) {
    return;
  }
  // Kernels before 5.12 have no mount_setattr; what lies mounted below stays as it is.
  struct statvfs info;
  if (statvfs(target, &info) != 0) give_up(target);
  unsigned long flags = MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID;
  if (!devices || (info.f_flag & ST_NODEV) != 0) flags |= MS_NODEV;
  if ((info.f_flag & ST_NOEXEC) != 0) flags |= MS_NOEXEC;
  if ((info.f_flag & ST_NOATIME) != 0) flags |= MS_NOATIME;
  if ((info.f_flag & ST_NODIRATIME) != 0) flags |= MS_NODIRATIME;
  if ((info.f_flag & ST_RELATIME) != 0) flags |= MS_RELATIME;
  if (mount(nullptr, target, nullptr, flags, nullptr) != 0) give_up(target);
}

// Binds `source` (absolute) at the same place below the current folder; links stay links.
void bind_path(const char* source, bool is_device = false) {
  struct stat info;
  if (lstat(source, &info) != 0) return;  // this system has no such path
  const char* target = source + 1;
  if (S_ISLNK(info.st_mode)) {
    char link[256];
    const ssize_t size = readlink(source, link, sizeof link - 1);
    if (size < 0) give_up(source);
    link[size] = '\0';
    if (symlink(link, target) != 0) give_up(source);
    return;
  }
  if (S_ISDIR(info.st_mode)) {
    if (mkdir(target, 0755) != 0) give_up(source);
  } else {
    const int fd = open(target, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
    if (fd < 0) give_up(source);
    close(fd);
  }
  if (mount(source, target, nullptr, MS_BIND | MS_REC, nullptr) != 0) give_up(source);
  make_read_only(target, true, is_device);
}

void mount_tmpfs(const char* target, uint64_t bytes, unsigned long flags, const char* mode) {
  char options[96];
  snprintf(options, sizeof options, "size=%llu,mode=%s", static_cast<unsigned long long>(bytes),
           mode);
  if (mkdir(target, 0755) != 0) give_up(target);
  if (mount("tmpfs", target, "tmpfs", MS_NOSUID | MS_NODEV | flags, options) != 0) give_up(target);
}

// The shared object as ki/object.so, on a mount of its own from which code may be mapped.
void place_object() {
  mount_tmpfs("ki", launch().object_bytes + (1 << 20), 0, "0755");
  const int fd = open("ki/object.so", O_CREAT | O_WRONLY | O_CLOEXEC, 0444);
  if (fd < 0) give_up("placing the object");
  static char buffer[1 << 16];
  for (off_t at = 0;;) {
    const ssize_t size = pread(wire::kFdObject, buffer, sizeof buffer, at);
    if (size < 0) give_up("reading the object");
    if (size == 0) break;
    if (!write_all(fd, buffer, static_cast<size_t>(size))) give_up("placing the object");
    at += size;
  }
  close(fd);
  make_read_only("ki", false, false);
}

void make_root() {
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) give_up("private mounts");
  if (mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=0755") != 0) {
    give_up("a root of its own");
  }
  if (chdir("/tmp") != 0) give_up("chdir");
  for (const char* path : {"/usr", "/lib", "/lib64", "/lib32", "/bin"}) bind_path(path);
  if (mkdir("etc", 0755) != 0 || mkdir("dev", 0755) != 0) give_up("mkdir");
  // Debian's choice of BLAS is a link through here; the cache finds libraries off the default path.
  bind_path("/etc/alternatives");
  bind_path("/etc/ld.so.cache");
  for (const char* path : {"/dev/null", "/dev/zero", "/dev/urandom"}) bind_path(path, true);
  mount_tmpfs("tmp", launch().tmp_bytes, MS_NOEXEC, "1777");
  if (launch().mode == wire::Mode::kCell) place_object();
  if (launch().mode == wire::Mode::kBuild)
    mount_tmpfs("work", launch().work_bytes, MS_NOEXEC, "0755");
  if (syscall(SYS_pivot_root, ".", ".") != 0) give_up("pivot_root");
  if (umount2(".", MNT_DETACH) != 0) give_up("leaving the old root");
  if (chdir("/") != 0) give_up("chdir /");
  make_read_only("/", false, false);
}

void drop_bounding_set() {
  for (int capability = 0; capability < 64; ++capability) {
    if (prctl(PR_CAPBSET_READ, capability) < 0) break;
    if (prctl(PR_CAPBSET_DROP, capability) != 0) give_up("PR_CAPBSET_DROP");
  }
}

// A child whose parent is `ki`, not this process.
pid_t make_sibling() {
  return static_cast<pid_t>(
      syscall(SYS_clone, CLONE_PARENT | SIGCHLD, nullptr, nullptr, nullptr, 0));
}

// Process 1 of the namespace: reaps nothing, holds nothing; its end ends all others.
[[noreturn]] void be_init() {
  drop_bounding_set();
  renounce();
  signal(SIGCHLD, SIG_IGN);
  for (int fd = 0; fd < wire::kFdFirstFree; ++fd) {
    if (fd != wire::kFdLifeline) close(fd);
  }
  char byte;
  while (read(wire::kFdLifeline, &byte, 1) < 0 && errno == EINTR) {
  }
  _exit(0);
}

}  // namespace

void enter() {
  syscall(SYS_close_range, static_cast<unsigned>(wire::kFdFirstFree), ~0u, 0u);
  read_launch();
  umask(022);
  join_cgroups();
  set_affinity();
  drop_identity();
  unshare_all();
  make_root();
  const pid_t init = make_sibling();
  if (init < 0) give_up("clone");
  if (init == 0) be_init();
  const pid_t inside = make_sibling();
  if (inside < 0) give_up("clone");
  if (inside == 0) {
    // A fresh image: the C library's idea of this thread would be the launcher's.
    drop_bounding_set();
    for (const int fd : {wire::kFdCgroupA, wire::kFdCgroupB, wire::kFdLifeline, wire::kFdObject}) {
      close(fd);
    }
    fcntl(wire::kFdSelf, F_SETFD, FD_CLOEXEC);
    char name[] = "ki-cell";
    char part[] = "inside";
    char* arguments[] = {name, part, nullptr};
    syscall(SYS_execveat, wire::kFdSelf, "", arguments, environ, AT_EMPTY_PATH);
    give_up("running ki-cell inside");
  }
  wire::Message message{};
  message.kind = wire::MessageKind::kPids;
  message.value = init;
  message.second = inside;
  send_message(message);
  _exit(0);
}

}  // namespace ki::cell
