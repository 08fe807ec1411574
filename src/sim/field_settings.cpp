// SPDX-License-Identifier: Apache-2.0
#include "sim/field_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/assert.h"
#include "base/limits.h"
#include "base/text.h"
#include "scene/scene_builder.h"
#include "scene/solid_builders.h"
#include "servo_models/catalogue.h"
#include "servo_models/project_servos.h"
#include "sim/report.h"
#include "wbt/schema/accepted_nodes.h"
#include "wbt/values.h"

namespace servosim {

using wbt::FieldPathError;
using wbt::FieldPlace;
using wbt::Node;
using wbt::NodePtr;
using wbt::Tree;
using wbt::Value;

std::vector<Diagnostic> replacements(const std::vector<Diagnostic>& found,
                                     const std::vector<Diagnostic>& before) {
  // Lines are not compared, since a template that runs again may shift them.
  using Said = std::pair<std::string_view, std::string_view>;
  std::set<Said> known;
  for (const Diagnostic& d : before) {
    known.emplace(d.file, d.message);
  }
  std::vector<Diagnostic> all;
  std::copy_if(found.begin(), found.end(), std::back_inserter(all), [&](const Diagnostic& d) {
    return d.replaced && !known.contains(Said(d.file, d.message));
  });
  return all;
}

const Diagnostic& first_of(const std::vector<Diagnostic>& replaced,
                           const std::vector<FieldSetting>& settings) {
  const auto found = std::find_if(replaced.begin(), replaced.end(), [&](const Diagnostic& d) {
    return std::any_of(settings.begin(), settings.end(),
                       [&d](const FieldSetting& setting) { return d.file == setting.place; });
  });
  return found != replaced.end() ? *found : replaced.front();
}

void refuse_replacements(const Simulation& world, const LoadOptions& options,
                         const std::function<Simulation(const LoadOptions&)>& load) {
  if (options.settings.empty() || replacements(world.diagnostics(), {}).empty()) {
    return;
  }
  LoadOptions without = options;
  without.settings.clear();
  without.notice = without.remark = [](std::string_view) {};
  std::vector<Diagnostic> before;
  try {
    before = load(without).diagnostics();
  } catch (const LoadError& error) {
    before = error.list();
  }
  const std::vector<Diagnostic> replaced = replacements(world.diagnostics(), before);
  if (!replaced.empty()) {
    const Diagnostic& first = first_of(replaced, options.settings);
    throw std::invalid_argument(
        fmt::format("{}: {}; a value that is set must be simulated as it is: set another",
                    place_of(first), first.message));
  }
}

std::vector<wbt::NamedNodes> named_nodes(const Scene& scene) {
  std::vector<wbt::NamedNodes> names;
  const auto add = [&](std::string name, std::vector<std::uint32_t> nodes) {
    std::erase(nodes, 0);
    names.push_back({std::move(name), std::move(nodes)});
  };
  std::vector<std::uint32_t> motors(scene.joints.size());
  const auto add_devices = [&](const std::string& owner, const std::vector<DeviceSpec>& devices) {
    for (const DeviceSpec& device : devices) {
      if (device.motor && device.joint >= 0) {
        motors[device.joint] = device.node;
      }
      add(owner + '/' + device.name, {device.node});
    }
  };
  for (const RobotSpec& robot : scene.robots) {
    add(robot.name, {robot.node});
    add_devices(robot.name, robot.devices);
  }
  add_devices("world", scene.ownerless_motors);
  add_devices("world", scene.ownerless_connectors);
  for (std::size_t j = 0; j < scene.joints.size(); ++j) {
    const JointSpec& joint = scene.joints[j];
    add(joint.name, {motors[j], joint.parameters, joint.node});
  }
  const std::vector<std::string> bodies = body_names(scene);
  for (std::size_t s = 0; s < bodies.size(); ++s) {
    add(bodies[s], {scene.solids[s].node});
  }
  return names;
}

namespace {

std::string label_of(const FieldSetting& setting) {
  return setting.place.empty() ? "setting" : setting.place;
}

// Stores the settings as source texts, so that messages can name a place in them.
class SettingTexts {
 public:
  SettingTexts(const std::vector<FieldSetting>& settings, SourceMap& sources) {
    // Several settings of one line are in separate texts.
    std::map<std::pair<std::string, int>, std::size_t> count;
    std::map<std::pair<std::string, std::size_t>, std::vector<std::size_t>> by_place;
    for (std::size_t i = 0; i < settings.size(); ++i) {
      const std::size_t number = count[{settings[i].place, settings[i].line}]++;
      by_place[{settings[i].place, number}].push_back(i);
    }
    begins_.resize(settings.size());
    for (auto& [place, numbers] : by_place) {
      std::stable_sort(numbers.begin(), numbers.end(), [&](std::size_t a, std::size_t b) {
        return settings[a].line < settings[b].line;
      });
      std::string text;
      int line = 1;
      for (const std::size_t i : numbers) {
        for (; line < settings[i].line; ++line) {
          text += '\n';
        }
        begins_[i].offset = static_cast<std::uint32_t>(text.size());
        text += settings[i].path + '=' + settings[i].value;
      }
      const std::uint32_t file = sources.add(label_of(settings[numbers.front()]), std::move(text));
      for (const std::size_t i : numbers) {
        begins_[i].file = file;
      }
    }
  }

