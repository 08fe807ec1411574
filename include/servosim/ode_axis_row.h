// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <algorithm>
#include <new>

#include "servosim/drive_settings.h"
#include "servosim/math.h"
#include "servosim/spring_damper.h"

// Rows on the axis of a hinge or slider as ODE has them: rows of an AMotor in user mode where the
// axis turns, of an LMotor where it slides. ODE counts the motion of the first body against the
// second's; without a first body it swaps both. All numbers here are as ODE counts.
//
// Part of servosim/ode_joint_drive.h; servosim hands the rows of its own joints to ODE by the same
// functions.

namespace servosim::detail {

inline dReal to_real(double v) { return static_cast<dReal>(v); }

/// Sets a parameter of row `row` of an AMotor, or, if it does not turn, of an LMotor.
inline void set_row(bool turns, dJointID rows, int row, int parameter, double value) {
  const int of_row = parameter + row * dParamGroup;
  turns ? dJointSetAMotorParam(rows, of_row, to_real(value))
        : dJointSetLMotorParam(rows, of_row, to_real(value));
}

/// Puts a new AMotor or LMotor between bodies, one of which may be null, with `count` rows on one
/// axis, which turns with the first body that is not null. `axis`: in the world.
inline void attach_rows(bool turns, dJointID rows, dBodyID first, dBodyID second, const Vec3& axis,
                        int count) {
  dJointAttach(rows, first, second);
  if (turns) {
    dJointSetAMotorMode(rows, dAMotorUser);
    dJointSetAMotorNumAxes(rows, count);
  } else {
    dJointSetLMotorNumAxes(rows, count);
  }
  const dReal x = to_real(axis.x);
  const dReal y = to_real(axis.y);
  const dReal z = to_real(axis.z);
  for (int i = 0; i < count; ++i) {
    if (turns) {
      dJointSetAMotorAxis(rows, i, first == nullptr ? 2 : 1, x, y, z);  // as it was attached
    } else {
      dJointSetLMotorAxis(rows, i, 1, x, y, z);  // the first body that is there
    }
  }
}

/// Makes a row a motor: a velocity [rad/s|m/s], held by at most a force [N·m|N].
inline void write_motor(bool turns, dJointID rows, int row, double velocity, double max_force,
                        double cfm) {
  set_row(turns, rows, row, dParamVel, velocity);
  set_row(turns, rows, row, dParamFMax, max_force);
  set_row(turns, rows, row, dParamCFM, cfm);
}

/// Makes a row an active spring and damper that is stretched by so much [rad|m]: of an AMotor a
/// stop at angle 0 on both sides, of an LMotor a motor of any force. `gain`: ERP/h [1/s].
inline void write_spring(bool turns, dJointID rows, int row, const SoftRow& spring, double gain,
                         double stretch) {
  if (turns) {
    set_row(true, rows, row, dParamLoStop, 0.0);
    set_row(true, rows, row, dParamHiStop, 0.0);
    set_row(true, rows, row, dParamStopERP, spring.erp);
    set_row(true, rows, row, dParamStopCFM, spring.cfm);
    dJointSetAMotorAngle(rows, row, to_real(stretch));
  } else {
    const double velocity = std::clamp(-gain * stretch, -kMaxSpeed, kMaxSpeed);
    write_motor(false, rows, row, velocity, dInfinity, spring.cfm);
  }
}

/// A row in a world of ODE along the axis of a hinge or slider: an AMotor or LMotor between the
/// same bodies.
///
/// Threads: one at a time, and none while the world steps.
class OdeAxisRow {
 public:
  /// Makes the row of `bodies`, one of which may be null. create() calls it.
  OdeAxisRow(bool is_hinge, const dBodyID (&bodies)[2])
      : is_hinge_(is_hinge), bodies_{bodies[0], bodies[1]} {}
  OdeAxisRow(const OdeAxisRow&) = delete;
  OdeAxisRow& operator=(const OdeAxisRow&) = delete;
  ~OdeAxisRow() { release(); }
  /// Takes the row out of the world.
  void release();

 protected:
  void create(const Vec3& axis);  ///< of the joint, in the world
  bool exists() const { return joint_ != nullptr; }
  bool is_hinge() const { return is_hinge_; }
  dJointID joint() const { return joint_; }

 private:
  bool is_hinge_;
  dBodyID bodies_[2];
  dJointID joint_ = nullptr;
};

/// A motor: a velocity, held by a bounded force.
/// Threads: as OdeAxisRow.
class OdeMotorRow : public OdeAxisRow {
 public:
  OdeMotorRow(bool is_hinge, const dBodyID (&bodies)[2]) : OdeAxisRow(is_hinge, bodies) {}
  void create(const Vec3& axis);
  /// Along ODE's axis.
  void drive(double velocity, double max_force, double cfm);
  /// What it has put on the first body of ODE's joint in the last step.
  Vec3 force() const { return {feedback_.f1[0], feedback_.f1[1], feedback_.f1[2]}; }
  Vec3 torque() const { return {feedback_.t1[0], feedback_.t1[1], feedback_.t1[2]}; }

 private:
  dJointFeedback feedback_{};
};

/// A spring and damper; made when first needed.
/// Threads: as OdeAxisRow.
class OdeSoftRow : public OdeAxisRow {
 public:
  OdeSoftRow(bool is_hinge, const dBodyID (&bodies)[2]) : OdeAxisRow(is_hinge, bodies) {}
  /// For steps of length `h` > 0 [s]; `axis` of the joint, in the world.
  void set(const SoftRow& row, double h, const Vec3& axis);
  /// Tells the row how far the spring is stretched, along ODE's axis.
  void pull(double stretch);
  bool active() const { return exists() && row_.active; }

 private:
  SoftRow row_;
  double gain_ = 0.0;  // ERP/h [1/s]
};

inline void OdeAxisRow::release() {
  if (joint_ != nullptr) {
    dJointDestroy(joint_);
  }
  joint_ = nullptr;
}

inline void OdeAxisRow::create(const Vec3& axis) {
  const dWorldID world = dBodyGetWorld(bodies_[bodies_[0] == nullptr ? 1 : 0]);
  const auto made = [](dJointID joint) {
    return joint != nullptr ? joint : throw std::bad_alloc();
  };
  joint_ = is_hinge_ ? made(dJointCreateAMotor(world, nullptr))
                     : made(dJointCreateLMotor(world, nullptr));
  attach_rows(is_hinge_, joint_, bodies_[0], bodies_[1], axis, 1);
}

inline void OdeMotorRow::create(const Vec3& axis) {
  OdeAxisRow::create(axis);
  dJointSetFeedback(joint(), &feedback_);
}

inline void OdeMotorRow::drive(double velocity, double max_force, double cfm) {
  write_motor(is_hinge(), joint(), 0, velocity, max_force, cfm);
  if (!(max_force > 0.0)) {
    feedback_ = {};  // ODE leaves that of a joint without rows as it was
  }
}

inline void OdeSoftRow::set(const SoftRow& row, double h, const Vec3& axis) {
  row_ = row;
  gain_ = row.erp / h;
  if (row.active && !exists()) {
    create(axis);
  }
  if (exists()) {
    row.active ? dJointEnable(joint()) : dJointDisable(joint());
  }
}

inline void OdeSoftRow::pull(double stretch) {
  write_spring(is_hinge(), joint(), 0, row_, gain_, stretch);
}

}  // namespace servosim::detail
