// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/limits.h"
#include "base/mass_properties.h"
#include "servosim/diagnostics.h"
#include "servosim/math.h"

// A robot as its own file describes it, whatever the format: URDF has at most one joint for each
// link, with its anchor at the link's origin; MJCF has any number. Units are SI; angles are in
// radians. Poses hold where all joints are at position 0.

namespace servosim {
struct Mesh;
}

namespace servosim::robots {

/// Returns whether a world may have a length of `x` [m].
inline bool is_file_length(double x) { return x > 0.0 && x < kMaxFileCoordinate; }

enum class GeometryType : std::uint8_t { Box, Sphere, Cylinder, Capsule, Plane, Mesh };

/// A shape about its own origin. The axis of cylinders and capsules, and the normal of a plane, are
/// along z. A plane has no end.
struct Geometry {
  GeometryType type = GeometryType::Box;
  Vec3 size;                  ///< edges of a box [m]
  double radius = 0.0;        ///< [m]
  double length = 0.0;        ///< of a cylinder, or of a capsule without its caps [m]
  std::string file;           ///< the mesh, as an absolute path; empty if it is not found
  Vec3 scale{1.0, 1.0, 1.0};  ///< of the mesh's coordinates, negative to mirror them
  /// The triangles of a mesh of which there is no file, scaled already; null if there is one.
  std::shared_ptr<const Mesh> faces;
};

/// The look of a visual.
struct Material {
  Vec3 color{0.7, 0.7, 0.7};  ///< red, green, blue, 0 to 1
  double opacity = 1.0;
  std::string texture;  ///< absolute path of a picture; empty if there is none
};

/// Sets colour and opacity to red, green, blue and alpha, each brought into 0 to 1.
inline void set_color(Material& material, std::array<double, 4> rgba) {
  std::ranges::transform(rgba, rgba.begin(), [](double x) { return std::clamp(x, 0.0, 1.0); });
  material.color = {rgba[0], rgba[1], rgba[2]};
  material.opacity = rgba[3];
}

/// A visual or a collision of a link.
struct LinkShape {
  Pose pose;  ///< in the link's frame
  Geometry geometry;
  std::optional<Material> material;  ///< of a visual
  /// A collision may have a Coulomb coefficient of its own, which counts alone if only this surface
  /// wins. Readers leave both.
  std::optional<double> contact_friction;
  bool friction_wins = false;
  SourceLocation where;
};

enum class JointMotion : std::uint8_t { Turn, Slide, Ball, Planar, Free };

struct Range {
  double lower = 0.0;  ///< [rad|m]
  double upper = 0.0;  ///< [rad|m], >= lower
};

/// A joint that keeps to another one: q = multiplier·q_leader + offset.
struct Mimic {
  std::string leader;  ///< its name
  double multiplier = 1.0;
  double offset = 0.0;  ///< [rad|m]
};

inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// What drives a joint by a law of its own, as in MJCF: the force or torque of the joint is gear·f,
///
///     f = gain·u + offset + by_position·gear·q + by_velocity·gear·q̇,
///
/// where u is the command, within `command`, and f stays within `force`. All actuators of a joint
/// add up.
struct Actuator {
  std::string name;
  bool is_named = true;  ///< by the file; otherwise the name is that of the joint
  double gear = 1.0;
  double gain = 1.0;
  double offset = 0.0;
  double by_position = 0.0;
  double by_velocity = 0.0;
  std::optional<Range> command;
  std::optional<Range> force;  ///< [N|N·m]
  SourceLocation where;
};

/// One way in which a link moves against its parent.
struct RobotJoint {
  std::string name;
  JointMotion motion = JointMotion::Turn;
  Vec3 axis{1.0, 0.0, 0.0};           ///< in the link's frame, of length one
  Vec3 anchor;                        ///< in the link's frame [m]
  std::optional<Range> range;         ///< its stops
  std::optional<Range> target_range;  ///< of the positions that a controller may ask for
  double effort = kNoLimit;           ///< largest force or torque of its motor [N|N·m], > 0
  double velocity = kNoLimit;         ///< [rad/s|m/s], > 0
  double damping = 0.0;               ///< [N·m·s/rad|N·s/m]
  double friction = 0.0;              ///< dry friction [N·m|N]
  double armature = 0.0;              ///< inertia of the rotor behind the gear [kg·m²|kg]
  double stiffness = 0.0;             ///< spring [N·m/rad|N/m]
  double rest = 0.0;                  ///< the position at which the spring is slack [rad|m]
  double start = 0.0;                 ///< position at the start [rad|m]
  /// Whether the file gives it a motor; none: the format leaves it to the joint.
  std::optional<bool> has_motor;
  std::string motor_name;           ///< of the device, once name_devices() has set it
  std::string sensor_name;          ///< of its PositionSensor, the same if the file has none
  std::vector<Actuator> actuators;  ///< with laws; none: its motor is a world's own
  double proportional = 10.0;  ///< P of such a motor, speed by distance [1/s]; readers leave it
  std::optional<Mimic> mimic;
  SourceLocation where;

