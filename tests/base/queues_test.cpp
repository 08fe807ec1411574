// SPDX-License-Identifier: Apache-2.0
#include "base/queues.h"

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "base/event_loop.h"

namespace servosim::net {
namespace {

TEST(MpscQueue, KeepsTheOrderAndReportsWhenItWasEmpty) {
  MpscQueue<int> mailbox;
  EXPECT_TRUE(mailbox.empty());
  EXPECT_TRUE(mailbox.push(1));
  EXPECT_FALSE(mailbox.push(2));
  std::deque<int> taken{0};
  mailbox.take_all(taken);
  EXPECT_EQ(taken, (std::deque<int>{0, 1, 2}));
  EXPECT_TRUE(mailbox.push(3));  // freed at the end; the address sanitizer checks this
}

// The values of each producer stay in order. No value is lost or duplicated.
TEST(MpscQueue, FourThreadsPush) {
  constexpr int kEach = 20'000;
  MpscQueue<std::pair<int, int>> mailbox;
  std::vector<std::thread> senders;
  for (int sender = 0; sender < 4; ++sender) {
    senders.emplace_back([&mailbox, sender] {
      for (int i = 0; i < kEach; ++i) {
        mailbox.push({sender, i});
      }
    });
  }
  std::vector<int> next(4, 0);
  std::deque<std::pair<int, int>> taken;
  while (std::accumulate(next.begin(), next.end(), 0) < 4 * kEach) {
    mailbox.take_all(taken);
    for (; !taken.empty(); taken.pop_front()) {
      const auto [sender, i] = taken.front();
      ASSERT_EQ(i, next[static_cast<std::size_t>(sender)]++);
    }
  }
  for (std::thread& sender : senders) {
    sender.join();
  }
  EXPECT_TRUE(mailbox.empty());
}

// A value that is read is never a mixture of two values, and never older than the value before.
TEST(TripleBuffer, TheReaderGetsWholeValuesInOrder) {
  constexpr int kValues = 50'000;
  TripleBuffer<std::vector<int>> latest(std::vector<int>(32, 0));
  EXPECT_FALSE(latest.fetch());
  std::thread writer([&latest] {
    for (int i = 1; i <= kValues; ++i) {
      latest.draft().assign(32, i);
      latest.publish();
    }
  });
  int last = 0;
  while (last < kValues) {
    if (latest.fetch()) {
      const std::vector<int>& value = latest.value();
      ASSERT_GT(value.front(), last);
      last = value.front();
      ASSERT_EQ(value, std::vector<int>(32, last));
    }
  }
  writer.join();
  EXPECT_FALSE(latest.fetch());
}

TEST(WorkQueue, RunsTasksInOrderAndAtMostItsLimitAtOnce) {
  WorkQueue queue;
  EXPECT_EQ(queue.serve(), 0u);
  std::vector<std::size_t> done;
  for (std::size_t i = 0; i < WorkQueue::kMaxTasks + 3; ++i) {
    queue.push([&done, i] { done.push_back(i); });
  }
  std::size_t served = 0;
  while (served < WorkQueue::kMaxTasks + 3) {
    const std::size_t share = queue.serve();
    EXPECT_GE(share, 1u);
    EXPECT_LE(share, WorkQueue::kMaxTasks);
    served += share;
  }
  EXPECT_EQ(done.size(), served);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
}

TEST(WorkQueue, BeginsNoTaskAfterALongOne) {
  WorkQueue queue;
  int done = 0;
  for (int i = 0; i < 3; ++i) {
    queue.push([&done] {
      std::this_thread::sleep_for(2 * WorkQueue::kMaxDuration);
      ++done;
    });
  }
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(queue.serve(), 1u);
    EXPECT_EQ(done, i);
  }
  EXPECT_EQ(queue.serve(), 0u);
}

TEST(WorkQueue, SleepsUntilTheTimeAndWakesForATask) {
  WorkQueue queue;
  const auto start = Clock::now();
  EXPECT_EQ(queue.serve_until(start + std::chrono::milliseconds(20)), 0u);
  EXPECT_GE(Clock::now() - start, std::chrono::milliseconds(20));
  // The time-out is far longer than the test may take, so each of the three must wake the thread.
  std::atomic<int> done{0};
  std::thread pusher([&] {
    for (int i = 1; i <= 3; ++i) {
      queue.push([&done] { ++done; });
      while (done < i) {
        std::this_thread::yield();
      }
    }
  });
  while (done < 3) {
    queue.serve_until(Clock::now() + std::chrono::milliseconds(100));
  }
  pusher.join();
}

}  // namespace
}  // namespace servosim::net
