// SPDX-License-Identifier: Apache-2.0
// The scenes as ODE programs that are written and optimised by hand.
#include <ode/ode.h>

#include "engine.h"

namespace servosim::bench {
namespace {

// Up to this many robots a simple space is faster than sweep-and-prune.
constexpr int kSimpleSpaceMax = 30;

class OdeEngine : public Engine {
 public:
  explicit OdeEngine(const Scene& scene)
      : scene_(scene),
        world_(dWorldCreate()),
        threading_(dThreadingAllocateSelfThreadedImplementation()),
        group_(dJointGroupCreate(0)) {
    dWorldSetStepThreadingImplementation(world_, dThreadingImplementationGetFunctions(threading_),
                                         threading_);
    dWorldSetGravity(world_, 0, 0, kGravity);
    dWorldSetERP(world_, 0.2);
    dWorldSetCFM(world_, 1e-5);
    dWorldSetMaxAngularSpeed(world_, 1e4);
    if (scene.kind == Kind::Rovers) {
      space_ = scene.robots < kSimpleSpaceMax ? dSimpleSpaceCreate(nullptr)
                                              : dSweepAndPruneSpaceCreate(nullptr, dSAP_AXES_XYZ);
      dCreatePlane(space_, 0, 0, 1, 0);
      set_contact();
    }
    for (int r = 0; r < scene.robots; ++r) {
      scene.kind == Kind::Arms ? add_arm(scene.robot_y(r)) : add_rover(scene.robot_y(r));
    }
  }

  ~OdeEngine() override {
    dJointGroupDestroy(group_);
    dWorldDestroy(world_);
    dThreadingFreeImplementation(threading_);
    if (space_ != nullptr) {
      dSpaceDestroy(space_);
    }
  }

  void step() override {
    if (scene_.kind == Kind::Arms) {
      for (const Servo& s : servos_) {
        const double position = s.sign * dJointGetHingeAngle(s.joint);
        dJointSetHingeParam(s.joint, dParamVel, -servo_speed(arm_target(s.index, time_), position));
      }
    } else {
      for (const Servo& s : servos_) {
        dJointSetHingeParam(s.joint, dParamVel, -wheel_speed(time_));
      }
      dSpaceCollide(space_, this, near);
    }
    dWorldStep(world_, kH);
    if (scene_.kind == Kind::Rovers) {
      dJointGroupEmpty(group_);
    }
    time_ += kH;
  }

  std::vector<double> positions() const override {
    std::vector<double> all;
    for (const Servo& s : servos_) {
      if (scene_.kind == Kind::Arms) {
        all.push_back(s.sign * dJointGetHingeAngle(s.joint));
      } else if (s.index == 0) {
        const dReal* at = dBodyGetPosition(dJointGetBody(s.joint, 0));
        all.insert(all.end(), {at[0], at[1]});
      }
    }
    return all;
  }

 private:
  struct Servo {
    dJointID joint;
    double sign;
    int index;
  };

  dBodyID add_body(double m, const std::array<double, 3>& inertia, double x, double y, double z) {
    const dBodyID body = dBodyCreate(world_);
    dMass mass;
    dMassSetParameters(&mass, m, 0, 0, 0, inertia[0], inertia[1], inertia[2], 0, 0, 0);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, x, y, z);
    return body;
  }

  // Without a parent ODE swaps the bodies, which reverses the axis and the angle.
  void add_hinge(dBodyID parent, dBodyID child, bool about_y, int index, double x, double y,
                 double z) {
    const dJointID joint = dJointCreateHinge(world_, nullptr);
    dJointAttach(joint, parent, child);
    const double sign = parent == nullptr ? -1.0 : 1.0;
    dJointSetHingeAxis(joint, 0, about_y ? sign : 0, about_y ? 0 : sign);
    dJointSetHingeAnchor(joint, x, y, z);
    dJointSetHingeParam(joint, dParamFMax, scene_.max_torque());
    servos_.push_back({joint, -sign, index});
  }

  void add_arm(double y) {
    dBodyID parent = nullptr;
    for (int i = 0; i < scene_.joints; ++i) {
      const dBodyID body = add_body(kLinkMass, kLinkInertia, kLink * (i + 0.5), y, kArmHeight);
      add_hinge(parent, body, i % 2 == 0, i, kLink * i, y, kArmHeight);
      parent = body;
    }
  }

  void add_geom(dSpaceID space, dGeomID geom, dBodyID body) {
    dGeomSetBody(geom, body);
    dSpaceAdd(space, geom);
  }

  void add_rover(double y) {
    const dSpaceID own = dSimpleSpaceCreate(space_);
    const dBodyID chassis = add_body(kChassisMass, kChassisInertia, 0, y, kWheelRadius);
    add_geom(own, dCreateBox(nullptr, kChassis[0], kChassis[1], kChassis[2]), chassis);
    for (int i = 0; i < scene_.joints; ++i) {
      const double x = kWheelAt[i][0];
      const double wheel_y = y + kWheelAt[i][1];
      const dBodyID wheel = add_body(kWheelMass, {kWheelInertia, kWheelInertia, kWheelInertia}, x,
                                     wheel_y, kWheelRadius);
      add_geom(own, dCreateSphere(nullptr, kWheelRadius), wheel);
      add_hinge(chassis, wheel, true, i, x, wheel_y, kWheelRadius);
    }
  }

  // The default ContactProperties of Webots.
  void set_contact() {
    contact_.surface.mode = dContactSoftCFM | dContactSoftERP | dContactApprox1 | dContactBounce;
    contact_.surface.mu = 1.0;
    contact_.surface.soft_cfm = 0.001;
    contact_.surface.soft_erp = 0.2;
    contact_.surface.bounce = 0.5;
    contact_.surface.bounce_vel = 0.01;
  }

  // The members of one rover's space are never tested against each other.
  static void near(void* self, dGeomID a, dGeomID b) {
    if (dGeomIsSpace(a) != 0 || dGeomIsSpace(b) != 0) {
      dSpaceCollide2(a, b, self, near);
      return;
    }
    auto& engine = *static_cast<OdeEngine*>(self);
    const int found = dCollide(a, b, kMaxContacts, engine.points_, sizeof(dContactGeom));
    for (int i = 0; i < found; ++i) {
      engine.contact_.geom = engine.points_[i];
      const dJointID joint = dJointCreateContact(engine.world_, engine.group_, &engine.contact_);
      dJointAttach(joint, dGeomGetBody(a), dGeomGetBody(b));
    }
  }

  static constexpr int kMaxContacts = 10;

  Scene scene_;
  dWorldID world_;
  dThreadingImplementationID threading_;
  dJointGroupID group_;
  dSpaceID space_ = nullptr;
  dContact contact_{};
  dContactGeom points_[kMaxContacts];
  std::vector<Servo> servos_;
  double time_ = 0.0;
};

}  // namespace

std::unique_ptr<Engine> make_ode(const Scene& scene) { return std::make_unique<OdeEngine>(scene); }

}  // namespace servosim::bench
