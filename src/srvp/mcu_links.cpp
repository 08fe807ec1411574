// SPDX-License-Identifier: Apache-2.0
#include "srvp/mcu_links.h"

#include <utility>
#include <vector>

namespace servosim::srvp {

void RemoteLink::heard(std::string_view bytes) {
  reader_.feed(bytes);
  std::vector<OrderQueue::Heard> frames;
  bool endless = false;
  for (auto frame = reader_.next(); frame.index() != 0; frame = reader_.next()) {
    if (auto* const control = std::get_if<Control>(&frame)) {
      frames.emplace_back(*control);
    } else {
      auto& bad = std::get<BadFrame>(frame);
      endless = endless || bad.endless;
      frames.emplace_back(std::move(bad));
    }
  }
  mcu_.orders().hear(frames);
  if (endless) {
    connection_.end("it sends a frame without end");
  }
}

void LocalLink::send(const McuOrder& order) {
  local_.perform(order, [weak = weak_from_this(), &reactor = reactor_,
                         number = ++sent_](const Control& answer) {
    reactor.post([weak, number, answer] {
      if (const auto link = weak.lock()) {
        link->answered(number, answer);
      }
    });
  });
}

// A number tells a second answer from that to the next order.
void LocalLink::answered(std::uint64_t number, const Control& answer) {
  if (number > done_) {
    done_ = number;
    mcu_.orders().hear({answer});
  }
}

}  // namespace servosim::srvp
