// SPDX-License-Identifier: Apache-2.0
// Pairs that never touch. Each rule is compared with the same scene without the reason for it.
#include <gtest/gtest.h>

#include <cmath>

#include "support/worlds.h"

namespace servosim::test {
namespace {

// Two sliders of one robot drive their blocks at each other along x.
double meeting_point(bool self_collision, bool dynamic_base) {
  Simulation simulation =
      load(fmt::format(R"(#VRML_SIM R2023b utf8
WorldInfo {{ basicTimeStep 8 gravity 0 physicsDisableTime 0 }}
Robot {{ name "r" selfCollision {} {} children [
  SliderJoint {{ jointParameters JointParameters {{ axis 1 0 0 }} device LinearMotor {{ name "left" maxForce 500 }}
    endPoint Solid {{ translation -0.5 0 0 boundingObject Box {{ size 0.2 0.2 0.2 }} physics Physics {{ }} }} }}
  SliderJoint {{ jointParameters JointParameters {{ axis 1 0 0 }} device LinearMotor {{ name "right" maxForce 500 }}
    endPoint Solid {{ name "x" translation 0.5 0 0 boundingObject Box {{ size 0.2 0.2 0.2 }} physics Physics {{ }}
    }} }} ] }})",
                       self_collision ? "TRUE" : "FALSE",
                       dynamic_base ? "boundingObject Box { size 0.1 0.1 9 } physics Physics { "
                                      "density -1 mass 1e6 }"
                                    : ""));
  Robot& robot = simulation.robot("r");
  robot.motor("left").set_position(0.6);
  robot.motor("right").set_position(-0.6);
  simulation.step(500);
  return simulation.joint(0).position();
}

TEST(CollisionFilter, PartsOfARobotMeetOnlyWithSelfCollision) {
  // Free to pass they swap sides; else they stand face to face: 0.4 each, and 500 N on soft
  // contacts.
  EXPECT_NEAR(meeting_point(false, false), 0.6, 1e-3);
  EXPECT_NEAR(meeting_point(true, false), 0.4, 0.02);
}

TEST(CollisionFilter, ADynamicBaseIsAPartLikeAnyOther) {
  EXPECT_NEAR(meeting_point(false, true), 0.6, 1e-3) << "through the base";
  // The base fills ±0.05 and is linked to both by joints: they pass it and meet each other.
  EXPECT_NEAR(meeting_point(true, true), 0.4, 0.02);
}

// A Solid without Physics overlaps the body that carries it. Neither a free Solid nor a robot that
// may touch itself is pushed off it.
TEST(CollisionFilter, ACarriedSolidDoesNotTouchItsCarrier) {
  for (const char* carrier : {"Solid { name \"a\"", "Robot { name \"a\" selfCollision TRUE"}) {
    Simulation simulation = Simulation::from_text(fmt::format(
        R"(#VRML_SIM R2023b utf8
WorldInfo {{ basicTimeStep 8 gravity 0 physicsDisableTime 0 }}
{} children [
  Solid {{ name "carried" translation 0.4 0 0.3 boundingObject Box {{ size 0.5 0.5 0.5 }} }}
  HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 }}
    endPoint Solid {{ name "hung" translation 0.5 0 0.2 boundingObject Box {{ size 0.2 0.2 0.2 }}
      physics Physics {{ }} }} }}
] boundingObject Box {{ size 1 1 1 }} physics Physics {{ }} }})",
        carrier));
    simulation.step(200);
    EXPECT_EQ(simulation.solid("a").pose().translation, Vec3{}) << carrier;
    EXPECT_EQ(simulation.joint(0).position(), 0.0) << carrier;
  }
}

TEST(CollisionFilter, RobotsThatStandOnOneSolidMeet) {
  const auto robot = [](const char* name, double x) {
    return fmt::format(
        R"(Robot {{ name "{}" children [ SliderJoint {{ jointParameters JointParameters {{ axis 1 0 0 }}
  device LinearMotor {{ name "m" maxForce 500 }}
  endPoint Solid {{ translation {} 0 0 boundingObject Box {{ size 0.2 0.2 0.2 }} physics Physics {{ }} }} }} ] }})",
        name, x);
  };
  Simulation simulation = load(fmt::format(
      "#VRML_SIM R2023b utf8\nWorldInfo {{ basicTimeStep 8 gravity 0 physicsDisableTime 0 }}\n"
      "Solid {{ name \"table\" children [ {} {} ] }}",
      robot("a", -0.5), robot("b", 0.5)));
  simulation.robot("a").motor("m").set_position(0.6);
  simulation.robot("b").motor("m").set_position(-0.6);
  simulation.step(500);
  EXPECT_NEAR(simulation.joint(0).position(), 0.4, 0.02);
}

