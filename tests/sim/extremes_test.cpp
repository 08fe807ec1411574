// SPDX-License-Identifier: Apache-2.0
// Worlds full of absurd numbers: they load, run and stay finite, or stop with Diverged. ODE aborts
// the process on many of them unless they are checked first.
#include <gtest/gtest.h>

#include <cmath>

#include "support/case_names.h"
#include "support/worlds.h"

// A step that ODE cannot finish loses the record of its job, 80 bytes: no other code can free it.
extern "C" const char* __lsan_default_suppressions() { return "leak:PreallocateJobInfos\n"; }

namespace servosim::test {
namespace {

Simulation load_quietly(const std::string& text) {
  LoadOptions options;
  options.notice = [](std::string_view) {};
  return Simulation::from_text(text, std::move(options));
}

// Runs 40 steps with a controller that commands everything; true if nothing diverged.
bool survives(const std::string& text) {
  Simulation simulation = load_quietly(text);
  try {
    for (int n = 0; n < 40; ++n) {
      for (int r = 0; r < simulation.robots().size(); ++r) {
        for (const DeviceNode& device : simulation.robot(r).devices()) {
          if (device.get<Motor>() != nullptr) {
            device.get<Motor>()->set_position(n % 2 == 0 ? 1e300 : -1e300);
            device.get<Motor>()->set_velocity(n % 3 == 0 ? -1e300 : 1e300);
          }
        }
      }
      simulation.step();
      for (int j = 0; j < simulation.joints().size(); ++j) {
        const JointReading reading = simulation.joint(j).reading();
        EXPECT_TRUE(std::isfinite(reading.position)) << simulation.joint(j).name();
        EXPECT_TRUE(std::isfinite(reading.velocity)) << simulation.joint(j).name();
        EXPECT_TRUE(std::isfinite(reading.effort)) << simulation.joint(j).name();
      }
    }
  } catch (const Diverged& diverged) {
    EXPECT_NE(std::string(diverged.what()).find("Solid \""), std::string::npos) << diverged.what();
    EXPECT_THROW(simulation.step(), Diverged) << "and again, instead of an abort";
    return false;
  }
  return true;
}

using JointAndText = std::tuple<bool, bool, std::string>;

std::string by_joint_and_text(const testing::TestParamInfo<JointAndText>& test) {
  const auto& [slider, heavy_parent, text] = test.param;
  return std::string(joint_word(slider)) + parent_word(heavy_parent) + '_' + case_name(text);
}

class ExtremeJoint : public testing::TestWithParam<JointAndText> {};

TEST_P(ExtremeJoint, NeverAborts) {
  OneJoint w;
  w.slider = std::get<0>(GetParam());
  w.heavy_parent = std::get<1>(GetParam());
  w.parameters = std::get<2>(GetParam());
  w.gravity = "9.81";
  survives(world_text(w));
  w.child_physics = "NULL";
  survives(world_text(w));
}

INSTANTIATE_TEST_SUITE_P(
    Parameters, ExtremeJoint,
    testing::Combine(testing::Bool(), testing::Bool(),
                     testing::Values("position 1e300", "position -1e300 springConstant 3",
                                     "position 1e9 springConstant 1e300", "springConstant 1e300",
                                     "dampingConstant 1e300", "springConstant 1e-300",
                                     "springConstant 1e308 dampingConstant 1e308", "armature 1e300",
                                     "armature 1e-300 dampingConstant 1e308",
                                     "springReference 1e300 springConstant 1e300",
                                     "springReference -1e8 springConstant 1e308 armature 1e308",
                                     "staticFriction 1e300", "minStop -1e300 maxStop 1e300",
                                     "minStop -1e-300 maxStop 1e-300", "minStop 2 maxStop 1e300",
                                     "position 1e300 minStop -1 maxStop 1", "axis 1e300 0 0",
                                     "axis 1e-300 2e-300 0")),
    by_joint_and_text);

class ExtremeAxes : public testing::TestWithParam<std::tuple<bool, std::string, std::string>> {};

// `parameters` on the first axis, the last, or all of a Hinge2Joint or a BallJoint; free and with a
// heavy weight off the anchor.
TEST_P(ExtremeAxes, NeverAborts) {
  const auto& [ball, parameters, motor] = GetParam();
  for (const int where : {0, 1, 2}) {
    const std::string first = where != 1 ? parameters : "";
    const std::string last = where != 0 ? parameters : "";
    const std::string axes =
        ball ? fmt::format(
                   "BallJoint {{ jointParameters BallJointParameters {{ {} }} "
                   "jointParameters2 JointParameters {{ axis 1 0 0 {} }} jointParameters3 "
                   "JointParameters {{ axis 0 0 1 {} }} device3 RotationalMotor {{ name "
                   "\"c\" {} }}",
                   first, last, last, motor)
             : fmt::format(
                   "Hinge2Joint {{ jointParameters HingeJointParameters {{ axis 0 0 1 "
                   "suspensionAxis 0 0 1 {} }} jointParameters2 JointParameters {{ axis "
                   "1e-5 0 1 {} }}",
                   first, last);
    survives(fmt::format(R"(#VRML_SIM R2023b utf8
WorldInfo {{ basicTimeStep 16 }}
Robot {{
  name "r"
  children [
    {} device RotationalMotor {{ name "a" {} }} device2 RotationalMotor {{ name "b" {} }}
      endPoint Solid {{
        translation 0.5 0.25 0
        boundingObject Box {{ size 0.3 0.2 0.1 }}
        physics Physics {{ density -1 mass 4 }}
      }}
    }}
  ]
  boundingObject Sphere {{ radius 0.2 }}
  physics Physics {{ density -1 mass 3 }}
}})",
                         axes, motor, motor));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Parameters, ExtremeAxes,
    testing::Combine(testing::Bool(),
                     testing::Values("position 1e300", "position -1e9 springConstant 1e300",
                                     "springConstant 1e308 dampingConstant 1e308",
                                     "springReference 1e8 springConstant 1e308",
                                     "dampingConstant 1e-300", "staticFriction 1e300",
                                     "minStop -1e300 maxStop 1e300",
                                     "minStop -1e-300 maxStop 1e-300", "minStop 2 maxStop 1e300"),
                     testing::Values("maxTorque 10", "maxVelocity 1e300 maxTorque 1e300")),
    [](const auto& test) {
      return case_name(fmt::format("{} {} {}", std::get<0>(test.param) ? "Ball" : "Hinge2",
                                   std::get<1>(test.param), std::get<2>(test.param)));
    });

