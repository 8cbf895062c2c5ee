// Every act that a cell must not perform, attempted by a compiled candidate.
#include "world.h"

#include <fmt/format.h>

namespace ki::sandbox {
namespace {

struct Act {
  const char* name;
  const char* code;         // an expression; its value is what the call returned
  const char* system_call;  // as the report names it
};

// The process dies, and the call is not performed.
const Act kKilled[] = {
    {"execve", "syscall(SYS_execve, \"/usr/bin/true\", 0, 0)", "execve"},
    {"execveat", "syscall(SYS_execveat, -100, \"/usr/bin/true\", 0, 0, 0)", "execveat"},
    {"memfd_create", "syscall(SYS_memfd_create, \"x\", 0)", "memfd_create"},
    {"anonymous code",
     "(long)mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)", "mmap"},
    {"mprotect to code",
     "mprotect((void*)((uintptr_t)out[0].data & ~4095ul), 4096, PROT_READ | PROT_EXEC)",
     "mprotect"},
    {"pkey_mprotect to code",
     "syscall(SYS_pkey_mprotect, (uintptr_t)out[0].data & ~4095ul, 4096, PROT_READ | PROT_EXEC, "
     "-1)",
     "pkey_mprotect"},
    {"ptrace", "syscall(SYS_ptrace, 0, 0, 0, 0)", "ptrace"},
    {"process_vm_readv", "syscall(SYS_process_vm_readv, 1, 0, 0, 0, 0, 0)", "process_vm_readv"},
    {"process_vm_writev", "syscall(SYS_process_vm_writev, 1, 0, 0, 0, 0, 0)", "process_vm_writev"},
    {"bpf", "syscall(SYS_bpf, 0, 0, 0)", "bpf"},
    {"userfaultfd", "syscall(SYS_userfaultfd, 0)", "userfaultfd"},
    {"io_uring", "syscall(SYS_io_uring_setup, 1, 0)", "io_uring_setup"},
    {"perf_event_open", "syscall(SYS_perf_event_open, 0, 0, -1, -1, 0)", "perf_event_open"},
    {"a user namespace", "syscall(SYS_unshare, 0x10000000)", "unshare"},
    {"setns", "syscall(SYS_setns, 2, 0)", "setns"},
    {"mount", "syscall(SYS_mount, \"none\", \"/tmp\", \"tmpfs\", 0, 0)", "mount"},
    {"a filter of its own", "syscall(SYS_seccomp, 1, 0, 0)", "seccomp"},
    {"a filter as the shim's", "syscall(SYS_seccomp, 1, 1, 0)", "seccomp"},
    {"keyctl", "syscall(SYS_keyctl, 0, 0, 0)", "keyctl"},
    {"fork", "syscall(SYS_fork)", "fork"},
    {"vfork", "syscall(SYS_vfork)", "vfork"},
    {"clone of a process", "syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)", "clone"},
};

// EPERM, an event, and life goes on.
const Act kRefused[] = {
    {"open", "open(\"/etc/ld.so.cache\", O_RDONLY)", "openat"},
    {"socket", "syscall(SYS_socket, 2, 1, 0)", "socket"},
    {"socketpair", "syscall(SYS_socketpair, 1, 1, 0, (int[2]){0, 0})", "socketpair"},
    {"kill of its process 1", "kill(1, SIGKILL)", "kill"},
    {"tgkill of another", "syscall(SYS_tgkill, 1, 1, SIGKILL)", "tgkill"},
    {"sched_setaffinity", "syscall(SYS_sched_setaffinity, 0, 8, (unsigned long[1]){1})",
     "sched_setaffinity"},
    {"sched_setscheduler", "syscall(SYS_sched_setscheduler, 0, 1, (int[1]){1})",
     "sched_setscheduler"},
    {"timer_create", "syscall(SYS_timer_create, 1, 0, (int[1]){0})", "timer_create"},
    {"setitimer", "syscall(SYS_setitimer, 0, (long[4]){0, 0, 0, 1}, 0)", "setitimer"},
    {"prctl dumpable", "syscall(SYS_prctl, 4, 1, 0, 0, 0)", "prctl"},
    {"a handler of SEGV", "signal(SIGSEGV, SIG_IGN) == SIG_ERR ? -1 : 0", "rt_sigaction"},
    {"a handler of SYS", "signal(SIGSYS, SIG_IGN) == SIG_ERR ? -1 : 0", "rt_sigaction"},
    {"ioctl", "syscall(SYS_ioctl, 2, 0x5412, \"x\")", "ioctl"},
    {"setuid", "syscall(SYS_setuid, 0)", "setuid"},
    {"prlimit", "syscall(SYS_prlimit64, 0, 7, (long[2]){1024, 1024}, 0)", "prlimit64"},
};

const char* kAllowed[] = {
    "syscall(SYS_prctl, 15, \"name\", 0, 0, 0)",
    "syscall(SYS_sched_yield)",
    "(long)mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == -1 ? -1 : "
    "0",
    "syscall(SYS_sched_getaffinity, 0, 128, malloc(128)) < 0 ? -1 : 0",
    "signal(SIGUSR1, SIG_IGN) == SIG_ERR ? -1 : 0",
    "raise(SIGUSR1)",
    "syscall(SYS_prlimit64, 0, 7, 0, malloc(16))",
};

// One candidate that performs the act that the first input number names.
std::string candidate(std::span<const Act> acts) {
  std::string out =
      "ENTRY {\n  signal(SIGUSR1, SIG_IGN);\n  long r = 0;\n  switch ((int)*(const "
      "float*)in[0].data) {\n";
  int number = 0;
  for (const Act& act : acts)
    out += fmt::format("    case {}: r = {}; break;\n", number++, act.code);
  return out + "  }\n  return r == -1 ? 1000 + errno : (int)(r != 0);\n}\n";
}

TEST(DeniedActs, OfTheFirstKindKillAndAreNamed) {
  const std::string source = candidate(kKilled);
  float number = 0;
  for (const Act& act : kKilled) {
    SCOPED_TRACE(act.name);
    KI_CELL(cell, source);
    floats(cell.tensor(0, 0))[0] = number++;
    const CallReport report = cell.ring({});
    ASSERT_TRUE(report.ending) << "it lives, and the act returned " << report.calls[0].result;
    EXPECT_EQ(report.ending->reason(), "policy_violation") << report.ending->text;
    EXPECT_EQ(report.ending->system_call, act.system_call);
  }
}

TEST(DeniedActs, OfTheSecondKindAreRefusedAndCounted) {
  const std::string source = candidate(kRefused);
  KI_CELL(cell, source);
  float number = 0;
  for (const Act& act : kRefused) {
    SCOPED_TRACE(act.name);
    floats(cell.tensor(0, 0))[0] = number++;
    const CallReport report = cell.ring({});
    ASSERT_FALSE(report.ending) << report.ending->text;
    EXPECT_EQ(report.calls[0].result, 1000 + EPERM);
    if (cell.isolation().find("seccomp_notify")->holds) {
      EXPECT_EQ(report.denied, std::vector<std::string>{act.system_call});
    }
  }
}

TEST(DeniedActs, WhatKernelsNeedIsAllowed) {
  std::vector<Act> acts;
  for (const char* code : kAllowed) acts.push_back({code, code, ""});
  KI_CELL(cell, candidate(acts));
  for (std::size_t i = 0; i < acts.size(); ++i) {
    SCOPED_TRACE(acts[i].code);
    floats(cell.tensor(0, 0))[0] = static_cast<float>(i);
    const CallReport report = cell.ring({});
    ASSERT_FALSE(report.ending) << report.ending->text;
    EXPECT_EQ(report.calls[0].result, 0);
    EXPECT_TRUE(report.denied.empty());
  }
}

TEST(DeniedActs, ANewerCloneIsAnsweredAsUnknown) {
  KI_CELL(cell, "ENTRY { return syscall(SYS_clone3, 0, 0) == -1 ? errno : 0; }");
  EXPECT_EQ(cell.ring({}).calls[0].result, ENOSYS);
}

struct Seen {
  const char* why;
  const char* path;
};
TEST(DeniedActs, HomesKeysSystemAndProcessesAreNotThere) {
  // While loading, opening is allowed: what the mounts hide is what protects then.
  const std::string source = R"(
#include <sys/stat.h>
static int g_seen;
__attribute__((constructor)) static void look(void) {
  const char* paths[] = {"/root", "/home", "/sys", "/proc/self/status", "/etc/passwd", "/etc/shadow",
                         "/var", "/run", "/work", "/opt", "/dev/mem", "/dev/shm"};
  struct stat s;
  for (unsigned i = 0; i < sizeof paths / sizeof *paths; ++i) if (stat(paths[i], &s) == 0) g_seen |= 1 << i;
  if (open("/usr/bin/new", O_CREAT | O_WRONLY, 0644) >= 0) g_seen |= 1 << 20;
  if (open("/ki/object.so", O_WRONLY) >= 0) g_seen |= 1 << 21;
  int fd = open("/tmp/x.so", O_CREAT | O_RDWR, 0755);
  if (fd < 0) g_seen |= 1 << 22;
  (void)!write(fd, "x", 1);
  if (mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) != MAP_FAILED) g_seen |= 1 << 23;
}
ENTRY { return g_seen; }
)";
  KI_CELL(cell, source);
  ASSERT_FALSE(cell.ending()) << cell.ending()->text;
  EXPECT_EQ(cell.ring({}).calls[0].result, 0);
}

