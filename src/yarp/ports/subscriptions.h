// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

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
/// Invariant: there are at most kMaxSubscriptions, each for other ports, and at most kMaxRequests
/// of them ask their source at a time.
class Subscriptions {
 public:
  static constexpr std::size_t kMaxSubscriptions = 2048;
  static constexpr std::size_t kMaxRequests = 32;

  /// `loop` and `names` must outlive it. `report` receives the first of successive failures of a
  /// subscription, for people.
  Subscriptions(net::EventLoop& loop, const NameTable& names,
                std::function<void(const std::string&)> report)
      : loop_(loop), names_(names), report_(std::move(report)) {}

  /// Carries out a request and returns the reply.
  Bottle answer(const Bottle& request);
  /// A port listens from now on, so its connections can be made.
  void announced(std::string_view name);

 private:
  struct Request;
  struct Subscription {
    std::string from;
    AdminAdd to;
    bool due = false;                    // the source is to be asked
    bool failed = false;                 // the last request failed, and this was reported
    std::shared_ptr<Request> request{};  // the source was asked, and has not answered yet
  };

  bool make_room();
  void ask_sources();
  void ask_source(Subscription& subscription);
  void failed(Subscription& subscription, const std::string& why);
  void end_request(Subscription& subscription);

  net::EventLoop& loop_;
  const NameTable& names_;
  std::function<void(const std::string&)> report_;
  std::list<Subscription> subscriptions_;  // the oldest first
};

}  // namespace servosim::yarp
