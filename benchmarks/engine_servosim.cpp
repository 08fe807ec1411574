// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <limits>

#include "engine.h"
#include "servosim/simulation.h"

namespace servosim::bench {
namespace {

class ServosimEngine : public Engine {
 public:
  ServosimEngine(const Scene& scene, Solver solver)
      : scene_(scene), simulation_(Simulation::from_text(world_text(scene), options(solver))) {
    for (int r = 0; r < simulation_.robots().size(); ++r) {
      for (const DeviceNode& device : simulation_.robot(r).devices()) {
        motors_.push_back({device.get<Motor>(), static_cast<int>(motors_.size()) % scene.joints});
        if (scene.kind == Kind::Rovers) {
          device.get<Motor>()->set_position(std::numeric_limits<double>::infinity());
        }
      }
    }
  }

  void step() override {
    const double t = simulation_.time();
    if (scene_.kind == Kind::Arms) {
      for (const auto& [motor, joint] : motors_) {
        motor->set_position(arm_target(joint, t));
      }
    } else {
      for (const auto& [motor, joint] : motors_) {
        motor->set_velocity(wheel_speed(t));
      }
    }
    simulation_.step();
  }

  std::vector<double> positions() const override {
    std::vector<double> all;
    if (scene_.kind == Kind::Arms) {
      for (int j = 0; j < simulation_.joints().size(); ++j) {
        all.push_back(simulation_.joint(j).position());
      }
      return all;
    }
    for (int r = 0; r < scene_.robots; ++r) {
      const Vec3 at = simulation_.solid(fmt::format("rover {}", r)).pose().translation;
      all.insert(all.end(), {at.x, at.y});
    }
    return all;
  }

 private:
  static LoadOptions options(Solver solver) {
    LoadOptions options;
    options.solver = solver;
    return options;
  }

  Scene scene_;
  Simulation simulation_;
  std::vector<std::pair<Motor*, int>> motors_;
};

}  // namespace

std::unique_ptr<Engine> make_servosim(const Scene& scene, Solver solver) {
  return std::make_unique<ServosimEngine>(scene, solver);
}

}  // namespace servosim::bench
