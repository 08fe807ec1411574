// SPDX-License-Identifier: Apache-2.0
// The line between a port and servos: who lets time pass, and what a flush drops.
#include "bus/run/bus_line.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <utility>

#include "bus/protocol/request.h"
#include "bus/run/near_line.h"
#include "bus/servo/bus_rig.h"

namespace servosim::bus {
namespace {

namespace bus_line_test {

using test::BusRig;
using test::NearLine;
using test::NearPort;
using namespace std::chrono_literals;

struct LineRig {
  explicit LineRig(bool is_lockstep, double cycle = 0.0)
      : near(rig.bus, LineClock{is_lockstep, cycle}), line(near.line), port(near.port) {}

  Octets bytes(const BusRequest& request) const { return near.bytes(request); }
  // Steps as long as exchanges let time pass; returns how many.
  int run() {
    int steps = 0;
    for (; line.grants_step(); ++steps) {
      rig.bench().step(0.001);
      line.step();
    }
    return steps;
  }

  BusRig rig{"XM430-W350"};
  NearLine near;
  BusLine& line;
  NearPort* port;
};

const BusRequest kPing{Instruction::Ping, 1, {}, {}};

TEST(BusLine, InLockStepASilenceIsToldOnce) {
  LineRig unused(true);
  LineRig used(true);
  unused.port->name = "first";
  used.port->name = "second";
  used.port->calls.received(used.bytes(kPing));
  used.run();
  SilenceWatch watch;
  EXPECT_EQ(watch.warning(), "");
  watch.add(unused.line);
  watch.add(used.line);
  EXPECT_EQ(watch.warning(), "");
  std::this_thread::sleep_for(1100ms);
  EXPECT_EQ(watch.warning(),
            "no time passes; first waits for a client; the client of second has been silent for 1 "
            "s; only exchanges let time pass in lock-step");
  EXPECT_EQ(watch.warning(), "");
  // Where one client goes on, time passes for all.
  used.port->calls.received(used.bytes(kPing));
  EXPECT_EQ(watch.warning(), "");
}

TEST(BusLine, InLockStepAnExchangeLetsItsTimePass) {
  LineRig rig(true);
  EXPECT_EQ(rig.run(), 0);
  rig.port->calls.received(rig.bytes(kPing));
  EXPECT_EQ(rig.port->sent.size(), 14U);  // at once
  // 24 bytes at 57600 bit/s and 0.5 ms are 4.67 ms.
  EXPECT_EQ(rig.run(), 5);
  rig.port->calls.received(
      rig.bytes({Instruction::Write, kBroadcast, {{kBroadcast, 65, 1, {1}}}, {}}));
  EXPECT_EQ(rig.run(), 2);  // 13 bytes, and what was left
  EXPECT_EQ(rig.line.instructions(), 2);
  LineRig slow(true, 0.02);
  slow.port->calls.received(slow.bytes(kPing));
  EXPECT_EQ(slow.run(), 20);
}

// The second instruction waits, and sees the state after the time of the first one.
TEST(BusLine, InLockStepPiecesDoNotMatter) {
  const auto state = [](std::size_t piece) {
    LineRig rig(true);
    Octets stream = rig.bytes({Instruction::Write, 1, {{1, 64, 1, {1}}}, {}});
    for (const BusRequest& each :
         {BusRequest{Instruction::Write, 1, {{1, 116, 4, {0, 4, 0, 0}}}, {}},
          BusRequest{Instruction::Read, 1, {{1, 132, 4, {}}}, {}},
          BusRequest{Instruction::Read, 1, {{1, 132, 4, {}}}, {}}}) {
      const Octets more = rig.bytes(each);
      stream.insert(stream.end(), more.begin(), more.end());
    }
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      rig.port->calls.received(std::span(stream).subspan(at, std::min(piece, stream.size() - at)));
      if (piece == 5) {
        rig.run();
      }
    }
    rig.run();
    return rig.port->sent;
  };
  const Octets whole = state(1000);
  EXPECT_EQ(whole.size(), 2U * 11 + 2U * 15);
  EXPECT_EQ(state(1), whole);
  EXPECT_EQ(state(5), whole);
}

TEST(BusLine, WithTheClockAnAnswerTakesItsTimeAndAFlushDropsIt) {
  LineRig rig(false);
  EXPECT_TRUE(rig.line.grants_step());
  rig.port->calls.received(rig.bytes(kPing));
  EXPECT_TRUE(rig.port->sent.empty());
  EXPECT_TRUE(
      rig.near.loop.run_until(net::Clock::now() + 30s, [&] { return !rig.port->sent.empty(); }));
  EXPECT_EQ(rig.port->sent.size(), 14U);
  rig.port->calls.received(rig.bytes(kPing));
  rig.port->calls.flushed();
  // A second exchange is answered once: nothing of the first one is left before it.
  rig.port->calls.received(rig.bytes(kPing));
  EXPECT_TRUE(rig.near.loop.run_until(net::Clock::now() + 30s,
                                      [&] { return rig.port->sent.size() >= 28; }));
  EXPECT_EQ(rig.port->sent.size(), 28U);
}

TEST(BusLine, AnotherSpeedOfTheClientIsNotHeard) {
  LineRig rig(true);
  rig.port->speed = 1e6;
  rig.port->calls.received(rig.bytes(kPing));
  EXPECT_TRUE(rig.port->sent.empty());
  rig.run();
  rig.port->speed = 57600.0;
  rig.port->calls.received(rig.bytes(kPing));
  EXPECT_EQ(rig.port->sent.size(), 14U);
}

TEST(BusLine, LosesAndTurnsBytesAsToldAlone) {
  LineRig rig(true);
  rig.line.set_noise({.lost = 1.0, .turned = 0.0});
  rig.port->calls.received(rig.bytes(kPing));
  EXPECT_EQ(rig.line.instructions(), 0);
  rig.line.set_noise({.lost = 0.0, .turned = 1.0});
  rig.port->calls.received(rig.bytes(kPing));
  EXPECT_EQ(rig.line.instructions(), 0);
  rig.line.set_noise({});
  rig.port->calls.received(rig.bytes(kPing));
  EXPECT_EQ(rig.line.instructions(), 1);
}

// A client that writes faster than the line carries bytes waits; nothing is lost, and little is
// kept.
TEST(BusLine, AClientThatIsTooFastWaits) {
  for (const bool is_lockstep : {false, true}) {
    SCOPED_TRACE(is_lockstep);
    LineRig rig(is_lockstep);
    const Octets ping = rig.bytes(kPing);
    Octets flood;
    for (int i = 0; i < (is_lockstep ? 1000 : 100); ++i) {
      flood.insert(flood.end(), ping.begin(), ping.end());
    }
    EXPECT_TRUE(rig.port->reads);
    rig.port->calls.received(flood);
    EXPECT_FALSE(rig.port->reads);
    if (is_lockstep) {
      rig.run();
      EXPECT_EQ(rig.line.instructions(), 1000);
      EXPECT_TRUE(rig.port->reads);
    } else {  // 1000 bytes take 0.2 s at 57600 bit/s
      rig.port->calls.flushed();
      rig.near.loop.run_until(net::Clock::now() + 10s, [&] { return rig.port->reads; });
      EXPECT_TRUE(rig.port->reads);
    }
  }
}

// Times of the bus are not those of the clock in lock-step.
TEST(BusLine, InLockStepAFlushDoesNotEndTheWaitOfAClient) {
  LineRig rig(true);
  const Octets ping = rig.bytes(kPing);
  Octets flood;
  for (int i = 0; i < 1000; ++i) {
    flood.insert(flood.end(), ping.begin(), ping.end());
  }
  rig.port->calls.received(flood);
  ASSERT_FALSE(rig.port->reads);
  rig.port->calls.flushed();
  EXPECT_FALSE(rig.near.loop.run_until(net::Clock::now() + 50ms, [&] { return rig.port->reads; }));
  rig.run();
  EXPECT_TRUE(rig.port->reads);
}

}  // namespace bus_line_test

}  // namespace
}  // namespace servosim::bus
