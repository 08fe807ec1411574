// SPDX-License-Identifier: Apache-2.0
// Pictures of distances against Embree's own time for the same rays. Times are processor times of
// one thread, the least of several.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <random>
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
};

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

void measure(const char* name, const World& world, const RayPattern& pattern) {
  const std::unique_ptr<Renderer> renderer(servosim_make_renderer(world.shapes, nullptr));
  const std::unique_ptr<Eye> eye = renderer->open(pattern);
  std::vector<double> distances(static_cast<std::size_t>(pattern.width) * pattern.height);
  Glance glance{{}, world.poses, 0.01, 100.0, 0, pattern.width, 1};
  const double ours = least_ms([&](int i) {
    glance.eye.translation.x = 1e-3 * i;  // the sensor moves, so that all shapes are placed
    eye->find_distances(glance, distances);
  });
  const rays::BottomScenes bottom(world.shapes);
  rays::TopScene top(bottom);
  const double place = least_ms([&](int i) { top.place({{}, {1e-3 * i, 0.0, 0.0}}, world.poses); });
  const std::vector<RTCRayHit8> packets = packets_of(pattern);
  std::vector<RTCRayHit8> traced;
  const rays::WithoutDenormals fast;
  alignas(32) int valid[8];
  std::fill(std::begin(valid), std::end(valid), -1);
  double embree = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 40; ++i) {
    traced = packets;
    const double before = processor_ms();
    for (RTCRayHit8& packet : traced) {
      RTCIntersectContext context;
      rtcInitIntersectContext(&context);
      context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
      rtcIntersect8(valid, top.scene(), &context, &packet);
    }
    embree = std::min(embree, processor_ms() - before);
  }
  fmt::print(
      "{:<22} {:8.3f} ms, of which {:.3f} place the shapes; Embree {:8.3f} ms; ratio {:.2f}\n",
      name, ours, place, embree, ours / embree);
}

}  // namespace
}  // namespace servosim

int main() {
  using namespace servosim;
  const World world = make_world(60);
  measure("RangeFinder 640 x 480", world, {Projection::Planar, 640, 480, 1.0});
  measure("RangeFinder 64 x 64", world, {Projection::Planar, 64, 64, 1.0});
  RayPattern lidar{Projection::Cylindrical, 360, 16, 6.2832};
  for (int layer = 0; layer < 16; ++layer) {
    lidar.elevations.push_back(0.26 - 0.52 * layer / 15.0);
  }
  measure("Lidar 360 x 16", world, lidar);
}
