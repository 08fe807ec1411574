// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <new>

#include "servosim/math.h"
#include "servosim/spring_damper.h"

// Part of servosim/ode_joint_drive.h.

namespace servosim::detail {

/// A SoftRow in a world of ODE: an AMotor or LMotor beside a hinge or slider of the same bodies.
/// Threads: one at a time, and none while the world steps.
class OdeSoftRow {
 public:
  /// Of `bodies`, one of which may be null; made when first needed.
  OdeSoftRow(bool is_hinge, const dBodyID (&bodies)[2])
      : is_hinge_(is_hinge), bodies_{bodies[0], bodies[1]} {}
  OdeSoftRow(const OdeSoftRow&) = delete;
  OdeSoftRow& operator=(const OdeSoftRow&) = delete;
  ~OdeSoftRow() { release(); }
  /// Takes the row out of the world.
  void release();

  /// For steps of length `h` > 0 [s]; `axis` of the joint, in the world.
  void set(const SoftRow& row, double h, const Vec3& axis);
  /// Tells the row how far the spring is stretched, along ODE's axis.
  void pull(double stretch);
  bool active() const { return active_; }

 private:
  void create(const Vec3& axis);

  bool is_hinge_;
  dBodyID bodies_[2];
  dJointID joint_ = nullptr;
  bool active_ = false;
  double gain_ = 0.0;  // ERP/h [1/s]
};

inline void OdeSoftRow::release() {
  if (joint_ != nullptr) {
    dJointDestroy(joint_);
  }
  joint_ = nullptr;
  active_ = false;
}

inline void OdeSoftRow::create(const Vec3& axis) {
  const dWorldID world = dBodyGetWorld(bodies_[bodies_[0] == nullptr ? 1 : 0]);
  const auto [x, y, z] = axis;
  const auto to = [](double v) { return static_cast<dReal>(v); };
  const auto made = [](dJointID joint) {
    return joint != nullptr ? joint : throw std::bad_alloc();
  };
  // The axis turns with the first body that is not null.
  if (is_hinge_) {
    joint_ = made(dJointCreateAMotor(world, nullptr));
    dJointAttach(joint_, bodies_[0], bodies_[1]);
    dJointSetAMotorMode(joint_, dAMotorUser);
    dJointSetAMotorNumAxes(joint_, 1);
    dJointSetAMotorAxis(joint_, 0, 1, to(x), to(y), to(z));
    dJointSetAMotorParam(joint_, dParamLoStop, 0);
    dJointSetAMotorParam(joint_, dParamHiStop, 0);
  } else {
    joint_ = made(dJointCreateLMotor(world, nullptr));
    dJointAttach(joint_, bodies_[0], bodies_[1]);
    dJointSetLMotorNumAxes(joint_, 1);
    dJointSetLMotorAxis(joint_, 0, 1, to(x), to(y), to(z));
    dJointSetLMotorParam(joint_, dParamFMax, dInfinity);
  }
}

inline void OdeSoftRow::set(const SoftRow& row, double h, const Vec3& axis) {
  active_ = row.active;
  if (!active_) {
    if (joint_ != nullptr) {
      dJointDisable(joint_);
    }
    return;
  }
  if (joint_ == nullptr) {
    create(axis);
  }
  dJointEnable(joint_);
  gain_ = row.erp / h;
  const dReal cfm = static_cast<dReal>(row.cfm);
  if (is_hinge_) {
    dJointSetAMotorParam(joint_, dParamStopERP, static_cast<dReal>(row.erp));
    dJointSetAMotorParam(joint_, dParamStopCFM, cfm);
  } else {
    dJointSetLMotorParam(joint_, dParamCFM, cfm);
  }
}

inline void OdeSoftRow::pull(double stretch) {
  if (is_hinge_) {
    dJointSetAMotorAngle(joint_, 0, static_cast<dReal>(stretch));
  } else {
    dJointSetLMotorParam(joint_, dParamVel, static_cast<dReal>(-gain_ * stretch));
  }
}

}  // namespace servosim::detail
