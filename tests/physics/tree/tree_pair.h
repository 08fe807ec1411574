// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/state_archive.h"
#include "physics/physics_world.h"
#include "scene/scene.h"
#include "support/scenes.h"

// The same state into TreeSolver and into dWorldStep of ODE, step by step.

namespace servosim::test {

inline PhysicsOptions with(Solver solver, PhysicsOptions options = {}) {
  options.solver = solver;
  return options;
}
inline PhysicsOptions with_tree(PhysicsOptions options = {}) { return with(Solver::Tree, options); }

inline StateBlock saved(const PhysicsWorld& world) {
  StateBlock block;
  StateWriter out(block);
  world.save(out);
  return block;
}

inline std::uint64_t hash_of(const PhysicsWorld& world) {
  Fnv1a hash;
  world.add_to_hash(hash);
  return hash.value();
}

/// What holds a body to its parent.
enum class Held : std::uint8_t {
  ByNothing,
  ByHinge,
  BySlider,
  Fixed,
  ByBall,
  ByHinge2,
  BySuspension
};
inline constexpr std::size_t kHeldKinds = 7;

/// By Held.
struct Differences {
  std::array<double, kHeldKinds> of{};

  double largest() const { return *std::max_element(of.begin(), of.end()); }
  void raise_to(const Differences& other) {
    for (std::size_t i = 0; i < kHeldKinds; ++i) {
      of[i] = std::max(of[i], other.of[i]);
    }
  }
};

inline std::string to_string(const Differences& d) {
  std::string text =
      fmt::format("free bodies {:.1e}, hinges {:.1e}, sliders {:.1e}, fixed joints {:.1e}", d.of[0],
                  d.of[1], d.of[2], d.of[3]);
  if (d.of[4] + d.of[5] + d.of[6] > 0.0) {
    text += fmt::format(", balls {:.1e}, Hinge2s {:.1e}, with suspension {:.1e}", d.of[4], d.of[5],
                        d.of[6]);
  }
  return text;
}

/// Two worlds of one scene, of which one has the tree solver.
class Pair {
 public:
  explicit Pair(const std::string& world, const PhysicsOptions& options = {})
      : loaded_(load_scene(world)),
        ode_(loaded_.scene, ignored_, with(Solver::Ode, options)),
        tree_(loaded_.scene, ignored_, with_tree(options)) {}

  PhysicsWorld& ode() { return ode_; }
  PhysicsWorld& tree() { return tree_; }
  const Scene& scene() const { return loaded_.scene; }
  const Messages& messages() const { return loaded_.messages; }

  /// The state of ODE's world goes into the other, and both take a step.
  void step() {
    const StateBlock block = saved(ode_);
    StateReader in(block);
    tree_.restore(in);
    EXPECT_EQ(ode_.step(), tree_.step());
  }

  /// Returns the differences of positions and velocities of bodies, relative to the largest
  /// velocity or to 1, if that is larger.
  Differences differences() const {
    Differences result;
    double fastest = 1.0;
    for (int b = 0; b < ode_.bodies().count(); ++b) {
      const BodyState a = state_of(ode_.bodies()[b]);
      const BodyState c = state_of(tree_.bodies()[b]);
      double& largest = result.of[static_cast<std::size_t>(held(b))];
      for (int i = 0; i < 3; ++i) {
        largest = std::max({largest, std::abs(a.velocity[i] - c.velocity[i]),
                            std::abs(a.spin[i] - c.spin[i]),
                            std::abs(a.place.position[i] - c.place.position[i]),
                            std::abs(a.place.quaternion[i] - c.place.quaternion[i])});
        fastest = std::max({fastest, std::abs(a.velocity[i]), std::abs(a.spin[i])});
      }
      EXPECT_EQ(a.enabled, c.enabled);
      EXPECT_EQ(c.force, (std::array<double, 3>{}));
    }
    for (double& each : result.of) {
      each /= fastest;
    }
    return result;
  }
  double difference() const { return differences().largest(); }

  /// Returns the largest difference of the efforts that joints measure, relative to the largest
  /// effort or to 1, if that is larger.
  double difference_of_efforts() {
    double largest = 0.0;
    double strongest = 1.0;
    for (int j = 0; j < static_cast<int>(scene().joints.size()); ++j) {
      ode_.joints().measure(j);
      tree_.joints().measure(j);
      const JointState& a = ode_.joints()[j];
      const JointState& c = tree_.joints()[j];
      largest = std::max({largest, std::abs(a.effort - c.effort),
                          std::abs(a.constraint_effort - c.constraint_effort)});
      strongest = std::max(strongest, std::abs(a.effort));
    }
    return largest / strongest;
  }

 private:
  Held held(int body) const {
    const int owner = ode_.bodies()[body].solid;
    const SolidSpec& solid = scene().solids[owner];
    if (solid.joint >= 0) {
      const JointSpec& joint = scene().joints[solid.joint];
      if (scene().joints[joint.first_axis].suspension.is_elastic()) {
        return Held::BySuspension;
      }
      if (joint.kind == JointKind::Ball || joint.kind == JointKind::Hinge2) {
        return joint.kind == JointKind::Ball ? Held::ByBall : Held::ByHinge2;
      }
      return scene().joints[solid.joint].type == JointType::Rotational ? Held::ByHinge
                                                                       : Held::BySlider;
    }
    for (const Attachments::Mounting& mounting : ode_.attachments().mountings()) {
      if (mounting.body == ode_.bodies()[body].id) {
        return Held::Fixed;
      }
    }
    return Held::ByNothing;
  }

  LoadedScene loaded_;
  Diagnostics ignored_;
  PhysicsWorld ode_;
  PhysicsWorld tree_;
};

/// Limits of the differences that follow() may find.
struct Bounds {
  double motion = 1e-9;
  double efforts = 1e-6;
};

/// Follows both for `steps` steps. The tree solver must take all of them. `before_step` may command
/// ODE's world.
inline void follow(
    Pair& pair, int steps, const std::function<void(int)>& before_step = [](int) {},
    const Bounds& bounds = {}) {
  Differences largest;
  double of_efforts = 0.0;
  const std::uint64_t before = pair.tree().solver_counts()->tree;
  for (int k = 0; k < steps && !testing::Test::HasFailure(); ++k) {
    before_step(k);
    pair.step();
    largest.raise_to(pair.differences());
    of_efforts = std::max(of_efforts, pair.difference_of_efforts());
    EXPECT_LT(largest.largest(), bounds.motion) << "step " << k << ": " << to_string(largest);
    EXPECT_LT(of_efforts, bounds.efforts) << "step " << k;
  }
  EXPECT_EQ(pair.tree().solver_counts()->tree - before, static_cast<std::uint64_t>(steps))
      << to_string(*pair.tree().solver_counts());
  testing::Test::RecordProperty("largest", to_string(largest));
  testing::Test::RecordProperty("efforts", fmt::format("{:.1e}", of_efforts));
}

inline constexpr const char* kPhysics =
    "physics Physics { density -1 mass 1 centerOfMass [ 0 0 0 ] inertiaMatrix [ 0.01 0.02 0.02, 0 "
    "0 0 ] }";

}  // namespace servosim::test
