// SPDX-License-Identifier: Apache-2.0
#include "physics/step_memory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <new>
#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>

#include "physics/ode_library.h"
#include "physics/world.h"
#include "scene/scene.h"

namespace servosim {

namespace {

std::uint64_t memory_there_is() {
  std::uint64_t bytes = 2 * std::uint64_t{kMostStepMemory};
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0) {
    bytes = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
  }
  std::ifstream file("/proc/self/cgroup");
  const std::string groups{std::istreambuf_iterator<char>(file), {}};
  return std::min(bytes, group_memory_limit(groups, "/sys/fs/cgroup").value_or(bytes));
}

// Takes the text before `end` away from `text`, with it; all where there is none.
std::string_view take_until(char end, std::string_view& text) {
  const std::size_t size = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, size);
  text.remove_prefix(std::min(size + 1, text.size()));
  return taken;
}

bool names_memory(std::string_view controllers) {
  while (!controllers.empty()) {
    if (take_until(',', controllers) == "memory") {
      return true;
    }
  }
  return false;
}

}  // namespace

// In a container the path may be that of the machine, where the folder has the container's group
// only: then it is the top one. An unlimited group says "max", which is no number, or 2^63 less a
// page.
std::optional<std::uint64_t> group_memory_limit(std::string_view groups, const std::string& root) {
  constexpr std::uint64_t kUnlimited = std::uint64_t{1} << 62;
  std::optional<std::uint64_t> least;
  while (!groups.empty()) {  // lines NUMBER:CONTROLLERS:PATH; without controllers: version 2
    std::string_view path = take_until('\n', groups);
    take_until(':', path);
    const std::string_view controllers = take_until(':', path);
    if (!controllers.empty() && !names_memory(controllers)) {
      continue;
    }
    const std::string top = root + (controllers.empty() ? "" : "/memory");
    const char* const name = controllers.empty() ? "/memory.max" : "/memory.limit_in_bytes";
    for (;;) {
      const std::string folder = top + std::string(path == "/" ? "" : path);
      std::ifstream file(folder + name);
      if (std::uint64_t bytes = 0; file >> bytes && bytes < kUnlimited) {
        least = std::min(bytes, least.value_or(bytes));
      }
      if (path.empty()) {
        break;
      }
      path = path.substr(0, path.find_last_of('/') == path.npos ? 0 : path.find_last_of('/'));
    }
  }
  return least;
}

std::size_t default_step_memory(std::size_t worlds) {
  static const std::uint64_t bytes = memory_there_is();
  return std::min<std::uint64_t>(bytes / 2 / std::max<std::size_t>(worlds, 1), kMostStepMemory);
}

// What is done where too much touches to be solved.

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
