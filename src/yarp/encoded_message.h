// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "yarp/carrier.h"
#include "yarp/message.h"

namespace servosim::yarp {

/// One message for many connections: worked out once for each way of writing it, and only if
/// somebody wants it so.
class EncodedMessage {
 public:
  /// `body` is a Bottle in binary, and must outlive this.
  EncodedMessage(const MessageHead& head, Bytes body, Generation generation)
      : head_(head), body_(body), generation_(generation) {}

  const MessageHead& head() const { return head_; }
  /// As it goes through a stream.
  Bytes stream(Carrier carrier);
  /// As it goes by udp.
  const std::vector<Writer>& datagrams();

 private:
  MessageHead head_;
  Bytes body_;
  Generation generation_;
  std::optional<Writer> binary_;
  std::optional<Writer> text_;
  std::vector<Writer> datagrams_;
};

}  // namespace servosim::yarp
