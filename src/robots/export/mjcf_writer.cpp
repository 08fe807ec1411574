// SPDX-License-Identifier: Apache-2.0
#include "robots/export/mjcf_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "base/files.h"
#include "robots/export/xml_numbers.h"
#include "robots/inertia.h"
#include "robots/joint_inertia.h"
#include "robots/robot_files.h"
#include "scene/scene.h"

namespace servosim::robots {
namespace {

namespace fs = std::filesystem;

constexpr int kGroups = 30;  // bits of masks, without that of all others

/// Returns the quaternion w x y z of a rotation.
std::array<double, 4> quaternion_of(const Mat3& rotation) {
  const AxisAngle turn = axis_angle(rotation);
  const double sine = std::sin(0.5 * turn.angle);
  return {std::cos(0.5 * turn.angle), sine * turn.axis.x, sine * turn.axis.y, sine * turn.axis.z};
}

std::string quaternion_text(const Mat3& rotation) {
  const std::array<double, 4> q = quaternion_of(rotation);
  return numbers_text(q[0], q[1], q[2], q[3]);
}

void set_pose(pugi::xml_node node, const Pose& pose) {
  if (pose.translation != Vec3{}) {
    set(node, "pos", numbers_text(pose.translation));
  }
  if (pose.rotation != Mat3{}) {
    set(node, "quat", quaternion_text(pose.rotation));
  }
}

// MuJoCo reads binary STL and OBJ files.
bool is_mesh_of_mujoco(const std::string& path) {
  const std::string ending = ending_of(path);
  if (ending != ".stl") {
    return ending == ".obj";
  }
  constexpr std::size_t kHeader = 84;  // [bytes], the last four of which count the triangles
  constexpr std::size_t kTriangle = 50;
  const std::string text = read_beginning(path, kHeader);
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error || text.size() < kHeader) {
    return false;
  }
  std::uintmax_t count = 0;
  for (std::size_t i = kHeader; i-- > kHeader - 4;) {
    count = 256 * count + static_cast<unsigned char>(text[i]);
  }
  return size == kHeader + kTriangle * count;
}

// Returns whether all vertices are in one plane, so that they have no convex hull.
bool is_flat(const Mesh& mesh) {
  constexpr double kFlat = 1e-6;  // of its size
  if (mesh.triangles.empty()) {
    return true;
  }
  const Vec3& origin = mesh.vertices[mesh.triangles[0][0]];
  const Vec3 normal = unit_or(cross(mesh.vertices[mesh.triangles[0][1]] - origin,
                                    mesh.vertices[mesh.triangles[0][2]] - origin),
                              {});
  double size = 0.0;
  double height = 0.0;
  for (const Vec3& vertex : mesh.vertices) {
    size = std::max(size, norm(vertex - origin));
    height = std::max(height, std::abs(dot(vertex - origin, normal)));
  }
  return !(height > kFlat * size);
}

// Returns what joint_inertias() needs of a model.
MjcfParts parts_of(const RobotModel& model) {
  MjcfParts parts;
  parts.model = model;
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    const RobotLink& link = model.links[i];
    parts.file_poses.push_back(link.pose);
    for (std::size_t j = 0; j < link.joints.size(); ++j) {
      MjcfJoint joint;
      joint.link = i;
      joint.index = j;
      joint.axis = link.joints[j].axis;
      joint.anchor = link.joints[j].anchor;
      parts.joints.push_back(std::move(joint));
    }
  }
  return parts;
}

class MjcfWriter {
 public:
  MjcfWriter(const RobotModel& model, const std::string& folder, LossKinds& lost)
      : model_(model), folder_(folder), lost_(lost), children_(model.links.size()) {
    for (std::size_t i = 1; i < model.links.size(); ++i) {
      children_[static_cast<std::size_t>(model.links[i].parent)].push_back(i);
      has_groups_ = has_groups_ || model.links[i].group > 0;
    }
  }

  std::string write();

 private:
  void write_settings();
  void write_link(std::size_t link, pugi::xml_node body, bool moves);
  void write_joint(const RobotJoint& joint, pugi::xml_node body);
  void write_inertial(const RobotLink& link, pugi::xml_node body);
  pugi::xml_node write_geom(const LinkShape& shape, bool touches, const std::string& link,
                            pugi::xml_node body);
  std::string mesh_named(const Geometry& geometry, const SourceLocation& where);
  void write_collision(const RobotLink& link, const LinkShape& shape, bool moves,
                       pugi::xml_node body);
  void write_visual(const RobotLink& link, const LinkShape& shape, pugi::xml_node body);
  void write_couplings();
  void write_actuators();
  void write_law(const RobotJoint& joint, const Actuator& actuator, pugi::xml_node all);
  void write_sensors();
  void write_key();
  template <class See>
  void for_each_joint(const See& see) const;

