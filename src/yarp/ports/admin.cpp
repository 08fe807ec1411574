// SPDX-License-Identifier: Apache-2.0
#include "yarp/ports/admin.h"

#include <fmt/format.h>

#include <utility>

namespace servosim::yarp {

namespace {

AdminRequest parse_list(const Bottle& message) {
  const auto direction = message.size() > 1 ? as_vocab(message.items[1]) : std::nullopt;
  if (direction != vocab("in") && direction != vocab("out")) {
    return ProtocolError{"use: [list] [in] or [list] [out], and a name if you like"};
  }
  AdminList list{direction == vocab("out"), {}};
  if (message.size() > 2) {
    const std::string* const name = as_string(message.items[2]);
    if (!name) {
      return ProtocolError{"the name of a port is a string"};
    }
    list.name = *name;
  }
  return list;
}

// CARRIER:/NAME, or /NAME alone.
AdminRequest parse_destination(std::string_view text) {
  const std::size_t colon = text.starts_with('/') ? text.npos : text.find(":/");
  if (colon == text.npos) {
    return AdminAdd{Carrier::Tcp, std::string(text)};
  }
  const std::optional<Carrier> carrier = carrier_named(text.substr(0, colon));
  if (!carrier) {
    return ProtocolError{
        fmt::format("no carrier \"{}\" here; there are tcp, fast_tcp, udp, text and text_ack",
                    text.substr(0, colon))};
  }
  return AdminAdd{*carrier, std::string(text.substr(colon + 2))};
}

}  // namespace

AdminRequest parse_admin(const Bottle& message) {
  const auto verb = message.empty() ? std::nullopt : as_vocab(message.items[0]);
  const std::string* const name = message.size() > 1 ? as_string(message.items[1]) : nullptr;
  switch (verb.value_or(0)) {
    case vocab("ver"):
      return AdminVersion{};
    case vocab("list"):
      return parse_list(message);
    case vocab("add"):
      return name ? parse_destination(*name)
                  : ProtocolError{"use: [add] \"tcp://name\", the port to connect to"};
    case vocab("del"):
      return name ? AdminRequest(AdminRemove{*name})
                  : ProtocolError{"use: [del] \"/name\", the port to disconnect from"};
    case vocab("prop"):
      return AdminProperty{message.size() > 1 && as_vocab(message.items[1]) == vocab("set")};
    default:
      return ProtocolError{"no such request; there are [ver], [list], [add], [del] and [prop]"};
  }
}

namespace {

struct RequestMessage {
  Bottle operator()(const AdminVersion&) const { return {{Vocab("ver")}}; }
  Bottle operator()(const AdminList& list) const {
    Bottle message{{Vocab("list"), Vocab(list.out ? "out" : "in")}};
    if (!list.name.empty()) {
      message.add(list.name);
    }
    return message;
  }
  Bottle operator()(const AdminAdd& add) const {
    return {{Vocab("add"), fmt::format("{}:/{}", carrier_name(add.carrier), add.name)}};
  }
  Bottle operator()(const AdminRemove& remove) const { return {{Vocab("del"), remove.name}}; }
  Bottle operator()(const AdminProperty& property) const {
    return {{Vocab("prop"), Vocab(property.set ? "set" : "get")}};
  }
  Bottle operator()(const ProtocolError& error) const { return admin_failed_reply(error.text); }
};

Bottle pair(const char* key, Value value) { return {{std::string(key), std::move(value)}}; }

}  // namespace

Bottle admin_message(const AdminRequest& request) { return std::visit(RequestMessage{}, request); }

Bottle admin_version_reply() { return {{Vocab("ver"), 1, 2, 3}}; }

Bottle admin_names_reply(std::span<const std::string> names) {
  return {{names.begin(), names.end()}};
}

Bottle admin_connection_reply(std::string_view from, std::string_view to, Carrier carrier) {
  Bottle reply{{pair("from", std::string(from)), pair("to", std::string(to)),
                pair("carrier", std::string(carrier_name(carrier)))}};
  if (carrier == Carrier::Udp) {
    reply.add(pair("connectionless", 1));
  }
  return reply;
}

Bottle admin_added_reply(std::string_view from, const AdminAdd& to) {
  return {{0, fmt::format("Added connection from {} to {}:/{}\r\n", from, carrier_name(to.carrier),
                          to.name)}};
}

Bottle admin_removed_reply(std::string_view from, std::string_view to) {
  return {{0, fmt::format("Removed connection from {} to {}\r\n", from, to)}};
}

Bottle admin_refused_reply(std::string_view why) { return {{-1, std::string(why)}}; }

Bottle admin_property_reply(const AdminProperty& request) {
  return request.set ? Bottle{{Vocab("ok")}} : Bottle{};
}

Bottle admin_failed_reply(std::string_view why) { return {{Vocab("fail"), std::string(why)}}; }

}  // namespace servosim::yarp
