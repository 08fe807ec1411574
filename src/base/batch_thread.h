// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "base/child_process.h"

namespace servosim {

/// A thread that processes batches while its owner fills the next one. The first batch starts the
/// thread. A process that was forked from the owner's has no such thread and drops its batches.
///
/// Batch has swap(), clear() and empty().
template <typename Batch>
class BatchThread {
 public:
  /// The thread and finish() call `work`; what it throws reaches the owner.
  explicit BatchThread(std::function<void(const Batch&)> work)
      : work_(std::move(work)), exchange_(std::make_unique<Exchange>()), process_(::getpid()) {}
  BatchThread(const BatchThread&) = delete;
  BatchThread& operator=(const BatchThread&) = delete;
  ~BatchThread() {
    if (!is_here()) {
      // The thread does not exist in a forked process, so nothing joins it. Destroying the mutex
      // and the condition variable that it was using would wait for it, so they leak.
      static_cast<void>(exchange_.release());
    } else if (exchange_->thread.joinable()) {
      stop();
    }
  }

  /// Calls action(batch) for each batch that this object keeps. It is called before the first
  /// hand_over(), to reserve memory.
  template <typename Action>
  void for_each_batch(const Action& action) {
    action(exchange_->batch);
    action(working_);
  }

  /// Returns false in a process that was forked from the owner's.
  bool is_here() const { return ::getpid() == process_; }

  /// Gives the batch to the thread and leaves an empty one. Waits while the thread has not taken
  /// the batch before. @throws what the work threw; the thread has ended then
  void hand_over(Batch& batch) {
    if (!is_here()) {
      batch.clear();
      return;
    }
    if (!exchange_->thread.joinable()) {
      const BlockedSignals blocked;
      exchange_->thread = std::thread([this] { loop(); });
    }
    {
      std::unique_lock lock(exchange_->mutex);
      exchange_->changed.wait(
          lock, [this] { return exchange_->batch.empty() || exchange_->error != nullptr; });
      if (exchange_->error == nullptr) {
        exchange_->batch.swap(batch);
        exchange_->changed.notify_all();
        return;
      }
    }
    stop();
    std::rethrow_exception(exchange_->error);
  }

  /// Waits until the thread has processed what was handed over. @throws what the work threw
  void wait() {
    if (!is_here()) {
      return;
    }
    std::unique_lock lock(exchange_->mutex);
    exchange_->changed.wait(lock, [this] {
      return exchange_->error != nullptr || (exchange_->batch.empty() && !exchange_->at_work);
    });
    if (exchange_->error != nullptr) {
      std::rethrow_exception(exchange_->error);
    }
  }

  /// Processes everything that is pending, `batch` last, and ends the thread. @throws what the work
  /// threw
  void finish(Batch& batch) {
    if (exchange_->thread.joinable()) {
      stop();
    }
    if (exchange_->error != nullptr) {
      std::rethrow_exception(exchange_->error);
    }
    work_(batch);
    batch.clear();
  }

 private:
  // What the two threads share, guarded by the mutex.
  struct Exchange {
    std::mutex mutex;
    std::condition_variable changed;
    Batch batch;               // for the thread
    bool at_work = false;      // the thread works on the batch before
    bool stop = false;         // the thread ends when it has processed the batch
    std::exception_ptr error;  // set when the thread has ended because of it
    std::thread thread;
  };

  void stop() {
    {
      const std::lock_guard lock(exchange_->mutex);
      exchange_->stop = true;
      exchange_->changed.notify_all();
    }
    exchange_->thread.join();
  }

  void loop() {
    std::unique_lock lock(exchange_->mutex);
    for (;;) {
      exchange_->changed.wait(lock,
                              [this] { return !exchange_->batch.empty() || exchange_->stop; });
      if (exchange_->batch.empty()) {
        return;
      }
      working_.swap(exchange_->batch);
      exchange_->at_work = true;
      exchange_->changed.notify_all();
      lock.unlock();
      std::exception_ptr error;
      try {
        work_(working_);
      } catch (...) {
        error = std::current_exception();
      }
      working_.clear();
      lock.lock();
      exchange_->at_work = false;
      exchange_->error = error;
      exchange_->changed.notify_all();
      if (error != nullptr) {
        return;
      }
    }
  }

  std::function<void(const Batch&)> work_;
  std::unique_ptr<Exchange> exchange_;
  Batch working_;  // used by the thread alone
  pid_t process_;
};

}  // namespace servosim
