#include "filter.h"

#include <errno.h>
#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstddef>

// Newer than the headers of older systems.
#ifndef SYS_map_shadow_stack
#define SYS_map_shadow_stack 453
#endif

namespace ki::sandbox {
namespace {

struct Named {
  int number;
  const char* name;
};
#define KI_CALL(name) \
  Named { SYS_##name, #name }

// Never, in any phase: new code, new processes, other processes, other kernels' doors.
constexpr std::array kKilled = {KI_CALL(execve),
                                KI_CALL(execveat),
                                KI_CALL(memfd_create),
                                KI_CALL(memfd_secret),
                                KI_CALL(ptrace),
                                KI_CALL(process_vm_readv),
                                KI_CALL(process_vm_writev),
                                KI_CALL(process_madvise),
                                KI_CALL(bpf),
                                KI_CALL(userfaultfd),
                                KI_CALL(io_uring_setup),
                                KI_CALL(io_uring_enter),
                                KI_CALL(io_uring_register),
                                KI_CALL(perf_event_open),
                                KI_CALL(unshare),
                                KI_CALL(setns),
                                KI_CALL(mount),
                                KI_CALL(umount2),
                                KI_CALL(mount_setattr),
                                KI_CALL(move_mount),
                                KI_CALL(open_tree),
                                KI_CALL(fsopen),
                                KI_CALL(fsmount),
                                KI_CALL(fsconfig),
                                KI_CALL(fspick),
                                KI_CALL(pivot_root),
                                KI_CALL(chroot),
                                KI_CALL(keyctl),
                                KI_CALL(add_key),
                                KI_CALL(request_key),
                                KI_CALL(fork),
                                KI_CALL(vfork),
                                KI_CALL(kcmp),
                                KI_CALL(pidfd_open),
                                KI_CALL(pidfd_getfd),
                                KI_CALL(kexec_load),
                                KI_CALL(init_module),
                                KI_CALL(finit_module),
                                KI_CALL(delete_module),
                                KI_CALL(personality),
                                KI_CALL(modify_ldt),
                                KI_CALL(remap_file_pages)};

constexpr std::array kAllowed = {KI_CALL(read),
                                 KI_CALL(write),
                                 KI_CALL(readv),
                                 KI_CALL(writev),
                                 KI_CALL(pread64),
                                 KI_CALL(close),
                                 KI_CALL(fstat),
                                 KI_CALL(newfstatat),
                                 KI_CALL(stat),
                                 KI_CALL(lstat),
                                 KI_CALL(statx),
                                 KI_CALL(lseek),
                                 KI_CALL(access),
                                 KI_CALL(faccessat),
                                 KI_CALL(faccessat2),
                                 KI_CALL(readlink),
                                 KI_CALL(readlinkat),
                                 KI_CALL(getcwd),
                                 KI_CALL(munmap),
                                 KI_CALL(brk),
                                 KI_CALL(mremap),
                                 KI_CALL(madvise),
                                 KI_CALL(msync),
                                 KI_CALL(mincore),
                                 KI_CALL(futex),
                                 KI_CALL(nanosleep),
                                 KI_CALL(clock_nanosleep),
                                 KI_CALL(clock_gettime),
                                 KI_CALL(clock_getres),
                                 KI_CALL(gettimeofday),
                                 KI_CALL(time),
                                 KI_CALL(times),
                                 KI_CALL(getpid),
                                 KI_CALL(getppid),
                                 KI_CALL(gettid),
                                 KI_CALL(getuid),
                                 KI_CALL(geteuid),
                                 KI_CALL(getgid),
                                 KI_CALL(getegid),
                                 KI_CALL(sched_yield),
                                 KI_CALL(sched_getaffinity),
                                 KI_CALL(sched_getparam),
                                 KI_CALL(sched_getscheduler),
                                 KI_CALL(getcpu),
                                 KI_CALL(exit),
                                 KI_CALL(exit_group),
                                 KI_CALL(rt_sigprocmask),
                                 KI_CALL(rt_sigreturn),
                                 KI_CALL(rt_sigpending),
                                 KI_CALL(sigaltstack),
                                 KI_CALL(getrandom),
                                 KI_CALL(set_robust_list),
                                 KI_CALL(get_robust_list),
                                 KI_CALL(rseq),
                                 KI_CALL(set_tid_address),
                                 KI_CALL(uname),
                                 KI_CALL(sysinfo),
                                 KI_CALL(getrusage),
                                 KI_CALL(getrlimit),
                                 KI_CALL(arch_prctl),
                                 KI_CALL(restart_syscall),
                                 KI_CALL(poll),
                                 KI_CALL(ppoll),
                                 KI_CALL(membarrier),
                                 KI_CALL(pause),
                                 KI_CALL(get_mempolicy),
                                 KI_CALL(map_shadow_stack)};

constexpr std::array kOpening = {KI_CALL(open), KI_CALL(openat), KI_CALL(openat2), KI_CALL(creat)};

// Names only: refused by default.
constexpr std::array kOthers = {KI_CALL(socket),
                                KI_CALL(socketpair),
                                KI_CALL(connect),
                                KI_CALL(bind),
                                KI_CALL(listen),
                                KI_CALL(accept),
                                KI_CALL(accept4),
                                KI_CALL(sendto),
                                KI_CALL(recvfrom),
                                KI_CALL(sendmsg),
                                KI_CALL(recvmsg),
                                KI_CALL(kill),
                                KI_CALL(tgkill),
                                KI_CALL(tkill),
                                KI_CALL(rt_sigqueueinfo),
                                KI_CALL(sched_setaffinity),
                                KI_CALL(sched_setscheduler),
                                KI_CALL(sched_setattr),
                                KI_CALL(sched_setparam),
                                KI_CALL(timer_create),
                                KI_CALL(timerfd_create),
                                KI_CALL(setitimer),
                                KI_CALL(alarm),
                                KI_CALL(prctl),
                                KI_CALL(rt_sigaction),
                                KI_CALL(ioctl),
                                KI_CALL(fcntl),
                                KI_CALL(pipe),
                                KI_CALL(pipe2),
                                KI_CALL(dup),
                                KI_CALL(dup2),
                                KI_CALL(dup3),
                                KI_CALL(eventfd2),
                                KI_CALL(epoll_create1),
                                KI_CALL(inotify_init1),
                                KI_CALL(shmget),
                                KI_CALL(shmat),
                                KI_CALL(mlock),
                                KI_CALL(mlockall),
                                KI_CALL(mbind),
                                KI_CALL(set_mempolicy),
                                KI_CALL(prlimit64),
                                KI_CALL(setrlimit),
                                KI_CALL(setuid),
                                KI_CALL(setresuid),
                                KI_CALL(setpriority),
                                KI_CALL(chdir),
                                KI_CALL(mkdir),
                                KI_CALL(unlink),
                                KI_CALL(rename),
                                KI_CALL(getdents64),
                                KI_CALL(clone),
                                KI_CALL(clone3),
                                KI_CALL(mmap),
                                KI_CALL(mprotect),
                                KI_CALL(pkey_mprotect),
                                KI_CALL(seccomp)};
#undef KI_CALL

constexpr int kCellPid = 2;  // of the candidate's process in its own namespace
constexpr int kSocketFd = 3;

FilterRules make_load_rules() {
  FilterRules out{{}, Action::kRefuse};
  auto& rules = out.rules;
  const auto add = [&](int call, std::vector<Condition> conditions, Action action) {
    rules.push_back({call, std::move(conditions), action});
  };
  // The frequent ones first: the kernel runs the filter from the top.
  add(SYS_futex, {}, Action::kAllow);
  add(SYS_mmap, {{2, Test::kAnySet, PROT_EXEC}, {3, Test::kAnySet, MAP_ANONYMOUS}}, Action::kKill);
  add(SYS_mmap, {}, Action::kAllow);
  add(SYS_mprotect, {{2, Test::kAnySet, PROT_EXEC}}, Action::kKill);
  add(SYS_mprotect, {}, Action::kAllow);
  add(SYS_pkey_mprotect, {{2, Test::kAnySet, PROT_EXEC}}, Action::kKill);
  add(SYS_clone, {{0, Test::kNoneSet, CLONE_THREAD}}, Action::kKill);
  add(SYS_clone, {}, Action::kAllow);
  add(SYS_clone3, {}, Action::kNoSuchCall);  // its flags lie in memory, where no filter can look
  for (const Named& call : kAllowed) add(call.number, {}, Action::kAllow);
  for (const Named& call : kKilled) add(call.number, {}, Action::kKill);
  for (const Named& call : kOpening) add(call.number, {}, Action::kOpen);
  add(SYS_seccomp,
      {{0, Test::kEquals, SECCOMP_SET_MODE_FILTER}, {1, Test::kEquals, SECCOMP_FILTER_FLAG_TSYNC}},
      Action::kSeal);
  add(SYS_seccomp, {}, Action::kKill);
  for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGSYS}) {
    add(SYS_rt_sigaction,
        {{0, Test::kEquals, static_cast<std::uint32_t>(number)}, {1, Test::kIsNotZero}},
        Action::kRefuse);
  }
  add(SYS_rt_sigaction, {}, Action::kAllow);
  add(SYS_kill, {{0, Test::kEquals, kCellPid}}, Action::kAllow);
  add(SYS_tgkill, {{0, Test::kEquals, kCellPid}}, Action::kAllow);
  add(SYS_prctl, {{0, Test::kEquals, PR_SET_NAME}}, Action::kAllow);
  add(SYS_prlimit64, {{2, Test::kIsZero}}, Action::kAllow);
  add(SYS_fcntl, {{1, Test::kEquals, 1 /* F_GETFD */}}, Action::kAllow);
  add(SYS_fcntl, {{1, Test::kEquals, 3 /* F_GETFL */}}, Action::kAllow);
  add(SYS_ioctl, {{1, Test::kEquals, 0x5401 /* TCGETS: is stderr a terminal? */}}, Action::kAllow);
  add(SYS_sendmsg, {{0, Test::kEquals, kSocketFd}}, Action::kAllow);  // hands over the listener
  return out;
}

FilterRules make_seal_rules() {
  FilterRules out{{}, Action::kAllow};
  // Code from files ends here. Anonymous code stays with the load filter, which names the call.
  out.rules.push_back({SYS_mmap,
                       {{2, Test::kAnySet, PROT_EXEC}, {3, Test::kNoneSet, MAP_ANONYMOUS}},
                       Action::kKill});
  out.rules.push_back({SYS_sendmsg, {}, Action::kRefuse});
  return out;
}

FilterRules make_build_rules() {
  FilterRules out{{}, Action::kAllow};
  // A compiler forks, executes and writes files; it has no business with these.
  for (const int call : {SYS_socket,
                         SYS_socketpair,
                         SYS_ptrace,
                         SYS_process_vm_readv,
                         SYS_process_vm_writev,
                         SYS_bpf,
                         SYS_userfaultfd,
                         SYS_io_uring_setup,
                         SYS_perf_event_open,
                         SYS_unshare,
                         SYS_setns,
                         SYS_mount,
                         SYS_umount2,
                         SYS_mount_setattr,
                         SYS_move_mount,
                         SYS_open_tree,
                         SYS_fsopen,
                         SYS_pivot_root,
                         SYS_keyctl,
                         SYS_add_key,
                         SYS_request_key,
                         SYS_kexec_load,
                         SYS_init_module,
                         SYS_finit_module,
                         SYS_seccomp}) {
    out.rules.push_back({call, {}, Action::kRefuse});
  }
  out.rules.push_back({SYS_clone, {{0, Test::kAnySet, CLONE_NEWUSER}}, Action::kRefuse});
  out.rules.push_back({SYS_clone3, {}, Action::kNoSuchCall});
  return out;
}

std::uint32_t low_word(int argument) {
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args)) +
         static_cast<std::uint32_t>(argument) * 8;
}