TEST(ExtremeSuspension, NeverAborts) {
  for (const char* constants :
       {"suspensionSpringConstant 1e300", "suspensionDampingConstant 1e300",
        "suspensionSpringConstant 1e-300 suspensionDampingConstant 1e308"}) {
    survives(fmt::format(R"(#VRML_SIM R2023b utf8
Robot {{ name "r" children [ HingeJoint {{
  jointParameters HingeJointParameters {{ axis 0 1 0 suspensionAxis 0 0 1 {} }}
  device RotationalMotor {{ name "m" }}
  endPoint Solid {{ boundingObject Box {{ }} physics Physics {{ }} }} }} ]
  boundingObject Box {{ }} physics Physics {{ }} }})",
                         constants));
  }
}

class ExtremeMotor : public testing::TestWithParam<JointAndText> {};

TEST_P(ExtremeMotor, NeverAborts) {
  OneJoint w;
  w.slider = std::get<0>(GetParam());
  w.heavy_parent = std::get<1>(GetParam());
  w.motor = std::get<2>(GetParam());
  if (w.slider) {
    w.motor.replace(w.motor.find("Torque"), 6, "Force");
  }
  w.gravity = "9.81";
  survives(world_text(w));
  w.child_physics = "NULL";
  survives(world_text(w));
}

INSTANTIATE_TEST_SUITE_P(
    Fields, ExtremeMotor,
    testing::Combine(testing::Bool(), testing::Bool(),
                     testing::Values("maxVelocity 1e300 maxTorque 1e300",
                                     "maxVelocity 1e300 maxTorque 1e300 acceleration 1e300",
                                     "maxVelocity 1e-300 maxTorque 1e300",
                                     "maxTorque 1e300 controlPID 1e300 1e300 1e300",
                                     "maxTorque 1e300 controlPID 1e-300 1e300 0",
                                     "maxTorque 5 multiplier 1e300",
                                     "maxTorque 5 multiplier 1e-300",
                                     "maxTorque 1e-300 minPosition -1e300 maxPosition 1e300")),
    by_joint_and_text);

class ExtremeBody : public testing::TestWithParam<std::string> {};

