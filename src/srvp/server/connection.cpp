// SPDX-License-Identifier: Apache-2.0
#include "srvp/server/connection.h"

#include <utility>

namespace servosim::srvp {

Connection::Connection(net::EventLoop& loop, Descriptor socket, const net::Address& peer,
                       Ended ended)
    : loop_(loop),
      peer_(to_string(peer)),
      ended_(std::move(ended)),
      stream_(loop, std::move(socket),
              {{},
               [this](Bytes bytes) { party_->heard(as_text(bytes)); },
               [this](const std::string& why) { end(why); }}) {}

void Connection::become(std::shared_ptr<Party> party) {
  loop_.bury(std::exchange(party_, std::move(party)));
}

void Connection::end(const std::string& why) {
  if (std::exchange(is_over_, true)) {
    return;
  }
  loop_.bury(shared_from_this());
  stream_.close();
  party_->gone(why);
  ended_(*this);
}

}  // namespace servosim::srvp
