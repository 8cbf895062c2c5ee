// A machine that runs the text of a GPU kernel on a host: one block at a time, a fiber a thread.
// Between two points where threads meet, fibers run in a random order, so that a kernel that relies
// on an order gives another answer; some warps stand still for long. Shared memory is poisoned;
// every access to memory is checked against the tensors of the launch, for bounds, direction and
// alignment, and the sectors of 32 bytes that it touches are counted.
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace ki_device {

struct Line {
  std::uint32_t word[4];
};

// What the lanes of a warp bring to a matrix instruction.
struct Fragments {
  std::uint32_t a[32][4], b[32][2];
};

// Faults that a test asks for, to see that they are found.
struct Faults {
  int skipped_barrier = -1;       // the n-th barrier of every thread does nothing
  int wrong_lane = 0;             // exchanges reach so many lanes further
  bool swapped_fragment = false;  // two registers of A in matrix instructions change places
  std::int64_t shift = 0;         // every store goes so many bytes further
};

class Machine {
 public:
  static constexpr int kWarp = 32;
  static Machine*& current() {
    static Machine* machine = nullptr;
    return machine;
  }

  Machine(std::uint32_t seed, Faults faults) : faults_(faults), random_(seed) {}

  void add(const void* data, std::size_t bytes, bool is_output) {
    tensors_.push_back(
        {static_cast<const char*>(data), bytes, is_output, std::vector<bool>((bytes + 31) / 32)});
  }

  void launch(int blocks, int threads, std::size_t shared_bytes,
              const std::function<void()>& kernel) {
    current() = this;
    kernel_ = &kernel;
    blocks_ = blocks;
    shared_.resize(shared_bytes + 16);
    for (block_ = 0; block_ < blocks; ++block_) {
      std::memset(shared_.data(), 0xcd, shared_.size());
      run_block(threads);
    }
    current() = nullptr;
  }

  // Findings: the first of each kind.
  const std::vector<std::string>& problems() const { return problems_; }
  std::size_t moved_bytes() const { return moved_; }  // by lines, each access counted
  std::size_t sectors() const {                       // distinct ones, of all tensors
    std::size_t count = 0;
    for (const Tensor& tensor : tensors_) {
      for (const bool touched : tensor.touched) count += touched ? 1 : 0;
    }
    return count;
  }

  // What the kernel calls.
  void access(const void* p, std::size_t bytes, bool is_store) {
    const auto at = reinterpret_cast<std::uintptr_t>(p);
    if (at % bytes != 0) problem("an access is not aligned");
    for (Tensor& tensor : tensors_) {
      const auto first = reinterpret_cast<std::uintptr_t>(tensor.data);
      if (at < first || at + bytes > first + tensor.bytes) continue;
      if (tensor.is_output != is_store)
        problem(is_store ? "an input is written" : "an output is read");
      tensor.touched[(at - first) / 32] = true;
      if (bytes == sizeof(Line)) moved_ += bytes;
      allowed_ = true;
      return;
    }
    problem(is_store ? "a store outside every tensor" : "a load outside every tensor");
    allowed_ = false;
  }
  bool allowed() const { return allowed_; }
  char* shared() {
    return reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(shared_.data()) + 15) / 16 *
                                   16);
  }
  int thread() const { return now_; }
  int block() const { return block_; }
  int blocks() const { return blocks_; }
  const Faults& faults() const { return faults_; }

  void barrier() {
    Fiber& fiber = fibers_[static_cast<std::size_t>(now_)];
    if (fiber.barriers++ == faults_.skipped_barrier) return;
    wait(State::kBarrier);
  }
  std::uint32_t exchange(std::uint32_t value, int lane_mask) {
    Fiber& fiber = fibers_[static_cast<std::size_t>(now_)];
    const auto warp = static_cast<std::size_t>(now_ / kWarp);
    const int parity = fiber.exchanges++ & 1;
    Warp& w = warps_[warp];
    w.value[parity][now_ % kWarp] = value;
    if (++w.arrived[parity] == kWarp) {
      w.arrived[parity] = 0;
      for (int lane = 0; lane < kWarp; ++lane) {
        Fiber& other = fibers_[warp * kWarp + static_cast<std::size_t>(lane)];
        if (other.state == State::kExchange) other.state = State::kReady;
      }
    } else {
      wait(State::kExchange);
    }
    return w.value[parity][(((now_ % kWarp) ^ lane_mask) + faults_.wrong_lane) % kWarp];
  }
  const Fragments& together(const std::uint32_t* a, const std::uint32_t* b) {
    Fiber& fiber = fibers_[static_cast<std::size_t>(now_)];
    Warp& w = warps_[static_cast<std::size_t>(now_ / kWarp)];
    Fragments& all = w.fragments[fiber.matrices++ & 1];
    const int lane = now_ % kWarp;
    for (int i = 0; i < 4; ++i) all.a[lane][i] = a[faults_.swapped_fragment ? i ^ 1 : i];
    for (int i = 0; i < 2; ++i) all.b[lane][i] = b[i];
    exchange(0, 0);
    return all;
  }

 private:
  enum class State { kReady, kBarrier, kExchange, kDone };
  struct Tensor {
    const char* data;
    std::size_t bytes;
    bool is_output;
    std::vector<bool> touched;
  };
  struct Fiber {
    ucontext_t context{};
    std::unique_ptr<char[]> stack;
    State state = State::kReady;
    int barriers = 0, exchanges = 0, matrices = 0;
  };
  struct Warp {
    std::uint32_t value[2][kWarp] = {};
    int arrived[2] = {0, 0};
    Fragments fragments[2] = {};
  };
  static constexpr std::size_t kStack = 64 << 10;

  void problem(const std::string& what) {
    for (const std::string& known : problems_) {
      if (known == what) return;
    }
    problems_.push_back(what);
  }
  void wait(State state) {
    Fiber& fiber = fibers_[static_cast<std::size_t>(now_)];
    fiber.state = state;
    swapcontext(&fiber.context, &scheduler_);
  }
  static void enter() {
    Machine& machine = *current();
    (*machine.kernel_)();
    machine.fibers_[static_cast<std::size_t>(machine.now_)].state = State::kDone;
  }
  void run_block(int threads) {
    fibers_.clear();
    fibers_.resize(static_cast<std::size_t>(threads));
    warps_.assign(static_cast<std::size_t>((threads + kWarp - 1) / kWarp), {});
    for (Fiber& fiber : fibers_) {
      fiber.stack = std::make_unique<char[]>(kStack);
      getcontext(&fiber.context);
      fiber.context.uc_stack.ss_sp = fiber.stack.get();
      fiber.context.uc_stack.ss_size = kStack;
      fiber.context.uc_link = &scheduler_;
      makecontext(&fiber.context, &Machine::enter, 0);
    }
    for (;;) {
      std::vector<int> ready;
      std::size_t done = 0, at_barrier = 0;
      for (std::size_t i = 0; i < fibers_.size(); ++i) {
        if (fibers_[i].state == State::kReady) ready.push_back(static_cast<int>(i));
        done += fibers_[i].state == State::kDone ? 1 : 0;
        at_barrier += fibers_[i].state == State::kBarrier ? 1 : 0;
      }
      if (done == fibers_.size()) return;
      if (ready.empty()) {
        if (at_barrier == 0 || at_barrier + done != fibers_.size()) {
          problem("threads wait for each other for ever");
          return;
        }
        for (Fiber& fiber : fibers_) {
          if (fiber.state == State::kBarrier) fiber.state = State::kReady;
        }
        continue;
      }
      // Now and then a warp stands still while the others run ahead, as far as they may.
      if (held_rounds_-- == 0) {
        held_ = random_() % warps_.size();
        held_rounds_ = static_cast<int>(random_() % 64);
      }
      const auto is_held = [&](int fiber) {
        return static_cast<std::size_t>(fiber / kWarp) == held_;
      };
      if (!std::all_of(ready.begin(), ready.end(), is_held)) std::erase_if(ready, is_held);
      for (std::size_t i = ready.size(); i > 1; --i) std::swap(ready[i - 1], ready[random_() % i]);
      for (const int next : ready) {
        now_ = next;
        if (fibers_[static_cast<std::size_t>(next)].state == State::kReady)
          swapcontext(&scheduler_, &fibers_[static_cast<std::size_t>(next)].context);
      }
    }
  }

  Faults faults_;
  std::mt19937 random_;
  std::vector<Tensor> tensors_;
  std::vector<Fiber> fibers_;
  std::vector<Warp> warps_;
  std::vector<char> shared_;
  std::vector<std::string> problems_;
  const std::function<void()>* kernel_ = nullptr;
  ucontext_t scheduler_{};
  int now_ = 0, block_ = 0, blocks_ = 0;
  std::size_t held_ = 0;  // a warp, and for how many rounds more
  int held_rounds_ = 0;
  std::size_t moved_ = 0;
  bool allowed_ = true;
};

}  // namespace ki_device
