// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "controller_api/protocol/link.h"
#include "controller_api/server/session.h"

// Both sides of the protocol, the controller's and the simulation's, connected without a socket.

namespace servosim::test {

/// Connects a client to a session in the same thread. It steps the simulation while a reply is
/// pending.
class DirectLink : public Link {
 public:
  DirectLink(Simulation& simulation, Session& session)
      : simulation_(simulation), session_(session) {}

  bool send(Bytes message) noexcept override {
    outcome = session_.receive(message);
    return true;
  }
  Bytes receive() noexcept override {
    while (session_.pending()) {
      simulation_.step();
      session_.after_step();
    }
    return session_.reply();
  }

  Session::Outcome outcome = Session::Outcome::Answered;

 private:
  Simulation& simulation_;
  Session& session_;
};

}  // namespace servosim::test
