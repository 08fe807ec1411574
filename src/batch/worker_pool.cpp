// SPDX-License-Identifier: Apache-2.0
#include "batch/worker_pool.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/child_process.h"

namespace servosim {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPause{20};
// Waking a thread takes about as long, so threads do not fall asleep between calls in quick
// succession.
constexpr std::chrono::microseconds kSpin{50};
constexpr std::size_t kCacheLine = 64;

void pause_processor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

// Waits for a limited time without falling asleep. @returns whether it `is_over`
template <typename IsOver>
bool spin(IsOver is_over) {
  constexpr int kBetweenLooks = 16;  // number of checks between two looks at the clock
  const Clock::time_point end = Clock::now() + kSpin;
  do {
    for (int i = 0; i < kBetweenLooks; ++i) {
      if (is_over()) {
        return true;
      }
      pause_processor();
    }
  } while (Clock::now() < end);
  return is_over();
}

}  // namespace

// One call of WorkerPool::run().
struct WorkerPool::Run {
  const WorkerPool::Work* work = nullptr;
  std::size_t piece = 1;
  std::mutex mutex;
  std::exception_ptr error;  // exception of the piece that begins at error_at
  std::size_t error_at = 0;

  void do_piece(std::size_t first, std::size_t last, std::size_t worker) {
    try {
      (*work)(first, last, worker);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (error == nullptr || first < error_at) {
        error = std::current_exception();
        error_at = first;
      }
    }
  }

  void rethrow_error() const {
    if (error != nullptr) {
      std::rethrow_exception(error);
    }
  }
};

struct WorkerPool::Shared {
  // The indices that a worker begins with. Each share has a cache line of its own.
  struct alignas(kCacheLine) Share {
    std::atomic<std::size_t> next = 0;
    std::size_t end = 0;
  };

  explicit Shared(std::size_t workers)
      : shares(workers), spins(workers <= std::thread::hardware_concurrency()) {}

  std::mutex mutex;
  std::condition_variable work_came;
  std::condition_variable work_done;
  std::vector<Share> shares;  // the share of each worker
  const bool spins;           // there is a processor for each worker
  Run* run = nullptr;         // not null while it is open or a thread works on it
  bool open = false;          // whether it may have pieces left
  std::size_t asleep = 0;     // number of threads
  bool caller_sleeps = false;
  std::atomic<std::size_t> working = 0;   // number of threads; written under the mutex
  std::atomic<std::uint64_t> number = 0;  // number of the run; written under the mutex
  std::atomic<bool> stop = false;         // written under the mutex
  std::vector<std::thread> threads;

  void divide(std::size_t count, std::size_t piece) {
    const std::size_t pieces = (count + piece - 1) / piece;
    std::size_t begin = 0;
    for (std::size_t w = 0; w < shares.size(); ++w) {
      shares[w].next.store(begin, std::memory_order_relaxed);
      begin = std::min(count, pieces * (w + 1) / shares.size() * piece);
      shares[w].end = begin;
    }
  }

  // Takes the pieces of its own share first, then those that others have left.
  void take_pieces(Run& of, std::size_t worker) {
    for (std::size_t k = 0; k < shares.size(); ++k) {
      Share& share = shares[(worker + k) % shares.size()];
      while (share.next.load(std::memory_order_relaxed) < share.end) {
        const std::size_t first = share.next.fetch_add(of.piece);
        if (first < share.end) {
          of.do_piece(first, std::min(first + of.piece, share.end), worker);
        }
      }
    }
  }

  void begin(Run& of) {
    const std::lock_guard lock(mutex);
    SERVOSIM_ASSERT(!open && working == 0, "a run within a run: open {}, {} threads at it", open,
                    working.load());
    run = &of;
    open = true;
    ++number;
    if (asleep > 0) {
      work_came.notify_all();
    }
  }

  // Once the caller has no piece left, threads that have not begun do not join the run.
  void finish(const std::function<void()>& while_waiting) {
    {
      const std::lock_guard lock(mutex);
      open = false;
    }
    const auto is_done = [this] { return working.load(std::memory_order_acquire) == 0; };
    if (is_done() || (spins && spin(is_done))) {
      return;
    }
    std::unique_lock lock(mutex);
    caller_sleeps = true;
    while (while_waiting && !work_done.wait_for(lock, kPause, is_done)) {
      lock.unlock();
      while_waiting();
      lock.lock();
    }
    work_done.wait(lock, is_done);
    caller_sleeps = false;
  }

  void loop(std::size_t worker) {
    std::uint64_t done = 0;
    const auto has_work = [&] {
      return stop.load(std::memory_order_relaxed) || number.load(std::memory_order_relaxed) != done;
    };
    for (;;) {
      if (spins) {
        spin(has_work);
      }
      std::unique_lock lock(mutex);
      ++asleep;
      work_came.wait(lock, has_work);
      --asleep;
      if (stop) {
        return;
      }
      done = number;
      if (!open) {
        continue;
      }
      ++working;
      Run& mine = *run;
      lock.unlock();
      take_pieces(mine, worker);
      lock.lock();
      if (--working == 0 && caller_sleeps) {
        work_done.notify_all();
      }
    }
  }

  void end() {
    {
      const std::lock_guard lock(mutex);
      stop = true;
      work_came.notify_all();
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  }
};

WorkerPool::WorkerPool(std::size_t threads)
    : shared_(std::make_unique<Shared>(threads)), process_(::getpid()) {
  const BlockedSignals blocked;  // only the caller receives signals
  shared_->threads.reserve(threads - 1);
  try {
    while (shared_->threads.size() + 1 < threads) {
      shared_->threads.emplace_back(
          [shared = shared_.get(), worker = shared_->threads.size() + 1] { shared->loop(worker); });
    }
  } catch (...) {
    shared_->end();
    throw;
  }
}

WorkerPool::~WorkerPool() {
  if (is_here()) {
    shared_->end();
  } else {
    // A forked process does not have these threads, so nothing joins them. Destroying what they
    // were using would wait for them, so it leaks.
    static_cast<void>(shared_.release());
  }
}

bool WorkerPool::is_here() const { return ::getpid() == process_; }

void WorkerPool::run(std::size_t count, std::size_t piece, const Work& work,
                     const std::function<void()>& while_waiting) {
  Run run;
  run.work = &work;
  run.piece = piece;
  if (count <= piece || !is_here() || shared_->threads.empty()) {
    for (std::size_t first = 0; first < count; first += piece) {
      run.do_piece(first, std::min(first + piece, count), kCaller);
    }
  } else {
    shared_->divide(count, piece);
    shared_->begin(run);
    shared_->take_pieces(run, kCaller);
    shared_->finish(while_waiting);
  }
  run.rethrow_error();
}

}  // namespace servosim
