// SPDX-License-Identifier: Apache-2.0
#include "yarp/outgoing.h"

#include <fmt/format.h>

#include <utility>

namespace servosim::yarp {

namespace {

constexpr std::string_view kTextAck = "<ACK>";

}  // namespace

void Outgoing::sent(const MessageHead& head) {
  if (carrier_ == Carrier::Udp) {
    return;  // nothing ever comes back
  }
  if (head.reply) {
    state_ = State::Reply;
  } else if (acknowledges(carrier_)) {
    state_ = State::Acknowledgement;
  }
}

void Outgoing::feed(Bytes bytes) {
  if (state_ != State::Broken) {
    queue_.append(bytes);
  }
}

OutgoingEvent Outgoing::next() {
  if (std::exchange(finished_, false)) {
    state_ = State::Ready;
    return Finished{};
  }
  switch (state_) {
    case State::Answer:
      return is_text(carrier_) ? text_answer() : answer();
    case State::Reply:
      return is_text(carrier_) ? text_reply() : reply();
    case State::Acknowledgement:
      return acknowledgement();
    case State::Ready:
      return queue_.size() > 0 ? refuse("bytes that nobody asked for") : OutgoingEvent();
    case State::Broken:
      break;
  }
  return error_;
}

OutgoingEvent Outgoing::refuse(std::string text) {
  queue_.clear();
  state_ = State::Broken;
  error_.text = std::move(text);
  return error_;
}

// None: the line goes on, or the state is Broken as it is too long.
std::optional<std::string_view> Outgoing::line() {
  const std::optional<std::string_view> line = queue_.take_line();
  if (line ? line->size() > kMaxBottle : queue_.size() > kMaxBottle) {
    refuse("a line that is too long");
    return std::nullopt;
  }
  return line;
}

OutgoingEvent Outgoing::answer() {
  if (queue_.size() < kNumberSize) {
    return {};
  }
  const std::optional<std::int32_t> number = decode_number(queue_.take(kNumberSize));
  if (!number) {
    return refuse("the other side refuses the connection");
  }
  if (carrier_ == Carrier::Udp && (*number < 1 || *number > 65535)) {
    return refuse(fmt::format("the other side offers UDP port {}", *number));
  }
  state_ = State::Ready;
  return Welcomed{*number};
}

OutgoingEvent Outgoing::text_answer() {
  const std::optional<std::string_view> text = line();
  if (!text) {
    return state_ == State::Broken ? OutgoingEvent(error_) : OutgoingEvent();
  }
  if (!text->starts_with("Welcome")) {
    return refuse(fmt::format("the other side refuses the connection: {}", *text));
  }
  state_ = State::Ready;
  return Welcomed{};
}

OutgoingEvent Outgoing::replied(Bytes body) {
  if (acknowledges(carrier_)) {
    state_ = State::Acknowledgement;
  } else {
    finished_ = true;
  }
  return Reply{body};
}

OutgoingEvent Outgoing::reply() {
  const Bytes bytes = queue_.bytes();
  if (acknowledges(carrier_) && !bytes.empty() && as_text(bytes).front() == 'Y') {
    return acknowledgement();  // no Bottle begins so: there is no reply
  }
  BottleEnd end = find_bottle_end(bytes, generation_);
  if (!end.error.empty()) {
    return refuse("a reply that is " + end.error);
  }
  return end.size > 0 ? replied(queue_.take(end.size)) : OutgoingEvent();
}

OutgoingEvent Outgoing::text_reply() {
  const std::optional<std::string_view> text = line();
  if (!text) {
    return state_ == State::Broken ? OutgoingEvent(error_) : OutgoingEvent();
  }
  if (carrier_ == Carrier::TextAck && *text == kTextAck) {
    state_ = State::Ready;  // there is no reply
    return Finished{};
  }
  return replied(as_bytes(*text));
}

OutgoingEvent Outgoing::acknowledgement() {
  if (is_text(carrier_)) {
    const std::optional<std::string_view> text = line();
    if (!text) {
      return state_ == State::Broken ? OutgoingEvent(error_) : OutgoingEvent();
    }
    if (*text != kTextAck) {
      return refuse(fmt::format("\"{}\" in place of {}", *text, kTextAck));
    }
  } else {
    if (queue_.size() < kNumberSize) {
      return {};
    }
    if (decode_number(queue_.take(kNumberSize)) != 0) {
      return refuse("no acknowledgement (YA<0>RP) where one is due");
    }
  }
  state_ = State::Ready;
  return Finished{};
}

}  // namespace servosim::yarp
