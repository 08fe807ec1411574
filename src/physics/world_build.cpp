// SPDX-License-Identifier: Apache-2.0
// Scene → ODE: what PhysicsWorld does once, at load.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "physics/ode_library.h"
#include "physics/step_memory.h"
#include "physics/visible_shapes.h"
#include "physics/world.h"
#include "scene/scene.h"

namespace servosim {

namespace {

constexpr double kMaxAngularSpeed = 1e4;     // [rad/s], Webots'
constexpr std::size_t kSimpleSpaceMax = 30;  // beyond, sweep-and-prune is faster

// Fraction lost per step for a fraction lost per second.
double per_step(double per_second, double h) { return 1.0 - std::pow(1.0 - per_second, h); }

// By the Solid at the top of each; the others stay empty.
std::vector<Branch> find_branches(const Scene& scene) {
  std::vector<Branch> branches(scene.solids.size());
  for (int s = 0; s < static_cast<int>(scene.solids.size()); ++s) {
    const int shapes = static_cast<int>(scene.solids[s].shapes.size());
    if (shapes == 0) {
      continue;
    }
    Branch& branch = branches[top_solid(scene, s)];
    const int robot = outer_robot(scene, s);
    branch.may_meet_itself = branch.may_meet_itself || robot < 0 ||
                             scene.robots[robot].self_collision ||
                             (branch.shapes > 0 && branch.robot != robot);
    branch.robot = robot;
    branch.shapes += shapes;
  }
  return branches;
}

}  // namespace

PhysicsWorld::Impl::Impl(const Scene& the_scene, Diagnostics& diagnostics,
                         std::span<JointState> joint_states,
                         std::span<PropellerState> the_propeller_states,
                         const PhysicsOptions& options, std::vector<MovedSolid> places)
    : scene(the_scene),
      states(joint_states),
      propeller_states(the_propeller_states),
      h(the_scene.world.basic_time_step_ms / 1000.0),
      moved_solids(std::move(places)),
      step_memory(options.step_memory > 0 ? std::min(options.step_memory, kMostStepMemory)
                                          : default_step_memory()) {
  for (const SolidSpec& solid : scene.solids) {
    local_poses.push_back(solid.pose);
  }
  for (const JointSpec& joint : scene.joints) {
    zero_poses.push_back(joint.zero_pose);
  }
  for (const MovedSolid& place : moved_solids) {
    use_place(place);
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    states[i].position = scene.joints[i].position;
    states[i].static_friction = scene.joints[i].static_friction;
  }
  create_world();
  create_bodies(diagnostics);
  place_bodies();
  create_joints();
  create_drifters();
  create_backlash();
  create_fixed_joints();
  create_propellers();
  create_belts();
  create_geoms(diagnostics, options.notices);
  contacts->limit_memory(step_memory);
  exclude_overlaid();
  if (options.explicit_gyroscopic) {
    use_explicit_gyroscopic();
  }
}

PhysicsWorld::Impl::~Impl() {
  if (step_left) {
    // ODE was left in the middle of a step or a collision and may refuse to take things apart.
    keep_for_ever(threading);
    const OdeErrorsThrow guard;
    try {
      destroy_world();
    } catch (const OdeStopped&) {
    }
    return;
  }
  destroy_world();
  dThreadingFreeImplementation(threading);
}

void PhysicsWorld::Impl::destroy_world() {
  const bool locked = space_locked || (contacts != nullptr && contacts->spaces_locked());
  contacts.reset();
  visible.reset();
  if (ray != nullptr) {
    dGeomDestroy(ray);
  }
  if (!world_left) {
    dWorldDestroy(world);
  }
  // One that is locked stays: ODE would report an error to its destructor, which must not throw.
  if (!locked) {
    dSpaceDestroy(space);  // takes the spaces and geoms in it along
  }
}

void PhysicsWorld::Impl::create_world() {
  const WorldSettings& w = scene.world;
  world = create_ode_world();
  // ODE's default threading is one object of the whole process: two worlds in two threads crash.
  threading = made(dThreadingAllocateSelfThreadedImplementation(), "the threading of a world");
  dWorldSetStepThreadingImplementation(world, dThreadingImplementationGetFunctions(threading),
                                       threading);
  dWorldSetGravity(world, w.gravity.x, w.gravity.y, w.gravity.z);
  dWorldSetERP(world, w.erp);
  dWorldSetCFM(world, w.cfm);
  dWorldSetMaxAngularSpeed(world, kMaxAngularSpeed);
  dWorldSetDamping(world, 0.0, 0.0);
  dWorldSetLinearDampingThreshold(world, 0.0);
  dWorldSetAngularDampingThreshold(world, 0.0);
  dWorldSetAutoDisableFlag(world, 0);
  sleep = {w.disable_time, w.disable_linear_threshold, w.disable_angular_threshold};
}

void PhysicsWorld::Impl::create_bodies(Diagnostics& diagnostics) {
  rigid_bodies = weigh_bodies(scene, diagnostics);
  motion.resize(scene.solids.size());
  for (const RigidBody& rigid : rigid_bodies) {
    const MassProperties& m = rigid.mass;
    for (const RigidBody::Part& part : rigid.parts) {
      motion[part.solid].body = static_cast<int>(bodies.size());
      motion[part.solid].in_body = Pose{{}, -m.center} * part.in_owner;
    }
    const dBodyID body = made(dBodyCreate(world), "a body");
    bodies.push_back({body,
                      rigid.owner(),
                      m.center,
                      dBodyGetPosition(body),
                      dBodyGetRotation(body),
                      dBodyGetQuaternion(body),
                      dBodyGetLinearVel(body),
                      dBodyGetAngularVel(body),
                      {}});
    dMass mass;
    dMassSetParameters(&mass, m.mass, 0.0, 0.0, 0.0, m.inertia(0, 0), m.inertia(1, 1),
                       m.inertia(2, 2), m.inertia(0, 1), m.inertia(0, 2), m.inertia(1, 2));
    dBodySetMass(body, &mass);
  }
  for (const RobotSpec& robot : scene.robots) {
    if (robot.wheels && robot.wheels->kinematic) {
      motion[robot.solid].rolls = true;
      rollers.push_back(robot.solid);
    }
  }
  set_damping();
  fell_asleep.reserve(bodies.size());
  for (Body& body : bodies) {
    dBodySetData(body.id, &body.sleep);
  }
}

void PhysicsWorld::Impl::set_damping() {
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    Damping mean{0.0, 0.0};
    double volume = 0.0;
    for (const RigidBody::Part& part : rigid_bodies[b].parts) {
      const SolidSpec& solid = scene.solids[part.solid];
      const double v = bounding_volume(solid);
      volume += v;
      if (const auto& damping = solid.physics->damping) {
        mean.linear += v * damping->linear;
        mean.angular += v * damping->angular;
      }
    }
    if (volume > 0.0) {
      mean = {mean.linear / volume, mean.angular / volume};
    }
    if (mean.linear == 0.0 && mean.angular == 0.0) {
      mean = scene.world.default_damping.value_or(mean);
    }
    dBodySetLinearDamping(bodies[b].id, per_step(mean.linear, h));
    dBodySetAngularDamping(bodies[b].id, per_step(mean.angular, h));
  }
}

