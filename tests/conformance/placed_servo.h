// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>

namespace servosim::test {

// Returns a world with a Servo that has an initial transformation of its own, on a robot that is
// off the origin.
inline std::string placed_servo(const std::string& type, const std::string& fields) {
  return fmt::format(R"(#VRML_SIM V7.2.5 utf8
WorldInfo {{ basicTimeStep 8 gravity 0 0 0 }}
Robot {{
  name "r"
  translation 2 0 0
  children [
    Servo {{
      name "m"
      type "{}"
      {}
      children [ Transform {{ translation 0 0.2 0 children [ Solid {{ name "tip" }} ] }} ]
      boundingObject Sphere {{ radius 0.1 }}
      physics Physics {{ density -1 mass 2 }}
    }}
  ]
}}
)",
                     type, fields);
}

}  // namespace servosim::test
