// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

namespace servosim::bench {

inline constexpr double kTimeStepMs = 8.0;
inline constexpr double kH = kTimeStepMs / 1000.0;  // [s]
inline constexpr double kGravity = -9.81;           // [m/s^2] along z

/// A link of an arm is a thin box without a shape, so that collisions take no time.
inline constexpr double kLink = 0.2;                                        // [m]
inline constexpr double kLinkMass = 0.5;                                    // [kg]
inline constexpr std::array kLinkInertia{1.3333e-4, 1.7333e-3, 1.7333e-3};  // [kg m^2]
inline constexpr double kArmHeight = 2.0;                                   // [m]

/// A rover is a box on four spheres, which touch the floor at z = 0.
inline constexpr std::array kChassis{0.5, 0.25, 0.06};  // [m]
inline constexpr double kChassisMass = 6.0;             // [kg]
inline constexpr double kWheelRadius = 0.08;            // [m]
inline constexpr double kWheelMass = 0.5;               // [kg]
inline constexpr double kWheelTorque = 4.0;             // [N m]
inline constexpr double kWheelInertia = 0.4 * kWheelMass * kWheelRadius * kWheelRadius;
inline constexpr std::array kChassisInertia{
    kChassisMass / 12 * (kChassis[1] * kChassis[1] + kChassis[2] * kChassis[2]),
    kChassisMass / 12 * (kChassis[0] * kChassis[0] + kChassis[2] * kChassis[2]),
    kChassisMass / 12 * (kChassis[0] * kChassis[0] + kChassis[1] * kChassis[1])};
inline constexpr double kWheelAt[4][2] = {
    {0.2, 0.2}, {0.2, -0.2}, {-0.2, 0.2}, {-0.2, -0.2}};  // [m]

enum class Kind { Arms, Rovers };

/// `robots` equal robots side by side. Arms have `joints` hinges, about y and z in turn, and a
/// hinge holds their first link to the world. Rovers have four driven wheels. No robot touches
/// another one.
struct Scene {
  Kind kind;
  int robots;
  int joints;  ///< of each robot

  double robot_y(int robot) const { return 3.0 * robot; }  ///< [m]
  /// The limit of each motor [N m]. From 12 links on 100 would not hold an arm up, and saturated
  /// servos act differently in different engines: longer arms get more than they ever need.
  double max_torque() const {
    return kind == Kind::Rovers ? kWheelTorque : joints <= 6 ? 100.0 : 1e5;
  }
  /// The gain of servos that are dampers, where an engine has no velocity motor [N m s/rad]. With
  /// it arms lag little under load. Wheels carry no load: a stiff limited damper makes MuJoCo's
  /// rover hop, and with this one it reaches its speed in 14 ms.
  double servo_gain() const { return kind == Kind::Arms ? 10.0 * max_torque() : 1.0; }
};

/// The command to a motor before each step: the position of an arm's joint [rad], the speed of a
/// rover's wheel [rad/s].
inline double arm_target(int joint, double t) {
  return 0.3 * std::sin(std::numbers::pi * t + 0.3 * joint);
}
inline double wheel_speed(double t) { return 5.0 + std::sin(std::numbers::pi * t); }

/// The position law of a Webots motor with its default gain and speed limit [rad/s].
inline double servo_speed(double target, double position) {
  return std::clamp(10.0 * (target - position), -10.0, 10.0);
}

/// The scene as a Webots world.
std::string world_text(const Scene& scene);

}  // namespace servosim::bench