TEST(DeniedActs, CodeFromFilesCannotBeMappedAfterTheSeal) {
  KI_CELL(cell, R"(
static int g_fd;
__attribute__((constructor)) static void keep(void) { g_fd = open("/ki/object.so", O_RDONLY); }
ENTRY { return mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, g_fd, 0) == MAP_FAILED; }
)");
  // The descriptor that a constructor kept is itself a breach that the report shows.
  EXPECT_FALSE(cell.isolation().find("fds")->holds);
  EXPECT_EQ(cell.isolation().level, IsolationLevel::kNone);
  const CallReport report = cell.ring({});
  ASSERT_TRUE(report.ending);
  EXPECT_EQ(report.ending->reason(), "policy_violation") << report.ending->text;
}

TEST(DeniedActs, AConstructorThatBreaksARuleDiesWhileLoading) {
  KI_CELL(cell, R"(
__attribute__((constructor)) static void act(void) { syscall(SYS_fork); }
ENTRY { return 0; }
)");
  ASSERT_TRUE(cell.ending());
  EXPECT_EQ(cell.ending()->reason(), "policy_violation");
  EXPECT_EQ(cell.ending()->system_call, "fork");
}

TEST(DeniedActs, AConstructorCannotTakeTheShimsOneSeal) {
  KI_CELL(cell, R"(
#include <linux/filter.h>
__attribute__((constructor)) static void act(void) {
  struct sock_filter allow[] = {{0x06, 0, 0, 0x7fff0000}};
  struct sock_fprog program = {1, allow};
  syscall(SYS_seccomp, 1, 1, &program);
}
ENTRY { return 0; }
)");
  ASSERT_TRUE(cell.ending());
  EXPECT_EQ(cell.ending()->reason(), "policy_violation") << cell.ending()->text;
}

TEST(DeniedActs, ThereIsNoNetwork) {
  KI_CELL(cell, R"(
static int g_error;
__attribute__((constructor)) static void act(void) {
  g_error = syscall(SYS_socket, 2, 1, 0) < 0 ? errno : 0;
}
ENTRY { return g_error; }
)");
  ASSERT_FALSE(cell.ending()) << cell.ending()->text;
  EXPECT_EQ(cell.ring({}).calls[0].result, EPERM);
}

}  // namespace
}  // namespace ki::sandbox
