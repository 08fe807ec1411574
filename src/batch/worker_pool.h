// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <memory>

namespace servosim {

/// Threads that wait for work and share it with their caller. A process that was forked from the
/// owner's has none of them: there the caller does all.
///
/// Threads: one caller at a time.
class WorkerPool {
 public:
  /// Called with the indices from `first` on, before `last`; `worker`: the number of the thread.
  using Work = std::function<void(std::size_t first, std::size_t last, std::size_t worker)>;
  static constexpr std::size_t kCaller = 0;  ///< the worker that is the calling thread

  /// `threads` >= 1, the calling one among them: numbers of workers are less.
  /// @throws std::system_error
  explicit WorkerPool(std::size_t threads);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool();

  /// Does the work until all `count` indices had their turn, in any order, in pieces of at most
  /// `piece`. Each worker begins with the same share of them in each call, whose memory its
  /// processor then has at hand, and helps the others when it is done. `while_waiting`, which must
  /// not throw, is called every 20 ms while others still work but the caller has nothing left.
  /// @throws what the work threw, of several pieces the first one; the others are done
  void run(std::size_t count, std::size_t piece, const Work& work,
           const std::function<void()>& while_waiting = {});

 private:
  struct Run;
  struct Shared;

  bool is_here() const;

  std::unique_ptr<Shared> shared_;
  pid_t process_;
};

}  // namespace servosim
