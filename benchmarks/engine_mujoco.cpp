// SPDX-License-Identifier: Apache-2.0
// Robots that cannot meet share one model and have an mjData each: MuJoCo's matrices grow with the
// square of what one mjData holds.
#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <cstring>
#include <stdexcept>

#include "engine.h"

namespace servosim::bench {
namespace {

std::string inertial(double mass, const std::array<double, 3>& i, double x) {
  return fmt::format("<inertial pos='{} 0 0' mass='{}' diaginertia='{} {} {}'/>", x, mass, i[0],
                     i[1], i[2]);
}

std::string arm(const Scene& scene, double damping) {
  std::string text;
  for (int i = 0; i < scene.joints; ++i) {
    text += fmt::format("<body pos='{} 0 {}'><joint name='j{}' axis='{}' damping='{}'/>{}",
                        i == 0 ? 0.0 : kLink, i == 0 ? kArmHeight : 0.0, i,
                        i % 2 == 0 ? "0 1 0" : "0 0 1", damping,
                        inertial(kLinkMass, kLinkInertia, kLink / 2));
  }
  for (int i = 0; i < scene.joints; ++i) {
    text += "</body>";
  }
  return text;
}

// The robot's shapes meet the floor only.
std::string rover(const Scene& scene, double damping) {
  std::string text = fmt::format(
      "<geom type='plane' size='1000 1000 1' contype='0' conaffinity='1'/>"
      "<body pos='0 0 {}'><freejoint/>{}"
      "<geom type='box' size='{} {} {}' contype='1' conaffinity='0'/>",
      kWheelRadius, inertial(kChassisMass, kChassisInertia, 0.0), kChassis[0] / 2, kChassis[1] / 2,
      kChassis[2] / 2);
  for (int i = 0; i < scene.joints; ++i) {
    text += fmt::format(
        "<body pos='{} {} 0'><joint name='j{}' axis='0 1 0' damping='{}'/>{}"
        "<geom type='sphere' size='{}' contype='1' conaffinity='0'/></body>",
        kWheelAt[i][0], kWheelAt[i][1], i, damping,
        inertial(kWheelMass, {kWheelInertia, kWheelInertia, kWheelInertia}, 0.0), kWheelRadius);
  }
  return text + "</body>";
}

std::string model_text(const Scene& scene, bool damper) {
  const double damping = damper ? scene.servo_gain() : 0.0;
  std::string text = fmt::format(
      "<mujoco><compiler angle='radian'/><option timestep='{}' gravity='0 0 {}' "
      "integrator='{}'/><worldbody>",
      kH, kGravity, damper ? "Euler" : "implicit");
  text += scene.kind == Kind::Arms ? arm(scene, damping) : rover(scene, damping);
  text += "</worldbody><actuator>";
  for (int i = 0; i < scene.joints; ++i) {
    text += damper ? fmt::format("<motor joint='j{}' gear='{}'/>", i, damping)
                   : fmt::format(
                         "<velocity joint='j{}' kv='{}' forcelimited='true' forcerange='{} {}'/>",
                         i, scene.servo_gain(), -scene.max_torque(), scene.max_torque());
  }
  return text + "</actuator></mujoco>";
}

mjModel* load(const std::string& text) {
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "model.xml", static_cast<int>(text.size()));
  std::memcpy(files->filedata[0], text.data(), text.size());
  char error[500] = "";
  mjModel* const model = mj_loadXML("model.xml", files.get(), error, sizeof error);
  mj_deleteVFS(files.get());
  if (model == nullptr) {
    throw std::runtime_error(std::string("MuJoCo: ") + error);
  }
  return model;
}

class MujocoEngine : public Engine {
 public:
  MujocoEngine(const Scene& scene, bool damper)
      : scene_(scene), model_(load(model_text(scene, damper))) {
    for (int r = 0; r < scene.robots; ++r) {
      robots_.push_back(mj_makeData(model_));
    }
  }
  ~MujocoEngine() override {
    for (mjData* robot : robots_) {
      mj_deleteData(robot);
    }
    mj_deleteModel(model_);
  }

  void step() override {
    for (mjData* robot : robots_) {
      for (int i = 0; i < scene_.joints; ++i) {
        robot->ctrl[i] = scene_.kind == Kind::Arms
                             ? servo_speed(arm_target(i, robot->time), robot->qpos[i])
                             : wheel_speed(robot->time);
      }
      mj_step(model_, robot);
    }
  }

  std::vector<double> positions() const override {
    std::vector<double> all;
    for (int r = 0; r < scene_.robots; ++r) {
      const mjtNum* q = robots_[r]->qpos;
      if (scene_.kind == Kind::Arms) {
        all.insert(all.end(), q, q + scene_.joints);
      } else {
        all.insert(all.end(), {q[0], q[1] + scene_.robot_y(r)});
      }
    }
    return all;
  }

 private:
  Scene scene_;
  mjModel* model_;
  std::vector<mjData*> robots_;
};

}  // namespace

std::unique_ptr<Engine> make_mujoco_servo(const Scene& scene) {
  return std::make_unique<MujocoEngine>(scene, false);
}

std::unique_ptr<Engine> make_mujoco_damper(const Scene& scene) {
  return std::make_unique<MujocoEngine>(scene, true);
}

}  // namespace servosim::bench
