// SPDX-License-Identifier: Apache-2.0
#include "srvp/mcu_links.h"

#include <thread>
#include <utility>
#include <vector>

namespace servosim::srvp {

void RemoteLink::heard(std::string_view bytes) {
  reader_.feed(bytes);
  std::vector<OrderQueue::Heard> frames;
  bool endless = false;
  for (auto frame = reader_.next(); frame.index() != 0; frame = reader_.next()) {
    if (const auto* const answer = std::get_if<McuAnswer>(&frame)) {
      frames.emplace_back(*answer);
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

// An answer from inside perform() is taken when that returns; any other goes through the reactor.
void LocalLink::send(const McuOrder& order) {
  performing_ = true;
  const std::uint64_t number = ++sent_;
  local_.perform(order, [weak = weak_from_this(), &reactor = reactor_, number,
                         caller = std::this_thread::get_id()](const Control& answer) {
    const auto link = std::this_thread::get_id() == caller ? weak.lock() : nullptr;
    if (link && link->performing_ && number == link->sent_) {
      link->at_once_ = link->at_once_.value_or(answer);
      return;
    }
    reactor.post([weak, number, answer] {
      if (const auto posted = weak.lock()) {
        posted->answered(number, answer);
      }
    });
  });
  performing_ = false;
  if (const auto answer = std::exchange(at_once_, std::nullopt)) {
    answered(number, *answer);
  }
}

// A number tells a second or late answer from that to the next order.
void LocalLink::answered(std::uint64_t number, const Control& answer) {
  if (number == sent_ && number > done_) {
    done_ = number;
    mcu_.orders().hear({McuAnswer{answer}});
  }
}

}  // namespace servosim::srvp
