// SPDX-License-Identifier: Apache-2.0
// How motors become servos: by the world, by servosim.toml, by settings; and that each way to load
// a world gives the same.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "physics/physics_world.h"
#include "scene/scene.h"
#include "servosim/batch.h"
#include "servosim/simulation.h"
#include "sim/world_inspector.h"
#include "sweep/sweep.h"

namespace servosim {
namespace {

constexpr const char* kWorld = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 }
Robot { name "arm" controller "<none>" physics Physics { } boundingObject Box { } children [
  HingeJoint { device [ RotationalMotor { name "left" } ]
    endPoint Solid { name "l" physics Physics { } boundingObject Box { size 0.1 0.1 0.1 } } }
  HingeJoint { device [ RotationalMotor { name "right"
    #servosim servo "SG90"
    } ]
    endPoint Solid { name "r" physics Physics { } boundingObject Box { size 0.1 0.1 0.1 } } }
] }
)";

class ServoProject {
 public:
  explicit ServoProject(const std::string& toml) : folder_("servo_project") {
    std::filesystem::create_directories(folder_.path() + "/worlds");
    write("worlds/w.wbt", kWorld);
    if (!toml.empty()) {
      write("servosim.toml", toml);
    }
  }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(
        std::filesystem::path(folder_.path() + '/' + name).parent_path());
    std::ofstream(folder_.path() + '/' + name) << text;
  }
  std::string path(const std::string& name) const { return folder_.path() + '/' + name; }
  std::string world() const { return path("worlds/w.wbt"); }

 private:
  TemporaryFolder folder_;
};

std::string choices_in(const Simulation& simulation) {
  std::string text;
  for (const DeviceSpec& device : WorldInspector(simulation).scene().robots.at(0).devices) {
    if (device.motor) {
      text += fmt::format("{}: {}{}\n", device.name, device.motor->servo_choice,
                          (device.motor->servo != nullptr) == device.motor->servo_choice.empty()
                              ? " is not bound"
                              : "");
    }
  }
  return text;
}

std::vector<std::string> faults(const std::function<void()>& load) {
  std::vector<std::string> messages;
  try {
    load();
  } catch (const LoadError& error) {
    for (const Diagnostic& d : error.list()) {
      messages.push_back(to_string(d));
    }
  }
  return messages;
}

LoadOptions set_to(std::vector<std::pair<std::string, std::string>> settings) {
  LoadOptions options;
  for (const auto& [path, value] : settings) {
    options.settings.push_back({path, value, "set", 1});
  }
  return options;
}

TEST(ServoChoices, OfServosimTomlHoldOnEveryWay) {
  const ServoProject project(
      "duration = 3\n[servo.\"arm/*\"]\nmodel = \"STS3215\"\nfirmware.p = 16\n"
      "[servo.left.supply]\nvoltage = 6\n");
  const std::string expected =
      "left: STS3215 firmware.p=16 supply.voltage=6\nright: STS3215 firmware.p=16\n";
  const Simulation file(project.world());
  EXPECT_EQ(choices_in(file), expected);
  EXPECT_EQ(choices_in(Simulation::from_text(kWorld, {}, project.path("worlds"))), expected);
  EXPECT_EQ(choices_in(file.clone()), expected);
  Simulation again(project.world());
  again.step(3);
  again.reset();
  EXPECT_EQ(choices_in(again), expected);
  const Batch batch(project.world(), 2);
  EXPECT_EQ(choices_in(batch.simulation(0)), expected);
  EXPECT_EQ(choices_in(batch.simulation(1)), expected);
  SweepOptions sweep;
  sweep.world = project.world();
  sweep.variation.parameters = {"arm/right.servo.firmware.p=8,24"};
  EXPECT_EQ(choices_in(Sweep(sweep).world()), expected);
  EXPECT_EQ(again.state_hash(), Simulation(project.world()).state_hash());
}

