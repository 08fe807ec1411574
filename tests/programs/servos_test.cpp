// SPDX-License-Identifier: Apache-2.0
// The command `servos`, and servosim.toml's servos in the commands that load a world.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "programs/program.h"
#include "programs/shell.h"
#include "servosim/batch.h"
#include "servosim/simulation.h"

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

// The state hash that `run --json` prints.
std::string hash_in(const std::string& document) {
  return json::parse(document).at("runs").at(0).at("state_hash");
}

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
  EXPECT_EQ(assumed,
            (std::vector<std::string>{"MX-106(2.0)", "MX-64(2.0)", "SCS0009", "STS3032",
                                      "Unitree-4010", "Unitree-5020", "Unitree-7520-14.3",
                                      "Unitree-7520-22.5", "Unitree-Go1-calf", "Unitree-Go1-hip"}));
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
  EXPECT_EQ(hash_in(run.out), hash_in(set.out));
}

// A path is that of a file, as for the servo of a fit.
TEST(Servos, ShowsAFile) {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "own");
  const std::string path =
      folder.write("own/desk.toml", "[supply]\nvoltage = 5\n[facts]\ngear_ratio = 100\n");
  const Told shown = tell({"servos", path + " firmware.p=3", "--json"});
  ASSERT_EQ(shown.status, 0) << shown.err;
  const json servo = json::parse(shown.out)["servos"][0];
  EXPECT_EQ(servo["voltage"], 5.0);
  EXPECT_EQ(servo["fields"]["firmware.p"], 3.0);
  EXPECT_EQ(servo["facts"]["gear_ratio"], 100.0);
  const Told none = tell({"servos", (folder / "own/disk.toml").string()});
  EXPECT_EQ(none.status, 2);
  EXPECT_TRUE(contains(none.err, "there is no file '")) << none.err;
  EXPECT_TRUE(contains(none.err, "desk.toml")) << none.err;
  EXPECT_TRUE(contains(tell({"servos", "STS3250"}).out, "supply.voltage"));
}

// What the file says is TOML for the options of the project as well as for the servos.
TEST(ServosOfAProject, StandInAnyTomlFile) {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "worlds");
  std::filesystem::create_directories(folder / "servos");
  const std::string world = folder.write("worlds/w.wbt", kArm);
  for (const char* text :
       {"[ servo . \"left\" ] # a comment\nmodel = \"STS3215\"\n",
        "allow_missing = [\n  \"protos\",  # a comment\n  \"plugins\",\n]\nduration = 1.0\n"
        "[servo.\"arm/left\"] # a comment\nmodel = 'STS3215'\n",
        "watch = []\nservo_path = [\n  \"servos\",\n]\nservo.left = { model = \"STS3215\" }\n"}) {
    folder.write("servosim.toml", text);
    const Told run = tell({"run", world, "--steps", "2"});
    EXPECT_EQ(run.status, 0) << text << run.err;
    const Told info = tell({"info", world});
    EXPECT_TRUE(contains(info.out, "servo STS3215")) << text << info.out << info.err;
  }
  folder.write("servosim.toml", "[servos.left]\nmodel = \"STS3215\"\n");
  const Told close = tell({"run", world});
  EXPECT_EQ(close.status, 2);
  EXPECT_TRUE(contains(close.err,
                       "servosim.toml:1: 'servos.left' is no option of a project; did you mean "
                       "'servo'?"))
      << close.err;
  folder.write("servosim.toml", "duration = 1\nduration = 2\n");
  const Told twice = tell({"run", world});
  EXPECT_EQ(twice.status, 2);
  EXPECT_TRUE(contains(twice.err, "servosim.toml:2: ")) << twice.err;
}

