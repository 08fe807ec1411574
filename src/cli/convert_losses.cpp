// SPDX-License-Identifier: Apache-2.0
#include "cli/convert_losses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <set>
#include <variant>
#include <vector>

#include "host/controller_finder.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;

// Calls see(node) once for each node of a value and below, parents first.
template <class See>
void visit(const wbt::Value& value, See see) {
  std::set<const wbt::Node*> seen;
  std::vector<const wbt::Node*> open;
  const auto add = [&](const wbt::NodePtr& node) {
    if (node && seen.insert(node.get()).second) {
      open.push_back(node.get());
    }
  };
  const auto push = [&](const wbt::Value& v) {
    if (const auto* one = std::get_if<wbt::NodePtr>(&v)) {
      add(*one);
    } else if (const auto* several = std::get_if<std::vector<wbt::NodePtr>>(&v)) {
      std::for_each(several->rbegin(), several->rend(), add);
    }
  };
  push(value);
  while (!open.empty()) {
    const wbt::Node& node = *open.back();
    open.pop_back();
    see(node);
    std::for_each(node.fields.rbegin(), node.fields.rend(),
                  [&](const wbt::Field& field) { push(field.value); });
  }
}

// The first DEF name in the body of an instance, without what its parameters brought.
std::string definition_in(const wbt::Node& root) {
  std::set<std::uint32_t> given;
  for (const auto& value : root.instance->given) {
    if (value) {
      visit(*value, [&](const wbt::Node& node) { given.insert(node.id); });
    }
  }
  std::string name;
  for (const wbt::Field& field : root.fields) {
    visit(field.value, [&](const wbt::Node& node) {
      name = name.empty() && !given.contains(node.id) ? node.def : name;
    });
  }
  return name;
}

}  // namespace

void warn_of_lost_controllers(const wbt::WorldFile& world, const std::string& out_folder,
                              Diagnostics& diagnostics) {
  const std::string project = wbt::project_of_world(out_folder);
  visit(world.nodes, [&](const wbt::Node& node) {
    if (node.type->field("controller") == nullptr) {
      return;
    }
    const std::string& name = node.string("name");
    const std::string& controller = node.string("controller");
    const std::string folder =
        find_controller({name, controller, world.project, node.proto_project}).folder;
    if (folder.empty() || find_controller({name, controller, project, {}}).folder == folder) {
      return;
    }
    // A folder controllers/ beside OUT would make its folder the project of all worlds in it.
    const std::string advice =
        project == out_folder
            ? "put OUT into worlds/ of the project that has it"
            : fmt::format("copy it to '{}'",
                          (fs::path(project) / "controllers" / controller).string());
    diagnostics.warning(
        node.where,
        fmt::format("controller '{}' of robot \"{}\" is in '{}', where nobody looks for it from "
                    "OUT: {}, or add '{}' to WEBOTS_EXTRA_PROJECT_PATH",
                    controller, name, folder, advice,
                    fs::path(folder).parent_path().parent_path().string()));
  });
}

void warn_of_lost_definitions(const wbt::WorldFile& world, Diagnostics& diagnostics) {
  bool any_supervisor = false;
  const wbt::Node* instance = nullptr;  // the first with a DEF in it
  std::string name;
  visit(world.nodes, [&](const wbt::Node& node) {
    any_supervisor =
        any_supervisor || (node.type->field("supervisor") != nullptr && node.boolean("supervisor"));
    if (instance == nullptr && node.instance && !node.instance->interface->path.empty()) {
      name = definition_in(node);
      instance = name.empty() ? nullptr : &node;
    }
  });
  if (any_supervisor && instance != nullptr) {
    diagnostics.warning(
        instance->where,
        fmt::format("OUT has no PROTO instances, which a supervisor could ask for their nodes by "
                    "wb_supervisor_node_get_from_proto_def(), such as {0} for \"{1}\"; there "
                    "wb_supervisor_node_get_from_def(\"{1}\") finds it",
                    instance->proto_name, name));
  }
}

}  // namespace servosim
