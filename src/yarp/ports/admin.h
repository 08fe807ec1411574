// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "yarp/protocol/bottle.h"
#include "yarp/protocol/carrier.h"

// What is said to a port about its connections: the bodies of PortCommand::Admin, and the replies.
//
//     [ver]                          [ver] 1 2 3
//     [list] [in] | [list] [out]     the names at the other ends
//     [list] [out] "/b"              (from /a) (to /b) (carrier udp) (connectionless 1), the last
//     for
//                                    udp only; nothing if there is no such connection
//     [add] "udp://b/in"             0 "Added connection from /a to udp://b/in\r\n", or -1 and why
//                                    not: dial the port /b/in with this carrier
//     [del] "/b"                     0 "Removed connection from /a to /b\r\n", or -1 and why not
//     [prop] [get] ...               nothing
//     [prop] [set] ...               [ok]
//     anything else                  [fail] and why

namespace servosim::yarp {

struct AdminVersion {};
struct AdminList {
  bool out = false;  ///< connections we send on, else those we hear from
  std::string name;  ///< only the connection with this port; "" all
};
struct AdminAdd {
  Carrier carrier = Carrier::Tcp;
  std::string name;
};
struct AdminRemove {
  std::string name;
};
struct AdminProperty {
  bool set = false;
};

using AdminRequest =
    std::variant<AdminVersion, AdminList, AdminAdd, AdminRemove, AdminProperty, ProtocolError>;

/// A ProtocolError is for admin_failed().
AdminRequest parse_admin(const Bottle& message);
/// The message that asks so; [fail] for a ProtocolError.
Bottle admin_message(const AdminRequest& request);

Bottle admin_version_reply();
Bottle admin_names_reply(std::span<const std::string> names);
Bottle admin_connection_reply(std::string_view from, std::string_view to, Carrier carrier);
Bottle admin_added_reply(std::string_view from, const AdminAdd& to);
Bottle admin_removed_reply(std::string_view from, std::string_view to);
/// -1 and the text: of AdminAdd and AdminRemove that did not work.
Bottle admin_refused_reply(std::string_view why);
Bottle admin_property_reply(const AdminProperty& request);
/// [fail] and the text.
Bottle admin_failed_reply(std::string_view why);

}  // namespace servosim::yarp
