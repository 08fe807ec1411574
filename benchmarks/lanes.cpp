// SPDX-License-Identifier: Apache-2.0
// Equal robots, one by one and side by side: the time of a step of PhysicsWorld, without devices.
//
//     bench_lanes                                 the table; half a minute
//     bench_lanes --quick                         checks that it runs
//     bench_lanes none|sse2|avx2|avx512 ROBOTS JOINTS STEPS   one alone, for callgrind
#include <fmt/format.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "physics/physics_world.h"
#include "scene.h"
#include "scene/scene.h"
#include "scene/scene_builder.h"
#include "servosim/diagnostics.h"
#include "wbt/world_file.h"

namespace servosim::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kNames[] = {"none", "sse2", "avx2", "avx512"};
constexpr LaneSet kSets[] = {LaneSet::None, LaneSet::Sse2, LaneSet::Avx2, LaneSet::Avx512};

// Arms that are all in one world, or each in a world of its own.
class Arms {
 public:
  Arms(int worlds, int robots, int joints, LaneSet lanes) : scene_(read(robots, joints)) {
    PhysicsOptions options;
    options.lanes = lanes;
    Diagnostics ignored;
    for (int w = 0; w < worlds; ++w) {
      owned_.push_back(std::make_unique<PhysicsWorld>(scene_, ignored, options));
      worlds_.push_back(owned_.back().get());
      Joints& of_world = owned_.back()->joints();
      for (int j = 0; j < static_cast<int>(of_world.count()); ++j) {
        joints_.push_back(&of_world[j]);
      }
    }
    outcomes_.resize(worlds_.size());
  }

  void step() {
    const double target = 0.5 * std::sin(0.01 * ++steps_);
    for (JointState* const joint : joints_) {
      joint->drive.velocity = 10.0 * (target - joint->position);
      joint->drive.max_force = 100.0;
    }
    PhysicsWorld::step_together(worlds_, outcomes_);
    for (const PhysicsWorld::StepOutcome& outcome : outcomes_) {
      if (outcome.error) {
        std::rethrow_exception(outcome.error);
      }
    }
  }

  double seconds(int steps) {
    const auto start = Clock::now();
    for (int i = 0; i < steps; ++i) {
      step();
    }
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

 private:
  static servosim::Scene read(int robots, int joints) {
    Diagnostics ignored;
    return build_scene(
        wbt::read_world_text(world_text({Kind::Arms, robots, joints}), "arms", ".", {}, ignored),
        ignored);
  }

  servosim::Scene scene_;
  std::vector<std::unique_ptr<PhysicsWorld>> owned_;
  std::vector<PhysicsWorld*> worlds_;
  std::vector<JointState*> joints_;  // the joints of all arms
  std::vector<PhysicsWorld::StepOutcome> outcomes_;
  int steps_ = 0;
};

// The smallest time of several rounds [ns per joint and robot].
double best(int worlds, int robots, int joints, LaneSet lanes, int rounds) {
  Arms arms(worlds, robots, joints, lanes);
  arms.seconds(20);
  double least = 1e9;
  for (int round = 0; round < rounds; ++round) {
    least = std::min(least, arms.seconds(20) / 20);
  }
  return least * 1e9 / (worlds * robots * joints);
}

void print_row(int worlds, int robots, int joints, int rounds) {
  fmt::print("| {:>4} worlds of {:>4} arms of {:>2} |", worlds, robots, joints);
  for (const LaneSet set : kSets) {
    fmt::print(" {:>6} |", has_lanes(set)
                               ? fmt::format("{:.0f}", best(worlds, robots, joints, set, rounds))
                               : "-");
  }
  fmt::print("\n");
}

// Prints the steps per second of two halves in two threads, over those of the first half alone.
void print_threads(int rounds) {
  Arms one(1, 500, 2, widest_lanes());
  Arms other(1, 500, 2, widest_lanes());
  one.seconds(50);
  other.seconds(50);
  double most = 0.0;
  for (int round = 0; round < rounds; ++round) {
    const double alone = one.seconds(50);
    std::barrier start(2);
    std::thread thread([&] {
      start.arrive_and_wait();
      other.seconds(50);
    });
    start.arrive_and_wait();
    const auto began = Clock::now();
    one.seconds(50);
    thread.join();
    most =
        std::max(most, 2.0 * alone / std::chrono::duration<double>(Clock::now() - began).count());
  }
  fmt::print("\nTwice 500 arms of 2 in two threads: {:.2f} times the throughput of one\n", most);
}

int compare(bool quick) {
  const int rounds = quick ? 2 : 60;
  fmt::print("Nanoseconds per joint and robot of a step, least of {} rounds:\n\n", rounds);
  fmt::print("| {:28} |", "");
  for (const char* const name : kNames) {
    fmt::print(" {:>6} |", name);
  }
  fmt::print("\n|------------------------------|-------:|-------:|-------:|-------:|\n");
  print_row(1, quick ? 9 : 1000, 2, rounds);
  print_row(1, quick ? 9 : 100, 6, rounds);
  print_row(quick ? 9 : 1000, 1, 2, rounds);
  print_threads(quick ? 2 : 20);
  return 0;
}

int run_alone(std::string_view set, int robots, int joints, int steps) {
  const auto* const name = std::find(std::begin(kNames), std::end(kNames), set);
  const LaneSet lanes =
      name != std::end(kNames) ? kSets[name - std::begin(kNames)] : widest_lanes();
  if (!has_lanes(lanes)) {
    fmt::print(stderr, "this processor has no {}\n", set);
    return 1;
  }
  Arms arms(1, robots, joints, lanes);
  fmt::print("{:.3f} s\n", arms.seconds(steps));
  return 0;
}

}  // namespace
}  // namespace servosim::bench

int main(int argc, char** argv) {
  using namespace servosim::bench;
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  if (arguments.empty() || arguments[0] == "--quick") {
    return compare(!arguments.empty());
  }
  if (arguments.size() == 4) {
    return run_alone(arguments[0], std::atoi(argv[2]), std::atoi(argv[3]), std::atoi(argv[4]));
  }
  fmt::print(stderr, "usage: bench_lanes [--quick | none|sse2|avx2|avx512 ROBOTS JOINTS STEPS]\n");
  return 2;
}
