// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "control/backlash.h"
#include "physics/rows/axis_laws.h"
#include "physics/rows/joint_coordinate.h"
#include "servosim/math.h"

// What each joint asks of the solver in the next step, and what the solver finds. The joints of
// joints/ own these rows, and set them once per step. The tree solver reads them where it solves
// the joint, ode/ where ODE does.

struct dxBody;
struct dxJoint;

namespace servosim {

/// What one axis asks for.
struct AxisDemand {
  MotorRow motor;  ///< of the motor or of friction
  Stops stops;
  SpringRow spring;
  double position = 0.0;    ///< that stops compare [rad|m]
  bool is_at_stop = false;  ///< stops act
};

/// The sides of the gap of a joint with free play. ODE has them as a joint with two rows.
struct GapRows {
  dxJoint* joint = nullptr;
  BacklashRows sides;
  double effort = 0.0;  ///< result: of both on the child in the last step, along +axis [N·m|N]
};

/// A force and a torque about a body's centre of mass, in the world's axes.
struct Wrench {
  Vec3 force;   ///< [N]
  Vec3 torque;  ///< [N·m]
};

/// How a joint of the scene is made in ODE.
enum class RowsKind : std::uint8_t {
  Hinge,
  Slider,
  Ball,
  Hinge2,  ///< also a suspended hinge
};

/// The rows of a joint of the scene, and its objects in ODE: null for what it does not have.
struct JointRows {
  RowsKind kind = RowsKind::Hinge;
  dxJoint* joint = nullptr;    ///< holds the bodies together
  dxJoint* motors = nullptr;   ///< has the rows of motors; without it `joint` has them
  dxJoint* stops = nullptr;    ///< has the rows of stops; without it `joint` has them
  dxJoint* springs = nullptr;  ///< has the rows of springs
  dxBody* parent = nullptr;    ///< null: the world
  dxBody* child = nullptr;     ///< null: the parent hangs on the world
  /// Result: what the joint, its motors, friction and stops have put on the child in the last step,
  /// or on the parent without one; springs and gaps not. Of a ball only torques about its axes.
  Wrench on_body;

  bool has_axis() const { return kind == RowsKind::Hinge || kind == RowsKind::Slider; }
};

/// Those of a hinge or slider.
struct HingeRows : JointRows {
  AxisDemand axis;
  /// Whether there is but the motor's row, as of most joints in most steps; or none, if that has no
  /// force.
  bool has_motor_row_alone = false;
  GapRows* gap = nullptr;  ///< null without free play
  /// Result: the part of on_body along +axis, at the pose at which it acted [N·m|N].
  double effort = 0.0;

  JointCoordinate coordinate;
  /// Whether the solver has found what the coordinate is after the step, in the next two.
  bool is_moved = false;
  double position = 0.0;
  double rate = 0.0;

  void set_moved(double to, double at_rate) {
    position = to;
    rate = at_rate;
    is_moved = true;
  }
};

/// Those of a ball: each axis has its motor and stops about one direction, its spring about
/// another, in terms of the turn of the child about these.
struct BallRows : JointRows {
  struct Axis : AxisDemand {
    Vec3 direction;         ///< in the world
    Vec3 spring_direction;  ///< likewise
  };
  std::array<Axis, 3> axes;

  /// About the direction in which the body turns: the parent, where the child is the world.
  Vec3 forward(const Vec3& direction) const { return child != nullptr ? direction : -direction; }
};

/// Those of a Hinge2, about axis 1 of the parent and axis 2 of the child.
struct Hinge2Rows : JointRows {
  std::array<AxisDemand, 2> axes;
  SpringRow lock;        ///< holds axis 1 where the joint has only axis 2
  SpringRow suspension;  ///< lets the anchors part along axis 1; the solver knows `from_rest`
};

}  // namespace servosim
