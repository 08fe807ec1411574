// SPDX-License-Identifier: Apache-2.0
// Pictures in batches: the time of a picture in a batch against that of a single Camera, the gain
// of two threads, and what an instance with a Camera takes and costs at the start. Times of one
// thread are processor times, so that other programs disturb them little.
//
//     bench_batch_pictures                     everything
//     bench_batch_pictures step INSTANCES SIDE STEPS    a batch alone, for callgrind
#include <fmt/format.h>
#include <malloc.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "servosim/batch.h"
#include "servosim/camera.h"

namespace {

using servosim::Batch;
using servosim::BatchOptions;
using servosim::Camera;
using servosim::Simulation;
using Clock = std::chrono::steady_clock;

// A floor and 60 Shapes, half of them with a picture, around a Camera that a motor moves.
std::string world_of(int width, int height) {
  std::mt19937 generator(1);
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(generator);
  };
  std::string text =
      "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 16 }\n"
      "Background { skyColor [ 0.5 0.6 0.9 ] }\n"
      "DirectionalLight { direction 1 0.5 -1.5 ambientIntensity 0.3 castShadows TRUE }\n"
      "Pose { translation 0 0 -2 children [ Shape { appearance Appearance { material Material { } "
      "} geometry Plane { size 100 100 } } ] }\n";
  for (int i = 0; i < 60; ++i) {
    const double x = between(2.0, 10.0);
    const std::string look =
        i % 2 == 0 ? fmt::format(
                         "Appearance {{ material Material {{ diffuseColor 0.8 0.5 0.2 }} texture "
                         "ImageTexture {{ url \"{}\" }} }}",
                         SERVOSIM_PICTURE)
                   : "PBRAppearance { baseColor 0.8 0.5 0.2 roughness 0.5 metalness 0.2 }";
    const char* const form = i % 3 == 0   ? "Box { size 0.4 0.3 0.5 }"
                             : i % 3 == 1 ? "Sphere { radius 0.3 subdivision 3 }"
                                          : "Cylinder { radius 0.3 height 0.5 }";
    text += fmt::format(
        "Pose {{ translation {} {} {} rotation {} {} 1 {} children [ Shape {{ appearance {} "
        "geometry {} }} ] }}\n",
        i % 4 == 0 ? -x : x, between(-5.0, 5.0), between(-2.0, 3.0), between(-1.0, 1.0),
        between(-1.0, 1.0), between(0.0, 3.0), look, form);
  }
  return text + fmt::format(
                    "Robot {{ name \"r\" children [ SliderJoint {{ jointParameters "
                    "JointParameters {{ }} device LinearMotor {{ name \"m\" maxVelocity 0.1 }} "
                    "endPoint Solid {{ name \"head\" children [ Camera {{ name \"camera\" width {} "
                    "height {} fieldOfView 1 }} ] }} }} ] }}\n",
                    width, height);
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double own_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double wall_seconds() {
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

template <typename Work>
double seconds(double (*clock)(), const Work& work) {
  const double start = clock();
  work();
  return clock() - start;
}

// The least of several times.
template <typename Work>
double least_of(int times, const Work& work) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < times; ++i) {
    least = std::min(least, work());
  }
  return least;
}

