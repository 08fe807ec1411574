// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "conformance/shared_behaviour.h"

namespace servosim::test {
namespace {

constexpr const char* kLimits = "minPosition -0.35 maxPosition 0.6";

}  // namespace

void soft_limits_are_read_from_the_fields(Kind kind) {
  for (const Bench& bench : both_types({.kind = kind, .motor = kLimits})) {
    Rig rig(bench);
    EXPECT_DOUBLE_EQ(rig.limits().min, -0.35);
    EXPECT_DOUBLE_EQ(rig.limits().max, 0.6);
    rig.go_to(0.55);
    EXPECT_DOUBLE_EQ(rig.target(), 0.55) << "a target within them is left alone";
  }
}

void the_law_does_not_move_beyond_soft_limits(Kind kind) {
  for (const Bench& bench :
       both_types({.kind = kind, .motor = std::string("maxForce 3000 ") + kLimits})) {
    for (const double target : {4.0, -4.0}) {
      Rig rig(bench);
      rig.go_to(target);
      rig.take_messages();
      double low = 0.0;
      double high = 0.0;
      for (int n = 0; n < 400; ++n) {
        rig.run(kStep);
        low = std::min(low, rig.position());
        high = std::max(high, rig.position());
      }
      EXPECT_NEAR(target > 0.0 ? high : low, target > 0.0 ? 0.6 : -0.35, kHeld);
      EXPECT_NEAR(rig.position(), target > 0.0 ? 0.6 : -0.35, kHeld);
    }
  }
}

void targets_are_clipped(Kind kind) {
  for (const Bench& bench : both_types({.kind = kind, .motor = kLimits})) {
    Rig rig(bench);
    // A board clips without a message, like the iCub's.
    const bool said = kind != Kind::Board;
    rig.go_to(0.75);
    EXPECT_DOUBLE_EQ(rig.target(), 0.6);
    EXPECT_EQ(contains(rig.take_messages(), "above maxPosition: 0.75 replaced by 0.6"), said);
    rig.go_to(-1.5);
    EXPECT_DOUBLE_EQ(rig.target(), -0.35);
    EXPECT_EQ(contains(rig.take_messages(), "below minPosition: -1.5 replaced by -0.35"), said);
  }
}

void soft_limits_must_enclose_the_position(Kind kind) {
  for (const Bench& bench : both_types({.kind = kind, .joint = "position 0.3"})) {
    Bench good = bench;
    good.motor = "minPosition 0.1 maxPosition 0.7";
    EXPECT_DOUBLE_EQ(Rig(good).limits().min, 0.1) << "zero need not lie between them";
    Bench high = bench;
    high.motor = "minPosition 0.5 maxPosition 0.7";
    Rig above(high);
    EXPECT_DOUBLE_EQ(above.limits().min, 0.3);
    EXPECT_TRUE(contains(above.take_messages(), "minPosition is 0.5, but it must not be above"));
    Bench low = bench;
    low.motor = "minPosition -0.5 maxPosition 0.2";
    Rig below(low);
    EXPECT_DOUBLE_EQ(below.limits().max, 0.3);
    EXPECT_TRUE(contains(below.take_messages(), "maxPosition is 0.2, but it must not be below"));
  }
}

void soft_limits_of_zero_are_none(Kind kind) {
  for (const Bench& bench :
       both_types({.kind = kind, .motor = "minPosition 0 maxPosition 0 maxForce 60"})) {
    Rig rig(bench);
    rig.track(7.5);
    EXPECT_DOUBLE_EQ(rig.target(), 7.5);
    rig.run(4.0);
    EXPECT_NEAR(rig.position(), 7.5, kHeld);
  }
}

void soft_limits_give_way_to_force(Kind kind) {
  for (const Bench& bench : both_types({.kind = kind,
                            .motor = "minPosition -0.2 maxPosition 0.25 maxForce 3",
                            .arm = true,
                            .weighed = true})) {
    Rig rig(bench);
    rig.go_to(0.25);
    rig.run(0.6);
    EXPECT_GT(rig.position(), 0.45) << bench.linear;
  }
}

void a_weight_can_exceed_the_motor_force(Kind kind) {
  for (const Bench& bench :
       both_types({.kind = kind, .motor = "maxForce 30", .arm = true, .weighed = true})) {
    Rig strong(bench);
    strong.bound_force(1.05 * strong.weight());
    strong.run(2.0);
    EXPECT_NEAR(strong.position(), 0.0, strong.held());
    Rig weak(bench);
    weak.bound_force(0.8 * weak.weight());
    double lowest = 0.0;  // an arm swings back up
    for (int n = 0; n < 200; ++n) {
      weak.run(kStep);
      lowest = std::max(lowest, weak.position());
    }
    EXPECT_GT(lowest, 0.5);
  }
}

void soft_limits_should_lie_within_hard_ones(Kind kind) {
  for (const Bench& bench :
       both_types({.kind = kind, .motor = kLimits, .joint = "minStop -0.4 maxStop 0.5"})) {
    Rig rig(bench);
    EXPECT_TRUE(contains(rig.take_messages(),
                         "the soft limits -0.35 to 0.6 reach beyond the hard stops -0.4 to 0.5"));
    Bench within = bench;
    within.joint = "minStop -0.4 maxStop 0.65";
    Rig silent(within);
    EXPECT_DOUBLE_EQ(silent.limits().max, 0.6);
  }
}

}  // namespace servosim::test
