// SPDX-License-Identifier: Apache-2.0
#include "controller_api/server/custom_data.h"

#include <algorithm>

#include "scene/scene.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"
#include "wbt/tree.h"

namespace servosim {
namespace {

// Returns the value in the tree; null if the robot `node` is no longer in it. The pointer is valid
// until the tree changes.
const std::string* custom_data_of(Simulation& simulation, std::uint32_t node) {
  const wbt::TreeEntry* const robot = WorldControl(simulation).tree().find(node);
  return robot != nullptr && robot->node->type->field("customData") != nullptr
             ? &robot->node->string("customData")
             : nullptr;
}

// Writes the value into the tree, where supervisors read it.
void write_custom_data(Simulation& simulation, std::uint32_t node, const std::string& text) {
  wbt::Edits edits;
  edits.change_value(node, [&](wbt::Node& robot) {
    const wbt::FieldType* field = robot.type->field("customData", robot.version);
    if (field == nullptr) {
      return;
    }
    wbt::set_value(robot, *field, text);
    if (robot.proto.instance) {
      for (const wbt::Connection& c : wbt::ProtoInstance(*robot.proto.instance).connections) {
        if (c.node == node && c.field != nullptr && c.field->name == "customData") {
          wbt::set_parameter(robot, c.parameter, text);
        }
      }
    }
  });
  WorldControl(simulation).edit_world_file(edits);
}

}  // namespace

CustomData::CustomData(Simulation& simulation, const Robot& robot,
                       const std::optional<std::string>& before)
    : simulation_(simulation), robot_(robot), seen_edits_(WorldInspector(simulation).edits()) {
  const std::string* const written =
      seen_edits_ > 0 ? custom_data_of(simulation, robot.spec().node) : nullptr;
  text_ = before ? *before : written != nullptr ? *written : robot.spec().custom_data;
}

void CustomData::set(std::string_view text) {
  text_ = text;
  const auto& robots = WorldInspector(simulation_).scene().robots;
  if (robot_.index() >= 0 &&
      std::any_of(robots.begin(), robots.end(), [](const RobotSpec& r) { return r.supervisor; })) {
    write_custom_data(simulation_, robot_.spec().node, text_);
    seen_edits_ = WorldInspector(simulation_).edits();
  }
}

bool CustomData::follow_tree() {
  if (seen_edits_ == WorldInspector(simulation_).edits() || robot_.index() < 0) {
    return false;
  }
  seen_edits_ = WorldInspector(simulation_).edits();
  const std::string* const now = custom_data_of(simulation_, robot_.spec().node);
  if (now == nullptr || *now == text_) {
    return false;
  }
  text_ = *now;
  return true;
}

}  // namespace servosim
