// SPDX-License-Identifier: Apache-2.0
#include "robots/sdf_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <list>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "robots/inertia.h"
#include "robots/link_parts.h"
#include "robots/robot_names.h"
#include "robots/sdf_files.h"
#include "robots/sdf_frames.h"
#include "robots/sdf_values.h"
#include "robots/urdf_tree.h"
#include "robots/xml_fields.h"

namespace servosim::robots {
namespace {

constexpr double kNoSdfLimit = 1e16;  // a limit that is as far away, or farther, is none
constexpr std::size_t kMaxSdfModels = 10'000;
constexpr std::size_t kMaxSdfLinks = 10'000;
constexpr int kMaxSdfDepth = 20;  // of models in models

/// A model of the file, or of a file that it includes.
struct SdfModel {
  pugi::xml_node node;
  std::string prefix;  // of the names in it, such as `arm::hand::`
  std::string frame;   // its own
  double minor = 9.0;  // of version 1.minor
  bool is_static = false;
};

// Returns the frame of a joint, which no other element can name.
std::string joint_frame(const SdfModel& model, const std::string& name) {
  return model.prefix + name + "::__joint__";
}

/// What a link is made of, while it is read.
struct SdfLink {
  RobotLink link;
  std::string name;  // of its frame
  const SdfModel* model = nullptr;
};

/// An axis of a joint.
struct SdfAxis {
  RobotJoint joint;
  Vec3 xyz{0.0, 0.0, 1.0};
  std::string expressed_in;  // as in the file
  bool in_model = false;     // use_parent_model_frame
};

struct SdfJoint {
  SdfAxis first;
  SdfAxis second;
  bool has_second = false;
  std::string parent;
  std::string child;
};

/// Reads the elements of an SDF into the parts of a robot.
class SdfReader {
 public:
  SdfReader(XmlFields& xml, RobotFiles& files)
      : xml_(xml), files_(files), included_(xml, files), frames_(xml) {}

  bool read(pugi::xml_node sdf);
  std::optional<RobotModel> finish(Diagnostics& diagnostics, std::vector<Loss>& losses);

 private:
  template <class Target>
  using Row = ElementRow<SdfReader, Target>;
  template <class Target, std::size_t n>
  void read_elements(pugi::xml_node parent, Target& target, const Row<Target> (&rows)[n],
                     Unknown unknown = Unknown::Lose) {
    robots::read_elements(*this, xml_, parent, target, rows, unknown);
  }

  Pose pose_in_link(pugi::xml_node parent, const SdfLink& link);
  std::string in_scope(const std::string& name, const std::string& prefix,
                       const std::string& frame) const;
  std::string frame_of_pose(pugi::xml_node parent, const std::string& prefix,
                            const std::string& frame, const std::string& usual) const;

  void read_world(pugi::xml_node world);
  void gather_model(pugi::xml_node node, pugi::xml_node placed, const std::string& name,
                    const SdfModel& around, int depth);
  void gather_parts(const SdfModel& model, int depth);
  void gather_include(pugi::xml_node node, const SdfModel& around, int depth);
  void add_frame(pugi::xml_node node, const std::string& name, const Pose& pose,
                 const std::string& relative_to, const std::string& holder);

  void read_link(pugi::xml_node node, const SdfModel& model);
  void read_inertial(pugi::xml_node node, SdfLink& link);
  void read_visual(pugi::xml_node node, SdfLink& link);
  void read_collision(pugi::xml_node node, SdfLink& link);
  void read_link_sensor(pugi::xml_node node, SdfLink& link);
  void read_gravity(pugi::xml_node node, SdfLink& link);
  void read_decay(pugi::xml_node node, SdfLink& link);
  void read_kinematic(pugi::xml_node node, SdfLink& link);
  void read_self_contact(pugi::xml_node node, SdfLink& link);

