// SPDX-License-Identifier: Apache-2.0
// What servosim adds to plain ODE: the same arms stepped by a hand-written loop and by Simulation,
// in turns within one process.
//
//   bench_step_overhead                     time ratios of one arm with 1, 2, 6 joints
//   bench_step_overhead raw|servosim ARMS JOINTS STEPS   one of the two alone, for callgrind
//   bench_step_overhead memory              resident memory after 1000 steps of a six-joint arm
#include <ode/ode.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "arm_scene.h"
#include "servosim/simulation.h"

namespace servosim::bench {
namespace {

constexpr double kH = kTimeStepMs / 1000.0;

double target(int joint, double t) { return 0.3 * std::sin(3.14159 * t + 0.3 * joint); }

// The same arms with the same law, as an ODE programmer would write it.
class RawArms {
 public:
  RawArms(int arms, int links) : world_(dWorldCreate()) {
    dWorldSetGravity(world_, 0, 0, -9.81);
    dWorldSetERP(world_, 0.2);
    dWorldSetCFM(world_, 1e-5);
    dWorldSetMaxAngularSpeed(world_, 1e4);
    dMass mass;
    dMassSetParameters(&mass, kMass, 0, 0, 0, kInertia[0], kInertia[1], kInertia[2], 0, 0, 0);
    for (int a = 0; a < arms; ++a) {
      dBodyID parent = nullptr;
      for (int i = 0; i < links; ++i) {
        const dBodyID body = dBodyCreate(world_);
        dBodySetMass(body, &mass);
        dBodySetPosition(body, kLink * (i + 0.5), 3.0 * a, 2.0);
        const dJointID joint = dJointCreateHinge(world_, nullptr);
        dJointAttach(joint, parent, body);
        const double sign = parent == nullptr ? -1.0 : 1.0;
        dJointSetHingeAxis(joint, 0, i % 2 == 0 ? sign : 0, i % 2 == 0 ? 0 : sign);
        dJointSetHingeAnchor(joint, kLink * i, 3.0 * a, 2.0);
        dJointSetHingeParam(joint, dParamFMax, 100.0);
        joints_.push_back({joint, -sign, i, 0.0});
        parent = body;
      }
    }
  }
  ~RawArms() { dWorldDestroy(world_); }

  void step() {
    for (Servo& s : joints_) {
      const double position = s.sign * dJointGetHingeAngle(s.joint);
      const double wanted = 10.0 * (target(s.index, time_) - position);
      s.velocity = std::clamp(wanted, -10.0, 10.0);
      dJointSetHingeParam(s.joint, dParamVel, -s.velocity);
    }
    dWorldStep(world_, kH);
    time_ += kH;
  }
  double last_position() const {
    return joints_.back().sign * dJointGetHingeAngle(joints_.back().joint);
  }

 private:
  struct Servo {
    dJointID joint;
    double sign;
    int index;
    double velocity;
  };
  dWorldID world_;
  std::vector<Servo> joints_;
  double time_ = 0.0;
};

class ServosimArms {
 public:
  ServosimArms(int arms, int links) : simulation_(Simulation::from_text(arms_world(arms, links))) {
    for (int r = 0; r < simulation_.robot_count(); ++r) {
      for (const Device& device : simulation_.robot(r).devices()) {
        motors_.push_back({device.motor.get(), static_cast<int>(motors_.size()) % links});
      }
    }
  }
  void step() {
    for (const auto& [motor, index] : motors_) {
      motor->set_position(target(index, simulation_.time()));
    }
    simulation_.step();
  }
  double last_position() const { return simulation_.joint(simulation_.joint_count() - 1).position; }

 private:
  Simulation simulation_;
  std::vector<std::pair<Motor*, int>> motors_;
};

template <typename Arms>
double seconds_for(Arms& arms, int steps) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < steps; ++i) {
    arms.step();
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

void compare(int links) {
  RawArms raw(1, links);
  ServosimArms ours(1, links);
  std::vector<double> raw_times;
  std::vector<double> our_times;
  const int chunk = 6000 / (links * links + 2);
  for (int round = 0; round < 301; ++round) {
    raw_times.push_back(seconds_for(raw, chunk));
    our_times.push_back(seconds_for(ours, chunk));
  }
  const double a = median(raw_times) / chunk * 1e6;
  const double b = median(our_times) / chunk * 1e6;
  std::printf("%6d  %12.3f  %12.3f  %7.3f   %+.1e\n", links, a, b, b / a,
              ours.last_position() - raw.last_position());
}

template <typename Arms>
int run_alone(int count, int links, int steps) {
  Arms arms(count, links);
  seconds_for(arms, steps);
  std::printf("%.6f\n", arms.last_position());
  return 0;
}

}  // namespace
}  // namespace servosim::bench

int main(int argc, char** argv) {
  using namespace servosim::bench;
  dInitODE2(0);
  if (argc == 5) {
    const int arms = std::atoi(argv[2]);
    const int links = std::atoi(argv[3]);
    const int steps = std::atoi(argv[4]);
    return std::strcmp(argv[1], "raw") == 0 ? run_alone<RawArms>(arms, links, steps)
                                            : run_alone<ServosimArms>(arms, links, steps);
  }
  if (argc == 2 && std::strcmp(argv[1], "memory") == 0) {
    run_alone<ServosimArms>(1, 6, 1000);
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    std::printf("%.1f MB\n", static_cast<double>(usage.ru_maxrss) / 1024.0);
    return 0;
  }
  std::printf("joints  plain ODE us  servosim us    ratio   difference of the last joint [rad]\n");
  for (const int links : {1, 2, 6}) {
    compare(links);
  }
  return 0;
}
