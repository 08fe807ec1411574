// SPDX-License-Identifier: Apache-2.0
// An arm as a control board of YARP, without a network: a move, a compliant joint that is bent by
// hand, and torque control. With a second argument it writes the motion of the elbow, for a figure.
#include <servosim/yarp/control_board.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <memory>
#include <numbers>

namespace {

using namespace servosim::yarp;

constexpr int kElbow = 3;

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

class Arm {
 public:
  Arm(const char* world, File trace)
      : simulation_(world), board_(simulation_, "icub"), trace_(std::move(trace)) {}

  void run(double seconds) {
    for (const double end = simulation_.time() + seconds - 1e-9; simulation_.time() < end;) {
      board_.before_step();
      simulation_.step();
      if (trace_ && simulation_.step_count() % 10 == 0) {
        double reference = 0.0;
        board_.view<IPidControl>().getPidReference(VOCAB_PIDTYPE_POSITION, kElbow, &reference);
        std::fprintf(trace_.get(), "%.3f,%.6f,%.6f,%.6f\n", simulation_.time(), reference,
                     position(kElbow), torque(kElbow));
      }
    }
  }

  // The reference and the speed are in degrees, as in YARP.
  void move() {
    board_.view<IPositionControl>().setRefSpeed(kElbow, 20.0);
    board_.view<IPositionControl>().positionMove(kElbow, 60.0);
    int steps = 0;
    for (bool done = false; !done; ++steps) {
      run(0.001);
      board_.view<IPositionControl>().checkMotionDone(kElbow, &done);
    }
    std::printf("moved: elbow at %.1f deg after %.2f s\n", position(kElbow), steps * 0.001);
  }

  void bend_by_hand() {
    // The spring bends under gravity; the feed-forward compensates it.
    board_.view<IImpedanceControl>().setImpedance(kElbow, 0.3, 0.02);
    const double carried = torque(kElbow);
    board_.view<IImpedanceControl>().setImpedanceOffset(kElbow, carried);
    board_.view<IInteractionMode>().setInteractionMode(kElbow, VOCAB_IM_COMPLIANT);
    run(0.5);
    const double rest = position(kElbow);
    simulation_.joint("elbow").set_state((rest + 20.0) * std::numbers::pi / 180.0);
    run(0.001);
    std::printf("compliant: bent by %.0f deg, the elbow pulls %.1f N m\n", position(kElbow) - rest,
                carried - torque(kElbow));
    run(2.0);
    std::printf("compliant: let go, it is %.0f deg from where it was\n",
                std::abs(position(kElbow) - rest));
    board_.view<IInteractionMode>().setInteractionMode(kElbow, VOCAB_IM_STIFF);
  }

  void float_on_torque() {
    // The first reference is the present effort of the motor, so that nothing jumps.
    board_.view<IControlMode>().setControlMode(kElbow, VOCAB_CM_TORQUE);
    const double start = position(kElbow);
    run(0.2);
    std::printf("torque: the elbow moved by %.0f deg in 0.2 s\n", position(kElbow) - start);
    const bool obeyed = board_.view<IPositionControl>().positionMove(kElbow, 10.0);
    std::printf("torque: a position command is %s\n", obeyed ? "obeyed" : "ignored");
    board_.view<IControlMode>().setControlMode(kElbow, VOCAB_CM_IDLE);
    run(3.0);
    std::printf("idle: the arm hangs, elbow at %.0f deg\n", std::abs(position(kElbow)));
  }

 private:
  double position(int j) const {
    double value = 0.0;
    board_.view<IEncodersTimed>().getEncoder(j, &value);
    return value;
  }
  double torque(int j) const {
    double value = 0.0;
    board_.view<ITorqueControl>().getTorque(j, &value);
    return value;
  }

  servosim::Simulation simulation_;
  ControlBoard board_;
  File trace_;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    File trace(argc > 2 ? std::fopen(argv[2], "w") : nullptr);
    if (argc > 2 && !trace) {
      std::perror(argv[2]);
      return 1;
    }
    Arm arm(argc > 1 ? argv[1] : "worlds/icub_arm.wbt", std::move(trace));
    arm.move();
    arm.run(0.5);
    arm.bend_by_hand();
    arm.run(0.5);
    arm.float_on_torque();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
