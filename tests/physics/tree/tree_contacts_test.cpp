// SPDX-License-Identifier: Apache-2.0
// Contacts: TreeSolver against dWorldStep of ODE, the same state into both, step by step.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "solver_pair.h"
#include "support/repetitions.h"

namespace servosim::test {
namespace {

// Trees of bodies with shapes that fall on a floor and on each other.
class RandomFall {
 public:
  explicit RandomFall(std::uint32_t seed) : random_(seed) {}

  std::string world() {
    const char* const steps[] = {"4", "8", "16", "32"};
    std::string text =
        fmt::format("WorldInfo {{ basicTimeStep {} contactProperties [ {} ] }}\n",
                    steps[random_() % 4], chance(2) ? properties() : "");
    text += chance(3) ? "Solid { name \"floor\" rotation 1 0 0 0.2 boundingObject Plane { } }\n"
                      : "Solid { name \"floor\" translation 0 0 -0.5 boundingObject Box { size 9 9 1 "
                        "} }\n";
    const int trees = 1 + static_cast<int>(random_() % 3);
    for (int t = 0; t < trees; ++t) {
      left_ = 1 + static_cast<int>(random_() % 5);
      text += body(fmt::format("translation {} {} {}", between(-0.1, 0.1), between(-0.1, 0.1),
                               0.15 + 0.25 * t + between(0.0, 0.1))) +
              "\n";
    }
    return text;
  }

 private:
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(random_()) / 4294967295.0;
  }
  bool chance(std::uint32_t one_in) { return random_() % one_in == 0; }
  std::string vector(double size) {
    return fmt::format("{} {} {}", between(-size, size), between(-size, size),
                       between(-size, size));
  }

  std::string properties() {
    std::string text = "ContactProperties { ";
    if (chance(2)) {
      text += fmt::format("coulombFriction [ {} ] ", chance(4) ? -1.0 : between(0.0, 2.0));
    } else if (chance(2)) {
      text += fmt::format("coulombFriction [ {} {} ] ", between(0.1, 2.0), between(0.1, 2.0));
    }
    text += chance(2) ? fmt::format("bounce {} ", between(0.0, 0.9)) : "bounce 0 ";
    if (chance(3)) {
      text += fmt::format("forceDependentSlip [ {} ] ", between(0.0, 0.05));
    }
    if (chance(3)) {
      text += fmt::format("rollingFriction {} {} {} ", between(0.0, 0.1), between(0.0, 0.1),
                          between(0.0, 0.1));
    }
    if (chance(3)) {
      text += fmt::format("softCFM {} softERP {} ", std::pow(10.0, between(-4.0, -2.0)),
                          between(0.1, 0.6));
    }
    return text + "}";
  }

  std::string shape() {
    switch (random_() % 4) {
      case 0:
        return fmt::format("Sphere {{ radius {} }}", between(0.03, 0.08));
      case 1:
        return fmt::format("Capsule {{ radius {} height {} }}", between(0.02, 0.05),
                           between(0.05, 0.15));
      case 2:
        return fmt::format("Cylinder {{ radius {} height {} }}", between(0.03, 0.06),
                           between(0.05, 0.15));
      default:
        return fmt::format("Box {{ size {} {} {} }}", between(0.05, 0.2), between(0.05, 0.2),
                           between(0.05, 0.2));
    }
  }

  std::string body(const std::string& translation) {
    --left_;
    const double mass = std::pow(10.0, between(-1.0, 0.7));
    const double i = 0.004 * mass;
    std::string children;
    while (left_ > 0 && !chance(4)) {
      children += joint() + "\n";
    }
    return fmt::format(
        "Solid {{ {} name \"s{}\" rotation {} {} children [ {} ] boundingObject {} physics Physics "
        "{{ density -1 mass {} centerOfMass [ {} ] inertiaMatrix [ {} {} {}, {} {} {} ] }} }}",
        translation, ++names_, vector(1.0), between(-2.0, 2.0), children, shape(), mass,
        vector(0.02), i, 1.3 * i, 1.6 * i, 0.1 * i, -0.05 * i, 0.07 * i);
  }

