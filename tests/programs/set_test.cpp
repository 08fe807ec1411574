// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "programs/program.h"

namespace servosim {
namespace {

using nlohmann::json;
using test::contains;
using test::Program;
using test::TempFolder;

// A world with each kind of field.
constexpr const char* kWorld = R"(#VRML_SIM R2023b utf8
WorldInfo {
  basicTimeStep 8
}
Robot {
  name "arm"
  controller "<none>"
  children [
    HingeJoint {
      jointParameters HingeJointParameters {
        axis 0 1 0
        anchor 0 0 0.1
        dampingConstant 0.1
      }
      device [
        RotationalMotor {
          name "shoulder"
          maxTorque 20
        }
      ]
      endPoint DEF UPPER Solid {
        translation 0 0 -0.15
        name "upper"
        children [
          DEF HAND Solid {
            translation 0 0 -0.2
            name "hand"
            physics Physics {
              density -1
              mass 0.2
              centerOfMass [ 0 0 0.02 ]
            }
            boundingObject Sphere {
              radius 0.02
            }
          }
        ]
        boundingObject Box {
          size 0.04 0.05 0.3
        }
        physics Physics {
          density -1
          mass 0.7
        }
      }
    }
    DEF TWIN Group { }
    DEF OTHER_TWIN Group { }
  ]
}
)";

std::string replaced(std::string text, const std::string& old, const std::string& with) {
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), with);
}

struct Outcome {
  int status = 0;
  std::string errors;
  json run;
};

