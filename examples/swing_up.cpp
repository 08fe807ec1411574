// SPDX-License-Identifier: Apache-2.0
// Swings a pendulum up with a motor that is too weak to lift it. Every 0.1 s the program tries
// forty random plans in a clone of the simulation, and makes the first move of the best one.
#include <servosim/simulation.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <random>
#include <utility>

namespace {

constexpr double kTorque = 1.2;  // [N m]
constexpr int kMove = 12;        // steps of 8 ms with one torque
constexpr int kPlans = 40;

using Plan = std::array<double, 12>;  // one torque per move [N m]

// The height of the rod's centre over its lowest point, less a little for speed, summed up. To be
// up sooner is better.
double worth(servosim::Simulation& trial, const Plan& plan) {
  servosim::Motor& motor = trial.robot("pendulum").motor("pivot");
  double sum = 0.0;
  for (const double torque : plan) {
    motor.set_force(torque);
    trial.step(kMove);
    const servosim::JointReading joint = trial.joint(0).reading();
    sum -= std::cos(joint.position) + 0.02 * joint.velocity * joint.velocity;
  }
  return sum;
}

Plan best_plan(servosim::Simulation& trial, const servosim::SimulationState& now, Plan best,
               std::mt19937& random) {
  trial.restore(now);
  double best_worth = worth(trial, best);
  std::uniform_real_distribution<double> any(-kTorque, kTorque);
  for (int n = 0; n < kPlans; ++n) {
    Plan plan;
    for (std::size_t i = 0; i < plan.size(); ++i) {
      plan[i] =
          n % 2 == 0 ? any(random) : std::clamp(best[i] + 0.3 * any(random), -kTorque, kTorque);
    }
    trial.restore(now);
    if (const double w = worth(trial, plan); w > best_worth) {
      best_worth = w;
      best = plan;
    }
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    servosim::Simulation simulation(argc > 1 ? argv[1] : "worlds/pendulum.wbt");
    servosim::Simulation trial = simulation.clone();
    servosim::SimulationState now;
    servosim::Motor& motor = simulation.robot("pendulum").motor("pivot");
    std::mt19937 random(1);
    Plan plan{};
    while (simulation.time() < 6.0) {
      now = simulation.save(std::move(now));
      plan = best_plan(trial, now, plan, random);
      motor.set_force(plan[0]);
      simulation.step(kMove);
      std::copy(plan.begin() + 1, plan.end(), plan.begin());
      plan.back() = 0.0;
    }
    const double from_top =
        std::remainder(simulation.joint(0).position() - std::acos(-1.0), 2.0 * std::acos(-1.0));
    std::printf("after %.0f s the rod stands %.2f rad from upright\n", simulation.time(), from_top);
    return std::abs(from_top) < 0.4 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
