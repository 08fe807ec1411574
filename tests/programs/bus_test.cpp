// SPDX-License-Identifier: Apache-2.0
// Buses that a project describes: which commands open them, and where; and faults while a bus is
// served.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "programs/program.h"

namespace servosim {
namespace {

namespace bus_test {

namespace fs = std::filesystem;
using test::contains;
using test::count;
using test::Program;
using test::TempFolder;

constexpr const char* kWorld = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 gravity 0 }
Robot { name "arm" controller "<none>" children [
  HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 } device [
    RotationalMotor { name "pan"
      #servosim servo "STS3215"
    } ]
    endPoint Solid { name "a" physics Physics { } boundingObject Box { size 0.1 0.1 0.1 } } }
] }
)";

constexpr const char* kBus = R"(
[[bus]]
name = "arm"
link = "arm"
clock = "bus"
control = "arm.control"
[[bus.servo]]
motor = "pan"
id = 3
baud = 500000
zero = 0.25
)";

// A project with a bus, at whose link there is something already: who opens the bus fails.
class BusProject : public testing::Test {
 protected:
  void SetUp() override {
    world_ = folder_.write("worlds/arm.wbt", kWorld);
    set_bus(kBus);
    folder_.write("arm", "mine");
  }

  void set_bus(const std::string& text) { folder_.write("servosim.toml", text); }
  // The names of what is in the folder of the project.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  // Commands that load the world without serving its bus.
  std::vector<std::vector<std::string>> others() const {
    return {{"info", world_},
            {"info", "--json", world_},
            {"check", world_},
            {"run", world_, "--copies=2", "--steps=2"},
            {"sweep", world_, "--param=arm/pan.maxTorque=1,2", "--steps=3", "-o",
             (out_ / "rows.jsonl").string()},
            {"step", world_, "--joint=arm/pan"},
            {"convert", world_, (out_ / "converted.wbt").string()}};
  }

  TempFolder folder_;
  TempFolder out_;
  std::string world_;
};

TEST_F(BusProject, IsOpenedByRunAlone) {
  const auto before = files();
  for (const auto& command : others()) {
    Program program(command);
    EXPECT_EQ(program.finish(), 0) << command[0] << program.out() << program.err();
    EXPECT_EQ(files(), before) << command[0];
  }
  Program several({"run", world_, "--copies=2", "--steps=2"});
  EXPECT_EQ(several.finish(), 0);
  EXPECT_EQ(count(several.out() + several.err(), "bus 'arm' of the project is not opened"), 2);
  set_bus("");
  Program none({"run", world_, "--steps=2", "--bus-control"});
  EXPECT_EQ(none.finish(), 2);
  EXPECT_TRUE(contains(none.err() + none.out(), "--bus-choice and --tables need a bus"))
      << none.err();
  set_bus(kBus);
  Program run({"run", world_, "--steps=2"});
  EXPECT_EQ(run.finish(), 2);
  EXPECT_TRUE(contains(run.err() + run.out(), "it exists already, and is not replaced"))
      << run.err();
}

TEST_F(BusProject, IsCheckedByAll) {
  set_bus("[[bus]]\nname = \"arm\"\n[[bus.fault]]\nkind = \"fire\"\n");
  for (const auto& command : others()) {
    Program program(command);
    EXPECT_NE(program.finish(), 0) << command[0];
    EXPECT_TRUE(contains(program.out() + program.err(), "no kind of fault 'fire'")) << command[0];
    EXPECT_TRUE(contains(program.out() + program.err(), "servosim.toml")) << command[0];
  }
  // These know the motors, too.
  set_bus("[[bus]]\nname = \"arm\"\n[[bus.servo]]\nmotor = \"pin\"\n");
  for (const std::string command : {"info", "check", "run"}) {
    Program program({command, world_});
    EXPECT_NE(program.finish(), 0) << command;
    EXPECT_TRUE(contains(program.out() + program.err(), "servosim.toml:3:1: ")) << program.err();
    EXPECT_TRUE(contains(program.out() + program.err(), "no motor 'pin' has a servo model"));
  }
}

