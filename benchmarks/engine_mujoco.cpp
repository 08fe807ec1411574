// SPDX-License-Identifier: Apache-2.0
// MuJoCo with the fastest settings whose motion agrees. From 3.0 on its matrices are sparse, and
// all robots are in one mjData. Before that, matrices grew with the square of the contents of an
// mjData. Robots that cannot touch then have one mjData each, of one model, where that is faster.
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

constexpr bool kIsSparse = mjVERSION_HEADER >= 3000000;

// Before matrices were sparse, up to this many arms are faster together in one mjData if they need
// no implicit integrator.
constexpr int kMaxTogether = 100;

// A servo's limit is at the joint. With the limit at the actuator, MuJoCo 3.12 drops the derivative
// of an actuator that has reached it, and becomes unstable from 6 joints on. MuJoCo 4.0 does so
// wherever the limit is, and with each of its implicit integrators, so its servos have none.
constexpr bool kHasStableLimit = mjVERSION_HEADER < 4000000;

std::string joint_limit(const Scene& scene, bool damper) {
  return kIsSparse && kHasStableLimit && !damper
             ? fmt::format(" actuatorfrclimited='true' actuatorfrcrange='{} {}'",
                           -scene.max_torque(), scene.max_torque())
             : "";
}

std::string arm(const Scene& scene, int robot, double damping, const std::string& limit) {
  std::string text;
  for (int i = 0; i < scene.joints; ++i) {
    text += fmt::format("<body pos='{} {} {}'><joint name='j{}' axis='{}' damping='{}'{}/>{}",
                        i == 0 ? 0.0 : kLink, i == 0 ? scene.robot_y(robot) : 0.0,
                        i == 0 ? kArmHeight : 0.0, robot * scene.joints + i,
                        i % 2 == 0 ? "0 1 0" : "0 0 1", damping, limit,
                        inertial(kLinkMass, kLinkInertia, kLink / 2));
  }
  for (int i = 0; i < scene.joints; ++i) {
    text += "</body>";
  }
  return text;
}

constexpr const char* kFloor =
    "<geom type='plane' size='1000 1000 1' contype='0' conaffinity='1'/>";

// The robot's shapes touch only the floor.
std::string rover(const Scene& scene, int robot, double damping, const std::string& limit) {
  std::string text = fmt::format(
      "<body pos='0 {} {}'><freejoint/>{}"
      "<geom type='box' size='{} {} {}' contype='1' conaffinity='0'/>",
      scene.robot_y(robot), kWheelRadius, inertial(kChassisMass, kChassisInertia, 0.0),
      kChassis[0] / 2, kChassis[1] / 2, kChassis[2] / 2);
  for (int i = 0; i < scene.joints; ++i) {
    text += fmt::format(
        "<body pos='{} {} 0'><joint name='j{}' axis='0 1 0' damping='{}'{}/>{}"
        "<geom type='sphere' size='{}' contype='1' conaffinity='0'/></body>",
        kWheelAt[i][0], kWheelAt[i][1], robot * scene.joints + i, damping, limit,
        inertial(kWheelMass, {kWheelInertia, kWheelInertia, kWheelInertia}, 0.0), kWheelRadius);
  }
  return text + "</body>";
}

std::string options(const Scene& scene, bool damper) {
  if (!kIsSparse) {
    return fmt::format("integrator='{}'>", damper ? "Euler" : "implicit");
  }
  const char* const integrator = damper ? "Euler" : "implicitfast";
  return scene.kind == Kind::Rovers
             ? fmt::format("integrator='{}' cone='elliptic'><flag island='disable'/>", integrator)
             : fmt::format(
                   "integrator='{}' jacobian='sparse'><flag constraint='disable' "
                   "contact='disable' sensor='disable' island='disable' midphase='disable' "
                   "spring='disable'/>",
                   integrator);
}

std::string model_text(const Scene& scene, int robots, bool damper) {
  const double damping = damper ? scene.servo_gain() : 0.0;
  const std::string limit = joint_limit(scene, damper);
  std::string text = fmt::format(
      "<mujoco><compiler angle='radian'/><option timestep='{}' gravity='0 0 {}' {}</option>"
      "<worldbody>{}",
      kH, kGravity, options(scene, damper), scene.kind == Kind::Rovers ? kFloor : "");
  for (int r = 0; r < robots; ++r) {
    text +=
        scene.kind == Kind::Arms ? arm(scene, r, damping, limit) : rover(scene, r, damping, limit);
  }
  text += "</worldbody><actuator>";
  for (int i = 0; i < robots * scene.joints; ++i) {
    const std::string range = kIsSparse ? ""
                                        : fmt::format(" forcelimited='true' forcerange='{} {}'",
                                                      -scene.max_torque(), scene.max_torque());
    text += damper ? fmt::format("<motor joint='j{}' gear='{}'/>", i, damping)
                   : fmt::format("<velocity joint='j{}' kv='{}'{}/>", i, scene.servo_gain(), range);
  }
  return text + "</actuator></mujoco>";
}

void add_file(mjVFS& files, const char* name, const std::string& text) {
#if mjVERSION_HEADER >= 3000000
  mj_addBufferVFS(&files, name, text.data(), static_cast<int>(text.size()));
#else
  mj_makeEmptyFileVFS(&files, name, static_cast<int>(text.size()));
  std::memcpy(files.filedata[0], text.data(), text.size());
#endif
}

mjModel* load(const std::string& text) {
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  add_file(*files, "model.xml", text);
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
      : scene_(scene),
        together_(kIsSparse || (damper && scene.kind == Kind::Arms && scene.robots <= kMaxTogether)
                      ? scene.robots
                      : 1),
        model_(load(model_text(scene, together_, damper))) {
    for (int r = 0; r < scene.robots; r += together_) {
      parts_.push_back(mj_makeData(model_));
    }
  }
  ~MujocoEngine() override {
    for (mjData* part : parts_) {
      mj_deleteData(part);
    }
    mj_deleteModel(model_);
  }

  void step() override {
    for (mjData* part : parts_) {
      for (int i = 0; i < model_->nu; ++i) {
        part->ctrl[i] = scene_.kind == Kind::Arms
                            ? servo_speed(arm_target(i % scene_.joints, part->time), part->qpos[i])
                            : wheel_speed(part->time);
      }
      mj_step(model_, part);
    }
  }

  std::vector<double> positions() const override {
    std::vector<double> all;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const mjtNum* q = parts_[p]->qpos;
      if (scene_.kind == Kind::Arms) {
        all.insert(all.end(), q, q + model_->nq);
      } else {
        // Each mjData has the place of its first robot.
        const double shift = together_ == 1 ? scene_.robot_y(static_cast<int>(p)) : 0.0;
        for (int r = 0; r < together_; ++r, q += 7 + scene_.joints) {
          all.insert(all.end(), {q[0], q[1] + shift});
        }
      }
    }
    return all;
  }

 private:
  Scene scene_;
  int together_;  // robots in one mjData
  mjModel* model_;
  std::vector<mjData*> parts_;
};

}  // namespace

std::string mujoco_version() {
  const std::string version = mj_versionString();
  return version.substr(0, version.rfind('.'));
}

std::unique_ptr<Engine> make_mujoco_servo(const Scene& scene) {
  return std::make_unique<MujocoEngine>(scene, false);
}

std::unique_ptr<Engine> make_mujoco_damper(const Scene& scene) {
  return std::make_unique<MujocoEngine>(scene, true);
}

}  // namespace servosim::bench
