// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "physics/physics_world.h"

namespace servosim::test {

/// Trees of bodies with shapes that fall on a floor and on each other.
class RandomFall {
 public:
  enum class With { Contacts, Loops };
  /// Hinges and sliders, or also balls, Hinge2s and suspensions.
  enum class Of { Plain, AllJoints };
  RandomFall(std::uint32_t seed, With with, Of of = Of::Plain)
      : random_(seed), with_(with), of_(of) {}

  std::string world() {
    const char* const steps[] = {"4", "8", "16", "32"};
    std::string text = fmt::format("WorldInfo {{ basicTimeStep {} contactProperties [ {} ] }}\n",
                                   steps[random_() % 4], chance(2) ? properties() : "");
    text += chance(3)
                ? "Solid { name \"floor\" rotation 1 0 0 0.2 boundingObject Plane { } }\n"
                : "Solid { name \"floor\" translation 0 0 -0.5 boundingObject Box { size 9 9 1 "
                  "} }\n";
    const int trees = 1 + static_cast<int>(random_() % 3);
    for (int t = 0; t < trees; ++t) {
      left_ = 1 + static_cast<int>(random_() % 5) + (with_ == With::Loops ? 2 : 0);
      solids_.clear();
      const std::string place =
          fmt::format("translation {} {} {}", between(-0.1, 0.1), between(-0.1, 0.1),
                      0.15 + 0.25 * t + between(0.0, 0.1));
      text += (with_ == With::Loops && chance(3) ? held(place, t) : body(place)) + "\n";
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

  // A tree that two joints hold to the world.
  std::string held(const std::string& place, int number) {
    const std::string first = joint(body("translation " + vector(0.2)), false);
    return fmt::format("Solid {{ {} name \"base{}\" children [ {} {} ] }}", place, number, first,
                       joint(reference(), false));
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
    const int name = ++names_;
    const double mass = std::pow(10.0, between(-1.0, 0.7));
    const double i = 0.004 * mass;
    std::string children;
    while (left_ > 0 && !chance(4)) {
      children += joint(body("translation " + vector(0.2))) + "\n";
      if (with_ == With::Loops && chance(2)) {
        children += joint(reference()) + "\n";
      }
    }
    solids_.push_back(name);
    return fmt::format(
        "Solid {{ {} name \"s{}\" rotation {} {} children [ {} ] boundingObject {} physics Physics "
        "{{ density -1 mass {} centerOfMass [ {} ] inertiaMatrix [ {} {} {}, {} {} {} ] }} }}",
        translation, name, vector(1.0), between(-2.0, 2.0), children, shape(), mass, vector(0.02),
        i, 1.3 * i, 1.6 * i, 0.1 * i, -0.05 * i, 0.07 * i);
  }

  // To a body of the tree that is already there, or the world.
  std::string reference() {
    const bool to_world = solids_.empty() || chance(3);
    return fmt::format("SolidReference {{ solidName \"{}\" }}",
                       to_world ? "<static environment>"
                                : fmt::format("s{}", solids_[random_() % solids_.size()]));
  }

  std::string axis_parameters() {
    std::string text;
    if (chance(2)) {
      text += fmt::format("minStop {} maxStop {} ", -between(0.1, 1.0), between(0.1, 1.0));
    }
    if (chance(3)) {
      text += fmt::format("dampingConstant {} ", between(0.01, 0.5));
    }
    return text;
  }

  // `is_within`: below a body, not the world.
  std::string joint_with_axes(const std::string& end_point, bool is_within) {
    const std::string axis = vector(1.0);
    const std::string suspension =
        fmt::format("suspensionSpringConstant {} suspensionDampingConstant {} ",
                    between(0.0, 3000.0), between(1.0, 100.0));
    switch (is_within ? random_() % 3 : 0) {
      case 0:
        return fmt::format(
            "BallJoint {{ jointParameters BallJointParameters {{ anchor {} {} }} jointParameters2 "
            "JointParameters {{ axis {} {} }} endPoint {} }}",
            vector(0.1), axis_parameters(), vector(1.0), axis_parameters(), end_point);
      case 1:
        return fmt::format(
            "Hinge2Joint {{ jointParameters HingeJointParameters {{ axis {} anchor {} {} {} }} "
            "jointParameters2 JointParameters {{ axis {} {} }} endPoint {} }}",
            axis, vector(0.1), axis_parameters(),
            chance(2) ? "suspensionAxis " + axis + " " + suspension : "", vector(1.0),
            axis_parameters(), end_point);
      default:
        return fmt::format(
            "HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 anchor {} "
            "suspensionAxis 0.6 0 0.8 {} {} }} endPoint {} }}",
            vector(0.1), suspension, axis_parameters(), end_point);
    }
  }

  std::string joint(const std::string& end_point, bool is_within = true) {
    if (of_ == Of::AllJoints && !chance(3)) {
      return joint_with_axes(end_point, is_within);
    }
    const bool slides = with_ == With::Loops && chance(4);
    std::string parameters = fmt::format("axis {} ", vector(1.0));
    if (!slides) {
      parameters += fmt::format("anchor {} ", vector(0.1));
    }
    if (chance(2)) {
      parameters += fmt::format("minStop {} maxStop {} ", -between(0.1, 1.0), between(0.1, 1.0));
    }
    if (chance(3)) {
      parameters += fmt::format("dampingConstant {} ", between(0.01, 0.5));
    }
    return fmt::format("{}Joint {{ jointParameters {} {{ {} }} endPoint {} }}",
                       slides ? "Slider" : "Hinge",
                       slides ? "JointParameters" : "HingeJointParameters", parameters, end_point);
  }

  std::mt19937 random_;
  With with_;
  Of of_;
  int left_ = 0;
  int names_ = 0;
  std::vector<int> solids_;  // names of the tree's bodies that are complete
};

/// Other drives for all joints.
inline void push_about(PhysicsWorld& world, std::mt19937& random) {
  for (int j = 0; j < static_cast<int>(world.joints().count()); ++j) {
    const double v = static_cast<double>(random()) / 4294967295.0;
    world.joints()[j].drive = {6.0 * v - 3.0, random() % 3 == 0 ? 0.0 : 5.0 * v, 0.0, 0.0};
    world.joints()[j].wake = true;
  }
}

/// At every twentieth step.
inline void drive_at_times(PhysicsWorld& world, int step, std::mt19937& random) {
  if (step % 20 == 0) {
    push_about(world, random);
  }
}

}  // namespace servosim::test
