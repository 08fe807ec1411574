// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/report_once.h"
#include "yarp/ports/input_connection.h"
#include "yarp/server/timeline.h"
#include "yarp/server/verbs.h"

namespace servosim::yarp::server {

/// Calls the functions of a board that messages request, and makes the replies.
/// docs/reference/yarp.md describes the formats of requests, replies and streamed commands.
class Dispatcher {
 public:
  struct Outcome {
    PortReply reply;
    /// Why the message was refused, for people; empty if it was accepted, or if the board has
    /// reported it.
    std::string warning;
    std::string_view kind;  ///< kind of the request; limits the rate of its warnings
  };

  /// Replies have the time of `timeline`.
  Dispatcher(const Timeline& timeline, Board& board, Generation generation);

  /// Executes a request on NAME/rpc:i (4.0: NAME/nws/rpc:i).
  Outcome request(const Bottle& message);
  /// Executes a message on NAME/command:i.
  Outcome streamed(const Bottle& message);

 private:
  Outcome request_v3(const Bottle& message);
  Outcome request_v4(const Bottle& message);
  Bottle help(const Bottle& message) const;
  Bottle framed(const Verb& verb, const Bottle& message, ReplyValues answer);
  std::string why_no_value(const Bottle& message, std::string_view name, ReturnValue result);

  const Timeline& timeline_;
  Board& board_;
  Generation generation_;
  Verbs verbs_;
  std::uint32_t stamped_ = 0;  // number of replies with a time
  ReportOnce<std::string_view> not_available_;
};

}  // namespace servosim::yarp::server