TEST_F(BusProject, HasAMapInTheDocumentOfInfo) {
  Program program({"info", "--json", world_});
  ASSERT_EQ(program.finish(), 0);
  const auto document = nlohmann::json::parse(program.out());
  const auto& bus = document.at("buses").at(0);
  EXPECT_EQ(bus.at("name"), "arm");
  EXPECT_EQ(bus.at("place"), (folder_ / "arm").string());
  EXPECT_EQ(bus.at("control"), (folder_ / "arm.control").string());
  EXPECT_EQ(bus.at("protocol"), "sts");
  EXPECT_EQ(bus.at("clock"), "bus");
  const auto& servo = bus.at("servos").at(0);
  EXPECT_EQ(servo.at("id"), 3);
  EXPECT_EQ(servo.at("motor"), "arm/pan");
  EXPECT_EQ(document.at("joints").at(servo.at("joint").get<std::size_t>()).at("name"), "arm/pan");
  EXPECT_EQ(servo.at("model"), "STS3215");
  EXPECT_EQ(servo.at("baud"), 500000);
  EXPECT_EQ(servo.at("direction"), 1);
  EXPECT_EQ(servo.at("zero"), 0.25);
  EXPECT_TRUE(servo.at("secondary_id").is_null());
  Program text({"info", world_});
  ASSERT_EQ(text.finish(), 0);
  EXPECT_TRUE(contains(text.out(), "bus 'arm' at ")) << text.out();
  EXPECT_TRUE(contains(text.out(), "500000")) << text.out();
}

// The controller finds its bus by the environment, and time passes by its exchanges.
constexpr const char* kTester = R"(
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <webots/robot.h>
int main(void) {
  const unsigned char ping[] = {0xFF, 0xFF, 3, 2, 1, 0xF9};
  const char* place = getenv("SERVOSIM_BUS_ARM");
  wb_robot_init();
  int bus = place ? open(place, O_RDWR | O_NOCTTY) : -1;
  if (bus < 0 || strstr(place, "/worlds"))
    return 3;
  for (int i = 0; i < 20; ++i) {
    unsigned char answer[6];
    int got = 0;
    if (write(bus, ping, sizeof ping) != sizeof ping)
      return 4;
    while (got < 6) {
      const int more = read(bus, answer + got, 6 - got);
      if (more <= 0)
        return 5;
      got += more;
    }
    if (memcmp(answer, "\xFF\xFF\x03\x02\x00\xFA", 6) != 0)
      return 6;
    wb_robot_step(8);
  }
  return 0;
}
)";

TEST_F(BusProject, IsOpenedInAFolderOfEachRunOfTest) {
  folder_.write("controllers/tester/tester.c", kTester);
  folder_.write("worlds/arm.wbt",
                std::string(kWorld) + "Robot { name \"tester\" controller \"tester\" }\n");
  // TCP has no speed, and a pseudo terminal has that of the client, which sets none here.
  set_bus(
      "[[bus]]\nname = \"arm\"\nlink = \"arm\"\nclock = \"bus\"\n[[bus.servo]]\nmotor = \"pan\"\n"
      "id = 3\nbaud = 38400\n");
  const std::string specification = folder_.write(
      "worlds/arm.toml", "world = \"arm.wbt\"\nsteps = 20\n[[expect]]\ncontroller = \"tester\"\n");
  Program program({"test", specification, specification, "--figures", (out_ / "f").string()});
  EXPECT_EQ(program.finish(), 0) << program.out() << program.err();
  EXPECT_TRUE(contains(program.out(), "4 of 4 expectations held")) << program.out();
  EXPECT_TRUE(fs::is_regular_file(folder_ / "arm"));
}