  SourceLocation at(std::size_t setting, std::size_t offset) const {
    const SourceLocation begin = begins_[setting];
    return {begin.file, begin.offset + static_cast<std::uint32_t>(offset)};
  }

 private:
  std::vector<SourceLocation> begins_;
};

// Changes the tree of a world setting by setting.
class SettingEditor {
 public:
  SettingEditor(const wbt::WorldFile& file, Diagnostics& diagnostics,
                std::shared_ptr<const MeshStore>& meshes)
      : tree_(std::make_shared<const wbt::WorldFile>(file)),
        diagnostics_(diagnostics),
        meshes_(meshes) {}

  // The first pass makes the settings that make PROTO instances anew, since these undo others. The
  // second pass makes the rest, also those whose place is in a node that an earlier setting adds.
  // The servos of the project come between them: after what would undo them, and before the
  // settings that have precedence.
  void apply(const std::vector<FieldSetting>& settings) {
    const SettingTexts texts(settings, diagnostics_.sources());
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < settings.size(); ++i) {
      try {
        const FieldPlace place = find(settings[i]);
        if (wbt::rebuilds_instance(tree_, place)) {
          set(settings[i], place, texts, i);
          continue;
        }
      } catch (const FieldPathError&) {  // the second pass reports it
      }
      others.push_back(i);
    }
    if (tree_.file()->project_servos != nullptr) {
      choose_servos(ProjectServos(*tree_.file()->project_servos));
    }
    for (const std::size_t i : others) {
      try {
        set(settings[i], find(settings[i]), texts, i);
      } catch (const FieldPathError& error) {
        diagnostics_.error(texts.at(i, error.at), error.what());
      }
    }
  }

  const wbt::WorldFile& file() const { return *tree_.file(); }

 private:
  FieldPlace find(const FieldSetting& setting) {
    return wbt::find_field_place(tree_, names(), setting.path);
  }

  void set(const FieldSetting& setting, const FieldPlace& place, const SettingTexts& texts,
           std::size_t number) {
    const std::size_t begin = setting.path.size() + 1;
    const SourceLocation where = texts.at(number, begin);
    try {
      Value value = read(setting, place);
      // The checks of the scene replace a position that is too large.
      if (const auto* x = std::get_if<double>(&value); x && std::abs(*x) <= kMaxFileJointPosition) {
        move_endpoint(place, *x);
      }
      apply(wbt::edits_for(tree_, place, std::move(value), where, diagnostics_));
    } catch (const FieldPathError& error) {
      diagnostics_.error(texts.at(number, begin + error.at), error.what());
    } catch (const std::length_error& error) {
      diagnostics_.error(where, error.what());
    }
  }

