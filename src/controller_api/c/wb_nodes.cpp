// SPDX-License-Identifier: Apache-2.0
#include <webots/nodes.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "controller_api/client/supervisor_refs.h"

namespace servosim {

namespace {

struct NodeName {
  WbNodeType type;
  const char* name;
};

#define SERVOSIM_NODE_NAME(NAME, number, text) {WB_NODE_##NAME, text},
constexpr NodeName kNames[] = {WB_NODE_TYPES(SERVOSIM_NODE_NAME)};
#undef SERVOSIM_NODE_NAME

}  // namespace

WbNodeType node_type_named(std::string_view name) {
  const auto* found = std::find_if(std::begin(kNames), std::end(kNames),
                                   [&](const NodeName& node) { return name == node.name; });
  return found == std::end(kNames) ? WB_NODE_NO_NODE : found->type;
}

}  // namespace servosim

// It works without a simulation, so it does not connect to one.
const char* wb_node_get_name(WbNodeType t) {
  using servosim::kNames;
  const auto* found = std::find_if(std::begin(kNames), std::end(kNames),
                                   [=](const servosim::NodeName& node) { return t == node.type; });
  return found == std::end(kNames) ? "" : found->name;
}
