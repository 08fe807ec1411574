// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "motor_laws/backlash.h"
#include "physics/rows/axis_laws.h"
#include "physics/rows/joint_coordinate.h"
#include "physics/rows/servo_law.h"
#include "servosim/math.h"

// These structs hold what each joint asks of the solver in the next step, and what the solver
// finds. The joints of joints/ own them, and set them once per step. The tree solver reads them
// where it solves the joint, and ode/ reads them where ODE does. Both solvers write the members
// that are marked as results. axis_laws.h has the equations and the signs.

struct dxBody;
struct dxJoint;

namespace servosim {

/// Holds what one axis asks for in the next step.
struct AxisDemand {
  /// What the motor, or friction, asks for: V, F, and cfm, where 0 means that of the world. `force`
  /// is in no row: see HingeRows::takes_force.
  JointDrive motor;
  Stops stops;
  SpringRow spring;
  double position = 0.0;    ///< p, which stops are compared with [rad|m]
  bool is_at_stop = false;  ///< whether a stop acts in this step
};

/// Holds what the two sides of the gap of a joint with free play ask for. In ODE they are a joint
/// with two rows.
struct GapRows {
  dxJoint* joint = nullptr;
  BacklashRows sides;
  /// Result: the force of both sides on the child in the last step, along +axis [N·m|N].
  double effort = 0.0;
};

/// Holds what a servo asks of its axis in the next step. ODE has P and V as a joint with three
/// rows; F is that of a motor.
struct ServoRows {
  dxJoint* joint = nullptr;
  bool acts = false;           ///< there are such rows
  bool moves_by_mean = false;  ///< set before each step: see set_servo_step()
  ServoStep step;              ///< P and V
  double friction = 0.0;       ///< the bound of F [N·m|N]
  /// The rate of F in ODE, which brings a joint that friction holds back to where it came to rest:
  /// the rates of ODE's bodies are 0 but for rounding, which would add up. It is not 0 where a
  /// joint comes to rest, at which ODE's solver may fail [rad/s|m/s].
  double return_rate = 0.0;
  bool is_solved = false;  ///< result: the rest has been found
  double force = 0.0;      ///< result: of all these rows on the child, along +axis [N·m|N]
  double inertia = 0.0;    ///< result: α; 0 where ODE solves, which does not find it [kg·m²|kg]
  /// result: α may have the stiffness of contacts, loops and attachments, which is no mass
  bool is_touched = false;
};

/// Holds a force and a torque about a body's centre of mass, in the world's axes.
struct Wrench {
  Vec3 force;   ///< [N]
  Vec3 torque;  ///< [N·m]
};

/// Holds what a joint with a force-torque sensor has put on its child in the last step. Couplings
/// do not count.
struct ChildLoad {
  Wrench rows;    ///< result: of the joint and all its rows, springs and gaps included
  Wrench put;     ///< of force control, where it puts its force on the bodies
  Mat3 rotation;  ///< of the child before the step
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
  /// Result: the sum of what the joint, its motors, friction and stops have put on the measured
  /// body in the last step: on the child, or on the parent if the child is the world. Springs and
  /// gaps do not count. For a ball only the torques of motors and stops count.
  Wrench on_body;
  ChildLoad* load = nullptr;  ///< null if nobody measures it

  /// Returns whether the joint is a HingeRows.
  bool has_axis() const { return kind == RowsKind::Hinge || kind == RowsKind::Slider; }
};

/// Holds the rows of a hinge or slider.
struct HingeRows : JointRows {
  AxisDemand axis;
  int number = -1;  ///< of the joint in the scene
  /// The position at which `coordinate` is 0 [rad|m].
  double offset = 0.0;
  /// Whether no row but that of the motor can exist, as in most joints in most steps. Without a
  /// force of the motor there is no row at all.
  bool has_motor_row_alone = false;
  /// Set before each step: the solver puts `axis.motor.force` on the axis. Otherwise the joint has
  /// put it on the bodies.
  bool takes_force = false;
  GapRows* gap = nullptr;      ///< null without free play
  ServoRows* servo = nullptr;  ///< null without a servo
  /// Result: the part of on_body along +axis, in the pose in which it acted [N·m|N].
  double effort = 0.0;

  JointCoordinate coordinate;
  /// Result: whether the solver has already computed position [rad|m] and rate [rad/s|m/s] after
  /// the step. Otherwise `coordinate` reads them from the bodies.
  bool is_moved = false;
  double position = 0.0;
  double rate = 0.0;
  /// Result: whether `rate` belongs to the state, so that it is right until something else moves
  /// the bodies, also in a restored state.
  bool knows_rate = false;
  /// Result: how far the joint has gone in the step, with all its turns [rad|m]; unknown if the
  /// solver knows poses alone.
  std::optional<double> way;

  /// Returns the force that the solver has to put on the axis, which is in no row [N·m|N].
  double direct_force() const { return takes_force ? bounded_force(axis.motor.force) : 0.0; }
  /// Must be called by a solver that has moved the bodies of the joint.
  void set_moved(double to, double at_rate, std::optional<double> by = std::nullopt) {
    position = to;
    rate = at_rate;
    way = by;
    is_moved = true;
  }
};

/// Holds the rows of a ball. The motor and the stops of an axis act about one direction, its spring
/// acts about another. Positions and velocities are those of the child's turn about these
/// directions, and not those of the axes; OdeBall has the equations.
struct BallRows : JointRows {
  struct Axis : AxisDemand {
    Vec3 direction;         ///< of motor and stops, a unit vector in the world
    Vec3 spring_direction;  ///< of the spring, a unit vector in the world
  };
  std::array<Axis, 3> axes;

  /// Returns the direction about which the measured body turns when the child turns about
  /// `direction` against the parent. If the child is the world, the measured body is the parent,
  /// and turns the other way.
  Vec3 forward(const Vec3& direction) const { return child != nullptr ? direction : -direction; }
};

/// Holds the rows of a Hinge2, which act about axis 1, fixed in the parent, and axis 2, fixed in
/// the child.
struct Hinge2Rows : JointRows {
  std::array<AxisDemand, 2> axes;
  SpringRow lock;  ///< holds axis 1 of a joint that has only axis 2
  /// Lets the anchors part along axis 1. The solver sets its `from_rest`.
  SpringRow suspension;
};

}  // namespace servosim
