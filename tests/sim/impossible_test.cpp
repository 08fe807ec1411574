// SPDX-License-Identifier: Apache-2.0
// Impossible physics: there is a message, and the simulation runs or is refused; no NaN.
#include <gtest/gtest.h>

#include <cmath>

#include "scene/scene.h"
#include "sim/world_inspector.h"
#include "support/case_names.h"
#include "support/worlds.h"

namespace servosim::test {
namespace {

enum class End { Runs, MayDiverge };

struct Impossible {
  const char* what;
  std::string text;
  const char* said;  // part of the one diagnostic that matters; empty: nothing needs saying
  End end = End::Runs;

  friend void PrintTo(const Impossible& c, std::ostream* out) { *out << case_name(c.what); }
};

OneJoint arm(bool slider = false) {
  OneJoint w;
  w.slider = slider;
  w.gravity = "9.81";
  w.endpoint = "0.3 0 0";
  return w;
}

std::string with_physics(const std::string& physics) {
  OneJoint w = arm();
  w.child_physics = "Physics { " + physics + " }";
  return world_text(w);
}

std::string with_parameters(const std::string& parameters, bool slider = false) {
  OneJoint w = arm(slider);
  w.parameters = parameters;
  return world_text(w);
}

std::string with_motor(const std::string& motor) {
  OneJoint w = arm();
  w.motor = motor;
  return world_text(w);
}

std::string with_axis(const std::string& axis, bool slider = false) {
  OneJoint w = arm(slider);
  w.axis = axis;
  return world_text(w);
}

// Two arms in one plane, joined at their ends by `closing`; a motor on each drives them apart.
std::string loop(const std::string& closing) {
  return R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 physicsDisableTime 0 }
Robot { name "r" children [
  HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor -0.3 0 0 }
    device RotationalMotor { name "m" maxTorque 50 } endPoint Solid { name "left" translation -0.3 0 0
      boundingObject Box { size 0.1 0.1 0.5 } physics Physics { density -1 mass 1.5 }
      children [ )" +
         closing + R"( ] } }
  HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0.3 0 0 }
    device RotationalMotor { name "n" maxTorque 50 } endPoint Solid { name "right" translation 0.3 0 0
      boundingObject Box { size 0.1 0.1 0.5 } physics Physics { density -1 mass 2.5 } } }
] })";
}

std::string closing_hinge(const std::string& parameters, const std::string& name) {
  return "HingeJoint { jointParameters HingeJointParameters { " + parameters +
         " } endPoint SolidReference { solidName \"" + name + "\" } }";
}

std::string propeller(const std::string& fields, const std::string& speed) {
  return fmt::format(R"(#VRML_SIM R2023b utf8
WorldInfo {{ basicTimeStep 8 }}
Robot {{ name "r" boundingObject Box {{ }} physics Physics {{ }} children [ Propeller {{ {}
  device RotationalMotor {{ name "m" maxVelocity {} maxTorque 1e300 }} }} ] }})",
                     fields, speed);
}

