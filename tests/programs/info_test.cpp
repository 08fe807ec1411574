// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "programs/program.h"

namespace servosim {
namespace info_test {

using nlohmann::json;
using test::Program;
using test::TempFolder;

constexpr const char* kHeader = "#VRML_SIM R2023b utf8\n";

struct Shown {
  int status;
  std::string out;
  std::string err;
};

Shown show(const std::string& world, std::vector<std::string> more = {},
           const std::string& project = "") {
  const TempFolder folder;
  folder.write("servosim.toml", project);
  more.insert(more.begin(), {"info", folder.write("w.wbt", world)});
  Program program(more);
  const int status = program.finish();
  return {status, program.out(), program.err()};
}

json document(const std::string& world, const std::string& project = "") {
  const Shown shown = show(kHeader + world, {"--json"}, project);
  EXPECT_EQ(shown.status, 0) << shown.err;
  return json::parse(shown.out);
}

std::string text(const std::string& world) {
  const Shown shown = show(kHeader + world);
  EXPECT_EQ(shown.status, 0) << shown.err;
  return shown.out;
}

// A base of 6 kg has a plate of 2 kg in its body, and an arm on a hinge.
constexpr const char* kArm = R"(
WorldInfo { title "Bench" basicTimeStep 16 gravity 3.7 }
Robot { name "arm" controller "wave" controllerArgs [ "a b" "c" ] supervisor TRUE battery [ 50 60 0.5 ]
  boundingObject Box { size 0.6 0.4 0.2 } physics Physics { density -1 mass 6 }
  children [
    GPS { name "gps" }
    Solid { name "plate" translation 0 0 0.4 boundingObject Box { size 0.2 0.2 0.1 }
      physics Physics { density -1 mass 2 } }
    HingeJoint {
      jointParameters HingeJointParameters { axis 0 0 2 anchor 0.3 0 0 minStop -1.25 maxStop 2.5
        springConstant 3 dampingConstant 0.5 staticFriction 0.25 }
      device [
        RotationalMotor { name "m" maxVelocity 4 maxTorque 7 acceleration 15 minPosition -1 maxPosition 2
          controlPID 8 0.5 0.125 }
        PositionSensor { name "s" resolution 0.001 noise 0.002 }
        Brake { name "b" } ]
      endPoint Solid { name "link" translation 0.5 0 0 boundingObject Box { size 0.4 0.1 0.1 }
        physics Physics { density 500 } } } ] }
Solid { name "floor" boundingObject Box { size 5 5 0.1 } }
)";

// Masses and inertias are sums of a few products, so only rounding differs from the closed form.
constexpr double kRounding = 1e-13;

TEST(Info, WeighsMergedSolidsAsOneBody) {
  const json info = document(kArm);
  ASSERT_EQ(info["bodies"].size(), 2u);
  const json& base = info["bodies"][0];
  EXPECT_NEAR(base["mass"], 8.0, kRounding);
  const double center = 2.0 * 0.4 / 8.0;
  EXPECT_NEAR(base["center_of_mass"][2], center, kRounding);
  const double ixx = 6.0 / 12 * (0.16 + 0.04) + 6.0 * center * center + 2.0 / 12 * (0.04 + 0.01) +
                     2.0 * (0.4 - center) * (0.4 - center);
  EXPECT_NEAR(base["inertia"][0][0], ixx, kRounding);
  EXPECT_NEAR(base["inertia"][2][2], 6.0 / 12 * (0.36 + 0.16) + 2.0 / 12 * 0.08, kRounding);
  EXPECT_EQ(base["hold"], "free");
  ASSERT_EQ(base["solids"].size(), 2u);
  EXPECT_EQ(info["solids"][base["solids"][0].get<int>()]["name"], "arm");
  EXPECT_EQ(info["solids"][base["solids"][1].get<int>()]["name"], "plate");

  const json& link = info["bodies"][1];
  EXPECT_NEAR(link["mass"], 500 * 0.4 * 0.1 * 0.1, kRounding);
  EXPECT_EQ(link["hold"], "joint");

  const json& robot = info["robots"][0];
  EXPECT_NEAR(robot["mass"], 10.0, kRounding);
  EXPECT_NEAR(robot["center_of_mass"][0], 2.0 * 0.5 / 10.0, kRounding);
  EXPECT_NEAR(robot["center_of_mass"][2], 2.0 * 0.4 / 10.0, kRounding);
  EXPECT_EQ(robot["bodies"], json({0, 1}));
}

TEST(Info, TellsLimitsOfDevicesAndJoints) {
  const json info = document(kArm);
  const json& robot = info["robots"][0];
  EXPECT_EQ(robot["controller_args"], json({"a b", "c"}));
  EXPECT_EQ(robot["supervisor"], true);
  EXPECT_EQ(
      robot["battery"],
      json({{"energy", 50.0}, {"capacity", 60.0}, {"charging_power", 0.5}, {"cpu_power", 10.0}}));
  ASSERT_EQ(robot["devices"].size(), 4u);
  const json& motor = robot["devices"][1];
  EXPECT_EQ(robot["devices"][0]["node_type"], "GPS");
  EXPECT_EQ(motor["tag"], 2);
  EXPECT_EQ(motor["joint"], 0);
  EXPECT_EQ(motor["motor"]["min_position"], -1.0);
  EXPECT_EQ(motor["motor"]["max_position"], 2.0);
  EXPECT_EQ(motor["motor"]["max_velocity"], 4.0);
  EXPECT_EQ(motor["motor"]["max_effort"], 7.0);
  EXPECT_EQ(motor["motor"]["acceleration"], 15.0);
  EXPECT_EQ(motor["motor"]["pid"], json({8.0, 0.5, 0.125}));
  EXPECT_EQ(robot["devices"][2]["sensor"]["resolution"], 0.001);
  EXPECT_EQ(robot["devices"][2]["sensor"]["noise"], 0.002);
  EXPECT_EQ(robot["devices"][3]["brake"], true);
  const json& joint = info["joints"][0];
  EXPECT_EQ(joint["name"], "arm/m");
  EXPECT_EQ(joint["axis"], json({0.0, 0.0, 1.0}));
  EXPECT_EQ(joint["min_stop"], -1.25);
  EXPECT_EQ(joint["max_stop"], 2.5);
  EXPECT_EQ(joint["spring"], 3.0);
  EXPECT_EQ(joint["damping"], 0.5);
  EXPECT_EQ(joint["friction"], 0.25);
  EXPECT_EQ(info["solids"][joint["child"].get<int>()]["name"], "link");
  EXPECT_EQ(info["world"]["title"], "Bench");
  EXPECT_EQ(info["world"]["gravity"], json({0.0, 0.0, -3.7}));
  EXPECT_EQ(info["world"]["coordinate_system"], "ENU");
  EXPECT_EQ(info["diagnostics"], json::array());
}

TEST(Info, SaysWhatIsStaticAndWhatIsCarried) {
  const json info = document(kArm);
  std::map<std::string, std::string> mobility;
  for (const json& solid : info["solids"]) {
    mobility[solid["name"]] = solid["mobility"];
  }
  EXPECT_EQ(mobility, (std::map<std::string, std::string>{{"arm", "dynamic"},
                                                          {"floor", "static"},
                                                          {"gps", "kinematic"},
                                                          {"link", "dynamic"},
                                                          {"plate", "dynamic"}}));
}

TEST(Info, AbsentLimitsAreNull) {
  const json info = document(R"(Robot { name "r" children [ SliderJoint {
    device LinearMotor { name "m" maxVelocity inf } endPoint Solid { name "e" } } ] })");
  const json& motor = info["robots"][0]["devices"][0]["motor"];
  for (const char* key : {"min_position", "max_position", "acceleration", "coupling"}) {
    EXPECT_TRUE(motor.at(key).is_null()) << key;
  }
  for (const char* key : {"min_stop", "max_stop", "anchor", "stop_erp", "suspension"}) {
    EXPECT_TRUE(info["joints"][0].at(key).is_null()) << key;
  }
  EXPECT_EQ(info["robots"][0]["mass"], 0.0);
  EXPECT_TRUE(info["robots"][0]["center_of_mass"].is_null());
}

