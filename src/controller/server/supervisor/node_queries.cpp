// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <type_traits>

#include "base/write_file.h"
#include "controller/server/field_values.h"
#include "controller/server/live_fields.h"
#include "controller/server/session.h"
#include "controller/server/supervisor/supervisor_server.h"
#include "scene/scene.h"
#include "servosim/diagnostics.h"
#include "wbt/eras/legacy.h"
#include "wbt/tree.h"
#include "wbt/values.h"
#include "wbt/writer.h"

// SupervisorServer: which nodes there are, and nodes as a whole.

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

std::int32_t SupervisorServer::find(const SupervisorRequest& request) const {
  const auto or_none = [](Id id) { return id == 0 ? kNoNode : static_cast<std::int32_t>(id); };
  switch (request.kind) {
    case SupervisorRequestKind::Self:
      return self_.index() >= 0 ? or_none(self_.spec().node) : kNoNode;
    case SupervisorRequestKind::FindDef:
      return or_none(tree_.find_def(request.text));
    case SupervisorRequestKind::FindProtoDef:
      if (node(request).instance == nullptr) {
        throw SupervisorRequestError("the node is no PROTO instance.");
      }
      return or_none(tree_.find_def_in(static_cast<Id>(request.node), request.text));
    case SupervisorRequestKind::FindId: {
      const wbt::TreeEntry* found = tree_.find(static_cast<Id>(request.node));
      return request.node == 0 || found != nullptr ? request.node : kNoNode;
    }
    case SupervisorRequestKind::FindDevice: {
      const auto& devices = self_.devices();
      const bool known =
          request.index > 0 && static_cast<std::size_t>(request.index) <= devices.size();
      const Device* device =
          known ? &devices[static_cast<std::size_t>(request.index) - 1] : nullptr;
      return device == nullptr || device->gone || device->spec == nullptr
                 ? kNoNode
                 : or_none(device->spec->node);
    }
    default:
      return request.node == 0 ? kNoNode : static_cast<std::int32_t>(entry(request).parent);
  }
}

void SupervisorServer::describe(const SupervisorRequest& request) {
  if (request.node == 0) {
    response_.text = response_.more[0] = "Group";
    return;
  }
  const wbt::TreeEntry& found = entry(request);
  const wbt::Node& n = *found.node;
  response_.flags =
      static_cast<std::uint8_t>((n.instance ? kIsProto : 0) | (found.internal ? kIsInternal : 0));
  response_.more[0] = n.type->name;
  response_.text = n.proto_name.empty() ? response_.more[0] : std::string_view(n.proto_name);
  response_.more[1] = n.def;
}

void SupervisorServer::describe_proto(const SupervisorRequest& request) {
  const wbt::ProtoInstance* instance = wbt::instance_at(node(request), request.level);
  if (instance == nullptr) {
    response_.integer = -1;
    return;
  }
  response_.text = instance->interface->name;
  response_.integer = instance->base != nullptr ? 1 : 0;
}

