// SPDX-License-Identifier: Apache-2.0
// The renderer that the library loads.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/tiles.h"
#include "rendering/library.h"
#include "rendering/rays/light_picture.h"
#include "rendering/rays/ray_field.h"
#include "rendering/rays/ray_scene.h"
#include "rendering/rays/strokes.h"

namespace servosim::rays {

namespace {

// The sizes belong to the result: packets of other shapes may take the other triangle at an edge.
constexpr int kTileSide = 32;
constexpr double kBeyondFar = 1.0 + 1e-5;  // more than single precision rounds off

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class RayEye : public Eye {
 public:
  RayEye(const BottomScenes& bottom, const std::vector<StrokeShape>& strokes, PictureStore& store,
         RayPattern pattern)
      : bottom_(bottom),
        strokes_(strokes),
        store_(store),
        pattern_(std::move(pattern)),
        field_(pattern_) {}

  void find_distances(const Glance& glance, std::span<double> distances) override {
    const double far = glance.far * kBeyondFar;
    constexpr double kSeesAll = 0.0;  // rays end at `far`
    trace<TopScene::OfRays<double>>(
        scene_of(forms_, glance, kSeesAll), glance, far, &TopScene::measure,
        [&](const Run& run, const Packet& packet, const TopScene::OfRays<double>& found) {
          for (int i = 0; i < run.count; ++i) {
            distances[run.place + i] = packet.has(run.first + i) ? found[run.first + i] : 0.0;
          }
        });
  }

  void find_light(const Glance& glance, std::span<float> light) override {
    SERVOSIM_ASSERT(glance.rays_per_pixel == 1 || glance.rays_per_pixel == 4, "{} rays for a pixel",
                    glance.rays_per_pixel);
    if (!picture_) {
      picture_.emplace(bottom_, store_);
    }
    const WithoutDenormals fast;
    const double across = pattern_.projection == Projection::Planar
                              ? 2.0 * std::tan(0.5 * pattern_.field_of_view)
                              : pattern_.field_of_view;
    const int rays_across = pattern_.width * (glance.rays_per_pixel == 4 ? 2 : 1);
    picture_->prepare(glance, across / rays_across);
    glance.rays_per_pixel == 1 ? find_light_of_pixels(glance, light)
                               : find_light_of_quarters(glance, light);
    if (!strokes_.empty()) {
      draw_strokes(glance, light);
    }
  }

  void find_shapes(const Glance& glance, std::span<std::int32_t> shapes) override {
    trace<TopScene::Hits>(
        scene_of(near_forms_, glance, glance.far), glance, kInfinity, &TopScene::trace,
        [&](const Run& run, const Packet&, const TopScene::Hits& hits) {
          for (int i = 0; i < run.count; ++i) {
            const int ray = run.first + i;
            shapes[run.place + i] =
                (hits.met >> ray & 1u) != 0
                    ? static_cast<std::int32_t>(bottom_.seen()[hits.shape[ray]].shape)
                    : -1;
          }
        });
  }

 private:
  using Packet = TopScene::Packet;
  using Light = LightPicture::Light;
  // Adjacent pixels of a row that rays of a packet see.
  struct Run {
    std::size_t place;  // of the first one: row * columns of the glance + column
    int first;          // the first ray
    int count;
  };

  // The scene of the shapes that are not hidden and not wholly beyond a depth.
  TopScene& scene_of(std::optional<TopScene>& scene, const Glance& glance, double far) const {
    std::vector<unsigned> members;
    for (unsigned i = 0; i < bottom_.seen().size(); ++i) {
      const SeenShape& seen = bottom_.seen()[i];
      if (!is_hidden(glance, seen.shape) &&
          !is_beyond(seen, glance.shapes[seen.shape], glance.eye, far)) {
        members.push_back(i);
      }
    }
    if (!scene || scene->members() != members) {
      scene.emplace(bottom_, std::move(members));
    }
    return *scene;
  }

  // Calls use(run, packet, what it finds) for all rays up to `far`, whatever Shapes look like.
  template <typename Found, typename Use>
  void trace(TopScene& scene, const Glance& glance, double far,
             void (TopScene::*find)(const Packet&, Found&) const, const Use& use) const {
    const WithoutDenormals fast;
    scene.place(glance.eye, glance.shapes);
    const auto see = [&](const Packet& packet) {
      Found found;
      (scene.*find)(packet, found);
      return found;
    };
    draw(glance, field_, far, see, use);
  }

  void find_light_of_pixels(const Glance& glance, std::span<float> light) {
    draw(
        glance, field_, kInfinity, [this](const Packet& packet) { return picture_->see(packet); },
        [&](const Run& run, const Packet&, const Light& seen) {
          float* const pixels = &light[3 * run.place];
          if (run.count == kLanes) {
            store(seen[run.first / kLanes], pixels);
            return;
          }
          for (int i = 0; i < run.count; ++i) {
            put(of_ray(seen, run.first + i), pixels + 3 * i);
          }
        });
  }

  // Each pixel is the mean of four quarters.
  void find_light_of_quarters(const Glance& glance, std::span<float> light) {
    if (!fine_field_) {
      RayPattern fine = pattern_;
      fine.width *= 2;
      fine.height *= 2;
      fine.elevations.clear();
      for (std::size_t i = 0; i < pattern_.elevations.size(); ++i) {
        fine.elevations.insert(fine.elevations.end(), 2, pattern_.elevations[i]);
      }
      fine_field_.emplace(fine);
    }
    Glance quarters = glance;
    quarters.first_column *= 2;
    quarters.columns *= 2;
    std::fill(light.begin(), light.end(), 0.0f);
    // A tile has whole pixels, and so only one thread adds to each.
    draw(
        quarters, *fine_field_, kInfinity,
        [this](const Packet& packet) { return picture_->see(packet); },
        [&](const Run& run, const Packet&, const Light& seen) {
          const std::size_t row = run.place / quarters.columns / 2 * glance.columns;
          const std::size_t column = run.place % quarters.columns;
          for (int i = 0; i < run.count; ++i) {
            float* const pixel = &light[3 * (row + (column + i) / 2)];
            const Float3 before{pixel[0], pixel[1], pixel[2]};
            put(before + 0.25f * of_ray(seen, run.first + i), pixel);
          }
        });
  }

  // Draws lines and points where nothing opaque is in front of them. Those on a surface are seen.
  void draw_strokes(const Glance& glance, std::span<float> light) const {
    constexpr double kOnSurface = 1e-3;
    const auto pixels = StrokePainter(pattern_).paint(glance, strokes_);
    Packet packet;
    std::array<const StrokePixel*, TopScene::kPacket> drawn{};
    std::array<std::size_t, TopScene::kPacket> places{};
    int count = 0;
    const auto finish = [&] {
      for (int i = count; i < TopScene::kPacket; ++i) {
        packet.set_direction(i, {});
      }
      TopScene::OfRays<double> distances;
      packet.far = kInfinity;
      picture_->measure(packet, distances);
      for (int i = 0; i < count; ++i) {
        if (distances[i] >= 1.0 - kOnSurface) {
          put(drawn[i]->color, &light[3 * places[i]]);
        }
      }
      count = 0;
    };
    for (const auto& [place, pixel] : pixels) {
      const int column = static_cast<int>(place % pattern_.width) - glance.first_column;
      if (column < 0 || column >= glance.columns) {
        continue;
      }
      places[count] = place / pattern_.width * glance.columns + static_cast<std::size_t>(column);
      drawn[count] = &pixel;
      packet.set_direction(count, pixel.place);  // the stroke is where the ray has a length of 1
      packet.near[count] = glance.near / (field_.is_planar() ? pixel.place.x : norm(pixel.place));
      if (++count == TopScene::kPacket) {
        finish();
      }
    }
    finish();
  }

  static Float3 of_ray(const Light& light, int i) { return of_lane(light[i / kLanes], i % kLanes); }

  static void put(const Float3& light, float* pixel) {
    pixel[0] = light.x;
    pixel[1] = light.y;
    pixel[2] = light.z;
  }

  // Finds see(packet) for all rays up to `far`, and calls use(run, packet, found) for each run.
  template <typename See, typename Use>
  void draw(const Glance& glance, const RayField& field, double far, const See& see,
            const Use& use) const {
    SERVOSIM_ASSERT(glance.first_column >= 0 && glance.columns >= 0 &&
                        glance.first_column + glance.columns <= field.width(),
                    "columns {} and {} more of {}", glance.first_column, glance.columns,
                    field.width());
    const int across = (glance.columns + kTileSide - 1) / kTileSide;
    const int down = (field.height() + kTileSide - 1) / kTileSide;
    for_each_tile(across * down, glance.threads, [&](int tile) {
      const WithoutDenormals here;
      draw_tile(glance, field, far, tile % across * kTileSide, tile / across * kTileSide, see, use);
    });
  }

  template <typename See, typename Use>
  static void draw_tile(const Glance& glance, const RayField& field, double far, int left, int top,
                        const See& see, const Use& use) {
    const int right = std::min(left + kTileSide, glance.columns);
    const int bottom = std::min(top + kTileSide, field.height());
    const int columns = field.height() > 1 ? 4 : TopScene::kPacket;
    const int rows = TopScene::kPacket / columns;
    const bool planar = field.is_planar();
    Packet packet;
    packet.far = far;
    packet.near.fill(glance.near);
    for (int row = top; row < bottom; row += rows) {
      for (int column = left; column < right; column += columns) {
        const int across = std::min(columns, right - column);
        const int down = std::min(rows, bottom - row);
        if (across == columns && down == rows) {
          field.fill(glance.first_column + column, row, columns, rows, packet.x.data(),
                     packet.y.data(), packet.z.data());
        } else {
          packet.x = packet.y = packet.z = {};
          for (int n = 0; n < across * down; ++n) {
            const int x = n % across;
            const int y = n / across;
            packet.set_direction(y * columns + x,
                                 field.direction(glance.first_column + column + x, row + y));
          }
        }
        for (int i = 0; !planar && i < TopScene::kPacket; ++i) {
          packet.near[i] = glance.near / largest_part(packet.direction(i));
        }
        const auto found = see(packet);
        for (int y = 0; y < down; ++y) {
          use(Run{static_cast<std::size_t>(row + y) * glance.columns + column, y * columns, across},
              packet, found);
        }
      }
    }
  }

  // Webots draws planar pictures, and others from the pictures on the faces of a cube. The depth is
  // that behind the face.
  static double largest_part(const Vec3& d) {
    return std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z), 0.5});
  }

  const BottomScenes& bottom_;
  const std::vector<StrokeShape>& strokes_;
  PictureStore& store_;
  const RayPattern pattern_;
  const RayField field_;
  std::optional<RayField> fine_field_;
  std::optional<TopScene> forms_;        // those not hidden, from the first find_distances()
  std::optional<TopScene> near_forms_;   // also not beyond `far`, from the first find_shapes()
  std::optional<LightPicture> picture_;  // from the first find_light()
};

class RayRenderer : public Renderer {
 public:
  RayRenderer(const std::vector<DrawnShape>& shapes, const RayRenderer* like)
      : bottom_(shapes, like != nullptr ? &like->bottom_ : nullptr),
        strokes_(strokes_of(shapes)),
        store_(like != nullptr ? like->store_ : std::make_shared<PictureStore>()) {}
  std::size_t size() const override { return bottom_.size(); }
  std::unique_ptr<Eye> open(const RayPattern& pattern) const override {
    return std::make_unique<RayEye>(bottom_, strokes_, *store_, pattern);
  }

 private:
  BottomScenes bottom_;
  std::vector<StrokeShape> strokes_;
  std::shared_ptr<PictureStore> store_;  // not null
};

}  // namespace

}  // namespace servosim::rays

extern "C" __attribute__((visibility("default"))) servosim::Renderer* servosim_make_renderer(
    const std::vector<servosim::DrawnShape>& shapes, const servosim::Renderer* like) {
  // Only this library makes renderers.
  const auto* const known = static_cast<const servosim::rays::RayRenderer*>(like);
  return std::make_unique<servosim::rays::RayRenderer>(shapes, known).release();
}
