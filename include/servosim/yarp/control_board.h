// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "servosim/simulation.h"
#include "servosim/yarp/board_config.h"
#include "servosim/yarp/calibration.h"
#include "servosim/yarp/efforts.h"
#include "servosim/yarp/encoders.h"
#include "servosim/yarp/modes.h"
#include "servosim/yarp/motion.h"
#include "servosim/yarp/motors.h"
#include "servosim/yarp/pid_control.h"

namespace servosim::yarp {

/// What every joint of a board measures: one item per joint, in the units of
/// docs/reference/yarp.md. Motors turn as their joints do. ControlBoard::read() fills it with one
/// measurement of each joint, and allocates memory only the first time.
///
/// Threads: a plain value.
struct BoardReadings {
  /// [deg|m]
  std::vector<double> encoders;
  /// [deg/s|m/s]
  std::vector<double> encoder_speeds;
  /// [deg/s²|m/s²]
  std::vector<double> encoder_accelerations;
  /// All that the joint puts on its endpoint [N·m|N].
  std::vector<double> torques;
  /// [%]
  std::vector<double> duty_cycles;
  /// [A]
  std::vector<double> currents;
  /// VOCAB_CM_…
  std::vector<vocab32_t> control_modes;
  /// VOCAB_IM_…
  std::vector<vocab32_t> interaction_modes;
};

/// Joints of a robot as a control board of YARP, with the modes and rules of the iCub's.
///
///     ControlBoard board(simulation, "icub");
///     auto position = board.view<IPositionControl>();
///     position.positionMove(3, 45.0);
///     for (bool done = false; !done; position.checkMotionDone(kAllJoints, &done)) {
///       board.before_step();
///       simulation.step();
///     }
///
/// What a program does with the joints has YARP's names, units and meaning, in a class for each of
/// YARP's interfaces: see docs/reference/yarp.md. BoardInterface says what holds for all of them.
///
/// A board commands its motors before each step, and so overrides other commands to them. Its
/// references, trajectories, modes and parameters are not part of a SimulationState: after
/// Simulation::restore() call reset().
///
/// Threads: one at a time, that of its simulation.
class ControlBoard {
 public:
  /// The simulation must outlive the board and stay at its address.
  /// @param simulation  the world with the robot
  /// @param robot  its name in the world
  /// @param config  the joints and the rules of the board
  /// @throws std::out_of_range for a robot or motor that the world does not have
  /// @throws std::invalid_argument for a motor without a joint and for an invalid configuration
  ControlBoard(Simulation& simulation, std::string_view robot, BoardConfig config = {});
  ControlBoard(ControlBoard&&) noexcept;
  ControlBoard& operator=(ControlBoard&&) noexcept;
  ~ControlBoard();

  /// Returns one of the interfaces, such as IPositionControl. It costs nothing, and may be kept as
  /// long as the board exists, also if the board is moved.
  template <class Interface>
  Interface view() {
    return Interface{BoardInterface(*core_)};
  }
  /// The same for a board of which the program only reads.
  template <class Interface>
  const Interface view() const {
    return Interface{BoardInterface(*core_)};
  }

  /// Commands the motors for the next step. A program calls it before every Simulation::step().
  /// Readings are valid at any time.
  void before_step();
  /// Puts all joints into their initial modes, with references at the present positions. Parameters
  /// stay.
  void reset();
  /// The name in BoardConfig.
  const std::string& name() const;
  /// Measures every joint once.
  void read(BoardReadings& all) const;
  /// The number of joints.
  std::size_t axes() const;

 private:
  std::unique_ptr<BoardCore> core_;
};

}  // namespace servosim::yarp
