// SPDX-License-Identifier: Apache-2.0
#include "controller_api/client/motion.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace servosim {
namespace {

const std::string kHead = "#WEBOTS_MOTION,V1.0,a,b\n";

std::string why_not(const std::string& text) {
  try {
    Motion::parse(text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(Motion, ReadsPosesAndInterpolates) {
  Motion motion = Motion::parse("#WEBOTS_MOTION,V1.0,,a,b\r\n" +
                                std::string("100,one,1,*\r\n0:300,two,2.0,,+4e0\n"
                                            "01:02:5,three,*,-8\n\nnonsense after an empty line"));
  EXPECT_EQ(motion.motors(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(motion.duration(), 62005);
  EXPECT_EQ(motion.position(0), 1.0);
  EXPECT_EQ(motion.position(1), std::nullopt);
  motion.set_time(150);
  EXPECT_DOUBLE_EQ(*motion.position(0), 1.25);
  EXPECT_EQ(motion.position(1), std::nullopt);  // one neighbour has no position
  motion.set_time(300);
  EXPECT_EQ(motion.position(0), 2.0);
  motion.set_time(99999);
  EXPECT_EQ(motion.position(1), -8.0);
}

TEST(Motion, StopsAtItsEndOrBeginsAgain) {
  Motion motion = Motion::parse(kHead + "0,p,0,0\n100,p,1,1\n");
  motion.play();
  motion.advance(60);
  EXPECT_EQ(motion.time(), 60);
  motion.advance(60);
  EXPECT_EQ(motion.time(), 100);
  EXPECT_TRUE(motion.over());
  EXPECT_TRUE(motion.playing());  // the end has yet to be played
  motion.advance(60);
  EXPECT_FALSE(motion.playing());
  motion.play();
  EXPECT_EQ(motion.time(), 0);
  motion.set_reverse(true);
  motion.play();
  EXPECT_EQ(motion.time(), 100);
  motion.set_loop(true);
  motion.advance(101);
  EXPECT_EQ(motion.time(), 0);
  motion.advance(10);
  EXPECT_EQ(motion.time(), 100);
  EXPECT_TRUE(motion.playing());
  EXPECT_FALSE(motion.over());
}

std::vector<int> times_of_a_loop(int duration, int step, bool reverse) {
  Motion motion = Motion::parse(kHead + "0,p,0,0\n" + std::to_string(duration) + ",p,1,1\n");
  motion.set_reverse(reverse);
  motion.play();
  motion.set_loop(true);
  std::vector<int> times;
  for (int i = 0; i < 8; ++i) {
    times.push_back(motion.time());
    motion.advance(step);
  }
  return times;
}

TEST(Motion, ALoopPlaysItsEndBeforeItBeginsAgain) {
  EXPECT_EQ(times_of_a_loop(96, 32, false), (std::vector<int>{0, 32, 64, 96, 0, 32, 64, 96}));
  EXPECT_EQ(times_of_a_loop(100, 32, false), (std::vector<int>{0, 32, 64, 96, 100, 0, 32, 64}));
  EXPECT_EQ(times_of_a_loop(70, 32, true), (std::vector<int>{70, 38, 6, 0, 70, 38, 6, 0}));
}

// A position that is a limit of its motor must not exceed it between two poses.
TEST(Motion, BetweenEqualPositionsIsThatPosition) {
  Motion motion = Motion::parse(kHead + "0,p,0.02,-0.7\n1000,p,0.02,0.3\n");
  for (int time = 0; time <= 1000; ++time) {
    motion.set_time(time);
    EXPECT_EQ(motion.position(0), 0.02) << time;
    EXPECT_LE(*motion.position(1), 0.3) << time;
  }
}

TEST(Motion, RefusesWhatIsNone) {
  EXPECT_EQ(why_not("#WEBOTS_MOTION,V2.0,a\n0,p,1\n"),
            "line 1: only version V1.0 of motion files can be read");
  EXPECT_EQ(why_not("hello\n"), "line 1: a motion file begins with #WEBOTS_MOTION");
  EXPECT_EQ(why_not("#WEBOTS_MOTION,V1.0\n"), "line 1: it names no motor");
  EXPECT_EQ(why_not(kHead), "it has no pose");
  EXPECT_EQ(why_not(kHead + "\n0,p,1,2\n"), "it has no pose");
  const std::string shape =
      "line 2: a pose has a time, a name, and one position for each of the 2 motors";
  EXPECT_EQ(why_not(kHead + "0,p,1\n"), shape);
  EXPECT_EQ(why_not(kHead + "0,p,1,2,3\n"), shape);
  for (const char* time : {"1:2:3:4", "-5", "1.5", ":", "x", "99999999999", "40000:00:00"}) {
    EXPECT_NE(why_not(kHead + time + ",p,1,2\n").find("the time \""), std::string::npos) << time;
  }
  for (const char* position : {"nan", "inf", "1e999", "0x10", "1 2", "**"}) {
    EXPECT_NE(why_not(kHead + "0,p,1," + position + "\n").find("the position \""),
              std::string::npos)
        << position;
  }
  EXPECT_EQ(why_not(kHead + "5,p,1,2\n5,q,1,2\n"),
            "line 3: its time is not later than that of the pose before");
  EXPECT_EQ(why_not(kHead + std::string(5000, 'x')), "line 2: it is longer than 4096 characters");
  EXPECT_THROW(Motion::read("/"), std::runtime_error);
}

}  // namespace
}  // namespace servosim
