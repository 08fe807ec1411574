// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "net/outbox.h"
#include "servosim/simulation.h"
#include "servosim/yarp/control_board.h"
#include "yarp/message.h"
#include "yarp/station.h"
#include "yarp/streaming.h"

namespace servosim::wire {

/// What all joints do, as numbers; quantities in the order of yarp::JointStates.
struct JointNumbers {
  static constexpr std::size_t kQuantities = 10;

  explicit JointNumbers(std::size_t axes);

  std::array<std::vector<double>, kQuantities> quantities;
  std::array<bool, kQuantities> valid{};
  std::array<std::vector<yarp::vocab32_t>, 2> modes;
  std::array<bool, 2> modes_valid{};
  yarp::Stamp stamp;
};

/// The states of a board on NAME/state:o and NAME/stateExt:o, every so often in simulated time. All
/// for the simulation's thread; the station's encodes and sends.
class States {
 public:
  /// The ports are of that station.
  States(yarp::Station& station, yarp::Port& state, yarp::Port& state_ext, double period,
         yarp::Generation generation, std::size_t axes);

  /// Hands out a state, if one is due at this time [s].
  void update(const yarp::ControlBoard& board, double time);

 private:
  void send(const JointNumbers& numbers);

  yarp::Port& state_;
  yarp::Port& state_ext_;
  double period_;
  yarp::Generation generation_;
  double last_ = 0.0;  // [s] time of the last call
  double due_ = 0.0;   // [s]
  std::uint32_t sequence_ = 0;
  Writer writer_;  // the reactor's
  net::Outbox<JointNumbers> outbox_;
};

}  // namespace servosim::wire
