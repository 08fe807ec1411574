// SPDX-License-Identifier: Apache-2.0
#include "base/per_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <type_traits>

namespace servosim::test {
namespace per_thread_test {

struct Counted {
  Counted() { ++alive; }
  ~Counted() { --alive; }
  static inline std::atomic<int> alive{0};
};

TEST(PerThread, IsOneForEachThreadAndEndsWithIt) {
  static PerThread<Counted> objects;
  Counted* of_other = nullptr;
  std::thread([&] {
    of_other = &objects.get();
    EXPECT_EQ(of_other, &objects.get());
    EXPECT_EQ(Counted::alive, 1);
  }).join();
  EXPECT_EQ(Counted::alive, 0);
}

// While the process exits, static objects are destroyed although threads still run.
static_assert(std::is_trivially_destructible_v<PerThread<Counted>>);

}  // namespace per_thread_test
}  // namespace servosim::test
