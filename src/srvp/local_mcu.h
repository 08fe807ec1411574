// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "servosim/srvp/frames.h"

namespace servosim::srvp {

/// An MCU in the process of the server.
class LocalMcu {
 public:
  /// To be called once with the answer, from any thread, while the server's reactor lives; also
  /// from inside perform(), and also when the MCU has been removed.
  using Respond = std::function<void(Control answer)>;

  virtual ~LocalMcu() = default;
  /// Called in the thread of the server's reactor, which must not wait here. The next order comes
  /// after the answer to this one. A SmartMCU gets positions, all of them in range; a DumbMCU gets
  /// PWM values, and only Kind::Move.
  virtual void perform(McuOrder order, Respond respond) = 0;
};

}  // namespace servosim::srvp
