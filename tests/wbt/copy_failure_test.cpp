// SPDX-License-Identifier: Apache-2.0
// If there is no memory for a copy of a value, everything stays as it was.
#include <gtest/gtest.h>

#include <new>
#include <string>
#include <vector>

#include "support/counted_malloc.h"
#include "wbt/node.h"

namespace servosim::wbt {
namespace {

const std::string kLong(100, 'x');  // too long for a string's own buffer

TEST(ValueCopy, ThatFailsMakesNothing) {
  const Value values[] = {kLong, std::vector<std::string>{kLong, kLong}, std::vector<double>{1, 2},
                          std::vector<bool>{true}};
  for (const Value& value : values) {
    servosim::test::fails_after = 0;
    EXPECT_THROW(Value{value}, std::bad_alloc) << value.index();
    servosim::test::fails_after = -1;
    EXPECT_TRUE(Value{value} == value) << value.index();
  }
}

TEST(ValueCopy, ThatFailsLeavesWhatWasAssignedTo) {
  const Value from = std::vector<std::string>{kLong, kLong};
  Value to = kLong;
  for (const long successes : {0, 1, 2}) {
    servosim::test::fails_after = successes;
    EXPECT_THROW(to = from, std::bad_alloc) << successes;
    servosim::test::fails_after = -1;
    ASSERT_TRUE(std::holds_alternative<std::string>(to)) << successes;
    EXPECT_EQ(std::get<std::string>(to), kLong) << successes;
  }
  to = from;
  EXPECT_TRUE(to == from);
}

}  // namespace
}  // namespace servosim::wbt
