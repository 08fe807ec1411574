// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "support/scenes.h"

// A robot with Physics and one joint, as a scene.

namespace servosim::test {

inline const char* const kPhysics = "physics Physics { } boundingObject Box { }";

/// Loads a robot whose joint begins in line 3.
inline LoadedScene with_joint(const std::string& joint,
                              const std::string& robot_physics = kPhysics) {
  return load_scene("Robot { name \"r\" " + robot_physics + " children [\n" + joint + "\n] }");
}

/// Does the same and expects no message.
inline Scene quiet(const std::string& joint) {
  const LoadedScene loaded = with_joint(joint);
  EXPECT_EQ(loaded.messages, Messages{}) << joint;
  return loaded.scene;
}

inline std::string end(const std::string& fields = "") {
  return " endPoint Solid { name \"end\" " + fields + ' ' + kPhysics + " }";
}

}  // namespace servosim::test
