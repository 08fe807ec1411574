// SPDX-License-Identifier: Apache-2.0
// The forceTorqueSensor of a joint measures what the joint passes on, which must be what the bodies
// behind the joint need for their motion.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "physics/attachments.h"
#include "physics/bodies.h"
#include "physics/joints/joints.h"
#include "physics/ode_library.h"
#include "physics/physics_world.h"
#include "physics/rows/joint_rows.h"
#include "servosim/batch.h"
#include "servosim/body_sensor.h"
#include "servosim/joint.h"
#include "servosim/motor.h"
#include "servosim/robot.h"
#include "servosim/simulation.h"
#include "servosim/solid.h"
#include "sim/world_inspector.h"
#include "support/worlds.h"

namespace servosim::test {
namespace force_torque_sensor_test {

constexpr double kG = 9.81;

struct Scheme {
  const char* name;
  Solver solver;
  Integrator integrator;
  int evaluations;

  friend void PrintTo(const Scheme& s, std::ostream* out) { *out << s.name; }
};

class ForceTorqueSensor : public testing::TestWithParam<Scheme> {
 protected:
  static Simulation load(const std::string& text) {
    LoadOptions options;
    options.solver = GetParam().solver;
    options.integrator = GetParam().integrator;
    if (GetParam().integrator == Integrator::Joint) {
      options.evaluations = GetParam().evaluations;
    }
    options.notice = [](std::string_view) {};  // losses of energy by ODE
    Simulation simulation = Simulation::from_text(text, options);
    for (const Diagnostic& diagnostic : simulation.diagnostics()) {
      ADD_FAILURE() << to_string(diagnostic);
    }
    return simulation;
  }
};

INSTANTIATE_TEST_SUITE_P(
    Schemes, ForceTorqueSensor,
    testing::Values(Scheme{"Ode", Solver::Ode, Integrator::Ode, 0},
                    Scheme{"Tree", Solver::Tree, Integrator::Ode, 0},
                    Scheme{"JointOnce", Solver::Tree, Integrator::Joint, 1},
                    Scheme{"JointThrice", Solver::Tree, Integrator::Joint, 3},
                    Scheme{"JointSettled", Solver::Tree, Integrator::Joint, 0}),
    [](const testing::TestParamInfo<Scheme>& scheme) { return scheme.param.name; });

std::string world_of(double step_ms, const std::string& children) {
  return fmt::format(
      "#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep {} physicsDisableTime 0 }}\n"
      "Robot {{ name \"r\" children [ {} ] }}\n",
      step_ms, children);
}

// Returns a Solid of 2 kg whose centre of mass is at 0.3 0.1 0 from its origin.
std::string body(const std::string& name, const std::string& children = "",
                 const std::string& place = "") {
  return fmt::format(
      "Solid {{ name \"{}\" {} children [ {} ] physics Physics {{ density -1 mass 2 centerOfMass [ "
      "0.3 0.1 0 ] inertiaMatrix [ 0.02 0.03 0.04, 0.001 0.002 0.003 ] }} }}",
      name, place, children);
}

BodySensor& sampled(Simulation& simulation) {
  BodySensor& sensor = simulation.robot("r").body_sensor("ft");
  sensor.enable(1, 1000.0 * simulation.time());
  return sensor;
}

std::array<Vec3, 2> reading(const BodySensor& sensor) {
  const std::span<const double> v = sensor.values();
  EXPECT_EQ(v.size(), 6u);
  return {Vec3{v[0], v[1], v[2]}, Vec3{v[3], v[4], v[5]}};
}

void expect_near(const Vec3& a, const Vec3& b, double tolerance) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

// A motor holds an arm that was turned by a right angle about z: x of the endPoint is y of the
// world. The sensor reads the weight, as a TouchSensor of type force-3d does.
TEST_P(ForceTorqueSensor, ReadsTheWeightOfAnArmAtRest) {
  Simulation simulation = load(world_of(
      4.0, fmt::format("HingeJoint {{ #servosim forceTorqueSensor \"ft\"\n jointParameters "
                       "HingeJointParameters {{ axis 0 1 0 }} device RotationalMotor {{ name \"m\" "
                       "maxTorque 100 }} endPoint {} }}",
                       body("s", "", "rotation 0 0 1 1.5707963267948966"))));
  BodySensor& sensor = sampled(simulation);
  for (int n = 0; n < 500; ++n) {
    simulation.step();
  }
  const auto [force, torque] = reading(sensor);
  expect_near(force, {0.0, 0.0, -2.0 * kG}, 1e-4);
  // (0.3 0.1 0) × (0 0 −2 g)
  expect_near(torque, {-0.1 * 2.0 * kG, 0.3 * 2.0 * kG, 0.0}, 1e-4);
}

// What two bodies behind a joint have of momentum.
struct Momentum {
  Vec3 linear;
  Vec3 angular;  // about the origin of the world
  Vec3 weight;   // torque of gravity about it
};

Momentum momentum_of(const Simulation& simulation, const std::vector<const char*>& names) {
  const Bodies& bodies = WorldInspector(simulation).physics().bodies();
  Momentum sum;
  for (int b = 0; b < bodies.count(); ++b) {
    const Body& body = bodies[b];
    dMass mass;
    dBodyGetMass(body.id, &mass);
    const std::string name = WorldInspector(simulation).scene().solids[body.solid].name;
    if (std::none_of(names.begin(), names.end(), [&](const char* n) { return name == n; })) {
      continue;
    }
    const Vec3 p = to_vec3(body.position);
    const Vec3 v = to_vec3(body.velocity);
    const Vec3 w = to_vec3(body.spin);
    dVector3 own;
    dBodyVectorFromWorld(body.id, w.x, w.y, w.z, own);
    dVector3 spin;
    dMultiply0_331(spin, mass.I, own);
    dVector3 world;
    dBodyVectorToWorld(body.id, spin[0], spin[1], spin[2], world);
    sum.linear = sum.linear + mass.mass * v;
    sum.angular = sum.angular + cross(p, mass.mass * v) + to_vec3(world);
    sum.weight = sum.weight + cross(p, mass.mass * Vec3{0.0, 0.0, -kG});
  }
  return sum;
}

// What the only sensor measures, whose period is longer than these steps.
Wrench load_in(const Simulation& simulation) {
  const WorldInspector inspector(simulation);
  const int solid = inspector.scene().measured_solids.at(0);
  const TransmittedLoads& loads = inspector.physics().joints().loads();
  return inspector.scene().solids[solid].joint >= 0
             ? loads.of(solid)
             : loads.of_fixed(solid, inspector.physics().attachments().mounting_load(solid));
}

// Compares the load of the only measured joint with the change of momentum in each step, in the
// world's axes and about its origin.
void expect_balance(Simulation& simulation, int steps, double h, double tolerance) {
  const std::vector<const char*> behind{"s1", "s2"};
  constexpr double kMass = 4.0;
  double greatest = 0.0;
  for (int n = 0; n < steps && !testing::Test::HasFailure(); ++n) {
    const Momentum before = momentum_of(simulation, behind);
    const Pose at = simulation.solid("s1").pose();
    simulation.step();
    const Momentum after = momentum_of(simulation, behind);
    const Pose then = simulation.solid("s1").pose();
    const auto [force, torque] = load_in(simulation);
    // The pose in which the forces act is the one before the step, or in its middle.
    const Vec3 middle = 0.5 * (at.translation + then.translation);
    const Vec3 f = -(0.5 * (at.rotation * force + then.rotation * force));
    const Vec3 t = -(0.5 * (at.rotation * torque + then.rotation * torque)) + cross(middle, f);
    const Vec3 needed = (1.0 / h) * (after.linear - before.linear) + Vec3{0.0, 0.0, kMass * kG};
    const Vec3 turning =
        (1.0 / h) * (after.angular - before.angular) - 0.5 * (before.weight + after.weight);
    SCOPED_TRACE(fmt::format("step {}", n));
    const double largest = std::sqrt(std::max(dot(needed, needed), dot(turning, turning)));
    // At a stop the motion changes in one step, whose poses are then known less well.
    expect_near(f, needed, tolerance + 1e-3 * largest);
    expect_near(t, turning, tolerance + 1e-3 * largest);
    greatest = std::max(greatest, largest);
  }
  EXPECT_GT(greatest, 20.0) << "it must move";
}

std::string two_links(const std::string& first, const std::string& second) {
  return fmt::format(
      "HingeJoint {{ #servosim forceTorqueSensor \"ft\"\n jointParameters HingeJointParameters {{ "
      "axis 0 1 0 anchor 0.1 0 0 {} }} device RotationalMotor {{ name \"m1\" maxTorque 100 "
      "maxVelocity 100 }} endPoint {} }}",
      first,
      body("s1",
           fmt::format("HingeJoint {{ jointParameters HingeJointParameters {{ axis 1 0 1 anchor "
                       "0.5 0 0 {} }} device RotationalMotor {{ name \"m2\" maxTorque 100 "
                       "maxVelocity 100 }} endPoint {} }}",
                       second, body("s2", "", "translation 0.5 0 0")),
           "translation 0.1 0 0.05"));
}

// Everything that acts along the axis of the measured joint counts.
TEST_P(ForceTorqueSensor, BalancesTheMotionOfTheBodiesBehindIt) {
  constexpr double kStep = 0.25e-3;
  const struct {
    const char* first;
    const char* second;
    double force;
  } cases[] = {
      {"", "", 0.0},
      {"springConstant 20 dampingConstant 1", "springConstant 3", 0.0},
      {"#servosim armature 0.5\n", "", 5.0},
      {"minStop -0.1 maxStop 0.1", "", 0.0},
      {"", "#servosim armature 0.05\n dampingConstant 0.3", -4.0},
      {"#servosim backlash 0.2\n springConstant 10", "", 0.0},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.first);
    Simulation simulation = load(world_of(1000.0 * kStep, two_links(c.first, c.second)));
    Robot& robot = simulation.robot("r");
    robot.motor("m2").set_available_force(0.0);
    if (std::string_view(c.first).find("backlash") != std::string_view::npos) {
      robot.motor("m1").set_position(0.5);
    } else if (c.force != 0.0) {
      robot.motor("m1").set_force(c.force);
    } else {
      robot.motor("m1").set_available_force(0.0);
    }
    expect_balance(simulation, 2000, kStep, 0.2);
  }
}

// Sliders, balls and joints with two axes have their forces on other paths.
TEST_P(ForceTorqueSensor, MeasuresAtEveryKindOfJoint) {
  constexpr double kStep = 0.25e-3;
  const std::string inner = body("s2", "", "translation 0.5 0 0");
  const std::string hung = body(
      "s1",
      fmt::format("HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 anchor 0.5 0 0 "
                  "}} endPoint {} }}",
                  inner));
  const std::string kinds[] = {
      fmt::format("SliderJoint {{ #servosim forceTorqueSensor \"ft\"\n jointParameters "
                  "JointParameters {{ axis 1 0 1 springConstant 30 }} device LinearMotor {{ name "
                  "\"m\" maxForce 100 maxVelocity 100 }} endPoint {} }}",
                  hung),
      fmt::format("BallJoint {{ #servosim forceTorqueSensor \"ft\"\n jointParameters "
                  "BallJointParameters {{ anchor 0 0.1 0 springConstant 3 }} endPoint {} }}",
                  hung),
      fmt::format("Hinge2Joint {{ #servosim forceTorqueSensor \"ft\"\n jointParameters "
                  "HingeJointParameters {{ axis 0 1 0 springConstant 3 }} jointParameters2 "
                  "JointParameters {{ axis 1 0 0 dampingConstant 0.1 }} device RotationalMotor {{ "
                  "name \"m\" maxTorque 100 maxVelocity 100 }} endPoint {} }}",
                  hung)};
  for (const std::string& kind : kinds) {
    SCOPED_TRACE(kind.substr(0, 11));
    // A Hinge2Joint needs a parent with Physics; a fixed joint holds that.
    Simulation simulation = load(world_of(
        1000.0 * kStep,
        fmt::format("Solid {{ name \"base\" children [ {} ] physics Physics {{ density -1 mass 5 "
                    "centerOfMass [ 0 0 0 ] inertiaMatrix [ 1 1 1, 0 0 0 ] }} }}",
                    kind)));
    if (kind.find("\"m\"") != std::string::npos) {
      simulation.robot("r").motor("m").set_available_force(100.0);
      simulation.robot("r").motor("m").set_force(kind.starts_with("Slider") ? 40.0 : 15.0);
    }
    expect_balance(simulation, 1000, kStep, 0.2);
  }
}

// Where a Solid is fixed to the one above, that is in the middle of a leg.
TEST_P(ForceTorqueSensor, MeasuresWhereASolidIsFixed) {
  constexpr double kStep = 0.25e-3;
  Simulation simulation = load(world_of(
      1000.0 * kStep,
      fmt::format("HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 }} endPoint "
                  "Solid {{ name \"thigh\" children [ {} ] physics Physics {{ density -1 mass 1 "
                  "centerOfMass [ 0.1 0 0 ] inertiaMatrix [ 0.01 0.01 0.01, 0 0 0 ] }} }} }}",
                  body("s1",
                       fmt::format("HingeJoint {{ jointParameters HingeJointParameters {{ axis 1 0 "
                                   "1 anchor 0.5 0 0 }} endPoint {} }}",
                                   body("s2", "", "translation 0.5 0 0")),
                       "translation 0.2 0 0.1 rotation 0 0 1 0.5\n#servosim forceTorqueSensor "
                       "\"ft\"\n"))));
  expect_balance(simulation, 2000, kStep, 0.2);
}

// The reading belongs to the state of the last step.
TEST_P(ForceTorqueSensor, IsSavedAndChangesNoHash) {
  const auto world = [](const char* field) {
    std::string text = world_of(4.0, two_links("", ""));
    const std::string with = "#servosim forceTorqueSensor \"ft\"\n";
    return text.replace(text.find(with), with.size(), field);
  };
  Simulation plain = load(world(""));
  Simulation simulation = load(world("#servosim forceTorqueSensor \"ft\"\n"));
  BodySensor& sensor = sampled(simulation);
  for (int n = 0; n < 50; ++n) {
    plain.step();
    simulation.step();
  }
  EXPECT_EQ(plain.joint("r/m1").position(), simulation.joint("r/m1").position());
  const auto saved = simulation.save();
  const std::vector<double> then(sensor.values().begin(), sensor.values().end());
  for (int n = 0; n < 50; ++n) {
    simulation.step();
  }
  EXPECT_NE(sensor.values()[0], then[0]);
  simulation.restore(saved);
  EXPECT_EQ(std::vector<double>(sensor.values().begin(), sensor.values().end()), then);
}

// Trees of equal worlds are solved side by side; a sensor keeps a world from the lanes in joint
// coordinates.
TEST_P(ForceTorqueSensor, ReadsTheSameInABatch) {
  Simulation simulation = load(world_of(4.0, two_links("springConstant 20", "")));
  Batch batch(simulation, 8, {});
  EXPECT_EQ(batch.lanes().instances, 0u);
  batch.bind({}, {});
  for (int n = 0; n < 50; ++n) {
    simulation.step();
    ASSERT_TRUE(batch.step());
  }
  const auto expected = simulation.joint("r/m1").load();
  ASSERT_TRUE(expected);
  for (const std::size_t i : {std::size_t{0}, std::size_t{5}}) {
    batch.simulation(i, [&expected](Simulation& instance) {
      const auto found = instance.joint("r/m1").load();
      ASSERT_TRUE(found);
      EXPECT_EQ(found->force, expected->force);
      EXPECT_EQ(found->torque, expected->torque);
    });
  }
}

TEST(ForceTorqueSensorField, NeedsAnEndpointWithPhysicsAndARobot) {
  const auto messages = [](const std::string& text) {
    std::vector<std::string> all;
    Simulation simulation = Simulation::from_text(text);
    for (const Diagnostic& diagnostic : simulation.diagnostics()) {
      all.push_back(to_string(diagnostic));
    }
    return all;
  };
  const std::string joint =
      "HingeJoint { #servosim forceTorqueSensor \"ft\"\n endPoint Solid { name \"s\" ";
  const auto kinematic = messages(world_of(4.0, joint + "} }"));
  ASSERT_EQ(kinematic.size(), 1u);
  EXPECT_NE(kinematic[0].find("forceTorqueSensor \"ft\" is left out: it measures where a Solid "
                              "with Physics is carried"),
            std::string::npos)
      << kinematic[0];
  const auto ownerless =
      messages("#VRML_SIM R2025a utf8\nWorldInfo { }\nSolid { name \"b\" children [ " + joint +
               "physics Physics { density -1 mass 1 centerOfMass [ 0 0 0 ] inertiaMatrix [ 1 1 1, "
               "0 0 0 ] } } } ] }\n");
  ASSERT_EQ(ownerless.size(), 1u);
  EXPECT_NE(ownerless[0].find("it is in no Robot"), std::string::npos) << ownerless[0];
}

}  // namespace force_torque_sensor_test
}  // namespace servosim::test