TEST_P(ExtremeBody, NeverAborts) {
  for (const bool slider : {false, true}) {
    OneJoint w;
    w.slider = slider;
    w.gravity = "9.81";
    w.heavy_parent = slider;
    w.child_physics = fmt::format("Physics {{ {} }}", GetParam());
    survives(world_text(w));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Masses, ExtremeBody,
    testing::Values(
        "density 1e300", "density 1e-300", "density -1 mass 1e300", "density -1 mass 1e-300",
        "density -1 mass 1e15", "density -1 mass 1e-12", "density -1 mass 2 centerOfMass 1e300 0 0",
        "density -1 mass 2 centerOfMass 1e8 0 0",
        "density -1 mass 2 centerOfMass 0 0 0 inertiaMatrix [ 1e300 1e300 1e300, 0 0 0 ]",
        "density -1 mass 2 centerOfMass 0 0 0 inertiaMatrix [ 1e-300 1 1, 0 0 0 ]",
        "density -1 mass 2 centerOfMass 0 0 0 inertiaMatrix [ 3 3 3, 1e200 0 0 ]",
        "density -1 mass 2 centerOfMass 0 0 0 inertiaMatrix [ 3 3 3, 2.99999999 0 0 ]",
        "density -1 mass 2 centerOfMass 0 0 0 inertiaMatrix [ -3 3 3, 0 0 0 ]",
        "density -1 mass 2 damping Damping { linear 1e300 angular -1e300 }"),
    by_text);

class ExtremeWorld : public testing::TestWithParam<std::string> {};

// A robot with a dynamic arm on it, a can and a ball above a floor; `%` stands for what varies.
TEST_P(ExtremeWorld, NeverAborts) {
  survives(fmt::format(R"(#VRML_SIM R2023b utf8
WorldInfo {{ {} }}
Solid {{ name "floor" boundingObject Plane {{ }} }}
Robot {{
  name "r"
  translation 0 0 0.15
  children [
    HingeJoint {{
      jointParameters HingeJointParameters {{ springConstant 2 }}
      device RotationalMotor {{ name "m" }}
      endPoint Solid {{
        boundingObject Cylinder {{ radius 0.1 height 0.3 }}
        physics Physics {{ density -1 mass 2 }}
      }}
    }}
  ]
  boundingObject Box {{ size 0.3 0.3 0.3 }}
  physics Physics {{ density -1 mass 3 }}
}}
Solid {{
  name "ball"
  translation 2 0 0.1
  boundingObject Sphere {{ radius 0.12 }}
  physics Physics {{ density -1 mass 3 }}
}}
)",
                       GetParam()));
}

INSTANTIATE_TEST_SUITE_P(
    WorldInfo, ExtremeWorld,
    testing::Values("basicTimeStep 1e-300", "basicTimeStep 1e-12", "basicTimeStep 1e-3",
                    "basicTimeStep 1e6", "basicTimeStep 1e300", "gravity 1e300", "gravity 1e30",
                    "gravity 1e-300", "CFM 1e300", "CFM 1e-300", "ERP 1", "ERP 0",
                    "physicsDisableTime 1e300", "physicsDisableLinearThreshold 1e300",
                    "contactProperties ContactProperties { coulombFriction 1e300 bounce 1 "
                    "bounceVelocity 1e300 softCFM 1e300 softERP 1 }",
                    "contactProperties ContactProperties { softCFM 1e-300 softERP 1 "
                    "forceDependentSlip 1e300 rollingFriction 1e300 1e300 1e300 }",
                    "contactProperties ContactProperties { coulombFriction 1e-300 softERP 0 "
                    "maxContactJoints 1 }"),
    by_text);

struct OddSolid {
  const char* name;
  const char* fields;

  friend void PrintTo(const OddSolid& solid, std::ostream* out) { *out << solid.name; }
};

class ExtremeSolid : public testing::TestWithParam<OddSolid> {};

TEST_P(ExtremeSolid, NeverAborts) {
  const std::string solid = GetParam().fields;
  const std::string base = R"(#VRML_SIM R2021a utf8
WorldInfo { coordinateSystem "ENU" }
Solid { name "floor" rotation 1 0 0 1.5707963 boundingObject Plane { } }
Solid { name "table" translation 0 0 -0.4 boundingObject Box { size 3 3 1 } }
Solid { name "block" boundingObject Box { size 0.3 0.3 0.3 } physics Physics { } }
)";
  survives(base + fmt::format("Solid {{ name \"odd\" {} }}", solid));
  survives(base + fmt::format("Solid {{ name \"odd\" {} physics Physics {{ }} }}", solid));
  survives(base + fmt::format("Solid {{ name \"odd\" {} physics Physics {{ density -1 mass 2 }} }}",
                              solid));
  survives(base +
           fmt::format("Solid {{ name \"top\" children [ Solid {{ name \"odd\" {} physics "
                       "Physics {{ }} }} ] boundingObject Box {{ }} physics Physics {{ }} }}",
                       solid));
}

