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

#include "base/child_process.h"

namespace servosim {

namespace {

constexpr std::chrono::milliseconds kPause{20};

}  // namespace

// One call of WorkerPool::run().
struct WorkerPool::Run {
  const WorkerPool::Work* work = nullptr;
  std::size_t count = 0;
  std::size_t piece = 1;
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr error;  // of the piece at error_at
  std::size_t error_at = 0;

  void take_pieces(bool by_caller) {
    for (;;) {
      const std::size_t first = next.fetch_add(piece);
      if (first >= count) {
        return;
      }
      try {
        (*work)(first, std::min(first + piece, count), by_caller);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (error == nullptr || first < error_at) {
          error = std::current_exception();
          error_at = first;
        }
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
  std::mutex mutex;
  std::condition_variable changed;
  Run* work = nullptr;       // valid while busy > 0
  std::size_t busy = 0;      // threads that have not finished it
  std::uint64_t number = 0;  // of the work
  bool stop = false;
  std::vector<std::thread> threads;

  void loop() {
    std::uint64_t done = 0;
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return stop || number != done; });
      if (stop) {
        return;
      }
      done = number;
      lock.unlock();
      work->take_pieces(false);
      lock.lock();
      if (--busy == 0) {
        changed.notify_all();
      }
    }
  }

  void end() {
    {
      const std::lock_guard lock(mutex);
      stop = true;
      changed.notify_all();
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  }
};

WorkerPool::WorkerPool(std::size_t threads)
    : shared_(std::make_unique<Shared>()), process_(::getpid()) {
  const BlockedSignals blocked;  // signals are for the caller
  shared_->threads.reserve(threads - 1);
  try {
    while (shared_->threads.size() + 1 < threads) {
      shared_->threads.emplace_back([shared = shared_.get()] { shared->loop(); });
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
    // Nothing waits for threads that are not here; even the end of what they were using would.
    static_cast<void>(shared_.release());
  }
}

bool WorkerPool::is_here() const { return ::getpid() == process_; }

void WorkerPool::run(std::size_t count, std::size_t piece, const Work& work,
                     const std::function<void()>& while_waiting) {
  Run run;
  run.work = &work;
  run.count = count;
  run.piece = piece;
  const bool alone = count <= piece || !is_here() || shared_->threads.empty();
  if (!alone) {
    const std::lock_guard lock(shared_->mutex);
    shared_->work = &run;
    shared_->busy = shared_->threads.size();
    ++shared_->number;
    shared_->changed.notify_all();
  }
  run.take_pieces(true);
  if (!alone) {
    std::unique_lock lock(shared_->mutex);
    const auto is_done = [this] { return shared_->busy == 0; };
    while (while_waiting && !shared_->changed.wait_for(lock, kPause, is_done)) {
      lock.unlock();
      while_waiting();
      lock.lock();
    }
    shared_->changed.wait(lock, is_done);
  }
  run.rethrow_error();
}

}  // namespace servosim