  const RobotModel& model_;
  const std::string& folder_;
  LossKinds& lost_;
  std::vector<std::vector<std::size_t>> children_;
  bool has_groups_ = false;
  bool balances_ = false;  // some inertia belongs to no body
  pugi::xml_document document_;
  pugi::xml_node root_;
  pugi::xml_node assets_;
  std::map<std::tuple<std::string, double, double, double>, std::string> files_;  // names of meshes
  std::map<const Mesh*, std::string> faces_;
  std::set<std::string> mesh_names_;
  std::string positions_;  // of the key
  bool starts_elsewhere_ = false;
};

std::string MjcfWriter::write() {
  root_ = add_element(document_, "mujoco", {{"model", xml_name(model_.name)}});
  balances_ = std::ranges::any_of(model_.links, [](const RobotLink& link) {
    return link.inertial && has_impossible_moments(link.inertial->inertia);
  });
  write_settings();
  assets_ = add_element(root_, "asset");
  write_link(0, add_element(root_, "worldbody"), false);
  if (!assets_.first_child()) {
    root_.remove_child(assets_);
  }
  write_couplings();
  write_actuators();
  write_sensors();
  write_key();
  return xml_text(document_);
}

// Explicit masses count, so that geoms have none.
void MjcfWriter::write_settings() {
  const pugi::xml_node compiler = add_element(root_, "compiler", {{"angle", "radian"}});
  if (balances_) {
    set(compiler, "balanceinertia", "true");
  }
  const pugi::xml_node option = add_element(root_, "option", {{"integrator", "implicitfast"}});
  if (model_.time_step) {
    set(option, "timestep", numbers_text(*model_.time_step));
  }
  if (model_.gravity) {
    set(option, "gravity", numbers_text(*model_.gravity));
  }
  add_element(add_element(root_, "default"), "geom", {{"density", "0"}});
}

// Calls see(joint) in the order of MuJoCo's positions: bodies depth first.
template <class See>
void MjcfWriter::for_each_joint(const See& see) const {
  std::vector<std::size_t> open{0};
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    for (const RobotJoint& joint : model_.links[at].joints) {
      see(joint, model_.links[at]);
    }
    open.insert(open.end(), children_[at].rbegin(), children_[at].rend());
  }
}

void MjcfWriter::write_link(std::size_t number, pugi::xml_node body, bool moves) {
  const RobotLink& link = model_.links[number];
  for (const RobotJoint& joint : link.joints) {
    write_joint(joint, body);
  }
  moves = moves || !link.joints.empty();
  if (moves && link.inertial) {
    write_inertial(link, body);
  }
  for (const LinkShape& shape : link.visuals) {
    write_visual(link, shape, body);
  }
  for (const LinkShape& shape : link.collisions) {
    write_collision(link, shape, moves, body);
  }
  for (const Sensor& sensor : model_.sensors) {
    if (sensor.link == static_cast<int>(number) && sensor.type != SensorType::Altimeter) {
      set_pose(add_element(body, "site", {{"name", xml_name(sensor.name)}}), sensor.pose);
    }
  }
  for (const std::size_t child : children_[number]) {
    const RobotLink& below = model_.links[child];
    const pugi::xml_node inner = add_element(body, "body", {{"name", xml_name(below.name)}});
    set_pose(inner, below.pose);
    write_link(child, inner, moves);
  }
}

void MjcfWriter::write_joint(const RobotJoint& joint, pugi::xml_node body) {
  if (joint.motion == JointMotion::Free) {
    add_element(body, "freejoint", {{"name", xml_name(joint.name)}});
    return;
  }
  const pugi::xml_node node = add_element(body, "joint", {{"name", xml_name(joint.name)}});
  if (joint.motion != JointMotion::Turn) {
    set(node, "type", joint.motion == JointMotion::Slide ? "slide" : "ball");
  }
  if (joint.anchor != Vec3{}) {
    set(node, "pos", numbers_text(joint.anchor));
  }
  if (joint.motion != JointMotion::Ball) {
    set(node, "axis", numbers_text(joint.axis));
  }
  if (joint.range) {
    set(node, "range", numbers_text(*joint.range));
  }
  set_if(node, "stiffness", joint.stiffness);
  set_if(node, "springref", joint.stiffness != 0.0 ? joint.rest : 0.0);
  set_if(node, "damping", joint.damping);
  set_if(node, "frictionloss", joint.friction);
  set_if(node, "armature", joint.armature);
  if (joint.has_own_motor() && joint.effort != kNoLimit) {
    set(node, "actuatorfrcrange", numbers_text(-joint.effort, joint.effort));
  }
}