sock_filter statement(unsigned code, std::uint32_t k) {
  return {static_cast<std::uint16_t>(code), 0, 0, k};
}
sock_filter jump(unsigned code, std::uint32_t k, std::uint8_t if_true, std::uint8_t if_false) {
  return {static_cast<std::uint16_t>(code), if_true, if_false, k};
}

// Instructions that fall through when the condition holds. Where it does not, they jump to `miss`
// instructions behind their own end, filled in by the caller: 255 marks such a jump.
constexpr std::uint8_t kMiss = 255;
std::vector<sock_filter> test(const Condition& condition) {
  constexpr unsigned kLoad = BPF_LD | BPF_W | BPF_ABS;
  const std::uint32_t low = low_word(condition.argument);
  switch (condition.test) {
    case Test::kAnySet:
      return {statement(kLoad, low), jump(BPF_JMP | BPF_JSET | BPF_K, condition.value, 0, kMiss)};
    case Test::kNoneSet:
      return {statement(kLoad, low), jump(BPF_JMP | BPF_JSET | BPF_K, condition.value, kMiss, 0)};
    case Test::kEquals:
      return {statement(kLoad, low), jump(BPF_JMP | BPF_JEQ | BPF_K, condition.value, 0, kMiss)};
    case Test::kIsZero:
      return {statement(kLoad, low), jump(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, kMiss),
              statement(kLoad, low + 4), jump(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, kMiss)};
    case Test::kIsNotZero:
      return {statement(kLoad, low), jump(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2),
              statement(kLoad, low + 4), jump(BPF_JMP | BPF_JEQ | BPF_K, 0, kMiss, 0)};
  }
  return {};
}

