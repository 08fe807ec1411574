// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "servosim/simulation.h"
#include "servosim/yarp/control_board.h"

// One joint with its motor, written as a Servo of Webots 7 or as a joint with a Motor of today, so
// that a behaviour that both documents state is one function for both. Where a control board of
// YARP means the same, it is a third: a joint of today, commanded in the board's units.

namespace servosim::test {

enum class Kind { Servo, Motor, Board };

constexpr double kArm = 0.3;     // [m] from a hinge's axis to its weight, when `arm` is set
constexpr double kMass = 2.0;    // [kg]
constexpr double kStep = 0.008;  // [s]
constexpr double kGravity = 9.81;
// How near a held joint stays: its rows give way by about effort·CFM, and ODE's small-angle turns
// lose (h·v)³/12 a step until the law makes them good.
constexpr double kHeld = 1e-4;

/// The world that a Rig runs. A hinge turns about y and a slider moves down, so that a weight pulls
/// both in their positive direction.
struct Bench {
  Kind kind = Kind::Motor;
  bool linear = false;
  /// Fields of the motor, in the words of a Servo: maxVelocity, maxForce, controlP, acceleration,
  /// minPosition, maxPosition.
  std::string motor{};
  /// Fields of the joint: position, minStop, maxStop, springConstant, dampingConstant,
  /// staticFriction.
  std::string joint{};
  bool arm = false;      ///< a hinge's weight is kArm away from its axis instead of on it
  bool weighed = false;  ///< gravity is on
  /// The parent of the joint has Physics, and hangs on the world: what feedback needs.
  bool body_above = false;
  bool physics = true;  ///< of the moving part
  double cfm = 1e-5;
};

std::string world_text(const Bench& bench);

/// A Bench that runs. Warnings and notices that a test does not read fail it.
class Rig {
 public:
  explicit Rig(const Bench& b) : Rig(b, world_text(b)) {}
  /// A world of the test's own; its first motor called "m" is the one.
  explicit Rig(const std::string& text) : Rig({}, text) {}
  ~Rig();
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  void run(double seconds);
  double position() const { return simulation.joint(0).position(); }
  double velocity() const { return simulation.joint(0).velocity(); }
  double effort() const { return simulation.joint(0).effort(); }
  /// How far the part is from position 0, from its pose alone: angle about y, or way down.
  double moved() const;
  // The commands that all kinds have [rad|m, rad/s|m/s, N·m|N].
  void go_to(double position);
  /// The same within the bounds below: of a board, by a trapezoid of velocity.
  void track(double position);
  void endless(double speed);
  void push(double force);
  void bound_velocity(double velocity);
  void bound_acceleration(double acceleration);  ///< infinity: none
  void bound_force(double force);
  // And what all kinds tell.
  double target() const;
  struct Range {
    double min;
    double max;
  };
  Range limits() const;
  struct Bounds {
    double velocity;
    double acceleration;
    double force;
  };
  Bounds bounds() const;
  /// How near a held joint stays: kHeld, and what a board's Pid gives way under the weight.
  double held() const;
  /// What resists the motor: the mass, or the moment of inertia about the hinge.
  double inertia() const;
  /// The effort of gravity at position 0.
  double weight() const { return kMass * kGravity * (bench.linear ? 1.0 : kArm); }
  /// The messages of loading and running since the last call.
  std::string take_messages();

 private:
  Rig(const Bench& b, const std::string& text);
  double board_unit() const { return bench.linear ? 1.0 : std::numbers::pi / 180.0; }
  yarp::Pid board_pid() const;
  double of_board(yarp::ReturnValue (yarp::ControlBoard::*get)(int, double*) const) const;
  std::string said_;

 public:
  Bench bench;
  Simulation simulation;
  Motor& motor;
  PositionSensor& sensor;
  std::optional<yarp::ControlBoard> board;  ///< of Kind::Board
};

/// A hinge and a slider of one kind of node.
std::vector<Bench> both_types(const Bench& bench);

/// The same for Servos.
std::vector<Bench> servos(const std::string& motor = "", const std::string& joint = "");

/// To kHeld.
void expect_at(const Vec3& point, const Vec3& expected);

bool contains(const std::string& text, const std::string& part);

/// Servos with a body above, which feedback needs, and a weight that pulls in the positive
/// direction.
inline std::vector<Bench> weighed_servos(const std::string& motor, const std::string& joint = "") {
  return both_types({.kind = Kind::Servo,
                     .motor = motor,
                     .joint = joint,
                     .arm = true,
                     .weighed = true,
                     .body_above = true});
}

}  // namespace servosim::test
