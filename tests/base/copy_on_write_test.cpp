// SPDX-License-Identifier: Apache-2.0
#include "base/copy_on_write.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace servosim {
namespace {

using Text = CopyOnWrite<std::string>;

TEST(CopyOnWrite, SharesItsValueUntilEitherSideWrites) {
  for (const bool first_writes : {true, false}) {
    Text first("a");
    Text second = first;
    EXPECT_EQ(&*first, &*second);
    (first_writes ? first : second).writable() += "b";
    EXPECT_EQ(*first, first_writes ? "ab" : "a");
    EXPECT_EQ(*second, first_writes ? "a" : "ab");
    (first_writes ? second : first).writable() += "c";
    EXPECT_EQ(*first, first_writes ? "ab" : "ac");
    EXPECT_EQ(*second, first_writes ? "ac" : "ab");
  }
}

TEST(CopyOnWrite, WritesInPlaceWhatNobodyShares) {
  Text text("a");
  const std::string* const place = &*text;
  text.writable() = "b";
  EXPECT_EQ(&*text, place);
  const Text copy = text;
  text.writable() = "c";
  const std::string* const own = &*text;
  text.writable() = "d";
  EXPECT_EQ(&*text, own);
  EXPECT_EQ(*copy, "b");
}

TEST(CopyOnWrite, MayBeAssigned) {
  Text text("a");
  Text other("b");
  Text third = other;
  text = other;
  text.writable() += "c";
  EXPECT_EQ(*text, "bc");
  EXPECT_EQ(*other, "b");
  const Text& itself = text;
  text = itself;
  text.writable() += "d";
  EXPECT_EQ(*text, "bcd");
  third = std::move(text);
  EXPECT_EQ(*third, "bcd");
  const Text moved = std::move(third);
  EXPECT_EQ(*moved, "bcd");
  third = other;  // a value that was moved from may be assigned
  EXPECT_EQ(*third, "b");
}

TEST(CopyOnWrite, AMovedValueIsStillShared) {
  Text text("a");
  const Text copy = text;
  Text moved = std::move(text);
  moved.writable() += "b";
  EXPECT_EQ(*copy, "a");
}

TEST(CopyOnWrite, CopiesMayBeWrittenInThreads) {
  const Text original(std::string(100, 'x'));
  std::vector<Text> copies(4, original);
  std::vector<std::thread> threads;
  for (Text& copy : copies) {
    threads.emplace_back([&copy, letter = static_cast<char>('a' + (&copy - copies.data()))] {
      for (int i = 0; i < 1000; ++i) {
        const Text before = copy;
        copy.writable().front() = letter;
        copy.writable().back() = static_cast<char>(*before == *copy ? letter : 'y');
      }
      copy.writable() += letter;
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(*original, std::string(100, 'x'));
  for (std::size_t i = 0; i < copies.size(); ++i) {
    EXPECT_EQ(copies[i]->size(), 101u);
    EXPECT_EQ(copies[i]->back(), static_cast<char>('a' + i));
  }
}

}  // namespace
}  // namespace servosim
