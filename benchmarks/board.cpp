// SPDX-License-Identifier: Apache-2.0
// What a control board of 32 joints adds to a step of 1 ms. The same robot runs with and without
// it, in turns within one run. Prints medians over the rounds.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string_view>
#include <vector>

#include "board_world.h"
#include "servosim/yarp/control_board.h"

namespace {

using namespace servosim;
using namespace servosim::yarp;

constexpr int kJoints = 32;
constexpr int kSteps = 200;  // steps of a measurement

class Robot32 {
 public:
  explicit Robot32(vocab32_t mode, vocab32_t interaction)
      : simulation_(Simulation::from_text(bench::board_world(kJoints))), board_(simulation_, "r") {
    for (int j = 0; j < kJoints; ++j) {
      board_.view<IInteractionMode>().setInteractionMode(j, interaction);
      board_.view<IControlMode>().setControlMode(j, mode);
    }
  }

  /// The mean time of a step over kSteps [µs], while every joint moves.
  double time(bool with_board) {
    for (int j = 0; with_board && j < kJoints; ++j) {
      board_.view<IPositionControl>().positionMove(j, (rounds_ % 2 == 0 ? 20.0 : -20.0) + j);
    }
    ++rounds_;
    const auto start = std::chrono::steady_clock::now();
    for (int n = 0; n < kSteps; ++n) {
      if (with_board) {
        board_.before_step();
      }
      simulation_.step();
    }
    const std::chrono::duration<double, std::micro> spent =
        std::chrono::steady_clock::now() - start;
    return spent.count() / kSteps;
  }

 private:
  Simulation simulation_;
  ControlBoard board_;
  int rounds_ = 0;
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

void compare(const char* what, vocab32_t mode, vocab32_t interaction, int rounds) {
  Robot32 robot(mode, interaction);
  std::vector<double> with;
  std::vector<double> without;
  std::vector<double> difference;
  for (int n = 0; n < rounds; ++n) {
    with.push_back(robot.time(true));
    without.push_back(robot.time(false));
    difference.push_back(with.back() - without.back());
  }
  fmt::print("{:<22} {:8.2f} {:8.2f} {:8.2f} {:8.3f}\n", what, median(without), median(with),
             median(difference), median(with) / median(without));
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 && std::string_view(argv[1]) == "--quick" ? 3 : 201;
  fmt::print("us per step            without     with     more    ratio\n");
  compare("minimum jerk, stiff", VOCAB_CM_POSITION, VOCAB_IM_STIFF, rounds);
  compare("minimum jerk, comply", VOCAB_CM_POSITION, VOCAB_IM_COMPLIANT, rounds);
  compare("mixed, stiff", VOCAB_CM_MIXED, VOCAB_IM_STIFF, rounds);
  return 0;
}
