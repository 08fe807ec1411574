// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "scene/device_spec.h"
#include "scene/surface_look.h"
#include "servosim/diagnostics.h"
#include "servosim/joint_type.h"
#include "servosim/math.h"

// The typed model of a world after every check, without a physics engine. Indices refer to the
// vectors of Scene; -1 means none. Parents come before their children.

namespace servosim {

/// Fractions of velocity lost per second, each in [0, 1].
struct Damping {
  double linear = 0.2;
  double angular = 0.2;
};

/// WorldInfo.contactProperties: the surface between two materials, matched in either order.
struct ContactProperties {
  std::string material1 = "default";
  std::string material2 = "default";
  /// One value: for all directions. Two: along and across the friction direction of each surface.
  /// Three: the same of material1, then one of material2. Four: both of each. Infinity allowed.
  std::vector<double> coulomb_friction{1.0};
  /// Turns of the friction directions of material1 and material2 about their outward normals [rad].
  std::array<double, 2> friction_rotation{0.0, 0.0};
  double bounce = 0.5;
  double bounce_velocity = 0.01;                  ///< [m/s]
  std::vector<double> force_dependent_slip{0.0};  ///< [m/s per N]; 1 to 4 values, as friction
  std::array<double, 3> rolling_friction{0.0, 0.0, 0.0};
  double soft_erp = 0.2;
  double soft_cfm = 0.001;
  int max_contact_joints = 10;
};

enum class LightType : std::uint8_t { Directional, Point, Spot };

/// A DirectionalLight, PointLight or SpotLight that is on, or that an LED switches.
struct LightSpec {
  LightType type = LightType::Directional;
  int solid = -1;                  ///< that carries it
  Vec3 location;                   ///< in that Solid's frame [m]; not of a Directional one
  Vec3 direction{0.0, 0.0, -1.0};  ///< of its rays, in that frame, length one; not of a Point light
  Vec3 color{1.0, 1.0, 1.0};       ///< red, green, blue in [0, 1]; an LED changes it
  double intensity = 1.0;          ///< [W/m²] at full attenuation, >= 0
  double ambient_intensity = 0.0;  ///< the same, without a direction
  Vec3 attenuation{1.0, 0.0, 0.0};  ///< constant, linear [1/m], quadratic [1/m²]; each >= 0
  double radius = 100.0;            ///< [m]; no light beyond
  double beam_width = 0.0;          ///< [rad] from the direction: full light within
  double cut_off_angle = 0.0;       ///< [rad] from the direction: no light beyond
};

struct WorldSettings {
  std::string title;
  std::string
      coordinate_system;  ///< "ENU", "NUE" or "EUN"; empty before R2020b, whose worlds name none
  double basic_time_step_ms = 32.0;
  Vec3 gravity{0.0, 0.0, -9.81};  ///< [m/s²]
  /// The axes of sensors, orthogonal and of length one.
  Vec3 east{1.0, 0.0, 0.0};
  Vec3 north{0.0, 1.0, 0.0};
  Vec3 up{0.0, 0.0, 1.0};
  bool gps_in_degrees = false;  ///< a GPS measures latitude and longitude
  /// The world's origin: latitude [°], longitude [°] and altitude [m], or an offset [m].
  Vec3 gps_reference;
  double erp = 0.2;
  double cfm = 1e-5;
  double disable_time = 1.0;  ///< [s]; <= 0: bodies never sleep
  double disable_linear_threshold = 0.01;
  double disable_angular_threshold = 0.01;
  std::optional<Damping> default_damping;
  std::int64_t random_seed = 0;  ///< -1: by the clock
  std::vector<ContactProperties> contact_properties;
  bool all_box_corners = false;  ///< all corners of a box may touch a plane: from R2025a on
  std::vector<LightSpec> lights;
};

struct Mesh {
  std::vector<Vec3> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;  ///< counter-clockwise seen from outside
};

/// An ElevationGrid: point (i, j) is at (i·dx, j·dy, heights[i + j·columns]).
struct Grid {
  int columns = 0;  ///< points along x, >= 2
  int rows = 0;     ///< points along y, >= 2
  double dx = 1.0;  ///< [m]
  double dy = 1.0;
  double thickness = 1.0;       ///< of the ground below the lowest point [m]
  std::vector<double> heights;  ///< [m]
};

enum class ShapeType : std::uint8_t { Box, Sphere, Cylinder, Capsule, Plane, Mesh, Grid };

/// A primitive of a boundingObject. The axis of a Cylinder and Capsule, the normal of a Plane and
/// the heights of a Grid are along z: `pose` contains the rotation of old files, where it was y.
struct Shape {
  ShapeType type = ShapeType::Box;
  Pose pose;            ///< in the Solid's frame
  Vec3 size;            ///< Box [m]
  double radius = 0.0;  ///< Sphere, Cylinder, Capsule [m]
  double height = 0.0;  ///< Cylinder; Capsule without its caps [m]
  std::shared_ptr<const Mesh> mesh;
  std::shared_ptr<const Grid> grid;
  bool degenerate = false;  ///< a size is not positive: has mass as in Webots, but no contacts
  SourceLocation where;
};

/// A Shape node as infra-red sensors detect it.
struct VisibleShape {
  int solid = -1;  ///< that carries it; -1: the world
  Shape shape;     ///< in that Solid's frame; never a Plane: it has an edge here, so it is a mesh
  std::shared_ptr<const SurfaceLook> surface;  ///< not null: a darker one seems farther away
  PictureMapping mapping;
};

/// The Physics node of a Solid.
struct MassSpec {
  double density = 1000.0;             ///< [kg/m³]; used if mass <= 0
  double mass = -1.0;                  ///< [kg]
  std::optional<Vec3> center_of_mass;  ///< in the Solid's frame
  std::optional<Mat3> inertia;         ///< about the centre of mass, in the Solid's axes [kg·m²]
  std::optional<Damping> damping;
  SourceLocation where;
};

struct SolidSpec {
  std::string name;
  std::string_view node_type = "Solid";  ///< Webots node name, valid for ever
  int parent = -1;                       ///< nearest Solid above it
  int robot = -1;             ///< innermost Robot it belongs to (a Robot belongs to itself)
  int joint = -1;             ///< the joint whose endpoint it is
  bool free_body = false;     ///< Servo of type "none": own body, not connected to its parent
  bool own_body = false;      ///< never merged into the parent's body, e.g. TouchSensor
  bool senses_touch = false;  ///< a TouchSensor: its contacts are recorded
  bool referenced = false;    ///< endpoint of a joint with a SolidReference, which holds it
  Pose pose;  ///< in the parent Solid's frame (or the world's) when the world starts
  std::optional<MassSpec> physics;
  std::vector<Shape> shapes;
  std::string contact_material = "default";
  Vec3 linear_velocity;    ///< at start, in the world's axes [m/s]
  Vec3 angular_velocity;   ///< [rad/s]
  std::uint32_t node = 0;  ///< wbt::Node::id
  SourceLocation where;
};

enum class JointKind : std::uint8_t { Hinge, Slider, Hinge2, Ball };

constexpr const char* name_of(JointKind kind) {
  switch (kind) {
    case JointKind::Hinge:
      return "hinge";
    case JointKind::Slider:
      return "slider";
    case JointKind::Hinge2:
      return "hinge2";
    case JointKind::Ball:
      break;
  }
  return "ball";
}

/// Degrees of freedom of a joint of this kind, and number of its JointSpecs.
constexpr int axis_count(JointKind kind) {
  return kind == JointKind::Ball ? 3 : kind == JointKind::Hinge2 ? 2 : 1;
}

/// A spring and damper that lets the axle of a hinge move along one direction.
struct SuspensionSpec {
  Vec3 axis{1.0, 0.0, 0.0};       ///< in the parent Solid's frame, length one
  double spring_constant = 0.0;   ///< [N/m]
  double damping_constant = 0.0;  ///< [N·s/m]; both 0: a rigid axle
  bool is_elastic() const { return spring_constant > 0.0 || damping_constant > 0.0; }
  SourceLocation where;
};

/// One degree of freedom. A HingeJoint or SliderJoint has one; a Hinge2Joint or BallJoint has two
/// or three that follow each other in Scene::joints and share parent, child, anchor and zero pose.
struct JointSpec {
  JointKind kind = JointKind::Hinge;
  JointType type = JointType::Rotational;
  int first_axis = -1;  ///< index of the first axis of the joint
  int axis_number = 0;  ///< 0, 1 or 2 within its joint
  std::string name;     ///< `robot/joint`, unique
  int parent = -1;      ///< Solid that carries it; -1: the world
  int child = -1;       ///< endpoint Solid
  /// Closes a loop: a SolidReference names the child, which is elsewhere in the tree. With child -1
  /// the endpoint is the static environment.
  bool reference = false;
  /// Of a Track: the surface of `parent` moves, at the speed of this position, around this axis in
  /// its frame (length one): along belt × n where the outward normal is n. No Solid moves.
  std::optional<Vec3> belt;
  int robot = -1;
  /// In the parent Solid's frame when all positions are 0, length one. Axis 1 of a Hinge2 carries
  /// axis 2; the rotation of a Ball is R(axis 1)·R(axis 2)·R(axis 3).
  Vec3 axis{0.0, 0.0, 1.0};
  Vec3 anchor;            ///< in the parent Solid's frame; not for sliders [m]
  Pose zero_pose;         ///< endpoint in the parent Solid's frame at position 0
  double position = 0.0;  ///< at start [rad|m]
  double min_stop = 0.0;  ///< hard stops; equal: none
  double max_stop = 0.0;
  double spring_constant = 0.0;   ///< [N·m/rad|N/m]
  double damping_constant = 0.0;  ///< [N·m·s/rad|N·s/m]
  double static_friction = 0.0;   ///< [N·m|N]
  double stop_erp = -1.0;         ///< -1: the world's
  double stop_cfm = -1.0;
  bool has_brake = false;  ///< a Brake may change the damping while the world runs
  double backlash = 0.0;   ///< total free play between motor and endpoint [rad|m], >= 0
  SuspensionSpec suspension;
  std::uint32_t node = 0;        ///< wbt::Node::id
  std::uint32_t parameters = 0;  ///< wbt::Node::id of the parameters of this axis; 0: none
  SourceLocation where;
};

/// The motion of the endpoint from position 0 to `position`, in the frame of spec.axis and
/// spec.anchor.
Pose motion_of(const JointSpec& spec, double position);

/// A Propeller: pushes its Solid along a shaft that its motor rotates at Ω [rad/s].
///
///     thrust  T = t[0]·|Ω|·Ω − t[1]·|Ω|·V   along +axis, at `center`
///     torque  Q = q[0]·|Ω|·Ω − q[1]·|Ω|·V   against the rotating blades; −Q about +axis on the
///     Solid
///
/// V [m/s] is the speed of `center` along the axis.
struct PropellerSpec {
  int solid = -1;                          ///< that it pushes
  std::uint32_t node = 0;                  ///< wbt::Node::id
  Vec3 axis{1.0, 0.0, 0.0};                ///< in the Solid's frame, length one
  Vec3 center;                             ///< of thrust, in the Solid's frame [m]
  std::array<double, 2> thrust{1.0, 0.0};  ///< t [N·s²/rad², N·s²/(rad·m)]
  std::array<double, 2> torque{1.0, 0.0};  ///< q [N·m·s²/rad², N·s²/rad]
};

struct RobotSpec {
  std::string name;        ///< unique: `x#2` for the second Robot "x"
  std::string given_name;  ///< that of the file, which its controller gets
  std::string model;
  std::string controller;
  std::vector<std::string> controller_args;
  std::string custom_data;
  bool supervisor = false;
  bool synchronization = true;
  bool self_collision = false;
  /// Empty, or energy [J], capacity [J] and charging power [W]; a negative energy is not simulated.
  std::vector<double> battery;
  double cpu_consumption = 10.0;
  int solid = -1;
  std::optional<DifferentialWheelsSpec> wheels;
  std::string proto_project;        ///< project of the PROTO it comes from, or empty
  std::vector<DeviceSpec> devices;  ///< in the order of their tags
  std::uint32_t node = 0;           ///< wbt::Node::id
  SourceLocation where;
};

/// A world. Invariants, after build_scene(): the parent of a Solid has a smaller index; the axes of
/// a joint follow each other; axes have length one; a Physics has a mass or a density > 0; every
/// index is -1 or valid.
struct Scene {
  std::string world_path;  ///< absolute
  std::string version;     ///< of the file, e.g. R2023b
  std::string project;     ///< absolute folder
  WorldSettings world;
  std::vector<SolidSpec> solids;
  std::vector<JointSpec> joints;
  std::vector<PropellerSpec> propellers;
  std::vector<RobotSpec> robots;
  /// Motors of joints outside every Robot: no controller commands them, so they hold their joints.
  std::vector<DeviceSpec> ownerless_motors;
  /// Connectors outside every Robot: Connectors of robots may lock to them.
  std::vector<DeviceSpec> ownerless_connectors;
  /// Robots without Physics that two wheels move: see find_rolling_robots().
  std::vector<RollingSpec> rolling;
  /// Empty without an infra-red sensor.
  std::vector<VisibleShape> visible_shapes;
};

/// All axes of the joint to which the axis `joint` belongs.
inline std::span<const JointSpec> axes_of(const Scene& scene, int joint) {
  SERVOSIM_ASSERT(joint >= 0 && joint < static_cast<int>(scene.joints.size()), "joint {} of {}",
                  joint, scene.joints.size());
  const int first_axis = scene.joints[joint].first_axis;
  SERVOSIM_ASSERT(first_axis >= 0 && first_axis <= joint, "joint {} has first axis {}", joint,
                  first_axis);
  const auto count = static_cast<std::size_t>(axis_count(scene.joints[first_axis].kind));
  return std::span(scene.joints).subspan(static_cast<std::size_t>(first_axis), count);
}

/// True if a Solid has Physics; -1 is the world, which has none.
inline bool is_dynamic(const Scene& scene, int solid) {
  return solid >= 0 && scene.solids[solid].physics.has_value();
}

/// The topmost Solid above a Solid, or the Solid itself; -1 for -1.
inline int top_solid(const Scene& scene, int solid) {
  while (solid >= 0 && scene.solids[solid].parent >= 0) {
    solid = scene.solids[solid].parent;
  }
  return solid;
}

/// The outermost robot a Solid belongs to; -1 for none.
inline int outer_robot(const Scene& scene, int solid) {
  int robot = -1;
  for (; solid >= 0; solid = scene.solids[solid].parent) {
    robot = scene.solids[solid].robot >= 0 ? scene.solids[solid].robot : robot;
  }
  return robot;
}

/// True if a Solid with Physics is a rigid part of the body of the Solid above it, also if a
/// SolidReference names it.
inline bool is_merged(const Scene& scene, int solid) {
  const SolidSpec& spec = scene.solids[solid];
  return spec.joint < 0 && !spec.own_body && !spec.free_body && spec.parent >= 0 &&
         scene.solids[spec.parent].physics.has_value();
}

/// The Solid that owns the body of a Solid with Physics: itself, or one above.
inline int body_owner(const Scene& scene, int solid) {
  while (is_merged(scene, solid)) {
    solid = scene.solids[solid].parent;
  }
  return solid;
}

/// True if a Solid above has Physics.
inline bool has_dynamic_ancestor(const Scene& scene, int solid) {
  for (int s = scene.solids[solid].parent; s >= 0; s = scene.solids[s].parent) {
    if (scene.solids[s].physics) {
      return true;
    }
  }
  return false;
}

/// What holds the body of a Solid in place, besides contacts.
enum class BodyHold : std::uint8_t {
  Nothing,
  Joint,   ///< it is the endpoint of a joint, also by a SolidReference
  Parent,  ///< fixed to the body of the Solid above
  World,   ///< fixed to the static environment
};

inline BodyHold body_hold(const Scene& scene, int owner) {
  const SolidSpec& solid = scene.solids[owner];
  if (solid.joint >= 0) {
    return BodyHold::Joint;
  }
  if (solid.parent >= 0 && !solid.free_body) {
    if (is_dynamic(scene, solid.parent)) {
      return BodyHold::Parent;
    }
    if (!solid.referenced && !has_dynamic_ancestor(scene, owner)) {
      return BodyHold::World;
    }
  }
  // Below a static Solid that is below a moving one it is free, as in Webots.
  return solid.referenced ? BodyHold::Joint : BodyHold::Nothing;
}

/// The pose of a Solid in the world at the start; -1 is the world itself.
inline Pose world_pose(const Scene& scene, int solid) {
  Pose pose;
  for (; solid >= 0; solid = scene.solids[solid].parent) {
    pose = scene.solids[solid].pose * pose;
  }
  return pose;
}

}  // namespace servosim
