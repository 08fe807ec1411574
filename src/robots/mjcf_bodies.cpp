// SPDX-License-Identifier: Apache-2.0
#include "robots/mjcf_bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/text.h"
#include "robots/inertia.h"
#include "robots/mjcf_geom.h"
#include "robots/robot_names.h"

namespace servosim::robots {
namespace {

constexpr std::size_t kMaxLinks = 10'000;
constexpr double kLeast = 1e-15;  // mass [kg] and moments [kg·m²] of what moves, as in MuJoCo

// Refuses, by name, what makes bodies that a rigid robot does not have.
bool is_refused(std::string_view element) {
  constexpr std::array<std::string_view, 6> kRefused{"composite", "flexcomp", "flex",
                                                     "plugin",    "attach",   "replicate"};
  return is_one_of(kRefused, element);
}

/// Where the elements of a body or of a frame in it belong.
struct Place {
  std::size_t link = 0;
  Pose frame;  // in the link's frame
  const MjcfClass* classes = nullptr;
  bool weighs = false;  // the mass of the link comes from its geoms
  bool bodies = false;  // read the bodies, else all but the bodies
};

class BodyReader {
 public:
  BodyReader(const MjcfContext& context, MjcfParts& parts)
      : context_(context), parts_(parts), geoms_(context, parts) {}

  void read();

 private:
  void note_names();
  void read_children(pugi::xml_node parent, const Place& place);
  void read_child(pugi::xml_node node, const Place& place);
  void read_body(pugi::xml_node node, const Place& place);
  void read_frame(pugi::xml_node node, const Place& place);
  void read_joint(pugi::xml_node node, const Place& place);
  void read_dynamics(const MjcfElement& element, RobotJoint& joint);
  void read_range(const MjcfElement& element, RobotJoint& joint);
  void read_site(pugi::xml_node node, const Place& place);
  std::optional<MassProperties> read_inertial(pugi::xml_node node);
  void set_mass(pugi::xml_node node, std::size_t link, std::optional<MassProperties> given);
  void move_to_zero(std::size_t link);
  void check_levels();
  void check_masses();
  void scale_masses();
  const MjcfClass& class_in(pugi::xml_node node, const Place& place) const {
    return context_.defaults.class_of(node, "class", *place.classes);
  }
  void fail(pugi::xml_node node, std::string message) {
    context_.xml.fail(node, std::move(message));
  }

