// SPDX-License-Identifier: Apache-2.0
// The options about how bodies move in a step.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "programs/program.h"

namespace servosim::test {
namespace integrator_test {

constexpr const char* kPendulum =
    "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 16 }\nRobot { name \"r\" children [ "
    "HingeJoint { "
    "jointParameters HingeJointParameters { axis 0 1 0 } device PositionSensor { name \"p\" } "
    "endPoint "
    "Solid { translation 0.5 0 0 boundingObject Box { size 0.2 0.1 0.1 } physics Physics { } } } ] "
    "}\n";

TEST(IntegratorOptions, AreRefusedInOneLine) {
  const TempFolder folder;
  const std::string world = folder.write("pendulum.wbt", kPendulum).string();
  struct Wrong {
    std::vector<std::string> options;
    std::string message;
  };
  for (const Wrong& wrong :
       {Wrong{{"--accuracy", "2"},
              "'2' is no accuracy: it must be a number from 0 to 1, in rad or m"},
        Wrong{{"--accuracy", "nan"}, "'nan' is no accuracy"},
        Wrong{{"--accuracy=-1e-4"}, "'-1e-4' is no accuracy"},
        Wrong{{"--evaluations", "9"}, "'9' is no number of evaluations"},
        Wrong{{"--accuracy", "1e-4"},
              "steps of the integrator \"ode\" have no accuracy: leave out --accuracy, or choose "
              "--integrator joint"},
        Wrong{{"--evaluations", "3"}, "have no evaluations: leave out --evaluations, or choose"}}) {
    std::vector<std::string> arguments{"run", world, "--steps", "1", "--quiet"};
    arguments.insert(arguments.end(), wrong.options.begin(), wrong.options.end());
    Program program(arguments);
    EXPECT_EQ(program.finish(), 2) << wrong.message;
    EXPECT_TRUE(contains(program.err(), wrong.message)) << program.err();
  }
}

TEST(IntegratorOptions, AreInTheSummary) {
  const TempFolder folder;
  const std::string world = folder.write("pendulum.wbt", kPendulum).string();
  Program whole({"run", world, "--steps", "100", "--integrator", "joint"});
  EXPECT_EQ(whole.finish(), 0) << whole.err();
  EXPECT_TRUE(contains(whole.out(), "joint coordinates, 100 island-steps of")) << whole.out();
  EXPECT_FALSE(contains(whole.out(), " divided")) << whole.out();
  Program held({"run", world, "--steps", "100", "--integrator", "joint", "--accuracy", "1e-6"});
  EXPECT_EQ(held.finish(), 0) << held.err();
  EXPECT_TRUE(contains(held.out(), " divided")) << held.out();
}

}  // namespace integrator_test
}  // namespace servosim::test
