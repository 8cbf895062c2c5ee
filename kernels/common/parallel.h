// Tasks on a fixed number of threads, the caller included. A kernel brings its own threads and
// keeps none of them.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace ki_kernels {

inline constexpr int kMaxThreads = 256;

inline int thread_count(int asked, std::int64_t tasks) {
  if (asked > kMaxThreads) asked = kMaxThreads;
  if (asked > tasks) asked = static_cast<int>(tasks);
  return asked < 1 ? 1 : asked;
}

// Calls work(state, i, worker) once for every i in [0, count), in no order, on at most `threads`
// threads; `worker` is below the number of threads and never in use twice at a time. At its end
// each thread calls finish(state). Threads that cannot be made are done without.
template <class State>
void run_tasks(std::int64_t count, int threads, void (*work)(State&, std::int64_t, int),
               void (*finish)(State&), State& state) {
  struct Shared {
    std::atomic<std::int64_t> next{0};
    std::int64_t count;
    std::atomic<int> workers{0};
    void (*work)(State&, std::int64_t, int);
    void (*finish)(State&);
    State* state;

    void drain() {
      const int worker = workers.fetch_add(1, std::memory_order_relaxed);
      for (;;) {
        const std::int64_t i = next.fetch_add(1, std::memory_order_relaxed);
        if (i >= count) break;
        work(*state, i, worker);
      }
      finish(*state);
    }
  };
  Shared shared;
  shared.count = count;
  shared.work = work;
  shared.finish = finish;
  shared.state = &state;
  threads = thread_count(threads, count);
  pthread_t made[kMaxThreads];
  int have = 0;
  for (int i = 1; i < threads; ++i) {
    const auto body = [](void* p) -> void* {
      static_cast<Shared*>(p)->drain();
      return nullptr;
    };
    if (pthread_create(&made[have], nullptr, body, &shared) != 0) break;
    ++have;
  }
  shared.drain();
  for (int i = 0; i < have; ++i) pthread_join(made[i], nullptr);
}

}  // namespace ki_kernels