void MjcfWriter::write_inertial(const RobotLink& link, pugi::xml_node body) {
  const MassProperties& mass = *link.inertial;
  const Mat3& i = mass.inertia;
  if (has_impossible_moments(i)) {
    lost_.add("moments of inertia of which one is above the sum of the others become equal ones",
              link.inertial_where, link.name);
  }
  add_element(
      body, "inertial",
      {{"pos", numbers_text(mass.center)},
       {"mass", numbers_text(mass.mass)},
       {"fullinertia", numbers_text(i(0, 0), i(1, 1), i(2, 2), i(0, 1), i(0, 2), i(1, 2))}});
}

// Returns the name of the mesh in the assets, which it is added to; empty if MuJoCo reads no such
// file.
std::string MjcfWriter::mesh_named(const Geometry& geometry, const SourceLocation& where) {
  const bool has_file = !geometry.file.empty() && is_mesh_of_mujoco(geometry.file);
  if (!has_file && geometry.faces == nullptr) {
    return {};
  }
  const Vec3& scale = geometry.scale;
  std::string& known =
      has_file ? files_[{geometry.file, scale.x, scale.y, scale.z}] : faces_[geometry.faces.get()];
  if (!known.empty()) {
    return known;
  }
  const std::string stem =
      geometry.file.empty() ? "mesh" : xml_name(fs::path(geometry.file).stem().string());
  known = stem;
  for (int n = 2; !mesh_names_.insert(known).second; ++n) {
    known = fmt::format("{}_{}", stem, n);
  }
  // No mass comes from it, so that it need not be closed.
  const pugi::xml_node mesh = add_element(assets_, "mesh", {{"name", known}, {"inertia", "shell"}});
  if (has_file) {
    set(mesh, "file", mesh_path(folder_, geometry.file, where, lost_));
    if (scale != Vec3{1.0, 1.0, 1.0}) {
      set(mesh, "scale", numbers_text(scale));
    }
    return known;
  }
  std::string vertices;
  for (const Vec3& vertex : geometry.faces->vertices) {
    vertices += (vertices.empty() ? "" : " ") + numbers_text(vertex);
  }
  std::string faces;
  for (const auto& corners : geometry.faces->triangles) {
    faces +=
        fmt::format("{}{} {} {}", faces.empty() ? "" : " ", corners[0], corners[1], corners[2]);
  }
  set(mesh, "vertex", vertices);
  set(mesh, "face", faces);
  return known;
}

// Returns nothing for a shape that MuJoCo has not.
pugi::xml_node MjcfWriter::write_geom(const LinkShape& shape, bool touches, const std::string& link,
                                      pugi::xml_node body) {
  const Geometry& geometry = shape.geometry;
  const double half = 0.5 * geometry.length;
  std::string mesh;
  if (geometry.type == GeometryType::Mesh) {
    if (geometry.faces != nullptr && is_flat(*geometry.faces)) {
      lost_.add(touches ? "meshes in one plane touch nothing" : "meshes in one plane are not seen",
                shape.where, link, touches);
      return {};
    }
    mesh = mesh_named(geometry, shape.where);
    if (mesh.empty()) {
      lost_.add("meshes of files that are no STL in binary form and no OBJ are left out",
                shape.where, link, false);
      return {};
    }
  }
  const pugi::xml_node node = add_element(body, "geom");
  switch (geometry.type) {
    case GeometryType::Box:
      set(node, "type", "box");
      set(node, "size", numbers_text(0.5 * geometry.size));
      break;
    case GeometryType::Sphere:
      set(node, "size", numbers_text(geometry.radius));
      break;
    case GeometryType::Cylinder:
    case GeometryType::Capsule:
      set(node, "type", geometry.type == GeometryType::Cylinder ? "cylinder" : "capsule");
      set(node, "size", numbers_text(geometry.radius, half));
      break;
    case GeometryType::Plane:
      set(node, "type", "plane");
      set(node, "size", "0 0 1");
      break;
    case GeometryType::Mesh:
      set(node, "type", "mesh");
      set(node, "mesh", mesh);
      break;
  }
  set_pose(node, shape.pose);
  return node;
}