// Two blocks overlap. They are `link`ed or not.
double pushed_apart(const std::string& second) {
  Simulation simulation = load(fmt::format(R"(#VRML_SIM R2023b utf8
WorldInfo {{ basicTimeStep 8 gravity 0 physicsDisableTime 0 }}
Robot {{ name "r" selfCollision TRUE boundingObject Box {{ size 0.4 0.4 0.4 }} physics Physics {{ }} children [
  {} ] }})",
                                           second));
  const Vec3 start = simulation.solid("last").pose().translation;
  simulation.step(100);
  return norm(simulation.solid("last").pose().translation - start);
}

std::string hinge(const std::string& anchor, const std::string& name, const std::string& children) {
  return fmt::format(
      R"(HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 anchor {} }}
    endPoint Solid {{ name "{}" translation 0.05 0 0 children [ {} ] boundingObject Box {{ size 0.3 0.3 0.3 }}
    physics Physics {{ }} }} }})",
      anchor, name, children);
}

TEST(CollisionFilter, BodiesThatShareAJointDoNotMeet) {
  EXPECT_LT(pushed_apart(hinge("0.1 0 0", "last", "")), 1e-9);
}

TEST(CollisionFilter, BodiesLinkedThroughHingesWithOneAnchorDoNotMeet) {
  // The anchor is 0.1 in the base's frame, 0.1 − 0.05 in the first link's.
  EXPECT_LT(pushed_apart(hinge("0.1 0 0", "first", hinge("0.05 0 0", "last", ""))), 1e-9);
  EXPECT_GT(pushed_apart(hinge("0.1 0 0", "first", hinge("0.15 0 0", "last", ""))), 1e-3);
}

TEST(CollisionFilter, JointsWithSeveralAxesAreLinksOfSuchChains) {
  for (const std::string kind : {"Hinge2Joint", "BallJoint"}) {
    const auto link = [&](const std::string& anchor, const std::string& name,
                          const std::string& children) {
      std::string text = hinge(anchor, name, children);
      text.replace(0, std::string("HingeJoint").size(), kind);
      if (kind == "BallJoint") {
        text.replace(text.find("HingeJointParameters { axis 0 1 0"),
                     std::string("HingeJointParameters { axis 0 1 0").size(),
                     "BallJointParameters {");
      }
      return text;
    };
    EXPECT_LT(pushed_apart(link("0.1 0 0", "last", "")), 1e-9) << kind;
    EXPECT_LT(pushed_apart(link("0.1 0 0", "first", hinge("0.05 0 0", "last", ""))), 1e-9) << kind;
    EXPECT_LT(pushed_apart(hinge("0.1 0 0", "first", link("0.05 0 0", "last", ""))), 1e-9) << kind;
    EXPECT_GT(pushed_apart(link("0.1 0 0", "first", hinge("0.15 0 0", "last", ""))), 1e-3) << kind;
  }
}

// A block is driven along x towards a wall; the base is the world or a very heavy body.
double way_to_the_wall(bool heavy_base) {
  Simulation simulation =
      load(fmt::format(R"(#VRML_SIM R2023b utf8
WorldInfo {{ basicTimeStep 8 gravity 0 physicsDisableTime 0 }}
Solid {{ name "wall" translation 1 0 0 boundingObject Box {{ size 0.2 1 1 }} }}
Robot {{ name "r" {} children [
  SliderJoint {{ jointParameters JointParameters {{ axis 1 0 0 }} device LinearMotor {{ name "m" maxForce 500 }}
    endPoint Solid {{ boundingObject Box {{ size 0.2 0.2 0.2 }} physics Physics {{ }} }} }} ] }})",
                       heavy_base ? "boundingObject Sphere { radius 0.01 } physics Physics { "
                                    "density -1 mass 1e9 }"
                                  : ""));
  simulation.robot("r").motor("m").set_position(1.5);
  simulation.step(500);
  return simulation.joint(0).position();
}

