// SPDX-License-Identifier: Apache-2.0
#include "cli/fit_apply.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "base/assert.h"
#include "base/files.h"
#include "base/printable.h"
#include "base/text.h"
#include "experiments/joint_test.h"
#include "fit/fit_parameters.h"
#include "fit/world_rig.h"
#include "run/launch_plan.h"
#include "scene/scene.h"
#include "servo_models/catalogue.h"
#include "servo_models/servo_fields.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"
#include "wbt/field_text.h"
#include "wbt/tree.h"
#include "wbt/world_file.h"

namespace servosim {
namespace {

constexpr const char* kServoField = "servo";
// What stays of a motor's former servo: it belongs to the robot and its programs, and not to the
// servo.
constexpr std::string_view kKeptKeys[] = {"drive.travel", "firmware.p",  "firmware.i",
                                          "firmware.d",   "supply.name", "supply.voltage"};

std::string text_of_world(const std::string& path) {
  auto content = read_file(path);
  if (const auto* error = std::get_if<FileError>(&content)) {
    throw InputError(fmt::format("{}: {}{}", path, error->reason, did_you_mean_file(path)));
  }
  return std::move(std::get<std::string>(content));
}

std::string folder_of_world(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal().parent_path().string();
}

std::string first_fault(const LoadError& error) {
  for (const Diagnostic& each : error.list()) {
    if (each.severity == Severity::Error) {
      return printable(fmt::format("{}: {}", place_of(each), each.message));
    }
  }
  return error.what();
}

// A world that was loaded from a text.
struct LoadedWorld {
  LoadedWorld(const std::string& text, const std::string& path, const LoadOptions& options)
      : file(read(text, path, options)),
        simulation(load_tree(wbt::WorldFile(*file), diagnostics, options)) {}

  // The motors of the world in its order.
  std::vector<const DeviceSpec*> motors() const {
    std::vector<const DeviceSpec*> list;
    for (const RobotSpec& robot : WorldInspector(simulation).scene().robots) {
      for (const DeviceSpec& device : robot.devices) {
        if (device.motor) {
          list.push_back(&device);
        }
      }
    }
    return list;
  }

  Diagnostics diagnostics;
  std::shared_ptr<const wbt::WorldFile> file;  // as it is in the text
  Simulation simulation;

