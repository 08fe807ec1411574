// SPDX-License-Identifier: Apache-2.0
// An ODE program without a world file and without the servosim library: an arm on a hinge of the
// world, which a motor with position control, static friction and damping lifts.
#include <ode/ode.h>
#include <servosim/ode_joint_drive.h>

#include <cmath>
#include <cstdio>
#include <exception>

namespace {

constexpr double kStep = 0.008;  // [s]
constexpr double kDegree = 0.017453292519943295;

// Lifts the arm by 30 degrees. The axis of the hinge is +y, about which the weight pulls it to
// positive angles.
void lift(dWorldID world, dJointID hinge) {
  servosim::DriveSettings settings;
  settings.gains = {.p = 12.0, .i = 8.0, .d = 0.0};
  settings.max_velocity = 2.0;
  settings.max_force = 20.0;
  settings.static_friction = 0.1;
  settings.damping_constant = 0.05;
  servosim::OdeJointDrive drive(hinge, settings);
  drive.set_position(-30.0 * kDegree);
  for (int k = 0; k < 1000; ++k) {
    drive.before_step(kStep);
    dWorldStep(world, kStep);
  }
  std::printf("arm at %.1f degrees, held with %.2f N m\n", drive.position() / kDegree,
              drive.effort());
}  // the drive is destroyed before the world

}  // namespace

int main() {
  dInitODE2(0);
  const dWorldID world = dWorldCreate();
  dWorldSetGravity(world, 0, 0, -9.81);
  const dBodyID arm = dBodyCreate(world);
  dMass mass;
  dMassSetBoxTotal(&mass, 3.0, 0.6, 0.1, 0.1);
  dBodySetMass(arm, &mass);
  dBodySetPosition(arm, 0.25, 0, 1);
  const dJointID hinge = dJointCreateHinge(world, nullptr);
  dJointAttach(hinge, arm, nullptr);
  dJointSetHingeAnchor(hinge, 0, 0, 1);
  dJointSetHingeAxis(hinge, 0, 1, 0);
  int status = 0;
  try {
    lift(world, hinge);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    status = 1;
  }
  dWorldDestroy(world);
  dCloseODE();
  return status;
}