std::uint32_t verdict(Action action, bool has_notify) {
  const std::uint32_t refuse = SECCOMP_RET_ERRNO | EPERM;
  switch (action) {
    case Action::kAllow:
      return SECCOMP_RET_ALLOW;
    case Action::kKill:
      return has_notify ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_KILL_PROCESS;
    case Action::kRefuse:
      return has_notify ? SECCOMP_RET_USER_NOTIF : refuse;
    case Action::kNoSuchCall:
      return SECCOMP_RET_ERRNO | ENOSYS;
    case Action::kOpen:
    case Action::kSeal:
      return has_notify ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ALLOW;
  }
  return SECCOMP_RET_KILL_PROCESS;
}

bool holds(const Condition& condition, std::uint64_t argument) {
  const auto low = static_cast<std::uint32_t>(argument);
  switch (condition.test) {
    case Test::kAnySet:
      return (low & condition.value) != 0;
    case Test::kNoneSet:
      return (low & condition.value) == 0;
    case Test::kEquals:
      return low == condition.value;
    case Test::kIsZero:
      return argument == 0;
    case Test::kIsNotZero:
      return argument != 0;
  }
  return false;
}

}  // namespace

const FilterRules& load_rules() {
  static const FilterRules rules = make_load_rules();
  return rules;
}
const FilterRules& seal_rules() {
  static const FilterRules rules = make_seal_rules();
  return rules;
}
const FilterRules& build_rules() {
  static const FilterRules rules = make_build_rules();
  return rules;
}

