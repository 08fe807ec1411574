// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "servosim/drive_settings.h"
#include "servosim/math.h"
#include "servosim/ode_axis_row.h"
#include "servosim/spring_damper.h"
#include "servosim/velocity_controller.h"

// For programs with an ODE world of their own: with its part ode_axis_row.h the only public header
// that includes ODE. It is all inline and calls nothing of libservosim, so it works with any ODE of
// the program, of single precision too, and needs no library of ours.

namespace servosim {

/// A motor with position, velocity or force control, a spring, a damper, a brake and static
/// friction for a hinge or slider of yours.
///
///     OdeJointDrive drive(hinge, {.gains = {.p = 8.0}, .max_force = 40.0});
///     drive.set_position(1.2);
///     for (...) {
///       drive.before_step(h);
///       dWorldStep(world, h);
///       use(drive.position(), drive.effort());
///     }
///
/// Positive is where dJointGetHingeAngle or dJointGetSliderPosition grows, whichever body is
/// attached first; position 0 is where they read 0. Turns are counted: a hinge may turn on and on,
/// if by less than half a turn per step.
///
/// Motor and friction are a row of their own, an AMotor or LMotor between the same bodies, with the
/// joint's dParamCFM: of a joint's own motor, whose dParamFMax is 0 as long as there is a drive,
/// ODE puts the whole force on the bodies while the joint is at a stop. Spring, damper and brake
/// are another, soft one: exact implicit steps, stable for any stiffness. Between two bodies ODE
/// lets the rows of a slider act halfway between both centres, so that they give the pair no
/// angular momentum; where that line misses the centres they turn both, as in Webots. Static
/// friction is not added to the motor's force: the larger of the two bounds what holds the joint.
///
/// In a world that disables idle bodies the drive keeps its bodies from being disabled while it
/// moves them, however slowly, and in force control while its force is not 0. A drive that has
/// arrived or pushes against a stop lets them sleep, and wakes them only for a command. ODE must be
/// set to wait for at least two idle steps.
///
/// The joint must be attached, with axis and anchor set, before a drive is made, and neither
/// attached nor aligned again while there is one. Destroy the drive before the joint or its world,
/// or release() it: it cannot notice that they are gone. ODE keeps the address of a member, so a
/// drive is neither copied nor moved; std::deque holds several.
///
/// Threads: one at a time, and none while the joint's world steps.
class OdeJointDrive {
 public:
  /// Holds the joint where it is until commanded. @throws std::invalid_argument if `joint` is null,
  ///   neither a hinge nor a slider, attached to no body, or has a dJointFeedback (another
  ///   drive's), or if a setting is out of range.
  explicit OdeJointDrive(dJointID joint, const DriveSettings& settings = {});
  OdeJointDrive(const OdeJointDrive&) = delete;
  OdeJointDrive& operator=(const OdeJointDrive&) = delete;
  ~OdeJointDrive() { release(); }
  /// Releases the joint for ever: no motor, no friction, no spring. No other function may be called
  /// then.
  void release();

  // Commands act in the next step; each wakes the bodies. @throws std::invalid_argument for NaN and
  // for what is out of range.

  /// Target position; ±infinity selects velocity control. Clamped to the limits of the settings.
  /// Ends force control.
  void set_position(double target);
  /// Speed limit of position control, or the speed to hold; clamped to ±max_velocity.
  void set_velocity(double velocity);
  /// >= 0, or -1 for unlimited.
  void set_acceleration(double acceleration);
  /// The bound of the motor's effort, >= 0; at most max_force.
  void set_available_force(double force);
  /// Force control: this effort until set_position() is called; clamped to ±available force.
  void set_force(double force);
  /// p > 0, i >= 0, d >= 0. Also forgets the error integral.
  void set_control_pid(const PidGains& gains);
  /// Adds to the damping constant; >= 0, and replaces the last value.
  void set_brake(double damping);

  /// Sets ODE's parameters for the next step, of length `h` > 0 [s]. To be called before each
  /// dWorldStep or dWorldQuickStep. @throws std::invalid_argument for another h.
  void before_step(double h);

  double position() const;
  double velocity() const;
  /// The velocity commanded by the law in the last step; 0 in force control.
  double commanded_velocity() const { return force_control_ ? 0.0 : law_.velocity(); }
  /// The sum of the efforts of motor, friction, the joint's stops, spring, damper and brake along
  /// the joint in the last step. NaN when the joint's dJointFeedback was removed; one of yours, set
  /// after the drive was made, is used instead of its own.
  double effort() const;

 private:
  dReal parameter(int which) const;
  void set_parameter(int which, double value);
  double reading() const;
  void wake() const;
  bool is_awake() const;
  bool is_at_work(double last_velocity) const;
  void take_pose();
  void drive_motor(double h);
  double nudge(double max_force) const;
  void update_soft_row(double h);

