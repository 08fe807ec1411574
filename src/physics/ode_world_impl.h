// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "physics/joint_state.h"
#include "physics/ode_backlash.h"
#include "physics/ode_contacts.h"
#include "physics/ode_geometry.h"
#include "physics/ode_joint.h"
#include "physics/physics_world.h"
#include "servosim/diagnostics.h"
#include "servosim/math.h"

namespace servosim {

struct Scene;

/// One rigid body: a Solid with Physics and the dynamic Solids merged into it.
struct Body {
  dBodyID id = nullptr;
  int solid = -1;  ///< the Solid that owns it and gives its axes
  Vec3 center;     ///< centre of mass in the owner's frame [m]
  // Where ODE keeps its state; valid as long as the body.
  const dReal* position = nullptr;
  const dReal* velocity = nullptr;
  const dReal* spin = nullptr;
};

/// How a Solid moves.
struct SolidMotion {
  int body = -1;   ///< index of its body, -1 for none
  Pose in_body;    ///< its pose in the body's frame (origin at the centre of mass)
  int joint = -1;  ///< the kinematic joint it is the endpoint of
};

/// A geom without a body that must follow its Solid.
struct Follower {
  dGeomID geom;
  int solid;
  Pose in_solid;
};

/// A Solid at the top of the tree with all below it, as far as collisions are concerned.
struct Branch {
  int shapes = 0;
  int robot = -1;                ///< outermost Robot of the last Solid with shapes
  bool may_meet_itself = false;  ///< its shapes are not all of one Robot without selfCollision
  dSpaceID space = nullptr;
};

/// A joint with free play.
struct LooseJoint {
  int joint;     ///< of the scene
  double creep;  ///< [rad/s|m/s] below this a sleeping endpoint is left alone
  OdeBacklash backlash;
};

struct PhysicsWorld::Impl {
  Impl(const Scene& scene, Diagnostics& diagnostics, std::span<JointState> states);
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl();

  void step();
  void check_sane();  ///< fails if a state is beyond what ODE can take
  [[noreturn]] void fail(int solid);
  Pose solid_pose(int solid) const;
  void find_contacts();
  void set_joint_state(int joint, double position, double velocity);
  void pin(int solid, bool pinned);

  void measure(int joint);

  void destroy_world();

  // Building, in this order.
  void create_world();
  void create_bodies(Diagnostics& diagnostics);
  void place_bodies();
  void set_damping(const std::vector<std::vector<int>>& members);
  void create_joints();
  void create_backlash();
  void create_fixed_joints();
  void create_geoms(Diagnostics& diagnostics);
  void create_space(std::size_t members);
  dSpaceID branch_space(Branch& branch);
  void create_solid_geoms(int solid, dSpaceID where, Diagnostics& diagnostics);
  void exclude_overlaid();

  bool is_dynamic(int solid) const;
  Pose joint_pose(int joint, double position) const;
  int carrying_body(int solid) const;
  bool moves(int solid) const;
  void shift_branch(int joint, const Pose& shift, const Vec3& joint_velocity,
                    const Vec3& joint_spin, const Vec3& center);

  const Scene& scene;
  std::span<JointState> states;
  double h = 0.0;  // [s]
  dThreadingImplementationID threading = nullptr;
  dWorldID world = nullptr;
  dSpaceID space = nullptr;
  std::vector<Body> bodies;
  std::vector<SolidMotion> motion;  // by Solid
  std::vector<OdeJoint> joints;
  std::vector<int> ode_joint_of;      // by joint of the scene, -1 for kinematic ones
  std::vector<int> kinematic_joints;  // those that move a Solid
  std::vector<LooseJoint> loose_joints;
  std::vector<dJointID> pins;       // by Solid
  std::deque<GeomInfo> geom_infos;  // addresses are kept by ODE
  std::vector<std::unique_ptr<OdeMesh>> meshes;
  std::vector<Follower> followers;
  std::vector<dSpaceID> inner_spaces;  // those whose own members may collide
  std::unique_ptr<Contacts> contacts;
  bool can_collide = false;
  bool poses_changed = true;
  int unstable = -1;       // the Solid that left the sane range: this world is over
  bool step_left = false;  // by OdeStopped
};

}  // namespace servosim