  void apply(const wbt::Edits& edits) {
    tree_.apply(edits);
    scene_.reset();  // numbers and places of nodes may have changed
    names_.reset();
  }

  Value read(const FieldSetting& setting, const FieldPlace& place) {
    const wbt::ValueType type = wbt::type_at(tree_, place);
    if (wbt::is_servo_field(tree_, place)) {
      if (const auto number = parse_number<double>(trimmed(setting.value))) {
        return *number;  // also `inf`, which no field of Webots may be
      }
    }
    if (!wbt::holds_nodes(type)) {
      return wbt::read_flat_value(type, setting.value);
    }
    std::vector<NodePtr> nodes = read_nodes(setting);
    const Node& owner = *tree_.find(place.node)->node;
    for (const wbt::Connection& target : wbt::targets_of(owner, place.key).fields) {
      const wbt::TreeEntry* const entry = tree_.find(target.node);
      for (const NodePtr& node : nodes) {
        if (entry != nullptr &&
            !wbt::accepts({entry->node->type, target.field->name, entry->collides}, *node->type)) {
          throw FieldPathError(
              0, fmt::format("a {} cannot stand in the field '{}' of a {}", node->type->name,
                             target.field->name, entry->node->type->name));
        }
      }
    }
    if (type == wbt::ValueType::MFNode) {
      return nodes;
    }
    if (nodes.size() > 1) {
      throw FieldPathError(0, "the field holds one node, and these are several");
    }
    return nodes.empty() ? NodePtr() : nodes.front();
  }

  // Reads NULL, a node, or a list of nodes.
  std::vector<NodePtr> read_nodes(const FieldSetting& setting) {
    std::string text = setting.value;
    const std::size_t first = text.find_first_not_of(" \t");
    const std::size_t last = text.find_last_not_of(" \t");
    if (first == std::string::npos) {
      throw FieldPathError(0, "expected a node or NULL, found nothing");
    }
    if (text.substr(first, last + 1 - first) == "NULL") {
      return {};
    }
    if (text[first] == '[' && text[last] == ']' && last > first) {
      text[first] = text[last] = ' ';
    }
    wbt::WorldFile world = *tree_.file();
    const std::size_t errors = diagnostics_.errors();
    text.insert(0, std::string(setting.path.size() + 1, ' '));  // keeps columns in messages right
    text.insert(0, std::string(static_cast<std::size_t>(setting.line) - 1, '\n'));
    std::vector<NodePtr> nodes =
        wbt::read_nodes(world, std::move(text), diagnostics_, label_of(setting));
    if (diagnostics_.errors() == errors && nodes.empty() &&
        setting.value.find_first_not_of(" \t[]") != std::string::npos) {
      throw FieldPathError(0, "the text holds no node that can be used");
    }
    wbt::Edits numbers;
    numbers.last_id = world.last_id;
    numbers.externs = std::move(world.externs);
    tree_.apply(numbers);
    return nodes;
  }

  // Returns the scene with the settings so far. Its faults are reported later, when all settings
  // are made.
  const Scene& scene() {
    if (!scene_) {
      Diagnostics untold;
      untold.sources() = diagnostics_.sources();
      FarSolids far{true, {}};
      scene_.emplace(build_scene(*tree_.file(), untold, &meshes_, nullptr, &far));
    }
    return *scene_;
  }

  const std::vector<wbt::NamedNodes>& names() {
    if (!names_) {
      names_.emplace(named_nodes(scene()));
    }
    return *names_;
  }

