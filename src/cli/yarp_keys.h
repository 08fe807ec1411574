// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "servosim/yarp/board_config.h"

namespace servosim {

using Names = std::vector<std::string>;

/// What a file for --yarp-config says behind a key. All its functions throw InputError, with the
/// place, for what is not wanted.
struct ConfigEntry {
  std::string place;  ///< of the key, for messages
  Names words;

  [[noreturn]] void refuse(const std::string& what) const;
  std::string text() const;
  const std::string& word() const;  ///< the only one
  double number(const std::string& word) const;
  std::size_t choice(const std::string& word, const Names& names) const;
};

template <typename Config>
using ConfigKeys =
    std::map<std::string, std::function<void(const ConfigEntry&, Config&)>, std::less<>>;

/// Keys of a joint, and of a board, that put their value into a configuration.
const ConfigKeys<yarp::JointConfig>& joint_keys();
const ConfigKeys<yarp::BoardConfig>& board_keys();

}  // namespace servosim
