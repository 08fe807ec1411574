// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "servosim/simulation.h"
#include "yarp/ports/input_connection.h"
#include "yarp/server/verbs.h"

namespace servosim::yarp::server {

/// Does what messages ask of a board, one after the other.
class Dispatcher {
 public:
  struct Outcome {
    PortReply reply;
    std::string trouble;  ///< what a person should know of a message that cannot be; "" nothing
  };

  Dispatcher(const Simulation& simulation, Board& board, Generation generation);

  /// A request on NAME/rpc:i (4.0: NAME/nws/rpc:i).
  Outcome request(const Bottle& message);
  /// A message on NAME/command:i.
  Outcome streamed(const Bottle& message);

 private:
  Outcome request_v3(const Bottle& message);
  Outcome request_v4(const Bottle& message);
  Bottle help(const Bottle& message) const;
  Bottle framed(const Verb& verb, const Bottle& message, Answer answer);

  const Simulation& simulation_;
  Board& board_;
  Generation generation_;
  Verbs verbs_;
  std::uint32_t stamped_ = 0;  // replies with a time
};

}  // namespace servosim::yarp::server