  // If the field is the position of an axis, moves the endpoint to this position.
  void move_endpoint(const FieldPlace& place, double position) {
    const Node& owner = *tree_.find(place.node)->node;
    for (const wbt::Connection& target : wbt::targets_of(owner, place.key).fields) {
      const int joint = axis_with(target);
      if (joint < 0) {
        continue;
      }
      const std::span<const JointSpec> axes = axes_of(scene(), joint);
      const int child = axes.front().child;
      if (child < 0) {
        continue;
      }
      if (axes.front().reference) {
        throw FieldPathError(0,
                             "this joint closes a loop by a SolidReference, so its position "
                             "follows from those of the others; set these");
      }
      std::vector<JointSpec> after(axes.begin(), axes.end());
      after[static_cast<std::size_t>(&scene().joints[joint] - axes.data())].position = position;
      place_endpoint(scene().solids[child], start_motion(after) * axes.front().zero_pose);
    }
  }

  struct MotorNames {
    const MotorSpec* motor;
    std::uint32_t node;
    std::string name;
    std::string joint;
  };

  std::vector<MotorNames> all_motors() {
    std::vector<MotorNames> motors;
    const auto add = [&](const std::string& owner, const std::vector<DeviceSpec>& devices) {
      for (const DeviceSpec& device : devices) {
        if (device.motor) {
          motors.push_back({&*device.motor, device.node, owner + '/' + device.name,
                            device.joint >= 0 ? scene().joints[device.joint].name : ""});
        }
      }
    };
    for (const RobotSpec& robot : scene().robots) {
      add(robot.name, robot.devices);
    }
    add("world", scene().ownerless_motors);
    return motors;
  }

  // Writes the servos that servosim.toml chooses into the motors of the tree.
  void choose_servos(const ProjectServos& project) {
    if (project.servos.empty()) {
      return;
    }
    const std::uint32_t source = diagnostics_.sources().add(project.path, project.text);
    struct Chosen {
      std::string text;
      SourceLocation where;
    };
    std::map<std::uint32_t, Chosen> chosen;  // by node
    const std::vector<MotorNames> motors = all_motors();
    for (const ProjectServo& servo : project.servos) {
      const SourceLocation where = location_in(project.text, source, servo);
      bool any = false;
      bool any_servo = false;
      for (const MotorNames& each : motors) {
        if (!name_matches(each.name, servo.glob) && !name_matches(each.joint, servo.glob)) {
          continue;
        }
        any = true;
        if (servo.model == "") {
          any_servo = true;
          chosen.insert_or_assign(each.node, Chosen{"", where});
          continue;
        }
        const auto before = chosen.find(each.node);
        const std::string text = servo.model              ? *servo.model
                                 : before != chosen.end() ? before->second.text
                                                          : each.motor->servo_choice;
        if (text.empty()) {
          continue;
        }
        any_servo = true;
        try {
          ServoChoice choice = read_servo_choice(text);
          for (const auto& [key, value] : servo.values) {
            choice.set(key, value);
          }
          chosen.insert_or_assign(each.node, Chosen{to_string(choice), where});
        } catch (const std::invalid_argument& error) {
          diagnostics_.error(where, error.what());
        }
      }
      if (!any) {
        std::vector<std::string> names;
        for (const MotorNames& each : motors) {
          names.push_back(each.name);
        }
        const std::string none =
            fmt::format("no motor of the world matches '{}'{}", servo.glob,
                        names.empty() ? "; it has none" : nearest_names(servo.glob, names));
        // The table may be about another world of the project.
        if (has_other_worlds(*tree_.file())) {
          diagnostics_.warning(where, none + "; another world of the project may have it");
        } else {
          diagnostics_.error(where, none);
        }
      } else if (!any_servo) {
        diagnostics_.error(
            where, fmt::format("the motors that match '{}' are no servos; say by model = \"…\" "
                               "which servo they are",
                               servo.glob));
      }
    }
    for (auto& [node, choice] : chosen) {
      const auto key = wbt::find_field(*tree_.find(node)->node, 0, "servo");
      SERVOSIM_ASSERT(key, "a motor has no field servo");
      tree_.apply(
          wbt::edits_for(tree_, {node, *key}, std::move(choice.text), choice.where, diagnostics_));
    }
    scene_.reset();
    names_.reset();
  }

