// SPDX-License-Identifier: Apache-2.0
// What a Supervisor does to Solids: forces, velocities, places; contacts, centre of mass, balance.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "servosim/simulation.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"

namespace servosim::test {
namespace sim_solids_test {

constexpr double kStep = 0.008;

Simulation world(const std::string& nodes, const std::string& info = "gravity 0") {
  return Simulation::from_text("#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 " + info +
                               " }\n" + nodes);
}

const char* kBall = R"(Solid { name "ball" boundingObject Sphere { radius 0.2 }
  physics Physics { density -1 mass 2.5 } })";
const char* kFloor = R"(Solid { name "floor" boundingObject Plane { size 9 9 } })";

std::string brick(const std::string& at) {
  return "Solid { name \"brick\" translation " + at +
         " boundingObject Box { size 0.4 0.2 0.1 } physics Physics { density -1 mass 3 } }";
}

TEST(Solids, AForceAcceleratesForOneStep) {
  Simulation simulation = world(kBall);
  simulation.solid(0).add_force({5.0, 0.0, 0.0});
  simulation.solid(0).add_force({0.0, -2.0, 0.0}, simulation.solid(0).pose().translation);
  simulation.step();
  const SolidVelocity velocity = simulation.solid(0).velocity();
  EXPECT_NEAR(velocity.linear.x, 5.0 / 2.5 * kStep, 1e-12);
  EXPECT_NEAR(velocity.linear.y, -2.0 / 2.5 * kStep, 1e-12);
  EXPECT_NEAR(norm(velocity.angular), 0.0, 1e-12);
  simulation.step(10);
  EXPECT_NEAR(simulation.solid(0).velocity().linear.x, 5.0 / 2.5 * kStep, 1e-12);
}

TEST(Solids, AForceBesideTheCentreAndATorqueTurn) {
  const double inertia = 0.4 * 2.5 * 0.2 * 0.2;
  Simulation simulation = world(kBall);
  simulation.solid(0).add_force({0.0, 0.3, 0.0}, {0.2, 0.0, 0.0});
  simulation.solid(0).add_torque({0.0, 0.0, 0.01});
  simulation.step();
  EXPECT_NEAR(simulation.solid(0).velocity().angular.z, (0.06 + 0.01) / inertia * kStep, 1e-6);
}

// A bar of two boxes of 2 kg and 1 kg, 1 m apart: the small one is a part of the body of the other.
TEST(Solids, AForceOnAPartActsAtItsOwnCentreOfMass) {
  Simulation simulation = world(R"(Solid { name "bar" boundingObject Box { size 0.2 0.2 0.2 }
    physics Physics { density -1 mass 2 } children [ Solid { name "end" translation 0.6 0 0
      boundingObject Pose { translation 0.4 0 0 children [ Box { size 0.1 0.1 0.1 } ] }
      physics Physics { density -1 mass 1 } } ] })");
  const int end = simulation.solid("end").index();
  const auto spin_after = [&](auto push) {
    simulation.reset();
    push();
    simulation.step();
    return simulation.solid(0).velocity().angular.z;
  };
  const Vec3 force{0.0, 3.0, 0.0};
  const double at_end = spin_after([&] {
    simulation.solid(end).add_force(force, {1.0, 0.0, 0.0});
  });
  EXPECT_GT(at_end, 1e-3);
  EXPECT_DOUBLE_EQ(spin_after([&] { simulation.solid(end).add_force(force); }), at_end);
  EXPECT_NEAR(spin_after([&] { simulation.solid(0).add_force(force); }), 0.0, 1e-12)
      << "the owner of the body is pushed at the centre of all";
}

TEST(Solids, ForcesAreSavedAndWakeWhatSleeps) {
  Simulation simulation = world(kFloor + brick("0 0 0.05"), "physicsDisableTime 0.1");
  simulation.step(100);
  simulation.solid(1).add_force({0.0, 0.0, 600.0});
  const SimulationState state = simulation.save();
  simulation.step();
  const double speed = simulation.solid(1).velocity().linear.z;
  EXPECT_GT(speed, 1.0);
  simulation.restore(state);
  simulation.step();
  EXPECT_EQ(simulation.solid(1).velocity().linear.z, speed);
}