TEST(BusFaultCommand, ReachesABusThatIsServed) {
  const TempFolder folder;
  const std::string link = (folder / "bus").string();
  Program serve({"bus", "serve", "XL330-M288-T", "STS3215", "--link", link});
  EXPECT_EQ(serve.finish(), 2);  // two protocols
  Program bench({"bus", "serve", "STS3215:2", "--link", link, "--control"});
  ASSERT_TRUE(bench.wait_for_output("bus at "));
  EXPECT_TRUE(contains(bench.out(), "faults at ")) << bench.out();
  EXPECT_TRUE(contains(bench.out(), " kg")) << bench.out();
  const auto fault = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"bus", "fault", link});
    Program program(arguments);
    const int status = program.finish();
    return std::to_string(status) + " " + program.err();
  };
  const auto scan = [&] {
    Program program({"bus", "scan", link, "--ids=1-2", "--baud=1000000"});
    EXPECT_EQ(program.finish(), 0) << program.err();
    return count(program.out(), "STS3215");
  };
  EXPECT_EQ(scan(), 2);
  EXPECT_EQ(fault({"gone", "--id=2"}), "0 ");
  EXPECT_EQ(scan(), 1);
  EXPECT_EQ(fault({"end"}), "0 ");
  EXPECT_EQ(scan(), 2);
  EXPECT_TRUE(contains(fault({"gone", "--id=7"}), "no servo of the bus has the ID 7"));
  EXPECT_EQ(fault({"gone", "--id=7"})[0], '1');
  EXPECT_EQ(fault({"fire"})[0], '2');
  EXPECT_EQ(fault({"hot"})[0], '2');
  bench.send_signal(SIGTERM);
  EXPECT_EQ(bench.finish(), 0);
  EXPECT_FALSE(fs::exists(link + ".control"));
  EXPECT_TRUE(
      contains(fault({"gone"}), "there is no control socket; serve the bus with --control"));
  EXPECT_EQ(fault({"gone"})[0], '1');
}

// What a client says, and how it ends.
struct Said {
  int status;
  std::string out;
  std::string err;
};
Said said_by(const std::vector<std::string>& arguments) {
  Program program(arguments);
  const int status = program.finish();
  return {status, program.out(), program.err()};
}

// The text between two others, of which the first one is the last one of its kind.
std::string between(const std::string& text, const std::string& first, const std::string& second) {
  const std::size_t begin = text.rfind(first) + first.size();
  return text.substr(begin, text.find(second, begin) - begin);
}

// The slow line gives a busy computer the time to answer sooner than the bytes take.
TEST(BusCommands, RefuseToRecordInLockStepAndSayThatNoTimePasses) {
  const TempFolder folder;
  const std::string link = (folder / "bus").string();
  const std::string log = (folder / "log.csv").string();
  Program serve({"bus", "serve", "STS3215", "--link", link, "--lockstep", "--baud=38400"});
  ASSERT_TRUE(serve.wait_for_output("bus at "));
  EXPECT_TRUE(serve.wait_for_errors("no time passes; " + link + " waits for a client"));
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"bus", "record", link, "--baud=38400", "-o", log},
        {"bus", "record", link, "--baud=38400", "--dry-run"},
        {"bus", "monitor", link, "1", "--baud=38400"}}) {
    const Said said = said_by(command);
    EXPECT_EQ(said.status, 1) << command[1];
    EXPECT_TRUE(contains(said.err, "servo 1 is not in real time")) << said.err;
    EXPECT_EQ(said.out, "");
  }
  EXPECT_FALSE(fs::exists(log));
  serve.send_signal(SIGTERM);
  EXPECT_EQ(serve.finish(), 0);
}

