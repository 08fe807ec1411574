// SPDX-License-Identifier: Apache-2.0
// What the length of a step costs with the integrator "ode": the measure against closed forms and
// against the energy of the whole world, and worlds that lose energy for other reasons.
#include "physics/step_losses.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "physics/physics_world.h"
#include "scene/scene.h"
#include "servosim/joint.h"
#include "servosim/motor.h"
#include "servosim/robot.h"
#include "servosim/simulation.h"
#include "servosim/solid.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"

namespace servosim::test {
namespace step_losses_test {

constexpr double kArm = 0.5;       // [m]
constexpr double kMass = 2.0;      // [kg]
constexpr double kInertia = 0.01;  // about the centre of mass [kg·m²]
constexpr double kErp = 0.2;       // that of a world without a value

// What the summary of a run would tell, and what would be a warning.
struct Said {
  std::vector<std::string> remarks;
  std::vector<std::string> warnings;

  LoadOptions options() {
    LoadOptions options;
    options.notice = [this](std::string_view text) { warnings.emplace_back(text); };
    options.remark = [this](std::string_view text) { remarks.emplace_back(text); };
    return options;
  }
};

std::string world_text(double step_ms, const std::string& children, double gravity = 0.0) {
  return fmt::format(
      "#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep {} gravity {} physicsDisableTime 0 }}\n"
      "Robot {{ name \"arm\" children [ {} ] }}\n",
      step_ms, gravity, children);
}

// Returns arms in a row, each on a hinge about y whose motor has no torque.
std::string arms(int count, const std::string& parameters = "", const std::string& end = "",
                 int number = 1) {
  if (count == 0) {
    return end;
  }
  return fmt::format(
      "HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 {} {} }} device "
      "RotationalMotor {{ name \"m{}\" maxTorque 50 maxVelocity 1000 }} endPoint Solid {{ name "
      "\"s{}\" translation {} 0 0 children [ {} ] physics Physics {{ density -1 mass {} "
      "centerOfMass [ 0 0 0 ] inertiaMatrix [ {} {} {}, 0 0 0 ] }} }} }}",
      number == 1 ? "" : "anchor 0.1 0 0", parameters, number, number,
      number == 1 ? kArm : 0.1 + kArm, arms(count - 1, parameters, end, number + 1), kMass,
      kInertia, kInertia, kInertia);
}

// Loads arms whose motors are released, the first one turning [rad/s].
Simulation turning(Said& said, double step_ms, double speed, const std::string& parameters = "",
                   const std::string& end = "") {
  Simulation simulation =
      Simulation::from_text(world_text(step_ms, arms(1, parameters, end)), said.options());
  simulation.robot("arm").motor("m1").set_available_force(0.0);
  simulation.joint("arm/m1").set_state(0.0, speed);
  return simulation;
}

// Returns the number before the sign of per cent, as a share.
double share_in(const std::string& text) {
  const std::size_t end = text.find(" %");
  return std::stod(text.substr(text.rfind(' ', end - 1))) / 100.0;
}

// Returns the kinetic energy of all bodies [J].
double kinetic_energy(const Simulation& simulation) {
  double sum = 0.0;
  for (const Body& body : WorldInspector(simulation).physics().bodies()) {
    const double* const v = body.velocity;
    const double* const w = body.spin;
    sum += 0.5 * kMass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) +
           0.5 * kInertia * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  }
  return sum;
}

// Measures a simulation from outside, with steps that count from now on.
class Measured {
 public:
  explicit Measured(Simulation& simulation)
      : simulation_(simulation),
        physics_(WorldInspector(simulation).physics()),
        losses_(WorldInspector(simulation).scene(), physics_.bodies(), physics_.joints(),
                1e-3 * simulation.basic_time_step_ms(), nullptr) {
    losses_.look(revision_);
  }
  void step() {
    simulation_.step();
    physics_.joints();  // brings the forces up to date
    losses_.look(++revision_);
  }
  double work() const { return losses_.work(); }

