// SPDX-License-Identifier: Apache-2.0
// The command `servos`, and servosim.toml's servos in the commands that load a world.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "programs/program.h"
#include "programs/shell.h"

namespace servosim {
namespace {

using nlohmann::json;
using test::contains;
using test::Program;
using test::TempFolder;

struct Told {
  int status;
  std::string out;
  std::string err;
};

Told tell(const std::vector<std::string>& arguments) {
  Program program(arguments);
  const int status = program.finish();
  return {status, program.out(), program.err()};
}

constexpr const char* kArm = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 }
Robot { name "arm" controller "<none>" physics Physics { } boundingObject Box { } children [
  HingeJoint { device [ RotationalMotor { name "left" } ]
    endPoint Solid { name "l" physics Physics { } boundingObject Box { size 0.1 0.1 0.1 } } }
] }
)";

TEST(Servos, ListsTheCatalogue) {
  const Told text = tell({"servos"});
  EXPECT_EQ(text.status, 0);
  EXPECT_TRUE(contains(text.out, "XL330-M288-T")) << text.out;
  EXPECT_TRUE(contains(text.out, "m1 m2 m3* m4 m5 m6 sheet"));
  const Told listed = tell({"servos", "--json"});
  EXPECT_EQ(listed.status, 0);
  const json document = json::parse(listed.out);
  EXPECT_EQ(document["schema"], "servosim-servos-1");
  ASSERT_EQ(document["servos"].size(), 65u);
  std::vector<std::string> assumed;
  for (const json& servo : document["servos"]) {
    EXPECT_GT(servo["stall_torque"].get<double>(), 0.0) << servo["name"];
    if (servo["confidence"] == "assumed") {
      assumed.push_back(servo["name"]);
    }
  }
  EXPECT_EQ(assumed, (std::vector<std::string>{"MX-106(2.0)", "MX-64(2.0)", "SCS0009", "STS3032"}));
}

TEST(Servos, ShowsOne) {
  const Told text = tell({"servos", "XL330-M288"});
  EXPECT_EQ(text.status, 0) << text.err;
  for (const char* part :
       {"XL330-M288-T of ROBOTIS; also called XL330-M288", "m3, the default. Of the published laws",
        "source: Rhoban/bam", "confidence: identified", "At 5 V: stall torque", "drive.resistance",
        "printed at V"}) {
    EXPECT_TRUE(contains(text.out, part)) << part << '\n' << text.out;
  }
  const json document = json::parse(tell({"servos", "--json", "STS3250 firmware.p=16"}).out);
  const json& servo = document["servos"].at(0);
  EXPECT_EQ(servo["name"], "STS3250");
  EXPECT_EQ(servo["fields"]["firmware.p"], 16.0);
  EXPECT_EQ(servo["fields"]["firmware.max_current"], nullptr);
  EXPECT_EQ(servo["confidence"], "data sheet");
  EXPECT_NE(std::find(servo["assumed"].begin(), servo["assumed"].end(), "drive.resistance"),
            servo["assumed"].end());
  EXPECT_NEAR(servo["torque_speed"].back().at(1).get<double>(), 0.0, 1e-6);
  EXPECT_TRUE(contains(tell({"servos", "STS3250"}).out, "an estimate, since the resistance"));
}

TEST(Servos, WritesAFileThatItReads) {
  const TempFolder folder;
  const Told written = tell({"servos", "--toml", "STS3215 firmware.p=16"});
  EXPECT_EQ(written.status, 0);
  folder.write("mine.toml", written.out);
  const Told read = tell({"servos", "mine", "--json", "--servo-path", folder / ""});
  EXPECT_EQ(read.status, 0) << read.err;
  EXPECT_EQ(json::parse(read.out)["servos"].at(0)["fields"]["firmware.p"], 16.0);
}

TEST(Servos, DrawsTheCurve) {
  const TempFolder folder;
  const Told drawn = tell({"servos", "XL330-M288-T", "--plot", folder / "c.svg"});
  EXPECT_EQ(drawn.status, 0) << drawn.err;
  const std::string svg = test::read_text(folder / "c.svg");
  EXPECT_TRUE(contains(svg, "XL330-M288-T, law m3, 5 V"));
  EXPECT_TRUE(contains(svg, "data sheet"));
}