// The way of docs/how-to/fit-a-servo.md: a servo of a bus, its log, a model, a motor of a world.
TEST(BusCommands, RecordALogThatItsServoPredictsAndOfWhichFitMakesAMotor) {
  const TempFolder folder;
  const auto file = [&](const std::string& name) { return (folder / name).string(); };
  Program serve({"bus", "serve", "STS3215", "--link", file("bus")});
  ASSERT_TRUE(serve.wait_for_output("bus at "));
  const std::string mass = between(serve.out(), "1000000  ", " kg");
  const Said recorded = said_by(
      {"bus", "record", file("bus"), "--mass", mass, "--length", "0.1", "-o", file("log.csv")});
  ASSERT_EQ(recorded.status, 0) << recorded.err;
  EXPECT_TRUE(contains(recorded.out, "log.csv: ")) << recorded.out;
  const Said checked = said_by({"fit", "--check", "STS3215", file("log.csv"), "--json"});
  ASSERT_EQ(checked.status, 0) << checked.err;
  // The movement goes over 180 degrees. What is left are the times of the rows, of a busy computer.
  EXPECT_LT(nlohmann::json::parse(checked.out).at("mean_error_deg"), 2.0);
  const std::string world = folder.write("arm.wbt", kWorld);
  const Said fitted =
      said_by({"fit", file("log.csv"), "--servo", "STS3215", "--models", "M1", "--starts", "1",
               "--generations", "20", "-o", file("mine.toml"), "--apply", world + ":arm/pan"});
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  const Said info = said_by({"info", world});
  EXPECT_EQ(info.status, 0) << info.err;
  EXPECT_TRUE(contains(info.out, "mine")) << info.out;
  serve.send_signal(SIGTERM);
  EXPECT_EQ(serve.finish(), 0);
}

TEST(BusCommands, ScanATcpPortOnce) {
  Program serve({"bus", "serve", "XL330-M288-T:2", "--link=tcp:0"});
  ASSERT_TRUE(serve.wait_for_output("bus at "));
  const std::string place = "tcp:" + between(serve.out(), "bus at tcp:", "\n");
  const Said text = said_by({"bus", "scan", place, "--protocol=dynamixel2"});
  EXPECT_EQ(count(text.out, "XL330-M288"), 2) << text.out << text.err;
  const Said document = said_by({"bus", "scan", place, "--protocol=dynamixel2", "--json"});
  const auto servos = nlohmann::json::parse(document.out).at("servos");
  ASSERT_EQ(servos.size(), 2U);
  EXPECT_TRUE(servos[0].at("baud").is_null());
  EXPECT_TRUE(servos[0].at("alarm").is_null());
  serve.send_signal(SIGTERM);
  EXPECT_EQ(serve.finish(), 0);
}

TEST(BusCommands, TellAHardwareError) {
  const TempFolder folder;
  const std::string link = (folder / "bus").string();
  Program serve({"bus", "serve", "XM430-W350", "--link", link, "--control", "--baud=1000000"});
  ASSERT_TRUE(serve.wait_for_output("bus at "));
  EXPECT_EQ(said_by({"bus", "read", link, "1", "ID"}).err, "");
  ASSERT_EQ(said_by({"bus", "fault", link, "hot", "--temperature=95"}).status, 0);
  const std::string alarm = "servo 1 has a hardware error: overheating; reboot it";
  const Said read = said_by({"bus", "read", link, "1", "Present Temperature", "--json"});
  EXPECT_EQ(read.status, 0);
  EXPECT_EQ(count(read.err, alarm), 1) << read.err;
  const auto shown = nlohmann::json::parse(read.out).at("registers").at(0);
  EXPECT_GE(shown.at("quantity"), 94);
  EXPECT_EQ(shown.at("unit"), "degC");
  const Said write = said_by({"bus", "write", link, "1", "Torque Enable=1"});
  EXPECT_EQ(write.status, 1);
  EXPECT_TRUE(contains(write.err, "after 1 was written; " + alarm)) << write.err;
  const Said monitor = said_by({"bus", "monitor", link, "1", "--duration=0.3", "--rate=20"});
  EXPECT_EQ(count(monitor.err, alarm), 1) << monitor.err;
  const Said scan = said_by({"bus", "scan", link, "--baud=1000000", "--ids=1"});
  EXPECT_TRUE(contains(scan.out, "yes")) << scan.out;
  EXPECT_EQ(count(scan.err, alarm), 1) << scan.err;
  serve.send_signal(SIGTERM);
  EXPECT_EQ(serve.finish(), 0);
}

}  // namespace bus_test

}  // namespace
}  // namespace servosim
