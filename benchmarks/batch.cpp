// SPDX-License-Identifier: Apache-2.0
// Batches: steps per second of many instances, the memory of a clone, and the time of a return to a
// saved state.
//
//     bench_batch                                 everything
//     bench_batch cart-pole|humanoid|lanes|clone|memory|reset   a part
//     bench_batch step|rollout|restore cart-pole|arm6|arm48|humanoid[/EVALUATIONS] INSTANCES STEPS
//                                                 one alone, for callgrind and processor times;
//                                                 with EVALUATIONS by the integrator joint
#include "servosim/batch.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace {

using servosim::Batch;
using servosim::BatchOptions;
using servosim::LoadOptions;
using servosim::Simulation;
using Clock = std::chrono::steady_clock;

const char* const kCartPole = R"(#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 physicsDisableTime 0 }
Robot { name "r" children [
  SliderJoint {
    jointParameters JointParameters { axis 1 0 0 }
    device LinearMotor { name "cart" maxForce 10 }
    endPoint Solid { name "cart" children [
      HingeJoint {
        jointParameters HingeJointParameters { position 0.05 axis 0 1 0 }
        device PositionSensor { name "pole" }
        endPoint Solid { name "pole" translation 0.025 0 0.5 rotation 0 1 0 0.05
          boundingObject Box { size 0.02 0.02 1 } physics Physics { density -1 mass 0.1 } } } ]
      boundingObject Box { size 0.2 0.1 0.1 } physics Physics { density -1 mass 1 } } } ] })";

// A chain of hinges, about z and y in turn.
std::string arm(int joints) {
  std::string text =
      "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 physicsDisableTime 0 }\n"
      "Robot { name \"arm\" children [\n";
  for (int j = 0; j < joints; ++j) {
    text += fmt::format(
        "HingeJoint {{ jointParameters HingeJointParameters {{ axis {} anchor {} 0 0 "
        "dampingConstant 0.5 }} device [ RotationalMotor {{ name \"m{}\" maxTorque 100 }} "
        "PositionSensor {{ name \"s{}\" }} ] endPoint Solid {{ name \"l{}\" translation {} 0 0 "
        "boundingObject Box {{ size 0.2 0.05 0.05 }} physics Physics {{ density -1 mass 0.5 }} "
        "children [\n",
        j % 2 == 0 ? "0 0 1" : "0 1 0", j == 0 ? 0.0 : 0.1, j, j, j, j == 0 ? 0.1 : 0.2);
  }
  for (int j = 0; j < joints; ++j) {
    text += "] } }\n";
  }
  return text + "] }\n";
}

