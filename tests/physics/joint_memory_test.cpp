// SPDX-License-Identifier: Apache-2.0
// A joint brought back to what it was goes on to the same bits, and tells the same efforts.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "physics/joints/ball.h"
#include "physics/joints/hinge2.h"
#include "physics/joints/joint.h"
#include "physics/ode/ode_rows.h"
#include "physics/ode_library.h"
#include "scene/scene.h"

namespace servosim {
namespace physics_joint_memory_test {

constexpr double kH = 0.008;

// Two bodies in a world of their own, with the states of up to three axes.
class JointMemory : public testing::Test {
 protected:
  JointMemory() {
    use_ode();
    world_ = dWorldCreate();
    dWorldSetGravity(world_, 0.0, 0.0, -9.81);
    for (dBodyID* body : {&parent_, &child_}) {
      *body = dBodyCreate(world_);
      dMass mass;
      dMassSetBoxTotal(&mass, 2.5, 0.25, 0.5, 0.75);
      dBodySetMass(*body, &mass);
      dBodySetGyroscopicMode(*body, 0);
    }
    dBodySetPosition(child_, 0.25, 0.125, -0.5);
  }
  ~JointMemory() override { dWorldDestroy(world_); }

  // An axis with everything that may act.
  JointSpec axis(JointKind kind, int number) {
    JointSpec spec;
    spec.kind = kind;
    spec.type = kind == JointKind::Slider ? JointType::Linear : JointType::Rotational;
    spec.axis_number = number;
    spec.has_brake = true;
    spec.stops.min = -0.125;
    spec.stops.max = 0.25;
    return spec;
  }

  using Record = std::vector<double>;
  Record record(dBodyID body) const {
    Record all;
    const auto add = [&all](const dReal* v, int n) { all.insert(all.end(), v, v + n); };
    add(dBodyGetPosition(body), 3);
    add(dBodyGetQuaternion(body), 4);
    add(dBodyGetLinearVel(body), 3);
    add(dBodyGetAngularVel(body), 3);
    return all;
  }
  static void set(dBodyID body, const Record& r) {
    dBodySetPosition(body, r[0], r[1], r[2]);
    dBodySetQuaternion(body, r.data() + 3);
    dBodySetLinearVel(body, r[7], r[8], r[9]);
    dBodySetAngularVel(body, r[10], r[11], r[12]);
  }

  // Runs on from the present state and tells all that happens.
  template <typename Joint>
  Record run(Joint& joint) {
    Record all;
    OdeRows ode_rows({&joint.rows()}, dWorldGetCFM(world_));
    for (int n = 0; n < 40; ++n) {
      joint.before_step();
      ode_rows.write();
      EXPECT_TRUE(ode_step(world_, kH, SIZE_MAX, {}).done);
      ode_rows.read();
      joint.after_step(true);
      joint.measure();
      for (const JointState& s : states_) {
        all.insert(all.end(), {s.position, s.velocity, s.effort, s.constraint_effort});
      }
    }
    return all;
  }

  // Drives, brakes, saves, continues differently, restores.
  template <typename Joint>
  void check(Joint joint) {
    for (std::size_t k = 0; k < states_.size(); ++k) {
      const double x = 0.125 * static_cast<double>(k + 1);
      states_[k].drive = {x, 3.0 * x, 0.5};
      states_[k].brake_damping = x;
      states_[k].brake_changed = true;
    }
    run(joint);
    // Setting a quaternion normalises it again: both runs of the comparison start from a set one.
    set(parent_, record(parent_));
    set(child_, record(child_));
    joint.measure();
    const auto memory = joint.memory();
    const std::array<JointState, 3> then = states_;
    const Record parent = record(parent_);
    const Record child = record(child_);
    const Record wanted = run(joint);
    for (JointState& state : states_) {
      state.drive = {-1.5, 20.0, -2.0};
      state.brake_damping = 0.0;
      state.brake_changed = true;
    }
    EXPECT_NE(run(joint), wanted);
    states_ = then;
    set(parent_, parent);
    set(child_, child);
    joint.restore(memory);
    joint.measure();
    for (std::size_t k = 0; k < states_.size(); ++k) {
      EXPECT_EQ(states_[k].constraint_effort, then[k].constraint_effort) << "of the last step";
      EXPECT_EQ(states_[k].effort, then[k].effort) << "of the last step";
    }
    EXPECT_EQ(run(joint), wanted);
  }

  dWorldID world_;
  dBodyID parent_;
  dBodyID child_;
  std::array<JointState, 3> states_;
};

TEST_F(JointMemory, OfAHinge) {
  const Body parent = body_of(parent_);
  const Body child = body_of(child_);
  check(OdeJoint(world_, axis(JointKind::Hinge, 0), &parent, &child, {0.6, 0.0, 0.8}, {},
                 states_[0], kH));
}

TEST_F(JointMemory, OfAHingeWithFarStops) {
  const Body parent = body_of(parent_);
  const Body child = body_of(child_);
  JointSpec spec = axis(JointKind::Hinge, 0);
  spec.stops.min = -3.0;
  check(OdeJoint(world_, spec, &parent, &child, {0.6, 0.0, 0.8}, {}, states_[0], kH));
}

TEST_F(JointMemory, OfASlider) {
  const Body parent = body_of(parent_);
  const Body child = body_of(child_);
  check(OdeJoint(world_, axis(JointKind::Slider, 0), &parent, &child, {0.6, 0.0, 0.8}, {},
                 states_[0], kH));
}

TEST_F(JointMemory, OfAHinge2) {
  const std::array<JointSpec, 2> specs{axis(JointKind::Hinge2, 0), axis(JointKind::Hinge2, 1)};
  const Body parent = body_of(parent_);
  const Body child = body_of(child_);
  check(OdeHinge2(world_, specs, parent, child, {0.6, 0.0, 0.8}, {0.0, 1.0, 0.0}, {},
                  std::span(states_).first(2), kH));
}

TEST_F(JointMemory, OfABall) {
  std::array<JointSpec, 3> specs{axis(JointKind::Ball, 0), axis(JointKind::Ball, 1),
                                 axis(JointKind::Ball, 2)};
  specs[0].axis = {1.0, 0.0, 0.0};
  specs[1].axis = {0.0, 1.0, 0.0};
  specs[2].axis = {0.0, 0.0, 1.0};
  const Body parent = body_of(parent_);
  const Body child = body_of(child_);
  check(OdeBall(world_, specs, &parent, &child, {}, {}, states_, kH));
}

}  // namespace physics_joint_memory_test
}  // namespace servosim
