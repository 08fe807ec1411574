// SPDX-License-Identifier: Apache-2.0
// SupervisorDesk: which nodes there are, and nodes as a whole.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "controller/live_settings.h"
#include "controller/session.h"
#include "controller/supervisor_desk.h"
#include "core/write_file.h"
#include "scene/scene.h"
#include "wbt/hidden_fields.h"
#include "wbt/tree_parameters.h"
#include "wbt/values.h"
#include "wbt/writer.h"

namespace servosim {
namespace {

// Makes relative paths of EXTERNPROTO lines lead from another folder.
void lead_from(wbt::WorldFile& world, const std::filesystem::path& folder) {
  const std::filesystem::path old =
      std::filesystem::path(world.path).parent_path().lexically_normal();
  for (std::vector<std::string>* urls : {&world.externs, &world.importable}) {
    for (std::string& url : *urls) {
      const bool relative =
          url.find("://") == std::string::npos && std::filesystem::path(url).is_relative();
      if (relative && old != folder) {
        url = (old / url).lexically_normal().lexically_proximate(folder).string();
      }
    }
  }
}

}  // namespace

std::int32_t SupervisorDesk::find(const Ask& ask) const {
  const auto or_none = [](Id id) { return id == 0 ? kNoNode : static_cast<std::int32_t>(id); };
  switch (ask.kind) {
    case AskKind::Self:
      return self_.index() >= 0 ? or_none(self_.spec().node) : kNoNode;
    case AskKind::FindDef:
      return or_none(tree_.find_def(ask.text));
    case AskKind::FindProtoDef:
      if (node(ask).instance == nullptr) {
        throw AskError("the node is no PROTO instance.");
      }
      return or_none(tree_.find_def_in(static_cast<Id>(ask.node), ask.text));
    case AskKind::FindId: {
      const wbt::TreeEntry* found = tree_.find(static_cast<Id>(ask.node));
      return ask.node == 0 || found != nullptr ? ask.node : kNoNode;
    }
    case AskKind::FindDevice: {
      const auto& devices = self_.devices();
      const bool known = ask.index > 0 && static_cast<std::size_t>(ask.index) <= devices.size();
      const Device* device = known ? &devices[static_cast<std::size_t>(ask.index) - 1] : nullptr;
      return device == nullptr || device->gone || device->spec == nullptr
                 ? kNoNode
                 : or_none(device->spec->node);
    }
    default:
      return ask.node == 0 ? kNoNode : static_cast<std::int32_t>(entry(ask).parent);
  }
}

void SupervisorDesk::describe(const Ask& ask) {
  if (ask.node == 0) {
    told_.text = told_.more[0] = "Group";
    return;
  }
  const wbt::TreeEntry& found = entry(ask);
  const wbt::Node& n = *found.node;
  told_.flags =
      static_cast<std::uint8_t>((n.instance ? kIsProto : 0) | (found.internal ? kIsInternal : 0));
  told_.more[0] = n.type->name;
  told_.text = n.proto_name.empty() ? told_.more[0] : std::string_view(n.proto_name);
  told_.more[1] = n.def;
}

void SupervisorDesk::describe_proto(const Ask& ask) {
  const wbt::ProtoInstance* instance = wbt::instance_at(node(ask), ask.level);
  if (instance == nullptr) {
    told_.integer = -1;
    return;
  }
  told_.text = instance->interface->name;
  told_.integer = instance->base != nullptr ? 1 : 0;
}

// Writes the present value of a field that moves into the tree.
void SupervisorDesk::note_live(Id id, std::string_view name, wbt::Edits& edits) {
  const wbt::TreeEntry* found = tree_.find(id);
  const wbt::FieldType* field =
      found != nullptr ? found->node->type->field(name, found->node->version) : nullptr;
  auto value = field != nullptr ? live_.read(tree_, *found->node, name) : std::nullopt;
  if (value && *value != found->node->value(name)) {
    // Inside of a PROTO it is no longer what that file says.
    const SourceLocation other =
        found->internal || found->node->instance ? SourceLocation{} : found->node->where_of(name);
    if (is_setting(name)) {
      note_parameters(id, *field, *value, edits);
    }
    edits.change(id, [field, other, value = std::move(*value)](wbt::Node& node) {
      wbt::set_field(node, *field, other, value);
    });
  }
}

// The parameters that a field IS.
void SupervisorDesk::note_parameters(Id id, const wbt::FieldType& field, const wbt::Value& value,
                                     wbt::Edits& edits) const {
  for (const wbt::ParameterPlace& p : wbt::parameters_of(tree_, id, field)) {
    if (auto fitting = wbt::converted(value, field.type, p.type)) {
      edits.change(p.node, [p, fitting = std::move(*fitting)](wbt::Node& node) {
        wbt::set_parameter(node, p.number, fitting, p.level);
      });
    }
  }
}

void SupervisorDesk::note_positions(Id joint, wbt::Edits& edits) {
  const wbt::TreeEntry* found = tree_.find(joint);
  for (std::size_t i = 0; found != nullptr && i < found->node->fields.size(); ++i) {
    const wbt::Field& field = found->node->fields[i];
    const auto* slot = std::get_if<wbt::NodePtr>(&field.value);
    if (slot != nullptr && *slot && field.type->name.starts_with("jointParameters")) {
      note_live((*slot)->id, "position", edits);
    }
  }
}

// The tree with what moved where it is now.
wbt::WorldFile SupervisorDesk::present_world() {
  settle();
  wbt::Edits edits;
  const Scene& scene = simulation_.scene();
  for (const SolidSpec& spec : scene.solids) {
    for (const char* name : {"translation", "rotation", "linearVelocity", "angularVelocity"}) {
      note_live(spec.node, name, edits);
    }
  }
  for (const RobotSpec& spec : scene.robots) {
    note_live(spec.node, "battery", edits);
    for (const DeviceSpec& device : spec.devices) {
      for (const std::string_view name : kSettings) {
        note_live(device.node, name, edits);
      }
    }
  }
  for (const JointSpec& spec : scene.joints) {
    note_positions(spec.node, edits);
  }
  return wbt::rewritten(*tree_.file(), edits);
}

void SupervisorDesk::export_node(const Ask& ask) {
  const wbt::WorldFile world = present_world();
  if (ask.node == 0) {
    text_ = wbt::write_saved_world(world);
  } else {
    node(ask);
    const wbt::Tree tree(std::make_shared<const wbt::WorldFile>(world));
    text_ = wbt::write_node(*tree.find(static_cast<Id>(ask.node))->node);
  }
  told_.text = text_;
}

void SupervisorDesk::save_world(const Ask& ask) {
  const std::string path = ask.text.empty() ? base_->path : std::string(ask.text);
  if (std::filesystem::path(path).extension() != ".wbt") {
    throw AskError(fmt::format("'{}' does not end in .wbt.", path));
  }
  wbt::WorldFile world = present_world();
  lead_from(world, std::filesystem::absolute(path).lexically_normal().parent_path());
  if (const auto error = write_file(path, wbt::write_saved_world(world), true)) {
    throw AskError(fmt::format("'{}' {}.", path, error->reason));
  }
}

void SupervisorDesk::restart_controller(const Ask& ask) {
  settle();
  node(ask);
  for (int i = 0; i < simulation_.robot_count(); ++i) {
    Robot& robot = simulation_.robot(i);
    if (robot.index() >= 0 && robot.spec().node == static_cast<Id>(ask.node)) {
      (orders_ ? *orders_ : orders_.emplace()).restart_controllers.push_back(&robot);
      return;
    }
  }
  throw AskError("the node is no Robot.");
}

}  // namespace servosim
