// SPDX-License-Identifier: Apache-2.0
#include "robots/mjcf_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/quaternion.h"
#include "base/text.h"
#include "robots/mimics.h"
#include "robots/mjcf_bodies.h"
#include "robots/mjcf_drives.h"
#include "robots/mjcf_parts.h"
#include "robots/robot_names.h"

namespace servosim::robots {
namespace {

constexpr std::size_t kMaxMasks = 3000;  // each is compared with all others

/// Reads what refers to bodies and joints, and makes the robot.
class ModelReader {
 public:
  ModelReader(const MjcfContext& context, MjcfParts& parts) : context_(context), parts_(parts) {}

  RobotModel read();

 private:
  void check_sections();
  void read_contact(pugi::xml_node node);
  void read_sensor(pugi::xml_node node);
  bool make_load_sensor(const MjcfElement& element, std::string_view type, Sensor& sensor);
  void set_touch();
  std::vector<bool> moving_links() const;
  void set_starts();
  void set_start(const MjcfJoint& of, const double* position, const MjcfElement& key);
  void keep_starts_in_range();
  void start_followers();
  void drop_world();
  bool needs_world() const;

  const MjcfContext& context_;
  MjcfParts& parts_;
};

RobotModel ModelReader::read() {
  check_sections();
  set_touch();
  for (const pugi::xml_node node : context_.document.sections("contact")) {
    read_contact(node);
  }
  for (const pugi::xml_node node : context_.document.sections("sensor")) {
    read_sensor(node);
  }
  set_starts();
  keep_starts_in_range();
  start_followers();
  drop_world();
  context_.attributes.tell_of_solver(context_.document.root());
  RobotModel& model = parts_.model;
  const pugi::xml_node root = context_.document.root();
  model.where = context_.xml.place(root);
  model.name = root.attribute("model").value();
  if (model.name.empty()) {
    std::set<std::string> others;  // of bodies that are Robots or Solids next to this one
    for (std::size_t i = 1; i < model.links.size(); ++i) {
      others.insert(model.links[i].name);
    }
    model.name = unused_name("robot", others);
  }
  model.is_placed = true;
  model.gravity = context_.settings.gravity;
  model.floor_friction = model.floor_friction.value_or(0.0);  // any floor is as rough as a link
  model.time_step = context_.settings.time_step;
  return std::move(model);
}

void ModelReader::check_sections() {
  constexpr std::array<std::string_view, 16> kSections{
      "compiler", "option", "size",     "statistic", "visual", "default",  "asset",  "worldbody",
      "contact",  "tendon", "equality", "actuator",  "sensor", "keyframe", "custom", "include"};
  constexpr std::array<std::string_view, 2> kRefused{"extension", "deformable"};
  for (const pugi::xml_node node : context_.document.children(context_.document.root())) {
    const std::string_view name = node.name();
    if (is_one_of(kRefused, name) && !context_.document.children(node).empty()) {
      context_.xml.fail(node, fmt::format("<{}> is not read: plugins and bodies that are not rigid "
                                          "have no counterpart here",
                                          name));
    } else if (!is_one_of(kSections, name) && !is_one_of(kRefused, name)) {
      context_.xml.lose(node,
                        fmt::format("<{:.60}> has no meaning in <mujoco>{}", name,
                                    did_you_mean(name, {kSections.begin(), kSections.end()})),
                        true);
    }
  }
}

// Geoms touch if contype of one and conaffinity of the other have a common bit.
void ModelReader::set_touch() {
  if (parts_.masks.size() > kMaxMasks) {
    context_.xml.fail(context_.document.root(),
                      fmt::format("geoms have more than {} different pairs of contype and "
                                  "conaffinity",
                                  kMaxMasks));
    return;
  }
  const std::vector<bool> moves = moving_links();
  struct Of {
    MjcfMask mask;
    bool moving = false;  // a link that has it moves
    bool still = false;   // one does not move
  };
  std::vector<Of> masks;
  for (const auto& [mask, links] : parts_.masks) {
    Of& of = masks.emplace_back();
    of.mask = mask;
    for (const std::size_t link : links) {
      (moves[link] ? of.moving : of.still) = true;
    }
  }
  bool any = false;        // two that move touch
  bool all = true;         // the same for all of them
  bool all_around = true;  // what moves touches what does not
  for (const Of& a : masks) {
    for (const Of& b : masks) {
      const bool touch = (a.mask.first & b.mask.second) != 0 || (b.mask.first & a.mask.second) != 0;
      if (a.moving && b.moving) {
        any = any || touch;
        all = all && touch;
      }
      all_around = all_around && (touch || !a.moving || !b.still);
    }
  }
  parts_.model.touches_itself = any;
  if ((any && !all) || !all_around) {
    context_.xml.lose(context_.document.root(),
                      "contype and conaffinity allow some pairs of geoms to touch: here all do",
                      true);
  }
}

// Returns for each link whether a joint moves it.
std::vector<bool> ModelReader::moving_links() const {
  std::vector<bool> moves;
  for (const RobotLink& link : parts_.model.links) {
    moves.push_back(!link.joints.empty() ||
                    (link.parent >= 0 && moves[static_cast<std::size_t>(link.parent)]));
  }
  return moves;
}

void ModelReader::read_contact(pugi::xml_node node) {
  const MjcfElement element = context_.element(node);
  context_.attributes.check(node);
  if (std::string_view(node.name()) != "exclude") {
    element.lose(fmt::format("<{:.60}> in <contact> has no effect", node.name()), true);
    return;
  }
  std::array<int, 2> pair{};
  for (std::size_t i = 0; i < 2; ++i) {
    const char* const attribute = i == 0 ? "body1" : "body2";
    const auto link = parts_.links.find(element.text(attribute));
    if (link == parts_.links.end()) {
      element.fail(fmt::format("there is no body '{:.60}'", element.text(attribute)));
      return;
    }
    pair[i] = static_cast<int>(link->second);
  }
  parts_.model.untouched.push_back({pair[0], pair[1]});
}

void ModelReader::read_sensor(pugi::xml_node node) {
  struct Kind {
    std::string_view name;
    SensorType type;
  };
  constexpr std::array<Kind, 7> kKinds{{{"accelerometer", SensorType::Accelerometer},
                                        {"gyro", SensorType::Gyro},
                                        {"magnetometer", SensorType::Compass},
                                        {"framequat", SensorType::InertialUnit},
                                        {"framepos", SensorType::Gps},
                                        {"force", SensorType::ForceTorque},
                                        {"torque", SensorType::ForceTorque}}};
  const MjcfElement element = context_.element(node);
  const std::string_view name = node.name();
  context_.attributes.check(node);
  if (name == "jointpos" || name == "jointvel") {
    const auto joint = parts_.joint_numbers.find(element.text("joint"));
    if (name == "jointpos" && joint != parts_.joint_numbers.end()) {
      std::string& sensor = parts_.joint(parts_.joints[joint->second]).sensor_name;
      const std::string given = element.text("name");
      if (!sensor.empty() && !given.empty()) {
        element.lose(fmt::format("the sensor '{}' is left out, as its joint has the sensor '{}'",
                                 given, sensor),
                     false);
      }
      sensor = sensor.empty() ? given : sensor;
    }
    return;  // each joint has a sensor
  }
  const auto kind = std::ranges::find(kKinds, name, &Kind::name);
  const std::string frame = element.text("objtype", "site");
  const std::string of = element.text(element.has("objname") ? "objname" : "site");
  const auto site = parts_.sites.find(of);
  const auto link = parts_.links.find(of);
  Sensor sensor;
  sensor.where = element.place();
  if (kind != kKinds.end() && frame == "site" && site != parts_.sites.end()) {
    sensor.link = static_cast<int>(site->second.link);
    sensor.pose = site->second.pose;
  } else if (kind != kKinds.end() && frame == "xbody" && link != parts_.links.end()) {
    sensor.link = static_cast<int>(link->second);
  } else {
    element.lose(
        fmt::format("the sensor '{}' of the type {:.60} is left out", element.text("name"), name),
        false);
    return;
  }
  if (element.has("reftype") || element.has("refname")) {
    element.lose(fmt::format("the sensor '{}' measures in the world", element.text("name")), false);
  }
  sensor.type = kind->type;
  sensor.name = element.text("name");
  sensor.is_named = !sensor.name.empty();
  if (!sensor.is_named) {
    sensor.name = fmt::format("{} {}", name, parts_.model.sensors.size());
  }
  if (sensor.type == SensorType::ForceTorque && !make_load_sensor(element, name, sensor)) {
    return;
  }
  parts_.model.sensors.push_back(std::move(sensor));
}

// The sensors `force` and `torque` of a body become one of six axes. Returns false for the second.
bool ModelReader::make_load_sensor(const MjcfElement& element, std::string_view type,
                                   Sensor& sensor) {
  // This is how an export calls the two.
  if (const std::string ending = fmt::format(" {}", type); sensor.name.ends_with(ending)) {
    sensor.name.resize(sensor.name.size() - ending.size());
  }
  if (std::ranges::any_of(parts_.model.sensors, [&sensor](const Sensor& other) {
        return other.type == SensorType::ForceTorque && other.link == sensor.link;
      })) {
    return false;
  }
  const bool is_at_origin = sensor.pose == Pose{};
  sensor.pose = {};
  element.lose(fmt::format("the sensor '{}' gets six values, of the opposite sign{}", sensor.name,
                           is_at_origin ? "" : ", in the frame of its body"),
               false);
  return true;
}

// The key `home`, or the first one.
void ModelReader::set_starts() {
  pugi::xml_node chosen;
  for (const pugi::xml_node node : context_.document.sections("keyframe")) {
    const bool is_home = std::string_view(node.attribute("name").value()) == "home";
    if (!chosen || (is_home && std::string_view(chosen.attribute("name").value()) != "home")) {
      chosen = node;
    }
  }
  if (!chosen) {
    return;
  }
  context_.attributes.check(chosen);
  const MjcfElement key(context_.xml, chosen, nullptr);
  if (!key.has("qpos")) {
    return;
  }
  std::vector<double> positions(parts_.positions);
  if (key.numbers("qpos", positions, positions.size()) == 0) {
    return;
  }
  for (const MjcfJoint& of : parts_.joints) {
    set_start(of, positions.data() + of.position, key);
  }
}

void ModelReader::set_start(const MjcfJoint& of, const double* position, const MjcfElement& key) {
  RobotJoint& joint = parts_.joint(of);
  switch (joint.motion) {
    case JointMotion::Free: {
      const Vec3 at{position[0], position[1], position[2]};
      if (!(norm(at) < kMaxFileCoordinate)) {
        key.fail("qpos of <key> must be within 1e6 m");
        return;
      }
      parts_.model.links[of.link].pose = {
          quaternion_matrix({position[4], position[5], position[6], position[3]}), at};
      break;
    }
    case JointMotion::Ball:
      if (position[1] != 0.0 || position[2] != 0.0 || position[3] != 0.0) {
        key.lose(fmt::format("the ball joint '{}' starts as it is in the file", joint.name), true);
      }
      break;
    default:
      if (!(std::abs(position[0]) < kMaxFileJointPosition)) {
        key.fail(fmt::format("qpos of joint '{}' is too large", joint.name));
        return;
      }
      joint.start = position[0];
  }
}

void ModelReader::keep_starts_in_range() {
  for (const MjcfJoint& of : parts_.joints) {
    RobotJoint& joint = parts_.joint(of);
    if (!joint.mimic && joint.range &&
        (joint.start < joint.range->lower || joint.start > joint.range->upper)) {
      const double start = std::clamp(joint.start, joint.range->lower, joint.range->upper);
      context_.xml.diagnostics().info(
          joint.where, fmt::format("joint '{}' starts at {}, as {} is outside of its range",
                                   joint.name, start, joint.start));
      joint.start = start;
    }
  }
}

// A key may have moved what others follow.
void ModelReader::start_followers() {
  std::vector<RobotJoint*> joints;
  for (const MjcfJoint& of : parts_.joints) {
    joints.push_back(&parts_.joint(of));
  }
  start_with_leaders(joints);
}

bool ModelReader::needs_world() const {
  const std::vector<RobotLink>& links = parts_.model.links;
  const auto tops = std::ranges::count(links, 0, &RobotLink::parent);
  return links.size() == 1 || tops > 1 || !links[0].visuals.empty() ||
         !links[0].collisions.empty() ||
         std::ranges::any_of(
             links[1].joints,
             [](const RobotJoint& joint) { return joint.motion != JointMotion::Free; }) ||
         std::ranges::any_of(parts_.model.sensors,
                             [](const Sensor& sensor) { return sensor.link == 0; });
}

// Makes the one body of the world the root.
void ModelReader::drop_world() {
  RobotModel& model = parts_.model;
  model.fixed_base = true;
  if (needs_world()) {
    return;
  }
  model.links.erase(model.links.begin());
  for (RobotLink& link : model.links) {
    --link.parent;
  }
  for (Sensor& sensor : model.sensors) {
    --sensor.link;
  }
  std::erase_if(model.untouched, [&](const UntouchedPair& pair) {
    return pair.first == 0 || pair.second == 0;  // nothing of the world touches
  });
  for (UntouchedPair& pair : model.untouched) {
    --pair.first;
    --pair.second;
  }
  model.fixed_base = model.links[0].joints.empty();
  model.links[0].joints.clear();
}

}  // namespace

std::optional<RobotModel> read_mjcf(std::uint32_t file, RobotFiles& files, Diagnostics& diagnostics,
                                    std::vector<Loss>& losses) {
  pugi::xml_document xml_document;
  if (const auto fault = read_xml(diagnostics.sources().text(file), xml_document)) {
    diagnostics.error({file, static_cast<std::uint32_t>(fault->offset)}, fault->reason);
    return std::nullopt;
  }
  XmlFields xml(file, diagnostics, losses);
  const pugi::xml_node root = xml_document.document_element();
  if (std::string_view(root.name()) != "mujoco") {
    xml.fail(root,
             fmt::format("is no MJCF: its first element is <{:.60}>, not <mujoco>", root.name()));
    return std::nullopt;
  }
  const std::size_t errors = diagnostics.errors();
  const MjcfDocument document(root, files, xml);
  MjcfAttributes attributes(xml);
  const MjcfDefaults defaults(document, attributes, xml);
  if (diagnostics.errors() != errors) {
    return std::nullopt;
  }
  const MjcfSettings settings = read_mjcf_settings(document, attributes, xml);
  const MjcfContext context{document, defaults, settings, files, attributes, xml};
  MjcfParts parts = read_mjcf_bodies(context);
  if (parts.model.links.size() == 1 && parts.model.links[0].visuals.empty() &&
      parts.model.links[0].collisions.empty()) {
    xml.fail(root, "has no body: it may be a part that another file includes");
  }
  if (diagnostics.errors() == errors) {
    read_mjcf_drives(context, parts);
  }
  if (diagnostics.errors() != errors) {
    return std::nullopt;
  }
  RobotModel model = ModelReader(context, parts).read();
  return diagnostics.errors() == errors ? std::optional(std::move(model)) : std::nullopt;
}

}  // namespace servosim::robots
