// SPDX-License-Identifier: Apache-2.0
#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btEmptyShape.h>
#include <BulletCollision/CollisionShapes/btSphereShape.h>
#include <BulletCollision/CollisionShapes/btStaticPlaneShape.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyJointMotor.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <btBulletDynamicsCommon.h>

#include "engine.h"

namespace servosim::bench {
namespace {

btVector3 vector(const std::array<double, 3>& v) { return {v[0], v[1], v[2]}; }

class BulletEngine : public Engine {
 public:
  BulletEngine(const Scene& scene, int iterations)
      : scene_(scene),
        dispatcher_(&configuration_),
        world_(&dispatcher_, &broadphase_, &solver_, &configuration_) {
    world_.setGravity({0, 0, kGravity});
    world_.getSolverInfo().m_numIterations = iterations;
    if (scene.kind == Kind::Rovers) {
      floor_.setCollisionShape(&plane_);
      floor_.setFriction(1.0);
      world_.addCollisionObject(&floor_, kFloor, kRobot);
    }
    for (int r = 0; r < scene.robots; ++r) {
      scene.kind == Kind::Arms ? add_arm(scene.robot_y(r)) : add_rover(scene.robot_y(r));
    }
  }

  // Bullet's world does not own its objects, which must leave it while they exist.
  ~BulletEngine() override {
    for (const auto& motor : motors_) {
      world_.removeMultiBodyConstraint(motor.get());
    }
    for (const auto& collider : colliders_) {
      world_.removeCollisionObject(collider.get());
    }
    for (const auto& robot : robots_) {
      world_.removeMultiBody(robot.get());
    }
    if (scene_.kind == Kind::Rovers) {
      world_.removeCollisionObject(&floor_);
    }
  }

  void step() override {
    for (std::size_t m = 0; m < motors_.size(); ++m) {
      const int joint = static_cast<int>(m) % scene_.joints;
      motors_[m]->setVelocityTarget(
          scene_.kind == Kind::Arms ? servo_speed(arm_target(joint, time_),
                                                  robots_[m / scene_.joints]->getJointPos(joint))
                                    : wheel_speed(time_));
    }
    world_.stepSimulation(kH, 0);
    time_ += kH;
  }

  std::vector<double> positions() const override {
    std::vector<double> all;
    for (const auto& robot : robots_) {
      if (scene_.kind == Kind::Arms) {
        for (int i = 0; i < scene_.joints; ++i) {
          all.push_back(robot->getJointPos(i));
        }
      } else {
        all.insert(all.end(), {robot->getBasePos().x(), robot->getBasePos().y()});
      }
    }
    return all;
  }

 private:
  static constexpr int kFloor = 1;  // collision group: robots touch only the floor
  static constexpr int kNone = 0;
  static constexpr int kRobot = 2;

  btMultiBody& add_body(double mass, const std::array<double, 3>& inertia, bool fixed, double y,
                        double z) {
    robots_.push_back(
        std::make_unique<btMultiBody>(scene_.joints, mass, vector(inertia), fixed, false));
    btMultiBody& body = *robots_.back();
    body.setBasePos({0, y, z});
    body.setLinearDamping(0);
    body.setAngularDamping(0);
    return body;
  }

  void finish(btMultiBody& body) {
    body.finalizeMultiDof();
    world_.addMultiBody(&body);
    for (int i = 0; i < scene_.joints; ++i) {
      motors_.push_back(
          std::make_unique<btMultiBodyJointMotor>(&body, i, 0.0, scene_.max_torque() * kH));
      world_.addMultiBodyConstraint(motors_.back().get());
      motors_.back()->finalizeMultiDof();
    }
  }

  void add_arm(double y) {
    btMultiBody& body = add_body(0, {0, 0, 0}, true, y, kArmHeight);
    for (int i = 0; i < scene_.joints; ++i) {
      body.setupRevolute(i, kLinkMass, vector(kLinkInertia), i - 1, btQuaternion::getIdentity(),
                         i % 2 == 0 ? btVector3(0, 1, 0) : btVector3(0, 0, 1),
                         {i == 0 ? 0 : kLink / 2, 0, 0}, {kLink / 2, 0, 0}, true);
    }
    finish(body);
    // Bullet ignores the motors of links without a collider.
    for (int i = 0; i < scene_.joints; ++i) {
      const btVector3 at(kLink * (i + 0.5), y, kArmHeight);
      body.getLink(i).m_collider = add_collider(body, i, nothing_, at, kNone);
    }
  }

  btMultiBodyLinkCollider* add_collider(btMultiBody& body, int link, btCollisionShape& shape,
                                        const btVector3& at, int meets) {
    colliders_.push_back(std::make_unique<btMultiBodyLinkCollider>(&body, link));
    btMultiBodyLinkCollider& collider = *colliders_.back();
    collider.setCollisionShape(&shape);
    collider.setFriction(1.0);
    collider.setWorldTransform(btTransform(btQuaternion::getIdentity(), at));
    world_.addCollisionObject(&collider, kRobot, meets);
    return &collider;
  }

  void add_rover(double y) {
    btMultiBody& body = add_body(kChassisMass, kChassisInertia, false, y, kWheelRadius);
    for (int i = 0; i < scene_.joints; ++i) {
      body.setupRevolute(i, kWheelMass, {kWheelInertia, kWheelInertia, kWheelInertia}, -1,
                         btQuaternion::getIdentity(), {0, 1, 0},
                         {kWheelAt[i][0], kWheelAt[i][1], 0}, {0, 0, 0}, true);
    }
    finish(body);
    body.setBaseCollider(add_collider(body, -1, box_, body.getBasePos(), kFloor));
    for (int i = 0; i < scene_.joints; ++i) {
      const btVector3 at(kWheelAt[i][0], y + kWheelAt[i][1], kWheelRadius);
      body.getLink(i).m_collider = add_collider(body, i, sphere_, at, kFloor);
    }
  }

  Scene scene_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broadphase_;
  btMultiBodyConstraintSolver solver_;
  btMultiBodyDynamicsWorld world_;
  btEmptyShape nothing_;
  btStaticPlaneShape plane_{{0, 0, 1}, 0};
  btBoxShape box_{{kChassis[0] / 2, kChassis[1] / 2, kChassis[2] / 2}};
  btSphereShape sphere_{kWheelRadius};
  btCollisionObject floor_;
  std::vector<std::unique_ptr<btMultiBody>> robots_;
  std::vector<std::unique_ptr<btMultiBodyLinkCollider>> colliders_;
  std::vector<std::unique_ptr<btMultiBodyJointMotor>> motors_;
  double time_ = 0.0;
};

}  // namespace

std::unique_ptr<Engine> make_bullet(const Scene& scene, int iterations) {
  return std::make_unique<BulletEngine>(scene, iterations);
}

}  // namespace servosim::bench