void PhysicsWorld::Impl::place_bodies() {
  std::vector<Pose> at(scene.solids.size());
  for (std::size_t s = 0; s < scene.solids.size(); ++s) {
    const SolidSpec& solid = scene.solids[s];
    at[s] = solid.parent >= 0 ? at[solid.parent] * local_poses[s] : local_poses[s];
    const int b = motion[s].body;
    if (b < 0 || bodies[b].solid != static_cast<int>(s)) {
      continue;
    }
    const dBodyID body = bodies[b].id;
    const Vec3 center = at[s] * bodies[b].center;
    dMatrix3 r;
    to_ode(at[s].rotation, r);
    dBodySetRotation(body, r);
    dBodySetPosition(body, center.x, center.y, center.z);
    dBodySetLinearVel(body, solid.linear_velocity.x, solid.linear_velocity.y,
                      solid.linear_velocity.z);
    dBodySetAngularVel(body, solid.angular_velocity.x, solid.angular_velocity.y,
                       solid.angular_velocity.z);
  }
}

// Those that close a loop come last, as in Webots.
void PhysicsWorld::Impl::create_joints() {
  ode_joint_of.resize(scene.joints.size());
  for (const bool reference : {false, true}) {
    for (int j = 0; j < static_cast<int>(scene.joints.size()); ++j) {
      if (scene.joints[j].reference == reference && scene.joints[j].leader == j) {
        create_axes_of(j);
      }
    }
  }
}

void PhysicsWorld::Impl::create_fixed_joints() {
  for (const Body& body : bodies) {
    const BodyHold hold = body_hold(scene, body.solid);
    if (hold == BodyHold::World) {
      listen_to(body.solid, fix(body.id, nullptr));
    } else if (hold == BodyHold::Parent) {
      const int parent = motion[scene.solids[body.solid].parent].body;
      listen_to(body.solid, fix(body.id, bodies[parent].id));
    }
  }
}

// A TouchSensor measures the force in the joint that holds it.
void PhysicsWorld::Impl::listen_to(int solid, dJointID joint) {
  if (scene.solids[solid].feels) {
    mountings.push_back({solid, {}});
    dJointSetFeedback(joint, &mountings.back().feedback);
  }
}

void PhysicsWorld::Impl::create_geoms(Diagnostics& diagnostics, Notices* notices) {
  contacts = std::make_unique<Contacts>(world, scene, notices);
  for (int b = 0; b < static_cast<int>(bodies.size()); ++b) {
    note_anchored(b);
  }
  std::vector<Branch> branches = find_branches(scene);
  const auto with_shapes =
      std::count_if(branches.begin(), branches.end(), [](const Branch& b) { return b.shapes > 0; });
  space = create_space(nullptr, static_cast<std::size_t>(with_shapes));
  for (int s = 0; s < static_cast<int>(scene.solids.size()); ++s) {
    if (!scene.solids[s].shapes.empty()) {
      create_solid_geoms(s, branch_space(branches[top_solid(scene, s)]), diagnostics);
    }
  }
  const bool any_active = std::any_of(geom_infos.begin(), geom_infos.end(),
                                      [](const GeomInfo& g) { return g.body >= 0 || g.feels; });
  touched.resize(contacts->touched().size());
  can_collide = any_active && geom_infos.size() > 1 && (with_shapes > 1 || !inner_spaces.empty());
}