TEST(ServoChoices, SettingsHavePrecedence) {
  const ServoProject project("[servo.\"*\"]\nmodel = \"STS3215\"\n");
  EXPECT_EQ(choices_in(Simulation(project.world(), set_to({{"arm/left.servo", "SG90"},
                                                           {"arm/left.servo.firmware.p", "2"},
                                                           {"right.servo.supply.name", "x"}}))),
            "left: SG90 firmware.p=2\nright: STS3215 supply.name=x\n");
  const ServoProject plain("");
  EXPECT_EQ(
      choices_in(Simulation(plain.world(), set_to({{"right.servo.firmware.max_current", " inf"}}))),
      "left: \nright: SG90 firmware.max_current=inf\n");
  EXPECT_EQ(choices_in(Simulation(plain.world(), set_to({{"right.servo.firmware.p", "2"},
                                                         {"right.servo.firmware.p", "3"}}))),
            "left: \nright: SG90 firmware.p=3\n");
}

TEST(ServoChoices, LaterTablesAddToEarlierOnes) {
  const ServoProject project(
      "[servo.\"arm/r*\"]\nfirmware.p = 2\n[servo.\"*\"]\nsupply.voltage = 5\n");
  EXPECT_EQ(choices_in(Simulation(project.world())),
            "left: \nright: SG90 firmware.p=2 supply.voltage=5\n");
}

TEST(ServoChoices, ServosOfTheProject) {
  const ServoProject project("servo_path = [\"mine\"]\n[servo.left]\nmodel = \"own\"\n");
  project.write("mine/own.toml", "[supply]\nvoltage = 5\n");
  EXPECT_EQ(choices_in(Simulation(project.world())), "left: own\nright: SG90\n");
  const ServoProject plain("");
  plain.write("there/own.toml", "[supply]\nvoltage = 5\n");
  LoadOptions options = set_to({{"left.servo", "own"}});
  options.servo_paths = {plain.path("there")};
  EXPECT_EQ(choices_in(Simulation(plain.world(), options)), "left: own\nright: SG90\n");
}

TEST(ServoChoices, FaultsOfServosimTomlAreErrors) {
  const auto messages = [](const std::string& toml) {
    const ServoProject project(toml);
    std::string text;
    for (std::string& each : faults([&] { const Simulation s(project.world()); })) {
      EXPECT_EQ(each.find(project.path("")), 0u) << each;
      text += each.substr(project.path("").size()) + '\n';
    }
    return text;
  };
  EXPECT_EQ(messages("[servo.leg]\nmodel = \"SG90\"\n"),
            "servosim.toml:1:8: error: no motor of the world matches 'leg'; there are 'arm/left', "
            "'arm/right'\n");
  EXPECT_EQ(messages("servo_path = [\"nodir\"]\n"),
            "servosim.toml:1:14: error: there is no folder 'nodir'\n");
  EXPECT_EQ(messages("\n[servo.left]\nfirmware.p = 3\n"),
            "servosim.toml:2:8: error: the motors that match 'left' are no servos; say by model = "
            "\"…\" which servo they are\n");
  EXPECT_EQ(
      messages("[servo.left]\nmodel = \"SG9O\"\n")
          .find("servosim.toml:1:8: error: servo of motor \"left\": no servo is called 'SG9O'; the "
                "nearest names are 'SG90'"),
      0u);
  EXPECT_EQ(messages("[servo.left]\nmodel = \"SG90 p\"\n"),
            "servosim.toml:2:9: error: 'p' of 'SG90 p' must be KEY=VALUE without blanks, such as "
            "firmware.p=16\n");
  EXPECT_EQ(messages("[servo.left]\nmodel = \"SG90\"\nfirmware.p = -3\n"),
            "servosim.toml:3:10: error: firmware.p is -3, but it must be in [0, inf)\n");
  EXPECT_EQ(messages("[servo.left]\nmodell = \"SG90\"\n"),
            "servosim.toml:2:1: error: 'modell' is neither 'model' nor a field of a servo, such as "
            "firmware.p\n");
  EXPECT_EQ(messages("[servo.left]\n"),
            "servosim.toml:1:1: error: say which servo it is, such as model = \"STS3215\"\n");
  EXPECT_EQ(messages("servo = 3\n"), "servosim.toml:1:9: error: 'servo' must be a table\n");
  EXPECT_EQ(messages("[servo\n").find("servosim.toml:1:7: error: "), 0u);
}