// Writes the present value of a field that moves into the tree.
void SupervisorServer::note_live(Id id, std::string_view name, wbt::Edits& edits) {
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
void SupervisorServer::note_parameters(Id id, const wbt::FieldType& field, const wbt::Value& value,
                                       wbt::Edits& edits) const {
  for (const wbt::ParameterPlace& p : wbt::parameters_of(tree_, id, field)) {
    if (auto fitting = wbt::converted(value, field.type, p.type)) {
      edits.change(p.node, [p, fitting = std::move(*fitting)](wbt::Node& node) {
        wbt::set_parameter(node, p.number, fitting, p.level);
      });
    }
  }
}

void SupervisorServer::note_positions(Id joint, wbt::Edits& edits) {
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
wbt::WorldFile SupervisorServer::present_world() {
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

void SupervisorServer::export_node(const SupervisorRequest& request) {
  const wbt::WorldFile world = present_world();
  if (request.node == 0) {
    text_ = wbt::write_saved_world(world);
  } else {
    node(request);
    const wbt::Tree tree(std::make_shared<const wbt::WorldFile>(world));
    text_ = wbt::write_node(*tree.find(static_cast<Id>(request.node))->node);
  }
  response_.text = text_;
}

void SupervisorServer::save_world(const SupervisorRequest& request) {
  const std::string path = request.text.empty() ? base_->path : std::string(request.text);
  if (std::filesystem::path(path).extension() != ".wbt") {
    throw SupervisorRequestError(fmt::format("'{}' does not end in .wbt.", path));
  }
  wbt::WorldFile world = present_world();
  lead_from(world, std::filesystem::absolute(path).lexically_normal().parent_path());
  if (const auto error = write_file(path, wbt::write_saved_world(world), true)) {
    throw SupervisorRequestError(fmt::format("'{}' {}.", path, error->reason));
  }
}

void SupervisorServer::restart_controller(const SupervisorRequest& request) {
  settle();
  node(request);
  for (int i = 0; i < simulation_.robot_count(); ++i) {
    Robot& robot = simulation_.robot(i);
    if (robot.index() >= 0 && robot.spec().node == static_cast<Id>(request.node)) {
      (orders_ ? *orders_ : orders_.emplace()).restart_controllers.push_back(&robot);
      return;
    }
  }
  throw SupervisorRequestError("the node is no Robot.");
}

// SupervisorServer: fields.
namespace {

using wbt::FieldKey;
using wbt::FieldView;
using wbt::Value;
using wbt::ValueType;

constexpr std::string_view kReadOnly = "called on a read-only PROTO internal field.";

FieldView children_of_root(const std::vector<wbt::NodePtr>& nodes, Value& holder) {
  holder = nodes;
  return {"children", ValueType::MFNode, &holder};
}

}  // namespace

FieldView SupervisorServer::view(const SupervisorRequest& request) const {
  const auto found = wbt::field_view(node(request), key_of(request));
  if (!found) {
    throw SupervisorRequestError("called with an invalid 'field' argument.");
  }
  return *found;
}

void SupervisorServer::find_field(const SupervisorRequest& request) {
  response_.integer = -1;
  if (request.node == 0) {
    const bool is_it = request.kind == SupervisorRequestKind::NthField ? request.index == 0
                                                                       : request.text == "children";
    response_.integer = request.kind == SupervisorRequestKind::CountFields ? 1 : is_it ? 0 : -1;
    response_.text = "children";
    response_.type = field_type_number(ValueType::MFNode);
    return;
  }
  const wbt::TreeEntry& found = entry(request);
  std::optional<FieldKey> key;
  if (request.kind == SupervisorRequestKind::FindField) {
    key = wbt::find_field(*found.node, request.level, request.text);
  } else {
    const std::vector<FieldKey> keys = wbt::field_keys(*found.node, request.level);
    if (request.kind == SupervisorRequestKind::CountFields) {
      response_.integer = static_cast<std::int32_t>(keys.size());
      return;
    }
    if (request.index >= 0 && static_cast<std::size_t>(request.index) < keys.size()) {
      key = keys[static_cast<std::size_t>(request.index)];
    }
  }
  if (key) {
    const FieldView field = *wbt::field_view(*found.node, *key);
    const bool of_body = request.level == 0 && found.node->instance != nullptr;
    response_.integer = key->number;
    response_.type = field_type_number(field.type);
    response_.flags = found.internal || of_body || request.level > 1 ? kIsInternal : 0;
    response_.text = field.name;
  }
}

// Of a field in the body of a PROTO, or of a parameter that another PROTO gives on: the parameter
// that it IS.
void SupervisorServer::actual_field(const SupervisorRequest& request) {
  response_.node = request.node;
  response_.level = request.level;
  response_.integer = request.field;
  if (request.node == 0) {
    return;
  }
  view(request);  // there is such a field
  const wbt::Node& asked = node(request);
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
  for (Id id = asked.id; id != 0; id = tree_.find(id)->parent) {
    const wbt::ProtoInstance* instance = tree_.find(id)->node->instance.get();
    if (instance == nullptr || tree_.find(id)->internal) {
      continue;
    }
    const auto& theirs = instance->connections;
    const auto found = std::find_if(theirs.begin(), theirs.end(), is_the_same);
    if (found != theirs.end()) {
      response_.node = static_cast<std::int32_t>(id);
      response_.level = 1;
      response_.integer = static_cast<std::int32_t>(found->parameter);
      return;
    }
  }
}

// The present value, where the simulation has it: of the field, or of the one a parameter is for.
std::optional<Value> SupervisorServer::live_value(const wbt::Node& node, FieldKey key) {
  const wbt::Node* owner = &node;
  const wbt::FieldType* field = key.level == 0 ? node.type->fields[key.number] : nullptr;
  if (key.level > 0) {
    for (const wbt::Connection& c : wbt::instance_at(node, key.level)->connections) {
      if (c.parameter == key.number && c.field != nullptr) {
        const wbt::TreeEntry* target = tree_.find(c.node);
        owner = target != nullptr ? target->node : owner;
        field = target != nullptr ? c.field : nullptr;
        break;
      }
    }
  }
  if (field == nullptr || !LiveFields::may_be_live(field->name)) {
    return std::nullopt;
  }
  if (!waiting_.empty()) {
    const Id id = node.id;
    settle();
    const wbt::TreeEntry* again = tree_.find(id);
    return again != nullptr ? live_value(*again->node, key) : std::nullopt;
  }
  auto value = live_.read(tree_, *owner, field->name);
  const FieldView asked = *wbt::field_view(node, key);  // a parameter may be of another type
  return value && asked.type != field->type ? wbt::converted(*value, field->type, asked.type)
                                            : value;
}

void SupervisorServer::count_items(const SupervisorRequest& request) {
  if (request.node == 0) {
    response_.integer = static_cast<std::int32_t>(tree_.file()->nodes.size());
    return;
  }
  response_.integer = item_count(*view(request).value);
}

void SupervisorServer::get(const SupervisorRequest& request) {
  Value children;
  FieldView field;
  if (request.node == 0) {
    field = children_of_root(tree_.file()->nodes, children);
  } else {
    field = view(request);
    if (auto live = live_value(node(request), key_of(request))) {
      value_ = std::move(*live);
      field.value = &value_;
    } else {
      field = view(request);
    }
  }
  check_type(field.type, request.type);
  response_.type = request.type;
  read_item(*field.value, request.index, response_, numbers_);
}

void SupervisorServer::set(const SupervisorRequest& request) {
  if (request.node == 0) {
    throw SupervisorRequestError(
        "nodes come in by wb_supervisor_field_import_mf_node_from_string() only.");
  }
  if (writes_live(request)) {
    settle();
  }
  const FieldView field = view(request);
  check_type(field.type, request.type);
  FieldEdit edit{static_cast<Id>(request.node), key_of(request)};
  edit.how = request.kind == SupervisorRequestKind::Insert ? Change::Insert : Change::Set;
  edit.index = request.index;
  edit.value = item_of(field.type, request);
  const auto live = live_value(node(request), key_of(request));
  Value now = live ? *live : *field.value;
  const bool at_end = edit.how == Change::Insert && request.index == item_count(now);
  change_item(now, edit.how, edit.index, edit.value);
  edit.index = at_end ? -1 : request.index;
  if (live || item_count(now) < 0) {
    edit.whole = true;
    edit.value = std::move(now);
  }
  change(std::move(edit));
}

// Whether the simulation has the value. @throws SupervisorRequestError for a field that can only be
// read
bool SupervisorServer::writes_live(const SupervisorRequest& request) const {
  const wbt::TreeEntry& found = entry(request);
  view(request);
  if (found.internal || request.level > 1 ||
      (request.level == 0 && found.node->instance != nullptr)) {
    throw SupervisorRequestError(std::string(kReadOnly));
  }
  const auto targets = wbt::targets_of(*found.node, key_of(request)).fields;
  return std::any_of(targets.begin(), targets.end(), [](const wbt::Connection& c) {
    return LiveFields::may_be_live(c.field->name);
  });
}

}  // namespace servosim