// The first file of the page about servos is copied as it is.
TEST(ServosOfAProject, AreAsThePageHasThem) {
  const std::string page =
      test::read_text(std::filesystem::path(SERVOSIM_SOURCE_DIR) / "docs/reference/servos.md");
  const std::size_t begin = page.find("```toml\n") + 8;
  const TempFolder folder;
  std::filesystem::create_directories(folder / "worlds");
  std::filesystem::create_directories(folder / "servos");
  folder.write("servosim.toml", page.substr(begin, page.find("```\n", begin) - begin));
  std::string text = kArm;
  text.replace(text.find("left"), 4, "gripper");
  const std::string world = folder.write("worlds/w.wbt", text);
  const Told run = tell({"run", world, "--steps", "2"});
  EXPECT_EQ(run.status, 0) << run.err;
  const Told info = tell({"info", world});
  EXPECT_TRUE(contains(info.out, "servo STS3215 firmware.p=16 supply.voltage=6.8"))
      << info.out << info.err;
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

// An arm that its controller moves, for `servo` a line of its motor.
std::string moving_world(const std::string& servo) {
  return R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 }
Robot { name "arm" controller "move" children [
  HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 }
    device [ RotationalMotor { name "left" maxVelocity 50
      )" +
         servo +
         R"(
    } PositionSensor { name "sensor" } ]
    endPoint Solid { translation 0.1 0 0 name "l" physics Physics { density -1 mass 0.3 }
      boundingObject Box { size 0.2 0.02 0.02 } } }
] }
)";
}

constexpr const char* kField = "#servosim servo \"STS3215 firmware.p=16 encoder.noise=0.001\"";
constexpr const char* kTable =
    "[servo.\"arm/*\"]\nmodel = \"STS3215\"\nfirmware.p = 16\nencoder.noise = 0.001\n";
constexpr int kMovingSteps = 60;

// The target in a step; the controller below has the same.
double moving_target(int step) { return step < 25 ? 0.9 : -0.4; }
constexpr const char* kMove = R"(from controller import Robot
robot = Robot()
motor = robot.getDevice('left')
for step in range(60):
    motor.setPosition(0.9 if step < 25 else -0.4)
    if robot.step(8) == -1:
        break
)";

