// SPDX-License-Identifier: Apache-2.0
#include "robots/mjcf_drives.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "robots/joint_inertia.h"
#include "robots/mimics.h"

namespace servosim::robots {
namespace {

/// How the force of an actuator follows from its command u, its length l and its speed v:
/// (gain·u) + bias[0] + bias[1]·l + bias[2]·v, if the types are fixed and affine.
struct Law {
  std::string dynamics = "none";
  std::string gain_type = "fixed";
  std::string bias_type = "none";
  std::array<double, 3> gain{1.0, 0.0, 0.0};
  std::array<double, 3> bias{0.0, 0.0, 0.0};
  bool has_ratio = false;  // bias[2] is the damping ratio, until the mass matrix is known
};

/// A term of a tendon's length.
struct Term {
  std::size_t joint = 0;
  double coefficient = 0.0;
};
using Tendon = std::vector<Term>;

/// What an actuator pulls: the joint `joint`, with l = gear·q + offset.
struct Pull {
  std::size_t joint = 0;
  double gear = 1.0;
  double offset = 0.0;  // [rad|m]
};

class DriveReader {
 public:
  DriveReader(const MjcfContext& context, MjcfParts& parts) : context_(context), parts_(parts) {}

  void read();

 private:
  void set_springs();
  void read_equality(pugi::xml_node node);
  void read_mimic(const MjcfElement& element);
  void follow_leaders(pugi::xml_node top);
  void read_tendon(pugi::xml_node node);
  void read_actuator(pugi::xml_node node);
  Law law_of(const MjcfElement& element) const;
  void apply(const MjcfElement& element, Law& law) const;
  std::optional<Pull> pull_of(const MjcfElement& element) const;
  std::optional<Pull> pull_of_tendon(const MjcfElement& element, const std::string& name) const;
  void set_command(const MjcfElement& element, const RobotJoint& joint, Actuator& actuator) const;
  void set_limits(const MjcfElement& element, const Actuator& actuator, RobotJoint& joint) const;
  double inertia_of(pugi::xml_node node, std::size_t joint);
  RobotJoint* joint_named(const MjcfElement& element, const char* attribute);

