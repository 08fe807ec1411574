// SPDX-License-Identifier: Apache-2.0
// A servo without electrics and friction is the law τ = kp·(u − q) − kv·q' within a limit, which
// MuJoCo has as `position`, `velocity` and affine `general` actuators: docs/reference/servos.md.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "analytic/joint_worlds.h"
#include "servosim/joint.h"
#include "servosim/motor.h"
#include "servosim/robot.h"
#include "servosim/simulation.h"

namespace servosim::test {
namespace torque_law_test {

using namespace joint_worlds;

struct Way {
  const char* name;
  Solver solver;
  Integrator integrator;

  friend void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }
};

struct Law {
  double kp = 0.0;
  double kv = 0.0;
  double limit = 1e3;  // [N·m]
};

constexpr double kInertia = 0.05;  // of the joint, with its armature [kg·m²]

class TorqueLaw : public testing::TestWithParam<Way> {
 protected:
  static Simulation load_law(const Law& law, double step_ms, double gravity = 0.0,
                             bool slides = false) {
    const std::string text = world_text(
        step_ms, gravity,
        fmt::format(
            "{}Joint {{ jointParameters {} {{ axis 0 1 0 armature 0.03 }} device {}Motor {{ name "
            "\"m\" {} servo \"PD firmware.p={} firmware.d={} firmware.max_current={} {}\" }} "
            "endPoint Solid {{ name \"s\" translation 0.1 0 0 physics Physics {{ density -1 mass "
            "{} "
            "centerOfMass [ 0 0 0 ] inertiaMatrix [ 0.01 0.01 0.01, 0 0 0 ] }} }} }}",
            slides ? "Slider" : "Hinge", slides ? "JointParameters" : "HingeJointParameters",
            slides ? "Linear" : "Rotational", slides ? "maxForce 10" : "maxTorque 10", law.kp,
            law.kv, law.limit, slides ? "drive.travel=1" : "", slides ? 0.02 : 1.0));
    LoadOptions options;
    options.solver = GetParam().solver;
    options.integrator = GetParam().integrator;
    options.notice = [](std::string_view message) { ADD_FAILURE() << message; };
    Simulation simulation = Simulation::from_text(text, options);
    for (const Diagnostic& diagnostic : simulation.diagnostics()) {
      ADD_FAILURE() << to_string(diagnostic);
    }
    return simulation;
  }
};

// J·q'' = kp·(u − q) − kv·q' from rest: with ω² = kp/J − δ², δ = kv/(2·J),
//
//     q = u·(1 − exp(−δ·t)·(cos ω·t + δ/ω·sin ω·t))
TEST_P(TorqueLaw, IsADampedOscillator) {
  const Law law{20.0, 0.6};
  const double delta = 0.5 * law.kv / kInertia;
  const double omega = std::sqrt(law.kp / kInertia - delta * delta);
  for (const bool slides : {false, true}) {
    for (const double step_ms : {2.0, 1.0}) {
      Simulation simulation = load_law(law, step_ms, 0.0, slides);
      simulation.robot("r").motor("m").set_position(0.5);
      while (simulation.time() < 1.0) {
        simulation.step();
        const double t = simulation.time();
        const double q = 0.5 * (1.0 - std::exp(-delta * t) * (std::cos(omega * t) +
                                                              delta / omega * std::sin(omega * t)));
        ASSERT_NEAR(simulation.joint(0).position(), q, 5e-4 * step_ms * step_ms)
            << slides << " " << step_ms << " " << t;
      }
    }
  }
}

// It sags until kp·(u − q) bears the weight, 1 kg at 0.1 m, and no velocity or integral helps.
TEST_P(TorqueLaw, SagsUnderALoad) {
  Simulation simulation = load_law({20.0, 1.5}, 2.0, 9.81);
  simulation.robot("r").motor("m").set_position(0.0);
  simulation.step(2000);
  const double q = simulation.joint(0).position();
  EXPECT_NEAR(20.0 * q, 0.981 * std::cos(q), 1e-6) << "the rod turns down about +y";
  EXPECT_NEAR(simulation.joint(0).effort(), -20.0 * q, 1e-6);
}

// At the limit the acceleration is that of the limit. With the integrator ode rates are half a step
// before positions, so that the jump of the goal acts on half of the first step, 0.005 rad/s.
TEST_P(TorqueLaw, HasALimit) {
  Simulation simulation = load_law({4000.0, 0.0, 0.25}, 2.0);
  simulation.robot("r").motor("m").set_position(100.0);
  simulation.step(100);
  EXPECT_NEAR(simulation.joint(0).velocity(), 0.25 / kInertia * 0.2,
              GetParam().integrator == Integrator::Joint ? 1e-6 : 6e-3);
  EXPECT_NEAR(simulation.joint(0).effort(), 0.25, 1e-9);
}

// Loops of 5 to 5000 rad per step, with and without a damping that stops the joint within one.
TEST_P(TorqueLaw, IsImplicitInTheStep) {
  for (const double kp : {1e4, 1e6, 1e10}) {
    for (const double kv : {0.0, 100.0}) {
      Simulation simulation = load_law({kp, kv, 1e6}, 8.0);
      simulation.robot("r").motor("m").set_position(0.25);
      double farthest = 0.0;
      for (int n = 0; n < 1500; ++n) {
        simulation.step();
        farthest = std::max(farthest, std::abs(simulation.joint(0).position() - 0.25));
      }
      EXPECT_LE(farthest, 0.2501) << kp << " " << kv << ": no energy grows";
      EXPECT_NEAR(simulation.joint(0).position(), 0.25, kv > 0.0 || kp > 1e5 ? 1e-3 : 0.25)
          << kp << " " << kv;
    }
  }
}

// J·q'' = kv·(u − q'): without kp the same servo holds a velocity.
TEST_P(TorqueLaw, HoldsAVelocity) {
  const Law law{0.0, 0.4, 1.0};
  for (const bool slides : {false, true}) {
    Simulation simulation = load_law(law, 2.0, 0.0, slides);
    Motor& motor = simulation.robot("r").motor("m");
    motor.set_position(std::numeric_limits<double>::infinity());
    motor.set_velocity(2.0);
    while (simulation.time() < 1.0) {
      simulation.step();
      ASSERT_NEAR(simulation.joint(0).velocity(),
                  2.0 * (1.0 - std::exp(-law.kv / kInertia * simulation.time())), 2e-3)
          << simulation.time();
    }
    motor.set_velocity(-8.0);
    simulation.step(5);
    EXPECT_NEAR(simulation.joint(0).effort(), -1.0, 1e-9) << "its limit";
  }
}

// Half of maxTorque is half of the limit.
TEST_P(TorqueLaw, TakesAvailableTorqueAsItsLimit) {
  for (const double kp : {4000.0, 0.0}) {
    Simulation simulation = load_law({kp, 0.0, 0.25}, 2.0);
    Motor& motor = simulation.robot("r").motor("m");
    motor.set_available_force(5.0);  // of 10
    kp > 0.0 ? motor.set_position(100.0) : motor.set_force(4.0);
    simulation.step(10);
    EXPECT_NEAR(simulation.joint(0).effort(), 0.125, 1e-9) << kp;
    EXPECT_NEAR(motor.effort_limit(), 0.125, 1e-9);
    motor.set_available_force(0.0);
    simulation.step();
    EXPECT_NEAR(simulation.joint(0).effort(), 0.0, 1e-9);
  }
}

TEST_P(TorqueLaw, GoesOnFromSavedStates) {
  Simulation simulation = load_law({20.0, 0.6, 2.0}, 2.0, 9.81);
  simulation.robot("r").motor("m").set_position(0.5);
  simulation.step(50);
  expect_goes_on(simulation, 50);
}

INSTANTIATE_TEST_SUITE_P(SolversAndIntegrators, TorqueLaw,
                         testing::Values(Way{"Ode", Solver::Ode, Integrator::Ode},
                                         Way{"Tree", Solver::Tree, Integrator::Ode},
                                         Way{"Joint", Solver::Tree, Integrator::Joint}),
                         testing::PrintToStringParamName());

}  // namespace torque_law_test
}  // namespace servosim::test
