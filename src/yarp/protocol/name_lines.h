// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "yarp/protocol/message.h"

// What is said to a name server, one line for each connection, and what it answers:
//
//     NAME_SERVER query NAME                      registration name N ip I port P type T, or
//     nothing NAME_SERVER register NAME CARRIER IP PORT   the same; "...", -1, 0 or nothing: choose
//     for me NAME_SERVER unregister NAME                 nothing NAME_SERVER list registrations,
//     sorted by name NAME_SERVER set NAME KEY VALUE...           port NAME property KEY = VALUE...
//     NAME_SERVER get NAME KEY                    port NAME property KEY = VALUE...
//     NAME_SERVER check NAME KEY VALUE            port NAME property KEY value VALUE present
//     true|false NAME_SERVER announce NAME                   [ok]
//
// Requests end in \n. The lines of an answer end in \r\n; "*** end of message" comes last, but not
// after [ok].

namespace servosim::yarp {

/// Longest request, in bytes.
inline constexpr std::size_t kMaxNameRequest = 2048;
/// Longest answer, in bytes.
inline constexpr std::size_t kMaxNameReply = 1u << 20;

/// Where a port is.
struct Contact {
  std::string name;
  std::string ip;
  int port = 0;  ///< 0: none
  std::string carrier = "tcp";
  bool operator==(const Contact&) const = default;
};

struct QueryName {
  std::string name;
};
/// What is empty or 0 the server chooses; so does a Contact's carrier of "".
struct RegisterName {
  Contact contact;
};
struct UnregisterName {
  std::string name;
};
struct ListNames {};
struct SetProperty {
  std::string name;
  std::string key;
  std::vector<std::string> values;
};
struct GetProperty {
  std::string name;
  std::string key;
};
struct CheckProperty {
  std::string name;
  std::string key;
  std::string value;
};
struct AnnounceName {
  std::string name;
};

using NameRequest = std::variant<QueryName, RegisterName, UnregisterName, ListNames, SetProperty,
                                 GetProperty, CheckProperty, AnnounceName, ProtocolError>;

/// A line without its end.
NameRequest parse_name_request(std::string_view line);
/// With its end; "" for a ProtocolError. Names are sent as they are: without blanks.
std::string encode_name_request(const NameRequest& request);

inline constexpr std::string_view kEndOfNameReply = "*** end of message\r\n";
/// "registration name N ip I port P type T\r\n".
std::string registration_line(const Contact& contact);

struct NameProperty {
  std::string name;
  std::string key;
  std::vector<std::string> values;
  std::optional<bool> present;  ///< of a CheckProperty, for its value
};

/// What a name server answers. Lines of no known form are in `others`.
struct NameReply {
  std::vector<Contact> contacts;
  std::vector<NameProperty> properties;
  std::vector<std::string> others;
};

/// Puts an answer together. Once feed() was true, or the server closed the connection, reply() is
/// whole.
class NameReplyReader {
 public:
  /// True: no more is to come, as the end was there or error() is set.
  bool feed(Bytes bytes);
  /// The server has closed the connection: what came last is a line too.
  void finish();
  const NameReply& reply() const { return reply_; }
  const std::string& error() const { return error_; }

 private:
  void take_line(std::string_view line);

  ByteQueue queue_;
  std::size_t size_ = 0;
  bool ended_ = false;
  NameReply reply_;
  std::string error_;
};

}  // namespace servosim::yarp
