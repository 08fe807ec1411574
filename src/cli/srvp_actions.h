// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>
#include <vector>

#include "servosim/srvp/client.h"

namespace servosim {

/// One thing that a client is to ask of an SRVP server.
struct SrvpAction {
  std::string text;  ///< as typed
  srvp::Query query;
};

/// The actions that the words of a command line say, or what is wrong with them.
std::variant<std::vector<SrvpAction>, std::string> parse_srvp_actions(
    const std::vector<std::string>& words);

/// "move 3=90: ACK 255, NACK 248 ErrorContactingMCU"
std::string srvp_line(const SrvpAction& action, const srvp::Reply& reply);
nlohmann::ordered_json srvp_json(const SrvpAction& action, const srvp::Reply& reply);

}  // namespace servosim
