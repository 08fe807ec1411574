// SPDX-License-Identifier: Apache-2.0
#include <ode/ode.h>
#include <servosim/ode_joint_drive.h>

#include <cstdio>

int main() {
  dInitODE2(0);
  const dWorldID world = dWorldCreate();
  const dBodyID body = dBodyCreate(world);
  const dJointID slider = dJointCreateSlider(world, nullptr);
  dJointAttach(slider, body, nullptr);
  dJointSetSliderAxis(slider, 0, 1, 0);
  {
    servosim::OdeJointDrive drive(slider);
    drive.set_position(0.7);
    for (int k = 0; k < 300; ++k) {
      drive.before_step(0.01);
      dWorldStep(world, 0.01);
    }
    std::printf("slider %.2f\n", drive.position());
  }
  dWorldDestroy(world);
  dCloseODE();
}
