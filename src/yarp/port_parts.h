// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/seldom.h"
#include "yarp/port.h"

namespace servosim::yarp {

struct Port::Input {
  Input(InLink::Owner& port, net::Reactor& reactor, const PortOptions& options)
      : link(std::make_shared<InLink>(port, reactor, options.generation, options.message_patience)),
        timer(reactor),
        trouble(options.trouble_pause) {}
  std::shared_ptr<InLink> link;
  net::Timer timer;  // of the handshake
  Seldom trouble;
};

struct Port::Output {
  explicit Output(net::Reactor& reactor) : timer(reactor) {}
  std::string name;
  Carrier carrier = Carrier::Tcp;
  bool asked = false;             // for the address of that name
  std::unique_ptr<OutLink> link;  // null until that is known
  bool open = false;
  Done done;  // told once, of the opening
  net::Timer timer;
  net::Clock::time_point ready = net::Clock::now();  // when it last was
};

}  // namespace servosim::yarp