std::string text_of(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

// A project whose servo is in the field of its motor, in a table of servosim.toml, or nowhere.
class MovingProject {
 public:
  MovingProject(const std::string& field, const std::string& table) {
    folder_.write("worlds/w.wbt", moving_world(field));
    folder_.write("controllers/move/move.py", kMove);
    if (!table.empty()) {
      folder_.write("servosim.toml", table);
    }
  }
  std::string world() const { return folder_ / "worlds/w.wbt"; }
  const TempFolder& folder() const { return folder_; }

  std::string hash_of_run() const {
    const Told run = tell({"run", "--json", world(), "--steps", std::to_string(kMovingSteps),
                           "--trace", folder_ / "hosted.csv"});
    EXPECT_EQ(run.status, 0) << run.err;
    return hash_in(run.out);
  }
  std::string hash_of_simulation() const {
    Simulation simulation(world());
    for (int step = 0; step < kMovingSteps; ++step) {
      simulation.robot(0).motor("left").set_position(moving_target(step));
      simulation.step();
    }
    return text_of(simulation.state_hash());
  }
  // The second of two instances, with the seed of the others.
  std::string hash_of_batch() const {
    Batch batch(world(), 2);
    batch.bind({}, {"left.target_position"});
    batch.reset({}, {}, std::vector<std::int64_t>{0, 0});
    for (int step = 0; step < kMovingSteps; ++step) {
      for (double& action : batch.actions<double>()) {
        action = moving_target(step);
      }
      EXPECT_TRUE(batch.step());
    }
    EXPECT_EQ(batch.simulation(0).state_hash(), batch.simulation(1).state_hash());
    return text_of(batch.simulation(1).state_hash());
  }
  std::string trace_of_run() const { return test::read_text(folder_ / "hosted.csv"); }
  std::string trace_in_one_process() const {
    const test::ShellResult run = test::shell(
        "PYTHONPATH=\"$(servosim webots-home)/lib/controller/python\" SERVOSIM_TRACE=embedded.csv "
        "SERVOSIM_WORLD=worlds/w.wbt python3 controllers/move/move.py 2>&1",
        folder_.path());
    EXPECT_EQ(run.status, 0) << run.output;
    return test::read_text(folder_ / "embedded.csv");
  }
  std::string answer_to_step() const {
    const Told step = tell({"step", world(), "--joint", "left", "--json"});
    EXPECT_EQ(step.status, 0) << step.err;
    return step.out;
  }

 private:
  TempFolder folder_;
};

TEST(ServosOfAProject, MoveAlikeOnEveryWay) {
  SKIP_WITHOUT_PYTHON_API();
  const MovingProject table("", kTable);
  const MovingProject field(kField, "");
  const MovingProject plain("", "");
  const std::string hash = field.hash_of_run();
  EXPECT_NE(hash, plain.hash_of_run());
  EXPECT_EQ(table.hash_of_run(), hash);
  for (const MovingProject* project : {&table, &field}) {
    EXPECT_EQ(project->hash_of_simulation(), hash);
    EXPECT_EQ(project->hash_of_batch(), hash);
    // A controller that contains its simulation tells no hash, but a trace of every bit.
    EXPECT_TRUE(contains(project->trace_of_run(), "arm/left current [A]"));
    EXPECT_EQ(project->trace_in_one_process(), project->trace_of_run());
  }
  EXPECT_FALSE(contains(plain.trace_of_run(), "current"));
  const auto without_world = [](std::string text) {
    json answer = json::parse(text);
    answer.erase("world");
    return answer.dump();
  };
  EXPECT_EQ(without_world(table.answer_to_step()), without_world(field.answer_to_step()));
  EXPECT_NE(without_world(table.answer_to_step()), without_world(plain.answer_to_step()));
}

TEST(ServosOfAProject, MoveAlikeInPython) {
  SKIP_WITHOUT_PYTHON_API();
  const MovingProject table("", kTable);
  const std::string script = R"(
import sys
try:
    import servosim
except ImportError as error:
    print('no package:', error)
    sys.exit()
targets = [0.9 if step < 25 else -0.4 for step in range(60)]
sim = servosim.Simulation('worlds/w.wbt')
for target in targets:
    sim.joints['left'].target = target
    sim.step()
assert sim.joints['left'].servo.model == 'STS3215'
batch = servosim.Batch('worlds/w.wbt', 1)
batch.bind(['left.position', 'left.current'], ['left.target_position'])
for target in targets:
    batch.actions[:] = target
    batch.step()
assert batch.observations[0, 1] == sim.joints['left'].servo.current
assert batch.observations[0, 0] == sim.joints['left'].position
print(f'{sim.state_hash():016x}')
)";
  table.folder().write("ways.py", script);
  const test::ShellResult run = test::shell(
      "PYTHONPATH=\"$(servosim webots-home)/lib/controller/python\" /usr/bin/python3 ways.py",
      table.folder().path());
  EXPECT_EQ(run.status, 0) << run.output;
  if (run.output.starts_with("no package:")) {
    GTEST_SKIP() << "there is no package servosim for Debian's Python";
  }
  EXPECT_EQ(run.output, table.hash_of_run() + '\n');
}

