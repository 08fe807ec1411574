// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "servosim/simulation.h"
#include "yarp/ports/input_connection.h"
#include "yarp/server/verbs.h"

namespace servosim::wire {

/// Does what messages ask of a board, one after the other.
class Dispatcher {
 public:
  struct Outcome {
    yarp::PortReply reply;
    std::string trouble;  ///< what a person should know of a message that cannot be; "" nothing
  };

  Dispatcher(const Simulation& simulation, Board& board, yarp::Generation generation);

  /// A request on NAME/rpc:i (4.0: NAME/nws/rpc:i).
  Outcome request(const yarp::Bottle& message);
  /// A message on NAME/command:i.
  Outcome streamed(const yarp::Bottle& message);

 private:
  Outcome request_v3(const yarp::Bottle& message);
  Outcome request_v4(const yarp::Bottle& message);
  yarp::Bottle help(const yarp::Bottle& message) const;
  yarp::Bottle framed(const Verb& verb, const yarp::Bottle& message, Answer answer);

  const Simulation& simulation_;
  Board& board_;
  yarp::Generation generation_;
  Verbs verbs_;
  std::uint32_t stamped_ = 0;  // replies with a time
};

}  // namespace servosim::wire
