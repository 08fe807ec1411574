// SPDX-License-Identifier: Apache-2.0
#include "base/assert.h"

#include <gtest/gtest.h>

namespace servosim {
namespace {

TEST(Assert, EvaluatesItsConditionOnlyWhenOn) {
  int evaluated = 0;
  SERVOSIM_ASSERT(++evaluated > 0, "{}", evaluated);
#ifdef SERVOSIM_ASSERTIONS
  EXPECT_EQ(evaluated, 1);
#else
  EXPECT_EQ(evaluated, 0);
#endif
}

#ifdef SERVOSIM_ASSERTIONS
TEST(AssertDeathTest, StopsWithTheConditionAndItsValues) {
  const int index = 3;
  const int count = 2;
  EXPECT_DEATH(SERVOSIM_ASSERT(index < count, "joint {} of {}", index, count),
               "assertion failed.*assert_test.cpp:[0-9]+: index < count: joint 3 of 2");
}
#endif

}  // namespace
}  // namespace servosim
