// SPDX-License-Identifier: Apache-2.0
#include "srvp/server/connection.h"

#include <utility>

namespace servosim::srvp {

Connection::Connection(net::Reactor& reactor, Descriptor socket, const net::Address& peer,
                       Ended ended)
    : reactor_(reactor),
      peer_(to_string(peer)),
      ended_(std::move(ended)),
      stream_(reactor, std::move(socket),
              {{},
               [this](Bytes bytes) { party_->heard(as_text(bytes)); },
               [this](const std::string& why) { end(why); }}) {}

void Connection::become(std::shared_ptr<Party> party) {
  reactor_.bury(std::exchange(party_, std::move(party)));
}

void Connection::end(const std::string& why) {
  if (std::exchange(is_over_, true)) {
    return;
  }
  reactor_.bury(shared_from_this());
  stream_.close();
  party_->gone(why);
  ended_(*this);
}

}  // namespace servosim::srvp
