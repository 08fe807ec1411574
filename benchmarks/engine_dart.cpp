// SPDX-License-Identifier: Apache-2.0
// DART with servos as actuators. Its direct solver (Dantzig's) solves their rows together with the
// contacts.
#include <dart/collision/fcl/FCLCollisionDetector.hpp>
#include <dart/config.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/ShapeNode.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/SphereShape.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <dart/simulation/World.hpp>

#include "engine.h"

namespace servosim::bench {
namespace {

using dart::dynamics::BodyNode;
using dart::dynamics::Joint;
using dart::dynamics::RevoluteJoint;
using dart::dynamics::ShapePtr;
using dart::dynamics::Skeleton;
using dart::dynamics::SkeletonPtr;

class DartEngine : public Engine {
 public:
  explicit DartEngine(const Scene& scene)
      : scene_(scene),
        box_(std::make_shared<dart::dynamics::BoxShape>(
            Eigen::Vector3d(kChassis[0], kChassis[1], kChassis[2]))),
        sphere_(std::make_shared<dart::dynamics::SphereShape>(kWheelRadius)) {
    world_->setGravity({0, 0, kGravity});
    world_->setTimeStep(kH);
    if (scene.kind == Kind::Rovers) {
      set_collider();
      add_floor();
    }
    for (int r = 0; r < scene.robots; ++r) {
      robots_.push_back(Skeleton::create("robot " + std::to_string(r)));
      scene.kind == Kind::Arms ? add_arm(scene.robot_y(r)) : add_rover(scene.robot_y(r));
      world_->addSkeleton(robots_.back());
    }
  }

  void step() override {
    for (std::size_t m = 0; m < motors_.size(); ++m) {
      const int joint = static_cast<int>(m) % scene_.joints;
      motors_[m]->setCommand(0, scene_.kind == Kind::Arms ? servo_speed(arm_target(joint, time_),
                                                                        motors_[m]->getPosition(0))
                                                          : wheel_speed(time_));
    }
    world_->step();
    time_ += kH;
  }

  std::vector<double> positions() const override {
    std::vector<double> all;
    if (scene_.kind == Kind::Arms) {
      for (const Joint* motor : motors_) {
        all.push_back(motor->getPosition(0));
      }
    } else {
      for (const SkeletonPtr& robot : robots_) {
        const Eigen::Vector3d at = robot->getRootBodyNode()->getTransform().translation();
        all.insert(all.end(), {at.x(), at.y()});
      }
    }
    return all;
  }

 private:
  static void set_mass(BodyNode& body, double mass, const std::array<double, 3>& inertia,
                       double x) {
    body.setInertia(dart::dynamics::Inertia(
        mass, {x, 0, 0}, Eigen::Vector3d(inertia[0], inertia[1], inertia[2]).asDiagonal()));
  }

  static void add_shape(BodyNode& body, const ShapePtr& shape) {
    body.createShapeNodeWith<dart::dynamics::CollisionAspect, dart::dynamics::DynamicsAspect>(
        shape);  // the default friction is 1
  }

  // FCL's collision detector has a broad phase, and DART's own does not. Spheres and boxes are five
  // times faster as such than as meshes, though DART warns of them.
  void set_collider() {
    using dart::collision::FCLCollisionDetector;
    const auto collider = FCLCollisionDetector::create();
    collider->setPrimitiveShapeType(FCLCollisionDetector::PRIMITIVE);
    world_->getConstraintSolver()->setCollisionDetector(collider);
  }

  // The floor is a box: a plane, which has no end, makes FCL's broad phase crash with many shapes.
  void add_floor() {
    const SkeletonPtr floor = Skeleton::create("floor");
    BodyNode& body = *floor->createJointAndBodyNodePair<dart::dynamics::WeldJoint>().second;
    Eigen::Isometry3d below = Eigen::Isometry3d::Identity();
    below.translation().z() = -0.5;
    body.getParentJoint()->setTransformFromParentBodyNode(below);
    add_shape(body, std::make_shared<dart::dynamics::BoxShape>(Eigen::Vector3d(1000, 1000, 1)));
    floor->setMobile(false);
    world_->addSkeleton(floor);
  }

  // DART warns of names that are not unique.
  BodyNode& add_link(BodyNode* parent, const Eigen::Vector3d& axis, const Eigen::Vector3d& anchor) {
    RevoluteJoint::Properties properties;
    properties.mName = "joint " + std::to_string(motors_.size());
    properties.mAxis = axis;
    const BodyNode::AspectProperties link("link " + std::to_string(motors_.size()));
    const auto [joint, body] =
        robots_.back()->createJointAndBodyNodePair<RevoluteJoint>(parent, properties, link);
    joint->setTransformFromParentBodyNode(Eigen::Isometry3d(Eigen::Translation3d(anchor)));
    joint->setActuatorType(Joint::SERVO);
    joint->setForceLowerLimit(0, -scene_.max_torque());
    joint->setForceUpperLimit(0, scene_.max_torque());
    motors_.push_back(joint);
    return *body;
  }

  void add_arm(double y) {
    BodyNode* parent = nullptr;
    for (int i = 0; i < scene_.joints; ++i) {
      const Eigen::Vector3d anchor =
          i == 0 ? Eigen::Vector3d(0, y, kArmHeight) : Eigen::Vector3d(kLink, 0, 0);
      parent = &add_link(parent, i % 2 == 0 ? Eigen::Vector3d::UnitY() : Eigen::Vector3d::UnitZ(),
                         anchor);
      set_mass(*parent, kLinkMass, kLinkInertia, kLink / 2);
    }
  }

  void add_rover(double y) {
    const auto [joint, chassis] =
        robots_.back()->createJointAndBodyNodePair<dart::dynamics::FreeJoint>();
    set_mass(*chassis, kChassisMass, kChassisInertia, 0.0);
    add_shape(*chassis, box_);
    for (int i = 0; i < scene_.joints; ++i) {
      BodyNode& wheel =
          add_link(chassis, Eigen::Vector3d::UnitY(), {kWheelAt[i][0], kWheelAt[i][1], 0});
      set_mass(wheel, kWheelMass, {kWheelInertia, kWheelInertia, kWheelInertia}, 0.0);
      add_shape(wheel, sphere_);
    }
    joint->setTransform(Eigen::Isometry3d(Eigen::Translation3d(0, y, kWheelRadius)));
  }

  Scene scene_;
  ShapePtr box_;
  ShapePtr sphere_;
  dart::simulation::WorldPtr world_ = dart::simulation::World::create();
  std::vector<SkeletonPtr> robots_;
  std::vector<Joint*> motors_;
  double time_ = 0.0;
};

}  // namespace

std::string dart_version() {
  return std::to_string(DART_MAJOR_VERSION) + "." + std::to_string(DART_MINOR_VERSION);
}

std::unique_ptr<Engine> make_dart(const Scene& scene) {
  return std::make_unique<DartEngine>(scene);
}

}  // namespace servosim::bench
