// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <utility>

#include "servosim/simulation.h"

// A robot with one device of each type, for malicious controllers.

namespace servosim::fuzz {

inline const char* const kWorld = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 }
Robot {
  name "r"
  supervisor TRUE
  battery [ 5, 10, 0 ]
  children [
    HingeJoint {
      jointParameters HingeJointParameters { axis 0 1 0 }
      device [
        RotationalMotor { name "g::m" multiplier -3 }
        PositionSensor { name "s" noise 0.1 resolution 0.01 }
        Brake { name "b" }
      ]
      endPoint Solid {
        translation 0 0 0.5
        boundingObject Box { size 0.6 0.2 0.1 }
        physics Physics { }
      }
    }
    SliderJoint {
      device LinearMotor { name "g::l" maxVelocity 3 }
      endPoint Solid { name "plate" }
    }
    Emitter { maxRange 3 baudRate 9000 bufferSize 2000 }
    Emitter { name "lamp" type "infra-red" aperture 1 }
    Receiver { translation 1 0 0 directionNoise 0.1 signalStrengthNoise 0.1 }
    Receiver { name "eye" type "infra-red" translation 0.9 0.1 0 bufferSize 100 }
  ]
  boundingObject Sphere { radius 0.3 }
  physics Physics { }
}
)";

inline Simulation load_world() {
  LoadOptions options;
  options.notice = [](std::string_view) {};
  return Simulation::from_text(kWorld, std::move(options));
}

}  // namespace servosim::fuzz
