// SPDX-License-Identifier: Apache-2.0
// Finds the contacts of a world and keeps them, and casts its rays.
#include "physics/contacts/contacts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/state_archive.h"
#include "physics/contacts/contact_search.h"
#include "physics/contacts/geoms.h"
#include "physics/contacts/scene_geoms.h"
#include "physics/ode_library.h"
#include "scene/scene.h"
#include "scene/scene_match.h"

namespace servosim {

namespace {

// Returns a text for a number of bytes, such as "1.5 GB".
std::string gigabytes(double bytes) { return fmt::format("{:.3g} GB", bytes / 1e9); }

// Describes bodies that are solved together, and their contacts.
struct Island {
  int bodies = 0;
  int contacts = 0;
  int most_touched = -1;  // index of the body with the most contacts
  bool is_for_ode = false;
};

// Returns the island with the most contacts among those that ODE solves. Bodies of other islands
// are disabled. There must be a body.
Island largest_island(const Bodies& bodies, const ContactSearch& contacts) {
  std::unordered_map<dBodyID, int> index;
  for (const Body& body : bodies) {
    index.emplace(body.id, static_cast<int>(index.size()));
  }
  // Union-find: each entry leads to the body that represents the island.
  std::vector<int> above(bodies.count());
  std::iota(above.begin(), above.end(), 0);
  const auto root = [&above](int body) {
    while (above[body] != body) {
      body = above[body] = above[above[body]];
    }
    return body;
  };
  // This is the number of contacts of each body, where a contact counts at one body only.
  std::vector<int> own(bodies.count());
  for (int b = 0; b < bodies.count(); ++b) {
    const dBodyID body = bodies[b].id;
    for (int k = 0; k < dBodyGetNumJoints(body); ++k) {
      const dJointID joint = dBodyGetJoint(body, k);
      const dBodyID one = dJointGetBody(joint, 0);
      const dBodyID other = one == body ? dJointGetBody(joint, 1) : one;
      const int o = other != nullptr ? index.at(other) : -1;
      // Both bodies list the joint, so it counts only at the body with the larger index. The world
      // has the index -1.
      own[b] += dJointGetType(joint) == dJointTypeContact && o < b ? 1 : 0;
      if (o >= 0) {
        above[root(o)] = root(b);
      }
    }
  }
  std::vector<Island> islands(bodies.count());
  for (int b = 0; b < bodies.count(); ++b) {
    Island& island = islands[root(b)];
    ++island.bodies;
    island.contacts += own[b];
    island.is_for_ode = island.is_for_ode || dBodyIsEnabled(bodies[b].id) != 0;
    if (island.most_touched < 0 ||
        contacts.contacts_of(b) > contacts.contacts_of(island.most_touched)) {
      island.most_touched = b;
    }
  }
  // An island that ODE solves has bodies that are enabled; it precedes all others.
  return *std::max_element(
      islands.begin(), islands.end(), [](const Island& one, const Island& other) {
        return std::tie(one.is_for_ode, one.contacts) < std::tie(other.is_for_ode, other.contacts);
      });
}

// Bodies that a chain of hinges with one common anchor connects overlap by design, so they never
// collide. Bodies with a joint in common are excluded anyway, so only the others are listed.
void exclude_overlaid(const Scene& scene, const Bodies& bodies, const SolidPoses& poses,
                      ContactSearch& search) {
  const auto anchor_of = [&](const JointSpec& j) { return poses.frame(j.parent) * j.anchor; };
  for (const JointSpec& first : scene.joints) {
    if (first.type != JointType::Rotational || first.axis_number > 0 ||
        !is_dynamic(scene, first.child)) {
      continue;
    }
    const Vec3 anchor = anchor_of(first);
    const JointSpec* link = &first;
    while (is_dynamic(scene, link->parent) && scene.solids[link->parent].joint >= 0) {
      // The next joint is that of the parent. The chain ends at another anchor or another kind of
      // joint.
      link = &scene.joints[scene.solids[link->parent].joint];
      if (link->type != JointType::Rotational || norm(anchor_of(*link) - anchor) > 1e-9) {
        break;
      }
      if (is_dynamic(scene, link->parent)) {
        search.exclude(bodies.body_of(first.child), bodies.body_of(link->parent));
      }
    }
  }
}

}  // namespace

Contacts::Contacts(const Scene& scene, OdeWorld& ode, const Bodies& bodies, const SolidPoses& poses,
                   KinematicMotion& kinematic, std::span<const JointState> states,
                   Diagnostics& diagnostics, Notices* notices, const Contacts* like)
    : scene_(scene),
      ode_(ode),
      bodies_(bodies),
      poses_(poses),
      kinematic_(kinematic),
      states_(states),
      search_(std::make_unique<ContactSearch>(ode.id(), scene, bodies.anchored(), notices,
                                              like != nullptr ? like->search_.get() : nullptr)),
      geoms_(std::make_unique<SceneGeoms>(scene, ode, bodies, kinematic, *search_, diagnostics,
                                          like != nullptr ? like->geoms_.get() : nullptr)),
      touched_(search_->touched().size()),
      has_belts_(!geoms_->belts().empty()),
      can_collide_(geoms_->can_collide()) {
  search_->limit_memory(ode.step_memory());
  exclude_overlaid(scene, bodies, poses, *search_);
  search_->finish();
}

Contacts::~Contacts() {
  ode_.take_apart([this] {
    if (ray_ != nullptr) {
      dGeomDestroy(ray_);
    }
  });
}

// The axes of belts are needed in the world, and their Tracks may have moved since the last search.
void Contacts::search() {
  for (Belt& belt : geoms_->belts()) {
    belt.axis = poses_.pose(belt.solid).rotation * *scene_.joints[belt.joint].belt;
  }
  search_->find(geoms_->space(), geoms_->inner_spaces());
}

// The contacts stay stale, so the next step finds them again.
const std::vector<SolidContact>& Contacts::find_points() {
  if (ode_.contacts_stale() && can_collide_) {
    kinematic_.place_all();
    search();
  }
  return search_->points();
}

// If the search fails, no contacts are returned. The next step then reports the reason.
const std::vector<SolidContact>& Contacts::points() {
  static const std::vector<SolidContact> none;
  const std::vector<SolidContact>* found = &none;
  between_steps([&] { found = &find_points(); });
  return *found;
}

// OdeStopped means that numbers overflowed inside ODE. Unstable needs a Solid, and nobody knows
// which one it was, so the first one is named.
template <typename Action>
void Contacts::between_steps(Action action) {
  const OdeErrorsThrow guard;
  try {
    if (!ode_.is_over()) {
      action();
    }
  } catch (const OdeStopped&) {
    ode_.set_interrupted();
    ode_.set_unstable(bodies_[0].solid);
  } catch (const TooManyContacts&) {
    // The step finds as many contacts, unless the shapes have moved apart before it.
    if (search_->spaces_locked()) {
      ode_.set_interrupted();
    }
  } catch (...) {  // no memory
    ode_.set_interrupted();
    throw;
  }
}

// Contacts depend only on poses, so they do not change while all bodies sleep.
void Contacts::update() {
  bool moved = ode_.contacts_stale();
  ode_.set_contacts_stale(false);
  if (!can_collide_) {
    return;
  }
  moved = kinematic_.place_followers() || moved;
  // One more search is necessary after bodies have fallen asleep, since they still moved in that
  // step.
  const bool asleep = all_asleep(bodies_);
  if (moved || !asleep || !were_asleep_) {
    search_or_end();
  }
  were_asleep_ = asleep;
}

std::span<const ContactJoint> Contacts::joints() const { return search_->joints(); }

void Contacts::keep_joints() { search_->keep_joints(); }

// The text names the body with the most contacts, because the fault is most likely there.
void Contacts::search_or_end() {
  try {
    search();
  } catch (const TooManyContacts& too_many) {
    const int body = search_->most_touched();
    const int here = search_->contacts_of(body);
    const std::string limit = gigabytes(static_cast<double>(ode_.step_memory()));
    if (too_many.pairs > 0) {
      end_overloaded(
          body,
          fmt::format("{} pairs of shapes are near each other there, and {} so far in all, {}",
                      here, too_many.pairs,
                      too_many.no_memory ? "and no memory for more"
                                         : "are more than " + limit + " can list"));
    }
    const std::size_t all = search_->points().size();
    end_overloaded(
        body,
        too_many.no_memory
            ? fmt::format("{} contacts there, and {} in all, and no memory for more", here, all)
            : fmt::format("{} contacts there, and {} so far in all, are more than {} can solve",
                          here, all, limit));
  }
}

// ODE sums up the rows of an island only when it solves it, so this limit is found after the
// search.
void Contacts::end_unsolved(std::size_t asked) {
  // A small allocation fails because the machine has no memory, not because of this world's size.
  if (asked == 0) {
    ode_.end_overloaded("out of memory");
  }
  const auto limit = ode_.step_memory();
  const Island island = largest_island(bodies_, *search_);
  end_overloaded(
      island.most_touched,
      fmt::format("{} contacts hold {} bodies together, and to solve them takes {}, {}",
                  island.contacts, island.bodies, gigabytes(static_cast<double>(asked)),
                  asked > limit ? "more than the limit of " + gigabytes(static_cast<double>(limit))
                                : "which the system does not give"));
}

void Contacts::end_overloaded(int body, const std::string& how) {
  const int solid = bodies_[body].solid;
  const Vec3 at = to_vec3(bodies_[body].position);
  ode_.end_overloaded(fmt::format(
      "too much touches at Solid \"{}\" ({:.3g} {:.3g} {:.3g}): {}. Move shapes apart, use fewer "
      "of "
      "them or a smaller maxContactJoints, or give the solver more memory (--step-memory)",
      scene_.solids[solid].name, at.x, at.y, at.z, how));
}

// A touch that side_penetration() has found since the last call counts, too.
void Contacts::read_touched() {
  touched_ = search_->touched();
  search_->add_side_contacts(touched_);
}

void Contacts::search_keeps_forces() { search_->keep_forces(); }

// ODE and the tree solver write the force on the first body of a contact joint to its feedback. If
// the first geom has no body, ODE exchanges the two, so the sign changes.
void Contacts::read_forces() {
  if (all_asleep(bodies_)) {
    return;  // bodies at rest press as in their last step
  }
  forces_.clear();
  const std::vector<SolidContact>& points = search_->points();
  const std::vector<ContactJoint>& joints = search_->joints();
  if (joints.size() != points.size()) {
    return;  // the contacts were found before keep_forces()
  }
  for (std::size_t i = 0; i < joints.size(); ++i) {
    if (const dJointFeedback* const feedback = joints[i].feedback; feedback != nullptr) {
      // ODE's first body is the one that is not the world.
      const Vec3 force = to_vec3(feedback->f1);
      forces_.push_back({points[i].point, joints[i].body >= 0 ? force : -force, points[i].solid,
                         points[i].other});
    }
  }
}

// Shapes are compared in the current poses, so the caller may call this before and after a move.
void Contacts::wake_neighbours(const SolidRange& solids) {
  if (!can_collide_ || !any_asleep(bodies_)) {
    return;
  }
  between_steps([&] {
    if (ode_.contacts_stale()) {
      kinematic_.place_all();
    }
    // A body may occur several times. To wake it again makes no difference.
    for (const int body : search_->bodies_at(geoms_->space(), solids)) {
      wake(bodies_[body].id);
    }
  });
}

// A belt that starts or stops applies a force to what lies on it, although no body moves yet and so
// none would wake.
void Contacts::wake_at_changed_belts() {
  std::vector<dBodyID> bodies;
  for (const Belt& belt : geoms_->belts()) {
    if (states_[belt.joint].velocity != belt.speed) {
      add_bodies_at(belt, bodies);
    }
  }
  std::for_each(bodies.begin(), bodies.end(), wake);
}

// A belt with constant speed counts, too: what lies on it may be slow, but it does not rest.
void Contacts::add_bodies_on_belts(std::vector<dBodyID>& bodies) {
  for (const Belt& belt : geoms_->belts()) {
    if (states_[belt.joint].velocity != 0.0) {
      add_bodies_at(belt, bodies);
    }
  }
}

// Stale contacts are replaced first, since what lies on the belt may have been moved.
void Contacts::add_bodies_at(const Belt& belt, std::vector<dBodyID>& bodies) {
  const auto add_carrier = [&](int solid) {
    if (const int body = bodies_.carrying_body(solid); body >= 0) {
      bodies.push_back(bodies_[body].id);
    }
  };
  add_carrier(belt.solid);
  if (ode_.contacts_stale() && can_collide_) {
    kinematic_.place_all();
    search_or_end();
  }
  for (const SolidContact& touch : search_->points()) {
    if (touch.solid == belt.solid || touch.other == belt.solid) {
      add_carrier(touch.solid == belt.solid ? touch.other : touch.solid);
    }
  }
}

// The speed acts one step later, since contacts are made before the step in which they act.
void Contacts::set_belt_speeds() {
  for (Belt& belt : geoms_->belts()) {
    belt.speed = states_[belt.joint].velocity;
  }
}

// This is called between steps, so geoms are moved to the current poses first.
double Contacts::side_penetration(int solid) {
  use_ode();
  kinematic_.place_followers();
  bodies_.inform_geoms();
  were_asleep_ = false;  // the next step must search again
  return search_->side_penetration(outer_robot(scene_, solid), scene_.world.up);
}

// This search is for a report only. If it fails, the next step reports the reason.
std::pair<int, int> Contacts::largest_overlap() {
  const OdeErrorsThrow guard;
  if (ode_.is_over() || !can_collide_) {
    return {0, -1};
  }
  try {
    const OverlapGroup group = search_->largest_overlap(geoms_->space(), geoms_->inner_spaces());
    return {group.shapes, group.body < 0 ? -1 : bodies_[group.body].solid};
  } catch (const OdeStopped&) {  // the step reports it
    ode_.set_interrupted();
    ode_.set_unstable(bodies_[0].solid);
    return {0, -1};
  } catch (...) {  // no memory
    ode_.set_interrupted();
    throw;
  }
}

// An exception inside ODE leaves the space locked, after which the world cannot be used.
std::optional<RayHit> Contacts::cast_ray(const Vec3& from, const Vec3& direction, double range,
                                         int solid) {
  use_ode();
  if (!(range > 0.0)) {
    return std::nullopt;
  }
  try {
    if (!can_collide_) {
      kinematic_.place_followers();  // no step does this
      bodies_.inform_geoms();
    }
    if (ray_ == nullptr) {
      ray_ = made(dCreateRay(nullptr, 1.0), "a ray");
      dGeomRaySetClosestHit(ray_, 1);
    }
    // The ray ignores what a shape of its own Solid would ignore.
    GeomInfo owner;
    owner.solid = solid;
    owner.carrier = bodies_.carrying_body(solid);
    owner.robot = outer_robot(scene_, solid);
    // A Solid outside of every robot passes only through what moves with it.
    owner.self_collision = owner.robot >= 0 && scene_.robots[owner.robot].self_collision;
    return servosim::cast_ray(geoms_->space(), ray_, owner, from, direction, range);
  } catch (...) {  // no memory
    ode_.set_interrupted();
    geoms_->note_locked();
    throw;
  }
}

// Most worlds have no sensor that sees Shapes, so their geoms are created at the first call.
void Contacts::place_visible_shapes() {
  use_ode();
  if (visible_ == nullptr) {
    visible_ = std::make_unique<VisibleShapes>(scene_);
  }
  visible_->place([this](int solid) { return poses_.pose(solid); });
}

std::optional<SeenPoint> Contacts::cast_sight(const Vec3& from, const Vec3& direction, double range,
                                              int solid) {
  use_ode();
  try {
    return range > 0.0 ? visible_->cast(from, direction, range, solid) : std::nullopt;
  } catch (...) {  // no memory
    ode_.set_interrupted();
    throw;
  }
}

// Belts are matched by their joints. A belt that is new starts with the speed 0.
void Contacts::restore_from(const Contacts& before, const SceneMatch& match) {
  for (Belt& belt : geoms_->belts()) {
    for (const Belt& was : before.geoms_->belts()) {
      if (was.joint == match.joints[belt.joint]) {
        belt.speed = was.speed;
      }
    }
  }
  restore_reports_from(before);
}

void Contacts::restore_reports_from(const Contacts& before) {
  search_->restore_reports_from(*before.search_);
}

// Speeds of belts act in the next step, so they are a part of the state.
template <class Archive>
void Contacts::archive(Archive& archive) {
  for (Belt& belt : geoms_->belts()) {
    archive.unhashed(belt.speed);
  }
}

template void Contacts::archive(SavingArchive&);
template void Contacts::archive(RestoringArchive&);
template void Contacts::archive(HashingArchive&);

}  // namespace servosim
