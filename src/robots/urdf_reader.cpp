// SPDX-License-Identifier: Apache-2.0
#include "robots/urdf_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "base/limits.h"
#include "base/roll_pitch_yaw.h"
#include "base/text.h"
#include "robots/inertia.h"
#include "robots/link_parts.h"
#include "robots/robot_bodies.h"
#include "robots/robot_names.h"
#include "robots/robot_world.h"
#include "robots/urdf_tree.h"
#include "robots/xml_fields.h"

namespace servosim::robots {
namespace {

// Returns whether an element needs xacro: it is one of xacro's, or has an expression in an
// attribute. The name space alone stays in files that xacro has written.
bool needs_xacro(pugi::xml_node node) {
  if (std::string_view(node.name()).starts_with("xacro:")) {
    return true;
  }
  for (const pugi::xml_attribute attribute : node.attributes()) {
    const std::string_view value = attribute.value();
    if (value.find("${") != value.npos || value.find("$(") != value.npos) {
      return true;
    }
  }
  return false;
}

// Returns whether the element is there before: as in other readers, the first one counts.
bool is_repeated(XmlFields& xml, pugi::xml_node node) {
  if (!node.previous_sibling(node.name())) {
    return false;
  }
  xml.lose(node,
           fmt::format("a second <{}> in <{}> is left out", node.name(), node.parent().name()),
           true);
  return true;
}

// Returns a list such as `ixx, izz`, or an empty text.
std::string missing_moments(pugi::xml_node inertia) {
  std::string missing;
  for (const char* const name : {"ixx", "iyy", "izz"}) {
    if (!inertia.attribute(name)) {
      missing += fmt::format("{}{}", missing.empty() ? "" : ", ", name);
    }
  }
  return missing;
}

/// Names of joints whose limits a file leaves open, and of links with moments of inertia that no
/// body has.
struct Doubts {
  std::vector<std::string> effort;
  std::vector<std::string> velocity;
  std::vector<std::string> range;
  std::vector<std::string> moments;
};

/// Reads the elements of a URDF into its parts.
class UrdfReader {
 public:
  UrdfReader(XmlFields& xml, RobotFiles& files) : xml_(xml), files_(files) {}

  UrdfParts read(pugi::xml_node root);

 private:
  template <class Target>
  using Row = ElementRow<UrdfReader, Target>;
  template <class Target, std::size_t n>
  void read_elements(pugi::xml_node parent, Target& target, const Row<Target> (&rows)[n],
                     Unknown unknown = Unknown::Lose) {
    robots::read_elements(*this, xml_, parent, target, rows, unknown);
  }

  Pose pose_of(pugi::xml_node origin);
  Pose origin_of(pugi::xml_node element);

  void read_link(pugi::xml_node node, UrdfParts& parts);
  void read_inertial(pugi::xml_node node, RobotLink& link);
  void read_visual(pugi::xml_node node, RobotLink& link);
  void read_collision(pugi::xml_node node, RobotLink& link);
  bool read_geometry(pugi::xml_node parent, bool touches, Geometry& geometry);
  bool read_sizes(pugi::xml_node node, Geometry& geometry);
  bool read_mesh(pugi::xml_node mesh, bool touches, Geometry& geometry);
  std::optional<Material> material_of(pugi::xml_node visual);
  std::optional<Material> read_material(pugi::xml_node node);

  void read_joint(pugi::xml_node node, UrdfParts& parts);
  void read_origin(pugi::xml_node node, UrdfJoint& joint) { joint.origin = pose_of(node); }
  void read_parent(pugi::xml_node node, UrdfJoint& joint);
  void read_child(pugi::xml_node node, UrdfJoint& joint);
  void read_axis(pugi::xml_node node, UrdfJoint& joint);
  void read_limit(pugi::xml_node node, UrdfJoint& joint);
  void read_range(pugi::xml_node node, RobotJoint& joint);
  void read_dynamics(pugi::xml_node node, UrdfJoint& joint);
  void read_mimic(pugi::xml_node node, UrdfJoint& joint);
  void read_safety(pugi::xml_node node, UrdfJoint& joint);
  void set_motion(pugi::xml_node node, UrdfJoint& joint);
  void tell_of_doubts(SourceLocation where);