TEST(Servos, SaysWhatIsWrong) {
  const Told unknown = tell({"servos", "XL330"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_TRUE(contains(unknown.err, "no servo is called 'XL330'; there are 'XL330-M077-T'"))
      << unknown.err;
  EXPECT_EQ(test::count(unknown.err, "\n"), 1);
  EXPECT_EQ(tell({"servos", "--toml"}).status, 2);
  const TempFolder folder;
  folder.write("bad.toml", "[drive]\nresistance = 0\n");
  const Told bad = tell({"servos", "bad", "--servo-path", folder / ""});
  EXPECT_EQ(bad.status, 2);
  EXPECT_TRUE(contains(bad.err, "bad.toml:2:1: drive.resistance is 0")) << bad.err;
  const Told listed = tell({"servos", "--servo-path", folder / ""});
  EXPECT_EQ(listed.status, 0);
  EXPECT_TRUE(contains(listed.err, "bad.toml:2:1: drive.resistance is 0"));
  EXPECT_TRUE(contains(listed.out, "XL330-M288-T"));
  EXPECT_EQ(tell({"servos", "--servo-path", folder / "none"}).status, 2);
}

TEST(Servos, ThePageHasEveryField) {
  const std::string page = test::read_text(std::string(SERVOSIM_DOCS_DIR) + "/reference/servos.md");
  const json document = json::parse(tell({"servos", "--json", "STS3215"}).out);
  const json& fields = document["servos"].at(0)["fields"];
  ASSERT_GT(fields.size(), 50u);
  for (const auto& [key, value] : fields.items()) {
    EXPECT_TRUE(contains(page, "\n| `" + key + "` | ")) << key;
  }
}

TEST(ServosOfAProject, AreInInfo) {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "worlds");
  const std::string world = folder.write("worlds/w.wbt", kArm);
  folder.write("servosim.toml",
               "duration = 0.1\n[servo.\"arm/*\"]\nmodel = \"STS3215\"\n"
               "firmware.p = 16\n");
  const Told info = tell({"info", "--json", world});
  EXPECT_EQ(info.status, 0) << info.err;
  EXPECT_TRUE(contains(info.out, "\"servo\": \"STS3215 firmware.p=16\"")) << info.out;
  EXPECT_TRUE(contains(tell({"info", world}).out, "servo STS3215 firmware.p=16"));
  const Told run = tell({"run", "--json", world});
  EXPECT_EQ(run.status, 0) << run.err;
  // The file gives the same world as settings.
  std::filesystem::remove(folder / "servosim.toml");
  const Told set = tell({"run", "--json", world, "--duration", "0.1", "--set",
                         "arm/left.servo=STS3215", "--set", "left.servo.firmware.p=16"});
  EXPECT_EQ(json::parse(run.out)["state_hash"], json::parse(set.out)["state_hash"]);
}

// The same fault in servosim.toml ends each command that loads a world, with its line.
TEST(ServosOfAProject, ReachEveryCommand) {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "worlds");
  const std::string world = folder.write("worlds/w.wbt", kArm);
  folder.write("servosim.toml", "[servo.left]\nmodel = \"STS3216\"\n");
  const std::vector<std::vector<std::string>> commands{
      {"run", "--duration", "1", world},
      {"check", world},
      {"info", world},
      {"sweep", world, "--param", "left.maxTorque=1,2", "--duration", "1", "-o", folder / "o.csv"},
      {"step", world, "--joint", "left"},
      {"bode", world, "--joint", "left"},
      {"identify", world, "--joint", "left"},
      {"tune", world, "--joint", "left", "--settle", "0.5"},
      {"view", world, "-o", folder / "v.html"},
  };
  for (const auto& command : commands) {
    const Told told = tell(command);
    const std::string all = told.out + told.err;
    EXPECT_EQ(told.status, 2) << command.front() << '\n' << all;
    EXPECT_TRUE(contains(all,
                         "servosim.toml:1:8: error: servo of motor \"left\": no servo is "
                         "called 'STS3216'; the nearest names are 'STS3215'"))
        << command.front() << '\n'
        << all;
  }
}

TEST(ServosOfAProject, ReachAControllerThatContainsItsSimulation) {
  SKIP_WITHOUT_PYTHON_API();
  const TempFolder folder;
  std::filesystem::create_directories(folder / "worlds");
  folder.write("worlds/w.wbt", kArm);
  folder.write("servosim.toml", "[servo.left]\nmodel = \"STS3216\"\n");
  const test::ShellResult run = test::shell(
      "PYTHONPATH=\"$(servosim webots-home)/lib/controller/python\" SERVOSIM_WORLD=worlds/w.wbt "
      "python3 -c 'from controller import Robot; Robot()' 2>&1",
      folder.path());
  EXPECT_NE(run.status, 0);
  EXPECT_TRUE(contains(run.output, "no servo is called 'STS3216'")) << run.output;
}

}  // namespace
}  // namespace servosim
