// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "wbt/node.h"

namespace servosim::wbt {

/// A line between the braces of a node as it is to be written. Lives as long as the node.
struct WrittenLine {
  std::string name;
  const Value* value = nullptr;
};

/// The lines of a PROTO instance, `node` being its root: the parameters that differ from their
/// defaults, what moved being where the body has it; then `hidden` lines for the Solids and joints
/// inside whose state neither a parameter gives nor the PROTO wrote.
std::vector<WrittenLine> instance_lines(const Node& node);

}  // namespace servosim::wbt