  void read_gazebo(pugi::xml_node node, UrdfParts& parts);
  void read_static(pugi::xml_node node, UrdfParts& parts);
  void read_plugin(pugi::xml_node node, UrdfParts& parts);
  void read_friction(pugi::xml_node node, RobotLink& link);
  void read_second_friction(pugi::xml_node node, RobotLink& link);
  void read_self_contact(pugi::xml_node node, RobotLink& link);
  void read_contact_law(pugi::xml_node node, RobotLink& link);
  void read_gravity(pugi::xml_node node, RobotLink& link);
  void read_decay(pugi::xml_node node, RobotLink& link);
  void read_stiffness(pugi::xml_node node, UrdfJoint& joint);
  void read_rest(pugi::xml_node node, UrdfJoint& joint);
  void read_control(pugi::xml_node node, UrdfParts& parts);
  void read_sensor(pugi::xml_node node, UrdfParts& parts);

  XmlFields& xml_;
  RobotFiles& files_;
  std::map<std::string, Material> materials_;
  std::map<std::string, std::size_t> links_;   // by name: the number in the parts
  std::map<std::string, std::size_t> joints_;  // the same
  std::vector<std::string_view> names_;        // of all of these
  Doubts doubts_;
};

Pose UrdfReader::pose_of(pugi::xml_node origin) {
  Pose pose;
  pose.translation = xml_.vector(origin, "xyz", {});
  pose.rotation = rotation_of_rpy(xml_.vector(origin, "rpy", {}));
  if (!(norm(pose.translation) < kMaxFileCoordinate)) {
    xml_.fail(origin, "xyz of <origin> must be within 1e6 m");
  }
  return pose;
}

Pose UrdfReader::origin_of(pugi::xml_node element) {
  const pugi::xml_node origin = element.child("origin");
  return origin ? pose_of(origin) : Pose{};
}

UrdfParts UrdfReader::read(pugi::xml_node root) {
  UrdfParts parts;
  parts.where = xml_.place(root);
  parts.name = root.attribute("name").value();
  parts.name = parts.name.empty() ? "robot" : parts.name;
  for (const pugi::xml_node node : root.children("material")) {  // used before it is defined
    if (auto material = read_material(node)) {
      materials_.emplace(node.attribute("name").value(), std::move(*material));
    }
  }
  constexpr Row<UrdfParts> kParts[] = {{"link", &UrdfReader::read_link},
                                       {"joint", &UrdfReader::read_joint},
                                       {"material", nullptr},
                                       {"transmission", nullptr},
                                       {"gazebo", nullptr},
                                       {"ros2_control", nullptr},
                                       {"sensor", nullptr},
                                       {"mujoco", nullptr},
                                       {"group", nullptr},
                                       {"origin", nullptr}};
  read_elements(root, parts, kParts);
  // These refer to links and joints.
  for (const auto& link : links_) {
    names_.push_back(link.first);
  }
  for (const auto& joint : joints_) {
    names_.push_back(joint.first);
  }
  constexpr Row<UrdfParts> kMore[] = {{"gazebo", &UrdfReader::read_gazebo},
                                      {"ros2_control", &UrdfReader::read_control},
                                      {"sensor", &UrdfReader::read_sensor}};
  read_elements(root, parts, kMore, Unknown::Skip);
  tell_of_doubts(parts.where);
  return parts;
}

// Effort 0 means by the letter that no motor moves the joint, but files have it where their authors
// did not know the limit.
void UrdfReader::tell_of_doubts(SourceLocation where) {
  const auto tell = [&](const std::vector<std::string>& names, const char* noun,
                        std::string_view what) {
    if (!names.empty()) {
      xml_.diagnostics().info(
          where, fmt::format("{} {}{} {}: {}", names.size(), noun, names.size() == 1 ? "" : "s",
                             what, listed_names(names)));
    }
  };
  tell(doubts_.effort, "joint", "without an effort above 0, whose motors have no limit");
  tell(doubts_.velocity, "joint",
       fmt::format("without a velocity above 0, whose motors move at up to {} rad/s or m/s",
                   kAnyVelocity));
  tell(doubts_.range, "joint", "without lower and upper limits, which move without end");
  tell(doubts_.moments, "link",
       "with a moment of inertia above the sum of the other two, which no body has");
}

// Links.

void UrdfReader::read_link(pugi::xml_node node, UrdfParts& parts) {
  RobotLink link;
  link.name = xml_.name_of(node);
  link.where = xml_.place(node);
  constexpr Row<RobotLink> kRows[] = {{"inertial", &UrdfReader::read_inertial},
                                      {"visual", &UrdfReader::read_visual},
                                      {"collision", &UrdfReader::read_collision},
                                      {"contact", nullptr},
                                      {"self_collision_checking", nullptr}};
  read_elements(node, link, kRows);
  if (!links_.emplace(link.name, parts.links.size()).second) {
    xml_.fail(node, fmt::format("a second link is called '{}'", link.name));
  }
  parts.links.push_back(std::move(link));
}

void UrdfReader::read_inertial(pugi::xml_node node, RobotLink& link) {
  if (is_repeated(xml_, node)) {
    return;
  }
  MassProperties mass;
  const Pose origin = origin_of(node);
  const pugi::xml_node mass_node = node.child("mass");
  mass.mass = xml_.number(mass_node, "value", 0.0);
  const pugi::xml_node inertia = node.child("inertia");
  const auto moment = [&](const char* name) { return xml_.number(inertia, name, 0.0); };
  const double xy = moment("ixy");
  const double xz = moment("ixz");
  const double yz = moment("iyz");
  mass.inertia = {{moment("ixx"), xy, xz, xy, moment("iyy"), yz, xz, yz, moment("izz")}};
  link.inertial_where = xml_.place(node);
  if (!(mass.mass >= 0.0 && mass.mass <= kHeaviestBody)) {
    xml_.fail(node, fmt::format("the mass {} of link '{}' must be from 0 to 1e15 kg", mass.mass,
                                link.name));
  } else if (has_huge_moment(mass.inertia)) {
    xml_.fail(node, fmt::format("the inertia of link '{}' must be below 1e30 kg m^2", link.name));
  } else if (!mass_node.attribute("value")) {
    xml_.lose(node, fmt::format("<inertial> of link '{}' has no mass; it is left out", link.name),
              true);
  } else if (mass.mass == 0.0 &&
             std::ranges::any_of(mass.inertia.m, [](double x) { return x != 0.0; })) {
    xml_.lose(node,
              fmt::format("the inertia of link '{}' is left out, as its mass is 0", link.name),
              true);
  } else if (mass.mass > 0.0) {
    if (const std::string missing = missing_moments(inertia); !missing.empty()) {
      xml_.lose(node,
                fmt::format("the inertia of link '{}' has no {}; 0 is used", link.name, missing),
                true);
    }
    mass = placed(mass, origin);
    if (is_solid(mass) && has_impossible_moments(mass.inertia)) {
      doubts_.moments.push_back(link.name);
    }
    link.inertial = mass;
  }
}

std::optional<Material> UrdfReader::read_material(pugi::xml_node node) {
  Material material;
  const pugi::xml_node color = node.child("color");
  const pugi::xml_node texture = node.child("texture");
  std::array<double, 4> rgba{0.7, 0.7, 0.7, 1.0};
  if (color) {
    xml_.numbers(color, "rgba", rgba);
  }
  set_color(material, rgba);
  if (const std::string picture = texture.attribute("filename").value(); !picture.empty()) {
    RobotFiles::Found found = files_.find(picture);
    if (!found.fault.empty()) {
      xml_.lose(texture, "the texture " + found.fault, false);
    }
    material.texture = std::move(found.path);
  }
  return color || texture ? std::optional(material) : std::nullopt;
}

// A material with a colour defines its name; one without refers to it.
std::optional<Material> UrdfReader::material_of(pugi::xml_node visual) {
  const pugi::xml_node node = visual.child("material");
  const std::string name = node.attribute("name").value();
  std::optional<Material> material = read_material(node);
  if (material && !name.empty()) {
    materials_.emplace(name, *material);
  } else if (const auto known = materials_.find(name); known != materials_.end()) {
    material = known->second;
  } else if (!material && !name.empty()) {
    std::vector<std::string_view> names;
    for (const auto& material_of_file : materials_) {
      names.push_back(material_of_file.first);
    }
    xml_.lose(node,
              fmt::format("no material '{}' is defined up to here; the visual is gray{}", name,
                          did_you_mean(name, names)),
              false);
  }
  return material;
}

void UrdfReader::read_visual(pugi::xml_node node, RobotLink& link) {
  LinkShape shape;
  shape.where = xml_.place(node);
  shape.pose = origin_of(node);
  shape.material = material_of(node);
  if (read_geometry(node, false, shape.geometry)) {
    link.visuals.push_back(std::move(shape));
  }
}

void UrdfReader::read_collision(pugi::xml_node node, RobotLink& link) {
  LinkShape shape;
  shape.where = xml_.place(node);
  shape.pose = origin_of(node);
  if (read_geometry(node, true, shape.geometry)) {
    link.collisions.push_back(std::move(shape));
  }
}

// Returns whether there is a shape. One that is missing or has no size is lost.
bool UrdfReader::read_geometry(pugi::xml_node parent, bool touches, Geometry& geometry) {
  pugi::xml_node node = parent.child("geometry").first_child();
  while (node && node.type() != pugi::node_element) {
    node = node.next_sibling();
  }
  const std::string_view name = node.name();
  if (name == "mesh") {
    return read_mesh(node, touches, geometry);
  }
  constexpr std::array<std::pair<std::string_view, GeometryType>, 4> kTypes{
      {{"box", GeometryType::Box},
       {"sphere", GeometryType::Sphere},
       {"cylinder", GeometryType::Cylinder},
       {"capsule", GeometryType::Capsule}}};
  const auto type = std::ranges::find(kTypes, name, &decltype(kTypes)::value_type::first);
  if (type == kTypes.end()) {
    xml_.lose(node ? node : parent,
              name.empty() ? fmt::format("<{}> has no geometry", parent.name())
                           : fmt::format("<{}> is no geometry that can be read", name),
              touches);
    return false;
  }
  geometry.type = type->second;
  if (!read_sizes(node, geometry)) {
    xml_.lose(node, fmt::format("a size of <{}> is not between 0 and 1e6 m", name), touches);
    return false;
  }
  return true;
}

bool UrdfReader::read_sizes(pugi::xml_node node, Geometry& geometry) {
  if (geometry.type == GeometryType::Box) {
    const Vec3& size = geometry.size = xml_.vector(node, "size", {}, true);
    return is_file_length(size.x) && is_file_length(size.y) && is_file_length(size.z);
  }
  geometry.radius = xml_.number(node, "radius", 0.0, true);
  if (geometry.type != GeometryType::Sphere) {
    geometry.length = xml_.number(node, "length", 0.0, true);
  }
  return is_file_length(geometry.radius) &&
         (geometry.type == GeometryType::Sphere || is_file_length(geometry.length));
}

bool UrdfReader::read_mesh(pugi::xml_node mesh, bool touches, Geometry& geometry) {
  geometry.scale = xml_.vector(mesh, "scale", {1.0, 1.0, 1.0});
  return find_mesh(xml_, files_, mesh, mesh.attribute("filename").value(), touches, geometry);
}

// Joints.

void UrdfReader::read_joint(pugi::xml_node node, UrdfParts& parts) {
  UrdfJoint joint;
  joint.joint.name = xml_.name_of(node);
  joint.joint.where = xml_.place(node);
  constexpr Row<UrdfJoint> kRows[] = {{"origin", &UrdfReader::read_origin},
                                      {"parent", &UrdfReader::read_parent},
                                      {"child", &UrdfReader::read_child},
                                      {"axis", &UrdfReader::read_axis},
                                      {"limit", &UrdfReader::read_limit},
                                      {"dynamics", &UrdfReader::read_dynamics},
                                      {"mimic", &UrdfReader::read_mimic},
                                      {"safety_controller", &UrdfReader::read_safety},
                                      {"calibration", nullptr},
                                      {"hardwareInterface", nullptr}};
  read_elements(node, joint, kRows);
  set_motion(node, joint);
  if (!joints_.emplace(joint.joint.name, parts.joints.size()).second) {
    xml_.fail(node, fmt::format("a second joint is called '{}'", joint.joint.name));
  }
  parts.joints.push_back(std::move(joint));
}

void UrdfReader::read_parent(pugi::xml_node node, UrdfJoint& joint) {
  joint.parent = node.attribute("link").value();
}

void UrdfReader::read_child(pugi::xml_node node, UrdfJoint& joint) {
  joint.child = node.attribute("link").value();
}

void UrdfReader::read_axis(pugi::xml_node node, UrdfJoint& joint) {
  joint.joint.axis = unit_or(xml_.vector(node, "xyz", {1.0, 0.0, 0.0}), {});
}

void UrdfReader::read_limit(pugi::xml_node node, UrdfJoint& joint) {
  if (is_repeated(xml_, node)) {
    return;
  }
  const auto above_zero = [&](const char* name, std::vector<std::string>& open) {
    const double most = xml_.number_or_infinity(node, name, 0.0);
    if (!(most > 0.0)) {
      open.push_back(joint.joint.name);
    }
    return most > 0.0 ? most : kNoLimit;
  };
  joint.joint.effort = above_zero("effort", doubts_.effort);
  joint.joint.velocity = above_zero("velocity", doubts_.velocity);
  if (node.attribute("lower") || node.attribute("upper")) {
    read_range(node, joint.joint);
  }
}

void UrdfReader::read_range(pugi::xml_node node, RobotJoint& joint) {
  double lower = xml_.number_or_infinity(node, "lower", 0.0);
  double upper = xml_.number_or_infinity(node, "upper", 0.0);
  if (lower > upper) {
    xml_.lose(node,
              fmt::format("the lower limit {} of joint '{}' is above the upper one, {}; they are "
                          "exchanged",
                          lower, joint.name, upper),
              true);
    std::swap(lower, upper);
  }
  if (std::isfinite(lower) || std::isfinite(upper)) {
    joint.range = Range{std::clamp(lower, -kMaxFileJointPosition, kMaxFileJointPosition),
                        std::clamp(upper, -kMaxFileJointPosition, kMaxFileJointPosition)};
  }
}

void UrdfReader::read_dynamics(pugi::xml_node node, UrdfJoint& joint) {
  const auto passive = [&](const char* name) {
    const double value = xml_.number(node, name, 0.0);
    if (value < 0.0) {
      xml_.lose(node,
                fmt::format("{} {} of joint '{}' must not be negative; 0 is used", name, value,
                            joint.joint.name),
                true);
    }
    return std::max(value, 0.0);
  };
  joint.joint.damping = passive("damping");
  joint.joint.friction = passive("friction");
}

void UrdfReader::read_mimic(pugi::xml_node node, UrdfJoint& joint) {
  joint.joint.mimic = Mimic{node.attribute("joint").value(), xml_.number(node, "multiplier", 1.0),
                            xml_.number(node, "offset", 0.0)};
}

void UrdfReader::read_safety(pugi::xml_node node, UrdfJoint& joint) {
  const Range soft{xml_.number(node, "soft_lower_limit", 0.0),
                   xml_.number(node, "soft_upper_limit", 0.0)};
  if (soft.lower < soft.upper) {
    joint.joint.target_range = soft;
  } else if (soft.lower != 0.0 || soft.upper != 0.0) {
    xml_.lose(node,
              fmt::format("the soft limits {} to {} of joint '{}' are no range; those of <limit> "
                          "are used",
                          soft.lower, soft.upper, joint.joint.name),
              true);
  }
}

void UrdfReader::set_motion(pugi::xml_node node, UrdfJoint& joint) {
  struct Type {
    std::string_view name;
    JointMotion motion;
    bool has_range;
    bool has_axis;
  };
  constexpr std::array<Type, 7> kTypes{{{"fixed", JointMotion::Turn, false, false},
                                        {"revolute", JointMotion::Turn, true, true},
                                        {"continuous", JointMotion::Turn, false, true},
                                        {"prismatic", JointMotion::Slide, true, true},
                                        {"spherical", JointMotion::Ball, false, false},
                                        {"planar", JointMotion::Planar, false, true},
                                        {"floating", JointMotion::Free, false, false}}};
  const std::string_view given = node.attribute("type").value();
  const auto type = std::ranges::find(kTypes, given, &Type::name);
  RobotJoint& moved = joint.joint;
  if (type == kTypes.end()) {
    std::vector<std::string_view> names;
    std::ranges::transform(kTypes, std::back_inserter(names), &Type::name);
    xml_.fail(node, fmt::format("joint '{}' has the type '{}', which does not exist{}", moved.name,
                                given, did_you_mean(given, names)));
    return;
  }
  moved.motion = type->motion;
  joint.is_fixed = given == "fixed";
  if (!type->has_range) {
    moved.range.reset();
  } else if (!moved.range || (moved.range->lower == 0.0 && moved.range->upper == 0.0)) {
    moved.range.reset();  // files have 0 and 0 for joints that do move
    doubts_.range.push_back(moved.name);
  } else if (moved.range->lower == moved.range->upper) {
    xml_.lose(node,
              fmt::format("the limits of joint '{}' are equal, so it is fixed at position {} and "
                          "has no motor",
                          moved.name, moved.range->lower),
              true);
    joint.is_fixed = true;
  }
  if (type->has_axis && moved.axis == Vec3{}) {
    xml_.fail(node, fmt::format("the axis of joint '{}' is a null vector", moved.name));
    return;
  }
  if (moved.range) {
    moved.start = std::clamp(0.0, moved.range->lower, moved.range->upper);
  }
  if (joint.is_fixed && type->has_axis) {
    joint.origin = joint.origin * start_motion(moved);
  }
}

// Elements of Gazebo and of ros2_control.

void UrdfReader::read_gazebo(pugi::xml_node node, UrdfParts& parts) {
  const std::string reference = node.attribute("reference").value();
  const auto link = links_.find(reference);
  const auto joint = joints_.find(reference);
  if (reference.empty()) {
    constexpr Row<UrdfParts> kRows[] = {{"static", &UrdfReader::read_static},
                                        {"plugin", &UrdfReader::read_plugin}};
    read_elements(node, parts, kRows, Unknown::Skip);
  } else if (link != links_.end()) {
    constexpr Row<RobotLink> kRows[] = {{"mu1", &UrdfReader::read_friction},
                                        {"mu2", &UrdfReader::read_second_friction},
                                        {"kp", &UrdfReader::read_contact_law},
                                        {"kd", &UrdfReader::read_contact_law},
                                        {"maxVel", &UrdfReader::read_contact_law},
                                        {"minDepth", &UrdfReader::read_contact_law},
                                        {"selfCollide", &UrdfReader::read_self_contact},
                                        {"gravity", &UrdfReader::read_gravity},
                                        {"turnGravityOff", &UrdfReader::read_gravity},
                                        {"dampingFactor", &UrdfReader::read_decay}};
    read_elements(node, parts.links[link->second], kRows, Unknown::Skip);
    for (const pugi::xml_node sensor : node.children("sensor")) {
      std::array<double, 6> p{};
      if (const pugi::xml_node given = sensor.child("pose")) {
        xml_.numbers_in(given, p);
      }
      const Pose pose{rotation_of_rpy({p[3], p[4], p[5]}), {p[0], p[1], p[2]}};
      add_sensors(xml_, sensor, xml_.name_of(sensor), reference, pose, parts.sensors);
    }
  } else if (joint != joints_.end()) {
    constexpr Row<UrdfJoint> kRows[] = {{"springStiffness", &UrdfReader::read_stiffness},
                                        {"springReference", &UrdfReader::read_rest}};
    read_elements(node, parts.joints[joint->second], kRows, Unknown::Skip);
    for (const pugi::xml_node sensor : node.children("sensor")) {
      const UrdfJoint& at = parts.joints[joint->second];
      add_joint_sensor(xml_, sensor, at.joint.name, at.child, parts.sensors);
    }
  } else {
    xml_.lose(node,
              fmt::format("<gazebo> is left out, as there is no link or joint '{}'{}", reference,
                          did_you_mean(reference, names_)),
              true);
  }
}

void UrdfReader::read_static(pugi::xml_node node, UrdfParts& parts) {
  parts.is_static = is_true(node.text().get());
}

void UrdfReader::read_plugin(pugi::xml_node node, UrdfParts& /*parts*/) {
  xml_.lose(node,
            fmt::format("the plugin '{}' of Gazebo is not run", node.attribute("filename").value()),
            false);
}

void UrdfReader::read_friction(pugi::xml_node node, RobotLink& link) {
  link.contact_friction = std::max(xml_.number_in(node), 0.0);
}

// Friction is the same in all directions. Most files give both numbers alike.
void UrdfReader::read_second_friction(pugi::xml_node node, RobotLink& link) {
  const pugi::xml_node first = node.parent().child("mu1");
  const double friction = xml_.number_in(node);
  if (!first || xml_.number_in(first) != friction) {
    xml_.lose(node, fmt::format("mu2 {} of link '{}' has no effect", friction, link.name), true);
  }
}

void UrdfReader::read_self_contact(pugi::xml_node node, RobotLink& link) {
  if (is_true(node.text().get())) {
    xml_.lose(node, fmt::format("link '{}' does not touch others of the robot", link.name), true);
  }
}

void UrdfReader::read_contact_law(pugi::xml_node node, RobotLink& link) {
  xml_.lose(node, fmt::format("{} of link '{}' has no effect", node.name(), link.name), true);
}

// Reads <gravity> or <turnGravityOff>.
void UrdfReader::read_gravity(pugi::xml_node node, RobotLink& link) {
  const bool turns_off = std::string_view(node.name()) == "turnGravityOff";
  if (is_true(node.text().get()) == turns_off) {
    xml_.lose(node, fmt::format("gravity also acts on link '{}'", link.name), true);
  }
}

void UrdfReader::read_decay(pugi::xml_node node, RobotLink& link) {
  if (xml_.number_in(node) != 0.0) {
    xml_.lose(node, fmt::format("dampingFactor of link '{}' has no effect", link.name), true);
  }
}

void UrdfReader::read_stiffness(pugi::xml_node node, UrdfJoint& joint) {
  joint.joint.stiffness = std::max(xml_.number_in(node), 0.0);
}

void UrdfReader::read_rest(pugi::xml_node node, UrdfJoint& joint) {
  joint.joint.rest = xml_.number_in(node);
}

// A position in which a joint starts.
void UrdfReader::read_control(pugi::xml_node node, UrdfParts& parts) {
  for (const pugi::xml_node controlled : node.children("joint")) {
    const auto joint = joints_.find(controlled.attribute("name").value());
    if (joint == joints_.end() || parts.joints[joint->second].is_fixed) {
      continue;
    }
    for (const pugi::xml_node state : controlled.children("state_interface")) {
      if (std::string_view(state.attribute("name").value()) != "position") {
        continue;
      }
      for (const pugi::xml_node parameter : state.children("param")) {
        if (std::string_view(parameter.attribute("name").value()) == "initial_value") {
          RobotJoint& moved = parts.joints[joint->second].joint;
          const double start = xml_.number_in(parameter);
          moved.start =
              moved.range ? std::clamp(start, moved.range->lower, moved.range->upper) : start;
        }
      }
    }
  }
}

// A sensor of iDynTree, or of URDF itself.
void UrdfReader::read_sensor(pugi::xml_node node, UrdfParts& parts) {
  const pugi::xml_node parent = node.child("parent");
  if (const pugi::xml_attribute name = parent.attribute("joint")) {
    if (const auto joint = joints_.find(name.value()); joint != joints_.end()) {
      const UrdfJoint& at = parts.joints[joint->second];
      return add_joint_sensor(xml_, node, at.joint.name, at.child, parts.sensors);
    }
    xml_.lose(node,
              fmt::format("sensor '{}' has no joint '{}' and is left out",
                          node.attribute("name").value(), name.value()),
              false);
    return;
  }
  add_sensors(xml_, node, xml_.name_of(node), parent.attribute("link").value(), origin_of(node),
              parts.sensors);
}

}  // namespace

std::optional<RobotModel> read_urdf(std::uint32_t file, RobotFiles& files, Diagnostics& diagnostics,
                                    std::vector<Loss>& losses) {
  pugi::xml_document document;
  if (const auto fault = read_xml(diagnostics.sources().text(file), document)) {
    diagnostics.error({file, static_cast<std::uint32_t>(fault->offset)}, fault->reason);
    return std::nullopt;
  }
  XmlFields xml(file, diagnostics, losses);
  const pugi::xml_node root = document.document_element();
  if (document.find_node(needs_xacro)) {
    xml.fail(root, fmt::format("is a xacro file, which is not expanded here: write `xacro {} > "
                               "robot.urdf`, and name that file",
                               diagnostics.sources().label(file)));
    return std::nullopt;
  }
  if (std::string_view(root.name()) != "robot") {
    xml.fail(root, fmt::format("is no URDF: its first element is <{}>, not <robot>", root.name()));
    return std::nullopt;
  }
  const std::size_t errors = diagnostics.errors();
  UrdfParts parts = UrdfReader(xml, files).read(root);
  return diagnostics.errors() == errors ? tree_of(std::move(parts), diagnostics, losses)
                                        : std::nullopt;
}

}  // namespace servosim::robots
