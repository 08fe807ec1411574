// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "servosim/batch.h"

namespace servosim::test {

/// A pole on a cart, with noise in its encoder; between two stops at 2.5 m.
inline std::string cart_pole() {
  return R"(#VRML_SIM R2023b utf8
WorldInfo {
  basicTimeStep 8 randomSeed 5
  contactProperties [ ContactProperties { coulombFriction [ 0.75 ] } ]
}
Robot { name "r" children [
  SliderJoint {
    jointParameters JointParameters { axis 1 0 0 dampingConstant 0.25 minStop -2.5 maxStop 2.5 }
    device [ LinearMotor { name "cart" maxForce 30 maxVelocity 4 minPosition -2 maxPosition 2 }
             PositionSensor { name "encoder" noise 0.03 } ]
    endPoint DEF CART Solid { name "cart" children [
      HingeJoint {
        jointParameters HingeJointParameters { position 0.125 axis 0 1 0 anchor 0 0 0 }
        device PositionSensor { name "pole angle" }
        endPoint DEF POLE Solid { translation 0 0 0.3 name "pole"
          boundingObject Cylinder { height 0.6 radius 0.01 }
          physics Physics { density -1 mass 0.2 } } } ]
      boundingObject Box { size 0.2 0.1 0.1 } physics Physics { density -1 mass 1.5 } } } ] })";
}

/// A ball on the ground that slides, with an accelerometer.
inline std::string sliding_ball() {
  return R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 4 contactProperties [ ContactProperties { coulombFriction [ 0.5 ] } ] }
Solid { name "floor" boundingObject Plane { size 60 60 } }
DEF BALL Robot { name "ball" translation 0 0 0.245 linearVelocity 3 0 0
  children [ Accelerometer { name "acc" } ]
  boundingObject Sphere { radius 0.25 } physics Physics { density -1 mass 2 } })";
}

inline Batch batch_of(const std::string& world, std::size_t count, const BatchOptions& options = {},
                      std::int64_t seed_offset = 0) {
  LoadOptions load;
  load.random_seed_offset = seed_offset;
  load.notice = [](std::string_view) {};
  return Batch(Simulation::from_text(world, load), count, options);
}

}  // namespace servosim::test
