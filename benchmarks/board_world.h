// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>

namespace servosim::bench {

/// A robot "r" with this many hinges side by side, and steps of 1 ms.
inline std::string board_world(int joints) {
  std::string text =
      "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 1 physicsDisableTime 0 }\n"
      "Robot { name \"r\" children [\n";
  for (int j = 0; j < joints; ++j) {
    text += fmt::format(
        "HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 anchor 0 {0} 1 }} device "
        "RotationalMotor {{ name \"m{0}\" }} endPoint Solid {{ translation 0.1 {0} 1 name \"s{0}\" "
        "boundingObject Box {{ size 0.2 0.05 0.05 }} physics Physics {{ density -1 mass 0.5 }} }} "
        "}}\n",
        j);
  }
  return text + "] }\n";
}

}  // namespace servosim::bench
