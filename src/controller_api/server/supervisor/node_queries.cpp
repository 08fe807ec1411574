// SPDX-License-Identifier: Apache-2.0
#include "controller_api/server/supervisor/node_queries.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/files.h"
#include "controller_api/server/supervisor/field_edit.h"
#include "scene/scene.h"
#include "sim/world_inspector.h"
#include "wbt/tree.h"
#include "wbt/values.h"
#include "wbt/writer.h"

namespace servosim {

using wbt::FieldKey;
using wbt::FieldView;
using wbt::Value;
using wbt::ValueType;

namespace {

// Changes relative paths of EXTERNPROTO lines so that they are relative to another folder.
void rebase_externs(wbt::WorldFile& world, const std::filesystem::path& folder) {
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

NodeQueries::NodeQueries(Simulation& simulation, const Robot& self, TreeEditor& editor,
                         LiveFields& live)
    : simulation_(simulation), self_(self), editor_(editor), live_(live) {}

void NodeQueries::answer(const SupervisorRequest& request, OwnedResponse& response) {
  switch (request.kind) {
    case SupervisorRequestKind::Describe:
      return describe(request, response);
    case SupervisorRequestKind::DescribeProto:
      return describe_proto(request, response);
    case SupervisorRequestKind::FindField:
    case SupervisorRequestKind::NthField:
    case SupervisorRequestKind::CountFields:
      return find_field(request, response);
    case SupervisorRequestKind::ActualField:
      return find_actual_field(request, response);
    case SupervisorRequestKind::CountItems:
      response.integer = count_items(request);
      return;
    case SupervisorRequestKind::Get:
      return get(request, response);
    case SupervisorRequestKind::Export:
      return export_node(request, response);
    case SupervisorRequestKind::SaveWorld:
      return save_world(request);
    default:
      response.integer = find(request);
  }
}

std::int32_t NodeQueries::find(const SupervisorRequest& request) const {
  const auto or_none = [](std::uint32_t id) {
    return id == 0 ? kNoNode : static_cast<std::int32_t>(id);
  };
  switch (request.kind) {
    case SupervisorRequestKind::Self:
      return self_.index() >= 0 ? or_none(self_.spec().node) : kNoNode;
    case SupervisorRequestKind::FindDef:
      return or_none(editor_.tree().find_def(request.text));
    case SupervisorRequestKind::FindProtoDef:
      if (editor_.node(request).proto.instance == nullptr) {
        throw SupervisorRequestError("the node is no PROTO instance.");
      }
      return or_none(
          editor_.tree().find_def_in(static_cast<std::uint32_t>(request.node), request.text));
    case SupervisorRequestKind::FindId: {
      const wbt::TreeEntry* found = editor_.tree().find(static_cast<std::uint32_t>(request.node));
      return request.node == 0 || found != nullptr ? request.node : kNoNode;
    }
    case SupervisorRequestKind::FindDevice: {
      const auto& devices = self_.devices();
      const bool known =
          request.index > 0 && static_cast<std::size_t>(request.index) <= devices.size();
      const DeviceNode* device =
          known ? &devices[static_cast<std::size_t>(request.index) - 1] : nullptr;
      if (device == nullptr || device->detached || device->spec == nullptr) {
        return kNoNode;
      }
      // Nodes that only the body of a PROTO has are hidden.
      const wbt::TreeEntry* const found = editor_.tree().find(device->spec->node);
      return found == nullptr || found->internal ? kNoNode : or_none(device->spec->node);
    }
    default:
      SERVOSIM_ASSERT(request.kind == SupervisorRequestKind::Parent, "request {} finds no node",
                      static_cast<int>(request.kind));
      return request.node == 0 ? kNoNode : static_cast<std::int32_t>(editor_.entry(request).parent);
  }
}

void NodeQueries::describe(const SupervisorRequest& request, OwnedResponse& response) const {
  if (request.node == 0) {
    response.text = response.more[0] = "Group";
    return;
  }
  const wbt::TreeEntry& found = editor_.entry(request);
  const wbt::Node& n = *found.node;
  response.flags = static_cast<std::uint8_t>((n.proto.instance ? kIsProto : 0) |
                                             (found.internal ? kIsInternal : 0));
  response.more[0] = n.type->name;
  response.text = n.proto.name.empty() ? response.more[0] : std::string_view(n.proto.name);
  response.more[1] = n.def;
}

void NodeQueries::describe_proto(const SupervisorRequest& request, OwnedResponse& response) const {
  const wbt::ProtoInstance* instance = wbt::instance_at(editor_.node(request), request.level);
  if (instance == nullptr) {
    response.integer = -1;
    return;
  }
  response.text = instance->interface->name;
  response.integer = instance->base != nullptr ? 1 : 0;
}

void NodeQueries::find_field(const SupervisorRequest& request, OwnedResponse& response) const {
  response.integer = -1;
  if (request.node == 0) {
    const bool is_it = request.kind == SupervisorRequestKind::NthField ? request.index == 0
                                                                       : request.text == "children";
    response.integer = request.kind == SupervisorRequestKind::CountFields ? 1 : is_it ? 0 : -1;
    response.text = "children";
    response.type = field_type_number(ValueType::MFNode);
    return;
  }
  const wbt::TreeEntry& found = editor_.entry(request);
  std::optional<FieldKey> key;
  if (request.kind == SupervisorRequestKind::FindField) {
    key = wbt::find_field(*found.node, request.level, request.text);
  } else {
    const std::vector<FieldKey> keys = wbt::field_keys(*found.node, request.level);
    if (request.kind == SupervisorRequestKind::CountFields) {
      response.integer = static_cast<std::int32_t>(keys.size());
      return;
    }
    if (request.index >= 0 && static_cast<std::size_t>(request.index) < keys.size()) {
      key = keys[static_cast<std::size_t>(request.index)];
    }
  }
  if (key) {
    const FieldView field = *wbt::field_view(*found.node, *key);
    const bool of_body = request.level == 0 && found.node->proto.instance != nullptr;
    response.integer = key->number;
    response.type = field_type_number(field.type);
    response.flags = found.internal || of_body || request.level > 1 ? kIsInternal : 0;
    response.text = field.name;
  }
}

// A field in the body of a PROTO has the value of the parameter to which it is connected by IS. The
// same holds for a parameter that a derived PROTO passes on.
void NodeQueries::find_actual_field(const SupervisorRequest& request,
                                    OwnedResponse& response) const {
  response.node = request.node;
  response.level = request.level;
  response.integer = request.field;
  if (request.node == 0) {
    return;
  }
  editor_.view(request);  // throws if there is no such field
  const wbt::Node& asked = editor_.node(request);
  const auto is_the_same = [&](const wbt::Connection& c) {
    if (request.level == 0) {
      return c.node == asked.id && c.field != nullptr &&
             c.field->name == asked.type->fields[request.field]->name;
    }
    const auto& own = wbt::instance_at(asked, request.level)->connections;
    return c.field != nullptr && std::any_of(own.begin(), own.end(), [&](const wbt::Connection& o) {
             return o.parameter == request.field && o.node == c.node && o.field == c.field;
           });
  };
  for (std::uint32_t id = asked.id; id != 0; id = editor_.tree().find(id)->parent) {
    const wbt::ProtoInstance* instance = editor_.tree().find(id)->node->proto.instance.get();
    if (instance == nullptr || editor_.tree().find(id)->internal) {
      continue;
    }
    const auto& theirs = instance->connections;
    const auto found = std::find_if(theirs.begin(), theirs.end(), is_the_same);
    if (found != theirs.end()) {
      response.node = static_cast<std::int32_t>(id);
      response.level = 1;
      response.integer = static_cast<std::int32_t>(found->parameter);
      return;
    }
  }
}

std::int32_t NodeQueries::count_items(const SupervisorRequest& request) const {
  return request.node == 0 ? static_cast<std::int32_t>(editor_.tree().file()->nodes.size())
                           : item_count(*editor_.view(request).value);
}

void NodeQueries::get(const SupervisorRequest& request, OwnedResponse& response) {
  FieldView field;
  if (request.node == 0) {
    field = {"children", ValueType::MFNode, &response.keep(editor_.tree().file()->nodes)};
  } else {
    editor_.view(request);  // throws if there is no such field
    auto live = editor_.live_value(editor_.node(request), key_of(request));
    field = editor_.view(request);  // read again, since pending edits may have been settled
    if (live) {
      field.value = &response.keep(std::move(*live));
    }
  }
  check_type(field.type, request.type);
  response.type = request.type;
  write_item(*field.value, request.index, response);
}

// The tree, in which everything that moved is at its present place.
wbt::WorldFile NodeQueries::present_world() {
  editor_.settle();
  wbt::Edits edits;
  const Scene& scene = WorldInspector(simulation_).scene();
  for (const SolidSpec& spec : scene.solids) {
    for (const char* name : {"translation", "rotation", "linearVelocity", "angularVelocity"}) {
      live_.copy_to_tree(editor_.tree(), spec.node, name, edits);
    }
  }
  for (const RobotSpec& spec : scene.robots) {
    live_.copy_to_tree(editor_.tree(), spec.node, "battery", edits);
    for (const DeviceSpec& device : spec.devices) {
      live_.copy_settings_to_tree(editor_.tree(), device.node, edits);
    }
  }
  for (const JointSpec& spec : scene.joints) {
    live_.copy_positions_to_tree(editor_.tree(), spec.node, edits);
  }
  return wbt::rewritten(*editor_.tree().file(), edits);
}

void NodeQueries::export_node(const SupervisorRequest& request, OwnedResponse& response) {
  const wbt::WorldFile world = present_world();
  if (request.node == 0) {
    return response.set_text(wbt::write_saved_world(world));
  }
  editor_.node(request);
  const wbt::Tree tree(std::make_shared<const wbt::WorldFile>(world));
  response.set_text(wbt::write_node(*tree.find(static_cast<std::uint32_t>(request.node))->node));
}

void NodeQueries::save_world(const SupervisorRequest& request) {
  const std::string path = request.text.empty() ? editor_.base().path : std::string(request.text);
  if (std::filesystem::path(path).extension() != ".wbt") {
    throw SupervisorRequestError(fmt::format("'{}' does not end in .wbt.", path));
  }
  wbt::WorldFile world = present_world();
  rebase_externs(world, std::filesystem::absolute(path).lexically_normal().parent_path());
  if (const auto error = write_file(path, wbt::write_saved_world(world), true)) {
    throw SupervisorRequestError(fmt::format("'{}' {}.", path, error->reason));
  }
}

}  // namespace servosim
