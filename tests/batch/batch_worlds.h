// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "servosim/batch.h"

namespace servosim::test {

/// A pole on a cart that runs between two stops at 2.5 m. Its encoder has noise.
inline std::string cart_pole() {
  return R"(#VRML_SIM R2023b utf8
WorldInfo {
  basicTimeStep 8 randomSeed 5
  contactProperties [ ContactProperties { coulombFriction [ 0.75 ] } ]
}
Robot { name "r" children [
  SliderJoint {
    jointParameters JointParameters { axis 1 0 0 dampingConstant 0.25 minStop -2.5 maxStop 2.5 }
    device [ LinearMotor { name "cart" maxForce 30 maxVelocity 4 minPosition -2 maxPosition 2 }
             PositionSensor { name "encoder" noise 0.03 } ]
    endPoint DEF CART Solid { name "cart" children [
      HingeJoint {
        jointParameters HingeJointParameters { position 0.125 axis 0 1 0 anchor 0 0 0 }
        device PositionSensor { name "pole angle" }
        endPoint DEF POLE Solid { translation 0 0 0.3 name "pole"
          boundingObject Cylinder { height 0.6 radius 0.01 }
          physics Physics { density -1 mass 0.2 } } } ]
      boundingObject Box { size 0.2 0.1 0.1 } physics Physics { density -1 mass 1.5 } } } ] })";
}

/// A ball that slides on the ground and has an accelerometer.
inline std::string sliding_ball() {
  return R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 4 contactProperties [ ContactProperties { coulombFriction [ 0.5 ] } ] }
Solid { name "floor" boundingObject Plane { size 60 60 } }
DEF BALL Robot { name "ball" translation 0 0 0.245 linearVelocity 3 0 0
  children [ Accelerometer { name "acc" } ]
  boundingObject Sphere { radius 0.25 } physics Physics { density -1 mass 2 } })";
}

inline Batch batch_of(const std::string& world, std::size_t count, const BatchOptions& options = {},
                      std::int64_t seed_offset = 0) {
  LoadOptions load;
  load.random_seed_offset = seed_offset;
  load.notice = [](std::string_view) {};
  return Batch(Simulation::from_text(world, load), count, options);
}

/// Returns a force that differs by instance and step [N].
inline double force_for(std::size_t instance, std::size_t step) {
  return 7.0 * std::sin(0.37 * static_cast<double>(instance) + 0.11 * static_cast<double>(step));
}

inline void steer(Batch& batch, std::size_t step, std::size_t first = 0) {
  const std::span<double> actions = batch.actions<double>();
  for (std::size_t i = 0; i < batch.size(); ++i) {
    actions[i] = force_for(first + i, step);
  }
}

/// Returns the observations of each of `steps` steps, for one instance after the other.
inline std::vector<std::vector<double>> histories(Batch& batch, std::size_t steps,
                                                  std::size_t first = 0) {
  const std::size_t columns = batch.observation_names().size();
  std::vector<std::vector<double>> all(batch.size());
  for (std::size_t t = 0; t < steps; ++t) {
    steer(batch, t, first);
    EXPECT_TRUE(batch.step());
    const std::span<const double> rows = batch.observations<double>();
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const auto row = rows.subspan(i * columns, columns);
      all[i].insert(all[i].end(), row.begin(), row.end());
    }
  }
  return all;
}

inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

inline BatchOptions with_threads(std::size_t threads) {
  BatchOptions options;
  options.threads = threads;
  return options;
}

/// An arm that falls onto the floor unless its motor holds it.
inline std::string falling_arm() {
  return R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 }
Solid { name "floor" boundingObject Plane { size 9 9 } }
Robot { name "r" translation 0 0 0.7 children [
  HingeJoint {
    jointParameters HingeJointParameters { axis 0 1 0 }
    device RotationalMotor { name "arm" maxTorque 20 }
    endPoint Solid { name "bar" translation 0.5 0 0
      children [
        HingeJoint {
          jointParameters HingeJointParameters { axis 0 1 0 anchor 0.5 0 0 }
          endPoint Solid { name "hand" translation 0.7 0 0
            boundingObject Sphere { radius 0.05 } physics Physics { density -1 mass 0.25 } } } ]
      boundingObject Box { size 1 0.1 0.1 } physics Physics { density -1 mass 1 } } } ] })";
}

namespace batch_worlds {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// The name of the force of a cart_pole().
inline const std::vector<std::string> kForce{"cart.target_force"};

/// Returns the text of the std::invalid_argument that a call throws.
template <typename Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing thrown";
}

}  // namespace batch_worlds

}  // namespace servosim::test