// Two geoms touch if contype of one and conaffinity of the other have a common bit: those of a
// group have a bit that they do not accept themselves.
void MjcfWriter::write_collision(const RobotLink& link, const LinkShape& shape, bool moves,
                                 pugi::xml_node body) {
  if (shape.geometry.type == GeometryType::Plane && moves) {
    lost_.add("Planes that move are left out", shape.where, link.name);
    return;
  }
  const pugi::xml_node node = write_geom(shape, true, link.name, body);
  if (!node) {
    return;
  }
  set(node, "group", shape.geometry.type == GeometryType::Plane ? "1" : "3");
  if (has_groups_) {
    constexpr std::uint32_t kAll = 0x7fffffff;
    const std::uint32_t bit =
        link.group > 0 ? std::uint32_t{1} << (1 + (link.group - 1) % kGroups) : 1;
    set(node, "contype", fmt::format("{}", bit));
    set(node, "conaffinity", fmt::format("{}", link.group > 0 ? kAll & ~bit : kAll));
    if (link.group > kGroups) {
      lost_.add("more than 30 robots share bits of contype, so that some do not touch", link.where,
                link.name);
    }
  }
  if (shape.contact_friction) {
    set(node, "friction", numbers_text(*shape.contact_friction, 0.005, 0.0001));
  }
  if (shape.friction_wins) {
    set(node, "priority", "1");
  }
}

void MjcfWriter::write_visual(const RobotLink& link, const LinkShape& shape, pugi::xml_node body) {
  const pugi::xml_node node = write_geom(shape, false, link.name, body);
  if (!node) {
    return;
  }
  set(node, "group", "1");
  set(node, "contype", "0");
  set(node, "conaffinity", "0");
  if (shape.material) {
    const Vec3& color = shape.material->color;
    set(node, "rgba", numbers_text(color.x, color.y, color.z, shape.material->opacity));
  }
}

// A tendon of several joints is as long as their sum.
void MjcfWriter::write_couplings() {
  std::vector<const RobotJoint*> followers;
  for_each_joint([&](const RobotJoint& joint, const RobotLink&) {
    if (joint.mimic) {
      followers.push_back(&joint);
    }
  });
  if (followers.empty() && model_.sums.empty()) {
    return;
  }
  if (!model_.sums.empty()) {
    const pugi::xml_node tendons = add_element(root_, "tendon");
    for (std::size_t i = 0; i < model_.sums.size(); ++i) {
      const pugi::xml_node fixed =
          add_element(tendons, "fixed", {{"name", fmt::format("sum{}", i + 1)}});
      for (const JointSum::Term& term : model_.sums[i].terms) {
        add_element(fixed, "joint",
                    {{"joint", xml_name(term.joint)}, {"coef", numbers_text(term.ratio)}});
      }
    }
  }
  const pugi::xml_node equality = add_element(root_, "equality");
  for (const RobotJoint* const joint : followers) {
    const Mimic& mimic = *joint->mimic;
    add_element(equality, "joint",
                {{"joint1", xml_name(joint->name)},
                 {"joint2", xml_name(mimic.leader)},
                 {"polycoef", numbers_text(mimic.offset, mimic.multiplier, 0.0, 0.0, 0.0)}});
  }
  for (std::size_t i = 0; i < model_.sums.size(); ++i) {
    add_element(equality, "tendon",
                {{"tendon1", fmt::format("sum{}", i + 1)},
                 {"polycoef", numbers_text(model_.sums[i].offset, 0.0, 0.0, 0.0, 0.0)}});
  }
}

// A motor of Webots holds a speed that its position asks for, within its force. The nearest law is
// a servo whose damping is as large as a step allows: kv = I/h and kp = P·kv, with the inertia I
// that the joint feels and the step h.
void MjcfWriter::write_actuators() {
  const MjcfParts parts = parts_of(model_);
  const std::vector<double> inertias = joint_inertias(parts);
  std::map<const RobotJoint*, double> inertia_of;
  for (std::size_t i = 0; i < parts.joints.size(); ++i) {
    const MjcfJoint& of = parts.joints[i];
    inertia_of[&model_.links[of.link].joints[of.index]] = inertias.empty() ? 0.0 : inertias[i];
  }
  pugi::xml_node all;
  for_each_joint([&](const RobotJoint& joint, const RobotLink&) {
    if (!joint.has_own_motor()) {
      return;
    }
    all = all ? all : add_element(root_, "actuator");
    if (!joint.actuators.empty()) {
      write_law(joint, joint.actuators.front(), all);
      return;
    }
    if (joint.velocity != kNoLimit) {
      lost_.add("maxVelocity of motors is left out", joint.where, joint.motor_name);
    }
    const double inertia = inertia_of[&joint] > 0.0 ? inertia_of[&joint] : 1.0;
    Actuator servo;
    servo.by_velocity = -inertia / model_.time_step.value_or(0.002);
    servo.gain = -joint.proportional * servo.by_velocity;
    servo.by_position = -servo.gain;
    servo.command = joint.target_range ? joint.target_range : joint.range;
    write_law(joint, servo, all);
  });
}