  void read_joint(pugi::xml_node node, const SdfModel& model);
  void read_parent(pugi::xml_node node, SdfJoint& joint) { joint.parent = sdf_text(node); }
  void read_child(pugi::xml_node node, SdfJoint& joint) { joint.child = sdf_text(node); }
  void read_axis(pugi::xml_node node, SdfJoint& joint) { read_axis_into(node, joint.first); }
  void read_second_axis(pugi::xml_node node, SdfJoint& joint) {
    read_axis_into(node, joint.second);
    joint.has_second = true;
  }
  void read_axis_into(pugi::xml_node node, SdfAxis& axis);
  void read_xyz(pugi::xml_node node, SdfAxis& axis);
  void read_limit(pugi::xml_node node, SdfAxis& axis);
  void read_dynamics(pugi::xml_node node, SdfAxis& axis);
  void read_mimic(pugi::xml_node node, SdfAxis& axis);
  void read_model_frame(pugi::xml_node node, SdfAxis& axis) {
    axis.in_model = is_true(node.text().get());
  }
  void read_start(pugi::xml_node node, SdfAxis& axis) { axis.joint.start = xml_.number_in(node); }
  void add_joint(pugi::xml_node node, const SdfModel& model, SdfJoint& joint);
  void place_axis(pugi::xml_node node, const SdfModel& model, const std::string& frame,
                  const Pose& child, SdfAxis& axis);
  void read_plugin(pugi::xml_node node, const SdfModel& model);
  void hang_roots();
  std::string shown(const std::string& name) const;

