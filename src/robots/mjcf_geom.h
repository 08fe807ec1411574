// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "robots/mjcf_assets.h"
#include "robots/mjcf_parts.h"

namespace servosim::robots {

/// Reads the geoms of an MJCF file.
///
/// Threads: one at a time.
class MjcfGeoms {
 public:
  MjcfGeoms(const MjcfContext& context, MjcfParts& parts)
      : context_(context), parts_(parts), assets_(context) {}

  /// Adds a geom to the visuals and collisions of a link.
  /// @param frame  in which the geom is, in the link's frame
  /// @param weighs  whether the link has its mass from its geoms
  /// @returns its mass in the link's frame, if it has one
  std::optional<MassProperties> read(const MjcfElement& element, std::size_t link,
                                     const Pose& frame, bool weighs);
  /// Reports what is known after the last geom.
  void finish(pugi::xml_node top);

 private:
  struct Shape;

  bool read_shape(const MjcfElement& element, Shape& shape);
  bool read_sizes(const MjcfElement& element, Shape& shape);
  bool read_mesh(const MjcfElement& element, Shape& shape);
  void read_line(const MjcfElement& element, Shape& shape);
  std::optional<MassProperties> mass_of(const MjcfElement& element, Shape& shape);
  void add_shape(const MjcfElement& element, RobotLink& link, const Shape& shape,
                 std::size_t number);
  double friction_of(const MjcfElement& element);
  void set_friction(const MjcfElement& element, RobotLink& link);
  Material material_of(const MjcfElement& element) const;
  bool is_floor(const Shape& shape, std::size_t link) const;

  const MjcfContext& context_;
  MjcfParts& parts_;
  MjcfAssets assets_;
  int hulls_ = 0;                     // meshes that touch
  int rollers_ = 0;                   // geoms with friction against spinning and rolling
  double most_of_smooth_ = 0.0;       // the largest friction of geoms with condim 1
  double least_of_rough_ = kNoLimit;  // the smallest one of others
};

}  // namespace servosim::robots
