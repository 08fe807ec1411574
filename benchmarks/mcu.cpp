// SPDX-License-Identifier: Apache-2.0
// What it costs a robot of 32 servos to be an MCU of SRVP, in a step of 1 ms: while no command
// moves it, and while all servos move. Prints medians over the rounds.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/queues.h"
#include "board_world.h"
#include "srvp/robot/mcu_robot.h"

namespace {

using namespace servosim;

constexpr int kServos = 32;
constexpr int kSteps = 50;  // steps of a measurement; a movement takes more

class Robot32 {
 public:
  /// The additional time of a step, as a mean over kSteps [µs].
  double time(bool moving) {
    ++rounds_;
    if (moving) {
      srvp::McuOrder order;
      for (int j = 0; j < kServos; ++j) {
        order.movement.moves.push_back({static_cast<std::uint8_t>(j), rounds_ % 2 == 0 ? 20 : 160});
      }
      robot_.perform(order, [](srvp::Control) {});
    }
    std::chrono::duration<double, std::micro> spent{};
    for (int n = 0; n < kSteps; ++n) {
      simulation_.step();
      const auto start = std::chrono::steady_clock::now();
      queue_.serve();
      robot_.after_step();
      spent += std::chrono::steady_clock::now() - start;
    }
    while (robot_.moving()) {
      simulation_.step();
      robot_.after_step();
    }
    return spent.count() / kSteps;
  }

 private:
  Simulation simulation_ = Simulation::from_text(bench::board_world(kServos));
  net::WorkQueue queue_;
  srvp::robot::McuRobot robot_{simulation_, srvp::McuKind::Smart,
                               srvp::robot::map_servos(simulation_, simulation_.robot(0))};
  int rounds_ = 0;
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 && std::string_view(argv[1]) == "--quick" ? 3 : 201;
  Robot32 robot;
  std::vector<double> idle;
  std::vector<double> moving;
  for (int n = 0; n < rounds; ++n) {
    idle.push_back(robot.time(false));
    moving.push_back(robot.time(true));
  }
  fmt::print("us more per step, 32 servos: {:.3f} at rest, {:.3f} on their way\n", median(idle),
             median(moving));
  return 0;
}