  const MjcfContext& context_;
  MjcfParts& parts_;
  MjcfGeoms geoms_;
  std::vector<std::optional<MassProperties>> from_geoms_;  // by link
  std::set<std::string> body_names_{"world"};              // those that the file gives
  std::set<std::string> joint_names_;
};

void BodyReader::read() {
  RobotLink world;
  world.name = "world";
  world.where = context_.xml.place(context_.document.root());
  parts_.model.links.push_back(std::move(world));
  parts_.file_poses.emplace_back();
  from_geoms_.emplace_back();
  parts_.links.emplace("world", 0);
  Place place;
  place.classes = &context_.defaults.main();
  note_names();
  for (const bool bodies : {false, true}) {
    place.bodies = bodies;
    for (const pugi::xml_node node : context_.document.sections("worldbody")) {
      read_child(node, place);
    }
  }
  check_levels();
  check_masses();
  scale_masses();
  geoms_.finish(context_.document.root());
}

// Collects the names that are given, so that others are made up next to them.
void BodyReader::note_names() {
  std::vector<pugi::xml_node> open = context_.document.sections("worldbody");
  while (!open.empty()) {
    const pugi::xml_node node = open.back();
    open.pop_back();
    const std::string_view kind = node.name();
    if (kind == "body") {
      body_names_.insert(node.attribute("name").value());
    } else if (kind == "joint" || kind == "freejoint") {
      joint_names_.insert(node.attribute("name").value());
    }
    std::ranges::copy(context_.document.children(node), std::back_inserter(open));
  }
}

void BodyReader::read_children(pugi::xml_node parent, const Place& place) {
  for (const pugi::xml_node node : context_.document.children(parent)) {
    read_child(node, place);
  }
}

void BodyReader::read_child(pugi::xml_node node, const Place& place) {
  const std::string_view name = node.name();
  if (name == "frame") {
    read_frame(node, place);
  } else if ((name == "body") != place.bodies) {
    return;
  } else if (name == "body") {
    read_body(node, place);
  } else if (name == "joint" || name == "freejoint") {
    read_joint(node, place);
  } else if (name == "geom") {
    const MjcfElement element(context_.xml, node, &class_in(node, place));
    if (const auto mass = geoms_.read(element, place.link, place.frame, place.weighs)) {
      auto& sum = from_geoms_[place.link];
      sum = sum ? *sum + *mass : *mass;
    }
  } else if (name == "site") {
    read_site(node, place);
  } else if (is_refused(name)) {
    fail(node, fmt::format("<{}> is not read: save the model with MuJoCo, which writes bodies in "
                           "its place, or leave it out",
                           name));
  } else if (name != "inertial" && name != "camera" && name != "light") {
    context_.xml.lose(node, fmt::format("<{:.60}> has no meaning in a body", name), false);
  }
}

void BodyReader::read_frame(pugi::xml_node node, const Place& place) {
  if (place.bodies) {
    context_.attributes.check(node);
  }
  Place inner = place;
  inner.frame = place.frame * pose_of(MjcfElement(context_.xml, node, nullptr), context_.settings);
  inner.classes = &context_.defaults.class_of(node, "childclass", *place.classes);
  read_children(node, inner);
}

void BodyReader::read_body(pugi::xml_node node, const Place& place) {
  context_.attributes.check(node);
  const MjcfElement element(context_.xml, node, nullptr);
  const std::size_t number = parts_.model.links.size();
  if (number >= kMaxLinks) {
    if (number == kMaxLinks) {
      fail(node, fmt::format("a model has at most {} bodies", kMaxLinks));
    }
    return;
  }
  RobotLink link;
  const std::string name = element.text("name");
  link.name = name.empty() ? unused_name(fmt::format("body{}", number), body_names_) : name;
  link.parent = static_cast<int>(place.link);
  link.where = element.place();
  link.pose = place.frame * pose_of(element, context_.settings);
  if (!name.empty() && !parts_.links.emplace(name, number).second) {
    fail(node, fmt::format("a second body is called '{:.60}'", name));
  }
  if (element.flag("mocap").value_or(false)) {
    element.lose(fmt::format("the mocap body '{}' does not move", link.name), true);
  }
  parts_.file_poses.push_back(link.pose);
  parts_.model.links.push_back(std::move(link));
  from_geoms_.emplace_back();
  std::optional<MassProperties> given;
  for (const pugi::xml_node child : context_.document.children(node)) {
    if (std::string_view(child.name()) == "inertial") {
      if (given) {
        fail(child, "a body has a second <inertial>");
      }
      given = read_inertial(child);
    }
  }
  Place inner;
  inner.link = number;
  inner.classes = &context_.defaults.class_of(node, "childclass", *place.classes);
  inner.weighs = context_.settings.inertia_from_geom == InertiaFromGeom::Always ||
                 (context_.settings.inertia_from_geom == InertiaFromGeom::Auto && !given);
  // Its own joints come before those of bodies below, also in the positions of keys.
  for (const bool bodies : {false, true}) {
    inner.bodies = bodies;
    read_children(node, inner);
  }
  set_mass(node, number, std::move(given));
  move_to_zero(number);
}

// Returns nothing after an error.
std::optional<MassProperties> BodyReader::read_inertial(pugi::xml_node node) {
  context_.attributes.check(node);
  const MjcfElement element(context_.xml, node, nullptr);
  MassProperties mass;
  mass.mass = element.number("mass", -1.0);
  if (!(mass.mass >= 0.0 && mass.mass <= kHeaviestBody)) {
    element.fail("<inertial> should have a mass from 0 to 1e15 kg");
    return std::nullopt;
  }
  const Pose pose = pose_of(element, context_.settings);
  std::array<double, 6> full{};
  std::array<double, 3> moments{};
  if (element.numbers("fullinertia", full, 6) != 0) {
    if (!(pose.rotation == Mat3{}) || element.has("diaginertia")) {
      element.fail("<inertial> with fullinertia has neither an orientation nor diaginertia");
    }
    mass.inertia = {
        {full[0], full[3], full[4], full[3], full[1], full[5], full[4], full[5], full[2]}};
  } else if (element.numbers("diaginertia", moments, 3) != 0) {
    mass.inertia = diagonal(moments[0], moments[1], moments[2]);
  }
  if (has_huge_moment(mass.inertia)) {
    element.fail("the moments of <inertial> must be below 1e30 kg m^2");
    return std::nullopt;
  }
  return placed(mass, pose);
}

// Sets the mass of a link, in MuJoCo's order: its own or that of its geoms, then the bounds, then
// the test whether there is such a body.
void BodyReader::set_mass(pugi::xml_node node, std::size_t number,
                          std::optional<MassProperties> given) {
  const MjcfSettings& settings = context_.settings;
  RobotLink& link = parts_.model.links[number];
  std::optional<MassProperties> mass = from_geoms_[number] ? from_geoms_[number] : given;
  if (!mass && (settings.least_mass > 0.0 || settings.least_moment > 0.0)) {
    mass = MassProperties{0.0, link.pose.translation, {{}}};  // where MuJoCo has it
  }
  if (!mass) {
    return;
  }
  mass->mass = std::max(mass->mass, settings.least_mass);
  if (!(mass->mass <= kHeaviestBody) || !(settings.least_moment < kLargestMoment) ||
      !is_finite(mass->center) || has_huge_moment(mass->inertia)) {
    fail(node,
         fmt::format("body '{}' is heavier than 1e15 kg, or its moments are 1e30 kg m^2 or more",
                     link.name));
    return;
  }
  PrincipalAxes principal = principal_axes(mass->inertia);
  auto& moments = principal.moments;  // the smallest first
  const double noise = 1e-9 * std::abs(moments[2]);
  const bool raised = moments[0] < settings.least_moment;
  for (double& moment : moments) {
    moment = std::max(moment, settings.least_moment);
  }
  if (moments[0] < -noise) {
    fail(node, fmt::format("the moments {:.6g} {:.6g} {:.6g} kg m^2 of body '{}' must not be "
                           "negative",
                           moments[0], moments[1], moments[2], link.name));
    return;
  }
  const bool impossible = moments[0] + moments[1] < moments[2] - noise;
  if (impossible && !settings.balance_inertia) {
    fail(node,
         fmt::format("the moments {:.6g} {:.6g} {:.6g} kg m^2 of body '{}' belong to no body: "
                     "the largest is more than the sum of the others; correct them, or set "
                     "balanceinertia of <compiler>",
                     moments[0], moments[1], moments[2], link.name));
    return;
  }
  if (impossible) {
    moments.fill((moments[0] + moments[1] + moments[2]) / 3.0);
  }
  if (raised || impossible) {
    mass->inertia =
        principal.axes * diagonal(moments[0], moments[1], moments[2]) * transposed(principal.axes);
  }
  link.inertial = mass;
  link.inertial_where = context_.xml.place(node);
}

void BodyReader::read_site(pugi::xml_node node, const Place& place) {
  context_.attributes.check(node);
  const MjcfElement element(context_.xml, node, &class_in(node, place));
  Pose pose = pose_of(element, context_.settings);
  std::array<double, 6> ends{};
  if (element.numbers("fromto", ends, 6) != 0) {
    const Vec3 from{ends[0], ends[1], ends[2]};
    const Vec3 to{ends[3], ends[4], ends[5]};
    pose = {rotation_to(from - to), 0.5 * (from + to)};
  }
  const std::string name = element.text("name");
  if (!name.empty() &&
      !parts_.sites.emplace(name, MjcfSite{place.link, place.frame * pose}).second) {
    element.fail(fmt::format("a second site is called '{:.60}'", name));
  }
}

void BodyReader::read_joint(pugi::xml_node node, const Place& place) {
  context_.attributes.check(node);
  const bool is_free = std::string_view(node.name()) == "freejoint";
  const MjcfElement element(context_.xml, node, is_free ? nullptr : &class_in(node, place));
  RobotLink& link = parts_.model.links[place.link];
  if (place.link == 0) {
    element.fail("the world has a joint: put it into a body");
    return;
  }
  struct Type {
    std::string_view name;
    JointMotion motion;
    std::size_t positions;
  };
  constexpr std::array<Type, 4> kTypes{{{"hinge", JointMotion::Turn, 1},
                                        {"slide", JointMotion::Slide, 1},
                                        {"ball", JointMotion::Ball, 4},
                                        {"free", JointMotion::Free, 7}}};
  const std::string given = is_free ? "free" : element.text("type", "hinge");
  const auto type = std::ranges::find(kTypes, std::string_view(given), &Type::name);
  if (type == kTypes.end()) {
    element.fail(fmt::format("there is no type '{:.60}' of joints", given));
    return;
  }
  RobotJoint joint;
  joint.motion = type->motion;
  joint.has_motor = false;
  joint.where = element.place();
  const std::string name = element.text("name");
  joint.name =
      name.empty() ? unused_name(fmt::format("joint{}", parts_.joints.size()), joint_names_) : name;
  const bool has_axis = joint.motion == JointMotion::Turn || joint.motion == JointMotion::Slide;
  const bool has_free = std::ranges::any_of(
      link.joints, [](const RobotJoint& other) { return other.motion == JointMotion::Free; });
  if (has_free ||
      (joint.motion == JointMotion::Free && (!link.joints.empty() || link.parent != 0))) {
    element.fail("a free joint is in a body of the world, and alone there");
  } else if (std::ranges::any_of(
                 link.joints,
                 [](const RobotJoint& other) { return other.motion == JointMotion::Ball; }) &&
             joint.motion != JointMotion::Slide) {
    element.fail("a joint that turns follows a ball joint in the same body");
  }
  if (has_axis) {
    const Vec3 axis = unit_or(element.vector("axis", {0.0, 0.0, 1.0}), {});
    if (axis == Vec3{}) {
      element.fail(fmt::format("the axis of joint '{}' is a null vector", joint.name));
    }
    joint.axis = place.frame.rotation * axis;
  }
  joint.anchor = place.frame * element.vector("pos", {});
  read_range(element, joint);
  read_dynamics(element, joint);
  if (has_axis) {
    const double unit = joint.motion == JointMotion::Turn ? context_.settings.radian : 1.0;
    joint.start = unit * element.number("ref", 0.0);
    joint.rest = unit * element.number("springref", 0.0);
  }
  if (!(std::abs(joint.start) < kMaxFileJointPosition) ||
      !(std::abs(joint.rest) < kMaxFileJointPosition) ||
      !(norm(joint.anchor) < kMaxFileCoordinate)) {
    element.fail(fmt::format("ref, springref or pos of joint '{}' is too large", joint.name));
  }
  if (parts_.joints.size() >= kMaxLinks) {
    element.fail(fmt::format("a model has at most {} joints", kMaxLinks));
    return;
  }
  if (!name.empty() && !parts_.joint_numbers.emplace(name, parts_.joints.size()).second) {
    element.fail(fmt::format("a second joint is called '{:.60}'", joint.name));
  }
  std::array<double, 2> spring_damper{};
  element.numbers("springdamper", spring_damper, 2);
  if (!has_axis && spring_damper[0] > 0.0) {
    element.lose(fmt::format("springdamper of joint '{}' has no effect", joint.name), true);
  }
  parts_.joints.push_back(
      {place.link, link.joints.size(), joint.axis, joint.anchor, spring_damper, parts_.positions});
  parts_.positions += type->positions;
  link.joints.push_back(std::move(joint));
}

void BodyReader::read_range(const MjcfElement& element, RobotJoint& joint) {
  const auto range = limiting_range(element, "range", "limited", context_.settings);
  if (range && joint.motion == JointMotion::Ball) {
    element.lose(fmt::format("the range of the ball joint '{}' has no effect", joint.name), true);
  } else if (range && joint.motion != JointMotion::Free) {
    const double unit = joint.motion == JointMotion::Turn ? context_.settings.radian : 1.0;
    joint.range = {std::max(unit * range->lower, -kMaxFileJointPosition),
                   std::min(unit * range->upper, kMaxFileJointPosition)};
  }
  if (const auto effort =
          limiting_range(element, "actuatorfrcrange", "actuatorfrclimited", context_.settings)) {
    joint.effort = std::max(std::abs(effort->lower), std::abs(effort->upper));
    if (effort->lower != -effort->upper) {
      element.lose(fmt::format("actuatorfrcrange {} {} of joint '{}' limits both directions to {}",
                               effort->lower, effort->upper, joint.name, joint.effort),
                   true);
    }
  }
}

void BodyReader::read_dynamics(const MjcfElement& element, RobotJoint& joint) {
  // Numbers behind the first one are of the square and of the cube.
  const auto linear = [&](const char* name) {
    std::array<double, 3> terms{};
    element.numbers(name, terms, 1);
    if (terms[1] != 0.0 || terms[2] != 0.0) {
      element.lose(fmt::format("{} of joint '{}' has its first number only, and is linear", name,
                               joint.name),
                   true);
    }
    return terms[0];
  };
  joint.stiffness = linear("stiffness");
  joint.damping = linear("damping");
  joint.friction = element.number("frictionloss", 0.0);
  joint.armature = element.number("armature", 0.0);
  for (double* const value : {&joint.stiffness, &joint.damping, &joint.friction, &joint.armature}) {
    if (*value < 0.0) {
      element.lose(fmt::format("a negative stiffness, damping, frictionloss or armature of joint "
                               "'{}' is 0",
                               joint.name),
                   true);
      *value = 0.0;
    }
  }
  const bool is_free = joint.motion == JointMotion::Free;
  const bool is_ball = joint.motion == JointMotion::Ball;
  if ((is_free && (joint.stiffness != 0.0 || joint.damping != 0.0)) ||
      ((is_free || is_ball) && (joint.friction != 0.0 || joint.armature != 0.0))) {
    element.lose(fmt::format("{} of the {} joint '{}' have no effect",
                             is_free ? "stiffness, damping, frictionloss and armature"
                                     : "frictionloss and armature",
                             is_free ? "free" : "ball", joint.name),
                 true);
  }
}

// The pose of a link and its joints hold at position 0, those of the file at the references. With
// the motion D_i of joint i by −ref_i, J_i(q − ref_i) = J_i(q)·D_i, so that
//     X·J_1(q_1)·D_1·…·J_n(q_n)·D_n = (X·D_1·…·D_n)·K_1(q_1)·…·K_n(q_n),
// where K_i is J_i with axis and anchor moved by (D_i·…·D_n)⁻¹.
void BodyReader::move_to_zero(std::size_t number) {
  RobotLink& link = parts_.model.links[number];
  Pose after;  // D_i·…·D_n
  for (std::size_t i = link.joints.size(); i-- > 0;) {
    RobotJoint& joint = link.joints[i];
    Pose back;
    if (joint.motion == JointMotion::Turn) {
      back = turn_about(joint.anchor, joint.axis, -joint.start);
    } else if (joint.motion == JointMotion::Slide) {
      back.translation = -joint.start * joint.axis;
    }
    after = back * after;
    const Pose moved = inverse(after);
    joint.axis = moved.rotation * joint.axis;
    joint.anchor = moved * joint.anchor;
  }
  link.pose = link.pose * after;
}

// Each joint of a body becomes a link of its own.
void BodyReader::check_levels() {
  std::vector<std::size_t> levels;
  for (const RobotLink& link : parts_.model.links) {
    levels.push_back(std::max<std::size_t>(link.joints.size(), 1) +
                     (link.parent < 0 ? 0 : levels[static_cast<std::size_t>(link.parent)]));
    if (levels.back() > kMaxLevels) {
      context_.xml.diagnostics().error(
          link.where, fmt::format("bodies and joints nest deeper than {} levels", kMaxLevels));
      return;
    }
  }
}

// A body that moves needs a mass and moments in itself or in bodies that are fixed to it.
void BodyReader::check_masses() {
  const std::vector<RobotLink>& links = parts_.model.links;
  std::vector<bool> has_mass(links.size());
  for (std::size_t i = links.size(); i-- > 1;) {
    const RobotLink& link = links[i];
    if (link.inertial && link.inertial->mass >= kLeast &&
        principal_axes(link.inertial->inertia).moments[0] >= kLeast) {
      has_mass[i] = true;
    }
    if (!link.joints.empty() && !has_mass[i]) {
      context_.xml.diagnostics().error(
          link.where, fmt::format("body '{}' moves and has no mass, or a moment of 0: give it an "
                                  "<inertial> or a geom with a density",
                                  link.name));
    }
    if (link.joints.empty() && has_mass[i]) {
      has_mass[static_cast<std::size_t>(link.parent)] = true;
    }
  }
}

void BodyReader::scale_masses() {
  const double total = context_.settings.total_mass;
  double sum = 0.0;
  for (const RobotLink& link : parts_.model.links) {
    sum += link.inertial ? link.inertial->mass : 0.0;
  }
  if (!(total > 0.0) || !(sum > 0.0)) {
    return;
  }
  if (!(total <= kHeaviestBody)) {
    fail(context_.document.root(), "settotalmass of <compiler> must be at most 1e15 kg");
    return;
  }
  for (RobotLink& link : parts_.model.links) {
    if (link.inertial) {
      link.inertial = with_mass(*link.inertial, link.inertial->mass * total / sum);
    }
  }
}

}  // namespace

MjcfParts read_mjcf_bodies(const MjcfContext& context) {
  MjcfParts parts;
  BodyReader(context, parts).read();
  return parts;
}

}  // namespace servosim::robots
