// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "base/xml.h"
#include "robots/xml_fields.h"
#include "servosim/math.h"

namespace servosim::robots {

/// The frames of an SDF by their names from the world on, such as `arm::hand::palm`: those of
/// models, links, joints and of their own. The frame of the world has the name "".
///
/// Threads: one at a time.
class SdfFrames {
 public:
  explicit SdfFrames(XmlFields& xml) : xml_(xml) { frames_[""].state = State::Known; }

  /// Adds a frame with a pose in another one. Returns false if there is one with its name.
  /// @param holder  the frame that it is attached to, from which link_of() goes on; "" for a link
  bool add(const std::string& name, const Pose& pose, const std::string& relative_to,
           const std::string& holder, pugi::xml_node where);
  bool contains(const std::string& name) const { return frames_.contains(name); }
  /// Returns the pose of a frame in the world. A frame that does not exist, or one that is relative
  /// to itself by way of others, is an error at `where`.
  Pose pose(const std::string& name, pugi::xml_node where);
  /// Returns the frame at the end of those to which a frame is attached: the name of a link or "".
  std::string link_of(std::string name) const;

 private:
  enum class State { Given, Open, Known };
  struct Frame {
    Pose own;
    std::string relative_to;
    std::string holder;
    pugi::xml_node where;
    State state = State::Given;
    Pose pose;  // in the world, once it is known
  };

  XmlFields& xml_;
  std::map<std::string, Frame> frames_;
};

}  // namespace servosim::robots