void MjcfWriter::write_law(const RobotJoint& joint, const Actuator& law, pugi::xml_node all) {
  const bool is_plain = law.offset == 0.0 && law.by_position <= 0.0 && law.by_velocity <= 0.0;
  const bool follows = is_plain && law.by_position < 0.0 && law.gain == -law.by_position;
  const bool turns =
      is_plain && law.by_position == 0.0 && law.by_velocity < 0.0 && law.gain == -law.by_velocity;
  const bool pushes =
      is_plain && law.by_position == 0.0 && law.by_velocity == 0.0 && law.gain == 1.0;
  const pugi::xml_node node =
      add_element(all,
                  follows  ? "position"
                  : turns  ? "velocity"
                  : pushes ? "motor"
                           : "general",
                  {{"name", xml_name(joint.motor_name)}, {"joint", xml_name(joint.name)}});
  if (follows) {
    set(node, "kp", numbers_text(law.gain));
    set(node, "kv", numbers_text(-law.by_velocity));
  } else if (turns) {
    set(node, "kv", numbers_text(law.gain));
  } else if (!pushes) {
    set(node, "biastype", "affine");
    set(node, "gainprm", numbers_text(law.gain));
    set(node, "biasprm", numbers_text(law.offset, law.by_position, law.by_velocity));
  }
  if (law.gear != 1.0) {
    set(node, "gear", numbers_text(law.gear));
  }
  if (law.command && law.command->lower < law.command->upper) {
    set(node, "ctrlrange", numbers_text(*law.command));
  }
}

void MjcfWriter::write_sensors() {
  pugi::xml_node all;
  const auto add = [&](const char* kind) {
    all = all ? all : add_element(root_, "sensor");
    return add_element(all, kind);
  };
  for_each_joint([&](const RobotJoint& joint, const RobotLink&) {
    if (!joint.sensor_name.empty()) {
      const pugi::xml_node node = add("jointpos");
      set(node, "name", xml_name(joint.sensor_name));
      set(node, "joint", xml_name(joint.name));
    }
  });
  for (const Sensor& sensor : model_.sensors) {
    constexpr std::array<std::pair<SensorType, const char*>, 5> kKinds{
        {{SensorType::Accelerometer, "accelerometer"},
         {SensorType::Gyro, "gyro"},
         {SensorType::Compass, "magnetometer"},
         {SensorType::InertialUnit, "framequat"},
         {SensorType::Gps, "framepos"}}};
    if (sensor.type == SensorType::ForceTorque) {
      lost_.add("forceTorqueSensors become sensors of the opposite sign", sensor.where, sensor.name,
                false);
      for (const char* const part : {"force", "torque"}) {
        const pugi::xml_node node = add(part);
        set(node, "name", fmt::format("{} {}", xml_name(sensor.name), part));
        set(node, "site", xml_name(sensor.name));
      }
      continue;
    }
    const auto kind = std::ranges::find(kKinds, sensor.type, &decltype(kKinds)::value_type::first);
    if (kind == kKinds.end()) {
      lost_.add("Altimeters are left out", sensor.where, sensor.name, false);
      continue;
    }
    const pugi::xml_node node = add(kind->second);
    const bool is_frame = sensor.type == SensorType::InertialUnit || sensor.type == SensorType::Gps;
    set(node, "name", xml_name(sensor.name));
    if (is_frame) {
      set(node, "objtype", "site");
    }
    set(node, is_frame ? "objname" : "site", xml_name(sensor.name));
  }
}

void MjcfWriter::write_key() {
  for_each_joint([&](const RobotJoint& joint, const RobotLink& link) {
    positions_ += positions_.empty() ? "" : " ";
    if (joint.motion == JointMotion::Free) {
      positions_ += numbers_text(link.pose.translation) + ' ' + quaternion_text(link.pose.rotation);
    } else if (joint.motion == JointMotion::Ball) {
      positions_ += "1 0 0 0";
    } else {
      positions_ += numbers_text(joint.start);
      starts_elsewhere_ = starts_elsewhere_ || joint.start != 0.0;
    }
  });
  if (starts_elsewhere_) {
    add_element(add_element(root_, "keyframe"), "key", {{"name", "home"}, {"qpos", positions_}});
  }
}

}  // namespace

std::string mjcf_of(const RobotModel& model, const std::string& folder, LossKinds& lost) {
  return MjcfWriter(model, folder, lost).write();
}

}  // namespace servosim::robots