std::vector<Impossible> impossible() {
  const std::string in_full = "density -1 mass 2 centerOfMass 0 0 0 inertiaMatrix ";
  return {
      {"inertia not positive definite", with_physics(in_full + "[ 3 3 3, 5 0 0 ]"),
       "it must be positive definite"},
      {"inertia with a negative moment", with_physics(in_full + "[ -3 3 3, 0 0 0 ]"),
       "it must be positive definite"},
      {"inertia of zero", with_physics(in_full + "[ 0 0 0, 0 0 0 ]"),
       "it must be positive definite"},
      {"inertia of denormals", with_physics(in_full + "[ 1e-310 1e-310 1e-310, 0 0 0 ]"),
       "it must be positive definite"},
      {"inertia too large", with_physics(in_full + "[ 1e300 1e300 1e300, 0 0 0 ]"),
       "it must be positive definite"},
      {"zero mass", with_physics("density -1 mass 0"), "density is -1"},
      {"negative mass", with_physics("density -1 mass -3"), "density is -1"},
      {"denormal mass", with_physics("density -1 mass 1e-310"), "cannot be simulated; 1 kg"},
      {"huge mass", with_physics("density -1 mass 1e300"), "cannot be simulated; 1 kg"},
      {"stops above the position", with_parameters("minStop 0.4 maxStop 0.9"),
       "minStop 0.4 is above the position"},
      {"stops below the position", with_parameters("minStop -0.9 maxStop -0.4", true),
       "maxStop -0.4 is below the position"},
      {"stops in the wrong order", with_parameters("minStop 0.5 maxStop -0.5"),
       "minStop 0.5 is above the position"},
      {"stops far from the position", with_parameters("minStop 1e8 maxStop 2e8", true),
       "minStop 100000000 is above the position", End::MayDiverge},
      {"hinge axis of zero", with_axis("0 0 0"), "axis is a null vector; 1 0 0 is used"},
      {"slider axis of zero", with_axis("0 0 0", true), "axis is a null vector; 0 0 1 is used"},
      {"axis of denormals", with_axis("1e-310 0 0"), ""},
      {"axis of huge numbers", with_axis("1e300 1e300 0"), ""},
      {"spring of 1e300", with_parameters("position 0.1 springConstant 1e300"),
       "springConstant is 1e+300"},
      {"slider's spring of 1e300", with_parameters("position 0.1 springConstant 1e300", true),
       "springConstant is 1e+300"},
      {"damper of 1e300", with_parameters("dampingConstant 1e300"), "dampingConstant is 1e+300"},
      {"spring of a denormal", with_parameters("springConstant 1e-310"), ""},
      {"friction of 1e300", with_parameters("staticFriction 1e300"), "staticFriction is 1e+300"},
      {"anchor far away", with_parameters("anchor 1e300 0 0"), "", End::MayDiverge},
      {"torque of 1e300", with_motor("maxTorque 1e300 maxVelocity 1e300"), "", End::MayDiverge},
      {"gains that overflow", with_motor("maxTorque 50 controlPID 1e308 1e308 1e308"), ""},
      {"a loop of two hinges that are not parallel", loop(closing_hinge("axis 1 0 0", "right")),
       ""},
      {"a loop with motors that pull against each other",
       loop(closing_hinge("axis 0 1 0 anchor 0.3 0 0.2", "right")), ""},
      {"a loop to the world",
       loop(closing_hinge("axis 0 1 0 anchor 0.1 0 0.3", "<static environment>")), ""},
      {"a propeller beyond all speed", propeller("thrustConstants 1e9 1e9", "1e300"), "",
       End::MayDiverge},
      {"a propeller of 1e300", propeller("thrustConstants 1e300 0", "50"),
       "thrustConstants is 1e+300"},
      {"a propeller without a shaft", propeller("shaftAxis 0 0 0", "3"),
       "shaftAxis is a null vector"},
      {"a loop through nobody", loop(closing_hinge("axis 0 1 0", "nobody")),
       "is called \"nobody\""},
      {"a loop with stops that exclude it",
       loop(closing_hinge("axis 0 1 0 anchor 0.3 0 0.2 minStop 0.5 maxStop 0.7", "right")),
       "minStop 0.5 is above the position"},
  };
}

class ImpossiblePhysics : public testing::TestWithParam<Impossible> {};

void command(Simulation& simulation, int n) {
  for (const DeviceNode& device : simulation.robot(0).devices()) {
    if (device.get<Motor>() != nullptr) {
      // "n" works against "m".
      device.get<Motor>()->set_position((device.name == "n" ? -1.0 : 1.0) *
                                        (n % 200 < 100 ? 0.8 : -0.6));
    }
  }
}

TEST_P(ImpossiblePhysics, IsSaidAndNeverBecomesNaN) {
  const Impossible& c = GetParam();
  LoadOptions options;
  options.notice = [](std::string_view) {};
  Simulation simulation = Simulation::from_text(c.text, std::move(options));
  std::string said;
  for (const Diagnostic& d : simulation.diagnostics()) {
    said += to_string(d) + '\n';
  }
  EXPECT_NE(said.find(c.said), std::string::npos) << said;
  EXPECT_EQ(said.empty(), *c.said == '\0') << said;
  try {
    for (int n = 0; n < 1000; ++n) {
      command(simulation, n);
      simulation.step();
      for (int j = 0; j < simulation.joints().size(); ++j) {
        const JointReading r = simulation.joint(j).reading();
        ASSERT_TRUE(std::isfinite(r.position + r.velocity + r.effort)) << n;
      }
      for (const SolidSpec& solid : WorldInspector(simulation).scene().solids) {
        ASSERT_TRUE(is_finite(simulation.solid(solid.name).pose().translation)) << n;
      }
    }
  } catch (const Diverged& diverged) {
    EXPECT_EQ(c.end, End::MayDiverge) << diverged.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Table, ImpossiblePhysics, testing::ValuesIn(impossible()),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace servosim::test
