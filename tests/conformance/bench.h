// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "servosim/simulation.h"
#include "servosim/yarp/control_board.h"

// One joint with its motor, written as a Servo of Webots 7 or as a joint with a Motor of today. So
// one function checks a behaviour that both documents state. Where a control board of YARP has the
// same behaviour, it is a third kind: a joint of today that gets commands in the board's units.

namespace servosim::test {

enum class Kind { Servo, Motor, Board };

constexpr double kArm = 0.3;     // [m] from a hinge's axis to its weight, when `arm` is set
constexpr double kMass = 2.0;    // [kg]
constexpr double kStep = 0.008;  // [s]
constexpr double kGravity = 9.81;
// A joint that is held is this exact: its rows yield by about effort·CFM, and ODE's small-angle
// turns lose (h·v)³/12 a step until the law corrects them.
constexpr double kHeld = 1e-4;

/// Describes the world that a Rig runs. A hinge turns about y and a slider moves down, so that a
/// weight pulls both in their positive direction.
struct Bench {
  Kind kind = Kind::Motor;
  bool linear = false;
  /// Fields of the motor, named as in a Servo: maxVelocity, maxForce, controlP, acceleration,
  /// minPosition, maxPosition.
  std::string motor{};
  /// Fields of the joint: position, minStop, maxStop, springConstant, dampingConstant,
  /// staticFriction.
  std::string joint{};
  bool arm = false;      ///< a hinge's weight is kArm away from its axis instead of on it
  bool weighed = false;  ///< gravity is on
  /// The parent of the joint has Physics and hangs on the world, which feedback needs.
  bool body_above = false;
  bool physics = true;  ///< the moving part has Physics
  double cfm = 1e-5;
};

std::string world_text(const Bench& bench);

/// Runs a Bench. Warnings and notices that a test does not read fail it.
class Rig {
 public:
  explicit Rig(const Bench& b) : Rig(b, world_text(b)) {}
  /// Runs the test's own world. The joint under test is that of its first motor called "m".
  explicit Rig(const std::string& text) : Rig({}, text) {}
  ~Rig();
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  void run(double seconds);
  double position() const { return simulation.joint(0).position(); }
  double velocity() const { return simulation.joint(0).velocity(); }
  double effort() const { return simulation.joint(0).effort(); }
  /// Returns how far the part is from position 0, from its pose alone: the angle about y, or the
  /// distance down.
  double moved() const;
  // Commands that all kinds have [rad|m, rad/s|m/s, N·m|N].
  void go_to(double position);
  /// Goes to `position` within the bounds below; a board uses a trapezoid of velocity.
  void track(double position);
  void endless(double speed);
  void push(double force);
  void bound_velocity(double velocity);
  void bound_acceleration(double acceleration);  ///< infinity means no bound
  void bound_force(double force);
  // Values that all kinds report.
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
  /// Returns how exact a joint that is held is: kHeld, plus what a board's Pid yields under the
  /// weight.
  double held() const;
  /// Returns what resists the motor: the mass, or the moment of inertia about the hinge.
  double inertia() const;
  /// Returns the effort of gravity at position 0.
  double weight() const { return kMass * kGravity * (bench.linear ? 1.0 : kArm); }
  /// Returns the messages of loading and running since the last call.
  std::string take_messages();

 private:
  Rig(const Bench& b, const std::string& text);
  double board_unit() const { return bench.linear ? 1.0 : std::numbers::pi / 180.0; }
  yarp::Pid board_pid() const;
  template <class Interface>
  double of_board(yarp::ReturnValue (Interface::*get)(yarp::JointSet, yarp::Results) const) const {
    double value = NAN;
    (board->view<Interface>().*get)(0, &value);
    return value;
  }
  std::string said_;

 public:
  Bench bench;
  Simulation simulation;
  Motor& motor;
  PositionSensor& sensor;
  std::optional<yarp::ControlBoard> board;  ///< set for Kind::Board
};

/// Returns a hinge and a slider of one kind of node.
std::vector<Bench> both_types(const Bench& bench);

/// Returns a hinge and a slider as Servos.
std::vector<Bench> servos(const std::string& motor = "", const std::string& joint = "");

/// Compares two points with tolerance kHeld.
void expect_at(const Vec3& point, const Vec3& expected);

bool contains(const std::string& text, const std::string& part);

/// Returns Servos with a body above, which feedback needs, and a weight that pulls in the positive
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
