// SPDX-License-Identifier: Apache-2.0
#include "physics/tree/contact_rows.h"

#include <ode/ode.h>

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "physics/bodies.h"
#include "physics/contacts/contact_search.h"
#include "physics/ode_library.h"

// The Jacobians of the rows of a contact at point p. With d, the direction of a row, r_i = p −
// (centre of mass of body i), and arm_i, from there to the anchor of the node,
//
//     row along d:  J = ±(d, (r_i − arm_i) × d),        row about d:  J = ±(0, d)
//
// with + for the first body and − for the second one. contact_rows.h has the equations of the rows.

namespace servosim {

namespace {

// A contact joint in ODE's order: its first body is not the world.
class Contact {
 public:
  Contact(const ContactJoint& joint, const std::array<const TreeBody*, 2>& bodies,
          const StepSettings& settings, std::vector<BodyRow>& rows)
      : contact_(joint.contact),
        surface_(joint.contact.surface),
        bodies_(bodies),
        settings_(settings),
        rows_(rows),
        normal_(to_vec3(joint.contact.geom.normal)),
        point_(to_vec3(joint.contact.geom.pos)) {
    // Exchanging the bodies reverses the normal, which points into the first.
    if (bodies_[0] == nullptr) {
      std::swap(bodies_[0], bodies_[1]);
      normal_ = -normal_;
    }
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      // The arms are those in the poses before the step, as in ODE.
      arms_[i] = bodies_[i] != nullptr ? point_ - bodies_[i]->frame.center : Vec3{};
    }
    inertia_ = inertia(false);
  }

  // ODE's order of rows: normal, two tangents, rolling. Without dContactAxisDep the coefficients of
  // the first axis hold for all.
  void add_rows() {
    add_normal();
    std::array<Vec3, 3> axes;
    axes[2] = normal_;
    set_tangents(axes[0], axes[1]);
    const bool by_axis = has(dContactAxisDep);
    add_friction(axes[0], surface_.mu, has(dContactMotion1) ? surface_.motion1 : 0.0,
                 has(dContactSlip1) ? &surface_.slip1 : nullptr);
    add_friction(axes[1], by_axis ? surface_.mu2 : surface_.mu,
                 has(dContactMotion2) ? surface_.motion2 : 0.0,
                 has(dContactSlip2) ? &surface_.slip2 : nullptr);
    // Rolling friction acts about both tangents and the normal.
    if (has(dContactRolling)) {
      const std::array<double, 3> rho{surface_.rho, by_axis ? surface_.rho2 : surface_.rho,
                                      by_axis ? surface_.rhoN : surface_.rho};
      for (std::size_t i = 0; i < axes.size(); ++i) {
        add_rolling(axes[i], rho[i]);
      }
    }
  }

 private:
  // A parameter counts only if its bit in `mode` is set.
  bool has(int mode) const { return (surface_.mode & mode) != 0; }

  // The second tangent is n × the first. Without a given direction both are those of ODE's
  // dPlaneSpace().
  void set_tangents(Vec3& first, Vec3& second) const {
    if (has(dContactFDir1)) {
      first = to_vec3(contact_.fdir1);
      second = cross(normal_, first);
      return;
    }
    const dVector3 normal{normal_.x, normal_.y, normal_.z};
    dVector3 p;
    dVector3 q;
    dPlaneSpace(normal, p, q);
    first = to_vec3(p);
    second = to_vec3(q);
  }

  // Returns a lower bound of the inertia that a row moves at the point, in any direction: 1/Σ(1/m +
  // r²/I_min), or 1/Σ(1/I_min) for a row about a direction.
  double inertia(bool turns) const {
    double mobility = 0.0;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (const TreeBody* const body = bodies_[i]; body != nullptr) {
        mobility += turns ? 1.0 / body->min_inertia
                          : 1.0 / body->node->mass + dot(arms_[i], arms_[i]) / body->min_inertia;
      }
    }
    return 1.0 / mobility;
  }

