// SPDX-License-Identifier: Apache-2.0
// The renderer that the library loads.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "base/assert.h"
#include "rendering/library.h"
#include "rendering/rays/ray_field.h"
#include "rendering/rays/ray_scene.h"
#include "rendering/rays/tiles.h"

namespace servosim::rays {

namespace {

// The sizes belong to the result: packets of other shapes may take the other triangle at an edge.
constexpr int kTileSide = 32;
constexpr double kBeyondFar = 1.0 + 1e-5;  // more than single precision rounds off

class RayEye : public Eye {
 public:
  RayEye(const BottomScenes& bottom, const RayPattern& pattern)
      : bottom_(bottom), top_(bottom), field_(pattern) {}

  void find_distances(const Glance& glance, std::span<double> distances) override {
    draw(glance, glance.far * kBeyondFar, [&](int x, int y, const Packet& packet, int i) {
      distances[static_cast<std::size_t>(y) * glance.columns + x] =
          packet.directions[i] == Vec3{} ? 0.0 : packet.distances[i];
    });
  }

  void find_light(const Glance& glance, std::span<float> light) override {
    SERVOSIM_ASSERT(glance.looks != nullptr, "{} columns without looks", glance.columns);
    const Looks& looks = *glance.looks;
    draw(glance, std::numeric_limits<double>::infinity(),
         [&](int x, int y, const Packet& packet, int i) {
           float* const into = &light[3 * (static_cast<std::size_t>(y) * glance.columns + x)];
           const Vec3 seen = light_along(packet, i, glance, looks);
           into[0] = static_cast<float>(seen.x);
           into[1] = static_cast<float>(seen.y);
           into[2] = static_cast<float>(seen.z);
         });
  }

  void find_shapes(const Glance& glance, std::span<std::int32_t> shapes) override {
    draw(glance, std::numeric_limits<double>::infinity(),
         [&](int x, int y, const Packet& packet, int i) {
           const bool is_seen = packet.directions[i] != Vec3{} &&
                                packet.distances[i] != std::numeric_limits<double>::infinity();
           shapes[static_cast<std::size_t>(y) * glance.columns + x] =
               is_seen ? static_cast<std::int32_t>(bottom_.seen()[packet.hits[i].shape].shape) : -1;
         });
  }

 private:
  using Packet = TopScene::Packet;

  // Calls use(column, row, packet, number in the packet) for each pixel.
  template <typename Use>
  void draw(const Glance& glance, double far, const Use& use) {
    SERVOSIM_ASSERT(glance.first_column >= 0 && glance.columns >= 0 &&
                        glance.first_column + glance.columns <= field_.width(),
                    "columns {} and {} more of {}", glance.first_column, glance.columns,
                    field_.width());
    const WithoutDenormals fast;
    top_.place(glance.eye, glance.shapes);
    const int across = (glance.columns + kTileSide - 1) / kTileSide;
    const int down = (field_.height() + kTileSide - 1) / kTileSide;
    for_each_tile(across * down, glance.threads, [&](int tile) {
      const WithoutDenormals here;
      draw_tile(glance, far, tile % across * kTileSide, tile / across * kTileSide, use);
    });
  }

  template <typename Use>
  void draw_tile(const Glance& glance, double far, int left, int top, const Use& use) const {
    const int right = std::min(left + kTileSide, glance.columns);
    const int bottom = std::min(top + kTileSide, field_.height());
    const int columns = field_.height() > 1 ? 4 : TopScene::kPacket;
    const int rows = TopScene::kPacket / columns;
    Packet packet;
    packet.far = far;
    for (int row = top; row < bottom; row += rows) {
      for (int column = left; column < right; column += columns) {
        for (int i = 0; i < TopScene::kPacket; ++i) {
          const int x = column + i % columns;
          const int y = row + i / columns;
          const bool inside = x < right && y < bottom;
          const Vec3 d = inside ? field_.direction(glance.first_column + x, y) : Vec3{};
          packet.directions[i] = d;
          packet.near[i] = glance.near / largest_part(d);
        }
        top_.trace(packet);
        for (int i = 0; i < TopScene::kPacket; ++i) {
          const int x = column + i % columns;
          const int y = row + i / columns;
          if (x < right && y < bottom) {
            use(x, y, packet, i);
          }
        }
      }
    }
  }

  Vec3 light_along(const Packet& packet, int i, const Glance& glance, const Looks& looks) const {
    if (packet.directions[i] == Vec3{}) {
      return {};
    }
    if (packet.distances[i] == std::numeric_limits<double>::infinity()) {
      return looks.sky ? looks.sky->color : Vec3{};
    }
    const std::size_t shape = bottom_.seen()[packet.hits[i].shape].shape;
    const Finish& finish = *looks.finishes[shape];
    const Pose& pose = glance.shapes[shape];
    const Vec3 normal = pose.rotation * top_.normal_of(packet.hits[i]);
    const Vec3 point = glance.eye * (packet.distances[i] * packet.directions[i]);
    Vec3 sum;
    for (const LightSpec& light : looks.lights) {
      const Vec3 towards = light.type == LightType::Directional
                               ? -light.direction
                               : unit_or(light.location - point, {});
      sum = sum + light.intensity * std::max(0.0, dot(normal, towards)) * light.color;
    }
    return finish.law == ShadingLaw::Unlit ? finish.color : scaled(finish.color, sum);
  }

  // Webots draws planar pictures, and others from the pictures on the faces of a cube. The depth is
  // that behind the face.
  double largest_part(const Vec3& d) const {
    return field_.is_planar() ? 1.0 : std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z), 0.5});
  }

  const BottomScenes& bottom_;
  TopScene top_;
  RayField field_;
};

class RayRenderer : public Renderer {
 public:
  explicit RayRenderer(const std::vector<DrawnShape>& shapes) : bottom_(shapes) {}
  std::size_t size() const override { return bottom_.size(); }
  std::unique_ptr<Eye> open(const RayPattern& pattern) const override {
    return std::make_unique<RayEye>(bottom_, pattern);
  }

 private:
  BottomScenes bottom_;
};

}  // namespace

}  // namespace servosim::rays

extern "C" __attribute__((visibility("default"))) servosim::Renderer* servosim_make_renderer(
    const std::vector<servosim::DrawnShape>& shapes) {
  return std::make_unique<servosim::rays::RayRenderer>(shapes).release();
}