TEST(CollisionFilter, ABodyJointedToTheWorldPassesWhatIsStatic) {
  EXPECT_NEAR(way_to_the_wall(false), 1.5, 1e-3);
  EXPECT_NEAR(way_to_the_wall(true), 0.8, 0.02);
  // A wall that can move is met: it is pushed ahead and flies off, the block arrives all the same.
  Simulation simulation = load(R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 gravity 0 physicsDisableTime 0 }
Solid { name "wall" translation 1 0 0 boundingObject Box { size 0.2 1 1 } physics Physics { density -1 mass 2 } }
Robot { name "r" children [ SliderJoint { jointParameters JointParameters { axis 1 0 0 }
  device LinearMotor { name "m" } endPoint Solid { boundingObject Box { size 0.2 0.2 0.2 } physics Physics { }
  } } ] })");
  simulation.robot("r").motor("m").set_position(1.5);
  simulation.step(500);
  EXPECT_GT(simulation.solid("wall").pose().translation.x, 1.5);
}

TEST(CollisionFilter, AKinematicPartCarriesItsGeomAlong) {
  // The ball rests on a plate that a kinematic slider lifts by half a metre.
  Simulation simulation = load(R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 physicsDisableTime 0 }
Robot { name "r" children [ SliderJoint { device LinearMotor { name "m" maxVelocity 0.25 }
  endPoint Solid { boundingObject Box { size 1 1 0.2 } } } ] }
Solid { name "block" translation 0 0 0.3 boundingObject Box { size 0.3 0.3 0.3 } physics Physics { } })");
  simulation.robot("r").motor("m").set_position(0.5);
  simulation.step(500);
  EXPECT_NEAR(simulation.solid("block").pose().translation.z, 0.5 + 0.1 + 0.15, 5e-3);
}

// A robot that slides through a wall, or does not.
TEST(CollisionFilter, APinnedRobotPassesWhatIsStatic) {
  // A robot without gravity is inside a static wall, which pushes it out unless it is pinned.
  const auto moved = [](bool pinned, bool let_go) {
    Simulation simulation = load(R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 gravity 0 physicsDisableTime 0 }
Solid { name "wall" translation 0.3 0 0 boundingObject Box { size 0.4 1 1 } }
Robot { name "r" boundingObject Box { size 0.3 0.3 0.3 } physics Physics { density -1 mass 2 } })");
    if (pinned) {
      simulation.solid(simulation.robot(0).solid()).pin(true);
    }
    simulation.step(50);
    if (let_go) {
      EXPECT_NEAR(norm(simulation.solid("r").pose().translation), 0.0, 1e-12);
      simulation.solid(simulation.robot(0).solid()).pin(false);
      simulation.step(50);
    }
    return norm(simulation.solid("r").pose().translation);
  };
  EXPECT_GT(moved(false, false), 0.04) << "it overlaps by 5 cm";
  // A contact of 5 cm depth would move it against the soft joint by millimetres.
  EXPECT_NEAR(moved(true, false), 0.0, 1e-12);
  EXPECT_GT(moved(true, true), 0.04);
}

TEST(CollisionFilter, APinnedRobotStillMeetsWhatMoves) {
  Simulation simulation = load(R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 gravity 0 physicsDisableTime 0 }
Solid { name "ball" translation 1 0 0 linearVelocity -1 0 0 boundingObject Sphere { radius 0.1 }
  physics Physics { density -1 mass 2 } }
Robot { name "r" boundingObject Box { size 0.3 0.3 0.3 } physics Physics { density -1 mass 2 } })");
  simulation.solid(simulation.robot(0).solid()).pin(true);
  simulation.step(200);
  EXPECT_GT(simulation.solid("ball").pose().translation.x, 0.25 + 0.1) << "it bounced off";
}

