// SPDX-License-Identifier: Apache-2.0
// TreeSolver against dWorldStep of ODE: the same state into both, step by step.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "base/state_archive.h"
#include "physics/physics_world.h"
#include "physics/tree/tree_pair.h"
#include "support/repetitions.h"
#include "support/scenes.h"

namespace servosim::test {
namespace {

// A chain or a tree of bodies without shapes, of everything that a plain joint may have.
class RandomTree {
 public:
  /// `bodies`: 0 for a random number.
  explicit RandomTree(std::uint32_t seed, int bodies = 0) : random_(seed), bodies_(bodies) {}

  std::string world() {
    const char* const steps[] = {"1", "4", "8", "16", "32"};
    const char* const softness[] = {"1e-5", "1e-5", "1e-8", "1e-3"};
    std::string text =
        fmt::format("WorldInfo {{ basicTimeStep {} CFM {} ERP {} {} }}\n", steps[random_() % 5],
                    softness[random_() % 4], between(0.1, 0.9),
                    chance(3) ? "defaultDamping Damping { linear 0.3 angular 0.5 }" : "");
    left_ = 2 + static_cast<int>(random_() % 16);
    left_ = bodies_ > 0 ? bodies_ : left_;
    is_anchored_ = chance(2);
    if (is_anchored_) {
      text += "Solid { children [ " + joint() + " ] }\n";
    } else {
      text += body("") + "\n";
    }
    return text;
  }

  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(random_()) / 4294967295.0;
  }
  bool chance(std::uint32_t one_in) { return random_() % one_in == 0; }

 private:
  std::string vector(double size) {
    return fmt::format("{} {} {}", between(-size, size), between(-size, size),
                       between(-size, size));
  }

  std::string body(const std::string& translation) {
    --left_;
    const bool is_last = bodies_ > 0 && depth_ == 0;  // then all have to be below this one
    ++depth_;
    const double mass = std::pow(10.0, between(-1.0, 1.0));
    const double i = 0.02 * mass;
    std::string children;
    while (left_ > 0 && (is_last || !chance(bodies_ > 0 ? 12 : 3))) {
      children += joint() + "\n";
    }
    --depth_;
    if (left_ > 0 && chance(6)) {
      --left_;
      children += fmt::format(
          "TouchSensor {{ name \"t{}\" type \"force\" translation {} physics Physics {{ density -1 "
          "mass 0.2 centerOfMass [ 0 0 0 ] inertiaMatrix [ 0.001 0.001 0.001, 0 0 0 ] }} "
          "boundingObject Group {{ }} }}\n",
          left_, vector(0.1));
    }
    return fmt::format(
        "Solid {{ {} name \"s{}\" rotation {} {} children [ {} ] physics Physics {{ density -1 "
        "mass "
        "{} centerOfMass [ {} ] inertiaMatrix [ {} {} {}, {} {} {} ] }} }}",
        translation, left_ * 1000 + ++names_, vector(1.0), between(-2.0, 2.0), children, mass,
        vector(0.05), i, 1.3 * i, 1.6 * i, 0.1 * i, -0.05 * i, 0.07 * i);
  }

  std::string joint() {
    const bool slides = chance(4);
    const double width = slides      ? between(0.02, 0.2)
                         : chance(4) ? between(2.2, 4.0)
                                     : between(0.05, 1.0);
    std::string parameters = fmt::format("axis {} ", vector(1.0));
    if (!slides) {
      parameters += fmt::format("anchor {} ", vector(0.2));
    }
    if (chance(2)) {
      parameters += fmt::format("minStop {} maxStop {} ", -width, width);
      if (!slides && chance(3)) {
        parameters += fmt::format("stopERP {} stopCFM {} ", chance(4) ? 1.0 : between(0.05, 0.9),
                                  std::pow(10.0, between(-8.0, -2.0)));
      }
    }
    if (chance(3)) {
      parameters += fmt::format("springConstant {} ", between(1.0, 200.0));
    }
    if (chance(3)) {
      parameters += fmt::format("dampingConstant {} ", between(0.01, 5.0));
    }
    if (chance(3)) {
      parameters += fmt::format("staticFriction {} ", between(0.01, 2.0));
    }
    if (depth_ > 0 && chance(5)) {  // a joint with the world that has play is ODE's
      parameters += fmt::format("backlash {} ", between(0.001, 0.05));
    }
    const char* const kind = slides ? "Slider" : "Hinge";
    return fmt::format(
        "{0}Joint {{ jointParameters {1} {{ {2} }} device [ {3} {4} ] endPoint {5} }}", kind,
        slides ? "JointParameters" : "HingeJointParameters", parameters,
        slides ? "LinearMotor { }" : "RotationalMotor { }", chance(3) ? "Brake { }" : "",
        body("translation " + vector(0.3)));
  }

