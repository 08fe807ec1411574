// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "yarp/name_lines.h"

namespace servosim::yarp {

/// Most names registered at a time.
inline constexpr std::size_t kMaxNames = 2048;
/// Most properties of one name.
inline constexpr std::size_t kMaxProperties = 8;
/// The first port number the server chooses.
inline constexpr int kFirstPort = 10002;

/// The names of a name server. Knows itself, too: `self` is the first registration, and stays.
class NameTable {
 public:
  explicit NameTable(Contact self);

  /// The answer to one line, whole, ready to be sent; the connection is then closed. `peer_ip` is
  /// the address of a port that does not say its own.
  std::string answer(std::string_view line, std::string_view peer_ip);

  /// Null: no such name. Valid until the next answer().
  const Contact* find(std::string_view name) const;
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    Contact contact;
    std::map<std::string, std::string, std::less<>> properties;  // values with blanks between
  };
  struct Answer;

  std::string register_name(Contact contact, std::string_view peer_ip);
  std::string set_property(const SetProperty& request);
  int free_port(std::string_view ip);
  std::string anonymous_name();
  // "" when there is none.
  std::string_view property(std::string_view name, std::string_view key) const;

  std::map<std::string, Entry, std::less<>> entries_;
  std::string self_;
  int next_port_ = kFirstPort;
  unsigned next_anonymous_ = 1;
};

}  // namespace servosim::yarp