// A table of all motors, and one that leaves a motor as it is in Webots.
TEST(ServoChoices, AnEmptyModelIsAMotorWithoutAServo) {
  const ServoProject project(
      "[servo.\"arm/*\"]\nmodel = \"STS3215\"\n[servo.right]\nmodel = \"\"\n");
  EXPECT_EQ(choices_in(Simulation(project.world())), "left: STS3215\nright: \n");
  project.write("servosim.toml", "[servo.right]\nmodel = \"\"\n");
  EXPECT_EQ(choices_in(Simulation(project.world())), "left: \nright: \n");
  project.write("servosim.toml", "[servo.right]\nmodel = \"\"\nfirmware.p = 3\n");
  EXPECT_EQ(faults([&] { const Simulation s(project.world()); }),
            std::vector<std::string>{
                project.path("servosim.toml:1:1: error: model = \"\" is a motor without a servo, "
                             "which has no other keys")});
}

TEST(ServoChoices, SearchNoFolderThatIsNotThere) {
  const ServoProject project("");
  LoadOptions options;
  options.servo_paths = {project.path("nodir")};
  const std::vector<std::string> messages =
      faults([&] { const Simulation s(project.world(), options); });
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_NE(messages[0].find("servo_paths: '" + project.path("nodir") + "' does not exist"),
            std::string::npos)
      << messages[0];
  project.write("servos/own.toml", "[supply]\nvoltage = 5\n");
  options.servo_paths = {project.path("servos")};
  options.settings = {{"left.servo", "owm"}};
  const std::vector<std::string> near =
      faults([&] { const Simulation s(project.world(), options); });
  ASSERT_EQ(near.size(), 1u);
  EXPECT_NE(near[0].find("no servo is called 'owm'; the nearest names are 'own'"),
            std::string::npos)
      << near[0];
}

// A table that matches nothing may be about another world of the project, if there is one.
TEST(ServoChoices, ATableMayBeAboutAnotherWorldOfTheProject) {
  const ServoProject project("[servo.leg]\nmodel = \"SG90\"\n[servo.left]\nmodel = \"STS3215\"\n");
  EXPECT_EQ(faults([&] { const Simulation s(project.world()); }).size(), 1u);
  // These are no worlds of the project.
  project.write("worlds/.trash/legs.wbt", "#VRML_SIM R2023b utf8\n");
  project.write("controllers/legs/legs.wbt", "#VRML_SIM R2023b utf8\n");
  EXPECT_EQ(faults([&] { const Simulation s(project.world()); }).size(), 1u);
  project.write("worlds/more/legs.wbt", "#VRML_SIM R2023b utf8\n");
  const Simulation simulation(project.world());
  EXPECT_EQ(choices_in(simulation), "left: STS3215\nright: SG90\n");
  ASSERT_EQ(simulation.diagnostics().size(), 1u);
  EXPECT_EQ(to_string(simulation.diagnostics()[0]),
            project.path("servosim.toml:1:8: warning: no motor of the world matches 'leg'; there "
                         "are 'arm/left', 'arm/right'; another world of the project may have it"));
  // What is no choice of a servo stays an error, whatever matches.
  project.write("servosim.toml", "[servo.leg]\nmodel = \"SG90\"\nfirmware.q = 3\n");
  EXPECT_EQ(faults([&] { const Simulation s(project.world()); }).size(), 1u);
}

TEST(ServoChoices, FaultsOfSettingsAreErrors) {
  const ServoProject project("");
  const auto message = [&](const std::string& path, const std::string& value) {
    const auto found = faults([&] {
      const Simulation s(project.world(), set_to({{path, value}}));
    });
    return found.empty() ? std::string() : found.front();
  };
  EXPECT_EQ(
      message("left.servo.firmware.p", "3"),
      "set:1:12: error: RotationalMotor.servo is empty; set it to the name of a servo before");
  EXPECT_EQ(message("right.servo.firmware.q", "3")
                .find("set:1:13: error: a servo has no field 'firmware.q'; the nearest names are"),
            0u)
      << message("right.servo.firmware.q", "3");
  EXPECT_EQ(message("right.servo.drive.resistance", "0"),
            "set:1:30: error: servo of motor \"right\": drive.resistance is 0, but it must be in "
            "(0, inf)");
  EXPECT_EQ(message("right.servo", "SG91")
                .find("set:1:13: error: servo of motor \"right\": no servo is called 'SG91'"),
            0u);
}