TEST(CollisionFilter, TwoStaticSolidsAndTwoKinematicPartsDoNotMatter) {
  Simulation simulation = load(R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 physicsDisableTime 0 }
Solid { boundingObject Box { size 1 1 1 } }
Solid { boundingObject Box { size 1 1 1 } }
Robot { name "r" selfCollision TRUE children [ SliderJoint { device LinearMotor { name "m" }
  endPoint Solid { name "part" boundingObject Box { size 1 1 1 } } } ] }
Solid { name "ball" translation 9 0 0 boundingObject Sphere { } physics Physics { } })");
  simulation.robot("r").motor("m").set_position(0.5);
  simulation.step(100);
  EXPECT_NEAR(simulation.joint(0).position(), 0.5, 1e-12);
}

// A block sleeps on the floor; a kinematic plate of a robot comes along through it.
const char* kSleeper = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 }
Solid { name "floor" boundingObject Plane { } }
Solid { name "block" translation 0 0 0.149 boundingObject Box { size 0.3 0.3 0.3 } physics Physics { density -1 mass 0.2 } }
Robot { name "r" children [ SliderJoint { jointParameters JointParameters { axis 1 0 0 }
  device LinearMotor { name "m" maxVelocity 0.5 } endPoint Solid { translation -0.4 0 0.15 PHYSICS
  boundingObject Box { size 0.2 0.2 0.2 } } } ] })";

double pushed_block(const std::string& physics, int steps_before) {
  std::string text = kSleeper;
  text.replace(text.find("PHYSICS"), 7, physics);
  Simulation simulation = load(text);
  simulation.step(steps_before);
  simulation.robot("r").motor("m").set_position(1.0);
  simulation.step(600);
  return simulation.solid("block").pose().translation.x;
}

TEST(CollisionFilter, ASleepingBodyIsNotMovedByAKinematicOne) {
  EXPECT_GT(pushed_block("", 10), 0.5) << "awake, it is pushed ahead";
  EXPECT_NEAR(pushed_block("", 500), 0.0, 1e-9) << "asleep, it is passed";
  // A part with Physics that is awake wakes it.
  EXPECT_GT(pushed_block("physics Physics { density -1 mass 5 }", 500), 0.5);
}

// Bodies that fell asleep on each other keep their contacts: woken together they rest on.
TEST(CollisionFilter, SleepingBodiesKeepTheirContacts) {
  Simulation simulation = load(R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 }
Solid { name "floor" boundingObject Plane { } }
Solid { name "lower" translation 0 0 0.1 boundingObject Box { size 0.4 0.4 0.2 } physics Physics { density -1 mass 3 } }
Robot { name "upper" translation 0 0 0.3 boundingObject Box { size 0.3 0.3 0.2 } physics Physics { density -1 mass 2 }
  children [ HingeJoint { jointParameters HingeJointParameters { anchor 0 0 0.3 axis 0 0 1 }
    device RotationalMotor { name "m" } endPoint Solid { translation 0 0 0.3
    boundingObject Sphere { radius 0.05 } physics Physics { density -1 mass 0.25 } } } ] })");
  simulation.step(600);
  const Pose lower = simulation.solid("lower").pose();
  const Pose upper = simulation.solid("upper").pose();
  simulation.step(400);
  EXPECT_EQ(simulation.solid("lower").pose(), lower);
  EXPECT_EQ(simulation.solid("upper").pose(), upper);
  simulation.robot("upper").motor("m").set_position(0.5);
  simulation.step(1);
  // Without contacts the first step would fall by g·h² = 0.63 mm; resting moves by rounding and by
  // what the arm's start turns.
  EXPECT_NEAR(simulation.solid("upper").pose().translation.z, upper.translation.z, 1e-5);
  EXPECT_NEAR(simulation.solid("lower").pose().translation.z, lower.translation.z, 1e-5);
}

// Hinges only: a slider between two links does not make them overlaid.
TEST(CollisionFilter, OtherJointsInTheChainDoNotExcludeIt) {
  const std::string slider =
      R"(SliderJoint { jointParameters JointParameters { axis 0 1 0 minStop -1e-3 maxStop 1e-3 }
    endPoint Solid { name "first" translation 0.05 0 0 children [ )" +
      hinge("0.05 0 0", "last", "") +
      R"( ] boundingObject Box { size 0.3 0.3 0.3 } physics Physics { } } })";
  EXPECT_GT(pushed_apart(slider), 1e-3);
}

}  // namespace
}  // namespace servosim::test
