// SPDX-License-Identifier: Apache-2.0
#include "servosim/connector.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

#include "base/assert.h"
#include "base/device_command.h"
#include "devices/connector_search.h"
#include "devices/device_archive.h"
#include "devices/device_binding.h"
#include "devices/measuring.h"
#include "physics/physics_world.h"
#include "scene/scene.h"

namespace servosim {

namespace {

constexpr double kFullTurn = 2.0 * std::numbers::pi;

double angle_between(const Vec3& a, const Vec3& b) {
  return std::atan2(norm(cross(a, b)), dot(a, b));
}

/// The relative pose of one connector and another.
struct Facing {
  Vec3 axis;    // the axis of the one, in the world
  Vec3 upward;  // its upward direction, in the world
  Vec3 wanted;  // the axis that it should have: against that of the other
  double turn;  // [rad] about its axis, from the upward direction of the other to its own
};

Facing facing_of(const ConnectorSpec& one, const Pose& pose, const ConnectorSpec& other,
                 const Pose& other_pose) {
  Facing f;
  f.axis = pose.rotation * one.axis;
  f.upward = pose.rotation * one.upward;
  f.wanted = -(other_pose.rotation * other.axis);
  const Vec3 up = other_pose.rotation * other.upward;
  f.turn = std::atan2(dot(cross(up, f.upward), f.axis), dot(up, f.upward));
  return f;
}

// Returns the turn [rad] that is nearest to `turn` among those that fit: the multiples of a full
// turn divided by `rotations`, or every turn where `rotations` is not positive.
double nearest_turn(double turn, int rotations) {
  return rotations > 0 ? kFullTurn / rotations * std::round(turn / kFullTurn * rotations) : turn;
}

// Returns the rotation that goes `share` of the way from `from` to `to`. Both have length one.
AxisAngle way_between(const Vec3& from, const Vec3& to, double share) {
  return {unit_or(cross(from, to), {0.0, 0.0, 1.0}), share * angle_between(from, to)};
}

// Turns the body that carries a Solid about the Solid's origin, then moves it by `way` [m].
void shift(PhysicsWorld& physics, int solid, const Mat3& rotation, const Vec3& way) {
  const Vec3 origin = physics.solid_pose(solid).translation;
  physics.bodies().shift(solid, {rotation, origin + way - rotation * origin});
  if (const int body = physics.bodies().carrying_body(solid); body >= 0) {
    physics.forget_steps(physics.bodies()[body].solid);
  }
}

}  // namespace

Connector::Connector(const DeviceBinding& binding)
    : Device(Turn::Connector, true), spec_(&*binding.spec.connector), physics_(binding.physics()) {
  state_.locked = spec_->locked;
}

bool Connector::is_locked_by_tree() const { return spec_->locked; }

void Connector::meet(ConnectorSearch& all, int index) {
  all_ = &all;
  index_ = index;
}

void Connector::rebind(const DeviceBinding& binding) {
  spec_ = &*binding.spec.connector;
  physics_ = binding.physics();
  all_ = nullptr;
  index_ = -1;
  state_.peer = physics_ != nullptr ? state_.peer : -1;
}

void Connector::renumber(const std::vector<Connector*>& before) {
  if (state_.peer >= 0) {
    SERVOSIM_ASSERT(static_cast<std::size_t>(state_.peer) < before.size(), "partner {} of {}",
                    state_.peer, before.size());
    state_.peer = before[state_.peer]->index_;
  }
}

const char* Connector::lock_field() const {
  return spec_->type == ConnectorType::Vacuum ? "isOn" : "isLocked";
}

CommandEffect Connector::command(const DeviceCommand& command, double now_ms) {
  if (command.kind != CommandKind::Lock) {
    return Device::command(command, now_ms);
  }
  command.integer != 0 ? lock() : unlock();
  return {true, true, lock_field()};
}

void Connector::list_settings(std::vector<DeviceSetting>& settings) const {
  settings.push_back({lock_field(), {locked() ? 1.0 : 0.0}});
}

void Connector::set_field(std::string_view field, std::span<const double> numbers) {
  if (field == lock_field()) {
    numbers[0] != 0.0 ? lock() : unlock();
  }
}

void Connector::archive_state(DeviceArchive& archive) {
  archive.unhashed(state_.peer);
  archive.unhashed(state_.locked);
}

void Connector::lock() {
  if (spec_->type != ConnectorType::Passive) {
    state_.locked = true;
    seek();
  }
}

void Connector::unlock() {
  state_.locked = false;
  if (!attached()) {
    return;
  }
  if (spec_->type == ConnectorType::Vacuum) {
    return let_go();
  }
  const Connector& other = (*all_)[state_.peer];
  if ((spec_->unilateral_unlock && other.spec_->unilateral_unlock) || !other.state_.locked) {
    detach();
  }
}

bool Connector::attached() const {
  return spec_->type == ConnectorType::Vacuum
             ? physics_ != nullptr && physics_->attachments().held_by(spec_->solid) >= 0
             : all_ != nullptr && state_.peer >= 0;
}

bool Connector::fits(const Connector& other) const {
  using Type = ConnectorType;
  const bool types = spec_->type == Type::Symmetric
                         ? other.spec_->type == Type::Symmetric
                         : other.spec_->type != Type::Symmetric && other.spec_->type != spec_->type;
  if (&other == this || !types || other.spec_->type == Type::Vacuum ||
      spec_->model != other.spec_->model) {
    return false;
  }
  const Pose pose = physics_->solid_pose(spec_->solid);
  const Pose other_pose = physics_->solid_pose(other.spec_->solid);
  if (norm(pose.translation - other_pose.translation) > spec_->distance_tolerance) {
    return false;
  }
  const Facing f = facing_of(*spec_, pose, *other.spec_, other_pose);
  const double off = f.turn - nearest_turn(f.turn, spec_->number_of_rotations);
  return angle_between(f.axis, f.wanted) <= spec_->axis_tolerance &&
         std::abs(off) <= spec_->rotation_tolerance;
}

// Returns the first Connector that fits and holds nothing; nullptr if there is none.
Connector* Connector::partner() const {
  if (all_ == nullptr) {
    return nullptr;
  }
  return all_->first_near(place(), spec_->distance_tolerance, [this](const Connector& other) {
    return !other.attached() && fits(other);
  });
}

Vec3 Connector::place() const { return physics_->solid_pose(spec_->solid).translation; }

bool Connector::is_ready(const Connector& other) const {
  return (spec_->unilateral_lock && other.spec_->unilateral_lock) || other.state_.locked ||
         other.spec_->type == ConnectorType::Passive;
}

void Connector::seek() {
  if (physics_ == nullptr || !state_.locked || attached() ||
      spec_->type == ConnectorType::Passive) {
    return;
  }
  if (spec_->type == ConnectorType::Vacuum) {
    return grip();
  }
  if (Connector* other = partner(); other != nullptr && is_ready(*other)) {
    attach(*other);
  }
}

void Connector::attach(Connector& other) {
  if (spec_->snap && other.spec_->snap) {
    align(other);
  }
  physics_->attachments().couple(spec_->solid, other.spec_->solid);
  state_.peer = other.index_;
  other.state_.peer = index_;
}

void Connector::detach() {
  Connector& other = (*all_)[state_.peer];
  physics_->attachments().uncouple(spec_->solid, other.spec_->solid);
  state_.peer = other.state_.peer = -1;
}

// Moves both until they face each other exactly. Each goes half the way where both can move. The
// axes come first, then the turn about them, then the origins.
void Connector::align(const Connector& other) {
  const bool moves = physics_->bodies().is_free(spec_->solid);
  const bool other_moves = physics_->bodies().is_free(other.spec_->solid);
  if (!moves && !other_moves) {
    return;
  }
  const double share = moves && other_moves ? 0.5 : moves ? 1.0 : 0.0;
  const auto both = [&](const Mat3& one, const Mat3& another, const Vec3& way) {
    if (moves) {
      shift(*physics_, spec_->solid, one, share * way);
    }
    if (other_moves) {
      shift(*physics_, other.spec_->solid, another, (share - 1.0) * way);
    }
  };
  const auto facing = [&] {
    return facing_of(*spec_, physics_->solid_pose(spec_->solid), *other.spec_,
                     physics_->solid_pose(other.spec_->solid));
  };
  const Facing tilted = facing();
  both(rotation_matrix(way_between(tilted.axis, tilted.wanted, share)),
       rotation_matrix(way_between(tilted.wanted, tilted.axis, 1.0 - share)), {});
  const Facing turned = facing();
  const double off = nearest_turn(turned.turn, spec_->number_of_rotations) - turned.turn;
  both(rotation_matrix({turned.axis, share * off}),
       rotation_matrix({turned.axis, (share - 1.0) * off}), {});
  both({}, {}, other.place() - place());
  all_->moved();
}

void Connector::before_step(double /*h*/) {
  if (spec_->auto_lock) {
    seek();
  }
}

// Compares with the strength of the weaker connector. A negative strength means that it cannot
// tear.
bool Connector::is_torn() const {
  const ConnectorSpec& other = *(*all_)[state_.peer].spec_;
  const auto weaker = [](double a, double b) { return a < 0.0 ? b : b < 0.0 ? a : std::min(a, b); };
  const double tensile = weaker(spec_->tensile_strength, other.tensile_strength);
  const double shear = weaker(spec_->shear_strength, other.shear_strength);
  return tears(other.solid, tensile, shear);
}

bool Connector::tears(int held, double tensile, double shear) const {
  if (tensile < 0.0 && shear < 0.0) {
    return false;
  }
  const Vec3 force = physics_->attachments().coupling_force(spec_->solid, held);
  const Vec3 axis = physics_->solid_pose(spec_->solid).rotation * spec_->axis;
  const double pull = dot(force, axis);  // positive: what is held pulls away along the axis
  return (tensile >= 0.0 && pull > tensile) || (shear >= 0.0 && norm(force - pull * axis) > shear);
}

// ---- a VacuumGripper

// Returns the Solid that touches it at most points, the first one of several; -1 if no Solid
// touches it at enough points.
int Connector::touched() const {
  const std::vector<SolidContact>& touches = physics_->contacts().points();
  int best = -1;
  int most = 0;
  for (int counted = -1;;) {
    int next = std::numeric_limits<int>::max();  // the next Solid that touches it, by number
    int points = 0;
    for (const SolidContact& touch : touches) {
      const int other = touch.solid == spec_->solid   ? touch.other
                        : touch.other == spec_->solid ? touch.solid
                                                      : -1;
      if (other > counted && other < next) {
        next = other;
        points = 0;
      }
      points += other == next ? 1 : 0;
    }
    if (points == 0) {
      return most >= spec_->contact_points ? best : -1;
    }
    if (points > most) {
      most = points;
      best = next;
    }
    counted = next;
  }
}

void Connector::grip() {
  if (const int other = touched(); other >= 0) {
    physics_->attachments().couple(spec_->solid, other);
  }
}

void Connector::let_go() {
  physics_->attachments().uncouple(spec_->solid, physics_->attachments().held_by(spec_->solid));
}

void Connector::follow() {
  if (physics_ == nullptr) {
    return;
  }
  if (spec_->type == ConnectorType::Vacuum) {
    const int held = physics_->attachments().held_by(spec_->solid);
    if (held >= 0 && tears(held, spec_->tensile_strength, spec_->shear_strength)) {
      let_go();
    }
  } else if (state_.peer > index_ && is_torn()) {  // one of the two looks at their connection
    Connector& other = (*all_)[state_.peer];
    detach();
    state_.locked = other.state_.locked = false;
  }
}

void Connector::measure(double now_ms) {
  if (physics_ != nullptr) {
    sampler_.store(present(), now_ms);
  }
}

double Connector::present() const {
  if (spec_->type == ConnectorType::Passive) {
    return -1.0;
  }
  const bool seeks = spec_->type != ConnectorType::Vacuum;
  return attached() || (seeks && partner() != nullptr) ? 1.0 : 0.0;
}

}  // namespace servosim