  std::mt19937 random_;
  int bodies_;
  int left_ = 0;
  int names_ = 0;
  int depth_ = 0;
  bool is_anchored_ = false;
};

void drive(PhysicsWorld& world, std::mt19937& random) {
  const auto between = [&random](double low, double high) {
    return low + (high - low) * static_cast<double>(random()) / 4294967295.0;
  };
  for (int j = 0; j < static_cast<int>(world.joints().count()); ++j) {
    JointState& state = world.joints()[j];
    switch (random() % 4) {
      case 0:
        state.drive = {};
        break;
      case 1:
        state.drive = {between(-3.0, 3.0), between(0.0, 50.0), between(-5.0, 5.0), 0.0};
        break;
      case 2:
        state.drive = {between(-1.0, 1.0), 1e4, 0.0, between(0.001, 0.1)};
        break;
      default:
        state.drive = {0.0, between(0.0, 5.0), 0.0, 0.0};
    }
    if (random() % 4 == 0) {
      state.brake_damping = random() % 2 == 0 ? 0.0 : between(0.0, 10.0);
      state.brake_changed = true;
    }
    state.wake = true;
  }
}

std::vector<JointState::Drive> drives_of(const PhysicsWorld& world) {
  std::vector<JointState::Drive> drives;
  for (int j = 0; j < static_cast<int>(world.joints().count()); ++j) {
    drives.push_back(world.joints()[j].drive);
  }
  return drives;
}

// What many random trees came to.
struct Outcome {
  Differences motion;  // the largest
  double efforts = 0.0;
  std::uint32_t tree_of_efforts = 0;
  std::uint64_t steps = 0;
  std::uint64_t solved = 0;
};

// Up to so many steps, until it leaves the range in which ODE works, or an expectation fails.
void follow_random_tree(std::uint32_t seed, int bodies, int steps, const Bounds& bounds,
                        Outcome& outcome) {
  RandomTree random(seed, bodies);
  Pair pair(random.world());
  for (const std::string& message : pair.messages()) {
    EXPECT_TRUE(message.ends_with("is not effective in every version of Webots")) << message;
  }
  std::mt19937 commands(seed + 1000u);
  std::vector<JointState::Drive> drives;
  for (int k = 0; k < steps && !testing::Test::HasFailure(); ++k) {
    if (k % 10 == 0) {
      drive(pair.ode(), commands);
      drives = drives_of(pair.ode());
    }
    for (std::size_t j = 0; j < drives.size(); ++j) {  // a joint with free play takes its own away
      pair.ode().joints()[static_cast<int>(j)].drive = drives[j];
    }
    try {
      pair.step();
    } catch (const Unstable&) {
      break;
    }
    ++outcome.steps;
    const Differences differences = pair.differences();
    EXPECT_LT(differences.largest(), bounds.motion) << "tree " << seed << ", step " << k;
    outcome.motion.raise_to(differences);
    const double of_efforts = pair.difference_of_efforts();
    EXPECT_LT(of_efforts, bounds.efforts) << "tree " << seed << ", step " << k;
    if (of_efforts > outcome.efforts) {
      outcome.efforts = of_efforts;
      outcome.tree_of_efforts = seed;
    }
  }
  outcome.solved += pair.tree().solver_counts()->tree;
}

void report(const Outcome& outcome) {
  testing::Test::RecordProperty("largest", to_string(outcome.motion));
  fmt::print("{} steps; velocities: {}; efforts {:.1e} (tree {})\n", outcome.steps,
             to_string(outcome.motion), outcome.efforts, outcome.tree_of_efforts);
}

TEST(TreeSolver, MovesRandomTreesAsOdeDoes) {
  const int trees = repetitions(170, 5100);
  Outcome outcome;
  for (int seed = 0; seed < trees && !HasFailure(); ++seed) {
    follow_random_tree(static_cast<std::uint32_t>(seed), 0, 60, {}, outcome);
  }
  report(outcome);
  EXPECT_LT(outcome.motion.largest(), 1e-10);
  EXPECT_GT(outcome.solved, outcome.steps * 4 / 5);
}

TEST(TreeSolver, MovesRandomTreesOf48JointsAsOdeDoes) {
  const int trees = repetitions(4, 100);
  Outcome outcome;
  for (int seed = 0; seed < trees && !HasFailure(); ++seed) {
    follow_random_tree(static_cast<std::uint32_t>(seed), 49, 30, {5e-9, 1e-6}, outcome);
  }
  report(outcome);
  EXPECT_GT(outcome.solved, outcome.steps * 9 / 10);
}

// An arm of hinges whose axes take turns.
std::string arm(int joints, const std::string& parameters = "") {
  std::string text;
  for (int i = joints - 1; i >= 0; --i) {
    text = fmt::format(
        "HingeJoint {{ jointParameters HingeJointParameters {{ axis {} anchor 0.1 0 0 {} }} "
        "endPoint Solid {{ name \"s{}\" translation 0.2 0 0 {} children [ {} ] }} }}",
        i % 2 == 0 ? "0 1 0" : "0 0 1", parameters, i, kPhysics, text);
  }
  return "Solid { name \"base\" children [ " + text + " ] }\n";
}

void drive_all(PhysicsWorld& world, double velocity, double max_force) {
  for (int j = 0; j < static_cast<int>(world.joints().count()); ++j) {
    world.joints()[j].drive = {(j % 3 - 1) * velocity, max_force, 0.0, 0.0};
  }
}

TEST(TreeSolver, MovesAnArmOf48AsOdeDoes) {
  Pair pair("WorldInfo { basicTimeStep 8 }\n" + arm(48));
  drive_all(pair.ode(), 2.0, 100.0);  // too little to hold it
  for (int k = 0; k < 40; ++k) {
    pair.step();
    ASSERT_LT(pair.difference(), 5e-9) << "step " << k;
  }
  EXPECT_EQ(pair.tree().solver_counts()->tree, 40u);
}

TEST(TreeSolver, HoldsJointsAtTheirStopsAsOdeDoes) {
  Pair pair("WorldInfo { basicTimeStep 8 }\n" + arm(6, "minStop -0.3 maxStop 0.2"));
  drive_all(pair.ode(), 3.0, 60.0);
  for (int k = 0; k < 300; ++k) {
    pair.step();
    ASSERT_LT(pair.difference(), 1e-9) << "step " << k;
    ASSERT_LT(pair.difference_of_efforts(), 1e-6) << "step " << k;
  }
}

TEST(TreeSolver, SleepsAndWakesAsOdeDoes) {
  Pair pair("WorldInfo { basicTimeStep 8 physicsDisableTime 0.1 }\n" + arm(3));
  drive_all(pair.ode(), 0.0, 100.0);
  for (int k = 0; k < 60; ++k) {
    pair.step();
    ASSERT_LT(pair.difference(), 1e-9) << "step " << k;
  }
  EXPECT_TRUE(pair.ode().bodies().all_asleep());
  EXPECT_LT(pair.tree().solver_counts()->tree, 30u);
  pair.ode().joints()[2].drive.velocity = 1.0;
  pair.ode().joints()[2].wake = true;
  for (int k = 0; k < 20; ++k) {
    pair.step();
    ASSERT_LT(pair.difference(), 1e-9) << "step " << k;
  }
  EXPECT_FALSE(pair.tree().bodies().any_asleep());
}

// What is a ball joint's stays ODE's, to the last bit.
TEST(TreeSolver, LeavesOtherTreesToOde) {
  Pair pair("WorldInfo { basicTimeStep 8 }\n" + arm(4) +
            fmt::format("Solid {{ name \"b\" translation 0 5 0 children [ BallJoint {{ endPoint "
                        "Solid {{ name \"c\" translation 0.3 0 0 {} }} }} ] }}\n",
                        kPhysics));
  for (int k = 0; k < 100; ++k) {
    pair.step();
    const int ball = pair.ode().bodies().count() - 1;
    const BodyState a = state_of(pair.ode().bodies()[ball]);
    const BodyState b = state_of(pair.tree().bodies()[ball]);
    ASSERT_EQ(a.velocity, b.velocity) << "step " << k;
    ASSERT_EQ(a.spin, b.spin);
    ASSERT_EQ(a.place.position, b.place.position);
    ASSERT_EQ(a.place.quaternion, b.place.quaternion);
  }
  EXPECT_EQ(to_string(*pair.tree().solver_counts()),
            "tree, 100 island-steps; ODE, 100 island-steps (joints of other types)");
}

// A state has nothing of the solver, whose rows begin at their bounds or not.
TEST(TreeSolver, GoesOnBitForBitFromASavedState) {
  const LoadedScene loaded =
      load_scene("WorldInfo { basicTimeStep 8 }\n" + arm(12, "minStop -0.4 maxStop 0.4"));
  Diagnostics ignored;
  PhysicsWorld first(loaded.scene, ignored, with_tree());
  drive_all(first, 3.0, 20.0);
  for (int k = 0; k < 300; ++k) {
    const StateBlock before = saved(first);
    first.step();
    PhysicsWorld second(loaded.scene, ignored, with_tree());
    StateReader in(before);
    second.restore(in);
    second.step();
    ASSERT_EQ(hash_of(first), hash_of(second)) << "step " << k;
  }
  EXPECT_EQ(first.solver_counts()->tree, 300u);
}

TEST(TreeSolver, SolvesAChainOf300) {
  Pair pair("WorldInfo { basicTimeStep 4 }\n" + arm(300));
  PhysicsWorld& tree = pair.tree();
  drive_all(tree, 1.0, 1000.0);
  for (int k = 0; k < 20; ++k) {
    tree.step();
  }
  EXPECT_EQ(tree.solver_counts()->tree, 20u);
  EXPECT_LT(norm(pose_of(tree.bodies()[299]).translation), 62.0);
}

// I = 0.1 + 2·0.5² about the hinge.
TEST(TreeSolver, SwingsAPendulumInItsTime) {
  const LoadedScene loaded = load_scene(
      "WorldInfo { basicTimeStep 1 CFM 1e-10 }\nSolid { children [ HingeJoint { jointParameters "
      "HingeJointParameters { axis 0 1 0 position 0.01 } endPoint Solid { rotation 0 1 0 0.01 "
      "physics Physics { density -1 mass 2 centerOfMass [ 0 0 -0.5 ] inertiaMatrix [ 0.1 0.1 0.1, "
      "0 "
      "0 0 ] } } } ] }\n");
  Diagnostics ignored;
  PhysicsWorld world(loaded.scene, ignored, with_tree());
  double before = world.joints()[0].position;
  std::vector<double> crossings;
  for (int k = 1; k < 6000; ++k) {
    world.step();
    const double now = world.joints()[0].position;
    if (before < 0.0 && now >= 0.0) {
      crossings.push_back(0.001 * (k - now / (now - before)));
    }
    before = now;
  }
  ASSERT_GE(crossings.size(), 3u);
  const double period =
      (crossings.back() - crossings.front()) / static_cast<double>(crossings.size() - 1);
  EXPECT_NEAR(period, 2.0 * std::numbers::pi * std::sqrt(0.6 / (2.0 * 9.81 * 0.5)), 1e-3);
}

}  // namespace
}  // namespace servosim::test
