// SPDX-License-Identifier: Apache-2.0
#include "view/live/live_stream.h"

#include <gtest/gtest.h>

#include <string>

namespace servosim {
namespace {

std::string taken(LiveStream& stream, LiveStream::Watcher& watcher) {
  std::string all;
  for (const auto& records : stream.take(watcher)) {
    all += *records;
  }
  return all;
}

TEST(LiveStream, GivesEachWatcherWhatIsNewForIt) {
  LiveStream stream;
  LiveStream::Watcher early;
  stream.set_status("L1 ");
  stream.add_frame("S1 ", "F1 ");
  EXPECT_EQ(taken(stream, early), "L1 S1 F1 ");
  EXPECT_EQ(taken(stream, early), "");
  stream.add_frame("", "F2 ");
  EXPECT_EQ(taken(stream, early), "F2 ");
  LiveStream::Watcher late;
  EXPECT_EQ(taken(stream, late), "L1 S1 F1 F2 ");
  stream.add_frame("S2 ", "F3 ");
  stream.set_status("L2 ");
  stream.end("E");
  EXPECT_EQ(taken(stream, early), "L2 S2 F3 E");
  EXPECT_TRUE(early.has_ended);
  EXPECT_EQ(taken(stream, early), "");
  EXPECT_FALSE(late.has_ended);
}

TEST(LiveStream, KeepsTheLastFramesOnly) {
  LiveStream stream;
  LiveStream::Watcher slow;
  for (int i = 0; i < 60; ++i) {
    stream.add_frame(i == 0 ? "S" : "", std::string(1, i < 10 ? 'a' : 'b'));
  }
  EXPECT_EQ(taken(stream, slow), "S" + std::string(50, 'b'));
  for (int i = 0; i < 5; ++i) {
    stream.add_frame("", std::string(2'000'000, 'c'));
  }
  EXPECT_EQ(taken(stream, slow), std::string(4'000'000, 'c'));
}

TEST(LiveStream, CallsAfterEachChange) {
  LiveStream stream;
  int changes = 0;
  stream.on_change([&] { ++changes; });
  stream.set_status("L");
  stream.add_frame("S", "F");
  stream.end("E");
  EXPECT_EQ(changes, 3);
  stream.on_change({});
  stream.set_status("L");
  EXPECT_EQ(changes, 3);
}

}  // namespace
}  // namespace servosim
