// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "base/state_archive.h"
#include "physics/physics_world.h"
#include "support/scenes.h"

namespace servosim::test {

inline PhysicsOptions with_tree() {
  PhysicsOptions options;
  options.solver = Solver::Tree;
  return options;
}

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

// Two worlds of one scene, of which one has the tree solver.
class Pair {
 public:
  explicit Pair(const std::string& world)
      : loaded_(load_scene(world)),
        ode_(loaded_.scene, ignored_, {}),
        tree_(loaded_.scene, ignored_, with_tree()) {}

  PhysicsWorld& ode() { return ode_; }
  PhysicsWorld& tree() { return tree_; }
  const Scene& scene() const { return loaded_.scene; }
  const Messages& messages() const { return loaded_.messages; }

  // The state of ODE's world goes into the other, and both take a step.
  void step() {
    const StateBlock block = saved(ode_);
    StateReader in(block);
    tree_.restore(in);
    EXPECT_EQ(ode_.step(), tree_.step());
  }

  // Of the velocities of bodies, in terms of the fastest, which is 1 at least.
  double difference() const {
    double largest = 0.0;
    double fastest = 1.0;
    for (int b = 0; b < ode_.bodies().count(); ++b) {
      const BodyState a = state_of(ode_.bodies()[b]);
      const BodyState c = state_of(tree_.bodies()[b]);
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
    return largest / fastest;
  }

  // Of the efforts that joints measure, in terms of the largest, which is 1 at least.
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
  LoadedScene loaded_;
  Diagnostics ignored_;
  PhysicsWorld ode_;
  PhysicsWorld tree_;
};

}  // namespace servosim::test