TEST(Info, OldServosHaveTheirLimits) {
  const Shown shown = show(R"(#VRML_SIM V6.0 utf8
Robot { name "r" children [ Servo { name "s" maxVelocity 3 maxForce 5 minPosition -0.5 maxPosition 0.75
  boundingObject Sphere { radius 0.1 } physics Physics { density -1 mass 2 } } ] })",
                           {"--json"});
  const json info = json::parse(shown.out);
  const json& servo = info["robots"][0]["devices"][0];
  EXPECT_EQ(servo["node_type"], "Servo");
  EXPECT_EQ(servo["motor"]["min_position"], -0.5);
  EXPECT_EQ(servo["motor"]["max_position"], 0.75);
  EXPECT_EQ(servo["motor"]["max_velocity"], 3.0);
  EXPECT_EQ(servo["motor"]["max_effort"], 5.0);
  EXPECT_NEAR(info["bodies"][0]["inertia"][0][0], 0.4 * 2 * 0.01, kRounding);
  EXPECT_TRUE(info["world"]["coordinate_system"].is_null());
}

TEST(Info, DrawsTheTree) {
  const std::string shown = text(kArm);
  const std::string tree = R"(
  Robot "arm": 8 kg
  ├─ GPS "gps": no Physics, moved along
  ├─ Solid "plate": part of the body of Robot "arm"
  └─ hinge "arm/m": axis 0 0 1, anchor 0.3 0 0 m, stops -1.25 to 2.5 rad, spring 3 N·m/rad,
       damping 0.5 N·m·s/rad, friction 0.25 N·m
     └─ Solid "link": 2 kg
)";
  EXPECT_NE(shown.find(tree), std::string::npos) << shown;
  EXPECT_NE(shown.find("\nOutside every robot\n  └─ Solid \"floor\": static\n"), std::string::npos)
      << shown;
  EXPECT_NE(shown.find("  controller       \"wave\" \"a b\" \"c\"\n"), std::string::npos) << shown;
  EXPECT_NE(shown.find("\n  + \"plate\""), std::string::npos) << shown;
}

