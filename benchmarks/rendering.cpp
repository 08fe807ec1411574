// SPDX-License-Identifier: Apache-2.0
// Pictures of distances and of light against Embree's own time for the same rays, and for placing
// the Shapes, which move, as each picture finds them. Times are processor times of one thread, the
// least of several.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "rendering/library.h"
#include "rendering/rays/ray_field.h"
#include "rendering/rays/ray_scene.h"

namespace servosim {
namespace {

using Form = DrawnShape::Form;

struct World {
  std::vector<DrawnShape> shapes;
  std::vector<Pose> poses;
  std::vector<std::shared_ptr<const Finish>> finishes;
  std::vector<LightSpec> lights;
};

// Squares of two colours.
std::shared_ptr<const Image> make_picture() {
  auto image = std::make_shared<Image>();
  image->width = image->height = 256;
  for (int i = 0; i < 256 * 256; ++i) {
    const std::uint8_t value = (i / 32 + i / (256 * 32)) % 2 == 0 ? 220 : 60;
    image->pixels.insert(image->pixels.end(),
                         {value, 128, static_cast<std::uint8_t>(i % 256), 255});
  }
  return image;
}

// Half of the shapes have a Material with a picture, and half a PBRAppearance. One light throws
// shadows.
void add_looks(World& world) {
  const std::shared_ptr<const Image> picture = make_picture();
  for (std::size_t i = 0; i < world.shapes.size(); ++i) {
    Finish finish;
    finish.law = i % 2 == 0 ? ShadingLaw::Phong : ShadingLaw::Physical;
    finish.color = {0.8, 0.5, 0.2};
    finish.roughness = 0.5;
    finish.metalness = 0.2;
    if (i % 2 == 0) {
      finish.color_map.image = picture;
    }
    world.finishes.push_back(std::make_shared<const Finish>(finish));
  }
  LightSpec& sun = world.lights.emplace_back();
  sun.direction = unit_or(Vec3{1.0, 0.5, -1.5}, {});
  sun.ambient_intensity = 0.3;
  sun.casts_shadows = true;
}

// A floor, and boxes, spheres and cylinders in front of the sensor and around it.
World make_world(int count) {
  World world;
  std::mt19937 generator(1);
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(generator);
  };
  DrawnShape floor;
  floor.form = Form::Plane;
  floor.size = {100.0, 100.0, 0.0};
  world.shapes.push_back(floor);
  world.poses.push_back({{}, {0.0, 0.0, -2.0}});
  for (int i = 0; i < count; ++i) {
    DrawnShape shape;
    shape.form = i % 3 == 0 ? Form::Box : i % 3 == 1 ? Form::Sphere : Form::Cylinder;
    shape.size = {0.4, 0.3, 0.5};
    shape.radius = 0.3;
    shape.height = 0.5;
    shape.icosahedron = true;
    shape.subdivision = shape.form == Form::Sphere ? 3 : 36;
    world.shapes.push_back(shape);
    const Vec3 axis{between(-1.0, 1.0), between(-1.0, 1.0), 1.0};
    const double x = between(2.0, 10.0);
    world.poses.push_back({rotation_matrix({axis, between(0.0, 3.0)}),
                           {i % 4 == 0 ? -x : x, between(-5.0, 5.0), between(-2.0, 3.0)}});
  }
  return world;
}

double processor_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

template <typename Work>
double least_ms(const Work& work) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 40; ++i) {
    const double before = processor_ms();
    work(i);
    least = std::min(least, processor_ms() - before);
  }
  return least;
}

// The rays of a picture in packets of Embree, tile by tile as the renderer has them.
std::vector<RTCRayHit8> packets_of(const RayPattern& pattern) {
  const rays::RayField field(pattern);
  std::vector<RTCRayHit8> packets;
  constexpr int kTile = 32;
  for (int top = 0; top < pattern.height; top += kTile) {
    for (int left = 0; left < pattern.width; left += kTile) {
      for (int y = top; y < std::min(top + kTile, pattern.height); y += 2) {
        for (int x = left; x < std::min(left + kTile, pattern.width); x += 4) {
          RTCRayHit8& packet = packets.emplace_back();
          for (int i = 0; i < 8; ++i) {
            const Vec3 d = field.direction(std::min(x + i % 4, pattern.width - 1),
                                           std::min(y + i / 4, pattern.height - 1));
            packet.ray.dir_x[i] = static_cast<float>(d.x);
            packet.ray.dir_y[i] = static_cast<float>(d.y);
            packet.ray.dir_z[i] = static_cast<float>(d.z);
            packet.ray.tnear[i] = 0.01f;
            packet.ray.tfar[i] = 100.0f;
            packet.ray.mask[i] = ~0u;
            packet.hit.geomID[i] = packet.hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
          }
        }
      }
    }
  }
  return packets;
}