INSTANTIATE_TEST_SUITE_P(
    Fields, ExtremeSolid,
    testing::Values(
        OddSolid{"FarBox", "translation 1e300 0 0 boundingObject Box { }"},
        OddSolid{"FarCylinder", "translation 1e200 -1e200 1e200 boundingObject Cylinder { }"},
        OddSolid{"FarSphere", "translation 1e8 0 0 boundingObject Sphere { }"},
        OddSolid{"HugeAxis", "rotation 1e300 0 0 1 boundingObject Box { }"},
        OddSolid{"HugeAngle", "rotation 0 1 0 1e300 boundingObject Box { }"},
        OddSolid{"HugeScale", "scale 1e300 1e300 1e300 boundingObject Box { }"},
        OddSolid{"FastBox", "linearVelocity 1e300 0 0 boundingObject Box { }"},
        OddSolid{"SpinningBox", "angularVelocity 0 1e300 1e300 boundingObject Box { size 1 2 3 }"},
        OddSolid{"LongBox", "boundingObject Box { size 1e300 1 1 }"},
        OddSolid{"ThinBox", "boundingObject Box { size 1e-300 1 1 }"},
        OddSolid{"TinySphere", "boundingObject Sphere { radius 1e-300 }"},
        OddSolid{"LargeSphere", "boundingObject Sphere { radius 1e5 }"},
        OddSolid{"ThinCylinder", "boundingObject Cylinder { radius 1e-300 height 1e300 }"},
        OddSolid{"TinyCapsule", "boundingObject Capsule { radius 1e-9 height 1e-9 }"},
        OddSolid{"BoxFarFromItsSolid",
                 "boundingObject Transform { translation 1e300 0 0 children [ Box { } ] }"},
        OddSolid{"SphereFarFromItsSolid",
                 "boundingObject Transform { translation 1e8 0 0 children [ Sphere { } ] }"},
        OddSolid{"HugeMesh",
                 "boundingObject IndexedFaceSet { coord Coordinate { point [ "
                 "0 0 0, 1e300 0 0, 0 1e300 0, 0 0 1e300 ] } "
                 "coordIndex [ 0 2 1 -1 0 1 3 -1 0 3 2 -1 1 2 3 -1 ] }"},
        OddSolid{"TinyMesh",
                 "boundingObject IndexedFaceSet { coord Coordinate { point [ "
                 "0 0 0, 1e-9 0 0, 0 1e-9 0, 0 0 1e-9 ] } "
                 "coordIndex [ 0 2 1 -1 0 1 3 -1 0 3 2 -1 1 2 3 -1 ] }"},
        OddSolid{"FlatMesh",
                 "boundingObject IndexedFaceSet { coord Coordinate { point [ "
                 "0 0 0, 1 0 0, 0 1 0 ] } coordIndex [ 0 2 1 -1 ] }"}),
    testing::PrintToStringParamName());

TEST(Extremes, SettingAJointFarAwayDiverges) {
  for (const bool slider : {false, true}) {
    OneJoint w;
    w.slider = slider;
    Simulation simulation = load(w);
    simulation.joint(0).set_state(1e300, 1e300);
    EXPECT_THROW(simulation.step(), Diverged);
    EXPECT_THROW(simulation.step(), Diverged);
  }
}

TEST(Diverged, NamesJointSolidAndTime) {
  OneJoint w;
  w.slider = true;
  w.motor = "maxForce 1e300 maxVelocity 1e300";
  Simulation simulation = load_quietly(world_text(w));
  simulation.step(3);
  Motor& motor = simulation.robot("r").motor("m");
  motor.set_position(INFINITY);
  motor.set_velocity(1e300);
  try {
    simulation.step(2000);
    FAIL() << "the endpoint is at " << simulation.joint(0).position();
  } catch (const Diverged& diverged) {
    const std::string what = diverged.what();
    EXPECT_NE(what.find("joint \"r/m\" of Solid \"end\""), std::string::npos) << what;
    const std::string time = fmt::format("{:.6g} s", simulation.time() + 0.008);
    EXPECT_NE(what.find(time), std::string::npos) << what << " but it is " << time;
  }
}

TEST(Diverged, NamesASolidWithoutAJointOnce) {
  Simulation simulation = load_quietly(R"(#VRML_SIM R2023b utf8
WorldInfo { gravity 1e30 }
Solid { name "ball" boundingObject Sphere { radius 0.12 } physics Physics { } })");
  try {
    simulation.step(2000);
    FAIL() << "the ball is at " << simulation.solid("ball").pose().translation.z;
  } catch (const Diverged& diverged) {
    EXPECT_EQ(std::string(diverged.what()).find("the simulation diverged at Solid \"ball\", "), 0u)
        << diverged.what();
  }
}

}  // namespace
}  // namespace servosim::test
