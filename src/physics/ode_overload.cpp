// SPDX-License-Identifier: Apache-2.0
// What is done where too much touches to be solved.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>

#include "physics/ode_library.h"
#include "physics/ode_world_impl.h"
#include "scene/scene.h"

namespace servosim {

namespace {

std::string gigabytes(double bytes) { return fmt::format("{:.3g} GB", bytes / 1e9); }

// Bodies that are solved together, and their contacts.
struct Island {
  int bodies = 0;
  int contacts = 0;
  int most_touched = -1;  // of the bodies
};

// The one with most contacts.
Island largest_island(const std::vector<Body>& bodies, const Contacts& contacts) {
  std::unordered_map<dBodyID, int> index;
  for (const Body& body : bodies) {
    index.emplace(body.id, static_cast<int>(index.size()));
  }
  std::vector<int> above(bodies.size());  // up to the one that stands for all
  std::iota(above.begin(), above.end(), 0);
  const auto root = [&above](int body) {
    while (above[body] != body) {
      body = above[body] = above[above[body]];
    }
    return body;
  };
  std::vector<int> own(bodies.size());  // contacts, each at one of its bodies
  for (int b = 0; b < static_cast<int>(bodies.size()); ++b) {
    const dBodyID body = bodies[b].id;
    for (int k = 0; k < dBodyGetNumJoints(body); ++k) {
      const dJointID joint = dBodyGetJoint(body, k);
      const dBodyID one = dJointGetBody(joint, 0);
      const dBodyID other = one == body ? dJointGetBody(joint, 1) : one;
      const int o = other != nullptr ? index.at(other) : -1;
      own[b] += dJointGetType(joint) == dJointTypeContact && o < b ? 1 : 0;
      if (o >= 0) {
        above[root(o)] = root(b);
      }
    }
  }
  std::vector<Island> islands(bodies.size());
  for (int b = 0; b < static_cast<int>(bodies.size()); ++b) {
    Island& island = islands[root(b)];
    ++island.bodies;
    island.contacts += own[b];
    if (island.most_touched < 0 ||
        contacts.contacts_of(b) > contacts.contacts_of(island.most_touched)) {
      island.most_touched = b;
    }
  }
  return *std::max_element(
      islands.begin(), islands.end(),
      [](const Island& one, const Island& other) { return one.contacts < other.contacts; });
}

}  // namespace

void PhysicsWorld::Impl::find_touches() {
  for (Belt& belt : belts) {
    belt.axis = solid_pose(belt.solid).rotation * *scene.joints[belt.joint].belt;
  }
  contacts->find(space, inner_spaces);
}

void PhysicsWorld::Impl::collide() {
  try {
    find_touches();
  } catch (const TooManyContacts& too_many) {
    const int body = contacts->most_touched();
    const int here = contacts->contacts_of(body);
    if (too_many.pairs > 0) {
      overloaded(body, fmt::format(
                           "{} pairs of shapes are near each other there, and {} so far in all, {}",
                           here, too_many.pairs,
                           too_many.no_memory
                               ? "and no memory for more"
                               : "are more than " + gigabytes(static_cast<double>(step_memory)) +
                                     " can list"));
    }
    const std::size_t all = contacts->touches().size();
    overloaded(
        body,
        too_many.no_memory
            ? fmt::format("{} contacts there, and {} in all, and no memory for more", here, all)
            : fmt::format("{} contacts there, and {} so far in all, are more than {} can solve",
                          here, all, gigabytes(static_cast<double>(step_memory))));
  }
}

void PhysicsWorld::Impl::solve() {
  std::size_t asked = 0;
  try {
    OdeCount count{bodies.size(), 0};
    for (const Body& body : bodies) {
      count.joints += dBodyGetNumJoints(body.id);  // those between two bodies twice
    }
    const OdeStep step = ode_step(world, h, step_memory, count);
    if (step.done) {
      return;
    }
    asked = step.asked;
  } catch (const std::bad_alloc&) {  // for something small
    world_left = true;
  }
  const Island island = largest_island(bodies, *contacts);
  const std::string memory =
      asked == 0 ? "there is no memory to solve them"
                 : fmt::format("to solve them takes {}, {}", gigabytes(static_cast<double>(asked)),
                               asked > step_memory ? "more than the limit of " +
                                                         gigabytes(static_cast<double>(step_memory))
                                                   : "which the system does not give");
  overloaded(island.most_touched, fmt::format("{} contacts hold {} bodies together, and {}",
                                              island.contacts, island.bodies, memory));
}

void PhysicsWorld::Impl::overloaded(int body, const std::string& how) {
  const int solid = bodies[body].solid;
  const Vec3 at = to_vec3(bodies[body].position);
  step_left = true;
  overload = fmt::format(
      "too much touches at Solid \"{}\" ({:.3g} {:.3g} {:.3g}): {}. Move shapes apart, use fewer "
      "of "
      "them or a smaller maxContactJoints, or give the solver more memory (--step-memory)",
      scene.solids[solid].name, at.x, at.y, at.z, how);
  throw Overloaded(overload);
}

std::pair<int, int> PhysicsWorld::largest_heap() {
  const OdeErrorsThrow guard;
  if (is_over() || !impl_->can_collide) {
    return {0, -1};
  }
  try {
    const Heap heap = impl_->contacts->largest_heap(impl_->space, impl_->inner_spaces);
    return {heap.shapes, heap.body < 0 ? -1 : impl_->bodies[heap.body].solid};
  } catch (const OdeStopped&) {  // step() says so
    impl_->step_left = true;
    impl_->unstable = impl_->bodies.front().solid;
    return {0, -1};
  } catch (...) {  // no memory
    impl_->step_left = true;
    throw;
  }
}

}  // namespace servosim