// The ways from what the rays meet to the light.
std::vector<RTCRay8> shadow_packets(const std::vector<RTCRayHit8>& traced, const Vec3& towards) {
  std::vector<RTCRay8> packets;
  for (const RTCRayHit8& primary : traced) {
    RTCRay8& packet = packets.emplace_back();
    for (int i = 0; i < 8; ++i) {
      const float t = 0.9999f * primary.ray.tfar[i];
      const bool meets = primary.hit.geomID[i] != RTC_INVALID_GEOMETRY_ID;
      packet.org_x[i] = t * primary.ray.dir_x[i];
      packet.org_y[i] = t * primary.ray.dir_y[i];
      packet.org_z[i] = t * primary.ray.dir_z[i];
      packet.dir_x[i] = static_cast<float>(towards.x);
      packet.dir_y[i] = static_cast<float>(towards.y);
      packet.dir_z[i] = static_cast<float>(towards.z);
      packet.tnear[i] = 1e-3f;
      packet.tfar[i] = meets ? std::numeric_limits<float>::infinity() : -1.0f;
      packet.mask[i] = ~0u;
    }
  }
  return packets;
}

// Embree's time for packets: the least of several.
template <typename Packets, typename Trace>
double embree_ms(const Packets& packets, Packets& traced, const Trace& trace) {
  const rays::WithoutDenormals fast;
  alignas(32) int valid[8];
  std::fill(std::begin(valid), std::end(valid), -1);
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 40; ++i) {
    traced = packets;
    const double before = processor_ms();
    for (auto& packet : traced) {
      RTCIntersectContext context;
      rtcInitIntersectContext(&context);
      context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
      trace(valid, &context, packet);
    }
    least = std::min(least, processor_ms() - before);
  }
  return least;
}

// Embree's time for placing all Shapes of a scene: the least of several.
double embree_placing_ms(const rays::TopScene& top, std::span<const unsigned> members) {
  std::vector<std::pair<RTCGeometry, std::array<float, 12>>> instances;
  for (const unsigned member : members) {
    auto& [geometry, transform] = instances.emplace_back();
    geometry = rtcGetGeometry(top.scene(), member);
    rtcGetGeometryTransform(geometry, 0.0f, RTC_FORMAT_FLOAT3X4_COLUMN_MAJOR, transform.data());
  }
  return least_ms([&](int i) {
    for (auto& [geometry, transform] : instances) {
      transform[9] += i % 2 == 0 ? 1e-3f : -1e-3f;
      rtcSetGeometryTransform(geometry, 0, RTC_FORMAT_FLOAT3X4_COLUMN_MAJOR, transform.data());
      rtcCommitGeometry(geometry);
    }
    rtcCommitScene(top.scene());
  });
}

void measure(const char* name, const World& world, const RayPattern& pattern) {
  const std::unique_ptr<Renderer> renderer(servosim_make_renderer(world.shapes, nullptr));
  const std::unique_ptr<Eye> eye = renderer->open(pattern);
  const std::size_t pixels = static_cast<std::size_t>(pattern.width) * pattern.height;
  std::vector<double> distances(pixels);
  std::vector<float> light(3 * pixels);
  const bool is_camera = !world.finishes.empty();
  const Looks looks{world.finishes, world.lights, Sky{.color = {0.5, 0.6, 0.9}, .axes = {}},
                    std::nullopt};
  Glance glance{.eye = {},
                .shapes = world.poses,
                .near = 0.01,
                .far = 100.0,
                .columns = pattern.width,
                .looks = &looks};
  const double ours = least_ms([&](int i) {
    glance.eye.translation.x = 1e-3 * i;  // the sensor moves, so that all shapes are placed
    is_camera ? eye->find_light(glance, light) : eye->find_distances(glance, distances);
  });
  const rays::BottomScenes bottom(world.shapes);
  std::vector<unsigned> members(bottom.seen().size());
  std::iota(members.begin(), members.end(), 0U);
  rays::TopScene top(bottom, members);
  top.place({}, world.poses);
  const double placing = embree_placing_ms(top, members);
  std::vector<RTCRayHit8> traced;
  double embree =
      placing + embree_ms(packets_of(pattern), traced,
                          [&](const int* valid, RTCIntersectContext* context, RTCRayHit8& packet) {
                            rtcIntersect8(valid, top.scene(), context, &packet);
                          });
  if (is_camera) {
    std::vector<RTCRay8> shadows;
    embree += embree_ms(shadow_packets(traced, -world.lights[0].direction), shadows,
                        [&](const int* valid, RTCIntersectContext* context, RTCRay8& packet) {
                          rtcOccluded8(valid, top.scene(), context, &packet);
                        });
  }
  fmt::print(
      "{:<22} {:8.3f} ms; Embree {:8.3f} ms, of which {:.3f} place the Shapes; ratio {:.2f}\n",
      name, ours, embree, placing, ours / embree);
}

}  // namespace
}  // namespace servosim

int main() {
  using namespace servosim;
  World world = make_world(60);
  measure("RangeFinder 640 x 480", world, {Projection::Planar, 640, 480, 1.0});
  measure("RangeFinder 64 x 64", world, {Projection::Planar, 64, 64, 1.0});
  RayPattern lidar{Projection::Cylindrical, 360, 16, 6.2832};
  for (int layer = 0; layer < 16; ++layer) {
    lidar.elevations.push_back(0.26 - 0.52 * layer / 15.0);
  }
  measure("Lidar 360 x 16", world, lidar);
  add_looks(world);
  measure("Camera 640 x 480", world, {Projection::Planar, 640, 480, 1.0});
  measure("Camera 64 x 64", world, {Projection::Planar, 64, 64, 1.0});
  measure("Camera 52 x 39", world, {Projection::Planar, 52, 39, 1.0});  // that of an E-puck
}
