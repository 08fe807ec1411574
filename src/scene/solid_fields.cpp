// SPDX-License-Identifier: Apache-2.0
#include "scene/solid_fields.h"

#include "scene/checks.h"
#include "scene/shapes.h"
#include "scene/world_settings.h"
#include "wbt/legacy.h"

namespace servosim {

namespace {

// Density and mass by Webots' rules: the density is looked at first; a mass wins.
void read_density_and_mass(const Checked& checked, MassSpec& spec) {
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
    checked.warn("density", "mass and density are both given; the mass is used");
  }
}

std::optional<Mat3> read_inertia(const Checked& checked) {
  const std::vector<Vec3>& rows = checked.node().vec3s("inertiaMatrix");
  if (rows.empty()) {
    return std::nullopt;
  }
  const Vec3 products = rows.size() > 1 ? rows[1] : Vec3{};
  if (rows.size() != 2) {
    checked.warn("inertiaMatrix",
                 fmt::format("inertiaMatrix has {} vectors; it should have 2", rows.size()));
    checked.note("inertiaMatrix", std::vector{rows[0], products});
  }
  return wbt::inertia_tensor(rows[0], products);
}

void warn_of_two_centers(const wbt::Node& written, const Vec3& used, const Checked& checked) {
  const auto& centers = written.vec3s("centerOfMass");
  const auto& nine = written.vec3s("inertiaMatrix");
  if (nine.size() == 3 && nine[0] != Vec3{} && !centers.empty() && centers[0] != Vec3{} &&
      centers[0] != nine[0]) {
    checked.warn("centerOfMass",
                 fmt::format("inertiaMatrix and centerOfMass give different centres of mass; that "
                             "of inertiaMatrix is used ({} {} {} in the axes of the Solid)",
                             used.x, used.y, used.z));
  }
}

MassSpec read_physics(const wbt::Node& written, Diagnostics& diagnostics) {
  const wbt::NodePtr modern = wbt::modern_physics(written);
  const wbt::Node& node = modern ? *modern : written;
  const Checked checked(node, diagnostics);
  MassSpec spec;
  spec.where = node.where;
  read_density_and_mass(checked, spec);
  const std::vector<Vec3>& centers = node.vec3s("centerOfMass");
  if (centers.size() > 1) {
    checked.warn("centerOfMass", "centerOfMass has more than one vector; the first is used");
    checked.note("centerOfMass", std::vector{centers.front()});
  }
  if (!centers.empty() && is_finite(centers.front())) {
    spec.center_of_mass = centers.front();
    if (modern) {
      warn_of_two_centers(written, centers.front(), checked);
    }
  }
  spec.inertia = read_inertia(checked);
  if (const wbt::NodePtr& damping = node.node("damping")) {
    spec.damping = read_damping(*damping, diagnostics);
  }
  for (const std::string_view field :
       {"coulombFriction", "forceDependentSlip", "bounce", "bounceVelocity"}) {
    if (node.has(field)) {
      checked.warn(field, fmt::format("{} of a Physics node (before V6.4) is not used; see "
                                      "WorldInfo.contactProperties",
                                      field));
    }
  }
  return spec;
}

}  // namespace

SolidSpec read_solid(const wbt::Node& node, const Vec3& scale, MeshFiles& mesh_files,
                     Diagnostics& diagnostics) {
  const Checked checked(node, diagnostics);
  SolidSpec solid;
  solid.name = node.string("name");
  solid.node_type = node.type->name;
  solid.node = node.id;
  solid.where = node.where;
  solid.feels = node.type->name == "TouchSensor";
  solid.contact_material = node.string("contactMaterial");
  solid.linear_velocity = checked.point("linearVelocity");
  solid.angular_velocity = checked.point("angularVelocity");
  if (const wbt::NodePtr& physics = node.node("physics");
      physics && physics->type->name == "Physics") {
    solid.physics = read_physics(*physics, diagnostics);
    solid.own_body = solid.feels;
  } else if (physics) {
    diagnostics.warning(physics->where, fmt::format("a {} is no Physics; Solid \"{}\" has none",
                                                    physics->type->name, solid.name));
  }
  for (const wbt::NodePtr& immersion : node.nodes("immersionProperties")) {
    if (immersion) {
      diagnostics.warning(immersion->where, "ImmersionProperties is not simulated; no Fluid acts");
    }
  }
  if (const wbt::NodePtr& bounding = node.node("boundingObject")) {
    solid.shapes = read_shapes(*bounding, scale, mesh_files, diagnostics);
  }
  return solid;
}

}  // namespace servosim