// The shortest of several times, per item [s]. Disturbances only make a time longer.
double seconds_per(double items, const std::function<void()>& work, int repetitions = 9) {
  double best = 1e9;
  for (int i = 0; i < repetitions; ++i) {
    const Clock::time_point start = Clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best / items;
}

void steps_per_second(const char* name, const Simulation& world, std::size_t count, int steps,
                      const std::vector<std::string>& act) {
  double of_one = 0.0;
  for (const std::size_t threads : {1, 2}) {
    BatchOptions options;
    options.threads = threads;
    options.number = servosim::BatchNumber::Float32;
    Batch batch(world, count, options);
    batch.bind({"*.position", "*.velocity"}, act);
    const std::size_t in = batch.action_names().size();
    const std::size_t out = batch.observation_names().size();
    const auto items = static_cast<double>(count) * steps;
    const double stepped = seconds_per(items, [&] {
      batch.reset();
      for (int t = 0; t < steps; ++t) {
        batch.step();
      }
    });
    const std::vector<float> actions(count * static_cast<std::size_t>(steps) * in);
    std::vector<float> rows(count * static_cast<std::size_t>(steps) * out);
    const double rolled = seconds_per(items, [&] {
      batch.reset();
      batch.rollout<float>(actions, static_cast<std::size_t>(steps), rows);
    });
    fmt::print(
        "{}, {} instances, {} threads: {:.3f} M steps per second by step(), {:.3f} M by "
        "rollout()",
        name, count, threads, 1e-6 / stepped, 1e-6 / rolled);
    if (threads == 1) {
      of_one = std::min(stepped, rolled);
      fmt::print("\n");
    } else {
      fmt::print(", {:.2f} times\n", of_one / std::min(stepped, rolled));
    }
  }
}

void clone_and_restore(const char* name, const Simulation& original) {
  constexpr int kTimes = 1000;
  Simulation copy = original.clone();
  servosim::SimulationState state = original.save();
  const double saved = seconds_per(kTimes, [&] {
    for (int i = 0; i < kTimes; ++i) {
      state = copy.save(std::move(state));
    }
  });
  const double restored = seconds_per(kTimes, [&] {
    for (int i = 0; i < kTimes; ++i) {
      copy.restore(state);
    }
  });
  const double cloned = seconds_per(kTimes / 10, [&] {
    for (int i = 0; i < kTimes / 10; ++i) {
      static_cast<void>(original.clone());
    }
  });
  fmt::print("{}: save {:.2f} us, restore {:.2f} us, clone {:.1f} us\n", name, 1e6 * saved,
             1e6 * restored, 1e6 * cloned);
}

std::size_t memory_in_use() {
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

void memory(const char* name, const Simulation& world) {
  constexpr std::size_t kCount = 512;
  const std::size_t before = memory_in_use();
  Batch batch(world, kCount);
  batch.bind({"*.position", "*.velocity"}, {});
  batch.step();
  batch.step();
  fmt::print("{}: {:.1f} kB per instance\n", name,
             static_cast<double>(memory_in_use() - before) / kCount / 1000.0);
}

void randomized(const Simulation& world) {
  constexpr std::size_t kCount = 256;
  Batch batch(world, kCount);
  batch.bind({"*.position"}, {});
  const double plain = seconds_per(kCount, [&] { batch.reset(); });
  batch.randomize({{"pole.mass", 0.1, 0.3}});
  const double drawn = seconds_per(kCount, [&] { batch.reset(); });
  fmt::print("reset of a cart-pole: {:.2f} us, with another mass {:.1f} us\n", 1e6 * plain,
             1e6 * drawn);
}

LoadOptions by_joints(int evaluations) {
  LoadOptions options;
  options.integrator = servosim::Integrator::Joint;
  options.evaluations = evaluations;
  return options;
}

Simulation world_called(const std::string& name_and_evaluations) {
  const std::size_t slash = name_and_evaluations.find('/');
  const std::string name = name_and_evaluations.substr(0, slash);
  const LoadOptions options = slash == std::string::npos
                                  ? LoadOptions()
                                  : by_joints(std::stoi(name_and_evaluations.substr(slash + 1)));
  return name == "arm6"       ? Simulation::from_text(arm(6), options)
         : name == "arm48"    ? Simulation::from_text(arm(48), options)
         : name == "humanoid" ? Simulation(SERVOSIM_HUMANOID, options)
                              : Simulation::from_text(kCartPole, options);
}

void one_alone(const std::string& what, const std::string& name, std::size_t count,
               std::size_t steps) {
  const Simulation world = world_called(name);
  if (what == "restore") {
    Simulation copy = world.clone();
    const servosim::SimulationState state = world.save();
    for (std::size_t i = 0; i < count * steps; ++i) {
      copy.restore(state);
    }
    return;
  }
  BatchOptions options;
  options.number = servosim::BatchNumber::Float32;
  Batch batch(world, count, options);
  batch.bind({"*.position", "*.velocity"},
             {name.starts_with("cart-pole") ? "cart.target_force" : "*.target_position"});
  if (what == "step") {
    for (std::size_t t = 0; t < steps; ++t) {
      batch.step();
    }
    return;
  }
  const std::vector<float> actions(count * steps * batch.action_names().size());
  std::vector<float> rows(count * steps * batch.observation_names().size());
  batch.rollout<float>(actions, steps, rows);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 5) {
    one_alone(argv[1], argv[2], std::stoul(argv[3]), std::stoul(argv[4]));
    return 0;
  }
  const Simulation cart_pole = Simulation::from_text(kCartPole);
  const std::string only = argc > 1 ? argv[1] : "";
  const auto wanted = [&only](const char* part) { return only.empty() || only == part; };
  if (wanted("cart-pole")) {
    steps_per_second("cart-poles", cart_pole, 1024, 100, {"cart.target_force"});
    steps_per_second("cart-poles", cart_pole, 32, 1000, {"cart.target_force"});
  }
  if (wanted("humanoid")) {
    const Simulation humanoid(SERVOSIM_HUMANOID);
    steps_per_second("humanoids", humanoid, 64, 100, {"*.target_position"});
  }
  if (wanted("lanes")) {
    const Simulation in_lanes = Simulation::from_text(kCartPole, by_joints(1));
    for (const std::size_t count : {64, 1024, 8192}) {
      steps_per_second("cart-poles in lanes", in_lanes, count, static_cast<int>(800000 / count),
                       {"cart.target_force"});
    }
    const Simulation arms = Simulation::from_text(arm(6), by_joints(1));
    steps_per_second("arms of 6 in lanes", arms, 1024, 200, {});
    steps_per_second("arms of 6 in lanes that are driven", arms, 1024, 200, {"*.target_position"});
  }
  if (wanted("clone")) {
    clone_and_restore("cart-pole", cart_pole);
    clone_and_restore("arm of 6 joints", Simulation::from_text(arm(6)));
    clone_and_restore("arm of 48 joints", Simulation::from_text(arm(48)));
  }
  if (wanted("memory")) {
    memory("cart-pole", cart_pole);
    memory("arm of 6 joints", Simulation::from_text(arm(6)));
    memory("arm of 48 joints", Simulation::from_text(arm(48)));
    memory("cart-pole in lanes", Simulation::from_text(kCartPole, by_joints(1)));
    memory("arm of 6 joints in lanes", Simulation::from_text(arm(6), by_joints(1)));
  }
  if (wanted("reset")) {
    randomized(cart_pole);
  }
}
