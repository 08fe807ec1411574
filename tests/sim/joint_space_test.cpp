// SPDX-License-Identifier: Apache-2.0
// Simulation::mass_matrix(), gravity_torques() and jacobian() against energies and motions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "physics/mass.h"
#include "servosim/simulation.h"
#include "sim/world_inspector.h"

namespace servosim::joint_space_test {
namespace {

std::string physics(double mass, const std::string& center, const std::string& inertia) {
  return fmt::format(
      "physics Physics {{ density -1 mass {} centerOfMass [ {} ] inertiaMatrix [ {} ] }}", mass,
      center, inertia);
}

// A hinge that carries a slider, and a ball joint; the frames are turned.
std::string robot(const std::string& base_physics) {
  return "WorldInfo { gravity 9.81 }\nRobot { name \"r\" translation 0.3 -0.2 1.1 "
         "rotation 0.2 0.4 0.8 0.7 " +
         base_physics + R"( children [
HingeJoint { jointParameters HingeJointParameters { axis 0.1 0.9 0.3 anchor 0.1 0.2 0.3
  #servosim armature 0.02
  }
  device [ RotationalMotor { name "a" } ]
  endPoint Solid { name "upper" translation 0.2 0.1 0.3 rotation 1 0 0.3 0.4 children [
    SliderJoint { jointParameters JointParameters { axis 0.5 0.1 0.7 }
      device [ LinearMotor { name "b" } ]
      endPoint Solid { name "tip" translation 0.3 0 0.1 rotation 0 1 0 0.8 )" +
         physics(0.7, "0.02 0.05 0.01", "0.003 0.004 0.005, 0.0003 0.0002 -0.0001") + R"( } } ] )" +
         physics(1.3, "0.1 0.02 0.03", "0.02 0.03 0.04, 0.001 0.002 0.003") + R"( } }
BallJoint { jointParameters BallJointParameters { anchor -0.1 0 0.2 }
  endPoint Solid { name "ball" translation -0.2 0 0.2 )" +
         physics(0.4, "-0.1 0.03 0", "0.002 0.004 0.003, 0 0 0") + R"( } }
] })";
}

const std::string kHeld;
const std::string kFree = physics(2.5, "0.02 0.01 -0.03", "0.2 0.3 0.4, 0.01 0.02 0.03");

std::vector<double> rates(std::size_t n) {
  std::vector<double> v(n);
  for (std::size_t i = 0; i < n; ++i) {
    v[i] = (i % 2 == 0 ? 0.4 : -0.7) + 0.1 * static_cast<double>(i);
  }
  return v;
}

// Returns v·M·v/2.
double energy(const JointMatrix& m, const std::vector<double>& v) {
  double sum = 0.0;
  for (std::size_t i = 0; i < m.rows; ++i) {
    for (std::size_t j = 0; j < m.columns; ++j) {
      sum += 0.5 * v[i] * m(i, j) * v[j];
    }
  }
  return sum;
}

double potential(const Simulation& simulation) {
  double sum = 0.0;
  for (const RigidBody& body : WorldInspector(simulation).bodies()) {
    sum += 9.81 * body.mass.mass * (simulation.solid(body.owner()).pose() * body.mass.center).z;
  }
  return sum;
}

// Moves a robot by a small change of a coordinate.
void nudge(Simulation& simulation, const std::string& name, double by) {
  if (!name.starts_with("base")) {
    const Joint joint = simulation.joint(name);
    Joint(joint).set_state(joint.position() + by);
    return;
  }
  const double sign_axis = by;
  Pose pose = simulation.solid("r").pose();
  const Vec3 axis{name.ends_with("x") ? 1.0 : 0.0, name.ends_with("y") ? 1.0 : 0.0,
                  name.ends_with("z") ? 1.0 : 0.0};
  pose = name.starts_with("base turn") ? turn_about(pose.translation, axis, sign_axis) * pose
                                       : Pose{pose.rotation, pose.translation + sign_axis * axis};
  simulation.solid("r").set_pose(pose);
}

class JointSpaceTest : public testing::TestWithParam<bool> {
 protected:
  Simulation make() const {
    Simulation simulation =
        Simulation::from_text("#VRML_SIM R2023b utf8\n" + robot(GetParam() ? kFree : kHeld));
    simulation.joint("a").set_state(0.5);
    simulation.joint("b").set_state(0.04);
    return simulation;
  }
};

TEST_P(JointSpaceTest, NamesTheBaseAndTheJoints) {
  const std::vector<std::string> names = make().coordinates();
  const std::size_t base = GetParam() ? 6 : 0;
  ASSERT_EQ(names.size(), base + 5);
  if (GetParam()) {
    EXPECT_EQ(names[0], "base x");
    EXPECT_EQ(names[5], "base turn z");
  }
  EXPECT_EQ(names[base], "r/a");
  EXPECT_EQ(names[base + 1], "r/b");
}

// The bodies' own velocities, by the Jacobians of their centres, have the same energy. Armature is
// the only part without a body.
TEST_P(JointSpaceTest, HasTheEnergyOfTheBodies) {
  const Simulation simulation = make();
  const JointMatrix m = simulation.mass_matrix();
  const std::vector<double> v = rates(m.columns);
  const std::size_t hinge = GetParam() ? 6 : 0;
  double sum = 0.5 * 0.02 * v[hinge] * v[hinge];
  for (const RigidBody& body : WorldInspector(simulation).bodies()) {
    const Solid solid = simulation.solid(body.owner());
    const JointMatrix j = simulation.jacobian(solid, body.mass.center);
    Vec3 velocity;
    Vec3 spin;
    for (std::size_t i = 0; i < j.columns; ++i) {
      velocity = velocity + v[i] * Vec3{j(0, i), j(1, i), j(2, i)};
      spin = spin + v[i] * Vec3{j(3, i), j(4, i), j(5, i)};
    }
    const Vec3 own = transposed(solid.pose().rotation) * spin;
    sum += 0.5 * body.mass.mass * dot(velocity, velocity) + 0.5 * dot(own, body.mass.inertia * own);
  }
  EXPECT_NEAR(energy(m, v), sum, 1e-14 * sum);
  for (std::size_t i = 0; i < m.rows; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_EQ(m(i, j), m(j, i));
    }
  }
}

// The torques are the slopes of the potential energy, by central differences whose error is of the
// second order in the step.
TEST_P(JointSpaceTest, HoldsAgainstTheSlopeOfThePotentialEnergy) {
  const Simulation simulation = make();
  const std::vector<std::string> names = simulation.coordinates();
  const std::vector<double> torques = simulation.gravity_torques();
  constexpr double kStep = 1e-5;
  for (std::size_t i = 0; i < names.size(); ++i) {
    Simulation up = simulation.clone();
    Simulation down = simulation.clone();
    if (names[i].find("axis") != std::string::npos) {
      continue;  // a ball that does not move alone
    }
    nudge(up, names[i], kStep);
    nudge(down, names[i], -kStep);
    EXPECT_NEAR(torques[i], (potential(up) - potential(down)) / (2.0 * kStep), 1e-7) << names[i];
  }
}

TEST_P(JointSpaceTest, MovesPointsAsTheJointsDo) {
  const Simulation simulation = make();
  const std::vector<std::string> names = simulation.coordinates();
  const Vec3 point{0.1, -0.2, 0.3};
  const JointMatrix jacobian = simulation.jacobian(simulation.solid("tip"), point);
  constexpr double kStep = 1e-6;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].find("axis") != std::string::npos) {
      EXPECT_EQ(jacobian(0, i), 0.0);  // the ball does not carry the tip
      continue;
    }
    Simulation up = simulation.clone();
    Simulation down = simulation.clone();
    nudge(up, names[i], kStep);
    nudge(down, names[i], -kStep);
    const Vec3 slope =
        (0.5 / kStep) * (up.solid("tip").pose() * point - down.solid("tip").pose() * point);
    EXPECT_NEAR(jacobian(0, i), slope.x, 1e-8) << names[i];
    EXPECT_NEAR(jacobian(1, i), slope.y, 1e-8) << names[i];
    EXPECT_NEAR(jacobian(2, i), slope.z, 1e-8) << names[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Bases, JointSpaceTest, testing::Bool(),
                         [](const auto& base) { return base.param ? "Free" : "Held"; });

TEST(JointSpace, RefusesWhatBelongsToNoRobot) {
  const Simulation simulation =
      Simulation::from_text("#VRML_SIM R2023b utf8\nSolid { name \"table\" }");
  EXPECT_THROW(simulation.mass_matrix(), std::out_of_range);
  EXPECT_THROW(simulation.jacobian(simulation.solid("table")), std::invalid_argument);
}

}  // namespace
}  // namespace servosim::joint_space_test