  const MjcfContext& context_;
  MjcfParts& parts_;
  std::map<std::string, Tendon> tendons_;
  std::optional<std::vector<double>> inertias_;  // of joints, once somebody needs them
};

void DriveReader::read() {
  set_springs();
  for (const pugi::xml_node node : context_.document.sections("equality")) {
    read_equality(node);
  }
  follow_leaders(context_.document.root());
  for (const pugi::xml_node node : context_.document.sections("tendon")) {
    read_tendon(node);
  }
  for (const pugi::xml_node node : context_.document.sections("actuator")) {
    read_actuator(node);
  }
}

// A spring with the time constant τ and the damping ratio ζ has k = I/(τ·ζ)² and b = 2·I/τ.
void DriveReader::set_springs() {
  for (std::size_t i = 0; i < parts_.joints.size(); ++i) {
    const auto [time, ratio] = parts_.joints[i].spring_damper;
    RobotJoint& joint = parts_.joint(parts_.joints[i]);
    if (!(time > 0.0) || !(ratio > 0.0)) {
      continue;
    }
    if (joint.motion == JointMotion::Ball || joint.motion == JointMotion::Free) {
      continue;  // joint_inertias() has no single number for them: read_joint() reports it
    }
    const double inertia = inertia_of(context_.document.root(), i);
    joint.stiffness = inertia / (time * time * ratio * ratio);
    joint.damping = 2.0 * inertia / time;
  }
}

RobotJoint* DriveReader::joint_named(const MjcfElement& element, const char* attribute) {
  const std::string name = element.text(attribute);
  const auto found = parts_.joint_numbers.find(name);
  if (found == parts_.joint_numbers.end()) {
    element.fail(fmt::format("there is no joint '{:.60}'", name));
    return nullptr;
  }
  return &parts_.joint(parts_.joints[found->second]);
}

void DriveReader::read_equality(pugi::xml_node node) {
  const MjcfElement element = context_.element(node, "equality");
  if (!element.flag("active").value_or(true)) {
    return;
  }
  if (std::string_view(node.name()) == "joint") {
    context_.attributes.check(node, "joint of equality");
    read_mimic(element);
  } else {
    context_.attributes.check(node);
    element.lose(fmt::format("<{:.60}> in <equality> has no effect", node.name()), true);
  }
}

// y − y0 = a0 + a1·(x − x0), where x0 and y0 are the references of both joints.
void DriveReader::read_mimic(const MjcfElement& element) {
  std::array<double, 5> a{0.0, 1.0, 0.0, 0.0, 0.0};
  element.numbers("polycoef", a, 1);
  RobotJoint* const follower = joint_named(element, "joint1");
  if (follower == nullptr) {
    return;
  }
  if (!element.has("joint2")) {
    element.lose(fmt::format("joint '{}' is not held at its place", follower->name), true);
    return;
  }
  RobotJoint* const leader = joint_named(element, "joint2");
  if (leader == nullptr) {
    return;
  }
  if (a[2] != 0.0 || a[3] != 0.0 || a[4] != 0.0) {
    element.lose(fmt::format("joint '{}' does not follow joint '{}', as the law is not linear",
                             follower->name, leader->name),
                 true);
  } else if (follower->mimic) {
    element.lose(fmt::format("joint '{}' follows joint '{}' only, not also '{}'", follower->name,
                             follower->mimic->leader, leader->name),
                 true);
  } else {
    // No key and no motor has changed the starts yet: they are the references.
    follower->mimic = Mimic{leader->name, a[1], follower->start + a[0] - a[1] * leader->start};
  }
}

// Joints that follow one that follows another one follow the last one.
void DriveReader::follow_leaders(pugi::xml_node top) {
  std::vector<RobotJoint*> joints;
  for (const MjcfJoint& of : parts_.joints) {
    joints.push_back(&parts_.joint(of));
  }
  if (const RobotJoint* const joint = follow_last_leaders(joints)) {
    context_.xml.fail(top, fmt::format("joint '{}' follows itself by <equality>", joint->name));
  }
}

void DriveReader::read_tendon(pugi::xml_node node) {
  const MjcfElement element = context_.element(node, "tendon");
  context_.attributes.check(node);
  const std::string name = element.text("name");
  if (std::string_view(node.name()) != "fixed") {
    element.fail(
        fmt::format("the tendon '{:.60}' of the type {:.60} is not read: only fixed tendons "
                    "are",
                    name, node.name()));
    return;
  }
  for (const char* const force : {"stiffness", "damping", "frictionloss", "armature"}) {
    if (element.number(force, 0.0) != 0.0) {
      element.lose(fmt::format("{} of the tendon '{}' has no effect", force, name), true);
    }
  }
  if (limiting_range(element, "range", "limited", context_.settings) ||
      element.has("actuatorfrcrange")) {
    element.lose(fmt::format("the tendon '{}' has no limits", name), true);
  }
  Tendon tendon;
  for (const pugi::xml_node child : context_.document.children(node)) {
    const MjcfElement term(context_.xml, child, nullptr);
    context_.attributes.check(child, "joint of fixed");
    const auto joint = parts_.joint_numbers.find(term.text("joint"));
    if (joint == parts_.joint_numbers.end()) {
      term.fail(fmt::format("there is no joint '{:.60}'", term.text("joint")));
    } else {
      tendon.push_back({joint->second, term.number("coef", 0.0)});
    }
  }
  if (tendon.empty()) {
    element.fail(fmt::format("the tendon '{:.60}' has no joint", name));
  } else if (!tendons_.emplace(name, std::move(tendon)).second) {
    element.fail(fmt::format("a second tendon is called '{:.60}'", name));
  }
}

// Sets what one element says of a law. Each element starts from that of the classes around it.
void DriveReader::apply(const MjcfElement& element, Law& law) const {
  const std::string_view kind = element.node().name();
  if (kind == "general") {
    law.dynamics = element.text("dyntype", law.dynamics.c_str());
    law.gain_type = element.text("gaintype", law.gain_type.c_str());
    law.bias_type = element.text("biastype", law.bias_type.c_str());
    const auto read = [&](const char* name, std::array<double, 3>& numbers) {
      std::array<double, 10> all{};
      std::ranges::copy(numbers, all.begin());  // those that are not given stay
      element.numbers(name, all, 1);
      std::copy_n(all.begin(), 3, numbers.begin());
    };
    read("gainprm", law.gain);
    read("biasprm", law.bias);
  } else if (kind == "motor") {
    law.gain = {1.0, 0.0, 0.0};
    law.bias = {0.0, 0.0, 0.0};
    law.dynamics = "none";
    law.gain_type = "fixed";
    law.bias_type = "none";
  } else if (kind == "position" || kind == "intvelocity") {
    law.gain = {element.number("kp", law.gain[0]), 0.0, 0.0};
    law.gain_type = "fixed";
    law.bias_type = "affine";
    law.bias = {0.0, -law.gain[0], law.bias[2]};
    if (element.has("kv")) {
      law.bias[2] = -element.number("kv", 0.0);
    }
    if (element.has("dampratio")) {
      law.bias[2] = element.number("dampratio", 0.0);
    }
    if (kind == "intvelocity") {
      law.dynamics = "integrator";
    } else if (element.has("timeconst")) {
      law.dynamics = element.number("timeconst", 0.0) > 0.0 ? "filterexact" : "none";
    }
  } else if (kind == "velocity") {
    law.gain = {element.number("kv", law.gain[0]), 0.0, 0.0};
    law.dynamics = "none";
    law.gain_type = "fixed";
    law.bias_type = "affine";
    law.bias = {0.0, 0.0, -law.gain[0]};
  }
}

// An element takes the law of the nearest one in its classes that is of its own kind or `general`,
// and that one takes its law in the same way; `general` takes it from any kind.
Law DriveReader::law_of(const MjcfElement& element) const {
  std::vector<pugi::xml_node> path;  // the nearest first
  std::string_view looked_for = element.node().name();
  for (const MjcfClass* at =
           &context_.defaults.class_of(element.node(), "class", context_.defaults.main());
       at != nullptr; at = at->parent) {
    for (auto node = at->actuators.rbegin(); node != at->actuators.rend(); ++node) {
      if (const std::string_view given = node->name();
          looked_for == "general" || given == "general" || given == looked_for) {
        path.push_back(*node);
        looked_for = given;
      }
    }
  }
  Law law;
  for (auto node = path.rbegin(); node != path.rend(); ++node) {
    apply(MjcfElement(context_.xml, *node, nullptr), law);
  }
  apply(element, law);
  // A position servo whose damping would push is one with a damping ratio.
  law.has_ratio = law.bias_type == "affine" && law.bias[2] > 0.0 && law.gain[0] == -law.bias[1];
  return law;
}

// A fixed tendon pulls one joint if all its joints follow that joint.
std::optional<Pull> DriveReader::pull_of_tendon(const MjcfElement& element,
                                                const std::string& name) const {
  const auto tendon = tendons_.find(name);
  if (tendon == tendons_.end()) {
    element.fail(fmt::format("there is no tendon '{:.60}'", name));
    return std::nullopt;
  }
  std::optional<Pull> pull;
  for (const Term& term : tendon->second) {
    const RobotJoint& joint = parts_.joint(parts_.joints[term.joint]);
    Pull part{term.joint, term.coefficient, 0.0};
    if (joint.mimic) {
      part = {parts_.joint_numbers.at(joint.mimic->leader),
              term.coefficient * joint.mimic->multiplier, term.coefficient * joint.mimic->offset};
    }
    if (pull && pull->joint != part.joint) {
      element.lose(fmt::format("the actuator '{}' has no effect, as its tendon pulls joints that "
                               "move on their own",
                               element.text("name")),
                   true);
      return std::nullopt;
    }
    pull = Pull{part.joint, (pull ? pull->gear : 0.0) + part.gear,
                (pull ? pull->offset : 0.0) + part.offset};
  }
  return pull;
}

std::optional<Pull> DriveReader::pull_of(const MjcfElement& element) const {
  std::array<double, 6> gear{1.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  element.numbers("gear", gear, 1);
  for (const char* const attribute : {"joint", "jointinparent"}) {
    if (!element.has(attribute)) {
      continue;
    }
    const std::string name = element.text(attribute);
    const auto joint = parts_.joint_numbers.find(name);
    if (joint == parts_.joint_numbers.end()) {
      element.fail(fmt::format("there is no joint '{:.60}'", name));
      return std::nullopt;
    }
    const JointMotion motion = parts_.joint(parts_.joints[joint->second]).motion;
    if (motion == JointMotion::Turn || motion == JointMotion::Slide) {
      return Pull{joint->second, gear[0], 0.0};
    }
    element.lose(fmt::format("the actuator of joint '{}' has no effect, as it has no axis", name),
                 true);
    return std::nullopt;
  }
  if (element.has("tendon")) {
    std::optional<Pull> pull = pull_of_tendon(element, element.text("tendon"));
    if (pull) {
      pull->gear *= gear[0];
      pull->offset *= gear[0];
    }
    return pull;
  }
  element.lose(
      fmt::format("the actuator '{}' has no effect, as it drives no joint", element.text("name")),
      true);
  return std::nullopt;
}

double DriveReader::inertia_of(pugi::xml_node node, std::size_t joint) {
  if (!inertias_) {
    inertias_ = joint_inertias(parts_);
    if (inertias_->empty()) {
      context_.xml.fail(node,
                        fmt::format("dampratio and springdamper are not read, as the robot has "
                                    "more than {} degrees of freedom or a joint without "
                                    "inertia: write kv, stiffness and damping",
                                    kMaxInertiaFreedoms));
      inertias_ = std::vector<double>(parts_.joints.size());
    }
  }
  return (*inertias_)[joint];
}

void DriveReader::set_command(const MjcfElement& element, const RobotJoint& joint,
                              Actuator& actuator) const {
  actuator.command = limiting_range(element, "ctrlrange", "ctrllimited", context_.settings);
  actuator.force = limiting_range(element, "forcerange", "forcelimited", context_.settings);
  const double inherited = element.number("inheritrange", 0.0);
  const int nearer = element.level_of("ctrlrange") - element.level_of("inheritrange");
  if (inherited > 0.0 && actuator.command && nearer == 0) {
    element.fail("ctrlrange and inheritrange are both given: leave one of them");
  } else if (inherited > 0.0 && (!actuator.command || nearer > 0)) {
    if (!joint.range) {
      element.fail(fmt::format("inheritrange needs a range of joint '{}'", joint.name));
      return;
    }
    const double middle = 0.5 * (joint.range->lower + joint.range->upper);
    const double half = 0.5 * inherited * (joint.range->upper - joint.range->lower);
    actuator.command = Range{middle - half, middle + half};
  }
}

// Returns (gain·u + offset)/divisor for the commands u at the ends of their range, in order.
Range commanded(const Actuator& actuator, double divisor) {
  const auto of = [&](double u) { return (actuator.gain * u + actuator.offset) / divisor; };
  const auto [lower, upper] =
      std::minmax({of(actuator.command->lower), of(actuator.command->upper)});
  return {lower, upper};
}

// The limits of a motor that a world has by itself. It is that of the first actuator of the joint.
void DriveReader::set_limits(const MjcfElement& element, const Actuator& actuator,
                             RobotJoint& joint) const {
  const auto largest = [](const Range& range) {
    return std::max(std::abs(range.lower), std::abs(range.upper));
  };
  // Limits hold in both directions.
  const auto tell_if_one_sided = [&](const Range& range, std::string_view unit) {
    if (range.lower != -range.upper) {
      element.lose(fmt::format("ctrlrange of the actuator '{}' limits both directions to {:.6g} {}",
                               actuator.name, largest(range), unit),
                   true);
    }
  };
  const bool slides = joint.motion == JointMotion::Slide;
  double most = actuator.force ? largest(*actuator.force) : kNoLimit;
  if (actuator.by_position == 0.0 && actuator.by_velocity == 0.0 && actuator.command) {
    const Range forces = commanded(actuator, 1.0);
    most = std::min(most, largest(forces));
    tell_if_one_sided(forces, slides ? "N" : "N m");
  }
  if (most > 0.0) {
    joint.effort = std::min(joint.effort, std::abs(actuator.gear) * most);
  }
  if (actuator.force && actuator.force->lower != -actuator.force->upper) {
    element.lose(fmt::format("forcerange {} {} of the actuator '{}' limits both directions to {}",
                             actuator.force->lower, actuator.force->upper, actuator.name,
                             largest(*actuator.force)),
                 true);
  }
  if (actuator.by_position == 0.0 && actuator.by_velocity < 0.0 && actuator.command) {
    const Range speeds = commanded(actuator, -actuator.by_velocity * actuator.gear);
    const double fastest = largest(speeds);
    joint.velocity = fastest > 0.0 ? std::min(joint.velocity, fastest) : joint.velocity;
    tell_if_one_sided(speeds, slides ? "m/s" : "rad/s");
  }
  // The command of a servo is a length; it is the position of the joint if the gain says so.
  if (actuator.by_position < 0.0 && actuator.command) {
    joint.target_range = commanded(actuator, -actuator.by_position * actuator.gear);
  }
}

void DriveReader::read_actuator(pugi::xml_node node) {
  context_.attributes.check(node);
  const MjcfElement element = context_.element(node);
  const std::string_view kind = node.name();
  const std::string name = element.text("name");
  constexpr std::array<std::string_view, 4> kRefused{"muscle", "adhesion", "orientation", "plugin"};
  if (is_one_of(kRefused, kind)) {
    element.fail(fmt::format("an actuator of the type {} is not read", kind));
    return;
  }
  if (!is_mjcf_actuator(kind)) {
    element.fail(fmt::format("there is no type '{:.60}' of actuators", kind));
    return;
  }
  const std::optional<Pull> pull = pull_of(element);
  if (!pull) {
    return;
  }
  if (pull->gear == 0.0) {
    element.lose(fmt::format("the actuator '{}' has no effect, as its gear is 0", name), true);
    return;
  }
  const MjcfJoint& of = parts_.joints[pull->joint];
  RobotJoint& joint = parts_.joint(of);
  joint.has_motor = true;
  const Law law = law_of(element);
  if (law.dynamics == "muscle" || law.gain_type == "muscle" || law.gain_type == "so3") {
    element.fail(fmt::format("an actuator of the type {} is not read",
                             law.gain_type == "so3" ? "so3" : "muscle"));
    return;
  }
  const bool is_affine = law.gain_type == "fixed" &&
                         (law.bias_type == "none" || law.bias_type == "affine") &&
                         (law.dynamics == "none" || law.dynamics.starts_with("filter"));
  constexpr std::array<std::string_view, 4> kAffine{"general", "motor", "position", "velocity"};
  if (!is_affine || !is_one_of(kAffine, kind)) {
    element.lose(fmt::format("the law of the actuator '{}' is that of a world's own motor", name),
                 true);
    return;
  }
  if (law.dynamics != "none") {
    element.lose(fmt::format("the actuator '{}' acts at once, without its filter", name), true);
  }
  Actuator actuator;
  actuator.is_named = !name.empty();
  actuator.name = actuator.is_named ? name : joint.name;
  actuator.where = element.place();
  actuator.gear = pull->gear;
  actuator.gain = law.gain[0];
  if (law.bias_type == "affine") {
    actuator.offset = law.bias[0] + law.bias[1] * pull->offset;
    actuator.by_position = law.bias[1];
    actuator.by_velocity = law.bias[2];
  }
  if (law.has_ratio) {
    const double mass = inertia_of(node, pull->joint) / (actuator.gear * actuator.gear);
    actuator.by_velocity = -2.0 * law.bias[2] * std::sqrt(std::max(actuator.gain * mass, 0.0));
  }
  // Products and quotients of these are finite.
  for (const double number : {actuator.gear, actuator.gain, actuator.offset, actuator.by_position,
                              actuator.by_velocity}) {
    if (number != 0.0 && !(std::abs(number) >= 1e-50 && std::abs(number) <= 1e50)) {
      element.fail(
          fmt::format("the actuator '{}' has a number {:.6g}: gears and gains are from "
                      "1e-50 to 1e50",
                      actuator.name, number));
      return;
    }
  }
  set_command(element, joint, actuator);
  if (joint.actuators.empty()) {
    set_limits(element, actuator, joint);
  }
  joint.actuators.push_back(std::move(actuator));
}

}  // namespace

void read_mjcf_drives(const MjcfContext& context, MjcfParts& parts) {
  DriveReader(context, parts).read();
}

}  // namespace servosim::robots
