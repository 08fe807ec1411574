// SPDX-License-Identifier: Apache-2.0
// The integrator "joint" against closed forms of mechanics: docs/explanation/integrators.md has the
// table of these cases.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "analytic/joint_worlds.h"
#include "physics/physics_world.h"
#include "servosim/batch.h"
#include "servosim/joint.h"
#include "servosim/motor.h"
#include "servosim/robot.h"
#include "servosim/simulation.h"
#include "servosim/solid.h"
#include "sim/world_inspector.h"
#include "support/scenes.h"

namespace servosim::test {
namespace joint_integrator_test {

using namespace joint_worlds;

TEST(JointIntegrator, KeepsTheSpeedOfAFreeArm) {
  Simulation simulation = free_chain(1, 32.0, 0.0);
  Joint joint = simulation.joint("r/m1");
  joint.set_state(0.0, 10.0);
  simulation.step(static_cast<std::int64_t>(60.0 / 0.032));
  EXPECT_NEAR(joint.velocity(), 10.0, 1e-9);
  EXPECT_NEAR(joint.position(), 10.0 * simulation.time(), 1e-6);
}

TEST(JointIntegrator, TurnsAWheelByItsWholeWay) {
  Simulation simulation = load_joint_world(world_text(33.0, 0.0, chain(1)));
  Motor& motor = simulation.robot("r").motor("m1");
  motor.set_position(std::numeric_limits<double>::infinity());
  motor.set_velocity(40.0);
  simulation.step(10);
  const Joint joint = simulation.joint("r/m1");
  for (int n = 0; n < 300; ++n) {
    const double before = joint.position();
    simulation.step();
    ASSERT_NEAR(joint.position() - before, 1.32, 1e-12) << n;
  }
}

// The complete elliptic integral of the first kind, by the arithmetic-geometric mean.
double complete_elliptic(double k) {
  double a = 1.0;
  double b = std::sqrt(1.0 - k * k);
  while (std::abs(a - b) > 1e-15) {
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
  }
  return std::numbers::pi / (2.0 * a);
}

// A rod that hangs down along −z swings from 2 rad.
TEST(JointIntegrator, SwingsAPendulumInItsPeriodAndToItsHeight) {
  constexpr double kAmplitude = 2.0;
  const double omega =
      std::sqrt(kRodMass * 9.81 * 0.5 * kRod / (kRodInertia + kRodMass * 0.25 * kRod * kRod));
  const double period = 4.0 / omega * complete_elliptic(std::sin(0.5 * kAmplitude));
  double last_error = 0.0;
  for (const double step_ms : {32.0, 16.0, 8.0}) {
    Simulation simulation = free_chain(1, step_ms, 9.81);
    Joint joint = simulation.joint("r/m1");
    // The rod is horizontal at 0 and hangs at π/2.
    const auto from_rest = [&joint] { return joint.position() - 0.5 * std::numbers::pi; };
    joint.set_state(0.5 * std::numbers::pi + kAmplitude, 0.0);
    double highest = 0.0;
    double crossing = 0.0;
    int crossings = 0;
    while (simulation.time() < 20.0) {
      const double before = from_rest();
      const double time = simulation.time();
      simulation.step();
      if (before < 0.0 && from_rest() >= 0.0) {
        crossing = time - before / (from_rest() - before) * (simulation.time() - time);
        ++crossings;
      }
      if (simulation.time() > 18.0) {
        highest = std::max(highest, std::abs(from_rest()));
      }
    }
    // The greatest sample is below the top of the way by at most a half of a step.
    EXPECT_NEAR(highest, kAmplitude, 0.002 * kAmplitude) << step_ms;
    const double error = crossing / (crossings - 0.25) / period - 1.0;
    EXPECT_LT(std::abs(error), 0.01) << step_ms;
    if (last_error != 0.0) {
      EXPECT_NEAR(std::log2(last_error / error), 2.0, 0.2) << step_ms;  // of second order
    }
    last_error = error;
  }
}

// J·ω' = τ − d·ω
TEST(JointIntegrator, FollowsTheClosedFormOfATorqueWithADamper) {
  constexpr double kDamping = 0.025;
  constexpr double kTorque = 1.0;
  const double inertia = kRodInertia + kRodMass * 0.25 * kRod * kRod;
  const double rate = kDamping / inertia;
  const double last = kTorque / kDamping;  // 40 rad/s
  for (const double step_ms : {16.0, 32.0}) {
    Simulation simulation = load_joint_world(
        world_text(step_ms, 0.0, chain(1, fmt::format("dampingConstant {}", kDamping))));
    simulation.robot("r").motor("m1").set_force(kTorque);
    const Joint joint = simulation.joint("r/m1");
    double worst = 0.0;
    while (simulation.time() < 20.0) {
      simulation.step();
      const double decay = std::exp(-rate * simulation.time());
      worst = std::max(worst, std::abs(joint.velocity() - last * (1.0 - decay)) / last);
    }
    EXPECT_LT(worst, 1e-4) << step_ms;
  }
}

// A spring that the step resolves keeps its energy, and one that it does not comes to rest.
TEST(JointIntegrator, SwingsOnASpringOrComesToRest) {
  const double inertia = kRodInertia + kRodMass * 0.25 * kRod * kRod;
  for (const double y : {0.01, 0.1, 1e4}) {  // h²·k/J
    const double k = y * inertia / (0.016 * 0.016);
    Simulation simulation =
        load_joint_world(world_text(16.0, 0.0, chain(1, fmt::format("springConstant {}", k))));
    simulation.robot("r").motor("m1").set_available_force(0.0);
    Joint joint = simulation.joint("r/m1");
    joint.set_state(0.1, 0.0);
    const double start = 0.5 * k * 0.01;
    double least = start;
    double most = 0.0;
    for (int n = 0; n < 2000; ++n) {
      simulation.step();
      const double now = 0.5 * k * joint.position() * joint.position() +
                         0.5 * inertia * joint.velocity() * joint.velocity();
      least = std::min(least, now);
      most = std::max(most, now);
    }
    EXPECT_LT(most, start * (1.0 + 1e-9)) << y;
    if (y < 1.0) {
      EXPECT_GT(least, 0.9 * start) << y;
    } else {
      EXPECT_LT(least, 1e-9 * start) << y;
    }
  }
}

struct Fall {
  double last = 0.0;  // share of the depth
  double worst = 0.0;
  double mean_evaluations = 0.0;
};

Fall fall_of(int rods, double step_ms, int evaluations = 0) {
  Simulation simulation = free_chain(rods, step_ms, 9.81, evaluations);
  const double depth = depth_of(rods);
  const double start = energy(simulation);
  Fall fall;
  while (simulation.time() < 10.0 - 1e-6) {
    simulation.step();
    fall.last = (energy(simulation) - start) / depth;
    fall.worst = std::max(fall.worst, std::abs(fall.last));
  }
  fall.mean_evaluations = counts_of(simulation).joint.mean_evaluations();
  return fall;
}

TEST(JointIntegrator, KeepsTheEnergyOfFallingPendulums) {
  for (const int rods : {2, 3}) {
    const Fall fine = fall_of(rods, 8.0);
    const Fall coarse = fall_of(rods, 16.0);
    RecordProperty(fmt::format("rods_{}", rods),
                   fmt::format("8 ms: {} at the end, {} at most, {} evaluations; 16 ms: {}, {}, {}",
                               fine.last, fine.worst, fine.mean_evaluations, coarse.last,
                               coarse.worst, coarse.mean_evaluations));
    EXPECT_LT(std::abs(fine.last), 0.001) << rods;
    EXPECT_LT(fine.worst, 0.02) << rods;
    EXPECT_LT(std::abs(coarse.last), 0.01) << rods;
    EXPECT_LT(coarse.worst, 0.06) << rods;
  }
}

// A step that does not settle is divided, whatever its number of evaluations.
TEST(JointIntegrator, NeverEndsInNan) {
  for (const int evaluations : {0, 2, 3, 8}) {
    Simulation simulation = free_chain(3, 32.0, 9.81, evaluations);
    simulation.step(2000);
    EXPECT_TRUE(std::isfinite(energy(simulation))) << evaluations;
  }
}

constexpr const char* kFreeBody =
    "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 gravity 0 physicsDisableTime 0 }\n"
    "Solid { name \"b\" physics Physics { density -1 mass 1 centerOfMass [ 0 0 0 ] inertiaMatrix [ "
    "0.01 0.02 0.03, 0 0 0 ] } }\n";

// The turn about the middle axis is not stable: the body turns over again and again.
TEST(JointIntegrator, KeepsEnergyAndMomentumOfAFreeBody) {
  Simulation simulation = load_joint_world(kFreeBody);
  Solid solid = simulation.solid("b");
  solid.set_velocity({{1.0, 2.0, 3.0}, {0.001, 10.0, 0.002}});
  struct Kept {
    double energy;
    Vec3 momentum;
  };
  const auto kept = [&] {
    const Mat3 turn = solid.pose().rotation;
    const Vec3 spin = transposed(turn) * solid.velocity().angular;
    const Vec3 momentum{0.01 * spin.x, 0.02 * spin.y, 0.03 * spin.z};
    return Kept{0.5 * dot(spin, momentum), turn * momentum};
  };
  const Kept start = kept();
  double most_over = 1.0;
  while (simulation.time() < 60.0) {
    simulation.step();
    const Kept now = kept();
    ASSERT_NEAR(now.energy, start.energy, 1e-6 * start.energy) << simulation.time();
    ASSERT_LT(norm(now.momentum - start.momentum), 1e-6 * norm(start.momentum));
    most_over = std::min(most_over, solid.pose().rotation(1, 1));
  }
  EXPECT_LT(most_over, -0.9);
  EXPECT_NEAR(solid.pose().translation.x, simulation.time(), 1e-9);
}

// A motor turns a rod of a free tree back and forth: the momentum stays 0, and what it had.
TEST(JointIntegrator, KeepsTheMomentumOfAFreeTree) {
  Simulation simulation = load_joint_world(
      "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 16 gravity 0 physicsDisableTime 0 }\nRobot "
      "{ name \"r\" physics Physics { density -1 mass 1 centerOfMass [ 0 0 0 ] inertiaMatrix [ "
      "0.01 "
      "0.02 0.03, 0 0 0 ] } children [ " +
      chain(2) + " ] }\n");
  simulation.solid("r").set_velocity({{0.5, 0.0, 0.1}, {2.0, 1.0, 3.0}});
  simulation.joint(1).set_state(0.0, 5.0);
  const auto momentum = [&simulation] {
    std::array<Vec3, 2> sum;
    const Bodies& bodies = WorldInspector(simulation).physics().bodies();
    for (int b = 0; b < bodies.count(); ++b) {
      const MassProperties& mass = bodies.rigid_bodies()[b].mass;
      const Mat3 turn = pose_of(bodies[b]).rotation;
      const PointMotion motion = *bodies.motion(bodies[b].solid);
      const Vec3 linear = mass.mass * motion.velocity;
      sum[0] = sum[0] + linear;
      sum[1] = sum[1] + cross(pose_of(bodies[b]).translation, linear) +
               turn * (mass.inertia * (transposed(turn) * motion.spin));
    }
    return sum;
  };
  simulation.step();
  const auto start = momentum();
  for (int n = 0; n < 500; ++n) {
    simulation.robot("r").motor("m1").set_position(n % 100 < 50 ? 0.5 : -0.5);
    simulation.step();
  }
  EXPECT_LT(norm(momentum()[0] - start[0]), 1e-10 * norm(start[0]));
  EXPECT_LT(norm(momentum()[1] - start[1]), 1e-10 * norm(start[1]));
}

// A step of one evaluation is semi-implicit Euler: v⁺ = v + h·g, z⁺ = z + h·v⁺.
TEST(JointIntegrator, IsSemiImplicitEulerWithOneEvaluation) {
  const std::string text = world_text(
      8.0, 10.0,
      "SliderJoint { jointParameters JointParameters { axis 0 0 1 } endPoint Solid { physics "
      "Physics { density -1 mass 2 } boundingObject Box { size 0.1 0.1 0.1 } } }");
  Simulation euler = load_joint_world(text, 1);
  Simulation midpoint = load_joint_world(text);
  euler.step(100);
  midpoint.step(100);
  EXPECT_NEAR(euler.joint(0).position(), -10.0 * 0.008 * 0.008 * 5050.0, 1e-12);
  EXPECT_NEAR(midpoint.joint(0).position(), -0.5 * 10.0 * 0.8 * 0.8, 1e-12);
  EXPECT_EQ(counts_of(euler).joint.evaluations, 100u);
}

// The motor that holds a rod measures its weight, and a stop bears what the motor does not.
TEST(JointIntegrator, MeasuresEfforts) {
  const double weight = kRodMass * 9.81 * 0.5 * kRod;
  Simulation held = load_joint_world(world_text(16.0, 9.81, chain(1)));
  held.robot("r").motor("m1").set_position(0.0);
  held.step(100);
  EXPECT_NEAR(held.joint(0).effort(), -weight, 1e-9);
  EXPECT_NEAR(held.joint(0).position(), 0.0, 1e-4);
  Simulation stopped =
      load_joint_world(world_text(16.0, 9.81, chain(1, "minStop -0.1 maxStop 0.1")));
  stopped.robot("r").motor("m1").set_available_force(0.0);
  stopped.step(500);
  EXPECT_NEAR(stopped.joint(0).effort(), -weight * std::cos(0.1), 0.01 * weight);
  EXPECT_NEAR(stopped.joint(0).position(), 0.1, 0.01);
  EXPECT_NEAR(stopped.joint(0).velocity(), 0.0, 1e-6);
}

// A motor that is too weak slips at its torque.
TEST(JointIntegrator, LimitsTheTorqueOfAMotor) {
  const double inertia = kRodInertia + kRodMass * 0.25 * kRod * kRod;
  Simulation simulation = load_joint_world(world_text(16.0, 0.0, chain(2)));
  Motor& motor = simulation.robot("r").motor("m1");
  simulation.robot("r").motor("m2").set_position(0.0);
  motor.set_position(std::numeric_limits<double>::infinity());
  motor.set_velocity(50.0);
  motor.set_available_force(0.1);
  simulation.step(50);
  const double of_both = inertia + kRodInertia + kRodMass * 2.25 * kRod * kRod;
  EXPECT_NEAR(simulation.joint(0).velocity(), 0.1 / of_both * simulation.time(), 1e-3);
  EXPECT_NEAR(simulation.joint(0).effort(), 0.1, 1e-12);
}

// All that a step depends on is saved; the hash has it, too.
TEST(JointIntegrator, GoesOnBitForBitFromASavedState) {
  Simulation simulation = free_chain(3, 8.0, 9.81);
  simulation.step(200);
  expect_goes_on(simulation, 300);
}

TEST(JointIntegrator, HasTheSameBitsInABatch) {
  const std::string text = world_text(8.0, 9.81, chain(3));
  std::vector<std::uint64_t> hashes;
  for (const std::size_t threads : {std::size_t{1}, std::size_t{2}}) {
    BatchOptions options;
    options.threads = threads;
    const Simulation origin = Simulation::from_text(text, joint_options());
    Batch batch(origin, 5, options);
    for (int n = 0; n < 100; ++n) {
      batch.step();
    }
    for (std::size_t i = 0; i < 5; ++i) {
      hashes.push_back(batch.simulation(i).state_hash());
    }
  }
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(hashes[i], hashes[5 + i]);
  }
}

// Nothing moves, so there is no energy to balance.
TEST(JointIntegrator, StaysAtRestWithoutForces) {
  for (const char* const joint :
       {"HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 }",
        "SliderJoint { jointParameters JointParameters { axis 1 0 0 }"}) {
    Simulation simulation = load_joint_world(
        world_text(8.0, 9.81,
                   fmt::format("{} device PositionSensor {{ name \"p\" }} endPoint Solid {{ "
                               "translation 0.4 0 0 physics Physics {{ density -1 mass 1 "
                               "centerOfMass [ 0 0 0 ] inertiaMatrix [ 0.01 0.01 0.01, 0 0 0 "
                               "] }} }} }}",
                               joint)));
    simulation.step(10);
    EXPECT_EQ(simulation.joint(0).position(), 0.0) << joint;
    EXPECT_EQ(simulation.joint(0).velocity(), 0.0) << joint;
    EXPECT_EQ(counts_of(simulation).joint.divided, 0u) << joint;
  }
}

// A rod, the root of the tree, turns about a heavy base on the floor.
TEST(JointIntegrator, LeavesABaseInItsPlace) {
  Simulation simulation = load_joint_world(
      "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 physicsDisableTime 0 }\nSolid { "
      "boundingObject Plane { size 9 9 } }\nRobot { name \"rod\" translation 0.5 0 0.2 "
      "angularVelocity 0 0 10 linearVelocity 0 5 0 physics Physics { density -1 mass 0.1 "
      "centerOfMass [ 0 0 0 ] inertiaMatrix [ 0.01 0.01 0.01, 0 0 0 ] } children [ HingeJoint { "
      "jointParameters HingeJointParameters { axis 0 0 1 anchor -0.5 0 0 } endPoint Solid { name "
      "\"base\" translation -0.5 0 -0.1 boundingObject Box { size 0.4 0.4 0.2 } physics Physics { "
      "density -1 mass 50 } } } ] }\n");
  simulation.step(200);
  const Vec3 base = simulation.solid("base").pose().translation;
  EXPECT_LT(std::hypot(base.x, base.y), 1e-3);
  EXPECT_NEAR(simulation.solid("rod").velocity().angular.z, 10.0, 0.05);
  EXPECT_GE(counts_of(simulation).joint.islands, 199u);
}

// Friction stops the wheel in one step, in which it moves by the mean of 250 rad/s and 0.
// It creeps by the softness of the row.
TEST(JointIntegrator, CountsTheTurnsOfAStep) {
  Simulation simulation = load_joint_world(world_text(
      32.0, 0.0,
      "HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 staticFriction 1000 } device "
      "PositionSensor { name \"p\" } endPoint Solid { angularVelocity 0 0 250 physics Physics { "
      "density -1 mass 1 centerOfMass [ 0 0 0 ] inertiaMatrix [ 0.01 0.01 0.01, 0 0 0 ] } } }"));
  simulation.step();
  EXPECT_NEAR(simulation.joint(0).velocity(), 0.0, 1e-3);
  EXPECT_NEAR(simulation.joint(0).position(), 4.0, 1e-4);
  simulation.step(10);
  EXPECT_NEAR(simulation.joint(0).position(), 4.0, 1e-4);
}

// Ten turns in two steps.
TEST(JointIntegrator, TurnsFastBodiesByTheirWholeWay) {
  Simulation simulation = load_joint_world(
      "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 32 gravity 0 physicsDisableTime 0 }\nSolid "
      "{ name \"b\" angularVelocity 0 0 1000 physics Physics { density -1 mass 1 centerOfMass [ 0 "
      "0 "
      "0 ] inertiaMatrix [ 0.01 0.02 0.03, 0 0 0 ] } }\n");
  for (int n = 1; n <= 50; ++n) {
    simulation.step();
    const Mat3 turn = simulation.solid("b").pose().rotation;
    ASSERT_NEAR(turn.m[0], std::cos(32.0 * n), 1e-9) << n;
    ASSERT_NEAR(turn.m[3], std::sin(32.0 * n), 1e-9) << n;
  }
  EXPECT_EQ(counts_of(simulation).joint.divided, 0u);
}

// With two evaluations it matters where the iteration starts.
TEST(JointIntegrator, StartsAnewFromASetState) {
  const auto put = [](Simulation& simulation) {
    simulation.joint(0).set_state(0.3, 2.0);
    simulation.joint(1).set_state(-0.2, 1.0);
    simulation.step(3);
  };
  Simulation fresh = free_chain(2, 16.0, 9.81, 2);
  Simulation used = free_chain(2, 16.0, 9.81, 2);
  used.step(50);
  put(fresh);
  put(used);
  for (int j = 0; j < 2; ++j) {
    EXPECT_NEAR(used.joint(j).position(), fresh.joint(j).position(), 1e-13) << j;
    EXPECT_NEAR(used.joint(j).velocity(), fresh.joint(j).velocity(), 1e-12) << j;
  }
}

// A free body loses the same share of its velocity as with the other integrator.
TEST(JointIntegrator, DampsAsTheWorldSays) {
  const auto motion = [](Integrator integrator, double linear, double angular) {
    LoadOptions options;
    options.integrator = integrator;
    options.notice = [](std::string_view message) { ADD_FAILURE() << message; };
    Simulation simulation = Simulation::from_text(
        fmt::format("#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep 32 gravity 0 "
                    "physicsDisableTime 0 defaultDamping Damping {{ linear {} angular {} }} }}\n"
                    "Solid {{ name \"b\" linearVelocity 3 0 0 angularVelocity 0 0 2 physics "
                    "Physics {{ density -1 mass 1 centerOfMass [ 0 0 0 ] inertiaMatrix [ 0.01 0.02 "
                    "0.03, 0 0 0 ] }} }}\n",
                    linear, angular),
        options);
    simulation.step(10);
    return simulation.solid("b").velocity();
  };
  for (const double damping : {0.2, 0.9, 0.999, 1.0}) {
    const SolidVelocity joint = motion(Integrator::Joint, damping, 0.5 * damping);
    const SolidVelocity ode = motion(Integrator::Ode, damping, 0.5 * damping);
    EXPECT_NEAR(joint.linear.x, ode.linear.x, 1e-9) << damping;
    EXPECT_NEAR(joint.angular.z, ode.angular.z, 1e-9) << damping;
  }
}

// Damping of 1 takes the whole velocity of a pendulum, which falls no faster than with it.
TEST(JointIntegrator, HoldsAPendulumByDamping) {
  for (const double angular : {0.5, 1.0}) {
    Simulation simulation = load_joint_world(fmt::format(
        "#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep 8 physicsDisableTime 0 defaultDamping "
        "Damping {{ linear 1 angular {} }} }}\nRobot {{ name \"r\" children [ HingeJoint {{ "
        "jointParameters HingeJointParameters {{ axis 0 1 0 }} endPoint Solid {{ translation 0.3 0 "
        "-0.4 physics Physics {{ density -1 mass 1 centerOfMass [ 0 0 0 ] inertiaMatrix [ 0.01 "
        "0.01 0.01, 0 0 0 ] }} }} }} ] }}\n",
        angular));
    simulation.step(100);
    EXPECT_TRUE(std::isfinite(simulation.joint(0).position())) << angular;
    EXPECT_LT(std::abs(simulation.joint(0).velocity()), 0.2) << angular;
    EXPECT_EQ(counts_of(simulation).joint.islands, 100u) << angular;
  }
}

// Two rods on a line, the second of which gets a velocity v along z and a spin ω about y, turn by w
// and w' with
//
//     1/3·w + 1/8·w' = −v/2,    1/8·w + 1/12·w' = −v/4 + ω/48
//
// The motion that is the nearest by kinetic energy has the momenta of what was set.
TEST(JointIntegrator, BeginsWithTheNearestMotion) {
  struct Case {
    SolidVelocity velocity;
    double first;
    double second;
  };
  for (const Case& c : {Case{{{0.0, 0.0, 1.0}, {}}, -6.0 / 7.0, -6.0 / 7.0},
                        Case{{{0.5, 1.0, -2.0}, {3.0, -4.0, 1.0}}, 18.0 / 7.0, -10.0 / 7.0}}) {
    Simulation simulation = free_chain(2, 0.1, 0.0);
    simulation.solid("s2").set_velocity(c.velocity);
    simulation.step();
    EXPECT_NEAR(simulation.joint(0).velocity(), c.first, 1e-5);
    EXPECT_NEAR(simulation.joint(1).velocity(), c.second, 1e-5);
  }
}

// The velocity of a link that a user sets is projected on the joints.
TEST(JointIntegrator, ProjectsAVelocityOnTheJoints) {
  Simulation simulation = free_chain(2, 8.0, 0.0);
  simulation.solid("s2").set_velocity({{0.0, 0.0, 5.0}, {3.0, -4.0, 0.0}});
  simulation.step();
  EXPECT_NEAR(simulation.joint(1).velocity(), -52.0 / 7.0, 0.1);
  const auto& bodies = WorldInspector(simulation).physics().bodies();
  const double apart = bodies[1].position[0] - bodies[0].position[0];
  EXPECT_NEAR(apart,
              0.25 * (std::cos(simulation.joint(0).position())) +
                  0.25 * std::cos(simulation.joint(0).position() + simulation.joint(1).position()),
              1e-12);
  EXPECT_EQ(bodies[1].position[1], 0.0);
}

TEST(JointIntegrator, IsChosenByTheWorld) {
  Simulation simulation = Simulation::from_text(
      "#VRML_SIM R2025a utf8\nWorldInfo {\n #servosim integrator \"joint\"\n #servosim evaluations "
      "3\n basicTimeStep 8 }\nRobot { name \"r\" children [ " +
      chain(1) + " ] }\n");
  simulation.step(10);
  EXPECT_EQ(counts_of(simulation).joint.islands, 10u);
  EXPECT_EQ(counts_of(simulation).joint.evaluations, 30u);
  LoadOptions options;
  options.integrator = Integrator::Ode;
  Simulation ode = Simulation::from_text(
      "#VRML_SIM R2025a utf8\nWorldInfo { integrator \"joint\" }\nRobot { name \"r\" children [ " +
          chain(1) + " ] }\n",
      options);
  ode.step(10);
  EXPECT_EQ(counts_of(ode).joint.islands, 0u);
  EXPECT_EQ(counts_of(ode).tree, 10u);
}

TEST(JointIntegrator, HasTheGyroscopicTorqueOnce) {
  const LoadedScene loaded = load_scene(kFreeBody);
  std::vector<Vec3> spins;
  for (const bool is_explicit : {false, true}) {
    PhysicsOptions options;
    options.explicit_gyroscopic = is_explicit;
    options.integrator = Integrator::Joint;
    Diagnostics diagnostics;
    PhysicsWorld world(loaded.scene, diagnostics, options);
    world.bodies().set_motion(world.bodies()[0].solid, {{}, {3.0, 10.0, -2.0}});
    for (int n = 0; n < 20; ++n) {
      world.step();
    }
    spins.push_back(world.bodies().motion(world.bodies()[0].solid)->spin);
  }
  EXPECT_GT(norm(spins[0] - Vec3{3.0, 10.0, -2.0}), 0.1);
  EXPECT_EQ(norm(spins[1] - spins[0]), 0.0);
}

// A sled on the floor, with contacts in each step. Its motor throws a mass.
constexpr const char* kSled =
    "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 contactProperties [ ContactProperties { "
    "coulombFriction [ 0.5 ] bounce 0 } ] }\nSolid { boundingObject Plane { size 9 9 } }\nRobot "
    "{ "
    "name \"r\" translation 0 0 0.05 boundingObject Box { size 0.4 0.2 0.1 } physics Physics { "
    "density -1 mass 2 } children [ SliderJoint { jointParameters JointParameters { axis 1 0 0 } "
    "device LinearMotor { name \"m\" maxForce 100 } endPoint Solid { translation 0 0 0.1 physics "
    "Physics { density -1 mass 1 centerOfMass [ 0 0 0 ] inertiaMatrix [ 0.01 0.01 0.01, 0 0 0 ] "
    "} "
    "} } ] }\n";

TEST(JointIntegrator, MovesWhatTouchesTheFloor) {
  Simulation simulation = load_joint_world(kSled);
  simulation.step(50);
  const double start = simulation.solid("r").pose().translation.x;
  EXPECT_NEAR(simulation.solid("r").pose().translation.z, 0.05, 1e-3);
  // The mass is thrown back by 40 N: 25.3 N beyond the friction of 0.5·3·9.81 N move the sled.
  simulation.robot("r").motor("m").set_force(-40.0);
  simulation.step(25);
  const double way = simulation.solid("r").pose().translation.x - start;
  EXPECT_NEAR(way, 0.5 * (40.0 - 0.5 * 3.0 * 9.81) / 2.0 * 0.2 * 0.2, 0.01);
  EXPECT_NEAR(simulation.joint(0).velocity(), -40.0 * 0.2 - (40.0 - 14.715) / 2.0 * 0.2, 0.1);
  EXPECT_GE(counts_of(simulation).joint.islands, 75u);
}

TEST(JointIntegrator, GoesOnBitForBitInContact) {
  Simulation simulation = load_joint_world(kSled);
  simulation.robot("r").motor("m").set_force(-40.0);
  simulation.step(20);
  expect_goes_on(simulation, 100);
}

}  // namespace joint_integrator_test
}  // namespace servosim::test