TEST(Solids, VelocitiesAreThoseOfTheCentreOfMass) {
  Simulation simulation = world(R"(Solid { name "s" boundingObject Transform { translation 1 0 0
    children Box { size 0.1 0.1 0.1 } } physics Physics { density -1 mass 1 } })");
  simulation.solid(0).set_velocity({{0.5, 0.0, 0.0}, {0.0, 0.0, 2.0}});
  EXPECT_EQ(simulation.solid(0).velocity().linear, (Vec3{0.5, 0.0, 0.0}));
  simulation.step();
  EXPECT_NEAR(simulation.solid(0).center_of_mass().x, 1.0 + 0.5 * kStep, 1e-9);
  EXPECT_NEAR(simulation.solid(0).center_of_mass().y, 0.0, 1e-9);
  WorldControl(simulation).reset_physics(-1);
  EXPECT_EQ(simulation.solid(0).velocity().angular, Vec3{});
}

TEST(Solids, AreTeleportedWithWhatHangsBelow) {
  Simulation simulation = world(R"(Robot { name "r" children [
    HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 }
      device RotationalMotor { name "m" }
      endPoint Solid { name "arm" translation 0.5 0 0 boundingObject Box { size 0.4 0.1 0.1 }
        physics Physics { } } } ]
    boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } })");
  simulation.solid(0).set_velocity({{0.25, 0.0, 0.0}, {}});
  const Pose quarter{rotation_matrix({{0, 0, 1}, std::acos(0.0)}), {3.0, 4.0, 5.0}};
  simulation.solid(0).set_pose(quarter);
  EXPECT_NEAR(norm(simulation.solid("arm").pose().translation - Vec3{3.0, 4.5, 5.0}), 0.0, 1e-12);
  EXPECT_EQ(simulation.solid(0).velocity().linear, (Vec3{0.25, 0.0, 0.0}));
  simulation.step();
  EXPECT_NEAR(simulation.joint(0).position(), 0.0, 1e-6);
  simulation.solid(1).reset_physics();
  EXPECT_EQ(simulation.solid(1).velocity().linear, Vec3{});
}

// Not what it has touched before: in the air it falls at once.
TEST(Solids, AMovedBodyTouchesWhatIsAtItsNewPlace) {
  Simulation simulation = world(std::string(kFloor) + brick("0 0 0.0499"), "physicsDisableTime 0");
  simulation.step(100);
  Solid solid = simulation.solid("brick");
  EXPECT_NEAR(solid.velocity().linear.z, 0.0, 1e-6);
  solid.set_pose({solid.pose().rotation, {0.7, 0.3, 2.0}});
  simulation.step();
  EXPECT_NEAR(solid.velocity().linear.z, -9.81 * kStep, 1e-6);
  EXPECT_NEAR(norm(solid.velocity().angular), 0.0, 1e-6);
}

TEST(Solids, ThatStandStillAreMovedWithTheirShapes) {
  Simulation simulation =
      world(R"(Solid { name "table" translation 0 0 1 boundingObject Box { size 1 1 0.2 } })" +
                brick("0 0 1.15"),
            "physicsDisableTime 0.1");
  simulation.step(100);
  EXPECT_NEAR(simulation.solid(1).pose().translation.z, 1.15, 2e-3);
  simulation.solid(0).set_pose({{}, {0.0, 0.0, 0.5}});
  simulation.step(20);  // the brick was asleep
  EXPECT_LT(simulation.solid(1).pose().translation.z, 1.1);
  simulation.step(200);
  EXPECT_NEAR(simulation.solid(1).pose().translation.z, 0.65, 2e-3);
  const SimulationState state = simulation.save();
  simulation.reset();
  EXPECT_EQ(simulation.solid(0).pose().translation.z, 1.0);
  simulation.restore(state);
  EXPECT_EQ(simulation.solid(0).pose().translation.z, 0.5);
  simulation.step(50);
  EXPECT_NEAR(simulation.solid(1).pose().translation.z, 0.65, 2e-3);
}

// This holds with few shapes and with many, for which ODE uses different kinds of spaces.
TEST(Solids, AMoveWakesWhatTheyTouchBeforeAndAfterItAndNothingElse) {
  const auto box = [](const std::string& name, const std::string& at) {
    return "Solid { name \"" + name + "\" translation " + at +
           " boundingObject Box { size 0.4 0.2 0.1 } physics Physics { density -1 mass 3 } }\n";
  };
  for (const int others : {0, 40}) {
    std::string nodes = kFloor +
                        std::string(
                            "Solid { name \"tray\" translation 0 0 0.5 boundingObject Group "
                            "{ children [ Box { size 1 1 0.1 } Pose { translation 0 0 -0.2 "
                            "children Box { size 0.1 0.1 0.1 } } ] } }\n") +
                        box("on", "0 0 0.6") + box("far", "3 0 0.05") + box("under", "5 0.3 0.05");
    for (int i = 0; i < others; ++i) {
      nodes += "Solid { name \"o" + std::to_string(i) + "\" translation " + std::to_string(i) +
               " 9 0 boundingObject Sphere { radius 0.1 } }\n";
    }
    Simulation simulation = world(nodes, "physicsDisableTime 0.1");
    simulation.step(200);
    const auto pose = [&](const char* name) { return simulation.solid(name).pose(); };
    const std::vector<Pose> before{pose("on"), pose("far"), pose("under")};
    simulation.step();
    ASSERT_EQ((std::vector<Pose>{pose("on"), pose("far"), pose("under")}), before) << "asleep";
    simulation.solid("tray").set_pose({{}, {5.0, 0.0, 0.12}});
    simulation.step(2);
    EXPECT_NE(pose("on"), before[0]) << others;
    EXPECT_EQ(pose("far"), before[1]) << others;
    EXPECT_NE(pose("under"), before[2]) << others;
  }
}

