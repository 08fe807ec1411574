// SPDX-License-Identifier: Apache-2.0
// Buses of a run, with their ports and the file of what servos keep without power.
#include "bus/run/bus_run.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "bus/client/served_rig.h"

namespace servosim::bus {
namespace {

namespace bus_run_test {

constexpr const char* kWorld = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 2 gravity 0 }
Robot { name "arm" controller "<none>" children [
  HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 } device [
    RotationalMotor { name "pan"
      #servosim servo "XL330-M288-T"
    } ]
    endPoint Solid { name "a" physics Physics { } boundingObject Box { size 0.1 0.1 0.1 } } }
] }
)";

class BusRun : public testing::Test {
 protected:
  std::string file() const { return folder_.file("kept"); }
  // Opens the bus and ends it, as a run does.
  void run() const {
    Simulation simulation = Simulation::from_text(kWorld, {});
    BusSetup setup;
    setup.name = "arm";
    setup.place.port = 0;
    setup.keeps = file();
    const BusRunExtension extension(simulation, {setup}, map_buses(simulation, {setup}),
                                    [](const std::string& message) { ADD_FAILURE() << message; });
  }
  std::string kept() const {
    std::ostringstream text;
    text << std::ifstream(file()).rdbuf();
    return text.str();
  }

 private:
  const test::ScratchFolder folder_;
};

TEST_F(BusRun, KeepsWhatServosKeepWithoutPower) {
  run();
  const std::string first = kept();
  EXPECT_EQ(first.rfind("0 XL330-M288 ", 0), 0U);
  run();
  EXPECT_EQ(kept(), first);
}

TEST_F(BusRun, RefusesADamagedFileOfWhatServosKeep) {
  run();
  const std::string good = kept();
  const std::string digits = good.substr(good.rfind(' ') + 1);
  for (const std::string& damaged :
       {good.substr(0, good.size() - 3) + "\n", good.substr(0, good.size() - 3) + "0x\n",
        "7" + good.substr(1), "0 XM430-W350 " + digits, good + good, good + "\n",
        std::string("0 XL330-M288\n"), std::string("# kept\n") + good, std::string()}) {
    std::ofstream(file()) << damaged;
    EXPECT_THROW(run(), std::runtime_error) << damaged;
    EXPECT_EQ(kept(), damaged);
  }
}

}  // namespace bus_run_test

}  // namespace
}  // namespace servosim::bus
