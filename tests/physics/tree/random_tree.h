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

/// A chain or a tree of bodies without shapes, of everything that its joints may have.
class RandomTree {
 public:
  enum class Of { Plain, AllJoints };
  /// `bodies`: 0 for a random number. `of`: hinges and sliders, or also balls, Hinge2s and
  /// suspensions.
  explicit RandomTree(std::uint32_t seed, int bodies = 0, Of of = Of::Plain)
      : random_(seed), bodies_(bodies), of_(of) {}

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

  // What acts on an axis without a motor.
  std::string passive_parameters() {
    std::string parameters;
    if (chance(3)) {
      parameters += fmt::format("springConstant {} springReference {} ", between(1.0, 200.0),
                                chance(2) ? 0.0 : between(-0.3, 0.3));
    }
    if (chance(3)) {
      parameters += fmt::format("dampingConstant {} ", between(0.01, 5.0));
    }
    if (chance(3)) {
      parameters += fmt::format("staticFriction {} ", between(0.01, 2.0));
    }
    return parameters;
  }

  // Returns parameters for one axis of a joint with several axes.
  std::string axis_parameters() {
    std::string parameters;
    const double width = chance(4) ? between(2.2, 4.0) : between(0.05, 1.0);
    if (chance(2)) {
      parameters += fmt::format("minStop {} maxStop {} ", -width, width);
    }
    return parameters + passive_parameters();
  }

  std::string devices(const char* field) {
    return chance(3) ? ""
                     : fmt::format("{} [ RotationalMotor {{ }} {} ] ", field,
                                   chance(3) ? "Brake { }" : "");
  }

  std::string suspension() {
    return fmt::format("suspensionSpringConstant {} suspensionDampingConstant {} ",
                       between(0.0, 3000.0), between(1.0, 200.0));
  }

  std::string stop_softness() {
    return chance(3) ? fmt::format("stopERP {} stopCFM {} ", chance(4) ? 1.0 : between(0.05, 0.9),
                                   std::pow(10.0, between(-8.0, -2.0)))
                     : "";
  }

  std::string ball() {
    std::string text = fmt::format(
        "BallJoint {{ jointParameters BallJointParameters {{ anchor {} "
        "{} }} ",
        vector(0.2), axis_parameters());
    if (chance(2)) {
      text += fmt::format("jointParameters2 JointParameters {{ axis {} {} }} ", vector(1.0),
                          axis_parameters());
    }
    if (chance(2)) {
      text += fmt::format("jointParameters3 JointParameters {{ axis {} {} }} ", vector(1.0),
                          axis_parameters());
    }
    text += devices("device") + devices("device2") + devices("device3");
    return text + "endPoint " + body("translation " + vector(0.3)) + " }";
  }

  // The parent of this joint must be dynamic.
  std::string hinge2() {
    const std::string axis = vector(1.0);
    std::string text = fmt::format(
        "Hinge2Joint {{ jointParameters HingeJointParameters {{ axis {} anchor {} {} {} {} }} "
        "jointParameters2 JointParameters {{ axis {} {} }} ",
        axis, vector(0.2), axis_parameters(), stop_softness(),
        chance(2) ? "suspensionAxis " + axis + " " + suspension() : "", vector(1.0),
        axis_parameters());
    text += devices("device") + devices("device2");
    return text + "endPoint " + body("translation " + vector(0.3)) + " }";
  }

  // The parent of this joint must be dynamic, too.
  std::string suspended_hinge() {
    const double turned = between(0.0, 6.0);
    const std::string axis = fmt::format("{} {} 0", std::cos(turned), std::sin(turned));
    const std::string across =
        fmt::format("{} {} {}", -0.6 * std::sin(turned), 0.6 * std::cos(turned), 0.8);
    return fmt::format(
        "HingeJoint {{ jointParameters HingeJointParameters {{ axis {} anchor {} suspensionAxis {} "
        "{} {} {} }} {} endPoint {} }}",
        axis, vector(0.2), across, suspension(), axis_parameters(), stop_softness(),
        devices("device"), body("translation " + vector(0.3)));
  }

  std::string joint() {
    if (of_ == Of::AllJoints) {
      switch (random_() % 5) {
        case 0:
          return ball();
        case 1:
          return depth_ > 0 ? hinge2() : ball();
        case 2:
          return depth_ > 0 ? suspended_hinge() : ball();
        default:
          break;
      }
    }
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
    parameters += passive_parameters();
    if (chance(3)) {
      parameters += fmt::format("armature {} ", between(0.001, 1.0));
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
  Of of_;
  int left_ = 0;
  int names_ = 0;
  int depth_ = 0;
  bool is_anchored_ = false;
};

/// Other drives and brakes for all joints.
inline void drive(PhysicsWorld& world, std::mt19937& random) {
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

inline std::vector<JointState::Drive> drives_of(const PhysicsWorld& world) {
  std::vector<JointState::Drive> drives;
  for (int j = 0; j < static_cast<int>(world.joints().count()); ++j) {
    drives.push_back(world.joints()[j].drive);
  }
  return drives;
}

}  // namespace servosim::test
