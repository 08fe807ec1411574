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
  RayEye(const BottomScenes& bottom, const RayPattern& pattern) : top_(bottom), field_(pattern) {}

  void find_distances(const Glance& glance, std::span<double> distances) override {
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
      draw_tile(glance, tile % across * kTileSide, tile / across * kTileSide, distances);
    });
  }

 private:
  void draw_tile(const Glance& glance, int left, int top, std::span<double> distances) const {
    const int right = std::min(left + kTileSide, glance.columns);
    const int bottom = std::min(top + kTileSide, field_.height());
    const int columns = field_.height() > 1 ? 4 : TopScene::kPacket;
    const int rows = TopScene::kPacket / columns;
    TopScene::Packet packet;
    packet.far = glance.far * kBeyondFar;
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
            distances[static_cast<std::size_t>(y) * glance.columns + x] =
                packet.directions[i] == Vec3{} ? 0.0 : packet.distances[i];
          }
        }
      }
    }
  }

  // Webots draws planar pictures, and others from the pictures on the faces of a cube. The depth is
  // that behind the face.
  double largest_part(const Vec3& d) const {
    return field_.is_planar() ? 1.0 : std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z), 0.5});
  }

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
