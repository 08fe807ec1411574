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
static_assert(kTileSide / 4 <= static_cast<int>(LightPicture::kMostPackets));
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
    const auto use = [&glance, is_final = strokes_.empty()](const PicturePart& part) {
      if (is_final && glance.use_part) {
        glance.use_part(part);
      }
    };
    glance.rays_per_pixel == 1 ? find_light_of_pixels(glance, light, use)
                               : find_light_of_quarters(glance, light, use);
    if (!strokes_.empty()) {
      draw_strokes(glance, light);
      if (glance.use_part) {
        for_each_part(glance, field_, glance.use_part);
      }
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
    const auto see = [&](std::span<const Packet> packets, std::span<Found> found) {
      for (std::size_t n = 0; n < packets.size(); ++n) {
        (scene.*find)(packets[n], found[n]);
      }
    };
    draw<Found>(glance, field_, far, see, use, [](const PicturePart&) {});
  }

  auto seeing() const {
    return [this](std::span<const Packet> packets, std::span<Light> light) {
      picture_->see(packets, light);
    };
  }

  // These call use_part with each part that is drawn.
  template <typename UsePart>
  void find_light_of_pixels(const Glance& glance, std::span<float> light, const UsePart& use_part) {
    const auto use = [&](const Run& run, const Packet&, const Light& seen) {
      float* const pixels = &light[3 * run.place];
      if (run.count == kLanes) {
        store(seen[run.first / kLanes], pixels);
        return;
      }
      for (int i = 0; i < run.count; ++i) {
        put(of_ray(seen, run.first + i), pixels + 3 * i);
      }
    };
    draw<Light>(glance, field_, kInfinity, seeing(), use, use_part);
  }

  // Each pixel is the mean of four quarters.
  template <typename UsePart>
  void find_light_of_quarters(const Glance& glance, std::span<float> light,
                              const UsePart& use_part) {
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
    const auto use = [&](const Run& run, const Packet&, const Light& seen) {
      const std::size_t row = run.place / quarters.columns / 2 * glance.columns;
      const std::size_t column = run.place % quarters.columns;
      for (int i = 0; i < run.count; ++i) {
        float* const pixel = &light[3 * (row + (column + i) / 2)];
        const Float3 before{pixel[0], pixel[1], pixel[2]};
        put(before + 0.25f * of_ray(seen, run.first + i), pixel);
      }
    };
    // A part has whole pixels, and so only one thread adds to each.
    draw<Light>(quarters, *fine_field_, kInfinity, seeing(), use, [&](const PicturePart& part) {
      use_part(PicturePart{part.left / 2, part.right / 2, part.top / 2, part.bottom / 2});
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

  // Calls see(packets, found) for all rays up to `far`, then use(run, packet, found) for each run,
  // and use_part(part) where all rays of a part have been used.
  template <typename Found, typename See, typename Use, typename UsePart>
  static void draw(const Glance& glance, const RayField& field, double far, const See& see,
                   const Use& use, const UsePart& use_part) {
    for_each_part(glance, field, [&](const PicturePart& part) {
      const WithoutDenormals here;
      for (int row = part.top; row < part.bottom; row += packet_rows(field)) {
        draw_strip<Found>(glance, field, far, part.left, row, see, use);
      }
      use_part(part);
    });
  }

  // Calls work(part) for the tiles of a picture, in several threads.
  template <typename Work>
  static void for_each_part(const Glance& glance, const RayField& field, const Work& work) {
    SERVOSIM_ASSERT(glance.first_column >= 0 && glance.columns >= 0 &&
                        glance.first_column + glance.columns <= field.width(),
                    "columns {} and {} more of {}", glance.first_column, glance.columns,
                    field.width());
    const int across = (glance.columns + kTileSide - 1) / kTileSide;
    const int down = (field.height() + kTileSide - 1) / kTileSide;
    for_each_tile(across * down, glance.threads, [&](int tile) {
      const int left = tile % across * kTileSide;
      const int top = tile / across * kTileSide;
      work(PicturePart{left, std::min(left + kTileSide, glance.columns), top,
                       std::min(top + kTileSide, field.height())});
    });
  }

  // Packets are four columns wide and two rows high, or eight columns if there is one row.
  static int packet_rows(const RayField& field) { return field.height() > 1 ? 2 : 1; }

  // Draws one row of packets of a tile.
  template <typename Found, typename See, typename Use>
  static void draw_strip(const Glance& glance, const RayField& field, double far, int left, int row,
                         const See& see, const Use& use) {
    const int rows = packet_rows(field);
    const int columns = TopScene::kPacket / rows;
    const int right = std::min(left + kTileSide, glance.columns);
    const int down = std::min(rows, field.height() - row);
    std::array<Packet, LightPicture::kMostPackets> packets;
    std::array<Found, LightPicture::kMostPackets> found;
    std::size_t count = 0;
    for (int column = left; column < right; column += columns) {
      Packet& packet = packets[count++];
      aim(packet, field, glance.first_column + column, row, std::min(columns, right - column),
          down);
      packet.far = far;
      for (int i = 0; i < TopScene::kPacket; ++i) {
        packet.near[i] =
            field.is_planar() ? glance.near : glance.near / largest_part(packet.direction(i));
      }
    }
    see(std::span<const Packet>(packets).first(count), std::span(found).first(count));
    for (std::size_t n = 0; n < count; ++n) {
      const int column = left + static_cast<int>(n) * columns;
      for (int y = 0; y < down; ++y) {
        use(Run{static_cast<std::size_t>(row + y) * glance.columns + column, y * columns,
                std::min(columns, right - column)},
            packets[n], found[n]);
      }
    }
  }

  // Sets the directions of a packet that is `across` columns wide and `down` rows high in the
  // picture.
  static void aim(Packet& packet, const RayField& field, int column, int row, int across,
                  int down) {
    const int rows = packet_rows(field);
    const int columns = TopScene::kPacket / rows;
    if (across == columns && down == rows) {
      field.fill(column, row, columns, rows, packet.x.data(), packet.y.data(), packet.z.data());
      return;
    }
    packet.x = packet.y = packet.z = {};
    for (int n = 0; n < across * down; ++n) {
      const int x = n % across;
      const int y = n / across;
      packet.set_direction(y * columns + x, field.direction(column + x, row + y));
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
