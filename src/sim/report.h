// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace servosim {

/// The keys that lead to a value from the outermost object.
using JsonKeys = std::vector<std::string>;

/// Calls an action for each value of a JSON object in the order of the text: for an object or an
/// array before its contents, as an empty one; not for items of arrays. Does not store the text.
/// @returns false at the first fault: not JSON, no object, or nested too deeply.
bool visit_json_object(std::string_view text,
                       const std::function<void(const JsonKeys&, const nlohmann::json&)>& visit);

class Simulation;

/// The joints and propellers of a simulation that a report includes, in its order.
struct Watch {
  std::vector<int> joints;
  std::vector<int> propellers;
};

/// Those whose name matches one of `globs`, as matching_names() says; all when there are none.
/// @throws std::invalid_argument for a glob that matches none
Watch watch(const Simulation& simulation, const std::vector<std::string>& globs);

}  // namespace servosim
