// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "rendering/rays/illumination.h"
#include "rendering/rays/ray_scene.h"
#include "rendering/rays/shading.h"
#include "rendering/rays/surface.h"
#include "rendering/renderer.h"

namespace servosim::rays {

/// What the pictures of all eyes share.
///
/// Threads: any number at a time.
struct PictureStore {
  Pyramids pyramids;
  SkyCubes cubes;
};

/// The light that comes along rays to an eye.
///
/// Threads: one at a time; between two calls of prepare(), any number may see().
class LightPicture {
 public:
  static constexpr int kRays = TopScene::kPacket;
  /// The arguments must outlive this object.
  LightPicture(const BottomScenes& bottom, PictureStore& store);

  /// Takes over the shapes and the looks of a moment.
  /// @param spread  the angle between two rays [rad]
  void prepare(const Glance& glance, double spread);
  /// Returns the light along each ray. A null direction has none.
  std::array<Float3, kRays> see(TopScene::Packet& packet) const;
  /// Finds the distances to what is opaque along each ray.
  void measure(TopScene::Packet& packet) const { scenes_[kOpaque]->trace(packet); }

 private:
  using Hit = TopScene::Hit;
  // A Shape in the frame of the eye.
  struct PlacedShape {
    const SeenSurface* surface = nullptr;
    std::array<Float3, 3> rows;         // take a vector of the geometry to the frame
    std::array<Float3, 3> normal_rows;  // and a normal
    float area = 1.0f;                  // the product of the scales
    float eye_distance = 0.0f;          // of its middle [m]
    LampSet left_out;                   // lights that do not shine on it
  };
  // What an eye sees first, what shines through, and what throws shadows.
  enum Group { kOpaque, kTranslucent, kCasters, kGroups };
  using Members = std::array<std::vector<unsigned>, kGroups>;

  void take_surfaces(const Looks& looks);
  Members members_of(const Glance& glance);
  void take_members(Members members);
  void place(const Glance& glance);
  LampSet too_weak_for(const SeenShape& seen, const Pose& in_eye) const;
  SurfacePoint point_at(const Hit& hit, const Float3& direction, float t) const;
  std::array<ShadowSet, kRays> shadows_at(const std::array<SurfacePoint, kRays>& points,
                                          unsigned used) const;
  void cover(const TopScene::Packet& packet, std::array<Float3, kRays>& light) const;

  const BottomScenes& bottom_;
  PictureStore& store_;
  std::vector<std::shared_ptr<const Finish>> finishes_;  // of all shapes of the Renderer
  std::vector<std::shared_ptr<const SeenSurface>> surfaces_;
  Members members_;
  bool casters_differ_ = false;  // from what is opaque
  // There is always a scene of what is opaque, one of what is translucent if there is something,
  // and one of what throws shadows if there are shadows, and not all that is opaque throws them.
  std::array<std::optional<TopScene>, kGroups> scenes_;
  std::vector<PlacedShape> placed_;  // by the number in BottomScenes::seen()
  std::optional<Illumination> illumination_;
  float spread_ = 0.0f;
};

}  // namespace servosim::rays