dSpaceID PhysicsWorld::Impl::create_space(dSpaceID parent, std::size_t members) const {
  const bool y_up = std::abs(scene.world.gravity.y) > std::abs(scene.world.gravity.z);
  return members <= kSimpleSpaceMax
             ? made(dSimpleSpaceCreate(parent), "a space")
             : made(dSweepAndPruneSpaceCreate(parent, y_up ? dSAP_AXES_XZY : dSAP_AXES_XYZ),
                    "a space");
}

// A branch with several shapes has a space of its own in the world's.
dSpaceID PhysicsWorld::Impl::branch_space(Branch& branch) {
  if (branch.space == nullptr) {
    branch.space =
        branch.shapes > 1 ? create_space(space, static_cast<std::size_t>(branch.shapes)) : space;
    if (branch.shapes > 1 && branch.may_meet_itself) {
      inner_spaces.push_back(branch.space);
    }
  }
  return branch.space;
}

void PhysicsWorld::Impl::create_solid_geoms(int s, dSpaceID where, Diagnostics& diagnostics) {
  const SolidSpec& solid = scene.solids[s];
  const int body = motion[s].body;
  const int robot = outer_robot(scene, s);
  const int carrier = carrying_body(s);
  const GeomInfo info{robot,
                      contacts->material(solid.contact_material),
                      body,
                      carrier,
                      carrier >= 0 ? bodies[carrier].id : nullptr,
                      robot < 0 || scene.robots[robot].self_collision};
  const auto own_belt =
      std::find_if(belts.begin(), belts.end(), [s](const Belt& b) { return b.solid == s; });
  const Belt* const belt = own_belt != belts.end() ? &*own_belt : nullptr;
  for (const Shape& shape : solid.shapes) {
    if (shape.degenerate) {
      continue;
    }
    if (shape.type == ShapeType::Plane && body >= 0) {
      diagnostics.warning(shape.where,
                          "a Plane cannot be the bounding object of a Solid with "
                          "Physics; it is left out");
      continue;
    }
    geom_data.emplace_back();
    const dGeomID geom = create_geom(shape, where, geom_data.back());
    geom_infos.push_back(info);
    geom_infos.back().grid = shape.grid.get();
    geom_infos.back().solid = s;
    geom_infos.back().belt = belt;
    geom_infos.back().feels = solid.feels;
    dGeomSetData(geom, &geom_infos.back());
    contacts->add(geom);
    const Pose in_solid = geom_pose_in_solid(shape);
    if (body >= 0) {
      attach_geom(geom, bodies[body].id, motion[s].in_body * in_solid);
      continue;
    }
    const Pose pose = solid_pose(s) * in_solid;
    place_geom(geom, pose);
    (moves(s) ? followers : fixtures).push_back({geom, s, in_solid, pose});
  }
}

// The body that a Solid moves with: its own, or that of the nearest Solid above; -1 for none.
int PhysicsWorld::Impl::carrying_body(int solid) const {
  for (int s = solid; s >= 0; s = scene.solids[s].parent) {
    if (motion[s].body >= 0) {
      return motion[s].body;
    }
  }
  return -1;
}

// True if the Solid's pose can change although it has no body of its own.
bool PhysicsWorld::Impl::moves(int solid) const {
  for (int s = solid; s >= 0; s = scene.solids[s].parent) {
    if (motion[s].body >= 0 || motion[s].joint >= 0 || motion[s].rolls || motion[s].drifts) {
      return true;
    }
  }
  return false;
}

// Bodies linked by a chain of hinges that share one anchor stand in each other: never collide.
void PhysicsWorld::Impl::exclude_overlaid() {
  const auto anchor_of = [this](const JointSpec& j) {
    return (j.parent >= 0 ? solid_pose(j.parent) : Pose{}) * j.anchor;
  };
  for (const JointSpec& first : scene.joints) {
    if (first.type != JointType::Rotational || first.axis_number > 0 || !is_dynamic(first.child)) {
      continue;
    }
    const Vec3 anchor = anchor_of(first);
    const JointSpec* link = &first;
    while (is_dynamic(link->parent) && scene.solids[link->parent].joint >= 0) {
      link = &scene.joints[scene.solids[link->parent].joint];
      if (link->type != JointType::Rotational || norm(anchor_of(*link) - anchor) > 1e-9) {
        break;
      }
      if (is_dynamic(link->parent)) {
        contacts->exclude(motion[first.child].body, motion[link->parent].body);
      }
    }
  }
  contacts->finish();
}

}  // namespace servosim