 private:
  std::shared_ptr<const wbt::WorldFile> read(const std::string& text, const std::string& path,
                                             const LoadOptions& options) {
    return std::make_shared<const wbt::WorldFile>(wbt::read_world_text(
        text, path, folder_of_world(path), read_options(options), diagnostics));
  }
};

// The servo, with what stays of the motor's former one.
ServoChoice with_kept(const std::string& servo, const std::string& former,
                      const ServoCatalogue& catalogue) {
  ServoChoice choice = read_servo_choice(servo);
  if (former.empty()) {
    return choice;
  }
  for (const auto& [key, value] : read_servo_choice(former).values) {
    if (is_one_of(kKeptKeys, key)) {
      choice.set(key, value);
    }
  }
  // Servos of one supply give it the same numbers.
  if (const ServoSupply supply = catalogue.model(former)->supply; !supply.name.empty()) {
    choice.set("supply.voltage", fmt::format("{}", supply.voltage));
    choice.set("supply.resistance", fmt::format("{}", supply.resistance));
    choice.set("supply.min_voltage", fmt::format("{}", supply.min_voltage));
  }
  return choice;
}

// The motor of a joint in its world.
struct FoundMotor {
  std::size_t number = 0;  // in LoadedWorld::motors()
  std::string joint;
  const DeviceSpec* device = nullptr;
};

FoundMotor motor_of(const LoadedWorld& world, const std::string& path, const std::string& name) {
  const Joint joint = world.simulation.joint(name);
  static_cast<void>(motor_that_drives(world.simulation, joint));  // throws if there is none
  const int in_scene = WorldInspector(world.simulation).joint_in_scene(joint.index());
  const std::vector<const DeviceSpec*> motors = world.motors();
  for (std::size_t i = 0; i < motors.size(); ++i) {
    if (motors[i]->joint == in_scene) {
      return {i, joint.name(), motors[i]};
    }
  }
  throw InputError(fmt::format("{}: joint '{}' has no motor", path, joint.name()));
}

// The node of a motor in the text of the world.
const wbt::Node& node_of(const wbt::Tree& tree, const FoundMotor& motor, const std::string& path) {
  const wbt::TreeEntry* const entry = tree.find(motor.device->node);
  if (entry == nullptr || entry->internal || entry->node->proto.instance != nullptr) {
    throw InputError(fmt::format(
        "{}: motor \"{}\" of {} is inside of a PROTO, so that the world has no line for it; "
        "servosim.toml may say [servo.\"{}\"] model = \"NAME\"",
        path, printable(motor.device->name), motor.joint, motor.joint));
  }
  return *entry->node;
}

// Makes sure that a changed world has this servo at the motor, and no other change.
void check_change(const LoadedWorld& before, const LoadedWorld& after, const FoundMotor& motor,
                  const ServoChoice& choice, const std::string& path) {
  const std::vector<const DeviceSpec*> was = before.motors();
  const std::vector<const DeviceSpec*> is = after.motors();
  SERVOSIM_ASSERT(was.size() == is.size(), "{} motors became {}", was.size(), is.size());
  for (std::size_t i = 0; i < is.size(); ++i) {
    if (i != motor.number && is[i]->motor->servo_choice != was[i]->motor->servo_choice) {
      throw InputError(fmt::format(
          "{}: motor \"{}\" is also motor \"{}\" by USE, and would be the same servo there; write "
          "a motor in place of the USE first",
          path, printable(motor.device->name), printable(is[i]->name)));
    }
  }
  const MotorSpec& result = *is[motor.number]->motor;
  if (read_servo_choice(result.servo_choice).name != choice.name) {
    throw InputError(
        fmt::format("{}/servosim.toml: says that {} is the servo \"{}\", which has precedence over "
                    "a line of the world; change it there",
                    before.file->project, motor.joint, printable(result.servo_choice)));
  }
  if (result.servo == nullptr) {
    for (const Diagnostic& each : after.diagnostics.list()) {
      if (each.replaced && each.message.starts_with("servo of motor")) {
        throw InputError(printable(fmt::format("{}: {}", place_of(each), each.message)));
      }
    }
    throw InputError(fmt::format("{}: motor \"{}\" cannot be a servo", path, result.name));
  }
}

// A name such as `shoulder.toml` is looked for in the folder of the world first.
std::string place_beside(const std::string& world, const std::string& file) {
  return (std::filesystem::path(world).parent_path() / std::filesystem::path(file).filename())
      .string();
}

// A person reads the line: six digits are more than a fit tells.
ServoModel rounded(ServoModel model) {
  for (const ServoField& field : servo_fields()) {
    if (field.is_number()) {
      const double value = number_of(model, field.key);
      set_number(model, field.key,
                 parse_number<double>(fmt::format("{:.6g}", value)).value_or(value));
    }
  }
  return model;
}

bool is_same_folder(const std::string& a, const std::string& b) {
  std::error_code error;
  return std::filesystem::equivalent(a.empty() ? "." : a, b.empty() ? "." : b, error);
}

}  // namespace

std::string to_text(const AppliedServo& applied) {
  return fmt::format(
      "changed: {}:{}: motor \"{}\" of {} is the servo \"{}\"{}\n", printable(applied.world),
      applied.line, printable(applied.motor), printable(applied.joint), printable(applied.servo),
      applied.before.empty() ? std::string(", and was none")
                             : fmt::format(", and was \"{}\"", printable(applied.before)));
}

std::string ServoTarget::world_of(const std::string& target) {
  constexpr std::string_view kBetween = ".wbt:";
  const std::size_t at = target.rfind(kBetween);
  if (at == target.npos || at == 0 || at + kBetween.size() == target.size()) {
    throw InputError(
        fmt::format("--apply '{}' is not of the form WORLD.wbt:robot/joint", printable(target)));
  }
  return target.substr(0, at + kBetween.size() - 1);
}

ServoTarget::ServoTarget(const std::string& target, LoadOptions options)
    : world_(world_of(target)),
      joint_(target.substr(world_.size() + 1)),
      options_(std::move(options)) {
  static_cast<void>(text_of_world(world_));
  struct ::stat status {};
  if (::stat(world_.c_str(), &status) == 0 &&
      (status.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) == 0) {
    throw InputError(fmt::format(
        "{}: is read-only, so that --apply cannot change it; `chmod u+w` lets it", world_));
  }
}

std::vector<Diagnostic> ServoTarget::missing_parts() const {
  std::vector<Diagnostic> parts;
  try {
    const LoadedWorld world(text_of_world(world_), world_, options_);
    for (const Diagnostic& each : world.diagnostics.list()) {
      if (each.missing) {
        parts.push_back(each);
      }
    }
  } catch (const LoadError&) {
    return {};
  }
  return parts;
}

void ServoTarget::check(const ServoModel& model) const {
  const std::string& any = ServoCatalogue::builtin().front().name;
  static_cast<void>(change_to(servo_field_of(model, any, *ServoCatalogue().model(any))));
}

std::string ServoTarget::name_for(const std::string& file) const {
  const std::filesystem::path path(file);
  const std::string name = path.stem().string();
  if (path.extension() != ".toml" || name.find_first_of(" \t\n\r\"'/\\=*") != std::string::npos ||
      name.empty()) {
    throw InputError(fmt::format(
        "a world cannot name '{}': the file of a servo is NAME.toml, without blanks and quotes",
        printable(file)));
  }
  const LoadedWorld world(text_of_world(world_), world_, options_);
  const ServoCatalogue& catalogue = *world.file->servos;
  const std::string folder = path.parent_path().string();
  const std::string found = catalogue.path_of(name);
  const bool is_searched =
      std::any_of(catalogue.folders().begin(), catalogue.folders().end(),
                  [&](const std::string& each) { return is_same_folder(each, folder); });
  if (!is_searched) {
    throw InputError(fmt::format(
        "{} does not find '{}': write -o {}, or add its folder to servo_path in servosim.toml",
        world_, file, place_beside(world_, file)));
  }
  if (!found.empty() &&
      !is_same_folder(std::filesystem::path(found).parent_path().string(), folder)) {
    throw InputError(
        fmt::format("{} finds the servo '{}' in '{}', before '{}'; choose another name", world_,
                    name, found, file));
  }
  return name;
}

std::string ServoTarget::numbers_for(const ServoModel& model, const std::string& name) const {
  const LoadedWorld world(text_of_world(world_), world_, options_);
  try {
    return servo_field_of(rounded(model), name, *world.file->servos->model(name));
  } catch (const std::exception& error) {
    throw InputError(fmt::format(
        "--apply: {} does not find the servo '{}' from which the fit starts; write the result "
        "beside the world, by -o {}",
        world_, printable(name), place_beside(world_, "NAME.toml")));
  }
}

bool ServoTarget::needs_servo_path(const std::string& servo) const {
  if (options_.servo_paths.empty()) {
    return false;
  }
  LoadOptions without = options_;
  without.servo_paths.clear();
  const auto path_with = [&](const LoadOptions& options) {
    Diagnostics diagnostics;
    const wbt::WorldFile file = wbt::read_world_text(
        text_of_world(world_), world_, folder_of_world(world_), read_options(options), diagnostics);
    return file.servos->path_of(read_servo_choice(servo).name);
  };
  return path_with(options_) != path_with(without);
}

ServoTarget::Change ServoTarget::change_to(const std::string& servo) const {
  const std::string text = text_of_world(world_);
  try {
    const LoadedWorld before(text, world_, options_);
    const FoundMotor motor = motor_of(before, world_, joint_);
    const wbt::Tree tree(before.file);
    const wbt::Node& node = node_of(tree, motor, world_);
    const std::string& former = node.string(kServoField);
    const ServoChoice choice = with_kept(servo, former, *before.file->servos);
    wbt::ChangedText changed = wbt::with_text_field(text, node, kServoField, to_string(choice));
    const LoadedWorld after(changed.text, world_, options_);
    check_change(before, after, motor, choice, world_);
    return {{world_, motor.joint, motor.device->name, changed.line, to_string(choice), former},
            std::move(changed.text)};
  } catch (const LoadError& error) {
    throw InputError(first_fault(error));
  } catch (const std::out_of_range& error) {
    throw InputError(fmt::format("{}: {}", world_, error.what()));
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {}", world_, error.what()));
  }
}

AppliedServo ServoTarget::apply(const std::string& servo) const {
  Change change = change_to(servo);
  if (const auto error = write_file(world_, change.text, true)) {
    throw std::runtime_error(fmt::format("'{}' {}; it is as it was", world_, error->reason));
  }
  return std::move(change.applied);
}

}  // namespace servosim
