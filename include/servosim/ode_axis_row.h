// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <algorithm>
#include <new>

#include "servosim/drive_settings.h"
#include "servosim/math.h"
#include "servosim/spring_damper.h"

// Rows on the axis of a hinge or slider in an ODE world. They belong to an AMotor in user mode if
// the axis turns, and to an LMotor if it slides. A row is the equation a·u + CFM·λ = target with
// bounds on λ, where a is the axis, u the velocity of ODE's first body relative to its second body,
// and λ the force or torque on the first body (ODE manual, "Constraint Force Mixing"). Without a
// first body, ODE exchanges the two. All signs here are those of ODE.
//
// This is a part of servosim/ode_joint_drive.h. servosim also writes the rows of its own joints
// with these functions.

namespace servosim::detail {

inline dReal to_real(double v) { return static_cast<dReal>(v); }

/// Sets a parameter of row `row` of an AMotor if `turns` is true, else of an LMotor.
inline void set_row(bool turns, dJointID rows, int row, int parameter, double value) {
  const int of_row = parameter + row * dParamGroup;
  turns ? dJointSetAMotorParam(rows, of_row, to_real(value))
        : dJointSetLMotorParam(rows, of_row, to_real(value));
}

/// Attaches a new AMotor or LMotor to two bodies, one of which may be null, with `count` rows along
/// one axis. `axis` is in the world and moves with the first body that is not null.
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
      // 1 is the first body, 2 the second; the first one may be null.
      dJointSetAMotorAxis(rows, i, first == nullptr ? 2 : 1, x, y, z);
    } else {
      dJointSetLMotorAxis(rows, i, 1, x, y, z);  // the first body that is not null
    }
  }
}

/// Makes a row a motor with a target velocity [rad/s|m/s] and a maximum force [N·m|N].
inline void write_motor(bool turns, dJointID rows, int row, double velocity, double max_force,
                        double cfm) {
  set_row(turns, rows, row, dParamVel, velocity);
  set_row(turns, rows, row, dParamFMax, max_force);
  set_row(turns, rows, row, dParamCFM, cfm);
}

/// Makes a row an active spring and damper whose deflection is `stretch` [rad|m]. For an AMotor it
/// is a stop at angle 0 from both sides, for an LMotor a motor without a limit. `gain` is ERP/h
/// [1/s].
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
  void create(const Vec3& axis);  ///< axis of the joint, in the world
  bool exists() const { return joint_ != nullptr; }
  bool is_hinge() const { return is_hinge_; }
  dJointID joint() const { return joint_; }

 private:
  bool is_hinge_;
  dBodyID bodies_[2];
  dJointID joint_ = nullptr;
};

/// A motor: a target velocity with a bounded force.
/// Threads: as OdeAxisRow.
class OdeMotorRow : public OdeAxisRow {
 public:
  OdeMotorRow(bool is_hinge, const dBodyID (&bodies)[2]) : OdeAxisRow(is_hinge, bodies) {}
  void create(const Vec3& axis);
  /// Sets the target velocity along ODE's axis [rad/s|m/s], the maximum force [N·m|N] and the row's
  /// CFM.
  void drive(double velocity, double max_force, double cfm);
  /// The force and torque on the first body of ODE's joint in the last step [N, N·m].
  Vec3 force() const { return {feedback_.f1[0], feedback_.f1[1], feedback_.f1[2]}; }
  Vec3 torque() const { return {feedback_.t1[0], feedback_.t1[1], feedback_.t1[2]}; }

 private:
  dJointFeedback feedback_{};
};

/// A spring and damper. Its ODE joint is created when it is first needed.
/// Threads: as OdeAxisRow.
class OdeSoftRow : public OdeAxisRow {
 public:
  OdeSoftRow(bool is_hinge, const dBodyID (&bodies)[2]) : OdeAxisRow(is_hinge, bodies) {}
  /// Sets the row for steps of length `h` > 0 [s]. `axis` is that of the joint, in the world.
  void set(const SoftRow& row, double h, const Vec3& axis);
  /// Sets the deflection of the spring along ODE's axis [rad|m].
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
