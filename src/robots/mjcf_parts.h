// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "robots/mjcf_attributes.h"
#include "robots/mjcf_defaults.h"
#include "robots/mjcf_settings.h"
#include "robots/robot_files.h"
#include "robots/robot_model.h"
#include "servosim/math.h"

namespace servosim::robots {

/// What reads an MJCF file has at hand.
struct MjcfContext {
  const MjcfDocument& document;
  const MjcfDefaults& defaults;
  const MjcfSettings& settings;
  RobotFiles& files;
  MjcfAttributes& attributes;
  XmlFields& xml;

  /// Returns an element outside of the tree of bodies, with the values of its class.
  /// @param key  the element of classes that has them, if its name is another one
  MjcfElement element(pugi::xml_node node, std::string_view key = {}) const {
    return {xml, node, &defaults.class_of(node, "class", defaults.main()), key};
  }
};

/// A joint as the file has it, in the pose of the file.
struct MjcfJoint {
  std::size_t link = 0;   ///< which it moves
  std::size_t index = 0;  ///< among the joints of the link
  Vec3 axis;              ///< in the frame of the link
  Vec3 anchor;
  /// The time constant [s] and the damping ratio of its spring, if both are positive.
  std::array<double, 2> spring_damper{};
  std::size_t position = 0;  ///< the number of its first number in the positions of a key
};

using MjcfMask = std::pair<std::uint32_t, std::uint32_t>;

struct MjcfSite {
  std::size_t link = 0;
  Pose pose;  ///< in the link's frame
};

/// The tree of bodies. Its first link is the world, which does not move.
struct MjcfParts {
  RobotModel model;
  std::vector<Pose> file_poses;              ///< by link: in its parent, in the pose of the file
  std::vector<MjcfJoint> joints;             ///< bodies depth first, in each body as in the file
  std::size_t positions = 0;                 ///< how many numbers the positions of a key have
  std::map<std::string, std::size_t> links;  ///< by the name of a body
  std::map<std::string, std::size_t> joint_numbers;
  std::map<std::string, MjcfSite> sites;
  std::set<std::string> geoms;  ///< their names
  /// Which kinds of collisions there are below the world, `contype` and `conaffinity`, and the
  /// links that have them.
  std::map<MjcfMask, std::set<std::size_t>> masks;

  RobotJoint& joint(const MjcfJoint& of) { return model.links[of.link].joints[of.index]; }
};

}  // namespace servosim::robots
