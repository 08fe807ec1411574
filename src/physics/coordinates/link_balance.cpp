// SPDX-License-Identifier: Apache-2.0
#include "physics/coordinates/link_balance.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace servosim {

const TreeLink& LinkBalance::link_of(std::size_t l) const {
  return step.kernel().model().links()[l];
}

TreeEnergy LinkBalance::energy() const {
  TreeEnergy sum;
  for (std::size_t l = 0; l < bodies.size(); ++l) {
    const TreeLink& link = link_of(l);
    const auto& body = bodies[l];
    const Vec3 spin = transposed(rotation_of(body.turn)) * body.spin;
    sum.kinetic +=
        0.5 * (link.mass * dot(body.velocity, body.velocity) + dot(spin, link.inertia * spin));
    sum.potential -= link.mass * dot(gravity, body.center - reference);
  }
  return sum;
}

double LinkBalance::power_on_bodies() const {
  double power = 0.0;
  for (std::size_t l = 0; l < bodies.size(); ++l) {
    const TreeLink& link = link_of(l);
    const LinkStateOf<Vec3>& state = step.kernel().state(l);
    const SpatialVector motion = motion_at(state.motion, state.center);
    power += dot(step.forces[l], motion);
    if (link.linear_decay > 0.0 || link.angular_decay > 0.0) {
      const Vec3 spin = transposed(state.rotation) * motion.angular;
      power -= link.linear_decay * link.mass * dot(motion.linear, motion.linear) +
               link.angular_decay * dot(spin, link.inertia * spin);
    }
  }
  return power;
}

bool LinkBalance::balance_energy(double total) const {
  constexpr double kMostDefect = 0.1;  // of the kinetic energy; with more the step is too long
  constexpr double kRounding = 1e-12;  // of the energies: a tree that hardly moves has no balance
  const TreeEnergy now = energy();
  if (!(now.kinetic > kRounding * (std::abs(now.potential) + now.kinetic))) {
    return true;
  }
  const double defect = now.total() - total;
  if (!(std::abs(defect) <= kMostDefect * now.kinetic)) {
    return false;
  }
  const double factor = std::sqrt(1.0 - defect / now.kinetic);
  for (double& rate : step.rates) {
    rate *= factor;
  }
  for (auto& body : bodies) {
    body.velocity = factor * body.velocity;
    body.spin = factor * body.spin;
  }
  return true;
}

TreeMomentum LinkBalance::momentum(const Vec3& origin) const {
  TreeMomentum sum;
  for (std::size_t l = 0; l < bodies.size(); ++l) {
    const TreeLink& link = link_of(l);
    const auto& body = bodies[l];
    const Vec3 linear = link.mass * body.velocity;
    sum.linear = sum.linear + linear;
    sum.angular = sum.angular + cross(body.center - origin, linear) +
                  rotated(rotation_of(body.turn), link.inertia) * body.spin;
  }
  return sum;
}

TreeMomentum LinkBalance::impulse(const Vec3& root, double time) const {
  TreeMomentum sum;
  for (std::size_t l = 0; l < bodies.size(); ++l) {
    const TreeLink& link = link_of(l);
    const SpatialVector& on_body = step.forces[l];
    const Vec3 force = on_body.linear + link.mass * gravity;
    const Vec3 center = root + step.kernel().state(l).center;
    sum.linear = sum.linear + time * force;
    sum.angular = sum.angular + time * (on_body.angular + cross(center, force));
  }
  return sum;
}

void LinkBalance::balance_momentum(const TreeMomentum& wanted, const Vec3& origin) const {
  double mass = 0.0;
  Vec3 moment;
  for (std::size_t l = 0; l < bodies.size(); ++l) {
    mass += link_of(l).mass;
    moment = moment + link_of(l).mass * (bodies[l].center - origin);
  }
  const Vec3 center = (1.0 / mass) * moment;  // of the tree, from the origin
  SymMat3 inertia;
  for (std::size_t l = 0; l < bodies.size(); ++l) {
    const TreeLink& link = link_of(l);
    const Vec3 arm = bodies[l].center - origin - center;
    const double square = dot(arm, arm);
    inertia = inertia + rotated(rotation_of(bodies[l].turn), link.inertia) +
              link.mass * (SymMat3{square, 0.0, 0.0, square, 0.0, square} - outer(arm));
  }
  const TreeMomentum now = momentum(origin);
  const Vec3 push = wanted.linear - now.linear;
  const Vec3 velocity = (1.0 / mass) * push;
  const Vec3 spin = inverse(inertia) * (wanted.angular - now.angular - cross(center, push));
  for (auto& body : bodies) {
    body.velocity = body.velocity + velocity + cross(spin, body.center - origin - center);
    body.spin = body.spin + spin;
  }
  const auto& root = bodies.front();
  const Vec3 own = transposed(rotation_of(root.turn)) * root.spin;
  const std::array<double, 6> rates{root.velocity.x, root.velocity.y, root.velocity.z,
                                    own.x,           own.y,           own.z};
  std::copy(rates.begin(), rates.end(), step.rates.begin());
}

}  // namespace servosim
