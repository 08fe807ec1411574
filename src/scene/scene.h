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
#include "scene/shape_key.h"
#include "scene/surface_look.h"
#include "servosim/diagnostics.h"
#include "servosim/joint_type.h"
#include "servosim/math.h"
#include "servosim/solver.h"

// The typed model of a world after every check, without a physics engine. Indices refer to the
// vectors of Scene, and -1 means none. Parents come before their children.

namespace servosim {

/// Fractions of velocity lost per second, each in [0, 1].
struct Damping {
  double linear = 0.2;
  double angular = 0.2;
};

/// WorldInfo.contactProperties: the surface between two materials, which are matched in either
/// order.
struct ContactProperties {
  std::string material1 = "default";
  std::string material2 = "default";
  /// One value applies to all directions. Two values apply along and across the friction direction
  /// of each surface. Three values are two for material1 and one for material2. Four values are two
  /// for each. Infinity is allowed.
  std::vector<double> coulomb_friction{1.0};
  /// Rotations of the friction directions of material1 and material2 about their outward normals
  /// [rad].
  std::array<double, 2> friction_rotation{0.0, 0.0};
  double bounce = 0.5;
  double bounce_velocity = 0.01;                  ///< [m/s]
  std::vector<double> force_dependent_slip{0.0};  ///< [m/s per N]; 1 to 4 values, as for friction
  std::array<double, 3> rolling_friction{0.0, 0.0, 0.0};
  double soft_erp = 0.2;
  double soft_cfm = 0.001;
  int max_contact_joints = 10;
};

enum class LightType : std::uint8_t { Directional, Point, Spot };

/// A DirectionalLight, PointLight or SpotLight that is on, or that an LED switches.
struct LightSpec {
  LightType type = LightType::Directional;
  int solid = -1;                   ///< the Solid that carries it
  Vec3 location;                    ///< in that Solid's frame [m]; unused for a Directional one
  Vec3 direction{0.0, 0.0, -1.0};   ///< direction of the rays, in that frame, length one; not used
                                    ///< by a Point light
  Vec3 color{1.0, 1.0, 1.0};        ///< red, green, blue in [0, 1]; an LED changes it
  double intensity = 1.0;           ///< [W/m²] at full attenuation, >= 0
  double ambient_intensity = 0.0;   ///< [W/m²] of light without a direction, >= 0
  Vec3 attenuation{1.0, 0.0, 0.0};  ///< constant, linear [1/m], quadratic [1/m²]; each >= 0
  double radius = 100.0;            ///< [m]; there is no light beyond
  double beam_width = 0.0;          ///< [rad] from the direction; full light within
  double cut_off_angle = 0.0;       ///< [rad] from the direction; no light beyond
  bool casts_shadows = false;       ///< whether Cameras see its shadows
};

struct WorldSettings {
  std::string title;
  std::string
      coordinate_system;  ///< "ENU", "NUE" or "EUN"; empty before R2020b, whose worlds name none
  double basic_time_step_ms = 32.0;
  Vec3 gravity{0.0, 0.0, -9.81};  ///< [m/s²]
  /// The axes of sensors, which are orthogonal and of length one.
  Vec3 east{1.0, 0.0, 0.0};
  Vec3 north{0.0, 1.0, 0.0};
  Vec3 up{0.0, 0.0, 1.0};
  bool gps_in_degrees = false;  ///< a GPS measures latitude and longitude
  /// The world's origin: latitude [°], longitude [°] and altitude [m], or an offset [m].
  Vec3 gps_reference;
  double erp = 0.2;
  double cfm = 1e-5;
  double disable_time = 1.0;  ///< [s]; <= 0 means that bodies never sleep
  double disable_linear_threshold = 0.01;
  double disable_angular_threshold = 0.01;
  std::optional<Damping> default_damping;
  std::int64_t random_seed = 0;  ///< -1: from the clock
  Integrator integrator = Integrator::Ode;
  int evaluations = 0;    ///< of a step of Integrator::Joint; 0: until it settles
  double accuracy = 0.0;  ///< most error of a joint in such a step [rad|m]; 0: any
  std::vector<ContactProperties> contact_properties;
  bool all_box_corners = false;  ///< all corners of a box may touch a plane, from R2025a on
  std::vector<LightSpec> lights;
  double line_scale = 0.1;       ///< size of what Webots draws for users [m], >= 0
  double ink_evaporation = 0.0;  ///< the rate at which ink fades [1/s], >= 0
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
  double thickness = 1.0;       ///< height of the ground below the lowest point [m]
  std::vector<double> heights;  ///< [m]
};

enum class ShapeType : std::uint8_t { Box, Sphere, Cylinder, Capsule, Plane, Mesh, Grid };

/// A primitive of a boundingObject. The axis of a Cylinder and Capsule, the normal of a Plane and
/// the heights of a Grid are along z. In old files they were along y, and `pose` contains the
/// rotation.
struct Shape {
  ShapeType type = ShapeType::Box;
  Pose pose;            ///< in the Solid's frame
  Vec3 size;            ///< Box [m]
  double radius = 0.0;  ///< Sphere, Cylinder, Capsule [m]
  double height = 0.0;  ///< Cylinder; Capsule without its caps [m]
  std::shared_ptr<const Mesh> mesh;
  std::shared_ptr<const Grid> grid;
  bool degenerate = false;  ///< a size is not positive: it has mass, as in Webots, but no contacts
  SourceLocation where;
};

/// A Shape node as infra-red sensors and Pens detect it.
struct VisibleShape {
  int solid = -1;  ///< the Solid that carries it, or -1 for the world
  Shape shape;     ///< in that Solid's frame; a Plane has edges here, so it is a mesh
  std::shared_ptr<const SurfaceLook> surface;  ///< not null; a darker surface seems farther away
  PictureMapping mapping;
  ShapeKey key;
  int display = -1;     ///< DisplaySpec::number of the Display that is shown on it
  double radius = 0.0;  ///< of a sphere around it, if it may be written on [m]
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
  int parent = -1;                       ///< nearest Solid above
  int robot = -1;             ///< innermost Robot that it belongs to; a Robot belongs to itself
  int joint = -1;             ///< the joint whose endpoint it is
  bool free_body = false;     ///< Servo of type "none": has its own body, not connected to its
                              ///< parent
  bool own_body = false;      ///< never merged into the parent's body, for example a TouchSensor
  bool senses_touch = false;  ///< a TouchSensor, whose contacts are recorded
  bool referenced = false;    ///< endpoint of a joint with a SolidReference, which holds it
  Pose pose;                  ///< at the start, in the frame of the parent Solid or of the world
  std::optional<MassSpec> physics;
  std::vector<Shape> shapes;
  std::string contact_material = "default";
  Vec3 linear_velocity;    ///< at the start, in the world's axes [m/s]
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

/// Returns the number of degrees of freedom, and of JointSpecs, of a joint of this kind.
constexpr int axis_count(JointKind kind) {
  return kind == JointKind::Ball ? 3 : kind == JointKind::Hinge2 ? 2 : 1;
}

/// A spring and damper that lets the axle of a hinge move along one direction.
struct SuspensionSpec {
  Vec3 axis{1.0, 0.0, 0.0};       ///< in the parent Solid's frame, length one
  double spring_constant = 0.0;   ///< [N/m]
  double damping_constant = 0.0;  ///< [N·s/m]; both 0: the axle is rigid
  bool is_elastic() const { return spring_constant > 0.0 || damping_constant > 0.0; }
  SourceLocation where;
};

/// The hard stops of a joint.
struct StopSpec {
  double min = 0.0;   ///< [rad|m]; equal stops mean none
  double max = 0.0;   ///< [rad|m]
  double erp = -1.0;  ///< -1 means the world's
  double cfm = -1.0;  ///< -1 means the world's
};

/// The spring of one axis: −k·(p − reference).
struct SpringSpec {
  double constant = 0.0;  ///< k [N·m/rad|N/m]
  /// The position at which it has no force [rad|m]. If it is not 0, or a stop is beyond ±π, the
  /// spring of a hinge counts turns; otherwise it pulls the shorter way, as in Webots.
  double reference = 0.0;
};

/// A coupling of joints, such as a gear or a differential: Σ ratio·p = offset.
struct CouplingSpec {
  struct Term {
    int joint = -1;
    double ratio = 1.0;  ///< finite, not 0; 1 of the first joint
  };
  /// At least two, of different joints. The first is the joint that has the field: errors, forces
  /// and the numbers below are in its units.
  std::vector<Term> terms;
  double offset = 0.0;      ///< [rad|m]
  double compliance = 0.0;  ///< [rad/(N·m)|m/N], >= 0; 0: rigid
  double backlash = 0.0;    ///< total free play [rad|m], >= 0
  SourceLocation where;
};

/// One degree of freedom. A HingeJoint or SliderJoint has one. A Hinge2Joint has two and a
/// BallJoint has three, which follow each other in Scene::joints and share parent, child, anchor
/// and zero pose.
struct JointSpec {
  JointKind kind = JointKind::Hinge;
  JointType type = JointType::Rotational;
  int first_axis = -1;  ///< index of the first axis of the joint
  int axis_number = 0;  ///< 0, 1 or 2 within its joint
  std::string name;     ///< `robot/joint`, unique
  int parent = -1;      ///< Solid that carries it, or -1 for the world
  int child = -1;       ///< endpoint Solid
  /// The joint closes a loop: a SolidReference names the child, which is elsewhere in the tree. If
  /// the child is -1, the endpoint is the static environment.
  bool reference = false;
  /// Set for a Track. The surface of `parent` moves at the speed of this position around this axis
  /// in its frame (length one). It moves along belt × n where the outward normal is n. No Solid
  /// moves.
  std::optional<Vec3> belt;
  int robot = -1;
  /// In the parent Solid's frame when all positions are 0, of length one. Axis 1 of a Hinge2
  /// carries axis 2. The rotation of a Ball is R(axis 1)·R(axis 2)·R(axis 3).
  Vec3 axis{0.0, 0.0, 1.0};
  Vec3 anchor;            ///< in the parent Solid's frame [m]; unused for sliders
  Pose zero_pose;         ///< pose of the endpoint in the parent Solid's frame at position 0
  double position = 0.0;  ///< at the start [rad|m]
  StopSpec stops;
  SpringSpec spring;
  double damping_constant = 0.0;  ///< [N·m·s/rad|N·s/m]
  double static_friction = 0.0;   ///< [N·m|N]
  /// A mass that only the axis moves, such as the rotor of a motor times the square of the gear
  /// ratio [kg·m²|kg]; >= 0. It is behind any free play, and a servo's own is added to it.
  double armature = 0.0;
  bool has_brake = false;  ///< a Brake may change the damping while the world runs
  double backlash = 0.0;   ///< total free play between motor and endpoint [rad|m], >= 0
  SuspensionSpec suspension;
  std::uint32_t node = 0;        ///< wbt::Node::id
  std::uint32_t parameters = 0;  ///< wbt::Node::id of the parameters of this axis; 0: none
  SourceLocation where;
};

/// Returns the motion of the endpoint from position 0 to `position`, in the frame of spec.axis and
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
  int solid = -1;                          ///< the Solid that it pushes
  std::uint32_t node = 0;                  ///< wbt::Node::id
  Vec3 axis{1.0, 0.0, 0.0};                ///< in the Solid's frame, length one
  Vec3 center;                             ///< centre of thrust, in the Solid's frame [m]
  std::array<double, 2> thrust{1.0, 0.0};  ///< t [N·s²/rad², N·s²/(rad·m)]
  std::array<double, 2> torque{1.0, 0.0};  ///< q [N·m·s²/rad², N·s²/rad]
};

struct RobotSpec {
  std::string name;        ///< unique: `x#2` for the second Robot "x"
  std::string given_name;  ///< name in the file, which its controller gets
  std::string model;
  std::string controller;
  std::vector<std::string> controller_args;
  std::string custom_data;
  bool supervisor = false;
  bool synchronization = true;
  bool self_collision = false;
  /// Is empty, or has energy [J], capacity [J] and charging power [W]. A negative energy is not
  /// simulated.
  std::vector<double> battery;
  double cpu_consumption = 10.0;
  int solid = -1;
  std::optional<DeviceSpec> drive;  ///< drive of a DifferentialWheels
  std::string proto_project;        ///< project of the PROTO that it comes from, or empty
  std::vector<DeviceSpec> devices;  ///< in the order of their tags
  std::uint32_t node = 0;           ///< wbt::Node::id
  SourceLocation where;
};

/// A world. Invariants after build_scene(): the parent of a Solid has a smaller index; the axes of
/// a joint follow each other; axes have length one; a Physics has a mass or a density > 0; every
/// index is -1 or valid.
struct Scene {
  std::string world_path;  ///< absolute
  std::string version;     ///< version of the file, for example R2023b
  std::string project;     ///< absolute folder
  WorldSettings world;
  std::vector<SolidSpec> solids;
  std::vector<JointSpec> joints;
  std::vector<CouplingSpec> couplings;
  /// Solids with a body of their own, for whose force and torque on what carries them there is a
  /// sensor. Each is there once.
  std::vector<int> measured_solids;
  std::vector<PropellerSpec> propellers;
  std::vector<RobotSpec> robots;
  /// Motors of joints outside every Robot. No controller commands them, so they hold their joints.
  std::vector<DeviceSpec> ownerless_motors;
  /// Connectors outside every Robot, to which Connectors of robots may lock.
  std::vector<DeviceSpec> ownerless_connectors;
  /// Robots without Physics that two wheels move: see find_rolling_robots().
  std::vector<RollingSpec> rolling;
  /// This list is empty if no robot has an infra-red sensor.
  std::vector<VisibleShape> visible_shapes;
};

/// Returns all axes of the joint to which the axis `joint` belongs.
inline std::span<const JointSpec> axes_of(const Scene& scene, int joint) {
  SERVOSIM_ASSERT(joint >= 0 && joint < static_cast<int>(scene.joints.size()), "joint {} of {}",
                  joint, scene.joints.size());
  const int first_axis = scene.joints[joint].first_axis;
  SERVOSIM_ASSERT(first_axis >= 0 && first_axis <= joint, "joint {} has first axis {}", joint,
                  first_axis);
  const auto count = static_cast<std::size_t>(axis_count(scene.joints[first_axis].kind));
  return std::span(scene.joints).subspan(static_cast<std::size_t>(first_axis), count);
}

/// Returns whether a Solid has Physics. -1 is the world, which has none.
inline bool is_dynamic(const Scene& scene, int solid) {
  return solid >= 0 && scene.solids[solid].physics.has_value();
}

/// Returns the topmost Solid above a Solid, or the Solid itself. Returns -1 for -1.
inline int top_solid(const Scene& scene, int solid) {
  while (solid >= 0 && scene.solids[solid].parent >= 0) {
    solid = scene.solids[solid].parent;
  }
  return solid;
}

/// Returns the outermost robot that a Solid belongs to, or -1.
inline int outer_robot(const Scene& scene, int solid) {
  int robot = -1;
  for (; solid >= 0; solid = scene.solids[solid].parent) {
    robot = scene.solids[solid].robot >= 0 ? scene.solids[solid].robot : robot;
  }
  return robot;
}

/// Returns whether a Solid with Physics is a rigid part of the body of the Solid above it, even if
/// a SolidReference names it.
inline bool is_merged(const Scene& scene, int solid) {
  const SolidSpec& spec = scene.solids[solid];
  return spec.joint < 0 && !spec.own_body && !spec.free_body && spec.parent >= 0 &&
         scene.solids[spec.parent].physics.has_value();
}

/// Returns the Solid that owns the body of a Solid with Physics: itself, or one above.
inline int body_owner(const Scene& scene, int solid) {
  while (is_merged(scene, solid)) {
    solid = scene.solids[solid].parent;
  }
  return solid;
}

inline bool has_dynamic_ancestor(const Scene& scene, int solid) {
  for (int s = scene.solids[solid].parent; s >= 0; s = scene.solids[s].parent) {
    if (scene.solids[s].physics) {
      return true;
    }
  }
  return false;
}

/// What holds the body of a Solid in place, apart from contacts.
enum class BodyHold : std::uint8_t {
  Nothing,
  Joint,   ///< it is the endpoint of a joint, perhaps by a SolidReference
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
  // As in Webots, it is free below a static Solid that is below a moving one.
  return solid.referenced ? BodyHold::Joint : BodyHold::Nothing;
}

/// Returns the pose of a Solid in the world at the start. -1 is the world itself.
inline Pose world_pose(const Scene& scene, int solid) {
  Pose pose;
  for (; solid >= 0; solid = scene.solids[solid].parent) {
    pose = scene.solids[solid].pose * pose;
  }
  return pose;
}

}  // namespace servosim