// Returns the number of code points, as the program counts columns.
std::size_t columns(const std::string& line) {
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

void expect_narrow(const std::string& shown) {
  std::istringstream lines(shown);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(columns(line), 100u) << line;
  }
}

TEST(Info, ShowsOurWorldsWithoutAWarning) {
  for (const auto& entry : std::filesystem::directory_iterator(SERVOSIM_WORLDS_DIR)) {
    if (entry.path().extension() == ".wbt") {
      Program program({"info", entry.path().string()});
      EXPECT_EQ(program.finish(), 0) << entry.path();
      EXPECT_EQ(program.err().find("warning"), std::string::npos) << program.err();
      EXPECT_NE(program.out().find("\n  body  "), std::string::npos) << program.out();
      std::string world_first = program.out();
      expect_narrow(world_first.substr(world_first.find('\n')));  // the path in the first line may
                                                                  // be longer
    }
  }
}

TEST(Info, AWorldWithoutAnythingIsEmpty) {
  const json info = document("");
  for (const char* key : {"robots", "solids", "joints", "bodies", "propellers", "diagnostics"}) {
    EXPECT_EQ(info.at(key), json::array()) << key;
  }
  EXPECT_NE(text("").find("0 robots, 0 joint axes, 0 Solids, 0 bodies of 0 kg"), std::string::npos);
}

TEST(Info, ABrokenWorldHasDiagnosticsOnly) {
  const Shown shown = show("#VRML_SIM R2023b utf8\nRobot { name \"a\"", {"--json"});
  EXPECT_EQ(shown.status, 2);
  const json info = json::parse(shown.out);
  ASSERT_EQ(info["diagnostics"].size(), 1u);
  EXPECT_EQ(info["diagnostics"][0]["severity"], "error");
  EXPECT_EQ(info["diagnostics"][0]["line"], 2);
  EXPECT_FALSE(info.contains("robots"));
  EXPECT_NE(shown.err.find(": error: "), std::string::npos) << shown.err;
  const Shown plain = show("#VRML_SIM R2023b utf8\nRobot { name \"a\"");
  EXPECT_EQ(plain.status, 2);
  EXPECT_EQ(plain.out, "");
}

TEST(Info, WarnsAsRunDoes) {
  const std::string world = std::string(kHeader) + "Solid { maxSpeed 4 }\n";
  const Shown shown = show(world, {"--json"});
  EXPECT_EQ(shown.status, 0);
  const json info = json::parse(shown.out);
  ASSERT_EQ(info["diagnostics"].size(), 1u);
  EXPECT_EQ(info["diagnostics"][0]["column"], 9);
  EXPECT_NE(shown.err.find("w.wbt:2:9: warning: "), std::string::npos) << shown.err;
}

TEST(Info, RefusesWhatIsNoWorldFile) {
  const TempFolder folder;
  for (const std::string& path :
       {folder.path().string(), std::string("/dev/zero"), (folder / "absent.wbt").string()}) {
    Program program({"info", "--json", path});
    EXPECT_EQ(program.finish(), 2) << path;
    const json info = json::parse(program.out());
    EXPECT_EQ(info["world"]["path"], path);
    EXPECT_EQ(info["diagnostics"][0]["severity"], "error");
  }
}

TEST(Info, FailsWhenTheOutputIsLost) {
  const int status = std::system("'" SERVOSIM_PROGRAM "' info '" SERVOSIM_WORLDS_DIR
                                 "/arm.wbt' >/dev/full 2>/dev/null");
  EXPECT_EQ(WEXITSTATUS(status), 1);
}