  dJointID joint_;
  dBodyID bodies_[2];
  bool is_hinge_;
  // −1 if ODE swapped the bodies since the first is the world: then the axis and a hinge's motor
  // row count against the reading.
  double sign_;
  DriveSettings settings_;
  detail::OdeMotorRow motor_;  // with friction
  detail::OdeSoftRow soft_;    // of spring, damper and brake
  dJointFeedback feedback_{};

  double target_;
  double target_velocity_;
  double available_force_;
  double force_ = 0.0;
  bool force_control_ = false;
  double brake_ = 0.0;
  bool commanded_ = true;
  VelocityController law_;

  // The following values are those of the last before_step().
  double h_ = 0.0;  // length of a step [s]; 0 before the first
  double position_;
  Vec3 axis_;                   // axis in the world
  Vec3 arm_;                    // from the centre of ODE's first body to a hinge's anchor
  double applied_force_ = 0.0;  // the part of the force that ODE's feedback does not contain
  double soft_damping_ = 0.0;
};

namespace detail {

inline dJointID check(dJointID joint) {
  if (joint == nullptr) {
    throw std::invalid_argument("the joint is null");
  }
  if (const int type = dJointGetType(joint); type != dJointTypeHinge && type != dJointTypeSlider) {
    throw std::invalid_argument("the joint is neither a hinge nor a slider");
  }
  if (dJointGetBody(joint, 0) == nullptr && dJointGetBody(joint, 1) == nullptr) {
    throw std::invalid_argument("the joint is attached to no body; call dJointAttach first");
  }
  if (dJointGetFeedback(joint) != nullptr) {
    throw std::invalid_argument(
        "the joint has a dJointFeedback: another drive's, which must be released first, or your "
        "own, to be set after the drive is made");
  }
  return joint;
}

inline constexpr double kStill = 1e-6;  // [rad/s|m/s]

inline Vec3 from_ode(const dReal* v) { return {v[0], v[1], v[2]}; }

}  // namespace detail

inline OdeJointDrive::OdeJointDrive(dJointID joint, const DriveSettings& settings)
    : joint_(detail::check(joint)),
      bodies_{dJointGetBody(joint, 0), dJointGetBody(joint, 1)},
      is_hinge_(dJointGetType(joint) == dJointTypeHinge),
      sign_(bodies_[0] == nullptr ? -1.0 : 1.0),
      settings_(settings),
      motor_(is_hinge_, bodies_),
      soft_(is_hinge_, bodies_),
      target_velocity_(settings.max_velocity),
      available_force_(settings.max_force),
      position_(reading()) {
  detail::check(settings);
  target_ = position_;
  take_pose();
  motor_.create(axis_);
  set_parameter(dParamFMax, 0.0);
  dJointSetFeedback(joint_, &feedback_);
}

inline void OdeJointDrive::release() {
  if (joint_ == nullptr) {
    return;
  }
  if (dJointGetFeedback(joint_) == &feedback_) {
    dJointSetFeedback(joint_, nullptr);
  }
  motor_.release();
  soft_.release();
  joint_ = nullptr;
}

inline void OdeJointDrive::set_position(double target) {
  detail::refuse(std::isnan(target), "position", target, "a number or an infinity");
  const bool limited = settings_.min_position != settings_.max_position && std::isfinite(target);
  target_ = limited ? std::clamp(target, settings_.min_position, settings_.max_position) : target;
  force_control_ = false;
  commanded_ = true;
}

inline void OdeJointDrive::set_velocity(double velocity) {
  detail::refuse(std::isnan(velocity), "velocity", velocity, "a number");
  target_velocity_ = std::clamp(velocity, -settings_.max_velocity, settings_.max_velocity);
  commanded_ = true;
}

inline void OdeJointDrive::set_acceleration(double acceleration) {
  detail::check_acceleration(acceleration);
  settings_.acceleration = acceleration;
  commanded_ = true;
}

inline void OdeJointDrive::set_available_force(double force) {
  detail::refuse(!(force >= 0.0), "available force", force, "a number >= 0");
  available_force_ = std::min(force, settings_.max_force);
  commanded_ = true;
}

inline void OdeJointDrive::set_force(double force) {
  detail::refuse(std::isnan(force), "force", force, "a number");
  force_ = std::clamp(force, -available_force_, available_force_);
  force_control_ = true;
  commanded_ = true;
}

inline void OdeJointDrive::set_control_pid(const PidGains& gains) {
  detail::check(gains);
  settings_.gains = gains;
  law_.clear_errors();
  commanded_ = true;
}

inline void OdeJointDrive::set_brake(double damping) {
  detail::refuse_beyond(damping, 0.0, detail::kMaxForce, "brake");
  brake_ = damping;
  commanded_ = true;
}

inline void OdeJointDrive::before_step(double h) {
  detail::refuse(!(h > 0.0 && std::isfinite(h)), "step length", h, "a finite number > 0");
  take_pose();
  if (commanded_ || h != h_) {
    update_soft_row(h);
  }
  if (commanded_) {
    wake();
    commanded_ = false;
  }
  h_ = h;
  const double last_velocity = law_.velocity();
  drive_motor(h);
  if (soft_.active()) {
    soft_.pull(sign_ * (position_ - settings_.rest_position));
  }
  if (is_awake() && is_at_work(last_velocity)) {
    wake();  // ODE restarts its count of idle steps
  }
}

inline double OdeJointDrive::reading() const {
  return is_hinge_ ? dJointGetHingeAngle(joint_) : dJointGetSliderPosition(joint_);
}

inline double OdeJointDrive::position() const {
  return is_hinge_ ? wrap_near(reading(), position_) : reading();
}

inline double OdeJointDrive::velocity() const {
  return is_hinge_ ? dJointGetHingeAngleRate(joint_) : dJointGetSliderPositionRate(joint_);
}

// The feedback is of the pose before the step, so that this is the axis to project it on.
inline double OdeJointDrive::effort() const {
  const dJointFeedback* feedback = dJointGetFeedback(joint_);
  if (feedback == nullptr) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const Vec3 force = detail::from_ode(feedback->f1) + motor_.force();
  const Vec3 torque = detail::from_ode(feedback->t1) + motor_.torque() + cross(force, arm_);
  const double rows = sign_ * dot(axis_, is_hinge_ ? torque : force);
  const double soft = soft_.active()
                          ? settings_.spring_constant * (position() - settings_.rest_position) +
                                soft_damping_ * velocity()
                          : 0.0;
  return rows + applied_force_ - soft;
}

inline dReal OdeJointDrive::parameter(int which) const {
  return is_hinge_ ? dJointGetHingeParam(joint_, which) : dJointGetSliderParam(joint_, which);
}

inline void OdeJointDrive::set_parameter(int which, double value) {
  const dReal v = static_cast<dReal>(value);
  is_hinge_ ? dJointSetHingeParam(joint_, which, v) : dJointSetSliderParam(joint_, which, v);
}

inline void OdeJointDrive::wake() const {
  for (const dBodyID body : bodies_) {
    if (body != nullptr) {
      dBodyEnable(body);
    }
  }
}

// A motor that holds a load tracks a small constant velocity, by which its row slips, but does not
// move.
inline bool OdeJointDrive::is_at_work(double last_velocity) const {
  if (force_control_ && force_ != 0.0) {
    return true;
  }
  const bool motor = !force_control_ && law_.velocity() != 0.0;
  const bool speeds_up = std::abs(law_.velocity() - last_velocity) > detail::kStill * h_;
  return (motor && speeds_up) ||
         ((motor || soft_.active()) && std::abs(velocity()) > detail::kStill);
}

inline bool OdeJointDrive::is_awake() const {
  return std::any_of(std::begin(bodies_), std::end(bodies_),
                     [](dBodyID body) { return body != nullptr && dBodyIsEnabled(body) != 0; });
}

inline void OdeJointDrive::take_pose() {
  position_ = position();
  dVector3 v;
  if (!is_hinge_) {
    dJointGetSliderAxis(joint_, v);
    axis_ = detail::from_ode(v);
    return;
  }
  dJointGetHingeAxis(joint_, v);
  axis_ = detail::from_ode(v);
  const bool swapped = bodies_[0] == nullptr;
  swapped ? dJointGetHingeAnchor2(joint_, v) : dJointGetHingeAnchor(joint_, v);
  arm_ = detail::from_ode(v) - detail::from_ode(dBodyGetPosition(bodies_[swapped ? 1 : 0]));
}

inline void OdeJointDrive::drive_motor(double h) {
  double velocity = 0.0;
  double max_force = settings_.static_friction;
  if (!force_control_) {
    if (available_force_ == 0.0) {
      law_.stop();
    } else {
      law_.track(target_, position_, target_velocity_, settings_.acceleration, settings_.gains, h);
    }
    velocity = law_.velocity();
    max_force = std::max(max_force, available_force_);
  }
  // On sleeping bodies ODE would pile it up.
  applied_force_ = force_control_ && is_awake() ? force_ : 0.0;
  const dReal f = static_cast<dReal>(applied_force_ + nudge(max_force));
  is_hinge_ ? dJointAddHingeTorque(joint_, f) : dJointAddSliderForce(joint_, f);
  motor_.drive(sign_ * velocity, max_force, parameter(dParamCFM));
}

// At a stop that is met exactly, as by a joint that begins there, ODE's solver ends in an error
// when a motor pushes. As good as nothing towards the stop helps.
inline double OdeJointDrive::nudge(double max_force) const {
  const double side = is_hinge_ ? sign_ : 1.0;  // hinges count stops as they count dParamVel
  const double at = side * reading();
  const double outwards = at <= parameter(dParamLoStop)   ? -1.0
                          : at >= parameter(dParamHiStop) ? 1.0
                                                          : 0.0;
  return is_awake() ? side * outwards * 1e-12 * std::min(max_force, 1.0) : 0.0;
}

inline void OdeJointDrive::update_soft_row(double h) {
  soft_damping_ = settings_.damping_constant + brake_;
  soft_.set(soft_row(settings_.spring_constant, soft_damping_, h), h, axis_);
}

}  // namespace servosim
