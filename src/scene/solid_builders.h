// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scene/checks.h"
#include "scene/mesh_file.h"
#include "scene/scene.h"
#include "servosim/math.h"
#include "wbt/node.h"
#include "wbt/world_file.h"

namespace servosim {

/// The pose of a node's frame in the frame of the nearest Solid above, and the product of the
/// scales above it (files up to R2023a), which applies to lengths but not to axes.
struct Placement {
  Pose pose;
  Vec3 scale{1.0, 1.0, 1.0};

  /// Returns the placement of the children of a Pose, Transform, Solid, Group or TrackWheel node
  /// here.
  Placement inside(const wbt::Node& node) const;
};

/// Returns the pose of a TrackWheel in its Track at belt position 0. The nodes below it do not
/// rotate.
Pose track_wheel_pose(const wbt::Node& wheel);

/// Returns name, mass, shapes, material and start velocities of a Solid node. The caller sets
/// indices and pose. `scale` is the accumulated scale of the Solid.
SolidSpec read_solid(const wbt::Node& node, const Vec3& scale, MeshFiles& mesh_files,
                     Findings& findings);

/// A joint whose endPoint is a SolidReference. Its Solid may be anywhere in the tree, so it is
/// found when all Solids are known.
struct PendingReference {
  int joint = -1;  ///< the first axis of the joint
  std::string solid_name;
  SourceLocation where;
};

/// Sets child and zero pose of each such joint. The name is searched for below the joint's top
/// Solid, in the order of the tree, without the Solid that carries the joint. "<static
/// environment>" is the world. An impossible joint is reported and moves nothing.
void resolve_references(Scene& scene, const std::vector<PendingReference>& pending,
                        Findings& findings);

/// Returns the primitives of a boundingObject, in the frame of its Solid. `scale` is the
/// accumulated scale of the Solid. A node that Webots allows in no boundingObject is left out with
/// a warning.
std::vector<Shape> read_shapes(const wbt::Node& bounding_object, const Vec3& scale,
                               MeshFiles& mesh_files, Findings& findings);

/// Returns the rotation from the z axis to the axis of a geometry of this file, which was y in old
/// files.
Mat3 axis_turn(const wbt::Node& geometry);
/// The scale along the axis of a geometry, and the larger of the two scales across it.
struct AxisScale {
  double along = 1.0;
  double across = 1.0;
};
AxisScale axis_scale(const wbt::Node& geometry, const Vec3& scale);

/// Reads an ElevationGrid at `shape.pose`. It sets type, grid and pose, which is rotated and moved
/// for files whose heights are along y. Returns false, with a warning, if the grid is invalid.
bool read_elevation_grid(const wbt::Node& node, const Vec3& scale, Findings& findings,
                         Shape& shape);

/// Returns whether a robot has an infra-red DistanceSensor, which measures distances to Shapes.
bool has_infra_red_sensor(const Scene& scene);
/// Returns whether a robot has a RangeFinder or a Lidar, which sees the forms of Shapes.
bool has_ranging_sensor(const Scene& scene);
/// Returns whether a robot has a Radar, which finds Solids by the size of their Shapes.
bool has_radar(const Scene& scene);
/// Returns whether a robot has a Camera, which sees the looks of Shapes, and lights and sky.
bool has_camera(const Scene& scene);
/// Returns whether a robot has a Pen, which writes on Shapes.
bool has_pen(const Scene& scene);

/// Appends the shapes of a Shape node as infra-red sensors and Pens detect them. The node is at
/// `at` below `solid`, where -1 is the world. An invalid geometry is left out with a warning. Lines
/// and points are no shapes.
/// @param is_painted  whether something may be shown or written on it
void read_visible_shape(const wbt::Node& node, const Placement& at, int solid, bool is_painted,
                        MeshFiles& mesh_files, Findings& findings,
                        std::vector<VisibleShape>& shapes);

/// Returns a number clamped to [0, 1], or 0 if it is not finite. For a colour it returns the red
/// part.
double fraction_of(const wbt::Node& node, std::string_view field);

/// Returns Webots' name of a joint of that kind.
std::string_view type_name(JointKind kind);

/// Returns the kind of joint that nodes of this type are, or nothing for other nodes.
std::optional<JointKind> joint_kind(std::string_view node_type);

/// Returns the node type that describes an axis of a joint.
std::string_view parameters_type(JointKind kind, int axis_number);

/// Returns the start position of `joint`, whose kind and axis number are known. It comes from
/// `field` of the joint's parameters or, without parameters, of the joint node.
double read_position(const wbt::Node& node, std::string_view field, const JointSpec& joint,
                     Findings& findings);

/// Reads one parameter node of a joint into `joint`: the fields that its type has in common with
/// the type of this axis. Axis and anchor are in the frame of the joint node.
void read_joint_parameters(const wbt::Node& parameters, JointSpec& joint, Findings& findings);

/// Returns the joint of a Servo, which is its own endpoint. The axis passes through the Servo's
/// origin and is in the frame of the node above. A rotational Servo turns about the axis of its
/// rotation. A linear one moves along its z axis after the rotation.
JointSpec read_servo_joint(const wbt::Node& servo, JointType type, Findings& findings);

/// Returns a RotationalMotor, LinearMotor, PositionSensor or Brake of a joint's axis.
DeviceSpec read_joint_device(const wbt::Node& device, JointSpec& joint, Findings& findings);

/// Returns the motor and position sensor that a Servo is.
DeviceSpec read_servo_device(const wbt::Node& servo, const JointSpec& joint, Findings& findings);

/// Sets backlash to 0, with a warning, for joints that cannot have it: those with several axes,
/// without a motor, or with an endpoint without Physics.
void remove_impossible_backlash(Scene& scene, Diagnostics& diagnostics);
/// What the fields of a joint say of its coupling, before the joints that it names are known.
struct PendingCoupling {
  int joint = -1;
  std::string text;         ///< `5 'motor b' + 0.1`, not empty
  double compliance = 0.0;  ///< [rad/(N·m)|m/N], >= 0
  double backlash = 0.0;    ///< [rad|m], >= 0
  SourceLocation where;
};
/// Adds what the parameters of a joint's axes say of couplings. `first_axis` is an index of
/// Scene::joints.
void read_couplings(const wbt::Node& joint, int first_axis, std::vector<PendingCoupling>& couplings,
                    Findings& findings);
/// Finds the joints that couplings name. A coupling that is impossible is an error. Names must be
/// unique.
void couple_joints(Scene& scene, const std::vector<PendingCoupling>& couplings, Findings& findings);
/// Removes an armature that does not act, with a warning. Suspensions must have been checked.
void remove_impossible_armatures(Scene& scene, Diagnostics& diagnostics);

/// Returns the one to three axes of a HingeJoint, SliderJoint, Hinge2Joint or BallJoint, with axis
/// and anchor in the frame of the joint node. The caller sets names, indices, zero pose and, for a
/// ball, axis 2.
std::vector<JointSpec> read_joint_axes(const wbt::Node& joint, Findings& findings);

/// Returns the name of an axis without a device in a joint of that name.
std::string axis_name(const std::string& joint, const JointSpec& axis);

/// Replaces parallel axes of a joint with the world's x and z, and computes axis 2 of a ball.
/// `frame` is the rotation of the axes' frame in the world.
void replace_parallel_axes(std::span<JointSpec> axes, const Mat3& frame, Findings& findings);

/// Returns the endpoint's motion from the zero pose to its pose when the world starts.
Pose start_motion(std::span<const JointSpec> axes);

/// Makes checks that need both sides of every joint. It removes an impossible Hinge2Joint and makes
/// an impossible suspension rigid, each with a warning.
void check_joint_sides(Scene& scene, Diagnostics& diagnostics);

/// Returns the checked values of the WorldInfo node, or Webots' defaults without one.
WorldSettings read_world_settings(const wbt::WorldFile& file, Findings& findings);

/// Reads a Damping node, whose values are clamped to [0, 1].
Damping read_damping(const wbt::Node& node, Findings& findings);

/// Returns true for Robot, for node types derived from it and for its old names.
bool is_robot(const wbt::Node& node);

/// Returns the checked fields of a Robot node. The caller sets solid index and devices.
RobotSpec read_robot(const wbt::Node& node, Findings& findings);

}  // namespace servosim