  /// Returns whether the world gets a motor for it. Where the file does not say it, each joint has
  /// one that follows no other joint.
  bool has_own_motor() const { return has_motor.value_or(!mimic); }
};

struct RobotLink {
  std::string name;
  int parent = -1;  ///< index of the link that carries it, smaller than its own; -1 for the root
  Pose pose;        ///< in the frame of the parent; of the root, in the world
  std::vector<RobotJoint> joints;  ///< from the parent outwards; none: it is fixed to its parent
  /// In the link's frame; none, or a mass of 0, for a mere frame.
  std::optional<MassProperties> inertial;
  SourceLocation inertial_where;
  std::vector<LinkShape> visuals;
  std::vector<LinkShape> collisions;
  std::optional<double> contact_friction;  ///< Coulomb coefficient of its surface
  int group = 0;  ///< links of a group > 0 do not touch each other; readers leave it 0
  SourceLocation where;
};

/// ForceTorque measures what its link puts on its parent, in the frame of the link.
enum class SensorType : std::uint8_t {
  Accelerometer,
  Gyro,
  InertialUnit,
  Gps,
  Compass,
  Altimeter,
  ForceTorque
};

struct Sensor {
  std::string name;
  SensorType type = SensorType::Accelerometer;
  int link = 0;
  Pose pose;  ///< in the link's frame; not of a ForceTorque
  SourceLocation where;
  bool is_named = true;  ///< by the file; otherwise a reader has made up the name
};

/// Joints of which a sum is held: Σ ratio·q = offset. They are three or more, as in a differential;
/// two are a Mimic.
struct JointSum {
  struct Term {
    std::string joint;  ///< its name
    double ratio = 1.0;
  };
  std::vector<Term> terms;
  double offset = 0.0;  ///< [rad|m]
  SourceLocation where;
};

/// Two links that never touch.
struct UntouchedPair {
  int first = 0;
  int second = 0;
};

/// The most joints and links on a path from the root, each link without a joint and each joint
/// counted once. Each becomes two nodes of the world, which may nest 800 levels deep.
inline constexpr int kMaxLevels = 350;

struct RobotModel {
  std::string name;
  std::vector<RobotLink> links;  ///< not empty; the root comes first, parents before their children
  std::vector<Sensor> sensors;
  std::vector<JointSum> sums;            ///< readers have none
  bool fixed_base = false;               ///< the root does not move
  bool is_placed = false;                ///< the pose of the root is above a floor at z = 0
  bool touches_itself = false;           ///< links that are no neighbours may touch
  std::vector<UntouchedPair> untouched;  ///< but for these
  /// This is the Coulomb coefficient of the floor, and then two surfaces touch with the larger one
  /// of theirs. Without it, each touches those that have none with its own.
  std::optional<double> floor_friction;
  std::optional<Vec3> gravity;      ///< in the world [m/s²]; none: that of a new world
  std::optional<double> time_step;  ///< [s]; the same
  SourceLocation where;
};

/// Something that a file says and the world will not have.
struct Loss {
  SourceLocation where;
  std::string what;  ///< a sentence without a full stop
  /// It may change how the robot moves or what it touches; otherwise only its looks are lost.
  bool moves = true;
};

}  // namespace servosim::robots
