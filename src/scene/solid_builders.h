// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scene/mesh_file.h"
#include "scene/scene.h"
#include "servosim/diagnostics.h"
#include "servosim/math.h"
#include "wbt/node.h"
#include "wbt/world_file.h"

namespace servosim {

/// Where a node stands: the pose of its frame in the frame of the nearest Solid above, and the
/// product of the scales above it (files up to R2023a), which stretches lengths but no axes.
struct Placement {
  Pose pose;
  Vec3 scale{1.0, 1.0, 1.0};

  /// The placement of a Pose, Transform, Solid or Group node's children when the node stands here.
  Placement inside(const wbt::Node& node) const;
};

/// Where a TrackWheel stands in its Track when the belt is at 0; what stands below it does not
/// turn.
Pose track_wheel_pose(const wbt::Node& wheel);

/// Name, mass, shapes, material and start velocities of a Solid node; indices and pose are left to
/// the caller. `scale` is the accumulated scale of the Solid.
SolidSpec read_solid(const wbt::Node& node, const Vec3& scale, MeshFiles& mesh_files,
                     Diagnostics& diagnostics);

/// A joint whose endPoint is a SolidReference: its Solid may stand anywhere in the tree, so it is
/// looked up when all Solids are known.
struct PendingReference {
  int joint = -1;  ///< the leader of the joint
  std::string solid_name;
  SourceLocation where;
};

/// Gives each such joint its child and zero pose. The name is looked up below the joint's top
/// Solid, in the order of the tree, without the Solid that carries the joint; "<static
/// environment>" is the world. What cannot be joined is reported and moves nothing.
void resolve_references(Scene& scene, const std::vector<PendingReference>& pending,
                        Diagnostics& diagnostics);

/// The primitives of a boundingObject, in the frame of its Solid; `scale` is the accumulated scale
/// of the Solid. What Webots allows in no boundingObject is left out with a warning.
std::vector<Shape> read_shapes(const wbt::Node& bounding_object, const Vec3& scale,
                               MeshFiles& mesh_files, Diagnostics& diagnostics);

/// Reads an ElevationGrid that stands at `shape.pose`: sets type, grid and pose, the latter turned
/// and moved for files whose heights are along y. False, with a warning, if it cannot be.
bool read_elevation_grid(const wbt::Node& node, const Vec3& scale, Diagnostics& diagnostics,
                         Shape& shape);

/// Whether a robot has an infra-red DistanceSensor, which sees Shapes.
bool sees_shapes(const Scene& scene);

/// Appends what an infra-red sensor sees of a Shape node of `solid` (-1: of the world) that stands
/// at `at`. A geometry that cannot be read is left out with a warning; lines and points are never
/// seen.
void read_visible_shape(const wbt::Node& node, const Placement& at, int solid,
                        MeshFiles& mesh_files, Diagnostics& diagnostics,
                        std::vector<VisibleShape>& shapes);

/// Whether a texture, which nothing reads, changes how much light the Shape throws back.
bool has_texture(const wbt::Node& shape);

/// Webots' name of a joint of that kind.
std::string_view type_name(JointKind kind);

/// The node type that describes an axis of a joint.
std::string_view parameters_type(JointKind kind, int axis_number);

/// A start position of `joint`, whose kind and axis number are known: its field `position`, or
/// what a joint without parameters saved.
double read_position(const wbt::Node& node, std::string_view field, const JointSpec& joint,
                     Diagnostics& diagnostics);

/// One parameter node of a joint, of whatever type: what it shares with the type this axis takes
/// is read into `joint`, axis and anchor in the frame the joint stands in. The rest is left as it
/// is.
void read_joint_parameters(const wbt::Node& parameters, JointSpec& joint, Diagnostics& diagnostics);

/// The joint of a Servo, which is its own endpoint: axis through its origin, in the frame it
/// stands in. `type` "rotational" turns about the axis part of its rotation, "linear" slides along
/// its own z axis after the rotation.
JointSpec read_servo_joint(const wbt::Node& servo, JointType type, Diagnostics& diagnostics);

/// A RotationalMotor, LinearMotor, PositionSensor or Brake of a joint's axis.
DeviceSpec read_joint_device(const wbt::Node& device, JointSpec& joint, Diagnostics& diagnostics);

/// The motor and position sensor that a Servo is.
DeviceSpec read_servo_device(const wbt::Node& servo, const JointSpec& joint,
                             Diagnostics& diagnostics);

/// Takes backlash away, with a warning, from joints that cannot have it: those of several axes,
/// those that no motor drives, and those that no forces move.
void settle_backlash(Scene& scene, Diagnostics& diagnostics);

/// The one to three axes of a HingeJoint, SliderJoint, Hinge2Joint or BallJoint, with axis and
/// anchor in the frame the joint stands in. Names, indices, zero pose and, of a ball, axis 2 are
/// left to the caller.
std::vector<JointSpec> read_joint_axes(const wbt::Node& joint, Diagnostics& diagnostics);

/// What an axis without a device is called in a joint of that name.
std::string axis_name(const std::string& joint, const JointSpec& axis);

/// Replaces parallel axes of a joint with the world's x and z, and derives a ball's axis 2.
/// The axes are in a frame that is turned by `frame` against the world.
void settle_axes(std::span<JointSpec> axes, const Mat3& frame, Diagnostics& diagnostics);

/// The endpoint's motion away from the zero pose when the world starts.
Pose start_motion(std::span<const JointSpec> axes);

/// What can only be said when both sides of every joint are known: a Hinge2Joint that cannot
/// be, and suspensions that have to be rigid.
void check_joint_sides(Scene& scene, Diagnostics& diagnostics);

/// The WorldInfo node with every value checked; Webots' defaults where there is none.
WorldSettings read_world_settings(const wbt::WorldFile& file, Diagnostics& diagnostics);

/// A Damping node, clamped to [0, 1].
Damping read_damping(const wbt::Node& node, Diagnostics& diagnostics);

/// True for Robot and what derives from it or was renamed to it.
bool is_robot(const wbt::Node& node);

/// What a Robot node says of itself; solid index and devices are left to the caller.
RobotSpec read_robot(const wbt::Node& node, Diagnostics& diagnostics);

}  // namespace servosim
