// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <memory>

namespace servosim {

/// Threads that wait for work and share it with their caller. A process that was forked from the
/// owner's has no such threads; there the caller does all work.
///
/// Threads: one caller at a time.
class WorkerPool {
 public:
  /// Processes the indices in [first, last); `worker` is the number of the thread.
  using Work = std::function<void(std::size_t first, std::size_t last, std::size_t worker)>;
  static constexpr std::size_t kCaller = 0;  ///< the number of the calling thread

  /// `threads` >= 1 includes the calling thread. The numbers of workers are below `threads`.
  /// @throws std::system_error
  explicit WorkerPool(std::size_t threads);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool();

  /// Processes all `count` indices, in any order, in pieces of at most `piece` indices. Each worker
  /// begins with the same share in each call, so that the memory of its share is in its processor's
  /// cache; then it helps the others. `while_waiting`, which must not throw, is called every 20 ms
  /// while others still work and the caller has nothing left.
  /// @throws what the work threw; if several pieces throw, the exception of the first piece. All
  /// other pieces are done.
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
