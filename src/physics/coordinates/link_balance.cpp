// SPDX-License-Identifier: Apache-2.0
#include "physics/coordinates/link_balance.h"

#include <algorithm>
#include <array>

namespace servosim {

template <>
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

template <>
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

template <>
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
