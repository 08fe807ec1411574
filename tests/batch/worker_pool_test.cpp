// SPDX-License-Identifier: Apache-2.0
#include "batch/worker_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace servosim::test {
namespace {

std::vector<int> turns_of(WorkerPool& pool, std::size_t count, std::size_t piece) {
  std::vector<std::atomic<int>> turns(count);
  pool.run(count, piece, [&](std::size_t first, std::size_t last, std::size_t) {
    EXPECT_LE(last - first, piece);
    for (std::size_t i = first; i < last; ++i) {
      ++turns[i];
    }
  });
  return {turns.begin(), turns.end()};
}

TEST(WorkerPool, EachIndexHasOneTurn) {
  for (const std::size_t threads : {1, 2, 5}) {
    WorkerPool pool(threads);
    for (const std::size_t count : {0, 1, 3, 64, 1001}) {
      for (const std::size_t piece : {1, 16, 2000}) {
        EXPECT_EQ(turns_of(pool, count, piece), std::vector<int>(count, 1));
      }
    }
  }
}

// A thread of the pool looks for work for 50 µs and then falls asleep.
TEST(WorkerPool, RunsMayFollowAfterAnyPause) {
  using Clock = std::chrono::steady_clock;
  WorkerPool pool(2);
  for (const int pause : {0, 40, 60, 200}) {
    for (int run = 0; run < 200; ++run) {
      EXPECT_EQ(turns_of(pool, 16, 1), std::vector<int>(16, 1)) << pause << " µs";
      const Clock::time_point end = Clock::now() + std::chrono::microseconds(pause);
      while (Clock::now() < end) {
      }
    }
  }
}

TEST(WorkerPool, MayEndRightAfterARun) {
  for (int run = 0; run < 200; ++run) {
    WorkerPool pool(2);
    EXPECT_EQ(turns_of(pool, 16, 1), std::vector<int>(16, 1));
  }
}

TEST(WorkerPool, OnlyTheCallerIsTheCaller) {
  WorkerPool pool(3);
  const std::thread::id self = std::this_thread::get_id();
  for (int run = 0; run < 100; ++run) {
    pool.run(50, 1, [&self](std::size_t, std::size_t, std::size_t worker) {
      EXPECT_EQ(worker == WorkerPool::kCaller, std::this_thread::get_id() == self);
      EXPECT_LT(worker, 3u);
    });
  }
}

TEST(WorkerPool, TheFirstErrorReachesTheCallerAndTheRestIsDone) {
  WorkerPool pool(3);
  std::atomic<int> done = 0;
  const auto work = [&done](std::size_t first, std::size_t, std::size_t) {
    ++done;
    if (first == 7 || first == 11 || first == 40) {
      throw std::runtime_error(std::to_string(first));
    }
  };
  for (int run = 1; run <= 50; ++run) {
    try {
      pool.run(50, 1, work);
      ADD_FAILURE() << "nothing thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "7");
    }
    EXPECT_EQ(done, 50 * run);
  }
  EXPECT_EQ(turns_of(pool, 30, 2), std::vector<int>(30, 1)) << "it can go on";
}

TEST(WorkerPool, TheCallerIsAskedWhileItWaits) {
  WorkerPool pool(2);
  std::atomic<bool> go_on = false;
  int asked = 0;
  std::atomic<bool> other_has_one = false;
  const auto work = [&](std::size_t, std::size_t, std::size_t worker) {
    if (worker == WorkerPool::kCaller) {
      while (!other_has_one) {  // leaves nothing for the caller
        std::this_thread::yield();
      }
      return;
    }
    other_has_one = true;
    while (!go_on) {
      std::this_thread::yield();
    }
  };
  pool.run(2, 1, work, [&] {
    if (++asked == 3) {
      go_on = true;  // and stays so, however late the other thread looks
    }
  });
  EXPECT_GE(asked, 3);
}

TEST(WorkerPool, InAForkedProcessTheCallerDoesAll) {
  WorkerPool pool(3);
  turns_of(pool, 100, 1);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool all = turns_of(pool, 100, 1) == std::vector<int>(100, 1);
    pool.~WorkerPool();  // must not wait for threads that the child does not have
    ::_exit(all ? 33 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 33);
  EXPECT_EQ(turns_of(pool, 100, 1), std::vector<int>(100, 1));
}

}  // namespace
}  // namespace servosim::test
