// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <new>

#include "servosim/math.h"
#include "servosim/spring_damper.h"

// Part of servosim/ode_joint_drive.h.

namespace servosim::detail {

inline dReal to_real(double v) { return static_cast<dReal>(v); }

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
  void set(int parameter, double value) {
    is_hinge_ ? dJointSetAMotorParam(joint_, parameter, to_real(value))
              : dJointSetLMotorParam(joint_, parameter, to_real(value));
  }

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

/// A SoftRow; made when first needed.
/// Threads: as OdeAxisRow.
class OdeSoftRow : public OdeAxisRow {
 public:
  OdeSoftRow(bool is_hinge, const dBodyID (&bodies)[2]) : OdeAxisRow(is_hinge, bodies) {}
  /// For steps of length `h` > 0 [s]; `axis` of the joint, in the world.
  void set(const SoftRow& row, double h, const Vec3& axis);
  /// Tells the row how far the spring is stretched, along ODE's axis.
  void pull(double stretch);
  bool active() const { return exists() && active_; }

 private:
  bool active_ = false;
  double gain_ = 0.0;  // ERP/h [1/s]
};

inline void OdeAxisRow::release() {
  if (joint_ != nullptr) {
    dJointDestroy(joint_);
  }
  joint_ = nullptr;
}

inline void OdeAxisRow::create(const Vec3& axis) {
  const bool is_swapped = bodies_[0] == nullptr;
  const dWorldID world = dBodyGetWorld(bodies_[is_swapped ? 1 : 0]);
  const auto [x, y, z] = axis;
  const auto made = [](dJointID joint) {
    return joint != nullptr ? joint : throw std::bad_alloc();
  };
  // The axis turns with the first body that is not null.
  if (is_hinge_) {
    joint_ = made(dJointCreateAMotor(world, nullptr));
    dJointAttach(joint_, bodies_[0], bodies_[1]);
    dJointSetAMotorMode(joint_, dAMotorUser);
    dJointSetAMotorNumAxes(joint_, 1);
    dJointSetAMotorAxis(joint_, 0, is_swapped ? 2 : 1, to_real(x), to_real(y), to_real(z));
  } else {
    joint_ = made(dJointCreateLMotor(world, nullptr));
    dJointAttach(joint_, bodies_[0], bodies_[1]);
    dJointSetLMotorNumAxes(joint_, 1);
    dJointSetLMotorAxis(joint_, 0, 1, to_real(x), to_real(y), to_real(z));
  }
}

inline void OdeMotorRow::create(const Vec3& axis) {
  OdeAxisRow::create(axis);
  dJointSetFeedback(joint(), &feedback_);
}

inline void OdeMotorRow::drive(double velocity, double max_force, double cfm) {
  set(dParamVel, velocity);
  set(dParamFMax, max_force);
  set(dParamCFM, cfm);
  if (!(max_force > 0.0)) {
    feedback_ = {};  // ODE leaves that of a joint without rows as it was
  }
}

inline void OdeSoftRow::set(const SoftRow& row, double h, const Vec3& axis) {
  active_ = row.active;
  if (!active_) {
    if (exists()) {
      dJointDisable(joint());
    }
    return;
  }
  if (!exists()) {
    create(axis);
  }
  dJointEnable(joint());
  gain_ = row.erp / h;
  if (is_hinge()) {
    OdeAxisRow::set(dParamLoStop, 0.0);
    OdeAxisRow::set(dParamHiStop, 0.0);
    OdeAxisRow::set(dParamStopERP, row.erp);
    OdeAxisRow::set(dParamStopCFM, row.cfm);
  } else {
    dJointSetLMotorParam(joint(), dParamFMax, dInfinity);
    OdeAxisRow::set(dParamCFM, row.cfm);
  }
}

inline void OdeSoftRow::pull(double stretch) {
  if (is_hinge()) {
    dJointSetAMotorAngle(joint(), 0, to_real(stretch));
  } else {
    OdeAxisRow::set(dParamVel, -gain_ * stretch);
  }
}

}  // namespace servosim::detail