std::size_t memory_in_use() {
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

Batch batch_of(const Simulation& world, std::size_t count, std::size_t threads) {
  BatchOptions options;
  options.threads = threads;
  Batch batch(world, count, options);
  batch.bind({"camera.rgb"}, {"m.target_velocity"});
  std::ranges::fill(batch.actions<double>(), 1e-3);
  static_cast<void>(batch.step());
  return batch;
}

void step(Batch& batch, int steps) {
  for (int t = 0; t < steps; ++t) {
    static_cast<void>(batch.step());
  }
}

void begin(Simulation& simulation) {
  simulation.robot(0).find("camera")->get<Camera>()->enable(16, 0.0);
  simulation.robot(0).motor("m").set_position(INFINITY);
  simulation.robot(0).motor("m").set_velocity(1e-3);
  simulation.step(2);
}

// A simulation that is loaded draws a picture with all processors, and its clone with one.
void threads_of_a_picture() {
  Simulation all = Simulation::from_text(world_of(640, 480));
  Simulation one = all.clone();
  begin(all);
  begin(one);
  double of_all = std::numeric_limits<double>::infinity();
  double of_one = of_all;
  double longest = of_all;  // processor time of the thread that works longer, if there are two
  double work = of_all;
  for (int round = 0; round < 15; ++round) {
    double both = 0.0;
    double own = 0.0;
    of_all = std::min(of_all, seconds(wall_seconds, [&] {
                        both = seconds(processor_seconds,
                                       [&] { own = seconds(own_seconds, [&] { all.step(); }); });
                      }));
    longest = std::min(longest, std::max(own, both - own));
    of_one = std::min(of_one, seconds(wall_seconds, [&] {
                        work = std::min(work, seconds(own_seconds, [&] { one.step(); }));
                      }));
  }
  fmt::print(
      "640 x 480: a single Camera {:.1f} ms, with all processors {:.1f} ms, {:.2f} times, {:.2f} "
      "by "
      "processor time\n",
      1e3 * of_one, 1e3 * of_all, of_one / of_all, work / longest);
}

// Rounds of a single Camera and of a batch alternate, since the machine may change its pace.
void compare(int width, int height, std::size_t count, int steps, int rounds) {
  const Simulation world = Simulation::from_text(world_of(width, height));
  Simulation single = world.clone();  // which draws with one thread
  begin(single);
  Batch one = batch_of(world, count, 1);
  Batch two = batch_of(world, count, 2);
  const double pictures = static_cast<double>(count) * steps;
  double alone = std::numeric_limits<double>::infinity();
  double in_batch = alone;
  double of_one = alone;
  double of_two = alone;
  double longest = alone;  // processor time of the thread that works longer
  std::vector<double> ratios;
  for (int round = 0; round < rounds; ++round) {
    const double a = seconds(processor_seconds, [&] { single.step(std::lround(pictures)); });
    double b = 0.0;
    of_one = std::min(of_one, seconds(wall_seconds, [&] {
                        b = seconds(processor_seconds, [&] { step(one, steps); });
                      }));
    double all = 0.0;
    double own = 0.0;
    of_two = std::min(of_two, seconds(wall_seconds, [&] {
                        all = seconds(processor_seconds, [&] {
                          own = seconds(own_seconds, [&] { step(two, steps); });
                        });
                      }));
    longest = std::min(longest, std::max(own, all - own));
    ratios.push_back(a / b);
    alone = std::min(alone, a);
    in_batch = std::min(in_batch, b);
  }
  std::ranges::sort(ratios);
  fmt::print(
      "{} x {}: a picture of a single Camera {:.3f} ms, of one of {} instances {:.3f} ms, {:.0f} "
      "pictures per second, {:.3f} times as many (median {:.3f}); two threads {:.2f} times, {:.2f} "
      "by processor time\n",
      width, height, 1e3 * alone / pictures, count, 1e3 * in_batch / pictures, pictures / in_batch,
      alone / in_batch, ratios[ratios.size() / 2], of_one / of_two, in_batch / longest);
}

void memory_and_start() {
  constexpr std::size_t kCount = 256;
  const Simulation world = Simulation::from_text(world_of(64, 64));
  static_cast<void>(batch_of(world, 1, 1));  // reads pictures and loads the renderer
  std::size_t before = memory_in_use();
  {
    Batch blind(world, kCount);
    blind.bind({}, {"m.target_velocity"});
    static_cast<void>(blind.step());
    fmt::print("an instance takes {:.1f} kB", 1e-3 * (memory_in_use() - before) / kCount);
  }
  before = memory_in_use();
  const Batch batch = batch_of(world, kCount, 1);
  fmt::print(", with a Camera {:.1f} kB", 1e-3 * (memory_in_use() - before) / kCount);
  const double start = least_of(
      3, [&] { return seconds(processor_seconds, [&] { Batch(world, kCount).bind({}, {}); }); });
  const double with = least_of(3, [&] {
    return seconds(processor_seconds, [&] { Batch(world, kCount).bind({"camera.rgb"}, {}); });
  });
  fmt::print("; {} instances begin in {:.1f} ms, with their first pictures in {:.1f} ms\n", kCount,
             1e3 * start, 1e3 * with);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 5) {
    const int side = std::stoi(argv[3]);
    Batch batch = batch_of(Simulation::from_text(world_of(side, side)), std::stoul(argv[2]), 1);
    step(batch, std::stoi(argv[4]));
    return 0;
  }
  memory_and_start();
  threads_of_a_picture();
  compare(64, 64, 256, 1, 15);
  compare(640, 480, 8, 1, 9);
}
