// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "scene/checks.h"
#include "scene/scene.h"
#include "scene/solid_builders.h"
#include "wbt/eras/legacy.h"

namespace servosim {

namespace {

Vec3 finite_or(const Vec3& v, const Vec3& fallback) { return is_finite(v) ? v : fallback; }

}  // namespace

// The wheel is in the plane of the belt: x and z of the Track, or x and y before R2022a.
Pose track_wheel_pose(const wbt::Node& wheel) {
  constexpr AxisAngle kStanding{{1.0, 0.0, 0.0}, 1.5708};  // the default of `rotation`
  const auto& [x, y] = std::get<wbt::Vec2>(wheel.value("position"));
  const Vec3 position = wbt::geometry_axis_is_z(wheel.version) ? Vec3{x, 0.0, y} : Vec3{x, y, 0.0};
  return {rotation_matrix(kStanding), finite_or(position, {})};
}

Placement Placement::inside(const wbt::Node& node) const {
  Placement below = *this;
  if (node.type->field("translation") != nullptr && node.type->field("rotation") != nullptr) {
    AxisAngle turn = node.rotation("rotation");
    if (!std::isfinite(turn.angle) || !is_finite(turn.axis)) {
      turn = {};
    }
    const Vec3 shift = scaled(finite_or(node.vec3("translation"), {}), scale);
    below.pose = pose * Pose{rotation_matrix(turn), shift};
  } else if (node.type->name == "TrackWheel") {
    Pose wheel = track_wheel_pose(node);
    wheel.translation = scaled(wheel.translation, scale);
    below.pose = pose * wheel;
  }
  if (node.has("scale") && std::holds_alternative<Vec3>(node.value("scale"))) {
    const Vec3 s = finite_or(node.vec3("scale"), {1.0, 1.0, 1.0});
    below.scale = scaled(scale, {std::abs(s.x), std::abs(s.y), std::abs(s.z)});
  }
  return below;
}

namespace {

// Reads density and mass by Webots' rules: the density is checked first, and a mass takes
// precedence.
void read_density_and_mass(const CheckedFields& checked, MassSpec& spec) {
  const wbt::Node& node = checked.node();
  const bool no_mass = !(node.number("mass") > 0.0);
  spec.density = checked.number(
      "density", [&](double x) { return x <= 0.0 && (no_mass || x != -1.0); }, 1000.0,
      no_mass ? "it must be > 0 when there is no mass" : "it must be -1 or > 0");
  const bool no_density = !(spec.density > 0.0);
  spec.mass = checked.number(
      "mass", [&](double x) { return x <= 0.0 && (no_density || x != -1.0); },
      no_density ? 1.0 : -1.0, "it must be -1 or > 0");
  if (spec.mass > 0.0 && node.has("density") && node.number("density") > 0.0) {
    checked.warn_replaced("density", "mass and density are both given; the mass is used");
  }
}

std::optional<Mat3> read_inertia(const CheckedFields& checked) {
  const std::vector<Vec3>& rows = checked.node().vec3s("inertiaMatrix");
  if (rows.empty()) {
    return std::nullopt;
  }
  const Vec3 products = rows.size() > 1 ? rows[1] : Vec3{};
  if (rows.size() != 2) {
    checked.warn_replaced(
        "inertiaMatrix",
        fmt::format("inertiaMatrix has {} vectors; it should have 2", rows.size()));
    checked.record_substitute("inertiaMatrix", std::vector{rows[0], products});
  }
  return wbt::inertia_tensor(rows[0], products);
}

void warn_of_two_centers(const wbt::Node& written, const Vec3& used, const CheckedFields& checked) {
  const auto& centers = written.vec3s("centerOfMass");
  const auto& nine = written.vec3s("inertiaMatrix");
  if (nine.size() == 3 && nine[0] != Vec3{} && !centers.empty() && centers[0] != Vec3{} &&
      centers[0] != nine[0]) {
    checked.warn_replaced(
        "centerOfMass",
        fmt::format("inertiaMatrix and centerOfMass give different centres of mass; that "
                    "of inertiaMatrix is used ({} {} {} in the axes of the Solid)",
                    used.x, used.y, used.z));
  }
}

MassSpec read_physics(const wbt::Node& written, Findings& findings) {
  const wbt::NodePtr modern = wbt::modern_physics(written);
  const wbt::Node& node = modern ? *modern : written;
  const CheckedFields checked(node, findings);
  MassSpec spec;
  spec.where = node.where;
  read_density_and_mass(checked, spec);
  const std::vector<Vec3>& centers = node.vec3s("centerOfMass");
  if (centers.size() > 1) {
    checked.warn_replaced("centerOfMass",
                          "centerOfMass has more than one vector; the first is used");
    checked.record_substitute("centerOfMass", std::vector{centers.front()});
  }
  if (!centers.empty() && is_finite(centers.front())) {
    spec.center_of_mass = centers.front();
    if (modern) {
      warn_of_two_centers(written, centers.front(), checked);
    }
  }
  spec.inertia = read_inertia(checked);
  if (const wbt::NodePtr& damping = node.node("damping")) {
    spec.damping = read_damping(*damping, findings);
  }
  for (const std::string_view field :
       {"coulombFriction", "forceDependentSlip", "bounce", "bounceVelocity"}) {
    if (node.has(field)) {
      checked.warn_replaced(field,
                            fmt::format("{} of a Physics node (before V6.4) is not used; see "
                                        "WorldInfo.contactProperties",
                                        field));
    }
  }
  return spec;
}

}  // namespace

SolidSpec read_solid(const wbt::Node& node, const Vec3& scale, MeshFiles& mesh_files,
                     Findings& findings) {
  const CheckedFields checked(node, findings);
  SolidSpec solid;
  solid.name = node.string("name");
  solid.node_type = node.type->name;
  solid.node = node.id;
  solid.where = node.where;
  solid.senses_touch = node.type->name == "TouchSensor";
  solid.contact_material = node.string("contactMaterial");
  solid.linear_velocity = checked.point("linearVelocity");
  solid.angular_velocity = checked.point("angularVelocity");
  if (const wbt::NodePtr& physics = node.node("physics");
      physics && physics->type->name == "Physics") {
    solid.physics = read_physics(*physics, findings);
    solid.own_body = solid.senses_touch;
  } else if (physics) {
    findings.replacement(physics->where,
                         fmt::format("a {} is not a Physics node; Solid \"{}\" has none",
                                     physics->type->name, solid.name));
  }
  for (const wbt::NodePtr& immersion : node.nodes("immersionProperties")) {
    if (immersion) {
      findings.replacement(immersion->where,
                           "ImmersionProperties is not simulated; it has no effect");
    }
  }
  if (const wbt::NodePtr& bounding = node.node("boundingObject")) {
    solid.shapes = read_shapes(*bounding, scale, mesh_files, findings);
  }
  return solid;
}

namespace {

constexpr const char* kStaticEnvironment = "<static environment>";

// Finds Solids by the Solid at the top of their branch and by name. Each list has the order of the
// scene.
class NamedSolids {
 public:
  explicit NamedSolids(const Scene& scene) : top_(scene.solids.size()) {
    for (int s = 0; s < static_cast<int>(scene.solids.size()); ++s) {
      const SolidSpec& solid = scene.solids[s];
      top_[s] = solid.parent >= 0 ? top_[solid.parent] : s;
      by_name_[{top_[s], solid.name}].push_back(s);
    }
  }