// A batch draws numbers of servos as those of any field.
TEST(ServoChoices, AreParametersOfABatch) {
  const ServoProject project("[servo.\"*\"]\nmodel = \"STS3215\"\n");
  Batch batch(project.world(), 3);
  batch.randomize({{"arm/*.servo.drive.resistance", 2.0, 3.0}});
  batch.reset();
  std::vector<double> drawn;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    for (const DeviceSpec& device :
         WorldInspector(batch.simulation(i)).scene().robots.at(0).devices) {
      if (device.motor) {
        const double resistance = device.motor->servo->drive.resistance;
        EXPECT_GE(resistance, 2.0);
        EXPECT_LT(resistance, 3.0);
        drawn.push_back(resistance);
      }
    }
  }
  std::sort(drawn.begin(), drawn.end());
  EXPECT_EQ(std::adjacent_find(drawn.begin(), drawn.end()), drawn.end());
  EXPECT_THROW(batch.randomize({{"arm/left.servo.drive.resistance", -1.0, 1.0}}),
               std::invalid_argument);
}

// Buses are opened by `servosim run` alone; their tables are checked however a world is loaded.
TEST(ServoChoices, BusesOfAProjectAreCheckedAndNotOpened) {
  const ServoProject project(
      "[[bus]]\nname = \"arm\"\nlink = \"arm\"\ncontrol = \"arm.control\"\n");
  Simulation simulation(project.world());
  simulation.step();
  Batch(project.world(), 2).step();
  EXPECT_FALSE(std::filesystem::exists(project.path("arm")));
  EXPECT_FALSE(std::filesystem::exists(project.path("arm.control")));
  project.write("servosim.toml", "[[bus]]\nname = \"arm\"\nclock = \"sun\"\n");
  for (const auto& found : {faults([&] { const Simulation s(project.world()); }),
                            faults([&] { const Batch b(project.world(), 2); })}) {
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NE(found[0].find("servosim.toml:3:9: error: a clock is"), std::string::npos) << found[0];
  }
}

// A project chooses how bodies move, with less precedence than options and more than the world.
TEST(ProjectIntegrator, HoldsHoweverTheWorldIsLoaded) {
  const ServoProject project("integrator = \"joint\"\nevaluations = 3\n");
  const auto counts_of = [](Simulation& simulation) {
    simulation.step(10);
    return WorldInspector(simulation).physics().solver_counts()->joint;
  };
  Simulation simulation(project.world());
  const JointCounts of_project = counts_of(simulation);
  EXPECT_GT(of_project.islands, 0u);
  EXPECT_EQ(of_project.evaluations, 3 * of_project.islands);
  LoadOptions options;
  options.evaluations = 1;
  Simulation with_one(project.world(), options);
  const JointCounts of_one = counts_of(with_one);
  EXPECT_EQ(of_one.evaluations, of_one.islands);
  options = {};
  options.integrator = Integrator::Ode;
  Simulation by_ode(project.world(), options);
  EXPECT_EQ(counts_of(by_ode).islands, 0u);
  Batch batch(project.world(), 2);
  batch.step();
  EXPECT_GT(WorldInspector(batch.simulation(1)).physics().solver_counts()->joint.islands, 0u);
}

TEST(ProjectIntegrator, IsRefusedWithItsPlace) {
  const auto message = [](const std::string& toml) {
    const ServoProject project(toml);
    const std::vector<std::string> all = faults([&] { const Simulation s(project.world()); });
    return all.empty() ? std::string() : all[0].substr(project.path("").size());
  };
  EXPECT_EQ(message("integrator = \"rk4\"\n"),
            "servosim.toml:1:14: error: integrator: expected \"ode\" or \"joint\"");
  EXPECT_EQ(message("evaluations = 9\n"),
            "servosim.toml:1:15: error: evaluations: expected a whole number from 0 to 8");
  EXPECT_EQ(message("evaluations = 2.5\n"),
            "servosim.toml:1:15: error: evaluations: expected a whole number from 0 to 8");
  for (const char* const bad : {"-1e-5", "1.5", "nan", "\"fine\""}) {
    EXPECT_EQ(message(fmt::format("accuracy = {}\n", bad)),
              "servosim.toml:1:12: error: accuracy: expected a number from 0 to 1 [rad or m]")
        << bad;
  }
}

}  // namespace
}  // namespace servosim
