// SPDX-License-Identifier: Apache-2.0
// What a real servo costs compared with a motor of Webots: an arm of six, by itself and in a batch.
//
//     bench_servos                          the table; half a minute
//     bench_servos --quick                  checks that it runs
//     bench_servos alone|batch MOTOR STEPS  one of them, for callgrind; MOTOR: plain or a servo
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "servosim/batch.h"
#include "servosim/simulation.h"

namespace servosim::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kJoints = 6;
constexpr std::size_t kInstances = 64;
constexpr std::string_view kPlain = "plain";

struct Link {
  const char* axis;
  const char* arm;  ///< from its joint to the next one [m]
  double mass;      ///< [kg]
};
constexpr std::array<Link, kJoints> kLinks{{{"0 0 1", "0 0 0.06", 0.15},
                                            {"0 1 0", "0 0 0.11", 0.12},
                                            {"0 1 0", "0.13 0 0", 0.1},
                                            {"0 1 0", "0.06 0 0", 0.06},
                                            {"1 0 0", "0.05 0 0", 0.05},
                                            {"0 0 1", "0.05 0.01 0", 0.03}}};

// An arm without shapes, so that collisions take no time.
std::string arm(std::string_view motor) {
  const std::string servo = motor == kPlain ? "" : fmt::format("\n#servosim servo \"{}\"\n", motor);
  std::string text =
      "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 1 physicsDisableTime 0 }\n"
      "Robot { name \"arm\" children [\n";
  for (std::size_t j = 0; j < kJoints; ++j) {
    const char* const at = j == 0 ? "0 0 0" : kLinks[j - 1].arm;
    const double m = kLinks[j].mass;
    text += fmt::format(
        "HingeJoint {{ jointParameters HingeJointParameters {{ axis {} anchor {} }} device [ "
        "RotationalMotor {{ name \"m{}\" maxTorque 3 maxVelocity 5 {}}} PositionSensor {{ name "
        "\"s{}\" }} ] endPoint Solid {{ name \"l{}\" translation {} physics Physics {{ density -1 "
        "mass {} inertiaMatrix [ {} {} {}, 0 0 0 ] centerOfMass {} }} children [\n",
        kLinks[j].axis, at, j, servo, j, j, at, m, 2e-4 * m, 1e-3 * m, 1e-3 * m, kLinks[j].arm);
  }
  for (std::size_t j = 0; j < kJoints; ++j) {
    text += "] } }\n";
  }
  return text + "] }\n";
}

double target(std::size_t joint, int step) {
  return 0.3 * std::sin(0.004 * step + 0.5 * static_cast<double>(joint));
}

/// Something whose steps are measured.
class Runner {
 public:
  virtual ~Runner() = default;
  virtual void step() = 0;
  double seconds(int steps) {
    const auto start = Clock::now();
    for (int i = 0; i < steps; ++i) {
      step();
    }
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
};

class Alone : public Runner {
 public:
  explicit Alone(std::string_view motor) : world_(Simulation::from_text(arm(motor))) {
    for (const DeviceNode& device : world_.robot(0).devices()) {
      if (Motor* const of = device.get<Motor>(); of != nullptr) {
        motors_.push_back(of);
      }
    }
  }
  void step() override {
    ++steps_;
    for (std::size_t j = 0; j < motors_.size(); ++j) {
      motors_[j]->set_position(target(j, steps_));
    }
    world_.step();
  }

 private:
  Simulation world_;
  std::vector<Motor*> motors_;
  int steps_ = 0;
};

class Together : public Runner {
 public:
  explicit Together(std::string_view motor)
      : batch_(Simulation::from_text(arm(motor)), kInstances) {
    batch_.bind({"*.position"}, {"*.target_position"});
  }
  void step() override {
    ++steps_;
    const std::span<double> actions = batch_.actions<double>();
    for (std::size_t i = 0; i < actions.size(); ++i) {
      actions[i] = target(i % kJoints + i / kJoints, steps_);
    }
    batch_.step();
  }

 private:
  Batch batch_;
  int steps_ = 0;
};

std::unique_ptr<Runner> runner(bool alone, std::string_view motor) {
  return alone ? std::unique_ptr<Runner>(std::make_unique<Alone>(motor))
               : std::make_unique<Together>(motor);
}

// Rounds of both alternate, since a machine does not keep its speed. Disturbances only make a round
// longer.
void print_row(bool alone, std::string_view servo, int rounds) {
  const std::unique_ptr<Runner> plain = runner(alone, kPlain);
  const std::unique_ptr<Runner> real = runner(alone, servo);
  const int steps = alone ? 500 : 20;
  const double joints = static_cast<double>(kJoints * (alone ? 1 : kInstances)) * steps;
  double least_plain = 1e9;
  double least_real = 1e9;
  for (int round = 0; round <= rounds; ++round) {
    const double of_plain = plain->seconds(steps);
    const double of_real = real->seconds(steps);
    if (round > 0) {  // the first one warms up
      least_plain = std::min(least_plain, of_plain);
      least_real = std::min(least_real, of_real);
    }
  }
  fmt::print("| {:6} | {:12} | {:>5.0f} | {:>5.0f} | {:>5.2f} |\n", alone ? "alone" : "batch",
             servo, 1e9 * least_plain / joints, 1e9 * least_real / joints,
             least_real / least_plain);
}

int compare(bool quick) {
  const int rounds = quick ? 1 : 200;
  fmt::print(
      "An arm of six joints at 1 ms, one by itself and {} in a batch; ns per joint and step:\n\n"
      "|        | servo        | plain | servo | ratio |\n"
      "|--------|--------------|------:|------:|------:|\n",
      kInstances);
  for (const bool alone : {true, false}) {
    for (const std::string_view servo : {"STS3215/m1", "XL330-M288/m6"}) {
      print_row(alone, servo, rounds);
    }
  }
  return 0;
}

}  // namespace
}  // namespace servosim::bench

int main(int argc, char** argv) {
  using namespace servosim::bench;
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  if (arguments.empty() || arguments[0] == "--quick") {
    return compare(!arguments.empty());
  }
  if (arguments.size() == 3 && (arguments[0] == "alone" || arguments[0] == "batch")) {
    fmt::print("{:.3f} s\n",
               runner(arguments[0] == "alone", arguments[1])->seconds(std::atoi(argv[3])));
    return 0;
  }
  fmt::print(stderr, "usage: bench_servos [--quick | alone|batch plain|SERVO STEPS]\n");
  return 2;
}
