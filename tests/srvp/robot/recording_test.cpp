// SPDX-License-Identifier: Apache-2.0
// A simulated robot as the MCU of the platform's own server, as recorded in
// tests/data/peers/srvp.txt.
#include "srvp/protocol/recording.h"

#include <gtest/gtest.h>

#include "srvp/robot/mcu_run.h"
#include "srvp/robot/test_support.h"

namespace servosim::srvp::robot {
namespace mcu_recording_test {

constexpr int kServos = 27;

/// Returns servos with 24 positions from 0 to 179 degrees.
std::string servos() {
  std::string children;
  for (int i = 0; i < kServos; ++i) {
    children += test::hinge("servo" + std::to_string(i), "minPosition 0 maxPosition 3.12413936",
                            "position 0.41887902");
  }
  return children;
}

TEST(McuRecording, ASimulatedMcuSaysAndDoesWhatThePlatformsOwnDoes) {
  const auto recording = srvp::read_recording();
  std::vector<srvp::Exchange> exchanges = recording.front().exchanges;
  // There is one difference: the platform's MCU acknowledges an order to execute when nothing is
  // stored.
  ASSERT_EQ(*(exchanges.end() - 2)->answer, "-e-!");
  exchanges.back().said = encode(nack(srvp::Nack::InvalidParameter));
  Simulation simulation = test::robot_with(servos());
  srvp::RecordedServer server(exchanges);
  const McuSetup setup{0, "Maroon", srvp::McuKind::Smart,
                       map_servos(simulation, simulation.robot(0))};
  McuRunExtension extension(simulation, {setup}, net::Address{INADDR_LOOPBACK, server.port()}, true,
                            {});
  EXPECT_TRUE(net::becomes([&] {
    extension.serve();
    while (extension.ready()) {
      simulation.step();
      extension.after_step();
    }
    return server.is_done();
  }));
  const McuRobot robot(simulation, setup.kind, setup.servos);
  const std::string* last_info = nullptr;  // what the platform's server knows at the end
  for (const auto& connection : recording) {
    for (const auto& exchange : connection.exchanges) {
      if (exchange.answer && exchange.answer->starts_with("!s-iMCU")) {
        last_info = &*exchange.answer;
      }
    }
  }
  ASSERT_NE(last_info, nullptr);
  EXPECT_EQ(encode(srvp::Answer(srvp::McuInfo{robot.positions()})), *last_info);
}

}  // namespace mcu_recording_test
}  // namespace servosim::srvp::robot
