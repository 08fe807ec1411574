// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <string_view>

#include "base/event_loop.h"
#include "yarp/ports/port.h"
#include "yarp/protocol/bottle.h"
#include "yarp/protocol/name_lines.h"

namespace servosim::yarp {

class NameTable;

/// The connections that ports have asked a name server to make, whenever both ends exist. A program
/// with YARP_CLOCK gets its time this way. Text connections to the name server carry the requests:
///
///     subscribe "tcp://clock" "tcp://me/clock:i"      [ok]: from /clock to /me/clock:i, by tcp
///     unsubscribe "tcp://clock" "tcp://me/clock:i"    [ok]: makes no such connections any more
///     anything else                                   [fail] and the reason
///
/// Only the thread of the loop may call its functions.
///
/// Invariant: there are at most kMaxSubscriptions.
class Subscriptions {
 public:
  static constexpr std::size_t kMaxSubscriptions = 2048;

  /// Both must outlive it.
  Subscriptions(net::EventLoop& loop, const NameTable& names) : loop_(loop), names_(names) {}

  /// Carries out a request and returns the reply.
  Bottle answer(const Bottle& request);
  /// A port listens from now on, so its connections can be made.
  void announced(std::string_view name);

 private:
  struct Subscription {
    std::string from;
    AdminAdd to;
  };
  struct Request;

  void connect(const Subscription& subscription);

  net::EventLoop& loop_;
  const NameTable& names_;
  std::list<Subscription> subscriptions_;
  std::list<std::shared_ptr<Request>> requests_;  // requests to ports that are not answered yet
};

}  // namespace servosim::yarp
