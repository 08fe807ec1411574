// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "motor_laws/backlash.h"
#include "physics/rows/axis_laws.h"
#include "physics/rows/joint_coordinate.h"
#include "servosim/math.h"

// These structs hold what each joint asks of the solver in the next step, and what the solver
// finds. The joints of joints/ own them, and set them once per step. The tree solver reads them
// where it solves the joint, ode/ reads them where ODE does; both write the members that are marked
// as results. axis_laws.h has the equations.

struct dxBody;
struct dxJoint;

namespace servosim {

/// Holds what one axis asks for in the next step.
struct AxisDemand {
  MotorRow motor;  ///< of the motor or of friction
  Stops stops;
  SpringRow spring;
  double position = 0.0;    ///< stops compare it with their own [rad|m]
  bool is_at_stop = false;  ///< a stop acts
};

/// Holds what the two sides of the gap of a joint with free play ask for. ODE has them as a joint
/// with two rows.
struct GapRows {
  dxJoint* joint = nullptr;
  BacklashRows sides;
  /// Result: the force of both sides on the child in the last step, along +axis [N·m|N].
  double effort = 0.0;
};

/// Holds a force and a torque about a body's centre of mass, in the world's axes.
struct Wrench {
  Vec3 force;   ///< [N]
  Vec3 torque;  ///< [N·m]
};

/// Says which joint of ODE holds the bodies together.
enum class RowsKind : std::uint8_t {
  Hinge,
  Slider,
  Ball,
  Hinge2,  ///< also a suspended hinge
};

/// Holds the rows of a joint of the scene, and names its objects in ODE. A pointer is null where
/// the joint does not have the object.
struct JointRows {
  RowsKind kind = RowsKind::Hinge;
  dxJoint* joint = nullptr;    ///< holds the bodies together
  dxJoint* motors = nullptr;   ///< has the rows of motors; without it `joint` has them
  dxJoint* stops = nullptr;    ///< has the rows of stops; without it `joint` has them
  dxJoint* springs = nullptr;  ///< has the rows of springs
  dxBody* parent = nullptr;    ///< null: the world
  dxBody* child = nullptr;     ///< null: the parent hangs on the world
  /// Result: what the joint, its motors, friction and stops have put on the child in the last step,
  /// or on the parent where the child is the world. Springs and gaps do not count. Of a ball only
  /// the torques of motors and stops count.
  Wrench on_body;

  bool has_axis() const { return kind == RowsKind::Hinge || kind == RowsKind::Slider; }
};

/// Holds the rows of a hinge or slider.
struct HingeRows : JointRows {
  AxisDemand axis;
  /// Only the motor has a row, as in most joints in most steps; or nothing has one, if the motor
  /// has no force.
  bool has_motor_row_alone = false;
  GapRows* gap = nullptr;  ///< null without free play
  /// Result: the part of on_body along +axis, in the pose in which it acted [N·m|N].
  double effort = 0.0;

  JointCoordinate coordinate;
  /// Result: the solver has already found position [rad|m] and rate [rad/s|m/s] after the step.
  bool is_moved = false;
  double position = 0.0;
  double rate = 0.0;

  void set_moved(double to, double at_rate) {
    position = to;
    rate = at_rate;
    is_moved = true;
  }
};

/// Holds the rows of a ball. The motor and stops of an axis act about one direction, its spring
/// acts about another. Positions and velocities are those of the child's turn about these
/// directions.
struct BallRows : JointRows {
  struct Axis : AxisDemand {
    Vec3 direction;         ///< of motor and stops, in the world
    Vec3 spring_direction;  ///< of the spring, in the world
  };
  std::array<Axis, 3> axes;

  /// Returns the direction about which the measured body turns: that is the parent where the child
  /// is the world, and turns the other way.
  Vec3 forward(const Vec3& direction) const { return child != nullptr ? direction : -direction; }
};

/// Holds the rows of a Hinge2, which act about axis 1 of the parent and axis 2 of the child.
struct Hinge2Rows : JointRows {
  std::array<AxisDemand, 2> axes;
  SpringRow lock;        ///< holds axis 1 where the joint has only axis 2
  SpringRow suspension;  ///< lets the anchors part along axis 1; the solver finds `from_rest`
};

}  // namespace servosim