  // Returns whether there are further worlds next to this one, or in worlds/ of its project.
  static bool has_other_worlds(const wbt::WorldFile& world) {
    namespace fs = std::filesystem;
    const fs::path own(world.path);
    const auto is_hidden = [](const fs::path& path) {
      return path.filename().string().starts_with('.');
    };
    const auto is_other = [&](const fs::path& path) {
      return path.extension() == ".wbt" && path != own && !is_hidden(path);
    };
    std::error_code error;
    // The folder of a world may be any, such as that of all projects.
    for (fs::directory_iterator at(own.parent_path(), error), end; !error && at != end;
         at.increment(error)) {
      if (is_other(at->path())) {
        return true;
      }
    }
    for (fs::recursive_directory_iterator at(fs::path(world.project) / "worlds", error), end;
         !error && at != end; at.increment(error)) {
      if (is_hidden(at->path())) {
        at.disable_recursion_pending();
      } else if (is_other(at->path())) {
        return true;
      }
    }
    return false;
  }

  static SourceLocation location_in(const std::string& text, std::uint32_t source,
                                    const ProjectServo& servo) {
    std::size_t offset = 0;
    for (int line = 1; line < servo.line; ++line) {
      offset = text.find('\n', offset) + 1;
    }
    return {source,
            static_cast<std::uint32_t>(offset) + static_cast<std::uint32_t>(servo.column) - 1};
  }

  // Returns the axis whose position the field is; -1 for another field and for a Servo.
  int axis_with(const wbt::Connection& target) {
    const auto& joints = scene().joints;
    for (std::size_t j = 0; j < joints.size(); ++j) {
      static constexpr std::array<std::string_view, 3> kSaved{"position", "position2", "position3"};
      const JointSpec& joint = joints[j];
      const bool is_its =
          joint.parameters != 0
              ? joint.parameters == target.node && target.field->name == "position"
              : joint.node == target.node && target.field->name == kSaved[joint.axis_number];
      if (is_its && tree_.find(joint.node)->node->type->name != "Servo") {
        return static_cast<int>(j);
      }
    }
    return -1;
  }

  // Writes the pose of an endpoint, given in the frame of the Solid above, into the tree.
  void place_endpoint(const SolidSpec& solid, const Pose& pose) {
    const Node& node = *tree_.find(solid.node)->node;
    const Pose own{rotation_matrix(node.rotation("rotation")), node.vec3("translation")};
    const Pose now = own * inverse(solid.pose) * pose;
    const std::uint32_t id = solid.node;
    const auto write = [&](std::string_view field, Value value) {
      const auto key = wbt::find_field(*tree_.find(id)->node, 0, field);
      const SourceLocation where = tree_.find(id)->node->where_of(field);
      SERVOSIM_ASSERT(key, "a Solid has no {}", field);
      tree_.apply(wbt::edits_for(tree_, {id, *key}, std::move(value), where, diagnostics_));
    };
    write("translation", now.translation);
    write("rotation", axis_angle(now.rotation));
  }

  Tree tree_;
  Diagnostics& diagnostics_;
  std::optional<Scene> scene_;
  std::shared_ptr<const MeshStore>& meshes_;
  std::optional<std::vector<wbt::NamedNodes>> names_;
};

}  // namespace

void apply_settings(wbt::WorldFile& file, const std::vector<FieldSetting>& settings,
                    Diagnostics& diagnostics, std::shared_ptr<const MeshStore>& meshes) {
  if (settings.empty() && (file.project_servos == nullptr || file.project_servos->servos.empty())) {
    return;
  }
  SettingEditor editor(file, diagnostics, meshes);
  editor.apply(settings);
  file = editor.file();
}

}  // namespace servosim