  std::string joint() {
    std::string parameters = fmt::format("axis {} anchor {} ", vector(1.0), vector(0.1));
    if (chance(2)) {
      parameters += fmt::format("minStop {} maxStop {} ", -between(0.1, 1.0), between(0.1, 1.0));
    }
    if (chance(3)) {
      parameters += fmt::format("dampingConstant {} ", between(0.01, 0.5));
    }
    return fmt::format("HingeJoint {{ jointParameters HingeJointParameters {{ {} }} endPoint {} }}",
                       parameters, body("translation " + vector(0.2)));
  }

  std::mt19937 random_;
  int left_ = 0;
  int names_ = 0;
};

void drive(PhysicsWorld& world, std::mt19937& random) {
  for (int j = 0; j < static_cast<int>(world.joints().count()); ++j) {
    const double v = static_cast<double>(random()) / 4294967295.0;
    world.joints()[j].drive = {6.0 * v - 3.0, random() % 3 == 0 ? 0.0 : 5.0 * v, 0.0, 0.0};
    world.joints()[j].wake = true;
  }
}

TEST(TreeContacts, MoveAsOdeMovesThem) {
  const int scenes = repetitions(120, 4000);
  double largest = 0.0;
  std::uint64_t steps = 0;
  SolverCounts counts;
  for (int seed = getenv("SEED") ? atoi(getenv("SEED")) : 0; seed < scenes; ++seed) {
    if (getenv("SEED") && seed > atoi(getenv("SEED"))) break;
    RandomFall random(static_cast<std::uint32_t>(seed));
    const std::string w = random.world(); if (getenv("SEED")) puts(w.c_str());
    Pair pair(w);
    std::mt19937 commands(static_cast<std::uint32_t>(seed) + 1000u);
    for (int k = 0; k < 100; ++k) {
      if (k % 20 == 0) {
        drive(pair.ode(), commands);
      }
      const StateBlock before_ = saved(pair.ode());
      try {
        pair.step();
      } catch (const Unstable&) {
        break;
      }
      ++steps;
      const double difference = pair.difference();
      if (getenv("SEED")) { fmt::print("step {} diff {:.1e}", k, difference);
        for (int b = 0; b < pair.ode().bodies().count(); ++b) { const auto a = state_of(pair.ode().bodies()[b]); const auto c = state_of(pair.tree().bodies()[b]); fmt::print(" [{}: v {:.2e} w {:.2e} dv {:.1e} dw {:.1e} c{}]", b, a.velocity[2], a.spin[0], std::abs(a.velocity[2]-c.velocity[2]), std::abs(a.spin[0]-c.spin[0]), 0); } fmt::print("\n"); }
      EXPECT_LT(difference, 1e-9) << "scene " << seed << ", step " << k;
      if (difference > 1e-9) {
        const auto go = [&](PhysicsWorld& world_, double eps) { StateReader in(before_); world_.restore(in); for (int b = 0; b < world_.bodies().count(); ++b) { auto st = state_of(world_.bodies()[b]); for (double& q : st.place.rotation) q *= 1.0 + eps * (1 + b % 3); for (double& q : st.place.position) q += eps; world_.bodies().set_state(b, st); } world_.step(); std::vector<double> r; for (int b = 0; b < world_.bodies().count(); ++b) { auto st = state_of(world_.bodies()[b]); r.insert(r.end(), st.velocity.begin(), st.velocity.end()); r.insert(r.end(), st.spin.begin(), st.spin.end()); } return r; };
        const auto diff = [](const std::vector<double>& a, const std::vector<double>& b) { double m = 0; for (std::size_t i = 0; i < a.size(); ++i) m = std::max(m, std::abs(a[i]-b[i])); return m; };
        const auto o0 = go(pair.ode(), 0), o1 = go(pair.ode(), 1e-15), t0 = go(pair.tree(), 0), t1 = go(pair.tree(), 1e-15);
        fmt::print("scene {} diff {:.1e}: ode moves {:.1e}, tree moves {:.1e}, {:.1e}\n", seed, difference, diff(o0,o1), diff(t0,t1), diff(o0,t0));
        break;
      }
      if (getenv("DBG") && difference > 2e-11) fmt::print("scene {} step {} diff {:.2e}\n", seed, k, difference);
      largest = std::max(largest, difference);
    }
    counts.tree += pair.tree().solver_counts()->tree;
    for (std::size_t i = 0; i < kOdeReasons; ++i) {
      counts.ode[i] += pair.tree().solver_counts()->ode[i];
    }
  }
  fmt::print("{} steps: to {:.1e}; {}\n", steps, largest, to_string(counts));
}

}  // namespace
}  // namespace servosim::test
