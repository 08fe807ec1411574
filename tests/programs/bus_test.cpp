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
  EXPECT_EQ(fault({"gone"})[0], '1');
}

}  // namespace bus_test

}  // namespace
}  // namespace servosim