Outcome run_with(const std::string& world, std::vector<std::string> more) {
  std::vector<std::string> arguments{"run", world, "--json", "--steps", "40"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  Program program(arguments);
  Outcome outcome;
  outcome.status = program.finish();
  outcome.errors = program.err();
  outcome.run = json::parse(program.out()).at("runs").at(0);
  return outcome;
}

class SetField : public testing::Test {
 protected:
  TempFolder folder;
  std::string world = folder.write("w.wbt", kWorld);

  // Expects that the settings make the world of the edited text.
  void expect_as_edited(const std::vector<std::string>& settings, const std::string& text) {
    const std::string edited = folder.write("edited.wbt", text);
    std::vector<std::string> options;
    for (const std::string& setting : settings) {
      options.insert(options.end(), {"--set", setting});
    }
    const Outcome by_option = run_with(world, options);
    const Outcome by_file = run_with(edited, {});
    const Outcome plain = run_with(world, {});
    ASSERT_EQ(by_option.status, 0) << by_option.errors;
    EXPECT_EQ(by_option.run.at("state_hash"), by_file.run.at("state_hash"));
    EXPECT_NE(by_option.run.at("state_hash"), plain.run.at("state_hash"));
  }

  void expect_error(const std::string& setting, const std::string& message) {
    Program program({"run", world, "--steps", "1", "--set", setting});
    EXPECT_EQ(program.finish(), 2) << setting;
    EXPECT_TRUE(contains(program.err(), message)) << program.err();
  }
};

TEST_F(SetField, OfATypeThatTheWorldHasOnce) {
  expect_as_edited({"WorldInfo.gravity=3.7"},
                   replaced(kWorld, "basicTimeStep 8", "basicTimeStep 8 gravity 3.7"));
}

TEST_F(SetField, OfAMotorAndOfItsJoint) {
  // The hand makes the arm asymmetric, so that both settings have an effect.
  const std::string aside = "HAND.physics.centerOfMass[0]=0.4 0 0.02";
  std::string text = replaced(kWorld, "[ 0 0 0.02 ]", "[ 0.4 0 0.02 ]");
  text = replaced(text, "maxTorque 20", "maxTorque 0.3");
  text = replaced(text, "dampingConstant 0.1", "dampingConstant 0.35");
  expect_as_edited({aside, "arm/shoulder.maxTorque=0.3", "arm/shoulder.dampingConstant=0.35"},
                   text);
}

TEST_F(SetField, ThroughTheNodesOfADef) {
  expect_as_edited({"UPPER.HAND.physics.mass=0.45"}, replaced(kWorld, "mass 0.2", "mass 0.45"));
  expect_as_edited({"UPPER.boundingObject.size=0.1 0.05 0.3", "UPPER.physics.density=900",
                    "UPPER.physics.mass=-1"},
                   replaced(replaced(kWorld, "0.04 0.05 0.3", "0.1 0.05 0.3"),
                            "density -1\n          mass 0.7", "density 900 mass -1"));
}

TEST_F(SetField, ByShortNamesAndOfANumberOfAVector) {
  expect_as_edited(
      {"shoulder.dampingConstant=0.35", "hand.mass=0.45", "HAND.centerOfMass[0].x=0.4"},
      replaced(replaced(replaced(kWorld, "dampingConstant 0.1", "dampingConstant 0.35"), "mass 0.2",
                        "mass 0.45"),
               "[ 0 0 0.02 ]", "[ 0.4 0 0.02 ]"));
}

TEST_F(SetField, ThatHoldsANode) {
  expect_as_edited(
      {"HAND.physics=Physics { density -1 mass 0.6 }"},
      replaced(replaced(kWorld, "mass 0.2", "mass 0.6"), "centerOfMass [ 0 0 0.02 ]", ""));
}

TEST_F(SetField, OfANodeThatAnotherOneSets) {
  std::string without = kWorld;
  const std::size_t begin = without.find("physics Physics {");
  const std::size_t end = without.find("boundingObject Sphere");
  without.erase(begin, end - begin);
  folder.write("w.wbt", without);
  expect_as_edited({"HAND.physics=Physics { density -1 }", "HAND.physics.mass=0.6"},
                   replaced(without, "boundingObject Sphere",
                            "physics Physics { density -1 mass 0.6 } boundingObject Sphere"));
  Program turned({"run", world, "--steps", "1", "--set", "HAND.physics.mass=0.6", "--set",
                  "HAND.physics=Physics { density -1 }"});
  EXPECT_EQ(turned.finish(), 2);
  EXPECT_TRUE(contains(turned.err(), "HAND.physics.mass=0.6:1:13: error: ")) << turned.err();
  EXPECT_TRUE(contains(turned.err(), "is NULL; set it to a node before")) << turned.err();
}

TEST_F(SetField, EqualOnesThatAreWrongNameTheirColumn) {
  Program program({"run", world, "--steps", "1", "--set", "arm/shoulder.maxTorque=much", "--set",
                   "arm/shoulder.maxTorque=much"});
  EXPECT_EQ(program.finish(), 2);
  EXPECT_TRUE(contains(program.err(), ":1:24: error: expected a number, found 'much'"))
      << program.err();
  const std::size_t first = program.err().find("error: expected a number");
  EXPECT_EQ(program.err().find("error: expected a number", first + 1), std::string::npos)
      << program.err();  // the error appears once
}

TEST_F(SetField, StringsWithoutQuotesHaveNoBlanksAround) {
  const std::string file = folder.write("set.txt", "HAND.name =  palm of it \n");
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--set-file", file}, {"--set", "HAND.name= palm of it "}}) {
    std::vector<std::string> arguments{"run",     world,     "--steps",        "1",
                                       "--quiet", "--trace", folder / "t.csv", "--watch=*.pose"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    Program program(arguments);
    EXPECT_EQ(program.finish(), 0) << program.err();
    EXPECT_TRUE(contains(test::read_text(folder / "t.csv"), ",arm/palm of it.pose x"))
        << test::read_text(folder / "t.csv");
  }
}

TEST_F(SetField, PositionsTakeTheEndpointAlong) {
  const Outcome outcome = run_with(world, {"--set", "arm/shoulder.position=0.4"});
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_NEAR(outcome.run.at("joints").at(0).at("start").get<double>(), 0.4, 1e-12);
  // The arm is not vertical, so its motor must hold it: the torque is m g r sin(0.4) about the
  // anchor, where r of the two parts is 0.25 and 0.43 m.
  const double torque = 9.81 * (0.7 * 0.25 + 0.2 * 0.43) * std::sin(0.4);
  EXPECT_NEAR(outcome.run.at("joints").at(0).at("max_effort").get<double>(), torque, 0.02 * torque);
}

TEST_F(SetField, PositionsOutOfRangeMoveNothing) {
  expect_error("arm/shoulder.position=1e308", "it must be within 1e8");
}

// Values are replaced in each layer: the settings, the scene and the physics.
TEST_F(SetField, ValuesThatAreReplacedAreWrongInput) {
  for (const char* mass : {"1e-30", "1e-320", "1e308", "-3"}) {
    const Outcome outcome =
        run_with(world, {"--set", std::string("arm/upper.physics.mass=") + mass});
    EXPECT_EQ(outcome.status, 2) << mass;
    EXPECT_TRUE(contains(outcome.run.at("error"), "a value that is set must be simulated")) << mass;
  }
  expect_error("arm/upper.physics.mass=1e-30",
               "mass 1e-30 kg of Solid \"upper\" cannot be simulated");
  expect_error("arm/shoulder.maxTorque=-2", "must be >= 0");
  expect_error("WorldInfo.basicTimeStep=-3", "basicTimeStep");
  // A value that is replaced in the world itself is no fault of a setting.
  const std::string faulty =
      folder.write("faulty.wbt", replaced(kWorld, "maxTorque 20", "maxTorque -20"));
  const Outcome outcome = run_with(faulty, {"--set", "arm/upper.physics.mass=0.8"});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  // The same fault in a setting is one, even if the world has the same message for another line.
  const Outcome again = run_with(faulty, {"--set", "arm/shoulder.maxTorque=-20"});
  EXPECT_EQ(again.status, 2) << again.errors;
}

// There are remarks about these values, but they are simulated as they are.
TEST_F(SetField, OddValuesThatAreSimulatedAreAccepted) {
  for (const char* setting : {"arm/shoulder.controlPID=-3 0.5 0.25",
                              "arm/shoulder.name=\"left::shoulder\"", "arm.battery=0 40 5"}) {
    const Outcome outcome = run_with(world, {"--set", setting});
    EXPECT_EQ(outcome.status, 0) << setting << ": " << outcome.errors;
    EXPECT_TRUE(contains(outcome.errors, "warning: ")) << setting << ": " << outcome.errors;
  }
}

TEST_F(SetField, FromAFile) {
  const std::string file =
      folder.write("set.txt", "# on Mars\nWorldInfo.gravity = 3.7\n\n  HAND.physics.mass=0.45\r\n");
  const Outcome by_file = run_with(world, {"--set-file", file});
  const Outcome by_option =
      run_with(world, {"--set", "WorldInfo.gravity=3.7", "--set", "HAND.physics.mass=0.45"});
  ASSERT_EQ(by_file.status, 0) << by_file.errors;
  EXPECT_EQ(by_file.run.at("state_hash"), by_option.run.at("state_hash"));
  EXPECT_EQ(by_file.run.at("parameters"), by_option.run.at("parameters"));
  EXPECT_EQ(by_file.run.at("parameters"),
            (json{{"WorldInfo.gravity", "3.7"}, {"HAND.physics.mass", "0.45"}}));
  Program wrong({"run", world, "--set-file", folder.write("w.txt", "\nWorldInfo.gravty=3\n")});
  EXPECT_EQ(wrong.finish(), 2);
  EXPECT_TRUE(contains(wrong.err(),
                       "w.txt:2:11: error: WorldInfo has no field 'gravty'; did you "
                       "mean 'gravity'?"))
      << wrong.err();
}

TEST_F(SetField, WrongOnesSayWhereAndWhatIsMeant) {
  const struct {
    const char* setting;
    const char* message;
  } cases[]{
      {"arm/sholder.maxTorque=30", "did you mean 'arm/shoulder'?"},
      {"arm/shoulder.maxTorqe=30",
       ":1:14: error: RotationalMotor, HingeJointParameters, "
       "HingeJoint has no field 'maxTorqe'; did you mean 'maxTorque'?"},
      {"arm/shoulder.maxTorque=much", ":1:24: error: expected a number, found 'much'"},
      {"arm/shoulder.maxTorque=3 4",
       ":1:26: error: expected the end of the value, which is of "
       "type SFFloat"},
      {"HAND.physics.centerOfMass[1]=0 0 0", "has items [0] to [0]"},
      {"HAND.physics.mass[0]=1", "is no list"},
      {"HAND.mass[x]=1", "is no index"},
      {"Group.children=[]", "the world has 2 nodes of type Group"},
      {"HAND.physics=Sphere { }", "a Sphere cannot stand in the field 'physics' of a Solid"},
      {"UPPER.children.name=x", "is a list; write children[0]"},
      {"TWIN.children[0].name=x", "children is empty"},
      {"WorldInfo=3", "names no field"},
      {"nothing", "sets nothing; write OWNER.FIELD=VALUE"},
      {"=3", "sets nothing"},
  };
  for (const auto& each : cases) {
    expect_error(each.setting, each.message);
  }
}

TEST_F(SetField, ValuesOutOfRangeHaveTheWarningsOfAFile) {
  Program program({"check", world, "--set", "WorldInfo.basicTimeStep=-3"});
  program.finish();
  EXPECT_TRUE(contains(program.out(), "--set WorldInfo.basicTimeStep=-3:1:25: ")) << program.out();
}

// The extremes in the document equal those of the trace.
TEST_F(SetField, JsonHasTheExtremesOfTheTraceAndTheirTimes) {
  const std::string trace = folder / "t.csv";
  const Outcome outcome =
      run_with(world, {"--set", "arm/shoulder.position=0.4", "--set", "arm/shoulder.maxTorque=0.5",
                       "--seed", "7", "--trace", trace});
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.run.at("seed"), 7);
  const json& joint = outcome.run.at("joints").at(0);
  std::ifstream file(trace);
  std::string line;
  std::getline(file, line);
  double least = 1e9;
  double least_time = 0.0;
  double last = 0.0;
  std::size_t column = 0;
  std::istringstream header(line);
  for (std::string cell; std::getline(header, cell, ',') && !contains(cell, " velocity [");) {
    ++column;
  }
  while (std::getline(file, line)) {
    std::istringstream row(line);
    std::string cell;
    std::getline(row, cell, ',');
    const double time = std::stod(cell);
    for (std::size_t c = 1; c <= column; ++c) {
      std::getline(row, cell, ',');
    }
    last = std::stod(cell);
    least_time = last < least ? time : least_time;
    least = std::min(least, last);
  }
  EXPECT_LT(least, -0.1);  // the arm falls
  EXPECT_EQ(joint.at("velocity").at("min").get<double>(), least);
  EXPECT_NEAR(joint.at("velocity").at("min_time").get<double>(), least_time, 1e-9);
  EXPECT_EQ(joint.at("velocity").at("final").get<double>(), last);
  EXPECT_EQ(joint.at("position").at("max").get<double>(), joint.at("start").get<double>());
  EXPECT_EQ(joint.at("position").at("max_time").get<double>(), 0.0);
  EXPECT_TRUE(joint.at("step_response").is_null());
}

