// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "devices/sight.h"
#include "devices/switched_colors.h"
#include "scene/drawing.h"
#include "servosim/math.h"

namespace servosim::wbt {
class Tree;
}

namespace servosim {

class Notices;
class PaintedSurfaces;
class PhysicsWorld;
class WorldTree;
struct Scene;

/// What sensors see of a scene. The forms of its Shapes are read from the tree, and the renderer is
/// loaded, when the first sensor opens an eye; their looks are read when the first Camera asks for
/// them. Clones share all of it.
///
/// Threads: one at a time, with the whole Simulation.
class WorldSight : public Sight {
 public:
  /// @param tree  the tree of the scene, when an eye is opened; outlives this object
  /// @param scene  outlives this object
  /// @param physics  outlives this object
  /// @param colors  the present colours of what the LEDs of the scene switch; outlives this object
  /// @param surfaces  what controllers have drawn; outlives this object
  /// @param notices  where messages go; outlives this object
  /// @param like  the sight of an original of which this one's simulation is a clone; may be null
  /// @param before  the sight of the scene before the tree changed; may be null
  WorldSight(WorldTree& tree, const Scene& scene, const PhysicsWorld& physics,
             const SwitchedColors& colors, const PaintedSurfaces& surfaces, Notices& notices,
             const WorldSight* like, const WorldSight* before);
  ~WorldSight() override;

  std::unique_ptr<Eye> open(const RayPattern& pattern) override;
  std::span<const Pose> shapes() override;
  const Looks& looks() override;
  std::shared_ptr<const Image> picture(const NamedPicture& file,
                                       const std::string& sensor) override;
  std::span<const SolidLook> solid_looks() override;
  int solid_of_shape(std::size_t shape) override;
  std::optional<BoundingSphere> sphere_around(std::span<const char> is_wanted) override;
  std::span<const char> hidden_shapes(std::span<const std::uint32_t> nodes,
                                      bool sees_spots) override;
  int threads() const override { return threads_; }

 private:
  struct Known;
  const Known& known();
  const Known& known_with_looks();
  Drawing drawn(DrawingUse use);
  bool is_hidden_with(const DrawnShape& shape, std::uint32_t hidden, const wbt::Tree& tree) const;
  void tell(const std::vector<std::string>& missing, bool& told);
  void tell_faults(const std::vector<std::string>& faults);
  void find_solids();
  void switch_finishes(const Known& known);
  void switch_finish(const DrawnShape& shape, const std::shared_ptr<const Finish>& of_file,
                     std::shared_ptr<const Finish>& finish) const;

  WorldTree& tree_;
  const Scene& scene_;
  const PhysicsWorld& physics_;
  const SwitchedColors& colors_;
  const PaintedSurfaces& surfaces_;
  Notices& notices_;
  std::shared_ptr<Known> known_;  // not null; clones share it
  int threads_;
  bool has_told_forms_ = false;
  bool has_told_looks_ = false;
  std::vector<SolidLook> solid_looks_;
  std::uint64_t solid_looks_of_ = 0;  // WorldTree::edits() of their tree
  std::vector<char> hidden_shapes_;
  std::vector<Pose> solids_;
  std::vector<Pose> shapes_;
  std::vector<LightSpec> lights_;
  // Each shape has one. What an LED switches, and what is painted, has a finish of its own.
  std::vector<std::shared_ptr<const Finish>> finishes_;
  Looks looks_;
};

}  // namespace servosim
