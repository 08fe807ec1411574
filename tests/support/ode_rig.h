// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "servosim/ode_joint_drive.h"

namespace servosim::test {

inline constexpr double kStep = 0.008;
inline constexpr double kMass = 2.0;
// The moment of inertia about z.
inline constexpr double kInertia = kMass * (0.6 * 0.6 + 0.2 * 0.2) / 12.0;

enum class Attached { WorldFirst, WorldSecond, HeavyFirst, HeavySecond };

// A box on a hinge about z, or on a slider along x. The other side is the world, or a body that is
// too heavy to move.
class Rig {
 public:
  Rig(bool slider, Attached how, double cfm = 1e-10)
      : world((dInitODE2(0), dWorldCreate())), slider_(slider) {
    dWorldSetCFM(world, cfm);
    dMass mass;
    dMassSetBoxTotal(&mass, kMass, 0.6, 0.2, 0.1);
    box = dBodyCreate(world);
    dBodySetMass(box, &mass);
    dBodyID other = nullptr;
    if (how == Attached::HeavyFirst || how == Attached::HeavySecond) {
      dMassSetSphereTotal(&mass, 1e9, 1.0);
      other = dBodyCreate(world);
      dBodySetMass(other, &mass);
    }
    const bool box_first = how == Attached::WorldSecond || how == Attached::HeavySecond;
    joint = slider ? dJointCreateSlider(world, nullptr) : dJointCreateHinge(world, nullptr);
    dJointAttach(joint, box_first ? box : other, box_first ? other : box);
    if (slider) {
      dJointSetSliderAxis(joint, 1, 0, 0);
    } else {
      dJointSetHingeAxis(joint, 0, 0, 1);
      dJointSetHingeAnchor(joint, 0, 0, 0);
    }
  }
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;
  ~Rig() { dWorldDestroy(world); }

  void step(OdeJointDrive& drive) const {
    drive.before_step(kStep);
    dWorldStep(world, kStep);
  }
  /// Returns the rate as ODE measures it.
  double rate() const {
    return slider_ ? dJointGetSliderPositionRate(joint) : dJointGetHingeAngleRate(joint);
  }
  /// Sets the velocity of the box so that the joint has `rate` [per s].
  void set_rate(double target) const {
    set_box_speed(1.0);
    set_box_speed(rate() > 0.0 ? target : -target);
  }
  /// Enables sleep with ODE's own thresholds.
  void let_sleep() const {
    for (const int which : {0, 1}) {
      if (const dBodyID body = dJointGetBody(joint, which)) {
        dBodySetAutoDisableFlag(body, 1);
      }
    }
  }
  double inertia() const { return slider_ ? kMass : kInertia; }
  /// Returns the error of ODE's small-angle rotation, which loses (h·v)³/12 a step.
  double drift(double speed, int steps) const {
    return slider_ ? 1e-6 : steps * std::pow(kStep * speed, 3) / 12.0 + 1e-6;
  }

  dWorldID world;
  dBodyID box;
  dJointID joint;

 private:
  void set_box_speed(double v) const {
    slider_ ? dBodySetLinearVel(box, v, 0, 0) : dBodySetAngularVel(box, 0, 0, v);
  }
  bool slider_;
};

}  // namespace servosim::test
