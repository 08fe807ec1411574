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

// Requests to a name server, one line for each connection, and its answers:
//
//     NAME_SERVER query NAME                     registration name N ip I port P type T, or nothing
//     NAME_SERVER register NAME CARRIER IP PORT  the same; for "...", -1 or 0 a free one
//     NAME_SERVER unregister NAME                nothing
//     NAME_SERVER list                           registrations, sorted by name
//     NAME_SERVER set NAME KEY VALUE...          port NAME property KEY = VALUE...
//     NAME_SERVER get NAME KEY                   port NAME property KEY = VALUE...
//     NAME_SERVER check NAME KEY VALUE           port NAME property KEY value VALUE present BOOL
//     NAME_SERVER announce NAME                  [ok]
//
// Requests end in \n. The lines of an answer end in \r\n; the last one is "*** end of message",
// except after [ok].

namespace servosim::yarp {

/// The default port of name servers.
inline constexpr int kNameServerPort = 10000;
/// The longest request [bytes].
inline constexpr std::size_t kMaxNameRequest = 2048;
/// The longest answer [bytes].
inline constexpr std::size_t kMaxNameReply = 1u << 20;

/// The name and address of a port.
struct Contact {
  std::string name;
  std::string ip;
  int port = 0;  ///< 0 means none
  std::string carrier = "tcp";
  bool operator==(const Contact&) const = default;
};

struct QueryName {
  std::string name;
};
/// The server chooses the fields that are empty or 0.
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

/// Parses a line without its end.
NameRequest parse_name_request(std::string_view line);
/// Returns a line with its end; empty for a ProtocolError. Names must not contain blanks.
std::string encode_name_request(const NameRequest& request);

inline constexpr std::string_view kEndOfNameReply = "*** end of message\r\n";
/// Returns "registration name N ip I port P type T\r\n".
std::string registration_line(const Contact& contact);

struct NameProperty {
  std::string name;
  std::string key;
  std::vector<std::string> values;
  std::optional<bool> present;  ///< only for a CheckProperty: whether the value is present
};

/// The answer of a name server. Lines of an unknown form are in `others`.
struct NameReply {
  std::vector<Contact> contacts;
  std::vector<NameProperty> properties;
  std::vector<std::string> others;
};

/// Parses an answer. reply() is complete after feed() has returned true, or after the server has
/// closed the connection.
class NameReplyReader {
 public:
  /// Returns true if the end was received, or if error() is set.
  bool feed(Bytes bytes);
  /// The server has closed the connection, so the remaining bytes are a line, too.
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
