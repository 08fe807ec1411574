// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/queues.h"
#include "servosim/yarp/board_readings.h"
#include "servosim/yarp/control_board.h"
#include "yarp/ports/node.h"
#include "yarp/protocol/message.h"

namespace servosim::wire {

/// What goes from one thread to the other.
struct StampedReadings {
  yarp::BoardReadings readings;
  yarp::Stamp stamp;
};

/// The states of a board on NAME/state:o and NAME/stateExt:o, every so often in simulated time, and
/// where that takes long the last one again, with the same stamp. All for the simulation's thread;
/// the node's encodes and sends.
class States {
 public:
  /// The ports are of that node.
  States(yarp::YarpNode& node, yarp::Port& state, yarp::Port& state_ext, double period,
         yarp::Generation generation, const yarp::ControlBoard& board);

  /// Hands out a state, if one is due at this time [s].
  void update(double time);

 private:
  void send(const StampedReadings& state);

  yarp::Port& state_;
  yarp::Port& state_ext_;
  double period_;
  yarp::Generation generation_;
  const yarp::ControlBoard& board_;
  double last_ = std::numeric_limits<double>::infinity();  // [s] time of the last call
  double due_ = 0.0;                                       // [s]
  std::uint32_t sequence_ = 0;
  // The loop's.
  Writer writer_;
  std::vector<double> no_temperatures_;
  net::StatePublisher<StampedReadings> publisher_;
};

}  // namespace servosim::wire