// A motor in velocity control has no target. A joint that is removed keeps its extremes.
TEST_F(SetField, JsonOfAJointThatTurnsUntilItIsRemoved) {
  folder.write("controllers/spin/spin.c", R"(#include <math.h>
#include <webots/motor.h>
#include <webots/robot.h>
#include <webots/supervisor.h>
int main(void) {
  wb_robot_init();
  WbDeviceTag motor = wb_robot_get_device("shoulder");
  wb_motor_set_position(motor, INFINITY);
  wb_motor_set_velocity(motor, 1);
  for (int i = 0; wb_robot_step(8) != -1; ++i) {
    if (i == 20) wb_supervisor_node_remove(wb_supervisor_node_get_from_def("TURN"));
  }
  wb_robot_cleanup();
  return 0;
}
)");
  folder.write("w.wbt", replaced(replaced(kWorld, "controller \"<none>\"", "supervisor TRUE"),
                                 "HingeJoint {", "DEF TURN HingeJoint {"));
  const Outcome outcome =
      run_with(world, {"--controller", "arm=" + (folder / "controllers/spin").string()});
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const json& joint = outcome.run.at("joints").at(0);
  EXPECT_TRUE(joint.at("step_response").is_null()) << joint;
  EXPECT_TRUE(joint.at("velocity").at("final").is_null()) << joint;
  EXPECT_GT(joint.at("velocity").at("max"), 0.9) << joint;
  EXPECT_GT(joint.at("position").at("max"), 0.1) << joint;
}

TEST_F(SetField, InfoShowsThem) {
  Program program({"info", world, "--json", "--set", "arm/shoulder.maxTorque=7.5"});
  ASSERT_EQ(program.finish(), 0) << program.err();
  EXPECT_TRUE(contains(program.out(), "7.5")) << program.out();
}

}  // namespace
}  // namespace servosim