// The name has a tab, a quote, an escape sequence and a byte that is no UTF-8.
TEST(Info, OddNamesBreakNothing) {
  const std::string name =
      "a\tb\\\"c\x1b[31m\xff"
      "ü";
  const std::string world = "Robot { name \"" + name + "\" children [ Robot { name \"\" } ] }";
  const json info = document(world);
  EXPECT_EQ(info["robots"][0]["name"], "a\tb\"c\x1b[31m\xef\xbf\xbdü");
  EXPECT_EQ(info["robots"][1]["name"], "");
  const std::string shown = text(world);
  EXPECT_NE(shown.find("Robot \"a\\tb\"c\\x1b[31m\\xffü\"\n"), std::string::npos) << shown;
  EXPECT_EQ(shown.find('\x1b'), std::string::npos);
  EXPECT_NE(shown.find("└─ Robot \"\": a robot of its own\n"), std::string::npos) << shown;
}

TEST(Info, DeepAndLongThingsStayReadable) {
  constexpr int kLevels = 790;  // the parser allows 800 nested nodes
  std::string world = "Robot { name \"" + std::string(300, 'n') + "\" children [\n";
  std::string tail = "] }";
  for (int i = 0; i < kLevels; ++i) {
    world += "Solid { name \"level " + std::to_string(i) + "\" children [\n";
    tail += "] }";
  }
  const std::string shown = text(world + tail);
  EXPECT_NE(shown.find(fmt::format("\"level {}\": static", kLevels - 1)), std::string::npos);
  expect_narrow(shown.substr(shown.find('\n')));
  const json info = document(world + tail);
  EXPECT_EQ(info["solids"].size(), kLevels + 1u);
}

// Each of them has the name that --controller and the trace use.
TEST(Info, RobotsOfOneNameAreToldApart) {
  const std::string robot = "Robot { name \"r\" boundingObject Box { } physics Physics { } }\n";
  const std::string shown = text(robot + robot);
  EXPECT_NE(shown.find("\nRobot \"r#2\"\n"), std::string::npos) << shown;
  EXPECT_NE(shown.find("\n  Robot \"r#2\": 8000 kg\n"), std::string::npos) << shown;
  EXPECT_EQ(shown.find("\"r\"", shown.find("\nRobot \"r#2\"")), std::string::npos) << shown;
}

TEST(Info, LoopsAndAxesAreShown) {
  const json info = document(R"(
Robot { name "r" boundingObject Box { } physics Physics { } children [
  BallJoint { jointParameters BallJointParameters { anchor 0 0 1 }
    endPoint Solid { name "arm" translation 0 0 2 boundingObject Box { } physics Physics { } } }
  HingeJoint { jointParameters HingeJointParameters { anchor 0 1 0 }
    endPoint SolidReference { solidName "arm" } } ] })");
  ASSERT_EQ(info["joints"].size(), 4u);
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_EQ(info["joints"][axis]["kind"], "ball");
    EXPECT_EQ(info["joints"][axis]["axis_number"], axis + 1);
    EXPECT_EQ(info["joints"][axis]["first_axis"], 0);
  }
  EXPECT_EQ(info["joints"][3]["closes_loop"], true);
  EXPECT_EQ(info["joints"][3]["child"], info["joints"][0]["child"]);
}

void collect_keys(const json& value, std::set<std::string>& keys) {
  for (const auto& item : value.items()) {
    if (value.is_object()) {
      keys.insert(item.key());
    }
    if (item.value().is_structured()) {
      collect_keys(item.value(), keys);
    }
  }
}

// The page names every key and no other key.
TEST(Info, TheDocumentIsDocumented) {
  const json info = document(std::string(kArm) + R"(
Solid { maxSpeed 1 }
Robot { name "drone" boundingObject Box { } physics Physics { } children [
  Propeller { device RotationalMotor { name "p" } }
  HingeJoint { jointParameters HingeJointParameters { suspensionSpringConstant 3 }
    endPoint Solid { name "wheel" boundingObject Box { } physics Physics { } } }
  HingeJoint { device RotationalMotor { name "served"
      #servosim servo "STS3215"
    } endPoint Solid { name "horn" boundingObject Box { } physics Physics { } } } ] })",
                             "[[bus]]\nname = \"arm\"\n");
  std::set<std::string> keys;
  collect_keys(info, keys);
  const std::string page = test::read_text(SERVOSIM_DOCS_DIR "/reference/info-json.md");
  std::set<std::string> documented;
  const std::regex row("\n\\| ([^|]*) \\|");
  const std::regex key("`([a-z_]+)`");
  for (std::sregex_iterator r(page.begin(), page.end(), row); r != std::sregex_iterator(); ++r) {
    const std::string cell = (*r)[1];
    for (std::sregex_iterator k(cell.begin(), cell.end(), key); k != std::sregex_iterator(); ++k) {
      documented.insert((*k)[1]);
    }
  }
  EXPECT_EQ(keys, documented);
}

}  // namespace info_test
}  // namespace servosim
