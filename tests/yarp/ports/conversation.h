// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yarp/ports/input_connection.h"
#include "yarp/ports/output_connection.h"
#include "yarp/ports/test_support.h"

namespace servosim::yarp {

// Returns events as words, because views are invalid after the next feed().
inline std::string in_words(const Message& message, Carrier carrier) {
  std::string text = "message " + std::to_string(static_cast<int>(message.head.command));
  text += message.head.reply ? " reply" : "";
  if (message.head.stamp) {
    text += " at " + std::to_string(message.head.stamp->sequence) + " " +
            std::to_string(message.head.stamp->time);
  }
  const BottleOrError body = decode_body(message.body, carrier, Generation::V3);
  return text + ": " +
         (is_error(body) ? std::string(as_text(message.body)) : to_text(std::get<Bottle>(body)));
}

inline std::string in_words(const IncomingEvent& event, Incoming& incoming) {
  if (const auto* opened = std::get_if<Opened>(&event)) {
    return std::string(carrier_name(opened->carrier)) + " from " + std::string(opened->sender);
  }
  if (const auto* message = std::get_if<Message>(&event)) {
    return in_words(*message, *incoming.carrier());
  }
  return "error: " + error_text(event);
}

inline std::string in_words(const OutgoingEvent& event, Outgoing&) {
  if (const auto* welcomed = std::get_if<Welcomed>(&event)) {
    return "welcomed " + std::to_string(welcomed->number);
  }
  if (const auto* reply = std::get_if<RepliedMessage>(&event)) {
    return "reply " + std::string(as_text(reply->body));
  }
  return std::holds_alternative<Finished>(event) ? "finished" : "error: " + error_text(event);
}

using Words = std::vector<std::string>;

template <typename Ear>
void hear(Ear& ear, std::string_view bytes, Words& words) {
  ear.feed(as_bytes(bytes));
  for (auto event = ear.next(); event.index() != 0; event = ear.next()) {
    words.push_back(in_words(event, ear));
    if (is_error(event)) {
      return;
    }
  }
}

inline Words heard(std::string_view bytes, Incoming incoming = {}) {
  Words words;
  hear(incoming, bytes, words);
  return words;
}

inline std::string handshake(Carrier carrier, std::string_view sender) {
  Writer writer;
  encode_handshake(writer, carrier, sender);
  return text_of(writer);
}

inline std::string message(Carrier carrier, const MessageHead& head, const Bottle& body = {}) {
  Writer writer;
  encode_message(writer, carrier, head, body, Generation::V3);
  return text_of(writer);
}

}  // namespace servosim::yarp