TEST(Solids, EndpointsWithoutPhysicsKeepTheJointsPosition) {
  Simulation simulation = world(R"(Robot { name "r" children HingeJoint {
      jointParameters HingeJointParameters { axis 0 0 1 }
      device RotationalMotor { name "m" }
      endPoint Solid { name "arm" translation 0.5 0 0 } } })");
  simulation.joint(0).set_state(0.5);
  simulation.solid("arm").set_pose({{}, {0.0, 1.0, 0.0}});
  EXPECT_NEAR(norm(simulation.solid("arm").pose().translation - Vec3{0.0, 1.0, 0.0}), 0.0, 1e-12);
  EXPECT_EQ(simulation.joint(0).position(), 0.5);
  simulation.joint(0).set_state(0.5 + std::acos(0.0));
  EXPECT_NEAR(norm(simulation.solid("arm").pose().translation - Vec3{-1.0, 0.0, 0.0}), 0.0, 1e-12);
}

TEST(Solids, ABoxTouchesThePlaneWithItsCorners) {
  Simulation simulation = world(kFloor + brick("1 2 0.049"), "");
  const std::vector<ContactPoint> points = simulation.solid(1).contact_points(false);
  EXPECT_GE(points.size(), 3u);
  EXPECT_LE(points.size(), 4u);
  for (const ContactPoint& point : points) {
    EXPECT_EQ(point.solid, 1);
    EXPECT_EQ(point.other, 0);
    EXPECT_NEAR(std::abs(point.point.x - 1.0), 0.2, 1e-9);
    EXPECT_NEAR(std::abs(point.point.y - 2.0), 0.1, 1e-9);
    EXPECT_NEAR(point.point.z, 0.0, 2e-3);
    EXPECT_NEAR(point.normal.z, 1.0, 1e-9);
  }
  const std::vector<ContactPoint> of_floor = simulation.solid(0).contact_points(true);
  ASSERT_EQ(of_floor.size(), points.size());
  EXPECT_NEAR(of_floor[0].normal.z, -1.0, 1e-9);
  const std::uint64_t hash = simulation.clone().state_hash();
  simulation.step();
  Simulation unasked = world(kFloor + brick("1 2 0.049"), "");
  EXPECT_EQ(unasked.state_hash(), hash);
  unasked.step();
  EXPECT_EQ(unasked.state_hash(), simulation.state_hash());
  simulation.solid(1).set_pose({{}, {0.0, 0.0, 3.0}});
  EXPECT_TRUE(simulation.solid(1).contact_points(true).empty());
}

TEST(Solids, CentresOfMassAreThoseOfAllBelow) {
  Simulation simulation = world(R"(Robot { name "r" translation 1 0 0 children [
      Solid { name "part" translation 0 0 1 boundingObject Sphere { radius 0.1 }
        physics Physics { density -1 mass 1 } }
      HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 }
        endPoint Solid { name "arm" translation 2 0 0 boundingObject Box { size 0.4 0.1 0.1 }
          physics Physics { density -1 mass 4 } } } ]
    boundingObject Box { size 0.1 0.1 0.1 } physics Physics { density -1 mass 3 } }
  Solid { name "light" translation 7 8 9 })");
  EXPECT_NEAR(norm(simulation.solid(0).center_of_mass() - Vec3{2.0, 0.0, 0.125}), 0.0, 1e-12);
  const int part = simulation.solid("part").index();
  EXPECT_NEAR(norm(simulation.solid(part).center_of_mass() - Vec3{1.0, 0.0, 1.0}), 0.0, 1e-12);
  EXPECT_EQ(simulation.solid("light").center_of_mass(), (Vec3{7, 8, 9}));
  EXPECT_THROW(simulation.solid(part).set_pose({}), std::invalid_argument);
  EXPECT_TRUE(simulation.solid(part).has_body());
  EXPECT_FALSE(simulation.solid("light").has_body());
}

