// SPDX-License-Identifier: Apache-2.0
// Masses without sense or bounds, against what ODE itself takes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <random>
#include <string>

#include "physics/mass.h"
#include "physics/ode_library.h"
#include "support/repetitions.h"
#include "support/worlds.h"

namespace servosim::test {
namespace {

class Extremes {
 public:
  explicit Extremes(unsigned seed) : random_(seed) {}

  bool once_in(int n) { return std::uniform_int_distribution<>(1, n)(random_) == 1; }
  double between(double a, double b) { return std::uniform_real_distribution<>(a, b)(random_); }

  // Mostly of sizes that occur; sometimes of any size, zero, or no number.
  double number() {
    static constexpr double kOdd[] = {0.0, -0.0, 1e308, 5e-324, std::numeric_limits<double>::max()};
    if (once_in(40)) {
      return kOdd[std::uniform_int_distribution<std::size_t>(0, std::size(kOdd) - 1)(random_)];
    }
    const double range = once_in(6) ? 300.0 : once_in(3) ? 16.0 : 2.0;
    const double size = std::pow(10.0, between(-range, range));
    return once_in(8) ? -size : size;
  }
  double any_number() {
    return once_in(60) ? (once_in(2) ? std::nan("") : std::numeric_limits<double>::infinity())
                       : number();
  }
  Vec3 vector() { return {number(), number(), number()}; }
  AxisAngle turn() {
    return {once_in(10) ? vector() : Vec3{between(-1, 1), between(-1, 1), between(-1, 1)},
            once_in(10) ? number() : between(-7, 7)};
  }
  // A tensor between well and badly conditioned in axes of its own, with or without noise; or nine
  // numbers that have nothing to do with each other.
  Mat3 inertia() {
    Mat3 result;
    if (once_in(4)) {
      std::generate(result.m.begin(), result.m.end(), [this] { return any_number(); });
      return result;
    }
    const double size = number();
    const auto moment = [&] {
      return size * std::pow(10.0, between(once_in(3) ? -20.0 : -2.0, 0));
    };
    const Mat3 r = rotation_matrix(turn());
    result = r * Mat3{{moment(), 0, 0, 0, moment(), 0, 0, 0, moment()}} * transposed(r);
    if (once_in(3)) {
      result.m[std::uniform_int_distribution<std::size_t>(0, 8)(random_)] += 0.5 * size;
    }
    return result;
  }
  MassProperties mass() { return {std::abs(any_number()), vector(), inertia()}; }

 private:
  std::mt19937 random_;
};

bool ode_takes(const MassProperties& m) {
  dMass mass;
  const Mat3& i = m.inertia;
  dMassSetParameters(&mass, m.mass, 0, 0, 0, i(0, 0), i(1, 1), i(2, 2), i(0, 1), i(0, 2), i(1, 2));
  return dMassCheck(&mass) == 1;
}

TEST(MassExtremes, OdeTakesWhateverIsAcceptable) {
  use_ode();
  Extremes extremes(1);
  int taken = 0;
  int refused = 0;
  MassProperties sum = extremes.mass();
  for (int n = 0; n < repetitions(30'000, 1'000'000); ++n) {
    const MassProperties plain = extremes.mass();
    const MassProperties turned =
        placed(plain, {rotation_matrix(extremes.turn()), extremes.vector()});
    sum = is_acceptable(sum) && n % 5 != 0 ? sum + turned : turned;
    for (const MassProperties& m : {plain, turned, sum}) {
      const bool acceptable = is_acceptable(m);
      (acceptable ? taken : refused) += 1;
      ASSERT_TRUE(!acceptable || ode_takes(m))
          << n << ": " << m.mass << " kg, " << fmt::format("{}", fmt::join(m.inertia.m, " "));
    }
  }
  EXPECT_GT(taken, 10'000);
  EXPECT_GT(refused, 10'000);
}

// ODE gets six of the nine entries.
TEST(MassExtremes, WhatIsNotSymmetricIsJudgedAsOdeGetsIt) {
  EXPECT_FALSE(is_acceptable({1, {}, {{2, 9, 0, 0, 3, 0, 0, 0, 4}}}));
  EXPECT_TRUE(is_acceptable({1, {}, {{2, 0, 0, 9, 3, 0, 9, 9, 4}}}));
}

// A body of two parts, in one of the spellings that Physics has had, below frames that scale.
std::string extreme_world(Extremes& extremes) {
  const auto vec = [&] {
    const Vec3 v = extremes.vector();
    return fmt::format("{} {} {}", v.x, v.y, v.z);
  };
  const auto turn = [&] {
    const AxisAngle t = extremes.turn();
    return fmt::format("{} {} {} {}", t.axis.x, t.axis.y, t.axis.z, t.angle);
  };
  const auto rows = [](const Mat3& i) {
    return fmt::format("{} {} {}, {} {} {}", i(0, 0), i(1, 1), i(2, 2), i(0, 1), i(0, 2), i(1, 2));
  };
  const bool old = extremes.once_in(2);
  const auto physics = [&] {
    Mat3 inertia = extremes.inertia();
    std::replace_if(
        inertia.m.begin(), inertia.m.end(), [](double x) { return !std::isfinite(x); }, 3.0);
    return fmt::format("physics Physics {{ density {} mass {} {} {} inertiaMatrix [ {} {} ] }}",
                       extremes.once_in(3) ? extremes.number() : -1.0, extremes.number(),
                       extremes.once_in(3) ? "" : "centerOfMass " + vec(),
                       old && extremes.once_in(2) ? "orientation " + turn() : "",
                       old && extremes.once_in(2) ? vec() + "," : "",
                       extremes.once_in(4) ? "" : rows(inertia));
  };
  const auto place = [&] {
    return fmt::format("translation {} rotation {} {}", vec(), turn(),
                       extremes.once_in(3) ? "scale " + vec() : "");
  };
  const std::string shape = fmt::format(
      "boundingObject {0} {{ {1} children [ Box {{ size {2} }} ] }}", "Transform", place(), vec());
  return fmt::format(R"(#VRML_SIM {} utf8
WorldInfo {{ basicTimeStep 8 }}
Solid {{ name "floor" boundingObject Plane {{ }} }}
Solid {{ name "whole" {} {} {} children [ Solid {{ name "part" {} {} {} }} ] }}
)",
                     old ? "V6.0" : "R2021a", place(), shape, physics(), place(), shape, physics());
}

TEST(MassExtremes, NoWorldAborts) {
  Extremes extremes(2);
  int finished = 0;
  for (int n = 0; n < repetitions(1'000, 30'000); ++n) {
    const std::string text = extreme_world(extremes);
    SCOPED_TRACE(text);
    LoadOptions options;
    options.notice = [](std::string_view) {};
    try {
      Simulation simulation = Simulation::from_text(text, std::move(options));
      simulation.step(3);
      ++finished;
    } catch (const Diverged&) {
    }
  }
  EXPECT_GT(finished, 100);
}

}  // namespace
}  // namespace servosim::test