TEST(ServoPath, ReachesViewWebotsAndConvert) {
  SKIP_WITHOUT_PYTHON_API();
  const TempFolder folder;
  folder.write("mine/own.toml", "[supply]\nvoltage = 5\n");
  std::string text = moving_world("#servosim servo \"own\"");
  text.insert(text.find("controller \"move\""), "supervisor TRUE ");
  const std::string world = folder.write("worlds/w.wbt", text);
  folder.write("controllers/move/move.py",
               "from controller import Supervisor\nrobot = Supervisor()\nrobot.simulationQuit(0)\n"
               "robot.step(8)\n");
  const std::string path = folder / "mine";
  const std::string fault = "no servo is called 'own'";
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"view", world, "-o", folder / "v.html"},
        {"webots", "--mode=fast", world}}) {
    std::vector<std::string> with_path = command;
    with_path.insert(with_path.end(), {"--servo-path", path});
    const Told without = tell(command);
    EXPECT_EQ(without.status, 2) << command[0] << without.err;
    EXPECT_TRUE(contains(without.err, fault)) << command[0] << without.err;
    const Told with = tell(with_path);
    EXPECT_FALSE(contains(with.err, fault)) << command[0] << with.err;
    EXPECT_NE(with.status, 2) << command[0] << with.err;
    EXPECT_GE(with.status, 0) << command[0] << with.err;
  }
}

TEST(ServosOfAProject, DifferInRecordings) {
  const TempFolder folder;
  const std::string world = std::string(SERVOSIM_WORLDS_DIR) + "/so101.wbt";
  for (const char* volts : {"7.4", "6"}) {
    const Told run = tell({"run", world, "--controller", "so101=<none>", "--steps", "25",
                           "--record", folder / (std::string(volts) + ".svt"), "--set",
                           std::string("elbow_flex.servo.supply.voltage=") + volts, "--set",
                           "elbow_flex.servo.supply.name=own"});
    EXPECT_EQ(run.status, 0) << run.err;
  }
  const Told same = tell({"diff", folder / "6.svt", folder / "6.svt"});
  EXPECT_EQ(same.status, 0) << same.err;
  const Told different = tell({"diff", folder / "7.4.svt", folder / "6.svt"});
  EXPECT_EQ(different.status, 1) << different.err;
  EXPECT_TRUE(contains(different.out, "so101/elbow_flex voltage [V]")) << different.out;
  EXPECT_FALSE(contains(different.out, "so101/gripper voltage [V]")) << different.out;
}

TEST(ServosOfAProject, StayBehindWhereAConvertedWorldIsElsewhere) {
  const TempFolder folder;
  folder.write("a/servosim.toml", "[servo.left]\nmodel = \"STS3215\"\n");
  const std::string world = folder.write("a/worlds/w.wbt", kArm);
  folder.write("b/worlds/other.wbt", kArm);
  const auto converted = [&](const std::string& in, const std::string& out,
                             const std::vector<std::string>& more = {}) {
    std::vector<std::string> command{"convert", in, folder / out};
    command.insert(command.end(), more.begin(), more.end());
    const Told told = tell(command);
    EXPECT_EQ(told.status, 0) << told.err;
    return told.err;
  };
  EXPECT_FALSE(contains(converted(world, "a/worlds/same.wbt"), "servo")) << "they hold there too";
  const std::string elsewhere = converted(world, "b/worlds/w.wbt");
  EXPECT_TRUE(contains(elsewhere,
                       "a/servosim.toml:1:1: warning: its tables [servo.\"…\"] do not hold for "
                       "OUT, which is in another project: put OUT into worlds/ of "))
      << elsewhere;
  // A file of a servo that is next to the world is not next to OUT.
  folder.write("c/worlds/own.toml", "[supply]\nvoltage = 5\n");
  const std::string own =
      folder.write("c/worlds/w.wbt", moving_world("#servosim servo \"own firmware.p=2\""));
  EXPECT_TRUE(contains(converted(own, "b/worlds/own.wbt"),
                       "c/worlds/own.toml' of this servo is not found from OUT: copy it to "));
  EXPECT_FALSE(contains(converted(own, "b/worlds/own2.wbt", {"--servo-path", folder / "c/worlds"}),
                        "own.toml"));
  EXPECT_FALSE(contains(converted(own, "c/worlds/own3.wbt"), "own.toml"));
  folder.write("b/worlds/own.toml", "[supply]\nvoltage = 5\n");
  EXPECT_FALSE(contains(converted(own, "b/worlds/own4.wbt"), "own.toml"));
}

}  // namespace
}  // namespace servosim
