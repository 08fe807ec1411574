// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "yarp/protocol/bottle.h"

// Configuration files of YARP's programs, such as the ones of control boards in Gazebo:
//
//     name /icub/torso               // a key and its values, before any group
//     [LIMITS]                       # a group; one that comes again goes on
//     jntPosMin (-50.0 -30.0)        a list ends with its ')', perhaps in a later line
//     jntPosMax = 50.0 ${high}       '=' may follow a key; ${high} is the value of the key high
//     [include "more.ini"]           its keys and groups are read here; the open group ends
//     [include LIMITS "limits.ini"]  its keys are in the group LIMITS
//
// A comment begins with // or, at the beginning of a line or after a blank, with #, unless it is in
// quotes.

namespace servosim::yarp {

struct PropertyEntry {
  std::string key;
  Bottle values;
  std::string place;  ///< FILE:LINE, for messages
};

struct PropertyGroup {
  std::string name;  ///< empty for the keys before any group
  std::vector<PropertyEntry> entries;

  /// Returns the last entry of that key, which replaces the others; null if there is none.
  const PropertyEntry* find(std::string_view key) const;
};

struct PropertyFile {
  PropertyGroup top;
  std::vector<PropertyGroup> groups;

  /// Returns null if there is none.
  const PropertyGroup* group(std::string_view name) const;
};

/// The text of a ProtocolError begins with the place, FILE:LINE.
using PropertyFileOrError = std::variant<PropertyFile, ProtocolError>;
using PropertyVariables = std::map<std::string, std::string, std::less<>>;

/// Reads a file and those that it includes. `variables` are values for ${NAME} in addition to the
/// keys that were read before.
PropertyFileOrError read_property_file(const std::string& path,
                                       const PropertyVariables& variables = {});

}  // namespace servosim::yarp
