// SPDX-License-Identifier: Apache-2.0
#include "yarp/encoded_message.h"

#include "yarp/datagram.h"

namespace servosim::yarp {

Bytes EncodedMessage::stream(Carrier carrier) {
  if (!is_text(carrier)) {
    if (!binary_) {
      binary_.emplace();
      const MessageMark mark = begin_message(*binary_, carrier, head_);
      if (has_body(head_)) {
        binary_->chars(as_text(body_));
        end_message(*binary_, carrier, mark);
      }
    }
    return binary_->bytes();
  }
  if (!text_) {
    text_.emplace();
    BottleOrError body = decode_bottle(body_, generation_);
    auto* const bottle = std::get_if<Bottle>(&body);
    encode_message(*text_, carrier, head_, bottle ? *bottle : Bottle(), generation_);
  }
  return text_->bytes();
}

const std::vector<Writer>& EncodedMessage::datagrams() {
  if (datagrams_.empty()) {
    const Bytes message = stream(Carrier::Udp);
    datagrams_.resize(datagram_count(message));
    for (std::size_t i = 0; i < datagrams_.size(); ++i) {
      encode_datagram(datagrams_[i], message, i);
    }
  }
  return datagrams_;
}

}  // namespace servosim::yarp
