// One ring of a cell: the only place where time is taken.
#include "account.h"
#include "cell_state.h"
#include "ki/base/check.h"

#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <x86intrin.h>

#include <atomic>
#include <cstring>
#include <thread>

namespace ki::sandbox {
namespace {

constexpr std::size_t kLineBytes = 64;
constexpr int kEarlyLines = 16;  // about 2 µs of reading between the stop clock and the stop

std::uint32_t load(std::uint32_t& word) { return std::atomic_ref(word).load(); }
void store(std::uint32_t& word, std::uint32_t value) { std::atomic_ref(word).store(value); }

void wake_shim(wire::Control& control) {
  std::atomic_ref(control.arm).fetch_add(1);
  ::syscall(SYS_futex, &control.arm, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

struct EarlyLine {
  const std::byte* at;
  std::byte bytes[kLineBytes];
};

// A few lines of the outputs, read at once after the stop clock: what differs from them later was
// written after the answer.
class EarlyLines {
 public:
  void choose(Cell::State& state, const RingOptions& options) {
    count_ = 0;
    const int outputs = state.tensor_count() - state.input_count();
    if (outputs == 0 || options.is_empty) return;
    for (int i = 0; i < kEarlyLines; ++i) {
      const int set =
          options.first_set +
          static_cast<int>(state.next_random() % static_cast<std::uint64_t>(options.count));
      const int tensor =
          state.input_count() +
          static_cast<int>(state.next_random() % static_cast<std::uint64_t>(outputs));
      const std::uint64_t bytes = state.bytes(tensor);
      if (bytes < kLineBytes) continue;
      const std::size_t offset =
          state.offsets[static_cast<std::size_t>(set)][static_cast<std::size_t>(tensor)];
      lines_[count_++].at =
          state.slot(set, tensor) + offset + state.next_random() % (bytes - kLineBytes + 1);
    }
  }
  void read() {
    for (int i = 0; i < count_; ++i) std::memcpy(lines_[i].bytes, lines_[i].at, kLineBytes);
  }
  bool have_changed() const {
    for (int i = 0; i < count_; ++i) {
      if (std::memcmp(lines_[i].bytes, lines_[i].at, kLineBytes) != 0) return true;
    }
    return false;
  }

 private:
  EarlyLine lines_[kEarlyLines];
  int count_ = 0;
};

std::vector<int> find_broken_canaries(const Cell::State& state, const RingOptions& options) {
  std::vector<int> out;
  for (int tensor = state.input_count(); tensor < state.tensor_count(); ++tensor) {
    bool is_broken = false;
    for (int set = options.first_set; set < options.first_set + options.count; ++set) {
      const std::byte* slot = state.slot(set, tensor);
      const std::size_t begin =
          state.offsets[static_cast<std::size_t>(set)][static_cast<std::size_t>(tensor)];
      const std::size_t end = begin + state.bytes(tensor);
      const auto check = [&](std::size_t from, std::size_t to) {
        while (from < to) {
          const std::size_t in_page = from % wire::kPageBytes;
          const std::size_t size = std::min<std::size_t>(to - from, wire::kPageBytes - in_page);
          if (std::memcmp(slot + from, state.canary.data() + in_page, size) != 0) is_broken = true;
          from += size;
        }
      };
      check(0, begin);
      check(end, state.wire_tensor(tensor).slot_bytes);
    }
    if (is_broken) out.push_back(tensor);
  }
  return out;
}

class Watch {
 public:
  Watch(Cell::State& state, std::chrono::milliseconds deadline)
      : state_(state), end_(now_ns() + static_cast<std::uint64_t>(deadline.count()) * 1'000'000) {}
  bool is_over() const { return now_ns() > end_; }
  bool has_ended() const { return state_.attendant->has_ended(); }

 private:
  Cell::State& state_;
  std::uint64_t end_;
};

enum class Wait { kDone, kEnded, kOver };

// Until the shim spins and has seen the arguments.
Wait await_shim(wire::Control& control, std::uint32_t ping, Waiting waiting, const Watch& watch) {
  std::uint64_t last_wake = now_ns();
  for (std::uint32_t turn = 1; load(control.pong) != ping; ++turn) {
    if (waiting == Waiting::kSleep) {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    } else {
      _mm_pause();
      if (turn % 256 != 0) continue;
    }
    if (watch.has_ended()) return Wait::kEnded;
    if (watch.is_over()) return Wait::kOver;
    if (now_ns() - last_wake > 1'000'000) {
      wake_shim(control);
      last_wake = now_ns();
    }
  }
  return Wait::kDone;
}

// Until the ring is answered. Wakes the shim where it had given up spinning before the bell.
Wait await_answer(wire::Control& control, std::uint32_t ring, Waiting waiting, const Watch& watch,
                  bool& was_rearmed) {
  const auto rearm = [&] {
    if (was_rearmed || load(control.state) != wire::kIdle || load(control.done) == ring) return;
    was_rearmed = true;
    wake_shim(control);
  };
  rearm();
  if (waiting == Waiting::kSleep) {
    while (load(control.done) != ring) {
      const timespec slice{0, 5'000'000};
      ::syscall(SYS_futex, &control.done, FUTEX_WAIT, ring - 1, &slice, nullptr, 0);
      if (watch.has_ended()) return Wait::kEnded;
      if (watch.is_over()) return Wait::kOver;
      rearm();
    }
    return Wait::kDone;
  }
  for (std::uint32_t turn = 1; load(control.done) != ring; ++turn) {
    _mm_pause();
    if (turn % 4096 != 0) continue;
    if (watch.has_ended()) return Wait::kEnded;
    if (watch.is_over()) return Wait::kOver;
    rearm();
  }
  return Wait::kDone;
}

}  // namespace

CallReport Cell::ring(const RingOptions& options) {
  State& state = *state_;
  CallReport report;
  if (state.ending) {
    report.ending = state.ending;
    return report;
  }
  KI_CHECK(state.is_frozen);
  KI_CHECK(options.count >= 1 && options.first_set >= 0 &&
           options.first_set + options.count <= state.plan.sets);
  wire::Control& control = state.control();
  const AccountReading before = read_account(state.launched->pid());
  const std::uint64_t spin_before = control.spin_total_ticks;
  control.opcode = options.is_empty ? wire::kEmpty : wire::kCall;
  control.count = static_cast<std::uint32_t>(options.count);
  control.first_set = static_cast<std::uint32_t>(options.first_set);
  control.wake_parent = options.waiting == Waiting::kSleep ? 1 : 0;
  EarlyLines lines;
  lines.choose(state, options);
  if (options.before_thaw) options.before_thaw();

  const auto give_up = [&](Wait wait) {
    if (wait == Wait::kOver) {
      state.settle(EndCause::kTimeout,
                   fmt::format("gave no answer in {} ms", options.deadline.count()));
    } else {
      state.settle();
    }
    report.denied = state.attendant->take_denied();
    report.ending = state.ending;
    return report;
  };

  const Watch start_watch(state, std::chrono::milliseconds(5'000));
  store(control.ping, ++state.ping_number);
  state.thaw();
  wake_shim(control);
  if (const Wait wait = await_shim(control, state.ping_number, options.waiting, start_watch);
      wait != Wait::kDone) {
    return give_up(wait);
  }
  const Watch watch(state, options.deadline);
  const std::uint32_t ring = ++state.ring_number;
  const std::uint64_t begin = now_ns();
  store(control.bell, ring);
  const Wait wait = await_answer(control, ring, options.waiting, watch, report.was_rearmed);
  const std::uint64_t end = now_ns();
  if (wait != Wait::kDone) return give_up(wait);
  lines.read();
  if (!state.freeze()) return give_up(Wait::kEnded);
  report.freeze_ns = now_ns() - end;
  report.elapsed_ns = end - begin;
  report.late_write = lines.have_changed();

  const AccountReading after = read_account(state.launched->pid());
  report.before = before.total;
  report.after = after.total;
  for (const auto& [thread, processor] : after.processor_of) {
    const auto known = before.processor_of.find(thread);
    if (known != before.processor_of.end() && known->second != processor) ++report.after.migrations;
  }
  const std::uint64_t spun = control.spin_total_ticks - spin_before;
  report.spin_ns = static_cast<std::uint64_t>(static_cast<double>(spun) / state.ticks_per_ns);
  if (!options.is_empty) {
    for (int k = 0; k < options.count; ++k) {
      const wire::CallRecord& record = control.records[k];
      report.calls.push_back({record.tsc_end - record.tsc_begin, record.result, record.mxcsr,
                              (record.mxcsr & ~0x3fu) != wire::kDefaultMxcsr});
    }
    report.broken_canaries = find_broken_canaries(state, options);
  }
  report.denied = state.attendant->take_denied();
  return report;
}

}  // namespace ki::sandbox