  XmlFields& xml_;
  RobotFiles& files_;
  SdfFiles included_;
  SdfFrames frames_;
  std::list<SdfModel> models_;  // their addresses stay
  std::size_t tops_ = 0;
  std::string top_prefix_;  // of the only model at the top, which names do not have
  UrdfParts parts_;
  std::map<std::string, std::size_t> links_;  // by the names of their frames
  std::set<std::string> joints_;              // names
  std::set<std::string> held_;                // links that are the child of a joint
  std::map<std::string, bool> is_static_;     // by link, as shown
  bool in_world_ = false;
  bool is_placed_ = false;
  bool touches_itself_ = false;
  std::optional<Vec3> gravity_;
  std::optional<double> time_step_;
};

// Returns the name, from the world on, of a frame that is named in a model.
std::string SdfReader::in_scope(const std::string& name, const std::string& prefix,
                                const std::string& frame) const {
  if (name == "__model__") {
    return frame;
  }
  if (name == "world" && !frames_.contains(prefix + name)) {
    return {};
  }
  return prefix + name;
}

std::string SdfReader::frame_of_pose(pugi::xml_node parent, const std::string& prefix,
                                     const std::string& frame, const std::string& usual) const {
  const std::string name = parent.child("pose").attribute("relative_to").value();
  return name.empty() ? usual : in_scope(name, prefix, frame);
}

// Returns the pose of a part of a link in the frame of the link.
Pose SdfReader::pose_in_link(pugi::xml_node parent, const SdfLink& link) {
  const std::string frame = frame_of_pose(parent, link.model->prefix, link.model->frame, link.name);
  const Pose pose = sdf_pose(xml_, parent);
  return frame == link.name
             ? pose
             : inverse(frames_.pose(link.name, parent)) * frames_.pose(frame, parent) * pose;
}

// Returns a name without the model at the top, if there is only one, and with `/` for `::`, by
// which a world would couple motors.
std::string SdfReader::shown(const std::string& name) const {
  std::string text =
      tops_ == 1 && name.starts_with(top_prefix_) ? name.substr(top_prefix_.size()) : name;
  for (std::size_t at = text.find("::"); at != std::string::npos; at = text.find("::", at)) {
    text.replace(at, 2, "/");
  }
  return text;
}

// Models and their frames.

bool SdfReader::read(pugi::xml_node sdf) {
  parts_.where = xml_.place(sdf);
  SdfModel around;
  around.minor = sdf_minor_version(sdf);
  pugi::xml_node world = sdf.child("world");
  in_world_ = static_cast<bool>(world);
  const pugi::xml_node top = world ? world : sdf;
  if (world) {
    read_world(world);
  }
  tell_of_unused(xml_, top);
  for (const pugi::xml_node node : top.children()) {
    const std::string_view name = node.name();
    if (name == "model") {
      gather_model(node, node, sdf_name(xml_, node, around.minor), around, 0);
    } else if (name == "include") {
      gather_include(node, around, 0);
    } else if (name == "frame" && world) {
      const std::string own = sdf_name(xml_, node, around.minor);
      const std::string holder = node.attribute("attached_to").value();
      add_frame(node, own, sdf_pose(xml_, node), frame_of_pose(node, "", "", holder), holder);
    }
  }
  for (pugi::xml_node other = world.next_sibling("world"); other;
       other = other.next_sibling("world")) {
    xml_.lose(other, "a second world is left out", true);
  }
  if (models_.empty()) {
    xml_.fail(sdf, "has no model");
    return false;
  }
  parts_.name = tops_ == 1 ? models_.front().frame : std::string(world.attribute("name").value());
  parts_.name = parts_.name.empty() ? "robot" : parts_.name;
  top_prefix_ = tops_ == 1 ? models_.front().prefix : "";
  for (const SdfModel& model : models_) {
    for (const pugi::xml_node link : model.node.children("link")) {
      read_link(link, model);
    }
  }
  for (const SdfModel& model : models_) {
    constexpr Row<const SdfModel> kRows[] = {{"joint", &SdfReader::read_joint},
                                             {"plugin", &SdfReader::read_plugin},
                                             {"link", nullptr},
                                             {"model", nullptr},
                                             {"include", nullptr},
                                             {"frame", nullptr},
                                             {"pose", nullptr},
                                             {"static", nullptr},
                                             {"self_collide", nullptr},
                                             {"allow_auto_disable", nullptr},
                                             {"enable_wind", nullptr},
                                             {"gripper", nullptr},
                                             {"model_state", nullptr}};
    read_elements(model.node, model, kRows);
    tell_of_unused(xml_, model.node);
  }
  hang_roots();
  return true;
}

// The <physics> that is the default one counts, or else the first one.
void SdfReader::read_world(pugi::xml_node world) {
  gravity_ = sdf_vector(xml_, world, "gravity", {0.0, 0.0, -9.8});
  pugi::xml_node physics = world.child("physics");
  for (const pugi::xml_node other : world.children("physics")) {
    if (is_true(other.attribute("default").value())) {
      physics = other;
      break;
    }
  }
  for (const pugi::xml_node other : world.children("physics")) {
    if (other != physics) {
      xml_.lose(other, "<physics> beside the default one has no effect", false);
    }
  }
  const double step = sdf_number(xml_, physics, "max_step_size", 0.001);
  if (!(step > 0.0 && step <= 1.0)) {
    xml_.fail(physics, "max_step_size should be above 0 and at most 1 s");
  }
  time_step_ = step;
  is_placed_ = true;
}

void SdfReader::add_frame(pugi::xml_node node, const std::string& name, const Pose& pose,
                          const std::string& relative_to, const std::string& holder) {
  if (!frames_.add(name, pose, relative_to, holder, node)) {
    xml_.fail(node, fmt::format("a second frame, link, joint or model is called '{:.100}'", name));
  }
}

// @param placed  the element that has the pose and says whether the model is static
void SdfReader::gather_model(pugi::xml_node node, pugi::xml_node placed, const std::string& name,
                             const SdfModel& around, int depth) {
  if (depth > kMaxSdfDepth || models_.size() >= kMaxSdfModels) {
    xml_.fail(node, fmt::format("there are at most {} models, which nest at most {} deep",
                                kMaxSdfModels, kMaxSdfDepth));
    return;
  }
  SdfModel model;
  model.node = node;
  model.frame = around.prefix + name;
  model.prefix = model.frame + "::";
  model.minor = around.minor;
  const pugi::xml_node fixed = placed.child("static") ? placed : node;
  model.is_static = around.is_static || is_true(fixed.child("static").text().get());
  tops_ += depth == 0 ? 1 : 0;
  const pugi::xml_node posed = placed.child("pose") ? placed : node;
  is_placed_ = is_placed_ || (depth == 0 && posed.child("pose"));
  touches_itself_ = touches_itself_ || is_true(node.child("self_collide").text().get());
  const std::string first = node.child("link").attribute("name").value();
  const std::string canonical = node.attribute("canonical_link").value();
  const std::string holder = canonical.empty() ? first : canonical;
  if (placed.child("placement_frame") || node.attribute("placement_frame")) {
    xml_.lose(placed,
              fmt::format("placement_frame of model '{}' has no effect: its own frame is "
                          "at the pose",
                          name),
              true);
  }
  add_frame(node, model.frame, sdf_pose(xml_, posed),
            frame_of_pose(posed, around.prefix, around.frame, around.frame),
            holder.empty() ? "" : model.prefix + holder);
  models_.push_back(std::move(model));
  gather_parts(models_.back(), depth);
}

void SdfReader::gather_parts(const SdfModel& model, int depth) {
  const auto scoped = [&](const std::string& name) {
    return in_scope(name, model.prefix, model.frame);
  };
  for (const pugi::xml_node node : model.node.children()) {
    const std::string_view kind = node.name();
    if (kind == "link") {
      add_frame(node, model.prefix + sdf_name(xml_, node, model.minor), sdf_pose(xml_, node),
                frame_of_pose(node, model.prefix, model.frame, model.frame), "");
    } else if (kind == "frame") {
      const std::string given = node.attribute("attached_to").value();
      const std::string holder = given.empty() ? model.frame : scoped(given);
      add_frame(node, model.prefix + sdf_name(xml_, node, model.minor), sdf_pose(xml_, node),
                frame_of_pose(node, model.prefix, model.frame, holder), holder);
    } else if (kind == "joint") {
      const std::string child = scoped(sdf_text(node, "child"));
      frames_.add(joint_frame(model, sdf_name(xml_, node, model.minor)), sdf_pose(xml_, node),
                  frame_of_pose(node, model.prefix, model.frame, child), child, node);
    } else if (kind == "model") {
      gather_model(node, node, sdf_name(xml_, node, model.minor), model, depth + 1);
    } else if (kind == "include") {
      gather_include(node, model, depth + 1);
    }
  }
  // Up to 1.6 a joint may have the name of a link, which others then mean.
  for (const pugi::xml_node node : model.node.children("joint")) {
    const std::string name = node.attribute("name").value();
    frames_.add(model.prefix + name, {}, joint_frame(model, name), joint_frame(model, name), node);
  }
}

void SdfReader::gather_include(pugi::xml_node node, const SdfModel& around, int depth) {
  tell_of_unused(xml_, node);
  if (depth > kMaxSdfDepth) {
    xml_.fail(node, fmt::format("models nest at most {} deep", kMaxSdfDepth));
    return;
  }
  SdfModel in = around;
  const pugi::xml_node model = included_.model(node, in.minor);
  if (!model) {
    return;
  }
  if (is_true(node.attribute("merge").value())) {
    xml_.diagnostics().info(xml_.place(node),
                            "the names in a merged model have the name of that model before them");
  }
  const std::string given = sdf_text(node, "name");
  if (!given.empty()) {
    check_sdf_name(xml_, node, given, around.minor);
  }
  gather_model(model, node, given.empty() ? sdf_name(xml_, model, in.minor) : given, in, depth);
}

// Links.

void SdfReader::read_link(pugi::xml_node node, const SdfModel& model) {
  if (parts_.links.size() >= kMaxSdfLinks) {
    if (parts_.links.size() == kMaxSdfLinks && !parts_.links.empty()) {
      xml_.fail(node, fmt::format("there are at most {} links", kMaxSdfLinks));
    }
    return;
  }
  SdfLink link;
  link.name = model.prefix + node.attribute("name").value();
  link.model = &model;
  link.link.name = shown(link.name);
  link.link.where = link.link.inertial_where = xml_.place(node);
  link.link.pose = frames_.pose(link.name, node);
  constexpr Row<SdfLink> kRows[] = {{"inertial", &SdfReader::read_inertial},
                                    {"visual", &SdfReader::read_visual},
                                    {"collision", &SdfReader::read_collision},
                                    {"sensor", &SdfReader::read_link_sensor},
                                    {"gravity", &SdfReader::read_gravity},
                                    {"velocity_decay", &SdfReader::read_decay},
                                    {"pose", nullptr},
                                    {"self_collide", &SdfReader::read_self_contact},
                                    {"kinematic", &SdfReader::read_kinematic},
                                    {"must_be_base_link", nullptr},
                                    {"enable_wind", nullptr},
                                    {"light", nullptr},
                                    {"projector", nullptr},
                                    {"audio_sink", nullptr},
                                    {"audio_source", nullptr},
                                    {"battery", nullptr},
                                    {"particle_emitter", nullptr}};
  read_elements(node, link, kRows);
  if (!node.child("inertial")) {  // by the format
    link.link.inertial = MassProperties{1.0, {}, diagonal(1.0, 1.0, 1.0)};
  }
  if (!links_.emplace(link.name, parts_.links.size()).second) {
    return;  // add_frame() has reported it
  }
  if (!is_static_.emplace(link.link.name, model.is_static).second) {
    xml_.fail(node, fmt::format("a second link is called '{:.100}'", link.link.name));
  }
  parts_.links.push_back(std::move(link.link));
}

void SdfReader::read_inertial(pugi::xml_node node, SdfLink& link) {
  MassProperties mass;
  const pugi::xml_node inertia = node.child("inertia");
  const auto moment = [&](const char* name, double otherwise) {
    return sdf_number(xml_, inertia, name, otherwise);
  };
  mass.mass = sdf_number(xml_, node, "mass", 1.0);
  const double xy = moment("ixy", 0.0);
  const double xz = moment("ixz", 0.0);
  const double yz = moment("iyz", 0.0);
  mass.inertia = {
      {moment("ixx", 1.0), xy, xz, xy, moment("iyy", 1.0), yz, xz, yz, moment("izz", 1.0)}};
  link.link.inertial_where = xml_.place(node);
  if (is_true(node.attribute("auto").value())) {
    xml_.lose(node,
              fmt::format("the mass of link '{}' is not computed from its collisions; that of the "
                          "file, or 1 kg, is used",
                          link.link.name),
              true);
  }
  if (!(mass.mass >= 0.0 && mass.mass <= kHeaviestBody)) {
    xml_.fail(node, fmt::format("the mass {} of link '{}' must be from 0 to 1e15 kg", mass.mass,
                                link.link.name));
  } else if (has_huge_moment(mass.inertia)) {
    xml_.fail(node,
              fmt::format("the inertia of link '{}' must be below 1e30 kg m^2", link.link.name));
  } else if (mass.mass > 0.0) {
    link.link.inertial = placed(mass, pose_in_link(node, link));
  }
}

void SdfReader::read_visual(pugi::xml_node node, SdfLink& link) {
  LinkShape shape;
  shape.where = xml_.place(node);
  shape.pose = pose_in_link(node, link);
  if (node.child("material")) {
    shape.material = sdf_material(xml_, node);
  }
  if (read_sdf_geometry(xml_, files_, node, false, shape.geometry)) {
    link.link.visuals.push_back(std::move(shape));
  }
}

void SdfReader::read_collision(pugi::xml_node node, SdfLink& link) {
  LinkShape shape;
  shape.where = xml_.place(node);
  shape.pose = pose_in_link(node, link);
  if (read_sdf_geometry(xml_, files_, node, true, shape.geometry)) {
    link.link.collisions.push_back(std::move(shape));
  }
  read_sdf_friction(xml_, node, link.link);
}

void SdfReader::read_link_sensor(pugi::xml_node node, SdfLink& link) {
  add_sensors(xml_, node, xml_.name_of(node), link.link.name, pose_in_link(node, link),
              parts_.sensors);
}

void SdfReader::read_gravity(pugi::xml_node node, SdfLink& link) {
  if (!is_true(node.text().get())) {
    xml_.lose(node, fmt::format("gravity also acts on link '{}'", link.link.name), true);
  }
}

void SdfReader::read_decay(pugi::xml_node node, SdfLink& link) {
  if (sdf_number(xml_, node, "linear", 0.0) != 0.0 ||
      sdf_number(xml_, node, "angular", 0.0) != 0.0) {
    xml_.lose(node, fmt::format("velocity_decay of link '{}' has no effect", link.link.name), true);
  }
}

void SdfReader::read_kinematic(pugi::xml_node node, SdfLink& link) {
  if (is_true(node.text().get())) {
    xml_.lose(node, fmt::format("forces move link '{}', although it is kinematic", link.link.name),
              true);
  }
}

void SdfReader::read_self_contact(pugi::xml_node node, SdfLink& link) {
  if (is_true(node.text().get()) != touches_itself_) {
    xml_.lose(node,
              fmt::format("self_collide of link '{}' has no effect: that of the model decides",
                          link.link.name),
              true);
  }
}

void SdfReader::read_plugin(pugi::xml_node node, const SdfModel& /*model*/) {
  xml_.lose(node,
            fmt::format("the plugin '{}' of Gazebo is not run", node.attribute("filename").value()),
            false);
}

// Joints.

void SdfReader::read_joint(pugi::xml_node node, const SdfModel& model) {
  SdfJoint joint;
  constexpr Row<SdfJoint> kRows[] = {{"parent", &SdfReader::read_parent},
                                     {"child", &SdfReader::read_child},
                                     {"axis", &SdfReader::read_axis},
                                     {"axis2", &SdfReader::read_second_axis},
                                     {"sensor", nullptr},  // add_joint() reads them
                                     {"pose", nullptr},
                                     {"physics", nullptr},
                                     {"gearbox_ratio", nullptr},
                                     {"gearbox_reference_body", nullptr},
                                     {"thread_pitch", nullptr},
                                     {"screw_thread_pitch", nullptr}};
  joint.first.joint.name = shown(model.prefix + xml_.name_of(node));
  joint.second.joint.name = joint.first.joint.name + " 2";
  joint.first.joint.where = joint.second.joint.where = xml_.place(node);
  read_elements(node, joint, kRows);
  if (!joints_.insert(joint.first.joint.name).second) {
    xml_.fail(node, fmt::format("a second joint is called '{}'", joint.first.joint.name));
  }
  add_joint(node, model, joint);
}

void SdfReader::read_axis_into(pugi::xml_node node, SdfAxis& axis) {
  constexpr Row<SdfAxis> kRows[] = {{"xyz", &SdfReader::read_xyz},
                                    {"limit", &SdfReader::read_limit},
                                    {"dynamics", &SdfReader::read_dynamics},
                                    {"mimic", &SdfReader::read_mimic},
                                    {"use_parent_model_frame", &SdfReader::read_model_frame},
                                    {"initial_position", &SdfReader::read_start}};
  read_elements(node, axis, kRows);
}

void SdfReader::read_xyz(pugi::xml_node node, SdfAxis& axis) {
  std::array<double, 3> v{};
  if (xml_.numbers_in(node, v)) {
    axis.xyz = unit_or({v[0], v[1], v[2]}, {});
    if (axis.xyz == Vec3{}) {
      xml_.fail(node, fmt::format("the axis of joint '{}' is a null vector", axis.joint.name));
    }
  }
  axis.expressed_in = node.attribute("expressed_in").value();
}

void SdfReader::read_limit(pugi::xml_node node, SdfAxis& axis) {
  RobotJoint& joint = axis.joint;
  constexpr double kStiffness = 1e8;  // by the format
  if (sdf_number(xml_, node, "stiffness", kStiffness) != kStiffness ||
      sdf_number(xml_, node, "dissipation", 1.0) != 1.0) {
    xml_.lose(node,
              fmt::format("stiffness and dissipation of <limit> of joint '{}' have no effect",
                          joint.name),
              true);
  }
  double lower = sdf_number(xml_, node, "lower", -kNoSdfLimit);
  double upper = sdf_number(xml_, node, "upper", kNoSdfLimit);
  if (lower > upper) {
    xml_.lose(node,
              fmt::format("the lower limit {} of joint '{}' is above the upper one, {}; they are "
                          "exchanged",
                          lower, joint.name, upper),
              true);
    std::swap(lower, upper);
  }
  if (lower > -kNoSdfLimit || upper < kNoSdfLimit) {
    joint.range = Range{std::clamp(lower, -kMaxFileJointPosition, kMaxFileJointPosition),
                        std::clamp(upper, -kMaxFileJointPosition, kMaxFileJointPosition)};
  }
  const double effort = sdf_number(xml_, node, "effort", -1.0);
  const double velocity = sdf_number(xml_, node, "velocity", -1.0);
  if (effort == 0.0) {
    joint.has_motor = false;
  }
  joint.effort = effort > 0.0 ? effort : kNoLimit;
  joint.velocity = velocity > 0.0 ? velocity : kNoLimit;
}

void SdfReader::read_dynamics(pugi::xml_node node, SdfAxis& axis) {
  const auto passive = [&](const char* name) {
    const double value = sdf_number(xml_, node, name, 0.0);
    if (!(value >= 0.0) || std::isinf(value)) {
      xml_.lose(node,
                fmt::format("{} {} of joint '{}' must be 0 or more, and finite; 0 is used", name,
                            value, axis.joint.name),
                true);
      return 0.0;
    }
    return value;
  };
  axis.joint.damping = passive("damping");
  axis.joint.friction = passive("friction");
  axis.joint.stiffness = passive("spring_stiffness");
  axis.joint.rest = sdf_number(xml_, node, "spring_reference", 0.0);
  if (!(std::abs(axis.joint.rest) < kMaxFileJointPosition)) {
    xml_.fail(node, fmt::format("spring_reference of joint '{}' is too large", axis.joint.name));
  }
}

// q = multiplier·(leader − reference) + offset.
void SdfReader::read_mimic(pugi::xml_node node, SdfAxis& axis) {
  const double multiplier = sdf_number(xml_, node, "multiplier", 1.0);
  const double offset = sdf_number(xml_, node, "offset", 0.0);
  const double reference = sdf_number(xml_, node, "reference", 0.0);
  if (!std::isfinite(multiplier) || !std::isfinite(offset) || !std::isfinite(reference)) {
    xml_.fail(node, fmt::format("the numbers of <mimic> of joint '{}' should be finite",
                                axis.joint.name));
    return;
  }
  const bool of_second = std::string_view(node.attribute("axis").value()) == "axis2";
  axis.joint.mimic = Mimic{std::string(node.attribute("joint").value()) + (of_second ? " 2" : ""),
                           multiplier, offset - multiplier * reference};
}

// Sets the axis and the anchor in the frame of the child.
void SdfReader::place_axis(pugi::xml_node node, const SdfModel& model, const std::string& frame,
                           const Pose& child, SdfAxis& axis) {
  const Pose at = frames_.pose(frame, node);
  const bool in_model = axis.in_model || (model.minor < 5.0 && axis.expressed_in.empty());
  const std::string of_axis = in_model ? model.frame
                              : axis.expressed_in.empty()
                                  ? frame
                                  : in_scope(axis.expressed_in, model.prefix, model.frame);
  const Mat3 to_child = transposed(child.rotation);
  axis.joint.axis =
      unit_or(to_child * (frames_.pose(of_axis, node).rotation * axis.xyz), {0.0, 0.0, 1.0});
  axis.joint.anchor = inverse(child) * at.translation;
  if (axis.joint.range) {
    axis.joint.start =
        std::clamp(axis.joint.start, axis.joint.range->lower, axis.joint.range->upper);
  }
  if (axis.joint.mimic) {
    axis.joint.mimic->leader = shown(model.prefix + axis.joint.mimic->leader);
  }
}

void SdfReader::add_joint(pugi::xml_node node, const SdfModel& model, SdfJoint& joint) {
  struct Type {
    std::string_view name;
    JointMotion motion;
    int axes;
  };
  constexpr std::array<Type, 8> kTypes{{{"fixed", JointMotion::Turn, 0},
                                        {"ball", JointMotion::Ball, 0},
                                        {"revolute", JointMotion::Turn, 1},
                                        {"continuous", JointMotion::Turn, 1},
                                        {"prismatic", JointMotion::Slide, 1},
                                        {"revolute2", JointMotion::Turn, 2},
                                        {"universal", JointMotion::Turn, 2},
                                        {"screw", JointMotion::Turn, 0}}};
  const std::string_view given = node.attribute("type").value();
  const std::string& name = joint.first.joint.name;
  if (given == "gearbox") {
    xml_.lose(node, fmt::format("the gearbox '{}' is left out", name), true);
    return;
  }
  const auto type = std::ranges::find(kTypes, given, &Type::name);
  if (type == kTypes.end()) {
    std::vector<std::string_view> names;
    std::ranges::transform(kTypes, std::back_inserter(names), &Type::name);
    xml_.fail(node, fmt::format("joint '{}' has the type '{:.60}', which does not exist{}", name,
                                given, did_you_mean(given, names)));
    return;
  }
  const auto end_of = [&](const std::string& end) {
    return frames_.link_of(in_scope(end, model.prefix, model.frame));
  };
  const std::string child = end_of(joint.child);
  const std::string parent = end_of(joint.parent);
  for (const auto& [link, what, text] :
       {std::tuple(child, "child", joint.child), std::tuple(parent, "parent", joint.parent)}) {
    const bool is_world = link.empty() && text == "world";
    if (!links_.contains(link) && !(is_world && std::string_view(what) == "parent")) {
      xml_.fail(node, fmt::format("the {} '{:.100}' of joint '{}' is no link", what, text, name));
      return;
    }
  }
  if (child == parent) {
    xml_.fail(node, fmt::format("joint '{}' connects a link with itself", name));
    return;
  }
  if (model.is_static) {
    return;  // nothing moves there
  }
  if (!held_.insert(child).second) {
    xml_.lose(node, fmt::format("joint '{}' closes a loop and is left out", name), true);
    return;
  }
  for (const pugi::xml_node sensor : node.children("sensor")) {
    add_joint_sensor(xml_, sensor, name, shown(child), parts_.sensors);
  }
  const Pose at = frames_.pose(child, node);
  UrdfJoint made;
  made.parent = parent.empty() ? "world" : shown(parent);
  made.child = shown(child);
  made.origin = parent.empty() ? at : inverse(frames_.pose(parent, node)) * at;
  made.is_fixed = type->axes == 0 && type->motion != JointMotion::Ball;
  if (given == "screw") {
    xml_.lose(node, fmt::format("the screw '{}' does not move", name), true);
  }
  const std::string frame = joint_frame(model, node.attribute("name").value());
  place_axis(node, model, frame, at, joint.first);
  made.joint = std::move(joint.first.joint);
  made.joint.motion = type->motion;
  if (type->axes == 0) {
    made.joint.range.reset();
    made.joint.mimic.reset();
  }
  if (type->axes == 2) {
    place_axis(node, model, frame, at, joint.second);
    made.second = std::move(joint.second.joint);
  }
  parts_.joints.push_back(std::move(made));
}

// Links that no joint holds. One is the root of a robot. Where there are several, or a joint holds
// another link to the world, each is free, or fixed if its model is static.
void SdfReader::hang_roots() {
  std::vector<const RobotLink*> roots;
  bool needs_world = in_world_ && tops_ > 1;
  for (const auto& [frame, number] : links_) {
    if (!held_.contains(frame)) {
      roots.push_back(&parts_.links[number]);
    }
  }
  needs_world = needs_world || roots.size() != 1 ||
                std::ranges::any_of(parts_.joints,
                                    [](const UrdfJoint& joint) { return joint.parent == "world"; });
  if (!needs_world) {
    parts_.is_static = is_static_.at(roots[0]->name);
    return;
  }
  for (const RobotLink* const root : roots) {
    UrdfJoint joint;
    joint.parent = "world";
    joint.child = root->name;
    joint.origin = root->pose;
    joint.is_fixed = is_static_.at(root->name);
    joint.joint.name = root->name + " free";
    joint.joint.motion = JointMotion::Free;
    joint.joint.has_motor = false;
    joint.joint.where = root->where;
    parts_.joints.push_back(std::move(joint));
  }
  RobotLink world;
  world.name = "world";
  world.where = parts_.where;
  parts_.links.push_back(std::move(world));
}

std::optional<RobotModel> SdfReader::finish(Diagnostics& diagnostics, std::vector<Loss>& losses) {
  std::optional<RobotModel> model = tree_of(std::move(parts_), diagnostics, losses);
  if (model) {
    model->gravity = gravity_;
    model->time_step = time_step_;
    model->is_placed = is_placed_;
    model->touches_itself = touches_itself_;
  }
  return model;
}

}  // namespace

std::optional<RobotModel> read_sdf(std::uint32_t file, RobotFiles& files, Diagnostics& diagnostics,
                                   std::vector<Loss>& losses) {
  pugi::xml_document document;
  if (const auto fault = read_xml(diagnostics.sources().text(file), document)) {
    diagnostics.error({file, static_cast<std::uint32_t>(fault->offset)}, fault->reason);
    return std::nullopt;
  }
  XmlFields xml(file, diagnostics, losses);
  const pugi::xml_node root = document.document_element();
  if (std::string_view(root.name()) != "sdf") {
    xml.fail(root, fmt::format("is no SDF: its first element is <{:.60}>, not <sdf>", root.name()));
    return std::nullopt;
  }
  const std::size_t errors = diagnostics.errors();
  SdfReader reader(xml, files);
  if (!reader.read(root) || diagnostics.errors() != errors) {
    return std::nullopt;
  }
  std::optional<RobotModel> model = reader.finish(diagnostics, losses);
  return diagnostics.errors() == errors ? std::move(model) : std::nullopt;
}

}  // namespace servosim::robots
