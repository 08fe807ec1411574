// SPDX-License-Identifier: Apache-2.0
// Instances in lanes have the bits of a Simulation, whatever their neighbours do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "batch/batch_worlds.h"
#include "servosim/batch.h"
#include "servosim/solid.h"
#include "support/repetitions.h"

namespace servosim::test {
namespace {

namespace lane_instances_test {

constexpr std::size_t kCount = 11;  // more than one register has, and a part of another one

class RandomWorld {
 public:
  explicit RandomWorld(unsigned seed) : random_(seed) {}

  double number(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  int whole(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool chance(double share) { return number(0.0, 1.0) < share; }

  // A tree of hinges and sliders on a base that does not move. Nothing in it has a shape.
  std::string text() {
    joints_ = 0;
    std::string children;
    const int trees = whole(1, 2);
    for (int t = 0; t < trees; ++t) {
      children += joint(0);
    }
    return fmt::format(
        "#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep {} physicsDisableTime 0 gravity {} }}\n"
        "Robot {{ name \"r\" children [ {} ] }}",
        whole(1, 3) * 4, number(0.0, 12.0), children);
  }
  int joints() const { return joints_; }
  const std::vector<int>& motors() const { return motors_; }

 private:
  std::string joint(int depth) {
    const int j = joints_++;
    const bool turns = chance(0.7);
    std::string parameters =
        fmt::format("axis {} {} {} ", number(-1.0, 1.0), number(-1.0, 1.0), 0.3);
    if (turns) {
      parameters += fmt::format("anchor {} {} 0.05 ", number(-0.3, 0.3), number(-0.3, 0.3));
    }
    parameters += chance(0.3) ? fmt::format("position {} ", number(-0.05, 0.05)) : "";
    parameters += chance(0.4) ? fmt::format("dampingConstant {} ", number(0.0, 2.0)) : "";
    parameters += chance(0.3) ? fmt::format("springConstant {} ", number(0.0, 30.0)) : "";
    parameters += chance(0.2) ? fmt::format("springReference {} ", number(-0.5, 4.5)) : "";
    parameters += chance(0.3) ? fmt::format("armature {} ", number(0.001, 0.5)) : "";
    parameters += chance(0.3) ? fmt::format("staticFriction {} ", number(0.0, 1.0)) : "";
    parameters += chance(0.4) ? fmt::format("minStop {} maxStop {} ", number(-0.6, -0.1),
                                            chance(0.2) ? 4.5 : number(0.1, 0.6))
                              : "";
    std::string device;
    if (chance(0.6)) {
      motors_.push_back(j);
      device = fmt::format(
          "device [ {}Motor {{ name \"m{}\" {} {} maxVelocity {} {} {} }} "
          "PositionSensor {{ name \"s{}\" }} ]",
          turns ? "Rotational" : "Linear", j, turns ? "maxTorque" : "maxForce", number(0.5, 20.0),
          number(1.0, 9.0), chance(0.3) ? "acceleration 15" : "",
          chance(0.3) ? "controlPID 8 0.5 0.02 minPosition -1 maxPosition 1.5" : "", j);
    }
    std::string below;
    for (int k = whole(0, 2); k > 0 && depth < 3 && joints_ < 7; --k) {
      below += joint(depth + 1);
    }
    const double mass = number(0.2, 2.0);
    return fmt::format(
        "{0}Joint {{ jointParameters {1} {{ {2} }} {3} endPoint Solid {{ name \"l{4}\" "
        "translation {5} {6} 0.1 children [ {7} ] physics Physics {{ density -1 mass {8} "
        "centerOfMass [ {9} 0.03 -0.02 ] inertiaMatrix [ {10} {11} {12}, 0.001 0 0.002 ] "
        "{13} }} }} }}\n",
        turns ? "Hinge" : "Slider", turns ? "HingeJointParameters" : "JointParameters", parameters,
        device, j, number(-0.3, 0.3), number(-0.3, 0.3), below, mass, number(-0.1, 0.1),
        0.02 * mass, 0.03 * mass, 0.025 * mass,
        chance(0.3) ? "damping Damping { linear 0.1 angular 0.2 }" : "");
  }

  std::mt19937 random_;
  int joints_ = 0;
  std::vector<int> motors_;
};

Batch joint_batch(const std::string& world, std::size_t threads, double control_step_ms,
                  int evaluations = 1) {
  LoadOptions load;
  load.notice = [](std::string_view) {};
  load.integrator = Integrator::Joint;
  load.evaluations = evaluations;
  BatchOptions options;
  options.threads = threads;
  options.control_step_ms = control_step_ms;
  return Batch(Simulation::from_text(world, load), kCount, options);
}

// The same instances, each of which steps alone.
void hold(const Batch& batch) {
  for (std::size_t i = 0; i < batch.size(); ++i) {
    batch.simulation(i);
  }
}

std::uint64_t hash_of(const Batch& batch, std::size_t i) {
  std::uint64_t hash = 0;
  batch.simulation(i, [&hash](Simulation& simulation) { hash = simulation.state_hash(); });
  return hash;
}

std::vector<double> efforts_of(const Batch& batch, std::size_t i) {
  std::vector<double> efforts;
  batch.simulation(i, [&efforts](Simulation& simulation) {
    for (const Joint joint : simulation.joints()) {
      efforts.push_back(joint.effort());
      efforts.push_back(joint.position());
      efforts.push_back(joint.velocity());
    }
  });
  return efforts;
}

std::vector<std::string> actions_of(const std::vector<int>& motors, RandomWorld& random) {
  std::vector<std::string> names;
  for (const int motor : motors) {
    const int kind = random.whole(0, 3);
    const auto add = [&](const char* what) { names.push_back(fmt::format("m{}.{}", motor, what)); };
    if (kind == 0 || kind == 3) {
      add("target_position");
    }
    if (kind == 1 || kind == 3) {
      add("target_velocity");
    }
    if (kind == 2) {
      add("target_force");
    }
  }
  return names;
}

double command(RandomWorld& random) {
  const int kind = random.whole(0, 19);
  return kind == 0   ? std::numeric_limits<double>::quiet_NaN()
         : kind == 1 ? random.number(-100.0, 100.0)
         : kind == 2 ? -0.0
                     : random.number(-3.0, 3.0);
}

bool same_rows(const Batch& a, const Batch& b) {
  const auto rows = [](const Batch& batch) {
    const std::span<const double> all = batch.observations<double>();
    return std::vector<double>(all.begin(), all.end());
  };
  return same_bits(rows(a), rows(b));
}

// Does the same to two batches: resets, states, changes by hand, parameters.
void disturb(Batch& batch, RandomWorld random, int joints) {
  const auto i = static_cast<std::size_t>(random.whole(0, kCount - 1));
  switch (random.whole(0, 4)) {
    case 0: {
      std::vector<std::uint8_t> mask(kCount);
      for (std::uint8_t& chosen : mask) {
        chosen = random.chance(0.4) ? 1 : 0;
      }
      return batch.reset(mask);
    }
    case 1: {
      std::vector<std::uint8_t> mask(kCount);
      mask[(i + 3) % kCount] = mask[i] = 1;
      const SimulationState state = batch.save(i);
      return batch.reset(mask, std::span(&state, 1));
    }
    case 2:
      return batch.simulation(i, [&](Simulation& simulation) {
        if (random.chance(0.3)) {  // gravity then acts in another direction of the joints
          simulation.solid("r").set_pose(
              {rotation_matrix({{1.0, 0.0, 0.0}, random.number(0.5, 1.5)}),
               {0.1, 0.0, random.number(-0.2, 0.2)}});
        }
        simulation.joints()[random.whole(0, joints - 1)].set_state(random.number(-0.1, 0.1),
                                                                   random.number(-1.0, 1.0));
      });
    case 3: {
      std::vector<double> gravity(kCount);
      for (double& g : gravity) {
        g = random.chance(0.5) ? 3.0 : 9.81;
      }
      return random.chance(0.3) ? batch.set("WorldInfo.gravity", gravity) : void();
    }
    default: {
      const bool in_lane = batch.lanes().instances > 0;
      const double time = time_of(batch, i);
      batch.simulation(
          i, [&](Simulation& simulation) { EXPECT_EQ(simulation.time(), time) << in_lane; });
    }
  }
}

// Shared steering of two batches.
void steer_both(Batch& one, Batch& other, RandomWorld& random) {
  const std::span<double> a = one.actions<double>();
  const std::span<double> b = other.actions<double>();
  for (std::size_t n = 0; n < a.size(); ++n) {
    a[n] = b[n] = command(random);
  }
}

std::vector<std::string> two_quantities() { return {"r/*.position", "r/*.velocity", "time"}; }

TEST(LaneInstances, HaveTheBitsOfASimulation) {
  const int worlds = repetitions(50, 500);
  const int steps = repetitions(150, 1000);
  std::size_t in_lanes[2]{};  // with one evaluation, with several
  std::size_t all[2]{};
  for (int w = 0; w < worlds; ++w) {
    RandomWorld random(static_cast<unsigned>(w) + 1);
    const std::string world = random.text();
    const double basic = Simulation::from_text(world).basic_time_step_ms();
    const double control = basic * random.whole(1, 3);
    const int evaluations = random.chance(0.5) ? 1 : random.whole(0, 3);
    Batch batch = joint_batch(world, w % 2 == 0 ? 1 : 2, control, evaluations);
    Batch alone = joint_batch(world, 1, control, evaluations);
    const std::vector<std::string> actions = actions_of(random.motors(), random);
    batch.bind(two_quantities(), actions);
    alone.bind(two_quantities(), actions);
    if (random.chance(0.5)) {
      for (Batch* const both : {&batch, &alone}) {
        both->randomize({{"sensor noise", 0.01, 0.02}, {"action delay", 0.0, 3.0}});
        both->reset();
      }
    }
    hold(alone);
    for (int t = 0; t < steps; ++t) {
      if (random.chance(0.05)) {
        const RandomWorld copy = random;
        disturb(batch, copy, random.joints());
        disturb(alone, copy, random.joints());
      }
      steer_both(batch, alone, random);
      ASSERT_TRUE(batch.step());
      ASSERT_TRUE(alone.step());
      if (t < 150) {  // later nearly all worlds have a number of their own, and step alone
        in_lanes[evaluations == 1 ? 0 : 1] += batch.lanes().instances;
        all[evaluations == 1 ? 0 : 1] += kCount;
      }
      ASSERT_TRUE(same_rows(batch, alone)) << "world " << w << ", step " << t << "\n" << world;
      if (random.chance(0.02)) {
        const auto i = static_cast<std::size_t>(random.whole(0, kCount - 1));
        ASSERT_EQ(hash_of(batch, i), hash_of(alone, i)) << "world " << w << ", step " << t;
        ASSERT_TRUE(same_bits(efforts_of(batch, i), efforts_of(alone, i))) << "world " << w;
      }
    }
    for (std::size_t i = 0; i < kCount; ++i) {
      ASSERT_EQ(batch.failed()[i], alone.failed()[i]) << "world " << w;
      ASSERT_EQ(batch.refused()[i], alone.refused()[i]) << "world " << w;
      ASSERT_EQ(hash_of(batch, i), hash_of(alone, i)) << "world " << w << ", instance " << i;
    }
  }
  // Most of these steps of most instances are in lanes.
  for (const int several : {0, 1}) {
    EXPECT_GT(all[several], 0U);
    EXPECT_GT(in_lanes[several], all[several] / 2) << in_lanes[several] << " of " << all[several];
  }
}

std::vector<std::byte> bytes_of(const Batch& batch, std::size_t i) {
  std::vector<std::byte> bytes;
  batch.simulation(i, [&bytes](Simulation& simulation) { bytes = simulation.save_bytes(); });
  return bytes;
}

// Their simulations are made when somebody asks for them.
TEST(LaneInstances, BeginInLanesWithTheWholeStateOfASimulation) {
  int begun = 0;
  const int worlds = repetitions(30, 300);
  for (int w = 0; w < worlds; ++w) {
    RandomWorld random(static_cast<unsigned>(w) + 7001);
    const int evaluations = w % 4;
    LoadOptions load;
    load.notice = [](std::string_view) {};
    load.integrator = Integrator::Joint;
    load.evaluations = evaluations;
    const Simulation world = Simulation::from_text(random.text(), load);
    Batch batch(world, kCount, {});
    Batch alone(world, kCount, {});
    const std::vector<std::string> actions = actions_of(random.motors(), random);
    hold(alone);
    for (Batch* const both : {&batch, &alone}) {
      both->bind(two_quantities(), actions);
      if (w % 3 == 0) {
        both->randomize({{"sensor noise", 0.01, 0.02}, {"action delay", 0.0, 3.0}});
      }
      std::vector<std::int64_t> seeds(kCount, 5);
      both->reset({}, {}, seeds);
      both->reset();  // of another episode
    }
    ASSERT_TRUE(same_rows(batch, alone)) << "world " << w;
    begun += batch.lanes().instances == kCount ? 1 : 0;
    EXPECT_EQ(alone.lanes().instances, 0U);
    for (std::size_t i = 0; i < kCount; ++i) {  // each after another number of steps
      ASSERT_EQ(bytes_of(batch, i), bytes_of(alone, i)) << "world " << w << ", after " << i;
      steer_both(batch, alone, random);
      ASSERT_TRUE(batch.step());
      ASSERT_TRUE(alone.step());
      ASSERT_TRUE(same_rows(batch, alone)) << "world " << w << ", step " << i;
    }
  }
  EXPECT_GT(begun, worlds / 2) << "of " << worlds;
}

TEST(LaneInstances, StayInLanesWithOtherColumns) {
  const Simulation world = Simulation::from_text(
      "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 physicsDisableTime 0 }\n"
      "Robot { name \"r\" children [ SliderJoint { jointParameters JointParameters { axis 1 0 0 }\n"
      "device [ LinearMotor { name \"cart\" } PositionSensor { name \"place\" } ]\n"
      "endPoint Solid { name \"cart\" physics Physics { density -1 mass 1\n"
      "centerOfMass [ 0 0 0 ] inertiaMatrix [ 1 1 1, 0 0 0 ] } } } ] }",
      [] {
        LoadOptions load;
        load.integrator = Integrator::Joint;
        load.evaluations = 1;
        return load;
      }());
  Batch batch(world, kCount, {});
  EXPECT_EQ(batch.lanes().instances, kCount);
  batch.bind({"*.position"}, {"*.target_force"});
  std::ranges::fill(batch.actions<double>(), 2.0);
  ASSERT_TRUE(batch.step());
  const double position = batch.observations<double>()[0];
  EXPECT_GT(position, 0.0);
  batch.bind({"time", "*.velocity", "*.position"}, {"*.target_velocity"});
  EXPECT_EQ(batch.lanes().instances, kCount);
  EXPECT_EQ(batch.observations<double>()[0], 0.008);
  EXPECT_EQ(batch.observations<double>()[2], position);
  batch.bind({"*.effort"}, {});  // of the objects
  EXPECT_EQ(batch.lanes().instances, 0U);
  EXPECT_EQ(batch.observations<double>()[0], 2.0);
  batch.bind({"*.position"}, {});
  EXPECT_EQ(batch.observations<double>()[0], position);
  batch.reset();
  EXPECT_EQ(batch.lanes().instances, kCount);
}

TEST(LaneInstances, GoOnWhenANeighbourFails) {
  const std::string world = R"(#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 physicsDisableTime 0 }
Robot { name "r" children [
  SliderJoint { jointParameters JointParameters { axis 1 0 0 }
    device LinearMotor { name "cart" maxForce 1e12 }
    endPoint Solid { name "cart" physics Physics { density -1 mass 1 centerOfMass [ 0 0 0 ]
      inertiaMatrix [ 1 1 1, 0 0 0 ] } } } ] })";
  Batch batch = joint_batch(world, 1, 8.0);
  Batch alone = joint_batch(world, 1, 8.0);
  for (Batch* const both : {&batch, &alone}) {
    both->bind(two_quantities(), {"cart.target_force"});
  }
  hold(alone);
  for (int t = 0; t < 40; ++t) {
    for (std::size_t i = 0; i < kCount; ++i) {
      const double force = i == 2 && t > 5 ? 1e12 : 3.0 + static_cast<double>(i);
      batch.actions<double>()[i] = alone.actions<double>()[i] = force;
    }
    ASSERT_TRUE(batch.step());
    ASSERT_TRUE(alone.step());
    ASSERT_TRUE(same_rows(batch, alone)) << t;
  }
  EXPECT_EQ(batch.failed()[2], 1);
  EXPECT_EQ(batch.failure(2), alone.failure(2));
  EXPECT_NE(batch.failure(2), "");
  EXPECT_EQ(batch.failed()[3], 0);
  const BatchLanes lanes = batch.lanes();
  EXPECT_EQ(lanes.instances, kCount - 1);
  ASSERT_EQ(lanes.alone.size(), 1U);
  EXPECT_EQ(lanes.alone[0].first, "it has failed");
}

TEST(LaneInstances, SayWhyTheyAreAlone) {
  const std::string arm = R"(
Robot { name "r" children [
  HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 }
    device [ RotationalMotor { name "arm" } PositionSensor { name "encoder" } ]
    endPoint Solid { name "bar" translation 0.5 0 0 boundingObject Box { size 1 0.1 0.1 }
      physics Physics { density -1 mass 1 } } } ] })";
  const auto why = [](const std::string& world, const std::vector<std::string>& observe) {
    Batch batch = joint_batch("#VRML_SIM R2025a utf8\n" + world, 1, 8.0);
    batch.bind(observe, {});
    EXPECT_TRUE(batch.step());
    const BatchLanes lanes = batch.lanes();
    return lanes.alone.empty() ? fmt::format("{} in lanes", lanes.instances) : lanes.alone[0].first;
  };
  const std::string info = "WorldInfo { basicTimeStep 8 physicsDisableTime 0 }";
  EXPECT_EQ(why(info + arm, {"*.position"}), "11 in lanes");
  EXPECT_EQ(why("WorldInfo { basicTimeStep 8 }" + arm, {"*.position"}),
            "bodies fall asleep: set physicsDisableTime 0");
  EXPECT_EQ(why(info + arm + "Solid { name \"floor\" boundingObject Plane { } }", {"*.position"}),
            "shapes can touch");
  EXPECT_EQ(why(info + arm, {"*.effort"}),
            "the batch observes more than positions and velocities of joints with Physics, and the "
            "time");
  EXPECT_EQ(why(info + "Robot { physics Physics { density -1 mass 1 } boundingObject Sphere { } }",
                {"time"}),
            "a body hangs on no hinge or slider");
}

}  // namespace lane_instances_test
}  // namespace
}  // namespace servosim::test