  // Adds a row at the point, along a direction d or about it. With r, the way from the centre of
  // mass to the point, and arm, that to the anchor of the node, the Jacobian is
  //
  //     (d, (r − arm) × d),    or (0, d) for a row about d
  //
  // and the opposite for the second body.
  [[gnu::always_inline]] inline BodyRow& add(const Vec3& direction, bool turns) {
    BodyRow& row = rows_.emplace_back();
    row.softness = settings_.softness;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (const TreeBody* const body = bodies_[i]; body != nullptr) {
        const Vec3 d = i == 0 ? direction : -direction;
        row.ends[i].node = body->node;
        row.ends[i].jacobian =
            turns ? SpatialVector{{}, d} : SpatialVector{d, cross(arms_[i] - body->node->arm, d)};
      }
    }
    row.inertia = turns ? inertia(true) : inertia_;
    return row;
  }

  // Without a penetration the target is 0, so the bodies may touch but not approach.
  void add_normal() {
    BodyRow& row = add(normal_, false);
    const double erp = has(dContactSoftERP) ? surface_.soft_erp : settings_.erp;
    // ODE corrects the share erp of the depth in a step.
    double velocity = std::max(contact_.geom.depth, 0.0) * erp / settings_.h;
    if (has(dContactBounce)) {
      const double outgoing = normal_velocity();
      // `outgoing` is negative while the bodies approach.
      if (surface_.bounce_vel >= 0.0 && -outgoing > surface_.bounce_vel) {
        // Restitution: the velocity after the impact is `bounce` times that before it.
        velocity = std::max(velocity, -surface_.bounce * outgoing);
      }
    }
    if (has(dContactSoftCFM)) {
      row.softness = surface_.soft_cfm / settings_.h;
    }
    row.target = velocity / settings_.h;
    row.low = 0.0;
    row.high = kInfinity;
  }

  // Returns v_n before the step [m/s].
  double normal_velocity() const {
    double velocity = 0.0;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (bodies_[i] != nullptr) {
        const Body& body = *bodies_[i]->body;
        const Vec3 of_point = to_vec3(body.velocity) + cross(to_vec3(body.spin), arms_[i]);
        velocity += (i == 0 ? 1.0 : -1.0) * dot(normal_, of_point);
      }
    }
    return velocity;
  }

  // A coefficient of 0 means that there is no row. `slip` replaces the softness of the world.
  void add_friction(const Vec3& direction, double coefficient, double velocity,
                    const double* slip) {
    if (coefficient > 0.0) {
      BodyRow& row = add(direction, false);
      row.normal = static_cast<int>(first_);
      row.friction = coefficient;
      row.target = velocity / settings_.h;
      // A slip is a softness of friction: the force is proportional to the sliding velocity.
      row.softness = slip != nullptr ? *slip / settings_.h : row.softness;
    }
  }

  // The row is about an axis; its coefficient is a length, so that ρ·λ_n is a torque.
  void add_rolling(const Vec3& axis, double coefficient) {
    if (coefficient > 0.0) {
      BodyRow& row = add(axis, true);
      row.normal = static_cast<int>(first_);
      row.friction = coefficient;
    }
  }

  const dContact& contact_;
  const dSurfaceParameters& surface_;
  std::array<const TreeBody*, 2> bodies_;
  const StepSettings& settings_;
  std::vector<BodyRow>& rows_;
  std::size_t first_ = rows_.size();  // index of the row of the normal
  Vec3 normal_;
  Vec3 point_;
  std::array<Vec3, 2> arms_;  // r: from the centres of mass to the point
  double inertia_ = 0.0;      // of a row along a direction
};

}  // namespace

// The object lives only while the rows are made.
void add_contact_rows(const ContactJoint& contact, const std::array<const TreeBody*, 2>& bodies,
                      const StepSettings& settings, std::vector<BodyRow>& rows) {
  Contact(contact, bodies, settings, rows).add_rows();
}

// Rows of rolling have no linear part.
Vec3 force_of_contact(std::span<const BodyRow> rows) {
  Vec3 force;
  for (const BodyRow& row : rows) {
    force = force + row.force * row.ends[0].jacobian.linear;
  }
  return force;
}

void soften(std::span<BodyRow> rows, double softness, double least) {
  for (BodyRow& row : rows) {
    if (!row.is_soft()) {
      row.softness = std::max(softness, least / row.inertia);
    }
  }
}

// Both lists are sorted by shapes. If two shapes have several contacts, the first belongs to the
// first one, and so on.
void ContactStates::match_all(std::span<const ContactJoint> contacts) {
  std::swap(states_, before_);
  states_.resize(contacts.size());
  std::size_t k = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const std::uint64_t shapes = contacts[i].shapes;
    while (k < before_.size() && before_[k].shapes < shapes) {
      ++k;
    }
    if (k < before_.size() && before_[k].shapes == shapes) {
      states_[i] = before_[k++];
    } else {
      states_[i] = {shapes, {}};
    }
  }
}

void ContactStates::load(std::size_t contact, std::span<BodyRow> rows) const {
  SERVOSIM_ASSERT(rows.size() <= kMaxContactRows, "{} rows", rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].first_state = states_[contact].rows[i];
  }
}

void ContactStates::store(std::size_t contact, std::span<const BodyRow> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    states_[contact].rows[i] = rows[i].first_state;
  }
}

void ContactStates::forget(std::size_t contact) { states_[contact].rows = {}; }

}  // namespace servosim
