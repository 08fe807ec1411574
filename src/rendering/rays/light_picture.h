// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
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
  using Packet = TopScene::Packet;
  /// The light along the rays of a packet.
  using Light = std::array<Floats3, TopScene::kParts>;
  /// The arguments must outlive this object.
  LightPicture(const BottomScenes& bottom, PictureStore& store);

  /// Takes over the shapes and the looks of a moment.
  /// @param spread  the angle between two rays [rad]
  void prepare(const Glance& glance, double spread);
  /// The most packets at a time. To do each step of the work for several keeps its code in the
  /// processor's cache.
  static constexpr std::size_t kMostPackets = 8;
  /// Finds the light along each ray. A null direction has none.
  void see(std::span<const Packet> packets, std::span<Light> light) const;
  /// Finds the distances to what is opaque along each ray.
  void measure(const Packet& packet, TopScene::OfRays<double>& distances) const {
    scenes_[kOpaque]->measure(packet, distances);
  }

 private:
  using Hits = TopScene::Hits;
  template <typename Value>
  using OfRays = TopScene::OfRays<Value>;
  // A Shape in the frame of the eye.
  struct PlacedShape {
    const SeenSurface* surface = nullptr;
    std::array<Float3, 3> rows;         // take a vector of the geometry to the frame
    std::array<Float3, 3> normal_rows;  // and a normal
    float area = 1.0f;                  // the product of the scales
    float eye_distance = 0.0f;          // of its middle [m]
    LampSet left_out;                   // lights that do not shine on it
  };
  // What kLanes rays of a packet from one on see of one Shape.
  struct SeenPart {
    std::size_t packet;
    int first;
    SurfacePoints points;
    ShadowSets shadows;

    Floats3& of(std::span<Light> light) const { return light[packet][first / kLanes]; }
  };
  // What several packets see, in their order.
  struct SeenParts {
    std::array<SeenPart, kMostPackets * kRays> list;  // of which the first are used
    std::size_t count = 0;

    std::span<SeenPart> all() { return std::span(list).first(count); }
  };
  // What an eye sees first, what shines through, and what throws shadows.
  enum Group { kOpaque, kTranslucent, kCasters, kGroups };
  using Members = std::array<std::vector<unsigned>, kGroups>;

  void take_surfaces(const Looks& looks);
  Members members_of(const Glance& glance);
  void take_members(Members members);
  void place(const Glance& glance);
  LampSet too_weak_for(const SeenShape& seen, const Pose& in_eye) const;
  Light light_behind(const Packet& packet, unsigned met) const;
  void find_points(const Hits& hits, int first, unsigned used, const Floats3& directions,
                   SurfacePoints& points) const;
  void find_parts(std::span<const Packet> packets, std::span<const Hits> hits,
                  SeenParts& parts) const;
  void cast_shadows(const Lamp& lamp, std::span<SeenPart> parts) const;
  void cast_shadows(std::span<SeenPart> parts) const;
  void cover(const Packet& packet, const OfRays<float>& distances, Light& light) const;

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