 private:
  Simulation& simulation_;
  const PhysicsWorld& physics_;
  StepLosses losses_;
  std::uint64_t revision_ = 1;
};

// The terms of higher order take 7 % at ω·h = 0.058, by the recurrence of the scheme.
TEST(StepLosses, AreThoseOfTheClosedFormForASmallAngle) {
  Said said;
  Simulation simulation = turning(said, 2.0, 30.0);
  simulation.step(100);
  const double turn = 0.002 * simulation.joint("arm/m1").velocity();
  Measured measured(simulation);
  double sum = 0.0;
  for (int i = 1; i < StepLosses::kWindow; ++i) {
    sum += kinetic_energy(simulation);
    measured.step();
  }
  const double beta = kMass * kArm * kArm / (kInertia + kMass * kArm * kArm);
  const double closed = beta * std::pow(turn, 4.0) * (1.0 - 0.5 * kErp) / (kErp * kErp);
  EXPECT_NEAR(-measured.work() / sum, closed, 0.1 * closed);
  EXPECT_EQ(said.remarks.size(), 1u) << "24 % per second";
}

// The notice has two digits.
TEST(StepLosses, AreThoseOfTheEnergyOfAFastArm) {
  Said said;
  Simulation simulation = turning(said, 32.0, 10.0);
  simulation.step();
  const double first = kinetic_energy(simulation);
  double sum = 0.0;
  for (int i = 0; i < StepLosses::kWindow; ++i) {
    EXPECT_TRUE(said.remarks.empty());
    sum += kinetic_energy(simulation);
    simulation.step();
  }
  ASSERT_EQ(said.remarks.size(), 1u);
  const double lost = (first - kinetic_energy(simulation)) / sum;
  EXPECT_NEAR(share_in(said.remarks[0]), lost, 0.05 * lost) << said.remarks[0];
  simulation.step(13);
  EXPECT_NEAR(simulation.joint("arm/m1").velocity(), 5.0, 0.1) << "after 2 s";
}

// An arm with a slider across its end, which carries the second body.
std::string arm_with_slider() {
  return arms(
      1, "",
      fmt::format("SliderJoint {{ jointParameters JointParameters {{ axis 0.6 0 0.8 }} device "
                  "LinearMotor {{ name \"m2\" maxForce 50 maxVelocity 1000 }} endPoint Solid {{ "
                  "name \"s2\" translation 0.3 0 0 physics Physics {{ density -1 mass {} "
                  "centerOfMass [ 0 0 0 ] inertiaMatrix [ {} {} {}, 0 0 0 ] }} }} }}",
                  kMass, kInertia, kInertia, kInertia));
}

struct Chain {
  const char* name;
  std::string children;
  friend void PrintTo(const Chain& chain, std::ostream* out) { *out << chain.name; }
};

class Falling : public testing::TestWithParam<Chain> {};

// With E, the energy, f, the weight of the bodies, and v, their velocities, E + h·f·v/2 changes by
// the work of the rows of the joints alone, since nothing else acts on the chain. The tolerance is
// the rounding of some 100 J over some 50 steps.
TEST_P(Falling, LosesWhatTheJointsLose) {
  Said said;
  const double h = 0.016;
  Simulation simulation =
      Simulation::from_text(world_text(1e3 * h, GetParam().children, 9.81), said.options());
  for (const char* motor : {"m1", "m2"}) {
    simulation.robot("arm").motor(motor).set_available_force(0.0);
  }
  const auto energy = [&simulation, h] {
    double sum = kinetic_energy(simulation);
    for (const Body& body : WorldInspector(simulation).physics().bodies()) {
      sum += kMass * 9.81 * (body.position[2] - 0.5 * h * body.velocity[2]);
    }
    return sum;
  };
  simulation.step(10);
  Measured measured(simulation);
  const double first = energy();
  for (int i = 1; i < StepLosses::kWindow; ++i) {
    measured.step();
    EXPECT_NEAR(measured.work(), energy() - first, 1e-9);
  }
  EXPECT_LT(measured.work(), -0.1) << "it loses much";
}

INSTANTIATE_TEST_SUITE_P(Each, Falling,
                         testing::Values(Chain{"DoublePendulum", arms(2)},
                                         Chain{"ArmWithSlider", arm_with_slider()}),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(StepLosses, AreToldOnceAndAreNoWarning) {
  Said said;
  Simulation simulation = turning(said, 32.0, 10.0);
  const SimulationState start = simulation.save();
  simulation.step(100);
  ASSERT_EQ(said.remarks.size(), 1u);
  EXPECT_EQ(said.remarks[0].substr(0, 20), "joint \"arm/m1\" lost ");
  EXPECT_NE(said.remarks[0].find(" % of its energy per step to the step of 32 ms: --integrator "
                                 "joint, or a step of 4 ms"),
            std::string::npos)
      << said.remarks[0];
  Simulation twin = simulation.clone();
  for (Simulation* each : {&simulation, &twin}) {
    each->restore(start);
    each->step(200);
  }
  simulation.reset();
  simulation.joint("arm/m1").set_state(0.0, 10.0);
  simulation.step(200);
  EXPECT_EQ(said.remarks.size(), 1u);
  EXPECT_TRUE(said.warnings.empty()) << said.warnings[0];
}

TEST(StepLosses, AreToldByAClone) {
  Said said;
  Simulation simulation = turning(said, 32.0, 10.0);
  simulation.step(20);
  simulation.clone().step(200);
  EXPECT_EQ(said.remarks.size(), 1u);
}

TEST(StepLosses, GoToTheNoticesWithoutAPlaceOfTheirOwn) {
  Said said;
  LoadOptions options = said.options();
  options.remark = nullptr;
  Simulation simulation = Simulation::from_text(world_text(32.0, arms(1)), options);
  simulation.robot("arm").motor("m1").set_available_force(0.0);
  simulation.joint("arm/m1").set_state(0.0, 10.0);
  simulation.step(100);
  EXPECT_EQ(said.warnings.size(), 1u);
}

// 2·atan(0.66) is 1.168 rad instead of 1.32 rad: 11.5 % less. The share falls with h², so that
// 0.1 % is left at 3.08 ms.
TEST(StepLosses, AreOfTheWayOfAFastWheel) {
  Said said;
  Simulation simulation = Simulation::from_text(
      world_text(33.0,
                 "HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 } device "
                 "RotationalMotor { name \"wheel\" maxTorque 100 maxVelocity 100 } endPoint Solid "
                 "{ physics Physics { density -1 mass 2 centerOfMass [ 0 0 0 ] inertiaMatrix [ "
                 "0.01 0.02 0.01, 0 0 0 ] } } }"),
      said.options());
  Motor& motor = simulation.robot("arm").motor("wheel");
  motor.set_position(std::numeric_limits<double>::infinity());
  motor.set_velocity(40.0);
  simulation.step(100);
  ASSERT_EQ(said.remarks.size(), 1u);
  EXPECT_EQ(said.remarks[0],
            "joint \"arm/wheel\" lost 12 % of its way per step to the step of 33 ms: --integrator "
            "joint, or a step of 3 ms");
}

TEST(StepLosses, DoNotExistInJointCoordinates) {
  Said said;
  LoadOptions options = said.options();
  options.integrator = Integrator::Joint;
  Simulation simulation = Simulation::from_text(world_text(32.0, arms(1)), options);
  simulation.robot("arm").motor("m1").set_available_force(0.0);
  simulation.joint("arm/m1").set_state(0.0, 10.0);
  simulation.step(200);
  EXPECT_TRUE(said.remarks.empty()) << said.remarks[0];
}

// What cannot be chosen is not suggested.
TEST(StepLosses, SuggestAShorterStepAloneWithTheSolverOfOde) {
  Said said;
  LoadOptions options = said.options();
  options.solver = Solver::Ode;
  Simulation simulation = Simulation::from_text(world_text(32.0, arms(1)), options);
  simulation.robot("arm").motor("m1").set_available_force(0.0);
  simulation.joint("arm/m1").set_state(0.0, 10.0);
  simulation.step(100);
  ASSERT_EQ(said.remarks.size(), 1u);
  EXPECT_NE(said.remarks[0].find("to the step of 32 ms: a step of 4 ms"), std::string::npos)
      << said.remarks[0];
}

// Arms that turn by 0.056 rad per step, so that they are looked at, and slow down for reasons of
// their own. The step takes 5 % of their energy per second.
struct Reason {
  const char* name;
  const char* parameters = "";
  bool brakes = false;  // the motor does
  friend void PrintTo(const Reason& reason, std::ostream* out) { *out << reason.name; }
};

class OtherReasons : public testing::TestWithParam<Reason> {};

TEST_P(OtherReasons, AreNotLossesToTheStep) {
  const Reason& reason = GetParam();
  Said said;
  Simulation simulation =
      Simulation::from_text(world_text(4.0, arms(1, reason.parameters)), said.options());
  Motor& motor = simulation.robot("arm").motor("m1");
  motor.set_available_force(reason.brakes ? 5.0 : 0.0);
  if (reason.brakes) {
    motor.set_position(std::numeric_limits<double>::infinity());
    motor.set_velocity(0.0);
  }
  const Joint joint = simulation.joint("arm/m1");
  simulation.joint("arm/m1").set_state(0.0, 14.0);
  simulation.step(1000);
  EXPECT_LT(std::abs(joint.velocity()), 12.0) << "it has slowed down";
  EXPECT_TRUE(said.remarks.empty()) << said.remarks[0];
}

INSTANTIATE_TEST_SUITE_P(
    Each, OtherReasons,
    testing::Values(Reason{"Damper", "dampingConstant 0.2"},
                    Reason{"Friction", "staticFriction 0.5"}, Reason{"MotorThatBrakes", "", true},
                    Reason{"Stop", "minStop -1 maxStop 3"},
                    Reason{"SpringWithDamper", "springConstant 3 dampingConstant 0.3"},
                    Reason{"SlowSpring", "springConstant 20 dampingConstant 0.05"}),
    [](const auto& tested) { return std::string(tested.param.name); });

// Free links of a robot that lands on the floor and stays there.
TEST(StepLosses, AreNotThoseOfBlows) {
  Said said;
  Simulation simulation = Simulation::from_text(
      "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 4 }\n"
      "Solid { boundingObject Plane { size 20 20 } }\n"
      "Robot { name \"arm\" translation 0 0 1 rotation 1 0 0 0.7 children [ HingeJoint { "
      "jointParameters HingeJointParameters { axis 0 1 0 anchor 0.2 0 0 } device RotationalMotor { "
      "name \"m1\" maxTorque 0.5 } endPoint Solid { translation 0.4 0 0 boundingObject Box { size "
      "0.3 0.1 0.1 } physics Physics { density -1 mass 1 } } } ] boundingObject Box { size 0.3 0.2 "
      "0.1 } physics Physics { density -1 mass 2 } }\n",
      said.options());
  simulation.step(1000);
  EXPECT_TRUE(said.remarks.empty()) << said.remarks[0];
}

TEST(StepLosses, AreNotThoseOfSlowArms) {
  for (const double ms : {1.0, 8.0, 32.0}) {
    Said said;
    Simulation simulation = turning(said, ms, 2.0);
    simulation.step(500);
    EXPECT_TRUE(said.remarks.empty()) << said.remarks[0];
  }
}

// A motor drives an arm up to a speed at which the step takes 6 % of its energy per second.
TEST(StepLosses, AreNotWhatAMotorStoresInTheJoint) {
  Said said;
  Simulation simulation = turning(said, 4.0, 0.0);
  Motor& motor = simulation.robot("arm").motor("m1");
  motor.set_available_force(50.0);
  motor.set_position(std::numeric_limits<double>::infinity());
  motor.set_velocity(14.5);
  simulation.step(1000);
  EXPECT_NEAR(simulation.joint("arm/m1").velocity(), 14.5, 0.1);
  EXPECT_TRUE(said.remarks.empty()) << said.remarks[0];
}

struct Suggestion {
  double now_ms;
  double most_ms;
  double step_ms;
  friend void PrintTo(const Suggestion& s, std::ostream* out) {
    *out << s.now_ms << " ms, at most " << s.most_ms << " ms";
  }
};

class SuggestedSteps : public testing::TestWithParam<Suggestion> {};

// Controllers have periods that are multiples of the step, so a shorter one divides it.
TEST_P(SuggestedSteps, DivideThePresentOne) {
  EXPECT_DOUBLE_EQ(step_within(GetParam().now_ms, GetParam().most_ms), GetParam().step_ms);
}

INSTANTIATE_TEST_SUITE_P(Each, SuggestedSteps,
                         testing::Values(Suggestion{32.0, 7.1, 4.0}, Suggestion{33.0, 3.08, 3.0},
                                         Suggestion{10.0, 4.9, 2.0}, Suggestion{20.0, 20.0, 10.0},
                                         Suggestion{8.0, 0.9, 0.5}, Suggestion{7.0, 3.0, 1.0},
                                         Suggestion{2.5, 0.7, 0.625}),
                         [](const auto& tested) { return fmt::format("{}", tested.index); });

}  // namespace step_losses_test
}  // namespace servosim::test