TEST(Solids, BalanceIsAboveTheHullOfTheContacts) {
  const auto table = [](const std::string& load) {
    return world(std::string(kFloor) + R"(Solid { name "t" translation 0 0 0.049 children
      Solid { name "load" translation )" +
                     load + R"( boundingObject Sphere { radius 0.02 }
        physics Physics { density -1 mass 9 } }
      boundingObject Box { size 0.4 0.2 0.1 } physics Physics { density -1 mass 1 } })",
                 "");
  };
  EXPECT_TRUE(table("0.1 0 0.3").solid(1).static_balance());
  EXPECT_FALSE(table("0.3 0 0.3").solid(1).static_balance());
  EXPECT_FALSE(world(brick("0 0 5"), "").solid(0).static_balance());
  EXPECT_FALSE(world(kFloor + brick("0 0 0.049")).solid(1).static_balance());  // no gravity
}

TEST(Solids, BadArgumentsAreRefused) {
  Simulation simulation = world(kBall);
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(simulation.solid(1).pose(), std::out_of_range);
  EXPECT_THROW(simulation.solid(-1).pose(), std::out_of_range);
  EXPECT_THROW(simulation.solid(7).set_pose({}), std::out_of_range);
  EXPECT_THROW(simulation.solid(0).set_pose({{}, {kNaN, 0, 0}}), std::invalid_argument);
  EXPECT_THROW(simulation.solid(0).set_pose({{}, {1e300, 0, 0}}), std::invalid_argument);
  EXPECT_THROW(simulation.solid(0).set_pose({Mat3{{}}, {}}), std::invalid_argument);
  EXPECT_THROW(simulation.solid(0).set_velocity({{kNaN, 0, 0}, {}}), std::invalid_argument);
  EXPECT_THROW(simulation.solid(0).add_force({0, INFINITY, 0}), std::invalid_argument);
  EXPECT_THROW(simulation.solid(0).add_torque({0, 0, kNaN}), std::invalid_argument);
  EXPECT_THROW(simulation.solid(2).contact_points(true), std::out_of_range);
  EXPECT_EQ(simulation.solid(0).pose(), Pose{});
  simulation.solid(0).add_force({1e300, 0, 0});
  EXPECT_THROW(simulation.step(3), Diverged);
  EXPECT_TRUE(simulation.solid(0).contact_points(true).empty());
  EXPECT_THROW(WorldControl(simulation).rebuild(WorldInspector(simulation).world_file()),
               std::invalid_argument);
  simulation.reset();
  simulation.step();
}

TEST(Solids, AnEndpointThatIsPutElsewhereIsReadByItsJointAtOnce) {
  for (const bool base_moves : {false, true}) {
    Simulation simulation =
        world(std::string("Robot { name \"r\" translation 1 0 0 children [ HingeJoint { "
                          "jointParameters HingeJointParameters { axis 0 0 1 position 6 } "
                          "device [ RotationalMotor { name \"m\" maxTorque 0 } ] "
                          "endPoint Solid { name \"arm\" translation 0.5 0 0 "
                          "boundingObject Box { size 0.4 0.1 0.1 } physics Physics { } } } "
                          "SliderJoint { jointParameters JointParameters { axis 1 0 0 } "
                          "endPoint Solid { name \"slide\" translation 0 0 1 "
                          "boundingObject Box { size 0.4 0.1 0.1 } physics Physics { } } } ] "
                          "boundingObject Box { size 0.1 0.1 0.1 }") +
              (base_moves ? " physics Physics { } }" : " }"));
    const Vec3 there{1.0 + 0.5 * std::cos(0.5), 0.5 * std::sin(0.5), 0.0};
    simulation.solid("arm").set_pose({rotation_matrix({{0, 0, 1}, 0.5}), there});
    simulation.solid("slide").set_pose({{}, {1.25, 0.0, 1.0}});
    EXPECT_NEAR(simulation.joint(0).position(), 6.5, 1e-9);
    EXPECT_NEAR(simulation.joint(1).position(), 0.25, 1e-9);
    // What is moved with all of it has moved in no joint.
    simulation.solid(0).set_pose({{}, {4.0, 0.0, 0.0}});
    EXPECT_NEAR(simulation.joint(0).position(), 6.5, 1e-9);
    simulation.step();
    EXPECT_NEAR(simulation.joint(0).position(), 6.5, 1e-6);
    EXPECT_NEAR(simulation.joint(1).position(), 0.25, 1e-6);
  }
}

}  // namespace sim_solids_test
}  // namespace servosim::test