  /// Returns the first Solid of that name in the branch of the Solid `parent`, except for `parent`
  /// itself. Returns -1 if there is none.
  int find(int parent, const std::string& name) const {
    const auto found = by_name_.find({parent >= 0 ? top_[parent] : -1, name});
    if (found == by_name_.end()) {
      return -1;
    }
    const auto other = std::find_if(found->second.begin(), found->second.end(),
                                    [parent](int s) { return s != parent; });
    return other != found->second.end() ? *other : -1;
  }

 private:
  std::vector<int> top_;  // by Solid; parents come before the Solids below them
  std::map<std::pair<int, std::string_view>, std::vector<int>> by_name_;
};

// Returns why a joint from `parent` to the Solid `child` cannot move anything, or an empty text if
// it can.
std::string find_obstacle(const Scene& scene, int parent, int child) {
  const SolidSpec& solid = scene.solids[child];
  if (!solid.physics) {
    return fmt::format("Solid \"{}\" has no Physics", solid.name);
  }
  if (parent >= 0 && scene.solids[parent].physics &&
      body_owner(scene, parent) == body_owner(scene, child)) {
    return fmt::format("Solid \"{}\" is one body with Solid \"{}\", which carries the joint",
                       solid.name, scene.solids[parent].name);
  }
  return {};
}

void connect(Scene& scene, int first_axis, int child) {
  const JointSpec& first = scene.joints[first_axis];
  const Pose now = inverse(world_pose(scene, first.parent)) * world_pose(scene, child);
  const Pose zero_pose = inverse(start_motion(axes_of(scene, first_axis))) * now;
  for (int axis = 0; axis < axis_count(first.kind); ++axis) {
    JointSpec& joint = scene.joints[first_axis + axis];
    joint.reference = true;
    joint.child = child;
    joint.zero_pose = zero_pose;
  }
  if (child >= 0) {
    scene.solids[child].referenced = true;
  }
}

}  // namespace

void resolve_references(Scene& scene, const std::vector<PendingReference>& pending,
                        Findings& findings) {
  if (pending.empty()) {
    return;
  }
  const NamedSolids solids(scene);
  for (const PendingReference& reference : pending) {
    const int parent = scene.joints[reference.joint].parent;
    if (reference.solid_name == kStaticEnvironment) {
      if (scene.joints[reference.joint].kind == JointKind::Hinge2) {
        findings.replacement(reference.where,
                             "a Hinge2Joint cannot end in the static environment; this joint moves "
                             "nothing");
      } else if (parent >= 0 && scene.solids[parent].physics) {
        connect(scene, reference.joint, -1);
      } else {
        findings.replacement(reference.where,
                             "this joint moves nothing: the Solid above it has no Physics and its "
                             "endPoint is the static environment");
      }
      continue;
    }
    const int child = solids.find(parent, reference.solid_name);
    if (child < 0) {
      findings.replacement(reference.where,
                           fmt::format("no other Solid below the same top Solid is called \"{}\"; "
                                       "joint \"{}\" moves nothing",
                                       reference.solid_name, scene.joints[reference.joint].name));
      continue;
    }
    if (const std::string why = find_obstacle(scene, parent, child); !why.empty()) {
      findings.replacement(reference.where, "this joint moves nothing: " + why);
      continue;
    }
    connect(scene, reference.joint, child);
  }
}

}  // namespace servosim