std::vector<sock_filter> compile(const FilterRules& rules, bool has_notify) {
  constexpr unsigned kLoad = BPF_LD | BPF_W | BPF_ABS;
  constexpr std::uint32_t kNumber = offsetof(seccomp_data, nr);
  std::vector<sock_filter> out = {statement(kLoad, offsetof(seccomp_data, arch)),
                                  jump(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
                                  statement(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
                                  statement(kLoad, kNumber),
                                  // The x32 calls have this bit, and other meanings.
                                  jump(BPF_JMP | BPF_JSET | BPF_K, 0x40000000, 0, 1),
                                  statement(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
  for (const Rule& rule : rules.rules) {
    std::vector<sock_filter> body;
    for (const Condition& condition : rule.conditions) {
      const auto part = test(condition);
      body.insert(body.end(), part.begin(), part.end());
    }
    body.push_back(statement(BPF_RET | BPF_K, verdict(rule.action, has_notify)));
    // A miss lands on the load of the number that follows the return, needed as a condition has
    // overwritten it.
    for (std::size_t i = 0; i < body.size(); ++i) {
      const auto distance = static_cast<std::uint8_t>(body.size() - i - 1);
      if (BPF_CLASS(body[i].code) != BPF_JMP) continue;
      if (body[i].jt == kMiss) body[i].jt = distance;
      if (body[i].jf == kMiss) body[i].jf = distance;
    }
    if (!rule.conditions.empty()) body.push_back(statement(kLoad, kNumber));
    out.push_back(jump(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(rule.system_call), 0,
                       static_cast<std::uint8_t>(body.size())));
    out.insert(out.end(), body.begin(), body.end());
  }
  out.push_back(statement(BPF_RET | BPF_K, verdict(rules.otherwise, has_notify)));
  return out;
}

Action decide(const FilterRules& rules, int system_call,
              const std::array<std::uint64_t, 6>& arguments) {
  for (const Rule& rule : rules.rules) {
    if (rule.system_call != system_call) continue;
    const bool matches = std::ranges::all_of(rule.conditions, [&](const Condition& condition) {
      return holds(condition, arguments[static_cast<std::size_t>(condition.argument)]);
    });
    if (matches) return rule.action;
  }
  return rules.otherwise;
}

std::string system_call_name(int number) {
  const auto find = [&](const auto& table) -> const char* {
    for (const Named& call : table) {
      if (call.number == number) return call.name;
    }
    return nullptr;
  };
  for (const char* name : {find(kKilled), find(kOthers), find(kOpening), find(kAllowed)}) {
    if (name != nullptr) return name;
  }
  return fmt::format("system call {}", number);
}

}  // namespace ki::sandbox
